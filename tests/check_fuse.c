/* check_fuse.c: tasks put together: text in, text out; how many are left of a program; values with and without. */
#include "fuse/fuse.h"
#include "fuse/graph.h"
#include "tests/command.h"
#include "tests/rewrite.h"
#include <stdlib.h>

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

/* -- counts ------------------------------------------------------------------------------------ */
/* A figure of the tasks of the last entry, all together, as dump --stage=lcu --stats counts them. */
static int
count_of(const char *key, const char *options, const char *what)
{
	char *dump, pattern[32];
	const char *at = NULL;
	int n = 0;

	ck_assert_msg(sh(&dump, "./nessie dump --stage=lcu --stats %s -e '%s'", options, what) == 0, "%s %s", options, what);
	for (const char *e = dump; (e = strstr(e, "{\"entry\": ")); e++)
		at = e;
	ck_assert_msg(at != NULL, "%s", dump);
	snprintf(pattern, sizeof pattern, "\"%s\": ", key);
	while ((at = strstr(at, pattern))) {
		at += strlen(pattern);
		n += *at == '"' ? 1 : atoi(at);
	}
	free(dump);
	return n;
}

static int
tasks_of(const char *options, const char *what)
{
	return count_of("task", options, what);
}

#define A "--input=a:[int]"
#define F "--input=a:[float]"
#define ROWS "--input=a:[[int]]"
#define FLOATS "--input=a:[[float]]"

