/* check_cuda.c: generated CUDA: its text in parts. */
#include "common/embed.h"
#include "fuse/map.h"
#include "tests/cuda_text.h"

Suite *cuda_suite(void);

/* Each part is in the text, one after the other; mapped: by stage map. */
static void
expect_parts_of(const char *mem, bool mapped, const char *const *part)
{
	IrCase *c = case_read(&mem_ir, mem);
	const char *text, *from;

	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	if (mapped)
		map(&c->u);
	text = from = cuda_text(c);
	for (; *part; part++) {
		const char *found = strstr(from, *part);

		ck_assert_msg(found != NULL, "no\n%s\nin\n%s", *part, text);
		from = found + strlen(*part);
	}
	case_end(c);
}

static void
expect_parts(const char *mem, const char *const *part)
{
	expect_parts_of(mem, false, part);
}

/* -- texts ----------------------------------------------------------------------------------------- */
static const char mxv[] =
	"unit mem\n"
	"fun mxv(s:segdes, is:<int>, xs:<float>, v:<float>) -> <float> {\n"
	"\tn:int = rows s\n"
	"\tnv:int = length v\n"
	"\tr:<float> = task mxv n, s {\n"
	"\t\ti:int = load@2 is\n"
	"\t\tok:bool = in_range@2 i, nv\n"
	"\t\tcheck@2 index-range ok, i, nv % mxv.nesl:1:37+4\n"
	"\t\tx:float = load@2 xs\n"
	"\t\te:float = fetch@2 v, i\n"
	"\t\tm:float = mul@2 x, e\n"
	"\t\tt:float = sum@2 m\n"
	"\t\to:<float> = store@1 t\n"
	"\t\tyield o\n"
	"\t}\n"
	"\tfree s\n\tfree is\n\tfree xs\n\tfree v\n"
	"\tyield r\n"
	"}\n";

START_TEST(nest_is_one_call)
{
	expect_parts(mxv, (const char *const[]){
		"{\"index-range\", \"mxv.nesl\", 1, 37, 4, NULL, 0, 0},\n",
		"struct nesl_sum_f64 {\n"
		"\ttypedef f64 T;\n"
		"\tstatic const bool exact = false, commutes = true;\n"
		"\tstatic __host__ __device__ f64 id() { return 0.0; }\n"
		"\tstatic __device__ f64 op(f64 x, f64 y) { return x + y; }\n"
		"};\n",
		"struct task_1_mxv {\n"
		"\tnesl_vec<nint> is;\n"
		"\tnint nv;\n"
		"\tnesl_faults faults_;\n"
		"\tnesl_vec<f64> xs;\n"
		"\tnesl_vec<f64> v;\n"
		"\tnesl_vec<f64> r;\n"
		"\tstatic const bool rowless = true, light = true;\n"
		"\t__device__ f64 load_(nesl_doubts &doubts_, i64 e2, i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint i = is[e2];\n"
		"\t\tconst b8 ok = (uint64_t)i < (uint64_t)nv;\n"
		"\t\tif (!ok)\n"
		"\t\t\tdoubts_.fault(faults_, 0, e2, i, nv);\n"
		"\t\tconst f64 x = xs[e2];\n"
		"\t\tconst f64 e = v[i];\n"
		"\t\tconst f64 m = x * e;\n"
		"\t\treturn m;\n"
		"\t}\n"
		"\t__device__ void row_(i64 e1, f64 t) const\n"
		"\t{\n"
		"\t\tr.at[e1] = t;\n"
		"\t}\n"
		"};\n",
		"\tconst nesl_vec<f64> r = nesl_new<f64>(n);\n"
		"\tnesl_total(s);\n"
		"\tnesl_task(1, 8L * n + 24L * nesl_total(s), 8L * n);\n"
		"\tconst nesl_faults faults_1_ = nesl_checks(1, 0);\n"
		"\tnesl_seg_reduce<nesl_sum_f64>(s, task_1_mxv{is, nv, faults_1_, xs, v, r});\n"
		"\tnesl_free(s);\n"
		"\tnesl_free(is);\n"
		"\tnesl_free(xs);\n"
		"\tnesl_free(v);\n"
		"\treturn r;\n", NULL});
}
END_TEST

/* Of rows of one length no offsets are read, or held by what asks for a place in its row. */
START_TEST(uniform_rows_have_no_offsets)
{
	expect_parts("unit mem\n"
		"fun f(n:int, k:int, xs:<float>) -> <float>, <int> {\n"
		"\ts:uniform = uniform n, k\n"
		"\tr:<float> = task sums n, uniform s {\n"
		"\t\tx:float = load@2 xs\n"
		"\t\tt:float = sum@2 x\n"
		"\t\to:<float> = store@1 t\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tq:<int> = task places n, uniform s {\n"
		"\t\ti:int = inner@2\n"
		"\t\tj:int = row@2\n"
		"\t\tm:int = mul@2 i, j\n"
		"\t\tp:<int> = store@2 m\n"
		"\t\tyield p\n"
		"\t}\n"
		"\tfree xs\n"
		"\tyield r, q\n"
		"}\n", (const char *const[]){
		"struct task_1_sums {\n"
		"\tnesl_vec<f64> xs;\n"
		"\tnesl_vec<f64> r;\n",
		"struct task_2_places {\n"
		"\tnesl_grid s;\n"
		"\tnesl_vec<nint> q;\n"
		"\tstatic const bool light = true;\n"
		"\t__device__ void operator()(i64 e2, i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint i = e2 - nesl_row_start(s, e1);\n",
		"\tconst nesl_grid s = nesl_uniform(n, k);\n",
		"\tnesl_task(1, 8L * nesl_total(s), 8L * n);\n"
		"\tnesl_seg_reduce<nesl_sum_f64>(s, task_1_sums{xs, r});\n",
		"\tnesl_task(2, 0, 8L * nesl_total(s));\n"
		"\tnesl_expand(s, task_2_places{s, q});\n", NULL});
}
END_TEST

