/* check_totask.c: operators to tasks, and the ends of vectors: text in, text out. */
#include "fuse/totask.h"
#include "memmgmt/memory.h"
#include "shape/shape.h"
#include "tests/rewrite.h"

Suite *totask_suite(void);

static void
from_shapes(Unit *u)
{
	shape(u);
	totask(u);
}

#define FLAN_PARAMS "c:<bool>, x:<int>, y:<int>, s:segdes, n:int, a:float"

static const Rewrite tasks[] = {
	{"elementwise", "<int>",
		"\tr:<int> = add^ x, x\n"
		"\tq:<int> = mul^ x, n\n"
		"\tz:<int> = select^ c, r, q\n"
		"\tyield z\n",
		"\tn_2:int = length x\n"
		"\tr:<int> = task r_add n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:int = add@1 x_2, x_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tq:<int> = task q_mul n_2 {\n"
		"\t\tx_3:int = load@1 x\n"
		"\t\tq_2:int = mul@1 x_3, n\n"
		"\t\tq_3:<int> = store@1 q_2\n"
		"\t\tyield q_3\n"
		"\t}\n"
		"\tn_3:int = length c\n"
		"\tz:<int> = task z_select n_3 {\n"
		"\t\tc_2:bool = load@1 c\n"
		"\t\tr_4:int = load@1 r\n"
		"\t\tq_4:int = load@1 q\n"
		"\t\tz_2:int = select@1 c_2, r_4, q_4\n"
		"\t\tz_3:<int> = store@1 z_2\n"
		"\t\tyield z_3\n"
		"\t}\n"
		"\tyield z\n"},
	{"one length for all", "<int>",
		"\tm:int = length x\n"
		"\ti:<int> = iota m\n"
		"\tr:<int> = sub^ i, x\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\ti:<int> = task i_iota n_2 {\n"
		"\t\ti_2:int = index@1\n"
		"\t\ti_3:<int> = store@1 i_2\n"
		"\t\tyield i_3\n"
		"\t}\n"
		"\tr:<int> = task r_sub n_2 {\n"
		"\t\ti_4:int = load@1 i\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:int = sub@1 i_4, x_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"what is uniform is two numbers; offsets once, where they are wanted", "<int>, <int>, <int>, <int>, int, int, int, segdes, <int>",
		"\tu:segdes = uniform n, 3\n"
		"\tl:<int> = lengths u\n"
		"\tt:<int> = starts u\n"
		"\tp:<int> = row_start^ u, x\n"
		"\tq:<int> = row_length^ u, x\n"
		"\ti:int = row_start u, n\n"
		"\tj:int = row_length u, 4\n"
		"\tk:int = total u\n"
		"\tw:segdes = concat u, s, u\n"
		"\tr:<int> = sum^ u, y\n"
		"\tyield l, t, p, q, i, j, k, w, r\n",
		"\tu:uniform = uniform n, 3\n"
		"\tl:<int> = task l_lengths n {\n"
		"\t\tl_2:<int> = store@1 3\n"
		"\t\tyield l_2\n"
		"\t}\n"
		"\tt:<int> = task t_starts n {\n"
		"\t\tt_2:int = index@1\n"
		"\t\tt_3:int = mul@1 t_2, 3\n"
		"\t\tt_4:<int> = store@1 t_3\n"
		"\t\tyield t_4\n"
		"\t}\n"
		"\tn_2:int = length x\n"
		"\tp:<int> = task p_row_start n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tp_2:bool = in_range@1 x_2, n\n"
		"\t\tp_3:int = mul@1 x_2, 3\n"
		"\t\tp_4:int = select@1 p_2, p_3, 0\n"
		"\t\tp_5:<int> = store@1 p_4\n"
		"\t\tyield p_5\n"
		"\t}\n"
		"\tq:<int> = task q_row_length n_2 {\n"
		"\t\tx_3:int = load@1 x\n"
		"\t\tq_2:bool = in_range@1 x_3, n\n"
		"\t\tq_3:int = select@1 q_2, 3, 0\n"
		"\t\tq_4:<int> = store@1 q_3\n"
		"\t\tyield q_4\n"
		"\t}\n"
		"\ti:bool = in_range n, n\n"
		"\ti_2:int = mul n, 3\n"
		"\ti_3:int = select i, i_2, 0\n"
		"\tn_3:int = total uniform u\n"
		"\tu_2:segdes = offsets uniform u\n"
		"\tw:segdes = concat u_2, s, u_2\n"
		"\tr:<int> = task r_sum n, uniform u {\n"
		"\t\ty_2:int = load@2 y\n"
		"\t\tr_2:int = sum@2 y_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield l, t, p, q, i_3, 3, n_3, w, r\n"},
	{"lengths end with their scope", "<int>",
		"\tr:<int> = if true {\n"
		"\t\tu:<int> = neg^ x\n"
		"\t\tyield u\n"
		"\t} {\n"
		"\t\tv:<int> = neg^ x\n"
		"\t\tyield v\n"
		"\t}\n"
		"\tyield r\n",
		"\tr:<int> = if true {\n"
		"\t\tn_2:int = length x\n"
		"\t\tu:<int> = task u_neg n_2 {\n"
		"\t\t\tx_2:int = load@1 x\n"
		"\t\t\tu_2:int = neg@1 x_2\n"
		"\t\t\tu_3:<int> = store@1 u_2\n"
		"\t\t\tyield u_3\n"
		"\t\t}\n"
		"\t\tyield u\n"
		"\t} {\n"
		"\t\tn_3:int = length x\n"
		"\t\tv:<int> = task v_neg n_3 {\n"
		"\t\t\tx_3:int = load@1 x\n"
		"\t\t\tv_2:int = neg@1 x_3\n"
		"\t\t\tv_3:<int> = store@1 v_2\n"
		"\t\t\tyield v_3\n"
		"\t\t}\n"
		"\t\tyield v\n"
		"\t}\n"
		"\tyield r\n"},
	{"clocks: lengths are read anew", "int, float",
		"\tm:int = length x\n"
		"\tt:float = clock\n"
		"\tk:int = length x\n"
		"\tu:float = clock k, x\n"
		"\tq:int = add m, k\n"
		"\tw:float = sub u, t\n"
		"\tyield q, w\n",
		"\tn_2:int = length x\n"
		"\tt:float = clock\n"
		"\tn_3:int = length x\n"
		"\tu:float = clock n_3, x\n"
		"\tq:int = add n_2, n_3\n"
		"\tw:float = sub u, t\n"
		"\tyield q, w\n"},
	{"gather", "<int>",
		"\tr:<int> = gather x, y\n"
		"\tyield r\n",
		"\tn_2:int = length y\n"
		"\tr:<int> = task r_gather n_2 {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr_2:int = fetch@1 x, y_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"numbers of rows", "<int>, int",
		"\tr:<int> = row_start^ s, x\n"
		"\tq:int = row_length s, n\n"
		"\tyield r, q\n",
		"\tn_2:int = length x\n"
		"\tr:<int> = task r_row_start n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:int = row_start@1 s, x_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tq:int = row_length s, n\n"
		"\tyield r, q\n"},
	{"reduce", "int",
		"\tr:int = max_val x\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\tr:int = task r_max_val n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:int = max_val@1 x_2\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"seg_reduce", "<int>",
		"\tr:<int> = sum^ s, x\n"
		"\tyield r\n",
		"\tn_2:int = rows s\n"
		"\tr:<int> = task r_sum n_2, s {\n"
		"\t\tx_2:int = load@2 x\n"
		"\t\tr_2:int = sum@2 x_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"scan", "<int>",
		"\tr:<int> = plus_scan x\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\tr:<int> = task r_plus_scan n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:int = plus_scan@1 x_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"seg_scan", "<int>",
		"\tr:<int> = max_scan^ s, x\n"
		"\tyield r\n",
		"\tn_2:int = rows s\n"
		"\tr:<int> = task r_max_scan n_2, s {\n"
		"\t\tx_2:int = load@2 x\n"
		"\t\tr_2:int = max_scan@2 x_2\n"
		"\t\tr_3:<int> = store@2 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"iota, rowid", "<int>, <int>",
		"\tr:<int> = iota^ s\n"
		"\tq:<int> = rowid s\n"
		"\tyield r, q\n",
		"\tn_2:int = rows s\n"
		"\tr:<int> = task r_iota n_2, s {\n"
		"\t\tr_2:int = inner@2\n"
		"\t\tr_3:<int> = store@2 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tq:<int> = task q_rowid n_2, s {\n"
		"\t\tq_2:int = row@2\n"
		"\t\tq_3:<int> = store@2 q_2\n"
		"\t\tyield q_3\n"
		"\t}\n"
		"\tyield r, q\n"},
	{"dist", "<float>",
		"\tr:<float> = dist a, n\n"
		"\tyield r\n",
		"\tr:<float> = task r_dist n {\n"
		"\t\tr_2:<float> = store@1 a\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"seg_dist", "<int>",
		"\tr:<int> = dist^ s, x\n"
		"\tyield r\n",
		"\tn_2:int = rows s\n"
		"\tr:<int> = task r_dist n_2, s {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:<int> = store@2 x_2\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"of rows", "<int>, <int>",
		"\tr:<int> = lengths s\n"
		"\tq:<int> = starts s\n"
		"\tyield r, q\n",
		"\tn_2:int = rows s\n"
		"\tr:<int> = task r_lengths n_2 {\n"
		"\t\tr_2:int = seg_length@1 s\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tq:<int> = task q_starts n_2 {\n"
		"\t\tq_2:int = seg_start@1 s\n"
		"\t\tq_3:<int> = store@1 q_2\n"
		"\t\tyield q_3\n"
		"\t}\n"
		"\tyield r, q\n"},
	{"segdes", "segdes",
		"\tr:segdes = segdes x\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\tr:segdes = task r_segdes n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr_2:segdes = segdes@1 x_2\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"pack", "<int>",
		"\tr:<int> = pack c\n"
		"\tyield r\n",
		"\tn_2:int = length c\n"
		"\tr:<int> = task r_pack n_2 {\n"
		"\t\tc_2:bool = load@1 c\n"
		"\t\te:int = index@1\n"
		"\t\tr_2:<int> = keep@1 c_2, e\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"seg_pack", "segdes, <int>",
		"\tr:segdes, q:<int> = pack^ s, c\n"
		"\tyield r, q\n",
		"\tn_2:int = rows s\n"
		"\tr:segdes, q:<int> = task r_pack n_2, s {\n"
		"\t\tc_2:bool = load@2 c\n"
		"\t\te:int = index@2\n"
		"\t\tr_2:segdes = keep_segdes@2 c_2\n"
		"\t\tq_2:<int> = keep@2 c_2, e\n"
		"\t\tyield r_2, q_2\n"
		"\t}\n"
		"\tyield r, q\n"},
	{"split", "<int>, <int>",
		"\tr:<int>, q:<int> = split c\n"
		"\tyield r, q\n",
		"\tn_2:int = length c\n"
		"\tr:<int>, q:<int> = task r_split n_2 {\n"
		"\t\tc_2:bool = load@1 c\n"
		"\t\te:int = index@1\n"
		"\t\tno:bool = not@1 c_2\n"
		"\t\tr_2:<int> = keep@1 c_2, e\n"
		"\t\tq_2:<int> = keep@1 no, e\n"
		"\t\tyield r_2, q_2\n"
		"\t}\n"
		"\tyield r, q\n"},
	{"split, of which the host knows how much is true", "<int>, <int>",
		"\tr:<int>, q:<int> = split c, n\n"
		"\tyield r, q\n",
		"\tn_2:int = length c\n"
		"\tn_3:int = sub n_2, n\n"
		"\tr:<int>, q:<int> = task r_split n_2 {\n"
		"\t\tc_2:bool = load@1 c\n"
		"\t\te:int = index@1\n"
		"\t\tno:bool = not@1 c_2\n"
		"\t\tr_2:<int> = keep@1 c_2, e, n\n"
		"\t\tq_2:<int> = keep@1 no, e, n_3\n"
		"\t\tyield r_2, q_2\n"
		"\t}\n"
		"\tyield r, q\n"},
	{"deal", "<int>, <int>, <int>",
		"\tr:<int>, q:<int>, p:<int> = deal x\n"
		"\tyield r, q, p\n",
		"\tn_2:int = length x\n"
		"\tr:<int>, q:<int>, p:<int> = task r_deal n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\te:int = index@1\n"
		"\t\tis:bool = eq@1 x_2, 0\n"
		"\t\tr_2:<int> = keep@1 is, e\n"
		"\t\tis_2:bool = eq@1 x_2, 1\n"
		"\t\tq_2:<int> = keep@1 is_2, e\n"
		"\t\tis_3:bool = eq@1 x_2, 2\n"
		"\t\tp_2:<int> = keep@1 is_3, e\n"
		"\t\tyield r_2, q_2, p_2\n"
		"\t}\n"
		"\tyield r, q, p\n"},
	{"combine", "<int>",
		"\tr:<int> = combine c, x, y\n"
		"\tyield r\n",
		"\tn_2:int = length c\n"
		"\tr:<int> = task r_combine n_2 {\n"
		"\t\tc_2:bool = load@1 c\n"
		"\t\tone:int = btoi@1 c_2\n"
		"\t\ti:int = plus_scan@1 one\n"
		"\t\te:int = index@1\n"
		"\t\tj:int = sub@1 e, i\n"
		"\t\tx_2:int = fetch@1 x, i\n"
		"\t\ty_2:int = fetch@1 y, j\n"
		"\t\tr_2:int = select@1 c_2, x_2, y_2\n"
		"\t\tr_3:<int> = store@1 r_2\n"
		"\t\tyield r_3\n"
		"\t}\n"
		"\tyield r\n"},
	{"permute", "<int>",
		"\tr:<int> = permute x, y\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\tr:<int> = task r_permute n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr_2:<int> = scatter@1 x_2, y_2\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"put_sum", "<int>",
		"\tr:<int> = put_sum x, y, n\n"
		"\tyield r\n",
		"\tn_2:int = length x\n"
		"\tr:<int> = task r_put_sum n_2 {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr_2:<int> = put_sum@1 x_2, y_2, n\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"mark", "<int>",
		"\tr:<int> = mark 7, y, x\n"
		"\tyield r\n",
		"\tn_2:int = length y\n"
		"\tr:<int> = task r_mark n_2 {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr_2:<int> = mark@1 7, y_2, x\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield r\n"},
	{"check", "int",
		"\tcheck^ index-range c, x, n\t% f.nesl:1:2+3\n"
		"\tcheck domain false\n"
		"\tyield n\n",
		"\tn_2:int = length c\t% f.nesl:1:2+3\n"
		"\ttask check_index_range n_2 {\t% f.nesl:1:2+3\n"
		"\t\tc_2:bool = load@1 c\t% f.nesl:1:2+3\n"
		"\t\tx_2:int = load@1 x\t% f.nesl:1:2+3\n"
		"\t\tcheck@1 index-range c_2, x_2, n\t% f.nesl:1:2+3\n"
		"\t}\n"
		"\thost_check domain false\n"
		"\tyield n\n"},
	{"library", "<int>, int, int",
		"\tr:<int> = rank^ s, x\n"
		"\tq:<int> = append r, y\n"
		"\te:int = elem q, n\n"
		"\tt:segdes = concat s, s\n"
		"\tk:int = total t\n"
		"\tyield q, k, e\n",
		"\tr:<int> = seg_rank s, x\n"
		"\tq:<int> = append r, y\n"
		"\te:int = elem q, n\n"
		"\tt:segdes = concat s, s\n"
		"\tn_2:int = total t\n"
		"\tyield q, n_2, e\n"},
};