static const struct {
	const char *options, *expression;
	int tasks, kernels;
} counts[] = {
	{"--input=a:[float] --input=b:[float] examples/dotp.nesl", "dotp(a, b)", 1, 1},
	{"--input='m:[[(int,float)]]' --input=v:[float] examples/sparse_mxv.nesl", "sparse_mxv(m, v)", 1, 1},
	{"--input='m:[[float]]' --input=v:[float]", "{sum({x * y : x in r; y in v}) : r in m}", 1, 1},
	{"--input=a:[float] --input=b:[float] --input=c:[float] examples/black_scholes.nesl",
	 "{call_price(s, k, 0.03, 0.25, y) : s in a; k in b; y in c}", 1, 1},
	{"examples/mandelbrot.nesl", "{{escape(0.0, 0.0, 0.01 * float(i), 0.01 * float(j), 0, 100) : i in [0:300]} : j in [0:200]}", 1, 1},
	{"--input='b:[((float,float,float),float)]' examples/nbody.nesl",
	 "let a = {sum3({force(p, q) : q in b}) : p in b}; w = {(x + u, y + v, z + w) : ((x, y, z), m) in b; (u, v, w) in a} in "
	 "({((x + u, y + v, z + w), m) : ((x, y, z), m) in b; (u, v, w) in w}, w)", 1, 1},
	{"--input='b:[((float,float,float),float)]' --input='w:[(float,float,float)]' examples/nbody.nesl",
	 "let a = {sum3({force(p, q) : q in b}) : p in b}; w = {(x + u, y + v, z + w) : (x, y, z) in w; (u, v, w) in a} in "
	 "({((x + u, y + v, z + w), m) : ((x, y, z), m) in b; (u, v, w) in w}, w)", 2, 2},
	/* of one length behind the check of it */
	{A " --input=b:[int]", "let c = {x + y : x in a; y in b} in ({x + 1 : x in a}, {y * c : y in b; c in c}, c)", 1, 1},
	{A, "(sum(a), max_val(a), min_val(a), count({x > 3 : x in a}))", 1, 1},
	{A, "{x * x : x in a | x > 0}", 1, 1},
	{A, "sum({x * x : x in a | x > 0})", 1, 1},
	{A, "count({x > 9 : x in a | x > 0})", 1, 1},
	{A, "let b = {x in a | x > 0}; c = {x in b | x < 100} in ({2 * x : x in c}, sum(b))", 1, 1},
	{A, "{x + 1 : x in plus_scan({y * y : y in a})}", 1, 1},
	{A " --input=v:[int]", "{v[i] : i in a}", 1, 1},
	{A " --input=b:[int]", "{{x + y : x in a} : y in b}", 1, 1},
	{A, "({x + 1 : x in a}, {x * x : x in a}, plus_scan(a))", 1, 1},
	{A, "max_val(plus_scan(a))", 1, 1},
	{A, "let s = plus_scan({y * y : y in a}) in (max_val(s), sum({x * y : x in a; y in s}), {x + 1 : x in s}, sum(a))", 1, 1},
	{A, "let s = plus_scan(a) in (sum(s), {x in a; y in s | y > 0})", 1, 1},
	{ROWS, "max_val({sum(r) : r in a})", 1, 1},
	{ROWS, "{sum({x : x in r | x > 0}) : r in a}", 1, 1},
	{ROWS, "{{x * x : x in r | x > 0} : r in a}", 1, 1},
	{ROWS, "{plus_scan({x * x : x in r}) : r in a}", 1, 1},
	{ROWS, "{(sum(r), max_val(r)) : r in a}", 1, 1},
	{ROWS, "{max_val(plus_scan(r)) : r in a}", 1, 1},
	{ROWS, "{let s = plus_scan(r) in (sum({x * y : x in r; y in s}), min_val(s), {x + 1 : x in s}, sum(r)) : r in a}", 1, 1},
	{ROWS, "{(sum(r), max_val(r), min_val(r), count({x > 0 : x in r})) : r in a}", 1, 1},
	{ROWS, "({{x + 1 : x in r} : r in a}, {sum(r) : r in a})", 1, 1},
	{ROWS, "({sum(r) : r in a}, {{x + 1 : x in r} : r in a})", 1, 1},
	{ROWS, "{#{x in r | x > 0} : r in a}", 1, 1},
	{ROWS, "{let b = {x in r | x > 0} in sum(b) / max(1, #b) : r in a}", 1, 1},
	{ROWS, "{3 * sum({x * k : x in r}) + #r : r in a; k in [0:#a]}", 1, 1},
	/* where rows are on threads or lanes these are one launch (tests/check_map.c) */
	{FLOATS, "{let n = float(#r); m = sum(r) / n in (m, sum({(x - m) * (x - m) : x in r}) / n) : r in a}", 1, 2},
	{FLOATS, "{let m = sum(r) in {x / m : x in r} : r in a}", 1, 2},
	{FLOATS, "{let s = plus_scan(r); m = max_val(s) in {x / m : x in s} : r in a}", 1, 2},
	/* what a function makes of the row's sum is known at its end, what it makes of elements is made once */
	{FLOATS, "{let m = sqrt(sum({x * x : x in r})) in {x / m : x in r} : r in a}", 1, 2},
	{FLOATS, "{let m = max_val(r) in m + ln(sum({exp(x - m) : x in r})) : r in a}", 1, 2},
	{FLOATS, "{let m = max_val(r); e = {exp(x - m) : x in r}; s = sum(e) in {y / s : y in e} : r in a}", 2, 3},
	{A, "{x + 1 : x in {y * y : y in a} | x < 100}", 1, 1},
	/* each arm keeps by a condition of its own, even if it is the same */
	{A, "if a[1] > 3 then ({x in a | x > 2}, [1]) else ({x in a | x > 2}, a)", 2, 2},
	{A, "let p = a[#a / 2] in ({x in a | x < p}, {x in a | x == p}, {x in a | x > p})", 1, 1},
};

START_TEST(counts_are_the_least)
{
	const char *options = counts[_i].options, *expression = counts[_i].expression;
	const int tasks = tasks_of(options, expression), kernels = count_of("kernels", options, expression);

	ck_assert_msg(tasks == counts[_i].tasks && kernels == counts[_i].kernels, "%s: %d tasks, %d kernels", expression, tasks, kernels);
}
END_TEST