START_TEST(rows_are_one_call)
{
	expect_parts_of(mxv, true, (const char *const[]){
		"\tconst int lanes_1_ = nesl_lanes(s, NESL_FLAT | NESL_LANES);\n"
		"\tnesl_task(1, 8L * n + 24L * nesl_total(s), 8L * n);\n"
		"\tconst nesl_faults faults_1_ = nesl_checks(1, 0);\n"
		"\tnesl_rows(s, lanes_1_, nesl_reduced<nesl_sum_f64>(task_1_mxv{is, nv, faults_1_, xs, v, r}));\n"
		"\tnesl_free(s);\n", NULL});
}
END_TEST

/* Elements that use what their row has given: it is stored, and by rows loaded again from a cache.  Only those ask for their
 * row; the others are but read. */
START_TEST(passes_over_rows_are_one_call)
{
	expect_parts_of("unit mem\n"
		"fun f(s:segdes, x:<float>) -> <float>, float {\n"
		"\tn:int = rows s\n"
		"\tr:<float>, q:float = task f n, s {\n"
		"\t\ta:float = load@2 x\n"
		"\t\tt:float = sum@2 a\n"
		"\t\tb:float = div@2 a, t\n"
		"\t\to:<float> = store@2 b\n"
		"\t\tm:float = max_val@2 b\n"
		"\t\tu:float = sum@1 m\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tfree s\n\tfree x\n"
		"\tyield r, q\n"
		"}\n", true, (const char *const[]){
		"\tstatic const bool exact = false, commutes = false;\n",
		"\tnesl_vec<f64> t_;\n"
		"\tstatic const bool rowless = true, streams = true, light = true;\n"
		"\t__device__ f64 load_(i64 e2, i64 e1) const\n",
		"\tnesl_vec<f64> r;\n"
		"\tstatic const bool acts = true, light = true;\n"
		"\t__device__ f64 load_(i64 e2, i64 e1) const\n",
		"\t\tconst f64 t = t_[e1];\n",
		"\tconst int lanes_1_ = nesl_lanes(s, NESL_FLAT | NESL_LANES, 2);\n"
		"\tnesl_task(1, lanes_1_ ? 8L * n + 8L * nesl_total(s) : 24L * n + 16L * nesl_total(s), 8L * n + 8L * nesl_total(s));\n"
		"\tconst auto *found_2_1_ = nesl_rows(s, lanes_1_,\n"
		"\t\tnesl_reduced<nesl_sum_f64>(task_1_f_1{x, t_}),\n"
		"\t\tnesl_reduced<nesl_max_val_f64, nesl_sum_f64>(task_1_f_2{x, t_, r}));\n",
		"\tnesl_await();\n", NULL});
}
END_TEST

/* A fold of rows may be of what the host knows. */
START_TEST(rows_fold_what_is_the_hosts)
{
	expect_parts("unit mem\n"
		"fun f(s:segdes, x:<int>, h:int) -> <int>, int {\n"
		"\tn:int = rows s\n"
		"\tr:<int>, q:int = task f n, s {\n"
		"\t\ta:int = load@2 x\n"
		"\t\tt:int = sum@2 a\n"
		"\t\to:<int> = store@1 t\n"
		"\t\tu:int = sum@1 h\n"
		"\t\tyield o, u\n"
		"\t}\n"
		"\tfree s\n\tfree x\n"
		"\tyield r, q\n"
		"}\n", (const char *const[]){
		"\tnint h;\n",
		"\t\treturn h;\n",
		"task_1_f{x, r, h}", NULL});
}
END_TEST

START_TEST(split_is_one_pack)
{
	expect_parts("unit mem\n"
		"fun split(b:<bool>) -> <int>, <int> {\n"
		"\tn:int = length b\n"
		"\ty:<int>, z:<int> = task split n {\n"
		"\t\tf:bool = load@1 b\n"
		"\t\tg:bool = not@1 f\n"
		"\t\te:int = index@1\n"
		"\t\tk:<int> = keep@1 f, e\n"
		"\t\tl:<int> = keep@1 g, e\n"
		"\t\tyield k, l\n"
		"\t}\n"
		"\tfree b\n"
		"\tyield y, z\n"
		"}\n", (const char *const[]){
		"\t__device__ unsigned mask_(i64 e1) const\n"
		"\t{\n"
		"\t\tconst b8 f = b[e1];\n"
		"\t\tconst b8 g = !f;\n"
		"\t\treturn f | (unsigned)g << 1;\n"
		"\t}\n",
		"\t__device__ void store_(i64 e1, unsigned kept_, const i64 (&at_)[2]) const\n"
		"\t{\n"
		"\t\tif (!kept_)\n"
		"\t\t\treturn;\n"
		"\t\tconst nint e = e1;\n"
		"\t\tif (kept_ & 1)\n"
		"\t\t\ty.at[at_[0]] = e;\n"
		"\t\tif (kept_ >> 1 & 1)\n"
		"\t\t\tz.at[at_[1]] = e;\n"
		"\t}\n",
		"static void fn_split(nesl_vec<b8> b, nesl_vec<nint> &r1_, nesl_vec<nint> &r2_)\n",
		"\tconst auto *found_1_ = nesl_pack<2>(n, task_1_split{b, y, z});\n",
		"\tnesl_await();\n"
		"\ty = nesl_trim(y, found_1_->kept[0]);\n",
		"\tr2_ = z;\n", NULL});
}
END_TEST

/* What elements ask of their row is found once for it, if that is more than one read.  What decides where they go reads what they bring
 * there, and nothing is read again. */
