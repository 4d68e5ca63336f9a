/* check_fuse.c: tasks put together: text in, text out. */
#include "fuse/fuse.h"
#include "tests/rewrite.h"

Suite *fuse_suite(void);

#define PARAMS "a:<int>, b:<int>, c:<bool>, i:<int>, s:segdes, n:int, m:int"

/* What is made of each p, less the sum of all: in three tasks, and in two. */
#define LESS_SUM(p) \
	"\tx:<int> = task x n {\n" \
	"\t\tp:int = " p "\n" \
	"\t\tq:int = mul@1 p, m\n" \
	"\t\to:<int> = store@1 q\n" \
	"\t\tyield o\n" \
	"\t}\n" \
	"\tt:int = task t n {\n" \
	"\t\tx_2:int = load@1 x\n" \
	"\t\tr:int = sum@1 x_2\n" \
	"\t\tyield r\n" \
	"\t}\n" \
	"\ty:<int> = task y n {\n" \
	"\t\tx_3:int = load@1 x\n" \
	"\t\tu:int = sub@1 x_3, t\n" \
	"\t\to_2:<int> = store@1 u\n" \
	"\t\tyield o_2\n" \
	"\t}\n" \
	"\tyield y\n"
#define LESS_SUM_FUSED(p) \
	"\tt:int = task t n {\n" \
	"\t\tp:int = " p "\n" \
	"\t\tq:int = mul@1 p, m\n" \
	"\t\tr:int = sum@1 q\n" \
	"\t\tyield r\n" \
	"\t}\n" \
	"\ty:<int> = task y n {\n" \
	"\t\tp_2:int = " p "\n" \
	"\t\tq_2:int = mul@1 p_2, m\n" \
	"\t\tu:int = sub@1 q_2, t\n" \
	"\t\to_2:<int> = store@1 u\n" \
	"\t\tyield o_2\n" \
	"\t}\n" \
	"\tyield y\n"

/* Where there are positive elements. */
#define PLACES \
	"\tla:int = length a\n" \
	"\tk:<int> = task k la {\n" \
	"\t\tx:int = load@1 a\n" \
	"\t\tg:bool = gt@1 x, 0\n" \
	"\t\tp:int = index@1\n" \
	"\t\to:<int> = keep@1 g, p\n" \
	"\t\tyield o\n" \
	"\t}\n" \
	"\tlk:int = length k\n"

/* These, and where among these the small ones are. */
#define POSITIVE \
	PLACES \
	"\tv:<int> = task v lk {\n" \
	"\t\tk_2:int = load@1 k\n" \
	"\t\te:int = fetch@1 a, k_2\n" \
	"\t\to_2:<int> = store@1 e\n" \
	"\t\tyield o_2\n" \
	"\t}\n" \
	"\tj:<int> = task j lk {\n" \
	"\t\tv_2:int = load@1 v\n" \
	"\t\th:bool = lt@1 v_2, m\n" \
	"\t\tp_2:int = index@1\n" \
	"\t\to_3:<int> = keep@1 h, p_2\n" \
	"\t\tyield o_3\n" \
	"\t}\n"