/* What is folded is not stored; what is stored is loaded by nobody. */
START_TEST(nothing_is_stored_to_be_loaded)
{
	static const char *const squares = "sum({x * x : x in a | x > 0})", *const scanned = "{x + 1 : x in plus_scan({y * y : y in a})}";
	static const char *const mean = "let b = {x in a | x > 0} in sum(b) / #b";
	static const char *const products = "{x * y : x in a; y in b | x > 0 and y > 0}";

	ck_assert_int_eq(count_of("stores", A, squares), 0);
	ck_assert_int_eq(count_of("loads", A, squares), 1);
	ck_assert_int_eq(count_of("stores", A, mean), 0);
	ck_assert_int_eq(count_of("loads", A, mean), 1);
	ck_assert_int_eq(count_of("loads", A " --input=b:[int]", products), 2);
	ck_assert_int_eq(count_of("gathers", A " --input=b:[int]", products), 0);
	ck_assert_int_eq(count_of("stores", A, scanned), 1);
	ck_assert_int_eq(count_of("loads", A, scanned), 1);
}
END_TEST

/* Of nine neighbours each asks on four sides whether it is there: what places decide is not asked, the others once. */
START_TEST(places_decide_comparisons)
{
	static const char *const around = "let g = {{i * j : j in [0:40]} : i in [0:k]}; n = #g in {{sum({sum({if i + a < 0 or i + a >= n or j + c < 0 "
		"or j + c >= 40 then 0 else g[i + a][j + c] : c in [-1:2]}) : a in [-1:2]}) : j in [0:40]} : i in [0:n]}";
	char *asked;

	ck_assert_int_eq(tasks_of("--input=k:int", around), 2);
	ck_assert_int_eq(sh(&asked, "./nessie dump --stage=lcu --input=k:int -e '%s' | grep -oE ' (lt|ge|eq|ne|le|gt)@[12]' | sort | uniq -c", around), 0);
	/* in the task that checks, and in that which reads; of the row's place once a row */
	ck_assert_str_eq(asked, "      2  ge@1\n      2  ge@2\n      2  lt@1\n      2  lt@2\n");
	free(asked);
}
END_TEST

/* Places in rows of one length are computed where elements are read by them, as that costs less than to store them; what is in memory
 * anyway is loaded. */
START_TEST(places_are_computed_again)
{
	static const char *const rounds = "let m = {{i * j : j in [0:k]} : i in [0:k]}; s = {{a + b : a in r; b in q} : r in m; q in rotate(m, 1)} "
		"in {{a + b + c : a in rotate(r, 1); b in r; c in rotate(r, -1)} : r in s}";

	ck_assert_int_eq(tasks_of("--input=k:int", rounds), 3);
	ck_assert_int_eq(count_of("stores", "--input=k:int", rounds), 3);
	ck_assert_int_eq(count_of("loads", "--input=k:int", rounds), 1);
	ck_assert_int_eq(count_of("gathers", "--input=k:int", rounds), 3);
}
END_TEST

/* What is stored of elements that are wanted before and behind their sum, and the differences: a step that many of the others use is one
 * step. */
static const struct {
	const char *element;
	int stores;
} repeated[] = {
	{"let y = i + 1; z = y * y; w = z * z; v = w * w; u = v * v in u + w + z + y", 1},
	{"let y = i + 1; z = y * y; w = z * z; v = w * w; u = v * v in (u + w + z + y) * v + u", 2},
	{"7 / max(i, 1)", 1},
	{"rem(7 / max(i, 1), max(i, 2))", 2},
	{"rem(rem(i, 7) * i, 3)", 1},
};

START_TEST(few_steps_are_repeated)
{
	char form[400];

	snprintf(form, sizeof form, "let x = {%s : i in [0:#a]}; s = sum(x) in {y - s : y in x}", repeated[_i].element);
	ck_assert_int_eq(count_of("stores", A, form), repeated[_i].stores);
}
END_TEST