START_TEST(rows_are_asked_once)
{
	static const char text[] = "unit mem\n"
		"fun slices(s:segdes, first:<int>, x:<int>, p:<int>) -> segdes, <int> {\n"
		"\tn:int = rows s\n"
		"\tr:segdes, y:<int> = task slices n, s {\n"
		"\t\ti:int = load@1 first\n"
		"\t\td:int = add@1 i, 1\n"
		"\t\tk:int = inner@2\n"
		"\t\tj:int = add@2 d, k\n"
		"\t\ta:int = fetch@2 x, j\n"
		"\t\tq:int = load@1 p\n"
		"\t\tc:bool = lt@2 a, q\n"
		"\t\tl:segdes = keep_segdes@2 c\n"
		"\t\tb:<int> = keep@2 c, a\n"
		"\t\tyield l, b\n"
		"\t}\n"
		"\tfree s\n\tfree first\n\tfree x\n\tfree p\n"
		"\tyield r, y\n"
		"}\n";

	expect_parts(text, (const char *const[]){
		"\tstruct Row {\n"
		"\t\tnint d;\n"
		"\t\tnint q;\n"
		"\t\ti64 start_;\n"
		"\t};\n"
		"\t__device__ Row ask_(i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint i = first[e1];\n"
		"\t\tconst nint d = iadd(i, 1);\n"
		"\t\tconst nint q = p[e1];\n"
		"\t\treturn {d, q, nesl_row_start(s, e1)};\n"
		"\t}\n"
		"\tstruct Kept {\n"
		"\t\tnint a;\n"
		"\t};\n"
		"\t__device__ Kept bring_(i64 e2, i64 e1, const Row &of_) const\n"
		"\t{\n"
		"\t\tconst nint d = of_.d;\n"
		"\t\tconst nint k = e2 - of_.start_;\n"
		"\t\tconst nint j = iadd(d, k);\n"
		"\t\tconst nint a = x[j];\n"
		"\t\treturn {a};\n"
		"\t}\n"
		"\t__device__ unsigned mask_(i64 e2, i64 e1, const Row &of_, const Kept &has_) const\n"
		"\t{\n"
		"\t\tconst nint a = has_.a;\n"
		"\t\tconst nint q = of_.q;\n"
		"\t\tconst b8 c = a < q;\n"
		"\t\treturn c;\n"
		"\t}\n",
		"\t__device__ void store_(i64 e2, i64 e1, const Row &of_, unsigned kept_, const i64 (&at_)[1], const Kept &has_) const\n"
		"\t{\n"
		"\t\tif (!kept_)\n"
		"\t\t\treturn;\n"
		"\t\tconst nint a = has_.a;\n",
		"\t__device__ void row_(i64 e1, const i64 (&at_)[1]) const\n", NULL});
}
END_TEST

/* What elements bring that nothing else has read is read when it is known where they go, by a method that stores nothing; what costs no read
 * is made where it is stored. */
START_TEST(kept_values_are_brought)
{
	expect_parts("unit mem\n"
		"fun chosen(v:<int>, w:<int>) -> <int>, <int>, <int> {\n"
		"\tn:int = length v\n"
		"\tx:<int>, y:<int>, z:<int> = task chosen n {\n"
		"\t\ta:int = load@1 v\n"
		"\t\tc:bool = gt@1 a, 3\n"
		"\t\tb:int = load@1 w\n"
		"\t\td:int = add@1 b, a\n"
		"\t\ti:int = index@1\n"
		"\t\tj:<int> = keep@1 c, a\n"
		"\t\tk:<int> = keep@1 c, d\n"
		"\t\tl:<int> = keep@1 c, i\n"
		"\t\tyield j, k, l\n"
		"\t}\n"
		"\tfree v\n\tfree w\n"
		"\tyield x, y, z\n"
		"}\n", (const char *const[]){
		"\tstatic const bool light = true;\n"
		"\tstruct Kept {\n"
		"\t\tnint a;\n"
		"\t\tnint d;\n"
		"\t};\n"
		"\t__device__ Kept bring_(i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint a = v[e1];\n"
		"\t\tconst nint b = w[e1];\n"
		"\t\tconst nint d = iadd(b, a);\n"
		"\t\treturn {a, d};\n"
		"\t}\n"
		"\t__device__ unsigned mask_(i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint a = v[e1];\n",
		"\t\tconst nint a = has_.a;\n"
		"\t\tconst nint d = has_.d;\n"
		"\t\tconst nint i = e1;\n"
		"\t\tif (kept_ & 1) {\n", NULL});
}
END_TEST

/* So is what elements of a map store, from elsewhere; of what is computed of places nothing. */
START_TEST(stored_values_are_brought)
{
	expect_parts("unit mem\n"
		"fun turned(v:<int>, is:<int>) -> <int>, <int> {\n"
		"\tn:int = length is\n"
		"\tx:<int>, y:<int> = task turned n {\n"
		"\t\ti:int = load@1 is\n"
		"\t\ta:int = fetch@1 v, i\n"
		"\t\tj:int = index@1\n"
		"\t\tk:int = mul@1 j, j\n"
		"\t\tb:<int> = store@1 a\n"
		"\t\tc:<int> = store@1 k\n"
		"\t\tyield b, c\n"
		"\t}\n"
		"\tfree v\n\tfree is\n"
		"\tyield x, y\n"
		"}\n", (const char *const[]){
		"\tstruct Kept {\n"
		"\t\tnint a;\n"
		"\t};\n"
		"\t__device__ Kept bring_(i64 e1) const\n"
		"\t{\n"
		"\t\tconst nint i = is[e1];\n"
		"\t\tconst nint a = v[i];\n"
		"\t\treturn {a};\n"
		"\t}\n"
		"\t__device__ void operator()(i64 e1, const Kept &has_) const\n"
		"\t{\n"
		"\t\tconst nint a = has_.a;\n"
		"\t\tconst nint j = e1;\n"
		"\t\tconst nint k = imul(j, j);\n"
		"\t\tx.at[e1] = a;\n", NULL});
}
END_TEST

