/* check_totask.c: operators to tasks: text in, text out. */
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

Suite *
totask_suite(void)
{
	Suite *s = suite_create("totask");
	TCase *t = tcase_create("totask");

	tcase_add_loop_test(t, tasks_of, 0, (int)(sizeof tasks / sizeof *tasks));
	tcase_add_test(t, every_operator);
	suite_add_tcase(s, t);
	return s;
}