/* A division by a number that the program says takes no longer than what it gives would take to be stored and read; another does. */
START_TEST(quotients_by_literals_are_not_stored)
{
	ck_assert_int_eq(tasks_of(A, "{x + y : x in drop({rem(y, 7) : y in a}, 1); y in a}"), 1);
	ck_assert_int_eq(tasks_of(A, "let k = a[0] in {x + y : x in drop({rem(y, k) : y in a}, 1); y in a}"), 2);
	ck_assert_int_eq(tasks_of(A, "{x + y : x in {rem(z, 1000) : z in a} ++ [0]; y in [0] ++ {z / 1000 : z in a}}"), 1);
}
END_TEST

/* The tasks of a level of a recursion, or of an iteration: those of a function.  Four are of small rows: which they are, where, and
 * what comes back of them among the others. */
static const struct {
	const char *example, *function;
	int tasks;
} levels[] = {
	{"quicksort", "rec fun quicksort_int_lifted(", 11},
	{"batcher_sort", "rec fun bitonic_merge_lifted_2(", 3},
	{"fft", "rec fun fft_lifted_2(", 5},
	{"closest_pair", "rec fun closest_lifted(", 11},
	{"median", "rec fun kth_int(", 2},
	{"quickhull", "rec fun hsplit_lifted(", 12},
	{"cg", "rec fun steps(", 3},
	{"bfs", "rec fun visit(", 3},
};

START_TEST(levels_do_not_grow)
{
	char *dump, *at, *end;
	int n = 0;

	ck_assert_int_eq(0, sh(&dump, "./nessie dump --stage=lcu examples/%s.nesl", levels[_i].example));
	at = strstr(dump, levels[_i].function);
	ck_assert_msg(at != NULL, "no %s", levels[_i].function);
	end = strstr(at, "\n}");
	for (at = strstr(at, " task "); at && at < end; at = strstr(at + 1, " task "))
		n++;
	ck_assert_msg(n <= levels[_i].tasks, "%s: %d tasks", levels[_i].example, n);
	free(dump);
}
END_TEST

/* On the way up of quicksort, seven numbers of each call lead to its pieces: they are computed where the elements are. */
START_TEST(numbers_of_rows_are_computed_again)
{
	char *dump, *at, *end;
	int n = 0;

	ck_assert_int_eq(0, sh(&dump, "./nessie dump --stage=lcu examples/quicksort.nesl"));
	at = strstr(strstr(dump, "rec fun quicksort_int_lifted("), "= call quicksort_int_lifted ");
	end = strstr(at, "\n}");
	for (at = strstr(at, " store@1 "); at && at < end; at = strstr(at + 1, " store@1 "))
		n++;
	ck_assert_int_le(n, 6);
	free(dump);
}
END_TEST

/* As many as there must be: a scan computes what it scans twice, calls only once; a task has eight conditions. */
START_TEST(tasks_have_limits)
{
	ck_assert_int_eq(tasks_of(A, "function halvings(x) = if x < 1 then 0 else 1 + halvings(x / 2);"
		"plus_scan({halvings(x) : x in a})"), 2);
	ck_assert_int_eq(tasks_of(A, "plus_scan({x / 2 : x in a})"), 1);
	/* nor for what is not kept */
	ck_assert_int_eq(tasks_of(A, "function halvings(x) = if x < 1 then 0 else 1 + halvings(x / 2);"
		"{halvings(x) : x in a | x > 9}"), 2);
	ck_assert_int_eq(tasks_of(A, "({x in a | x > 1}, {x in a | x > 2}, {x in a | x > 3}, {x in a | x > 4}, {x in a | x > 5}, "
		"{x in a | x > 6}, {x in a | x > 7}, {x in a | x > 8}, {x in a | x > 9})"), 2);
	/* nor is more than three times kept of what was kept */
	ck_assert_int_eq(tasks_of(A, "let b = {x in a | x > 1}; c = {x in b | x > 2} in {x in c | x > 3}"), 1);
	ck_assert_int_eq(tasks_of(A, "let b = {x in a | x > 1}; c = {x in b | x > 2}; d = {x in c | x > 3} in {x in d | x > 4}"), 2);
}
END_TEST