/* What the host knows it does not wait for: arrays and offsets are as long as what is kept. */
START_TEST(what_is_told_is_not_awaited)
{
	expect_parts("unit mem\n"
		"fun told(b:<bool>, v:<int>, n:int, m:int) -> <int>, segdes, segdes {\n"
		"\tl:int = length b\n"
		"\ty:<int>, s:segdes, r:segdes = task told l {\n"
		"\t\tf:bool = load@1 b\n"
		"\t\tx:int = load@1 v\n"
		"\t\tz:int = select@1 f, x, 0\n"
		"\t\tk:<int> = keep@1 f, x, n\n"
		"\t\td:segdes = keep_lengths@1 f, z, n, m\n"
		"\t\te:segdes = keep_lengths@1 f, z, n\n"
		"\t\tyield k, d, e\n"
		"\t}\n"
		"\tfree b\n"
		"\tfree v\n"
		"\tyield y, s, r\n"
		"}\n", (const char *const[]){
		"\tconst nesl_vec<nint> y = nesl_new<nint>(n);\n"
		"\tconst nesl_segdes s = nesl_new_told(n, m);\n"
		"\tconst nesl_segdes r = nesl_new_measured(n);\n"
		"\tnesl_task(1, 9L * l, 8L * n + 8L * n + 8L * n);\n"
		"\tconst nesl_faults beyond_1_ = nesl_expects();\n"
		"\tnesl_scan<",
		"\tnesl_free(b);\n"
		"\tnesl_free(v);\n"
		"\tr1_ = y;\n", NULL});
}
END_TEST

/* Where many elements come to one place a block may have its own places. */
START_TEST(puts_tell_their_places)
{
	expect_parts("unit mem\n"
		"fun count(v:<int>, k:int) -> <int>, <int> {\n"
		"\tn:int = length v\n"
		"\tr:<int>, l:<int> = task count n {\n"
		"\t\tx:int = load@1 v\n"
		"\t\tc:<int> = put_sum@1 1, x, k\n"
		"\t\ti:int = index@1\n"
		"\t\tm:<int> = put_max@1 i, x, k\n"
		"\t\tyield c, m\n"
		"\t}\n"
		"\tfree v\n"
		"\tyield r, l\n"
		"}\n", (const char *const[]){
		"\tnesl_puts<nesl_sums> r;\n"
		"\tnesl_puts<nesl_maxima> l;\n",
		"\t\tr.put(x, 1);\n",
		"\t\tl.put(x, i);\n",
		"\ti64 places_() const { return r.r.n + l.r.n; }\n"
		"\t__device__ void begin_(nint *at) { l.begin(r.begin(at)); }\n"
		"\t__device__ void end_() const { r.end(); l.end(); }\n",
		"= nesl_filled(nesl_new<nint>(k), 0);\n",
		"\tnesl_map(n, task_1_count{v, r, l});\n", NULL});
}
END_TEST

/* As many lists as there are arms: one pack, and the host waits once. */
START_TEST(deal_is_one_pack)
{
	expect_parts("unit mem\n"
		"fun deal(c:<int>) -> <int>, <int>, <int> {\n"
		"\tn:int = length c\n"
		"\tx:<int>, y:<int>, z:<int> = task deal n {\n"
		"\t\ti:int = load@1 c\n"
		"\t\te:int = index@1\n"
		"\t\tf:bool = eq@1 i, 0\n"
		"\t\tk:<int> = keep@1 f, e\n"
		"\t\tg:bool = eq@1 i, 1\n"
		"\t\tl:<int> = keep@1 g, e\n"
		"\t\th:bool = eq@1 i, 2\n"
		"\t\tm:<int> = keep@1 h, e\n"
		"\t\tyield k, l, m\n"
		"\t}\n"
		"\tfree c\n"
		"\tyield x, y, z\n"
		"}\n", (const char *const[]){
		"\t\treturn f | (unsigned)g << 1 | (unsigned)h << 2;\n",
		"\t\tif (kept_ >> 2 & 1)\n"
		"\t\t\tz.at[at_[2]] = e;\n",
		"nesl_pack<3>(n, task_1_deal{c, x, y, z});\n", NULL});
}
END_TEST

/* Nobody wants what the function gives: it is called all the same, as it may fault. */
START_TEST(calls_that_fault_are_made)
{
	expect_parts("unit mem\n"
		"rec scalar fun g(a:int) -> int {\n"
		"\tb:bool = gt a, 1\n"
		"\thost_check domain b\n"
		"\tyield a\n"
		"}\n"
		"fun f(n:int, v:<int>) -> {\n"
		"\ttask t n {\n"
		"\t\ta:int = load@1 v\n"
		"\t\tx:int = call@1 g a\n"
		"\t}\n"
		"\tfree v\n"
		"}\n", (const char *const[]){
		"\t\tnesl_stop(calls_, 0);\n"
		"\t\treturn 0;\n",
		"\t\tnesl_scalar_calls x_calls_ = nesl_first_call(faults_, 0);\n",
		"\t\tnesl_called(faults_, 0, e1, x_calls_);\n", NULL});
}
END_TEST

/* The host tells by the count of owners whether a copy would set anything free. */
START_TEST(the_only_owner)
{
	expect_parts("unit mem\n"
		"fun own(v:<int>) -> bool {\n"
		"\to:bool = sole v\n"
		"\tfree v\n"
		"\tyield o\n"
		"}\n", (const char *const[]){"= nesl_sole(v);\n\tnesl_free(v);\n", NULL});
}
END_TEST

/* What a second pass needs of the first lives in memory of its own for the task's time. */
START_TEST(scan_of_a_reduction)
{
	expect_parts("unit mem\n"
		"fun f(s:segdes, x:<int>) -> <int> {\n"
		"\tn:int = rows s\n"
		"\tr:<int> = task f n, s {\n"
		"\t\ta:int = load@2 x\n"
		"\t\tt:int = sum@2 a\n"
		"\t\tp:int = plus_scan@1 t\n"
		"\t\to:<int> = store@1 p\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree s\n\tfree x\n"
		"\tyield r\n"
		"}\n", (const char *const[]){
		"\t__device__ void row_(i64 e1, nint t) const\n"
		"\t{\n"
		"\t\tt_.at[e1] = t;\n"
		"\t}\n",
		"\t\tconst nint t = t_[e1];\n"
		"\t\treturn t;\n",
		"\tconst nesl_vec<nint> t_ = nesl_new<nint>(n);\n",
		"\tnesl_scan<nesl_plus_scan_nint>(n, task_1_f_2{t_, r});\n"
		"\tnesl_free(t_);\n", NULL});
}
END_TEST