static const Rewrite rewrites[] = {
	{"a map into a map and a reduction; what nobody else wants is not stored", "int",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = mul@1 p, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:int = task t n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr:int = sum@1 x_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tyield t\n",
		"\tt:int = task t n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = mul@1 p, p\n"
		"\t\tr:int = sum@1 q\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tyield t\n"},
	{"a task that makes nothing", "int", "\ttask t n {\n\t\ti_2:int = index@1\n\t\tyield\n\t}\n\tyield n\n", "\tyield n\n"},
	{"independent ones of one space, whose loads are one", "<int>, int",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:int = task t n {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tq_2:int = fetch@1 a, p_2\n"
		"\t\tr:int = sum@1 q_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tyield x, t\n",
		"\tx:<int>, t:int = task t n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tr:int = sum@1 q\n"
		"\t\tyield o, r\n"
		"\t}\n"
		"\tyield x, t\n"},
	{"what is gathered from must be whole", "<int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = mul@1 p, m\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tq_2:int = sub@1 m, p_2\n"
		"\t\te:int = fetch@1 x, q_2\n"
		"\t\to_2:<int> = store@1 e\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n", NULL},
	{"a sum that the same elements use is waited for; a few steps are repeated rather than stored", "<int>",
		LESS_SUM("index@1"), LESS_SUM_FUSED("index@1")},
	{"what is loaded and changed by a few steps is loaded again, rather than stored for those who wait", "<int>",
		LESS_SUM("load@1 a"), LESS_SUM_FUSED("load@1 a")},
	{"across levels: the elements of rows, their sums, the rows", "<int>",
		"\tk:int = total s\n"
		"\tr:int = rows s\n"
		"\tx:<int> = task x k {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:<int> = task t r, s {\n"
		"\t\tx_2:int = load@2 x\n"
		"\t\tu:int = sum@2 x_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\ty:<int> = task y r {\n"
		"\t\tt_2:int = load@1 t\n"
		"\t\tv:int = neg@1 t_2\n"
		"\t\to_3:<int> = store@1 v\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield y\n",
		"\tk:int = total s\n"
		"\tr:int = rows s\n"
		"\ty:<int> = task y r, s {\n"
		"\t\tp:int = index@2\n"
		"\t\tq:int = fetch@2 a, p\n"
		"\t\tu:int = sum@2 q\n"
		"\t\tv:int = neg@1 u\n"
		"\t\to_3:<int> = store@1 v\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield y\n"},
	{"an element waits for the sum of its row, not for those of others", "<int>",
		"\tt:<int> = task t n, s {\n"
		"\t\tp:int = index@2\n"
		"\t\tx:int = fetch@2 a, p\n"
		"\t\tu:int = sum@2 x\n"
		"\t\to:<int> = store@1 u\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y n, s {\n"
		"\t\tt_2:int = load@1 t\n"
		"\t\to_2:<int> = store@2 t_2\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n",
		"\ty:<int> = task y n, s {\n"
		"\t\tp:int = index@2\n"
		"\t\tx:int = fetch@2 a, p\n"
		"\t\tu:int = sum@2 x\n"
		"\t\to_2:<int> = store@2 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n"},
	/* e is, and k for it, which comes of the host's numbers alone; d has no step of the row that takes it, and q is known at the row's end */
	{"what is the same for all elements of a row is computed for the row", "<int>, <int>, <int>",
		"\tx:<int>, y:<int>, z:<int> = task x n, s {\n"
		"\t\tr:int = row@2\n"
		"\t\tk:int = fetch@2 a, m\n"
		"\t\td:int = mul@2 m, 7\n"
		"\t\tj:int = add@2 r, k\n"
		"\t\te:int = rem@2 j, n\n"
		"\t\tb_2:int = load@2 b\n"
		"\t\tf_2:int = add@2 b_2, e\n"
		"\t\to:<int> = store@2 f_2\n"
		"\t\tq:int = sum@2 b_2\n"
		"\t\tt_2:int = add@2 q, 1\n"
		"\t\to_2:<int> = store@2 t_2\n"
		"\t\tg:int = sub@2 r, b_2\n"
		"\t\th:int = mul@2 g, d\n"
		"\t\to_3:<int> = store@2 h\n"
		"\t\tyield o, o_2, o_3\n"
		"\t}\n"
		"\tyield x, y, z\n",
		"\tx:<int>, y:<int>, z:<int> = task x n, s {\n"
		"\t\tr:int = index@1\n"
		"\t\tr_2:int = row@2\n"
		"\t\tk:int = fetch@1 a, m\n"
		"\t\td:int = mul@2 m, 7\n"
		"\t\tj:int = add@1 r, k\n"
		"\t\te:int = rem@1 j, n\n"
		"\t\tb_2:int = load@2 b\n"
		"\t\tf_2:int = add@2 b_2, e\n"
		"\t\to:<int> = store@2 f_2\n"
		"\t\tq:int = sum@2 b_2\n"
		"\t\tt_2:int = add@2 q, 1\n"
		"\t\to_2:<int> = store@2 t_2\n"
		"\t\tg:int = sub@2 r_2, b_2\n"
		"\t\th:int = mul@2 g, d\n"
		"\t\to_3:<int> = store@2 h\n"
		"\t\tyield o, o_2, o_3\n"
		"\t}\n"
		"\tyield x, y, z\n"},
	{"what a task repeats is not loaded from a later one by what repeats it again", "<int>, <int>, <int>, <int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tf_2:int = fetch@1 a, p\n"
		"\t\tq:int = plus_scan@1 f_2\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y n, s {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tk:int = sub@1 m, p_2\n"
		"\t\te:int = fetch@1 x, k\n"
		"\t\to_2:<int> = store@2 e\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tj:<int> = task j n {\n"
		"\t\tp_3:int = index@1\n"
		"\t\to_3:<int> = store@1 p_3\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tu:<int> = task u n {\n"
		"\t\tp_4:int = load@1 j\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tv:int = sub@1 p_4, x_2\n"
		"\t\to_4:<int> = store@1 v\n"
		"\t\tyield o_4\n"
		"\t}\n"
		"\tz:<int> = task z n, s {\n"
		"\t\ty_2:int = load@2 y\n"
		"\t\tu_2:int = load@1 u\n"
		"\t\tw:int = add@2 y_2, u_2\n"
		"\t\to_5:<int> = store@2 w\n"
		"\t\tyield o_5\n"
		"\t}\n"
		"\tyield x, y, j, z\n",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tf_2:int = fetch@1 a, p\n"
		"\t\tq:int = plus_scan@1 f_2\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int>, j:<int>, z:<int> = task z n, s {\n"
		"\t\tp_3:int = index@1\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tv:int = sub@1 p_3, x_2\n"
		"\t\tk:int = sub@1 m, p_3\n"
		"\t\te:int = fetch@1 x, k\n"
		"\t\to_2:<int> = store@2 e\n"
		"\t\to_3:<int> = store@1 p_3\n"
		"\t\tw:int = add@1 e, v\n"
		"\t\to_5:<int> = store@2 w\n"
		"\t\tyield o_2, o_3, o_5\n"
		"\t}\n"
		"\tyield x, y, j, z\n"},
	{"a scan, and what uses it; two of them are as deep as it goes", "<int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tf:int = fetch@1 a, p\n"
		"\t\tq:int = plus_scan@1 f\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tu:int = plus_scan@1 x_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tz:<int> = task z n {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tw:int = plus_scan@1 y_2\n"
		"\t\to_3:<int> = store@1 w\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield z\n",
		"\ty:<int> = task y n {\n"
		"\t\tp:int = index@1\n"
		"\t\tf:int = fetch@1 a, p\n"
		"\t\tq:int = plus_scan@1 f\n"
		"\t\tu:int = plus_scan@1 q\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tz:<int> = task z n {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tw:int = plus_scan@1 y_2\n"
		"\t\to_3:<int> = store@1 w\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield z\n"},
	{"what is kept is used where all elements are, and its number is not asked", "<int>, int",
		PLACES
		"\ty:<int> = task y lk {\n"
		"\t\tk_2:int = load@1 k\n"
		"\t\tx_2:int = fetch@1 a, k_2\n"
		"\t\tu:int = mul@1 x_2, x_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tt:int = task t lk {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr:int = product@1 y_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tyield y, t\n",
		"\tla:int = length a\n"
		"\ty:<int>, t:int = task t la {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\tu:int = mul@1 x, x\n"
		"\t\to_2:<int> = keep@1 g, u\n"
		"\t\tr:int = select@1 g, u, 1\n"
		"\t\tr_2:int = product@1 r\n"
		"\t\tyield o_2, r_2\n"
		"\t}\n"
		"\tyield y, t\n"},
	{"its number is that of another array that is kept", "<int>, int",
		PLACES
		"\ty:<int> = task y lk {\n"
		"\t\tk_2:int = load@1 k\n"
		"\t\tu:int = mul@1 k_2, k_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y, lk\n",
		"\tla:int = length a\n"
		"\ty:<int> = task y la {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\tp:int = index@1\n"
		"\t\tu:int = mul@1 p, p\n"
		"\t\to_2:<int> = keep@1 g, u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tlk:int = length y\n"
		"\tyield y, lk\n"},
	{"what is kept of what is kept; where that was among the first is not asked", "<int>",
		POSITIVE
		"\tlj:int = length j\n"
		"\ty:<int> = task y lj {\n"
		"\t\tj_2:int = load@1 j\n"
		"\t\te_2:int = fetch@1 v, j_2\n"
		"\t\to_4:<int> = store@1 e_2\n"
		"\t\tyield o_4\n"
		"\t}\n"
		"\tyield y\n",
		"\tla:int = length a\n"
		"\ty:<int> = task y la {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\th:bool = lt@1 x, m\n"
		"\t\to_3:bool = and@1 g, h\n"
		"\t\to_4:<int> = keep@1 o_3, x\n"
		"\t\tyield o_4\n"
		"\t}\n"
		"\tyield y\n"},
	{"or is told by a scan", "<int>, <int>",
		POSITIVE
		"\tyield v, j\n",
		"\tla:int = length a\n"
		"\tv:<int>, j:<int> = task j la {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\to_2:<int> = keep@1 g, x\n"
		"\t\th:bool = lt@1 x, m\n"
		"\t\tp_2:int = btoi@1 g\n"
		"\t\tp_3:int = plus_scan@1 p_2\n"
		"\t\to_3:bool = and@1 g, h\n"
		"\t\to_4:<int> = keep@1 o_3, p_3\n"
		"\t\tyield o_2, o_4\n"
		"\t}\n"
		"\tyield v, j\n"},
	{"what is kept only for how much it is is counted", "int, int",
		PLACES
		"\tt:int = task t lk {\n"
		"\t\tk_2:int = load@1 k\n"
		"\t\tr:int = sum@1 k_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tyield lk, t\n",
		"\tla:int = length a\n"
		"\tlk:int, t:int = task t la {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\tp:int = index@1\n"
		"\t\tlk_2:int = btoi@1 g\n"
		"\t\tlk_3:int = sum@1 lk_2\n"
		"\t\tr:int = select@1 g, p, 0\n"
		"\t\tr_2:int = sum@1 r\n"
		"\t\tyield lk_3, r_2\n"
		"\t}\n"
		"\tyield lk, t\n"},
	{"and so of each row", "<int>",
		"\tks:segdes, k:<int> = task k n, s {\n"
		"\t\tx:int = load@2 a\n"
		"\t\tg:bool = gt@2 x, 0\n"
		"\t\to:segdes = keep_segdes@2 g\n"
		"\t\to_2:<int> = keep@2 g, x\n"
		"\t\tyield o, o_2\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tl:int = seg_length@1 ks\n"
		"\t\tu:int = mul@1 l, m\n"
		"\t\to_3:<int> = store@1 u\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield y\n",
		"\ty:<int> = task y n, s {\n"
		"\t\tx:int = load@2 a\n"
		"\t\tg:bool = gt@2 x, 0\n"
		"\t\tl:int = btoi@2 g\n"
		"\t\tl_2:int = sum@2 l\n"
		"\t\tu:int = mul@1 l_2, m\n"
		"\t\to_3:<int> = store@1 u\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield y\n"},
	{"elements of rows as one long vector, and with their rows", "<int>, <int>",
		"\tk:int = total s\n"
		"\tx:<int> = task x k {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\tw:int = neg@1 q\n"
		"\t\to:<int> = store@1 w\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:<int> = task t n, s {\n"
		"\t\tp_2:int = index@2\n"
		"\t\tq_2:int = fetch@2 a, p_2\n"
		"\t\tu:int = sum@2 q_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield x, t\n",
		"\tk:int = total s\n"
		"\tx:<int>, t:<int> = task t n, s {\n"
		"\t\tp:int = index@2\n"
		"\t\tq:int = fetch@2 a, p\n"
		"\t\tw:int = neg@2 q\n"
		"\t\to:<int> = store@2 w\n"
		"\t\tu:int = sum@2 q\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o, o_2\n"
		"\t}\n"
		"\tyield x, t\n"},
	{"where the host knows how much is kept, it knows that of all that is kept with it", "<int>, segdes, segdes",
		"\tk:<int> = task k n {\n"
		"\t\tx:bool = load@1 c\n"
		"\t\tp:int = index@1\n"
		"\t\to:<int> = keep@1 x, p, m\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tlk:int = length k\n"
		"\ty:<int> = task y lk {\n"
		"\t\tk_2:int = load@1 k\n"
		"\t\tu:int = mul@1 k_2, k_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\td:segdes = task d lk {\n"
		"\t\ty_2:int = load@1 y\n"
		"\t\tr:segdes = segdes_of@1 y_2, 9\n"
		"\t\tyield r\n"
		"\t}\n"
		"\te:segdes = task e lk {\n"
		"\t\ty_3:int = load@1 y\n"
		"\t\tr_2:segdes = segdes@1 y_3\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield y, d, e\n",
		"\ty:<int>, d:segdes, e:segdes = task e n {\n"
		"\t\tx:bool = load@1 c\n"
		"\t\tp:int = index@1\n"
		"\t\tu:int = mul@1 p, p\n"
		"\t\to_2:<int> = keep@1 x, u, m\n"
		"\t\tr:int = select@1 x, u, 0\n"
		"\t\tr_2:segdes = keep_lengths@1 x, r, m, 9\n"
		"\t\tr_3:int = select@1 x, u, 0\n"
		"\t\tr_4:segdes = keep_lengths@1 x, r_3, m\n"
		"\t\tyield o_2, r_2, r_4\n"
		"\t}\n"
		"\tyield y, d, e\n"},
#define KEPT_OF_ROWS \
	"\tks:segdes, k:<int> = task k n, s {\n" \
	"\t\tx:int = load@2 a\n" \
	"\t\tg:bool = gt@2 x, 0\n" \
	"\t\to:segdes = keep_segdes@2 g\n" \
	"\t\to_2:<int> = keep@2 g, x\n" \
	"\t\tyield o, o_2\n" \
	"\t}\n"
	{"how much was kept of rows, a task that reads where they begin reads too", "<int>, <int>",
		KEPT_OF_ROWS
		"\tlk:int = length k\n"
		"\ty:<int> = task y m {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = row_start@1 ks, p\n"
		"\t\tu:int = sub@1 lk, q\n"
		"\t\tv:int = mul@1 u, lk\n"
		"\t\to_3:<int> = store@1 v\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield k, y\n",
		KEPT_OF_ROWS
		"\ty:<int> = task y m {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = row_start@1 ks, p\n"
		"\t\tlk:int = seg_total@1 ks\n"
		"\t\tu:int = sub@1 lk, q\n"
		"\t\tv:int = mul@1 u, lk\n"
		"\t\to_3:<int> = store@1 v\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield k, y\n"},
	{"not where another wants it, whom the host must tell", "<int>, <int>, <int>",
		KEPT_OF_ROWS
		"\tlk:int = length k\n"
		"\ty:<int> = task y m {\n"
		"\t\tp:int = index@1\n"
		"\t\tu:int = sub@1 lk, p\n"
		"\t\to_3:<int> = store@1 u\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tz:<int> = task z 7 {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tq:int = row_start@1 ks, p_2\n"
		"\t\tv:int = sub@1 lk, q\n"
		"\t\to_4:<int> = store@1 v\n"
		"\t\tyield o_4\n"
		"\t}\n"
		"\tyield k, y, z\n", NULL},
	{"nothing is kept only to be counted", "<int>, int",
		"\tk:<int>, l:<int> = task k n {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\te:int = index@1\n"
		"\t\to:<int> = keep@1 g, e\n"
		"\t\to_2:<int> = keep@1 g, x\n"
		"\t\tyield o, o_2\n"
		"\t}\n"
		"\tlk:int = length k\n"
		"\tyield l, lk\n",
		"\tl:<int> = task k n {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\to_2:<int> = keep@1 g, x\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tlk:int = length l\n"
		"\tyield l, lk\n"},
	{"nor is what is known of it asked", "<int>, int",
		"\tk:<int>, y:<int> = task k n {\n"
		"\t\tx:int = load@1 a\n"
		"\t\tg:bool = gt@1 x, 0\n"
		"\t\to:<int> = keep@1 g, x, m\n"
		"\t\to_2:<int> = store@1 x\n"
		"\t\tyield o, o_2\n"
		"\t}\n"
		"\tlk:int = length k\n"
		"\tu:int = add lk, 1\n"
		"\tyield y, u\n",
		"\ty:<int> = task k n {\n"
		"\t\tx:int = load@1 a\n"
		"\t\to_2:<int> = store@1 x\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tu:int = add m, 1\n"
		"\tyield y, u\n"},
	{"a load that only a check says is in range stays behind it", "<int>, <int>",
		"\tla:int = length a\n"
		"\tx:<int> = task x la {\n"
		"\t\ta_2:int = load@1 a\n"
		"\t\tu:int = neg@1 a_2\n"
		"\t\to:<int> = store@1 u\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ttask check la {\n"
		"\t\ta_3:int = load@1 a\n"
		"\t\tg:bool = in_range@1 a_3, n\n"
		"\t\tcheck@1 index-range g, a_3, n\n"
		"\t}\n"
		"\ty:<int> = task y la {\n"
		"\t\tb_2:int = load@1 b\n"
		"\t\tv:int = neg@1 b_2\n"
		"\t\to_2:<int> = store@1 v\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield x, y\n",
		"\tla:int = length a\n"
		"\tx:<int> = task x la {\n"
		"\t\ta_2:int = load@1 a\n"
		"\t\tu:int = neg@1 a_2\n"
		"\t\to:<int> = store@1 u\n"
		"\t\tg:bool = in_range@1 a_2, n\n"
		"\t\tcheck@1 index-range g, a_2, n\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y la {\n"
		"\t\tb_2:int = load@1 b\n"
		"\t\tv:int = neg@1 b_2\n"
		"\t\to_2:<int> = store@1 v\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield x, y\n"},
	{"lengths are added up with the check of them, which is heard before their total", "segdes",
		"\ttask check n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = sub@1 m, p\n"
		"\t\tg:bool = ge@1 q, 0\n"
		"\t\tcheck@1 bad-range g, 0, q, 1\n"
		"\t}\n"
		"\tr:segdes = task r n {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tq_2:int = sub@1 m, p_2\n"
		"\t\to:segdes = segdes@1 q_2\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tyield r\n",
		"\tr:segdes = task r n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = sub@1 m, p\n"
		"\t\tg:bool = ge@1 q, 0\n"
		"\t\tcheck@1 bad-range g, 0, q, 1\n"
		"\t\to:segdes = segdes@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tcounted r\n"
		"\tyield r\n"},
	{"the task of what is used waits with its user, as nothing else came after it", "<int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:int = task t m {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tr:int = sum@1 p_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tu:int = sub@1 x_2, t\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n",
		"\tt:int = task t m {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tr:int = sum@1 p_2\n"
		"\t\tyield r\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = fetch@1 a, p\n"
		"\t\tu:int = sub@1 q, t\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n"},
	{"what loads the same elements waits, too, though its user uses nothing of it", "<int>",
		"\tk:int = length a\n"
		"\tx:<int> = task x m {\n"
		"\t\tp:int = index@1\n"
		"\t\tr:int = mul@1 p, p\n"
		"\t\to:<int> = store@1 r\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ttask c k {\n"
		"\t\tq:int = load@1 a\n"
		"\t\tg:bool = in_range@1 q, m\n"
		"\t\tcheck@1 index-range g, q, m\n"
		"\t}\n"
		"\ty:<int> = task y k {\n"
		"\t\tq_2:int = load@1 a\n"
		"\t\tu:int = fetch@1 x, q_2\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n",
		"\tk:int = length a\n"
		"\tx:<int> = task x m {\n"
		"\t\tp:int = index@1\n"
		"\t\tr:int = mul@1 p, p\n"
		"\t\to:<int> = store@1 r\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y k {\n"
		"\t\tq:int = load@1 a\n"
		"\t\tg:bool = in_range@1 q, m\n"
		"\t\tcheck@1 index-range g, q, m\n"
		"\t\tu:int = fetch@1 x, q\n"
		"\t\to_2:<int> = store@1 u\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield y\n"},
	{"what may take memory waits for a check, though an earlier task could use it", "<int>, <int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = div@1 m, p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tl:int = elem x, 0\n"
		"\tg:bool = ge l, 0\n"
		"\thost_check user-error g\n"
		"\th:bool = ne m, 1\n"
		"\tv:<int> = if h {\n"
		"\t\tw:<int> = task w m {\n"
		"\t\t\tp_2:int = index@1\n"
		"\t\t\to_2:<int> = store@1 p_2\n"
		"\t\t\tyield o_2\n"
		"\t\t}\n"
		"\t\tyield w\n"
		"\t} {\n"
		"\t\tyield a\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tp_3:int = index@1\n"
		"\t\te:int = fetch@1 v, p_3\n"
		"\t\to_3:<int> = store@1 e\n"
		"\t\tyield o_3\n"
		"\t}\n"
		"\tyield x, y\n", NULL},
	{"a task with what rests on a check stands behind it, though one of its results is needed before", "<int>, <int>",
		"\tx:<int> = task x 3 {\n"
		"\t\tp:int = index@1\n"
		"\t\to:<int> = store@1 p\n"
		"\t\tyield o\n"
		"\t}\n"
		"\td:<int> = append x, x\n"
		"\tl:int = length a\n"
		"\te:bool = eq l, 3\n"
		"\thost_check length-mismatch e, l, 3\n"
		"\ty:<int> = task y 3 {\n"
		"\t\tq:int = load@1 a\n"
		"\t\to_2:<int> = store@1 q\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield d, y\n",
		"\tl:int = length a\n"
		"\te:bool = eq l, 3\n"
		"\thost_check length-mismatch e, l, 3\n"
		"\tx:<int>, y:<int> = task y 3 {\n"
		"\t\tp:int = index@1\n"
		"\t\to:<int> = store@1 p\n"
		"\t\tq:int = load@1 a\n"
		"\t\to_2:<int> = store@1 q\n"
		"\t\tyield o, o_2\n"
		"\t}\n"
		"\td:<int> = append x, x\n"
		"\tyield d, y\n"},
	{"nothing passes a clock", "int, int",
		"\tx:int = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tr:int = sum@1 p\n"
		"\t\tyield r\n"
		"\t}\n"
		"\tt:float = clock x\n"
		"\ty:int = task y n {\n"
		"\t\tp_2:int = index@1\n"
		"\t\tr_2:int = max_val@1 p_2\n"
		"\t\tyield r_2\n"
		"\t}\n"
		"\tyield x, y\n", NULL},
	{"but positions are made again behind it", "float, <int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = mul@1 p, m\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:float = clock m\n"
		"\ty:<int> = task y n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tb_2:int = load@1 b\n"
		"\t\tr:int = add@1 x_2, b_2\n"
		"\t\to_2:<int> = store@1 r\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield t, y\n",
		"\tt:float = clock m\n"
		"\ty:<int> = task y n {\n"
		"\t\tp:int = index@1\n"
		"\t\tq:int = mul@1 p, m\n"
		"\t\tb_2:int = load@1 b\n"
		"\t\tr:int = add@1 q, b_2\n"
		"\t\to_2:<int> = store@1 r\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield t, y\n"},
	{"what is made of what is in memory is not: that would stay as long", "float, <int>",
		"\tx:<int> = task x n {\n"
		"\t\tp:int = load@1 a\n"
		"\t\tq:int = mul@1 p, m\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tt:float = clock m\n"
		"\ty:<int> = task y n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tr:int = add@1 x_2, 1\n"
		"\t\to_2:<int> = store@1 r\n"
		"\t\tyield o_2\n"
		"\t}\n"
		"\tyield t, y\n", NULL},
	{"a table for rows is not filled beside their elements", "<int>",
		"\tx:<int> = task x n, s {\n"
		"\t\tp:int = load@2 a\n"
		"\t\tq:int = sum@2 p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\ty:<int> = task y n {\n"
		"\t\tx_2:int = load@1 x\n"
		"\t\tt:<int> = put_sum@1 1, x_2, m\n"
		"\t\tyield t\n"
		"\t}\n"
		"\tyield y\n", NULL},
	{"nor are elements gone through where one is filled for their rows", "<int>, <int>",
		"\ty:<int> = task y n {\n"
		"\t\tb_2:int = load@1 b\n"
		"\t\tt:<int> = put_max@1 b_2, b_2, m\n"
		"\t\tyield t\n"
		"\t}\n"
		"\tx:<int> = task x n, s {\n"
		"\t\tb_3:int = load@1 b\n"
		"\t\tp:int = load@2 a\n"
		"\t\tq:int = mul@2 p, b_3\n"
		"\t\to:<int> = store@2 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tyield y, x\n", NULL},
	{"one for elements is filled beside their rows", "<int>, <int>",
		"\tx:<int> = task x n, s {\n"
		"\t\tp:int = load@2 a\n"
		"\t\tq:int = sum@2 p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tyield o\n"
		"\t}\n"
		"\te:int = total s\n"
		"\ty:<int> = task y e {\n"
		"\t\tp_2:int = load@1 a\n"
		"\t\tt:<int> = put_sum@1 1, p_2, m\n"
		"\t\tyield t\n"
		"\t}\n"
		"\tyield x, y\n",
		"\te:int = total s\n"
		"\tx:<int>, y:<int> = task y n, s {\n"
		"\t\tp:int = load@2 a\n"
		"\t\tq:int = sum@2 p\n"
		"\t\to:<int> = store@1 q\n"
		"\t\tt:<int> = put_sum@2 1, p, m\n"
		"\t\tyield o, t\n"
		"\t}\n"
		"\tyield x, y\n"},
};

static void
pdg_and_fuse(Unit *u)
{
	pdg(u);
	fuse(u);
}

START_TEST(tasks_are_put_together)
{
	expect_rewrite(&rewrites[_i], &lcu_ir, pdg_and_fuse, &lcu_ir, PARAMS);
}
END_TEST

Suite *
fuse_suite(void)
{
	Suite *s = suite_create("fuse");
	TCase *t = tcase_create("fuse");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, tasks_are_put_together, 0, sizeof rewrites / sizeof *rewrites);
	suite_add_tcase(s, t);
	return s;
}