/* Also of elements that wait for their row's end: nobody reads it in the task that tells whether all of it was written. */
START_TEST(permuted_is_read_when_it_is_whole)
{
	ck_assert_int_eq(tasks_of(ROWS, "{let k = {rem(x, #r) : x in r}; q = permute(r, k); s = sum(r) in "
		"{x * s + y : x in r; y in q} : r in a}"), 3);
}
END_TEST

/* Only maps: the fold and the filter have tasks of their own.  Off, each operator has. */
START_TEST(it_can_be_switched_off)
{
	static const char *const squares = "sum({x * x + 1 : x in a | x > 0})";
	int all = tasks_of(A, squares), maps = tasks_of(A " --fuse=map", squares), none = tasks_of(A " --fuse=none", squares);

	ck_assert_msg(all == 1 && maps == 4 && none == 6, "%d, %d, %d tasks", all, maps, none);
	ck_assert_int_eq(none, tasks_of(A " --no-fuse", squares));
}
END_TEST

/* A flag that the host wants, and what is made of it; what has to be whole before it is read. */
#define TWO_STAGES \
	"unit lcu\nfun f(n:int, m:int, s:segdes) -> <int> {\n" \
	"\tt:bool = task t n {\n\t\tp:int = index@1\n\t\tg:bool = lt@1 p, m\n\t\tr:bool = all@1 g\n\t\tyield r\n\t}\n" \
	"\tv:<int> = task v n {\n\t\tq:int = index@1\n\t\td:int = div@1 q, m\n\t\to:<int> = store@1 d\n\t\tyield o\n\t}\n" \
	"\thost_check user-error t\n" \
	"\tw:<int> = task w m, s {\n\t\tq_2:int = inner@2\n\t\tx:int = fetch@2 v, q_2\n\t\ty:int = sum@2 x\n" \
	"\t\to_2:<int> = store@1 y\n\t\tyield o_2\n\t}\n" \
	"\tyield w\n}\n"

static const char *const pictures[] = {
	"digraph pdg {\n"
	"\tsubgraph cluster_f1_stage0 {\n"
	"\t\tlabel=\"stage 0\";\n"
	"\t\tsubgraph cluster_f1_0 {\n"
	"\t\t\tlabel=\"n\";\n"
	"\t\t\tf1_0 [label=\"t\\nt\\n0:0\", shape=box];\n"
	"\t\t\tf1_1 [label=\"v\\nv\\n0:0\", shape=box];\n"
	"\t\t}\n"
	"\t}\n"
	"\tsubgraph cluster_f1_stage1 {\n"
	"\t\tlabel=\"stage 1\";\n"
	"\t\tsubgraph cluster_f1_1 {\n"
	"\t\t\tlabel=\"m, s\";\n"
	"\t\t\tf1_3 [label=\"w\\nw\\n0:0\", shape=box];\n"
	"\t\t}\n"
	"\t}\n"
	"\tf1_2 [label=\"host_check\\n0:0\", shape=octagon];\n"
	"\tf1_0 -> f1_2 [style=bold];\n"
	"\tf1_1 -> f1_3 [style=bold];\n"
	"}\n",
	"{\"regions\": [\n"
	"  {\"region\": \"f1\", \"of\": \"f\", \"nodes\": [\n"
	"    {\"node\": 0, \"does\": \"task\", \"name\": \"t\", \"makes\": [\"t\"], \"at\": \"-:0:0\", \"stage\": 0, \"tells\": false},\n"
	"    {\"node\": 1, \"does\": \"task\", \"name\": \"v\", \"makes\": [\"v\"], \"at\": \"-:0:0\", \"stage\": 0, \"tells\": false},\n"
	"    {\"node\": 2, \"does\": \"host_check\", \"name\": \"user-error\", \"makes\": [], \"at\": \"-:0:0\", \"stage\": 1, \"tells\": true},\n"
	"    {\"node\": 3, \"does\": \"task\", \"name\": \"w\", \"makes\": [\"w\"], \"at\": \"-:0:0\", \"stage\": 1, \"tells\": false}], \"stages\": [\n"
	"    {\"stage\": 0, \"tasks\": [\n"
	"      {\"task\": 0, \"space\": [\"n\"], \"nodes\": [0, 1], \"repeats\": []}]},\n"
	"    {\"stage\": 1, \"tasks\": [\n"
	"      {\"task\": 1, \"space\": [\"m\", \"s\"], \"nodes\": [3], \"repeats\": []}]}], \"edges\": [\n"
	"    {\"from\": 0, \"to\": 2, \"marked\": true},\n"
	"    {\"from\": 1, \"to\": 3, \"marked\": true}]}]}\n",
};