/* A scan's launch folds what it finds: to the host, and to the ends of rows. */
START_TEST(fold_of_a_scan)
{
	expect_parts("unit mem\n"
		"fun f(s:segdes, x:<int>) -> int, <int> {\n"
		"\tn:int = length x\n"
		"\tr:int = task f n {\n"
		"\t\tc:int = load@1 x\n"
		"\t\tu:int = plus_scan@1 c\n"
		"\t\tv:int = max_val@1 u\n"
		"\t\tyield v\n"
		"\t}\n"
		"\tk:int = rows s\n"
		"\tt:<int> = task g k, s {\n"
		"\t\ta:int = load@2 x\n"
		"\t\tp:int = plus_scan@2 a\n"
		"\t\tb:int = mul@2 p, a\n"
		"\t\tm:int = max_val@2 p\n"
		"\t\tq:int = sum@2 b\n"
		"\t\tz:int = sub@1 m, q\n"
		"\t\to:<int> = store@1 z\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree s\n\tfree x\n"
		"\tyield r, t\n"
		"}\n", (const char *const[]){
		"\t__device__ nint store_(i64 e1, nint u, nint) const\n"
		"\t{\n"
		"\t\treturn u;\n"
		"\t}\n",
		"struct task_2_g_late {\n"
		"\tstruct T {\n"
		"\t\tnint m;\n"
		"\t\tnint q;\n"
		"\t};\n",
		"\t__device__ task_2_g_late::T store_(i64 e2, i64 e1, nint p, nint) const\n"
		"\t{\n"
		"\t\tconst nint a = x[e2];\n"
		"\t\tconst nint b = imul(p, a);\n"
		"\t\treturn {p, b};\n"
		"\t}\n"
		"\t__device__ void row_(i64 e1, nint, task_2_g_late::T late_) const\n"
		"\t{\n"
		"\t\tconst nint m = late_.m;\n"
		"\t\tconst nint q = late_.q;\n",
		"\tconst auto *found_1_ = nesl_scan<nesl_plus_scan_nint, 0, nesl_max_val_nint>(n, task_1_f{x});\n",
		"\tnesl_await();\n"
		"\tconst nint r = found_1_->late;\n",
		"\tnesl_seg_scan<nesl_plus_scan_nint, 0, task_2_g_late>(s, task_2_g{x, t});\n", NULL});
}
END_TEST

/* What is at one level shares a launch, what the host reads one wait. */
START_TEST(passes_of_fused_tasks)
{
	Arena *a = arena_new();
	size_t n;
	const char *fused = read_text(a, "tests/cuda/fused.mem", &n);

	ck_assert_ptr_nonnull(fused);
	expect_parts(fused, (const char *const[]){
		"struct task_1_stats_fold {\n"
		"\tstruct T {\n"
		"\t\tnint s;\n"
		"\t\tnint m;\n"
		"\t\tf64 g;\n"
		"\t};\n"
		"\tstatic const bool exact = nesl_sum_nint::exact && nesl_max_val_nint::exact && nesl_sum_f64::exact;\n"
		"\tstatic const bool commutes = nesl_sum_nint::commutes && nesl_max_val_nint::commutes && nesl_sum_f64::commutes;\n",
		"\t\t\tnesl_max_val_nint::op(x.m, y.m),\n",
		"\t\treturn {x, x, f};\n",
		"\tconst auto *found_1_ = nesl_reduce<task_1_stats_fold>(n, task_1_stats{v});\n",
		"\tnesl_await();\n"
		"\tconst nint a = found_1_->fold.s;\n"
		"\tconst nint b = found_1_->fold.m;\n"
		"\tconst f64 c = found_1_->fold.g;\n",
		"\t\treturn p;\n",
		"\tconst auto *found_3_ = nesl_seg_reduce<task_3_row_stats_fold, nesl_sum_f64>(s, task_3_row_stats{v, l, faults_3_, a, b});\n",
		"\tnesl_await();\n"
		"\tconst f64 c = found_3_->fold;\n",
		"\t__device__ void row_(i64 e1, nint j, const i64 (&at_)[2]) const\n"
		"\t{\n"
		"\t\tj_.at[e1] = j;\n"
		"\t\tnesl_row_ends(b, e1, at_[1]);\n",
		"\tconst auto *found_1_4_ = nesl_seg_scan<nesl_sum_nint, 2>(s, task_4_filtered_1{v, a, b, c, j_});\n"
		"\tconst auto *found_2_4_ = nesl_reduce<nesl_sum_nint>(n, task_4_filtered_2{j_});\n",
		"\tnesl_await();\n",
		"\t__device__ unsigned mask_(i64 e1, task_5_places_fold::T before_) const\n"
		"\t{\n"
		"\t\tconst nint p = before_.p;\n",
		"\t\tnesl_row_ends(c, e1, nesl_add_lengths::op(before_.u, here_.u));\n",
		"\tconst auto *found_5_ = nesl_scan<task_5_places_fold, 1>(n, task_5_places{v, a, b, c});\n",
		"\tnesl_has_lengths(c, found_5_->fold.u);\n",
		"\tnesl_seg_scan<task_7_above_fold>(s, task_7_above{v, s, a, b});\n", NULL});
	arena_free(a);
}
END_TEST