START_TEST(tasks_of)
{
	expect_rewrite(&tasks[_i], &flan_ir, from_shapes, &lcu_ir, FLAN_PARAMS);
}
END_TEST

#define LCU_PARAMS "x:<int>, s:segdes, c:bool"

static const Rewrite ends[] = {
	{"last use", "int",
		"\tn:int = length x\n"
		"\tz:<int> = vector n, 1\n"
		"\tm:int = length z\n"
		"\tk:int = add m, m\n"
		"\tyield k\n",
		"\tfree s\n"
		"\tn:int = length x\n"
		"\tfree x\n"
		"\tz:<int> = vector n, 1\n"
		"\tm:int = length z\n"
		"\tfree z\n"
		"\tk:int = add m, m\n"
		"\tyield k\n"},
	{"unused", "int",
		"\tz:<int> = vector 1\n"
		"\tyield 3\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tfree z\n"
		"\tyield 3\n"},
	{"a result twice", "<int>, <int> => <int> or x, <int> or x",
		"\tyield x, x\n",
		"\tfree s\n"
		"\tretain x\n"
		"\tyield x, x\n"},
	{"twice", "<int>, <int>",
		"\tz:<int> = vector 1\n"
		"\tyield z, z\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tretain z\n"
		"\tyield z, z\n"},
	{"dies in both arms", "int",
		"\tz:<int> = vector 1\n"
		"\tr:int = if c {\n"
		"\t\tm:int = length z\n"
		"\t\tk:int = add m, m\n"
		"\t\tyield k\n"
		"\t} {\n"
		"\t\tyield 0\n"
		"\t}\n"
		"\tyield r\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tr:int = if c {\n"
		"\t\tm:int = length z\n"
		"\t\tfree z\n"
		"\t\tk:int = add m, m\n"
		"\t\tyield k\n"
		"\t} {\n"
		"\t\tfree z\n"
		"\t\tyield 0\n"
		"\t}\n"
		"\tyield r\n"},
	{"lives on after the arms", "<int> => <int> or x",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = if c {\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tyield x\n"
		"\t}\n"
		"\tm:<int> = rank z\n"
		"\tyield r\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tr:<int> = if c {\n"
		"\t\tfree x\n"
		"\t\tretain z\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tyield x\n"
		"\t}\n"
		"\tm:<int> = rank z\n"
		"\tfree z\n"
		"\tfree m\n"
		"\tyield r\n"},
	{"but a number of it is asked for before", "<int>, int => <int> or x, int",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = if c {\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tyield x\n"
		"\t}\n"
		"\tm:int = length z\n"
		"\tyield r, m\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tm:int = length z\n"
		"\tr:<int> = if c {\n"
		"\t\tfree x\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tfree z\n"
		"\t\tyield x\n"
		"\t}\n"
		"\tyield r, m\n"},
	{"an update, and what is made of it, comes behind tasks and arms that read", "<int>, <int>, int, int",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = put x, z, z\n"
		"\tq:<int> = append r, z\n"
		"\ty:<int> = task t 1 {\n"
		"\t\ta:int = fetch@1 x, 0\n"
		"\t\to:<int> = store@1 a\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tm:int = if c {\n"
		"\t\tn:int = length x\n"
		"\t\tyield n\n"
		"\t} {\n"
		"\t\tyield 2\n"
		"\t}\n"
		"\tk:int = length q\n"
		"\tyield q, y, m, k\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\ty:<int> = task t 1 {\n"
		"\t\ta:int = fetch@1 x, 0\n"
		"\t\to:<int> = store@1 a\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tm:int = if c {\n"
		"\t\tn:int = length x\n"
		"\t\tyield n\n"
		"\t} {\n"
		"\t\tyield 2\n"
		"\t}\n"
		"\tr:<int> = put x, z, z\n"
		"\tq:<int> = extend r, z\n"
		"\tfree z\n"
		"\tk:int = length q\n"
		"\tyield q, y, m, k\n"},
	{"but no check another one, and nothing what is made of it", "<int>, int, <int>",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = put x, z, z\n"
		"\te:int = elem r, 0\n"
		"\tb:bool = eq e, 0\n"
		"\thost_check domain b\n"
		"\ty:<int> = task t 1 {\n"
		"\t\ta:int = fetch@1 x, 0\n"
		"\t\tl:bool = eq@1 a, 0\n"
		"\t\tcheck@1 domain l\n"
		"\t\to:<int> = store@1 a\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tm:int = elem x, e\n"
		"\tyield r, m, y\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tretain x\n"
		"\tr:<int> = put x, z, z\n"
		"\tfree z\n"
		"\te:int = elem r, 0\n"
		"\tb:bool = eq e, 0\n"
		"\thost_check domain b\n"
		"\ty:<int> = task t 1 {\n"
		"\t\ta:int = fetch@1 x, 0\n"
		"\t\tl:bool = eq@1 a, 0\n"
		"\t\tcheck@1 domain l\n"
		"\t\to:<int> = store@1 a\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tm:int = elem x, e\n"
		"\tfree x\n"
		"\tyield r, m, y\n"},
	{"pieces of what ends, that are updated, stay where they are; the rest is a task", "<int>, <int>, <int>",
		"\tz:<int> = vector 1, 2\n"
		"\tn:int = length z\n"
		"\tp:<int>, q:<int>, y:<int> = task t n {\n"
		"\t\te:int = index@1\n"
		"\t\tv:int = fetch@1 x, e\n"
		"\t\tf:int = add@1 1, e\n"
		"\t\tw:int = fetch@1 z, f\n"
		"\t\to:<int> = store@1 v\n"
		"\t\tu:<int> = store@1 w\n"
		"\t\tk:int = mul@1 w, v\n"
		"\t\tm:<int> = store@1 k\n"
		"\t\tyield o, u, m\n"
		"\t}\n"
		"\ta:<int> = append p, y\n"
		"\tb:<int> = put q, y, y\n"
		"\tyield a, b, y\n",
		"\tfree s\n"
		"\tz:<int> = vector 1, 2\n"
		"\tn:int = length z\n"
		"\ty:<int> = task t n {\n"
		"\t\te:int = index@1\n"
		"\t\tv:int = fetch@1 x, e\n"
		"\t\tf:int = add@1 1, e\n"
		"\t\tw:int = fetch@1 z, f\n"
		"\t\tk:int = mul@1 w, v\n"
		"\t\tm:<int> = store@1 k\n"
		"\t\tyield m\n"
		"\t}\n"
		"\tp:<int> = piece x, 0, n\n"
		"\tq:<int> = piece z, 1, n\n"
		"\ta:<int> = extend p, y\n"
		"\tb:<int> = put q, y, y\n"
		"\tyield a, b, y\n"},
	{"what is not updated next, or no piece, is made", "<int>, <int>, <int>",
		"\tz:<int> = vector 1, 2\n"
		"\tp:<int>, q:<int>, y:<int> = task t 2 {\n"
		"\t\te:int = index@1\n"
		"\t\tv:int = fetch@1 x, e\n"
		"\t\tf:int = add@1 e, e\n"
		"\t\tw:int = fetch@1 z, f\n"
		"\t\to:<int> = store@1 v\n"
		"\t\tu:<int> = store@1 w\n"
		"\t\tk:int = fetch@1 x, 1\n"
		"\t\tm:<int> = store@1 k\n"
		"\t\tyield o, u, m\n"
		"\t}\n"
		"\tb:<int> = put q, y, y\n"
		"\td:<int> = put y, p, p\n"
		"\tyield p, b, d\n",
		"\tfree s\n"
		"\tz:<int> = vector 1, 2\n"
		"\tp:<int>, q:<int>, y:<int> = task t 2 {\n"
		"\t\te:int = index@1\n"
		"\t\tv:int = fetch@1 x, e\n"
		"\t\tf:int = add@1 e, e\n"
		"\t\tw:int = fetch@1 z, f\n"
		"\t\to:<int> = store@1 v\n"
		"\t\tu:<int> = store@1 w\n"
		"\t\tk:int = fetch@1 x, 1\n"
		"\t\tm:<int> = store@1 k\n"
		"\t\tyield o, u, m\n"
		"\t}\n"
		"\tfree x\n"
		"\tfree z\n"
		"\tb:<int> = put q, y, y\n"
		"\td:<int> = put y, p, p\n"
		"\tyield p, b, d\n"},
	{"a piece has no other place; it is marked", "<int>, int",
		"\tz:<int> = vector 1, 2\n"
		"\tp:<int>, y:int = task t 2 {\n"
		"\t\te:int = index@1\n"
		"\t\tv:int = fetch@1 x, e\n"
		"\t\tw:int = load@1 z\n"
		"\t\to:<int> = store@1 v\n"
		"\t\tk:int = sum@1 w\n"
		"\t\tyield o, k\n"
		"\t}\n"
		"\ta:<int> = task t_2 1 {\n"
		"\t\tm:<int> = mark@1 7, 0, p\n"
		"\t\tyield m\n"
		"\t}\n"
		"\tyield a, y\n",
		"\tfree s\n"
		"\tz:<int> = vector 1, 2\n"
		"\ty:int = task t 2 {\n"
		"\t\tw:int = load@1 z\n"
		"\t\tk:int = sum@1 w\n"
		"\t\tyield k\n"
		"\t}\n"
		"\tfree z\n"
		"\tp:<int> = piece x, 0, 2\n"
		"\ta:<int> = task t_2 1 {\n"
		"\t\tm:<int> = mark@1 7, 0, p\n"
		"\t\tyield m\n"
		"\t}\n"
		"\tyield a, y\n"},
	{"the elements of rows that are a piece, too", "segdes, <int>, int",
		"\td:segdes = task t 2 {\n"
		"\t\ta:int = index@1\n"
		"\t\tb:int = add@1 a, 1\n"
		"\t\te:int = row_length@1 s, b\n"
		"\t\tf:segdes = segdes@1 e\n"
		"\t\tyield f\n"
		"\t}\n"
		"\tg:<int>, h:<int> = task t_2 2, d {\n"
		"\t\tk:int = index@1\n"
		"\t\tl:int = add@1 1, k\n"
		"\t\tm:int = row_start@1 s, l\n"
		"\t\to:int = inner@2\n"
		"\t\tp:int = add@2 o, m\n"
		"\t\tq:int = fetch@2 x, p\n"
		"\t\tu:<int> = store@2 q\n"
		"\t\tv:<int> = store@2 o\n"
		"\t\tyield u, v\n"
		"\t}\n"
		"\tn:int = total d\n"
		"\tw:segdes = concat d, d\n"
		"\ty:segdes = concat d, w\n"
		"\tz:<int> = append g, h\n"
		"\tyield y, z, n\n",
		"\tg:int = row_start s, 1\n"
		"\td:segdes = piece_rows s, 1, 2\n"
		"\th:<int> = task t_2 2, d {\n"
		"\t\to:int = inner@2\n"
		"\t\tv:<int> = store@2 o\n"
		"\t\tyield v\n"
		"\t}\n"
		"\tg_2:int = total d\n"
		"\tg_3:<int> = piece x, g, g_2\n"
		"\tn:int = total d\n"
		"\tw:segdes = concat d, d\n"
		"\ty:segdes = extend_rows d, w\n"
		"\tfree w\n"
		"\tz:<int> = extend g_3, h\n"
		"\tfree h\n"
		"\tyield y, z, n\n"},
	{"rows are appended as elements are", "segdes",
		"\tz:<int> = vector 1, 2\n"
		"\ty:segdes = task t 2 {\n"
		"\t\tv:int = load@1 z\n"
		"\t\to:segdes = segdes@1 v\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ta:segdes = concat s, y\n"
		"\tn:int = rows s\n"
		"\tb:bool = lt n, 9\n"
		"\thost_check domain b\n"
		"\tyield a\n",
		"\tfree x\n"
		"\tz:<int> = vector 1, 2\n"
		"\ty:segdes = task t 2 {\n"
		"\t\tv:int = load@1 z\n"
		"\t\to:segdes = segdes@1 v\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree z\n"
		"\tn:int = rows s\n"
		"\ta:segdes = extend_rows s, y\n"
		"\tfree y\n"
		"\tb:bool = lt n, 9\n"
		"\thost_check domain b\n"
		"\tyield a\n"},
	{"handed over by one arm", "<int>",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = if c {\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tif c {\n"
		"\t\t\tn:int = length z\n"
		"\t\t} {\n"
		"\t\t}\n"
		"\t\tw:<int> = vector 2\n"
		"\t\tyield w\n"
		"\t}\n"
		"\tyield r\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tr:<int> = if c {\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tif c {\n"
		"\t\t\tn:int = length z\n"
		"\t\t\tfree z\n"
		"\t\t} {\n"
		"\t\t\tfree z\n"
		"\t\t}\n"
		"\t\tw:<int> = vector 2\n"
		"\t\tyield w\n"
		"\t}\n"
		"\tyield r\n"},
	{"calls take over", "<int>",
		"\tz:<int> = vector 1\n"
		"\tu:uniform = uniform 1, 2\n"
		"\tt:segdes = offsets uniform u\n"
		"\tr:<int> = call f z, t, c\n"
		"\tyield r\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tu:uniform = uniform 1, 2\n"
		"\tt:segdes = offsets uniform u\n"
		"\tr:<int> = call f z, t, c\n"
		"\tyield r\n"},
	{"kept across a call", "<int>",
		"\tz:<int> = vector 1\n"
		"\tu:uniform = uniform 1, 2\n"
		"\tt:segdes = offsets uniform u\n"
		"\tr:<int> = call f z, s, c\n"
		"\tq:<int> = call f z, t, c\n"
		"\tp:<int> = call f r, t, c\n"
		"\tm:int = length q\n"
		"\tyield p\n",
		"\tfree x\n"
		"\tz:<int> = vector 1\n"
		"\tu:uniform = uniform 1, 2\n"
		"\tt:segdes = offsets uniform u\n"
		"\tretain z\n"
		"\tr:<int> = call f z, s, c\n"
		"\tretain t\n"
		"\tq:<int> = call f z, t, c\n"
		"\tp:<int> = call f r, t, c\n"
		"\tm:int = length q\n"
		"\tfree q\n"
		"\tyield p\n"},
	{"after a task", "<int>",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tyield r\n",
		"\tfree x\n"
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tr:<int> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\to:<int> = replace@1 e, z\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tyield r\n"},
	{"each store in the place of one", "<int>, <int>, <bool>",
		"\tz:<int> = vector 1\n"
		"\tf:<float> = vector 1.0\n"
		"\tp:<int>, q:<int>, r:<bool> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\tg:float = load@1 f\n"
		"\t\tl:bool = lt@1 g, 1.0\n"
		"\t\tv:int = load@1 x\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tu:<int> = store@1 v\n"
		"\t\tm:<bool> = store@1 l\n"
		"\t\tyield o, u, m\n"
		"\t}\n"
		"\tyield p, q, r\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tf:<float> = vector 1.0\n"
		"\tp:<int>, q:<int>, r:<bool> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\tg:float = load@1 f\n"
		"\t\tl:bool = lt@1 g, 1.0\n"
		"\t\tv:int = load@1 x\n"
		"\t\to:<int> = replace@1 e, x\n"
		"\t\tu:<int> = replace@1 v, z\n"
		"\t\tm:<bool> = store@1 l\n"
		"\t\tyield o, u, m\n"
		"\t}\n"
		"\tfree f\n"
		"\tyield p, q, r\n"},
	/* of another type, if its elements are as large and none of its own is there */
	{"each store in the place of what is as large", "<int>, <bool>, <float>, <float>",
		"\tf:<float> = vector 1.0\n"
		"\tp:<bool>, q:<int>, r:<float> = task t 1 {\n"
		"\t\tg:float = load@1 f\n"
		"\t\tl:bool = lt@1 g, 1.0\n"
		"\t\tv:int = load@1 x\n"
		"\t\tm:<bool> = store@1 l\n"
		"\t\tu:<int> = store@1 v\n"
		"\t\to:<float> = store@1 g\n"
		"\t\tyield m, u, o\n"
		"\t}\n"
		"\tz:<float> = task t_2 1 {\n"
		"\t\ta:int = load@1 q\n"
		"\t\td:float = float@1 a\n"
		"\t\te:<float> = store@1 d\n"
		"\t\tyield e\n"
		"\t}\n"
		"\ty:<int> = vector 1\n"
		"\tyield y, p, r, z\n",
		"\tfree s\n"
		"\tf:<float> = vector 1.0\n"
		"\tp:<bool>, q:<int>, r:<float> = task t 1 {\n"
		"\t\tg:float = load@1 f\n"
		"\t\tl:bool = lt@1 g, 1.0\n"
		"\t\tv:int = load@1 x\n"
		"\t\tm:<bool> = store@1 l\n"
		"\t\tu:<int> = replace@1 v, x\n"
		"\t\to:<float> = replace@1 g, f\n"
		"\t\tyield m, u, o\n"
		"\t}\n"
		"\tz:<float> = task t_2 1 {\n"
		"\t\ta:int = load@1 q\n"
		"\t\td:float = float@1 a\n"
		"\t\te:<float> = replace@1 d, q\n"
		"\t\tyield e\n"
		"\t}\n"
		"\ty:<int> = vector 1\n"
		"\tyield y, p, r, z\n"},
	{"what is read elsewhere, or later, stays", "<int>, <int>",
		"\tz:<int> = vector 1\n"
		"\tp:<int>, q:<int> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tv:int = load@1 x\n"
		"\t\tw:int = fetch@1 z, v\n"
		"\t\tu:<int> = scatter@1 v, w\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tyield p, q\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tp:<int>, q:<int> = task t 1 {\n"
		"\t\te:int = load@1 z\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tv:int = load@1 x\n"
		"\t\tw:int = fetch@1 z, v\n"
		"\t\tu:<int> = scatter@1 v, w\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tfree x\n"
		"\tfree z\n"
		"\tyield p, q\n"},
	{"of two levels the second", "<int>, <int>",
		"\tz:<int> = vector 1\n"
		"\tp:<int>, q:<int> = task t 1, s {\n"
		"\t\te:int = load@1 z\n"
		"\t\tv:int = load@2 x\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tu:<int> = store@2 v\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tyield p, q\n",
		"\tz:<int> = vector 1\n"
		"\tp:<int>, q:<int> = task t 1, s {\n"
		"\t\te:int = load@1 z\n"
		"\t\tv:int = load@2 x\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tu:<int> = replace@2 v, x\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tfree s\n"
		"\tfree z\n"
		"\tyield p, q\n"},
	{"what is only given back is not made, nor what it is made of; checks are", "<int>",
		"\tp:<int>, q:<int> = task t 1 {\n"
		"\t\tv:int = load@1 x\n"
		"\t\te:int = index@1\n"
		"\t\tl:bool = lt@1 v, 3\n"
		"\t\tcheck@1 index-range l, v, 3 | 0\n"
		"\t\tw:int = add@1 e, 1\n"
		"\t\to:<int> = keep@1 l, w\n"
		"\t\tu:<int> = keep@1 l, v\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tr:<int> = task t_2 1 {\n"
		"\t\ti:int = index@1\n"
		"\t\tk:<int> = store@1 i\n"
		"\t\tyield k\n"
		"\t}\n"
		"\tyield q\n",
		"\tfree s\n"
		"\tq:<int> = task t 1 {\n"
		"\t\tv:int = load@1 x\n"
		"\t\tl:bool = lt@1 v, 3\n"
		"\t\tcheck@1 index-range l, v, 3 | 0\n"
		"\t\tu:<int> = keep@1 l, v\n"
		"\t\tyield u\n"
		"\t}\n"
		"\tfree x\n"
		"\tyield q\n"},
	{"put takes over", "<int>",
		"\tz:<int> = vector 1\n"
		"\tr:<int> = put x, z, z\n"
		"\tq:<int> = put r, z, r\n"
		"\tyield q\n",
		"\tfree s\n"
		"\tz:<int> = vector 1\n"
		"\tr:<int> = put x, z, z\n"
		"\tq:<int> = put r, z, r\n"
		"\tfree z\n"
		"\tyield q\n"},
	{"dead results of an if", "int",
		"\tr:<int>, q:<int> = if c {\n"
		"\t\tyield x, x\n"
		"\t} {\n"
		"\t\tv:<int> = vector 1\n"
		"\t\tyield v, x\n"
		"\t}\n"
		"\tyield 1\n",
		"\tfree s\n"
		"\tr:<int>, q:<int> = if c {\n"
		"\t\tretain x\n"
		"\t\tyield x, x\n"
		"\t} {\n"
		"\t\tv:<int> = vector 1\n"
		"\t\tyield v, x\n"
		"\t}\n"
		"\tfree r\n"
		"\tfree q\n"
		"\tyield 1\n"},
};

START_TEST(ends_of)
{
	expect_rewrite(&ends[_i], &lcu_ir, memory, &mem_ir, LCU_PARAMS);
}
END_TEST

/* Where nothing is written over: two owners. */
START_TEST(without_reuse)
{
	IrCase *c = case_read(&lcu_ir,
		"unit lcu\n"
		"fun f(x:<int>, z:<int>) -> <int> {\n"
		"\tr:<int> = put x, z, z\n"
		"\tt:<int> = task t 1 {\n"
		"\t\te:int = load@1 r\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tyield t\n"
		"}\n");
	c->u.no_reuse = true;
	memory(&c->u);
	ck_assert_str_eq(case_check(c), "");
	ck_assert_str_eq(case_print(c),
		"unit mem\n"
		"fun f(x:<int>, z:<int>) -> <int> {\n"
		"\tretain x\n"
		"\tr:<int> = put x, z, z\n"
		"\tfree x\n"
		"\tfree z\n"
		"\tt:<int> = task t 1 {\n"
		"\t\te:int = load@1 r\n"
		"\t\to:<int> = store@1 e\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree r\n"
		"\tyield t\n"
		"}\n");
	case_end(c);
}
END_TEST

/* Cells lend what they hold, and give it up where nobody reads it again; entries hand over what they own, and begin with the end of
 * what was only shown. */
START_TEST(entries)
{
	IrCase *c = case_read(&flan_ir,
		"unit flan\n"
		"cell x : [[int]]\n"
		"entry expr it = x : [[int]] {\t% a:1:2+3\n"
		"\ts:segdes, v:<int> = cell x\n"
		"\tw:<int> = neg^ v\n"
		"\tyield s, w\n"
		"}\n"
		"entry def f : int -> int\n"
		"entry expr it = x : [[int]] {\n"
		"\ts:segdes, v:<int> = cell x\n"
		"\tw:<int> = neg^ v\n"
		"\tyield s, w\n"
		"}\n"
		"entry expr it = x : [[int]] {\n"
		"\ts:segdes = uniform 0, 0\n"
		"\tv:<int> = vector\n"
		"\tyield s, v\n"
		"}\n");
	totask(&c->u);
	memory(&c->u);
	ck_assert_str_eq(case_check(c), "");
	ck_assert_str_eq(case_print(c),
		"unit mem\n"
		"cell x : [[int]]\n"
		"entry expr it = x : [[int]] {\t% a:1:2+3\n"
		"\ts:segdes, v:<int> = cell x\n"
		"\tn:int = length v\n"
		"\tw:<int> = task w_neg n {\n"
		"\t\tv_2:int = load@1 v\n"
		"\t\tw_2:int = neg@1 v_2\n"
		"\t\tw_3:<int> = store@1 w_2\n"
		"\t\tyield w_3\n"
		"\t}\n"
		"\tretain s\t% a:1:2+3\n"
		"\tyield s, w\n"
		"}\n"
		"entry def f : int -> int\n"
		"entry expr it = x : [[int]] {\n"
		"\ts:segdes, v:<int> = cell x\n"
		"\tretain s\n"
		"\tretain v\n"
		"\tforget x\n"
		"\tn:int = length v\n"
		"\tw:<int> = task w_neg_2 n {\n"
		"\t\tv_2:int = load@1 v\n"
		"\t\tw_2:int = neg@1 v_2\n"
		"\t\tw_3:<int> = replace@1 w_2, v\n"
		"\t\tyield w_3\n"
		"\t}\n"
		"\tyield s, w\n"
		"}\n"
		"entry expr it = x : [[int]] {\n"
		"\tforget x\n"
		"\ts:uniform = uniform 0, 0\n"
		"\treserve 0, 0, 8, 0, 0\n"
		"\tv:<int> = vector\n"
		"\ts_2:segdes = offsets uniform s\n"
		"\tyield s_2, v\n"
		"}\n");
	case_end(c);
}
END_TEST

/* Every operator of flan, lifted and not, has a pattern: the flan text of a row, through both passes. */
START_TEST(every_operator)
{
	static const char *const result[] = {
		"n:int = length x", "n:int = rows s", "n:int = total s", "r:<int> = lengths s", "r:<int> = starts s",
		"r:segdes = segdes x", "r:segdes = uniform 2, 3", "r:segdes = compose s, s",
		"r:int = row_start s, 1", "r:<int> = row_start^ s, x", "r:int = row_length s, 1",
		"r:<int> = row_length^ s, x", "r:<int> = iota 3",
		"r:<int> = iota^ s", "r:<int> = rowid s", "r:<int> = dist 1, 2", "r:<int> = dist^ s, x",
		"r:<int> = gather x, x", "r:int = elem x, 1", "r:<int> = pack c", "t:segdes, r:<int> = pack^ s, c",
		"q:<int>, r:<int> = split c", "q:<int>, r:<int> = split c, 3", "p:<int>, q:<int>, r:<int> = deal x", "o:bool = sole x", "r:<int> = combine c, x, x", "r:<int> = append x, x",
		"r:<int> = extend x, x",
		"r:segdes = concat s, s", "r:<int> = vector", "r:<char> = chars \"a\"", "r:<int> = rank x",
		"r:<int> = rank^ s, x", "r:<int> = rank_down x", "r:<int> = rank_down^ s, x", "r:<int> = sort x", "r:<int> = sort^ s, x",
		"r:<int> = group s, x, x", "r:<int> = permute x, x",
		"r:<bool> = permute_ok x", "r:<int> = put x, x, x", "r:<int> = mark 3, x, x", "r:<int> = put_sum x, x, 3",
		"r:<int> = put_max x, x, 3", "check domain true", "check^ domain c",
		"r:<int> = cell v", "call g", "if true {\n} {\n}", "r:int = sum x", "r:<int> = sum^ s, x",
		"r:<int> = plus_scan x", "r:<int> = plus_scan^ s, x", "r:int = add 1, 2", "r:<int> = add^ x, 2",
	};
	for (size_t i = 0; i < sizeof result / sizeof *result; i++) {
		char text[400];
		sprintf(text, "unit flan\ncell v : [int]\nfun g() -> {\n}\n"
			"fun f(c:<bool>, x:<int>, s:segdes) -> {\n%s\n}\n", result[i]);
		IrCase *c = case_read(&flan_ir, text);
		ck_assert_msg(c->u.ir && !*case_check(c), "%s: %s", result[i], c->said);
		totask(&c->u);
		ck_assert_msg(!*case_check(c), "%s: %s", result[i], case_check(c));
		memory(&c->u);
		ck_assert_msg(!*case_check(c), "%s: %s", result[i], case_check(c));
		case_end(c);
	}
}
END_TEST

/* A way out keeps what it needs until the check or, but for recursion, as long as the call runs; what recursion has
 * given away by then is where the way ends. */
START_TEST(ways_out)
{
	IrCase *c = case_read(&flan_ir,
		"unit flan\n"
		"fun g(n:int, c:<bool>, s:segdes) -> {\n"
		"\tcheck^ domain c\n"
		"}\n"
		"rec fun f(n:int, c:<bool>, s:segdes) -> {\n"
		"\to:<int> = pack c\n"
		"\tp:<int> = pack c\n"
		"\tcheck^ domain c | o, s\n"
		"\tcall g n, c, s | p, s\n"
		"\tcall f n, c, s | 1, s, o\n"
		"\tcheck domain true | s, o\n"
		"\tt:segdes = uniform n, n\n"
		"\tcheck domain true | t, 1, p, o\n"
		"}\n"
		"fun h(n:int, c:<bool>) -> {\n"
		"\ts:segdes = uniform n, n\n"
		"\tcall f n, c, s | -1\n"
		"}\n");
	totask(&c->u);
	ck_assert_str_eq(case_check(c), "");
	memory(&c->u);
	ck_assert_str_eq(case_check(c), "");
	ck_assert_str_eq(strstr(case_print(c), "\ttask check_domain_2"),
		"\ttask check_domain_2 n_2 {\n"
		"\t\tc_4:bool = load@1 c\n"
		"\t\tcheck@1 domain c_4 | o, s\n"
		"\t}\n"
		"\tfree o\n"
		"\tcall g n, c, s | p, s\n"
		"\tfree p\n"
		"\tcall f n, c, s | -1\n"
		"\thost_check domain true | -1\n"
		"\tt:uniform = uniform n, n\n"
		"\thost_check domain true | uniform t, -1\n"
		"}\n"
		"fun h(n:int, c:<bool>) -> {\n"
		"\ts:uniform = uniform n, n\n"
		"\ts_2:segdes = offsets uniform s\n"
		"\tcall f n, c, s_2 | -1\n"
		"}\n");
	case_end(c);
}
END_TEST

Suite *
totask_suite(void)
{
	Suite *s = suite_create("totask");
	TCase *t = tcase_create("totask");
	tcase_add_loop_test(t, tasks_of, 0, (int)(sizeof tasks / sizeof *tasks));
	tcase_add_loop_test(t, ends_of, 0, (int)(sizeof ends / sizeof *ends));
	tcase_add_test(t, without_reuse);
	tcase_add_test(t, entries);
	tcase_add_test(t, every_operator);
	tcase_add_test(t, ways_out);
	suite_add_tcase(s, t);
	return s;
}