START_TEST(the_graph_is_shown)
{
	IrCase *c = case_read(&lcu_ir, TWO_STAGES);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	c->u.json = _i;
	pdg(&c->u);
	pdg_print(&c->u, f);
	fclose(f);
	ck_assert_str_eq(text, pictures[_i]);
	free(text);
	case_end(c);
}
END_TEST

/* What a region's nodes and tasks are changed to, and what the verifier says of it. */
static void
wait_for_nothing(Region *r)
{
	r->node.at[3]->stage = r->node.at[3]->cluster->stage = 0;
}

static void
hear_too_early(Region *r)
{
	r->node.at[2]->stage = 0;
}

static void
leave_the_task(Region *r)
{
	r->node.at[1]->cluster = NULL;
}

static void
leave_the_region(Region *r)
{
	r->cluster.n--;
}

static const struct {
	void (*change)(Region *);
	const char *says;
} broken[] = {
	{wait_for_nothing, "it is of a stage before what it waits for is over"},
	{hear_too_early, "it is of a stage before what it waits for is over"},
	{leave_the_task, "an operator in parallel is in no task of its stage"},
	{leave_the_region, "an operator in parallel is in several tasks, or its task is not of this region"},
};

START_TEST(the_graph_is_verified)
{
	IrCase *c = case_read(&lcu_ir, TWO_STAGES);
	Span at;

	pdg(&c->u);
	ck_assert(!pdg_check(&c->u, &at));
	broken[_i].change(graph_region(c->u.graph, c->u.ir->funs->body));
	ck_assert_str_eq(pdg_check(&c->u, &at), broken[_i].says);
	case_end(c);
}
END_TEST

Suite *
fuse_suite(void)
{
	Suite *s = suite_create("fuse");
	TCase *c = tcase_create("fuse");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, tasks_are_put_together, 0, sizeof rewrites / sizeof *rewrites);
	tcase_add_loop_test(c, counts_are_the_least, 0, sizeof counts / sizeof *counts);
	tcase_add_loop_test(c, levels_do_not_grow, 0, sizeof levels / sizeof *levels);
	tcase_add_loop_test(c, the_graph_is_shown, 0, 2);
	tcase_add_loop_test(c, the_graph_is_verified, 0, sizeof broken / sizeof *broken);
	tcase_add_test(c, nothing_is_stored_to_be_loaded);
	tcase_add_test(c, places_decide_comparisons);
	tcase_add_test(c, places_are_computed_again);
	tcase_add_loop_test(c, few_steps_are_repeated, 0, sizeof repeated / sizeof *repeated);
	tcase_add_test(c, numbers_of_rows_are_computed_again);
	tcase_add_test(c, quotients_by_literals_are_not_stored);
	tcase_add_test(c, tasks_have_limits);
	tcase_add_test(c, permuted_is_read_when_it_is_whole);
	tcase_add_test(c, it_can_be_switched_off);
	suite_add_tcase(s, c);
	return s;
}