/* What waits has room: of numbers that nobody else wants before the end the host hears a thousand at once. */
START_TEST(what_is_found_has_room)
{
	enum { SUMS = 1500 };
	char *unit;
	size_t n;
	FILE *m = open_memstream(&unit, &n);
	const char *at;
	IrCase *c;
	int waits = 0;

	fputs("unit mem\nfun f(v:<int>) -> int {\n\tn:int = length v\n", m);
	for (int i = 0; i < SUMS; i++)
		fprintf(m, "\ts_%d:int = task sum_%d n {\n\t\tx_%d:int = load@1 v\n\t\ty_%d:int = add@1 x_%d, %d\n"
			"\t\tt_%d:int = sum@1 y_%d\n\t\tyield t_%d\n\t}\n", i, i, i, i, i, i, i, i, i);
	fputs("\tfree v\n\tr_0:int = add s_0, 0\n", m);
	for (int i = 1; i < SUMS; i++)
		fprintf(m, "\tr_%d:int = add r_%d, s_%d\n", i, i - 1, i);
	fprintf(m, "\tyield r_%d\n}\n", SUMS - 1);
	fclose(m);
	c = case_read(&mem_ir, unit);
	at = cuda_text(c);
	while ((at = strstr(at, "nesl_await();"))) {
		waits++;
		at++;
	}
	ck_assert_int_eq(2, waits);
	case_end(c);
	free(unit);
}
END_TEST

/* Functors of the first serve the second: its own operands, results, memory of passes and places of checks. */
START_TEST(same_tasks_share)
{
	expect_parts("unit mem\n"
		"fun f(s:segdes, x:<int>, y:<int>) -> <int>, <int> {\n"
		"\tn:int = rows s\n"
		"\tr:<int> = task f n, s {\n"
		"\t\ta:int = load@2 x\n"
		"\t\tok:bool = ne@2 a, 0\n"
		"\t\tcheck@2 div-by-zero ok % a.nesl:1:1+1\n"
		"\t\tt:int = sum@2 a\n"
		"\t\tp:int = plus_scan@1 t\n"
		"\t\to:<int> = store@1 p\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tq:<int> = task g n, s {\n"
		"\t\tb:int = load@2 y\n"
		"\t\tnz:bool = ne@2 b, 0\n"
		"\t\tcheck@2 div-by-zero nz % a.nesl:2:1+1\n"
		"\t\tu:int = sum@2 b\n"
		"\t\tv:int = plus_scan@1 u\n"
		"\t\tw:<int> = store@1 v\n"
		"\t\tyield w\n"
		"\t}\n"
		"\tfree s\n\tfree x\n\tfree y\n"
		"\tyield r, q\n"
		"}\n", (const char *const[]){
		"// and 1 more task like it\n"
		"struct task_1_f_1 {\n",
		"faults_1_ = nesl_checks(1, 0);\n",
		"nesl_seg_reduce<nesl_sum_nint>(s, task_1_f_1{x, faults_1_, t_});\n"
		"\tnesl_scan<nesl_plus_scan_nint>(n, task_1_f_2{t_, r});\n",
		"\tnesl_task(2, ", "faults_2_ = nesl_checks(1, 1);\n",
		"nesl_seg_reduce<nesl_sum_nint>(s, task_1_f_1{y, faults_2_, u_});\n"
		"\tnesl_scan<nesl_plus_scan_nint>(n, task_1_f_2{u_, q});\n"
		"\tnesl_free(u_);\n", NULL});
}
END_TEST

/* What a permutation that is none leaves unwritten is never read; the sort is there only for who ranks. */
START_TEST(bad_permutation_is_heard_at_once)
{
	expect_parts("unit mem\n"
		"fun f(x:<int>, ok:<bool>) -> <int> {\n"
		"\tn:int = length x\n"
		"\ttask c n {\n"
		"\t\ta:bool = load@1 ok\n"
		"\t\tcheck@1 bad-permute a, 0, n % a.nesl:1:1+1\n"
		"\t}\n"
		"\ti:<int> = rank x\n"
		"\tr:<int> = task p n {\n"
		"\t\tv:int = load@1 x\n"
		"\t\tat:int = load@1 i\n"
		"\t\to:<int> = scatter@1 v, at\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree i\n"
		"\tfree x\n\tfree ok\n"
		"\tyield r\n"
		"}\n", (const char *const[]){
		"#include \"nesl_sort.h\"\n",
		"faults_1_});\n"
		"\tnesl_settle();\n", NULL});
}
END_TEST

/* All that is found of a permutation is heard at once, when it has been made, but before anything reads it: a check of the next one, too. */
START_TEST(permutations_are_heard_once)
{
	expect_parts("unit mem\n"
		"fun f(x:<int>, i:<int>) -> <int> {\n"
		"\tn:int = length x\n"
		"\ttask a n {\n"
		"\t\tj:int = load@1 i\n"
		"\t\tk:bool = in_range@1 j, n\n"
		"\t\tcheck@1 bad-permute k, j, n % a.nesl:1:1+1\n"
		"\t}\n"
		"\tok:<bool> = permute_ok i\n"
		"\ttask b n {\n"
		"\t\tl:bool = load@1 ok\n"
		"\t\tcheck@1 bad-permute l, 0, n % a.nesl:1:1+1\n"
		"\t}\n"
		"\tfree ok\n"
		"\tr:<int> = task p n {\n"
		"\t\tv:int = load@1 x\n"
		"\t\tat:int = load@1 i\n"
		"\t\to:<int> = scatter@1 v, at\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree i\n"
		"\ttask c n {\n"
		"\t\tw:int = load@1 r\n"
		"\t\ty:bool = in_range@1 w, n\n"
		"\t\tcheck@1 bad-permute y, w, n % a.nesl:2:1+1\n"
		"\t}\n"
		"\tfree x\n"
		"\tyield r\n"
		"}\n", (const char *const[]){
		"\tnesl_map(n, task_1_a{i, n, faults_1_});\n"
		"\tconst nesl_vec<b8> ok = nesl_permute_ok(2, i);\n",
		"\tnesl_map(n, task_3_b{ok, n, faults_3_});\n"
		"\tnesl_free(ok);\n"
		"\tconst nesl_vec<nint> r = nesl_new<nint>(n);\n",
		"\tnesl_map(n, task_4_p{x, i, r});\n"
		"\tnesl_free(i);\n"
		"\tnesl_settle();\n",
		"\tnesl_map(n, task_1_a{r, n, faults_5_});\n"
		"\tnesl_free(x);\n"
		"\tnesl_settle();\n"
		"\treturn r;\n", NULL});
}
END_TEST

/* A check that fails is heard later: what leads out from its element, and the calls around it, are told before. */
START_TEST(ways_out)
{
	expect_parts("unit mem\n"
		"fun f(n:int, o:<int>) -> {\n"
		"\ta:bool = eq n, 3\n"
		"\thost_check domain a | o, -2, 1, o % a.nesl:1:1+1\n"
		"\tfree o\n"
		"}\n"
		"fun g(ok:<bool>, s:segdes, o:<int>) -> {\n"
		"\tn:int = length ok\n"
		"\ttask c n {\n"
		"\t\ta:bool = load@1 ok\n"
		"\t\tcheck@1 domain a | s, 0 % a.nesl:1:1+1\n"
		"\t}\n"
		"\tfree ok\n"
		"\tcall f n, o | s, -1\n"
		"\tfree s\n"
		"}\n", (const char *const[]){
		"nesl_host_check(a, 0, {nesl_picked_by(o), NESL_HIDDEN, {NESL_INWARD, 1}, nesl_picked_by(o), NESL_END});\n",
		"= nesl_checks(1, 1, {nesl_rows_of(s), NESL_HOST, NESL_END});\n",
		"\tnesl_call({nesl_rows_of(s), NESL_LOST, NESL_END});\n"
		"\tfn_f(n, o);\n"
		"\tnesl_return();\n", NULL});
}
END_TEST

/* Names of the program that mean something in the run time, texts with quotes, counts of owners. */
START_TEST(host_code)
{
	expect_parts("unit mem\n"
		"cell x : [char]\n"
		"rec fun f(n:int) -> int {\n"
		"\tc:bool = le n, 1\n"
		"\tr:int = if c {\n"
		"\t\tyield 1\n"
		"\t} {\n"
		"\t\tk:int = sub n, 1\n"
		"\t\tq:int = call f k\n"
		"\t\tu:int = add q, n\n"
		"\t\tyield u\n"
		"\t}\n"
		"\tyield r\n"
		"}\n"
		"entry assign x = x : [char] {\n"
		"\tint:<char> = chars \"a\\\"?\"\n"
		"\tyield int\n"
		"}\n", (const char *const[]){
		"static struct {         // x : [char]\n\tbool bound;\n\tnesl_vec<c32> v1;\n} cell_x;\n",
		"\t\tnesl_enter(&nesl_sites[0], nesl_calls());\n"
		"\t\tconst nint q = fn_f(k);\n"
		"\t\tnesl_leave();\n"
		"\t\tconst nint u = iadd(q, n);\n"
		"\t\tr = u;\n"
		"\t}\n"
		"\treturn r;\n",
		"const nesl_vec<c32> int__ = nesl_chars(\"a\\\"\\077\", 3);\n"
		"\tnesl_settle();\n"
		"\tnesl_free(cell_x.v1);\n"
		"\tcell_x.v1 = int__;\n", NULL});
}
END_TEST

/* A self tail call is a jump: what changes is assigned, as if at once. */
START_TEST(tail_calls_are_jumps)
{
	expect_parts("unit mem\n"
		"rec fun f(a:int, b:int, s:<int>) -> int, <int> or s {\n"
		"\tc:bool = le a, b\n"
		"\tr:int, t:<int> = if c {\n"
		"\t\tyield a, s\n"
		"\t} {\n"
		"\t\tq:int, u:<int> = call f b, a, s\n"
		"\t\tyield q, u\n"
		"\t}\n"
		"\tyield r, t\n"
		"}\n", (const char *const[]){
		"\tfor (;;) {\n\t\tconst b8 c = a <= b;\n",
		"\t\t} else {\n"
		"\t\t\tconst nint b_next_ = a;\n"
		"\t\t\ta = b;\n"
		"\t\t\tb = b_next_;\n"
		"\t\t\tcontinue;\n"
		"\t\t}\n"
		"\t\tr1_ = r;\n"
		"\t\tr2_ = t;\n"
		"\t\treturn;\n"
		"\t}\n"
		"}\n", NULL});
}
END_TEST

/* Functions that jump to each other are one text. */
START_TEST(mutual_tail_calls_are_jumps)
{
	expect_parts("unit mem\n"
		"rec fun f(a:int, s:<int>) -> <int> or s {\n"
		"\tc:bool = le a, 0\n"
		"\tr:<int> = if c {\n"
		"\t\tyield s\n"
		"\t} {\n"
		"\t\tq:<int> = call g a, 1, s\n"
		"\t\tyield q\n"
		"\t}\n"
		"\tyield r\n"
		"}\n"
		"rec fun g(a:int, b:int, s:<int>) -> <int> or s {\n"
		"\tc:int = sub a, b\n"
		"\tr:<int> = call f c, s\n"
		"\tyield r\n"
		"}\n"
		"fun h(s:<int>) -> <int> or s {\n"
		"\tr:<int> = call g 7, 2, s\n"
		"\tyield r\n"
		"}\n", (const char *const[]){
		"static nesl_vec<nint> fn_f(int at_, nint a, nesl_vec<nint> s, nint a_2, nint b, nesl_vec<nint> s_2)\n"
		"{\n\tfor (;;) {\n\t\tswitch (at_) {\n",
		"\t\tcase 0: {\n\t\t\tconst b8 c = a <= 0;\n",
		"\t\t\t} else {\n"
		"\t\t\t\ta_2 = a;\n"
		"\t\t\t\tb = 1;\n"
		"\t\t\t\ts_2 = s;\n"
		"\t\t\t\tat_ = 1;\n"
		"\t\t\t\tcontinue;\n"
		"\t\t\t}\n"
		"\t\t\treturn r;\n"
		"\t\t}\n",
		"\t\tcase 1: {\n"
		"\t\t\tconst nint c_2 = isub(a_2, b);\n"
		"\t\t\ta = c_2;\n"
		"\t\t\ts = s_2;\n"
		"\t\t\tat_ = 0;\n"
		"\t\t\tcontinue;\n"
		"\t\t}\n"
		"\t\t}\n"
		"\t}\n"
		"}\n",
		"fn_f(1, {}, {}, 7, 2, s);\n", NULL});
}
END_TEST

/* Operands and results of an effect pass as leaves. */
START_TEST(effects)
{
	expect_parts("unit mem\n"
		"fun f(s:segdes, v:<int>) -> int, <char> {\n"
		"\tt:<char> = effect object_text \"[[int]]\" s, v\n"
		"\th:int, w:<char> = effect stream_open \"[char]\" t, 1\n"
		"\tfree s\n\tfree v\n\tfree t\n"
		"\tyield h, w\n"
		"}\n", (const char *const[]){
		"\tnesl_segdes t_in0_ = s;\n"
		"\tnesl_vec<nint> t_in1_ = v;\n"
		"\tnesl_vec<c32> t = {};\n"
		"\tconst nesl_leaf t_in_[] = {nesl_show(t_in0_, 'i'), nesl_show(t_in1_, 'i')};\n"
		"\tnesl_leaf t_out_[] = {nesl_show(t, 'c')};\n"
		"\tnesl_run_effect(\"object_text\", \"[[int]]\", t_in_, 2, t_out_, 1);\n"
		"\tnesl_take(t, t_out_[0]);\n",
		"\tnint h_in1_ = 1;\n",
		"\tnesl_run_effect(\"stream_open\", \"[char]\", h_in_, 2, h_out_, 2);\n"
		"\tnesl_take(h, h_out_[0]);\n"
		"\tnesl_take(w, h_out_[1]);\n", NULL});
}
END_TEST

/* What is measured is made; what is no scalar has been. */
START_TEST(clocks)
{
	expect_parts("unit mem\n"
		"fun f(v:<int>) -> float {\n"
		"\tt:float = clock\n\tx:int = elem v, 0\n\tu:float = clock x, v, 3\n\tfree v\n"
		"\ts:float = sub u, t\n"
		"\tyield s\n"
		"}\n", (const char *const[]){
		"\tconst f64 t = nesl_clock();\n"
		"\tconst nint x = nesl_elem(v, 0);\n"
		"\t(void)x;\n"
		"\tconst f64 u = nesl_clock();\n"
		"\tnesl_free(v);\n"
		"\tconst f64 s = u - t;\n", NULL});
}
END_TEST

/* What the host reads of the device is read at once, if it is there already: also what is checked only after the first read.  What depends
 * on a read, or stands behind a task, is another wait; and one of these brings what tasks have found before. */
START_TEST(reads_are_together)
{
	expect_parts("unit mem\n"
		"fun f(v:<int>, w:<bool>, s:segdes, i:int) -> int, bool, int, int, int {\n"
		"\tn:int = length v\n"
		"\tr:int = task r n {\n"
		"\t\tx:int = load@1 v\n"
		"\t\tt:int = sum@1 x\n"
		"\t\tyield t\n"
		"\t}\n"
		"\ta:int = elem v, 0\n"
		"\tj:int = add i, 1\n"
		"\tok:bool = in_range i, n\n"
		"\thost_check index-range ok, i, n\n"
		"\tb:bool = elem w, i\n"
		"\tfree w\n"
		"\tq:int = add a, 1\n"
		"\tc:int = elem v, q\n"
		"\tl:int = row_length s, i\n"
		"\td:int = elem v, j\n"
		"\te:int = add c, r\n"
		"\tfree v\n"
		"\tfree s\n"
		"\tyield l, b, e, d, q\n"
		"}\n", (const char *const[]){
		"\tconst auto *found_1_ = nesl_reduce<nesl_sum_nint>(n, task_1_r{v});\n"
		"\tconst auto [a, b, l] = nesl_reads(nesl_elem_at(v, 0), nesl_elem_at(w, i), nesl_row_length_at(s, i));\n"
		"\tconst nint j = iadd(i, 1);\n"
		"\tconst b8 ok = (uint64_t)i < (uint64_t)n;\n"
		"\tnesl_await();\n"
		"\tconst nint r = found_1_->fold;\n"
		"\tnesl_host_check(ok, 0, {}, i, n);\n"
		"\tnesl_free(w);\n"
		"\tconst nint q = iadd(a, 1);\n"
		"\tconst auto [c, d] = nesl_reads(nesl_elem_at(v, q), nesl_elem_at(v, j));\n"
		"\tconst nint e = iadd(c, r);\n", NULL});
}
END_TEST

Suite *
cuda_suite(void)
{
	Suite *s = suite_create("cuda");
	TCase *t = tcase_create("cuda");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, nest_is_one_call);
	tcase_add_test(t, uniform_rows_have_no_offsets);
	tcase_add_test(t, rows_are_one_call);
	tcase_add_test(t, passes_over_rows_are_one_call);
	tcase_add_test(t, rows_fold_what_is_the_hosts);
	tcase_add_test(t, split_is_one_pack);
	tcase_add_test(t, rows_are_asked_once);
	tcase_add_test(t, kept_values_are_brought);
	tcase_add_test(t, stored_values_are_brought);
	tcase_add_test(t, what_is_told_is_not_awaited);
	tcase_add_test(t, reads_are_together);
	tcase_add_test(t, puts_tell_their_places);
	tcase_add_test(t, deal_is_one_pack);
	tcase_add_test(t, calls_that_fault_are_made);
	tcase_add_test(t, the_only_owner);
	tcase_add_test(t, scan_of_a_reduction);
	tcase_add_test(t, fold_of_a_scan);
	tcase_add_test(t, passes_of_fused_tasks);
	tcase_add_test(t, what_is_found_has_room);
	tcase_add_test(t, same_tasks_share);
	tcase_add_test(t, bad_permutation_is_heard_at_once);
	tcase_add_test(t, permutations_are_heard_once);
	tcase_add_test(t, ways_out);
	tcase_add_test(t, host_code);
	tcase_add_test(t, tail_calls_are_jumps);
	tcase_add_test(t, mutual_tail_calls_are_jumps);
	tcase_add_test(t, effects);
	tcase_add_test(t, clocks);
	suite_add_tcase(s, t);
	return s;
}
