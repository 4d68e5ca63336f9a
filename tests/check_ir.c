/* check_ir.c: the let-form: every row of every IR from text to program to text; what is refused. */
#include "tests/ir_help.h"
#include <check.h>

Suite *ir_suite(void);

static const Ir *const irs[] = {&normal_ir, &flan_ir, &lcu_ir, &mem_ir};

/* The text is read, right, and printed as it was. */
static void
expect_same(const Ir *ir, const char *text)
{
	IrCase *c = case_read(ir, text);
	ck_assert_msg(c->u.ir != NULL, "%s\n%s", c->said, text);
	ck_assert_msg(!*case_check(c), "%s\n%s", case_check(c), text);
	ck_assert_str_eq(case_print(c), text);
	case_end(c);
}

/* -- a program for every row ------------------------------------------------------------------ */
typedef struct {
	char params[400], args[400], steps[800], made[200];
	int n;
} Operands;

static const char *
letter_type(char c, int variant)
{
	switch (c) {
	case 'i': case 'h': return "int";
	case 'f': return "float";
	case 'b': return "bool";
	case 'c': return "char";
	case 'n': return variant % 2 ? "float" : "int";
	case 'o': return variant % 3 == 2 ? "char" : variant % 3 ? "float" : "int";
	case 'l': return variant % 2 ? "bool" : "int";
	case 'x': case 'y': return letter_type("ifbc"[variant % 4], 0);
	case 'a': return variant % 2 ? "[(int, char)]" : "int";
	case 'd': return variant % 2 ? "float" : "[(bool, int)]";
	case 'S': return "segdes";
	case 'U': return "uniform";
	case 'D': return variant % 2 ? "uniform" : "segdes";
	default: ck_abort_msg("letter %c", c);
	}
}

/* The text of the term at *sig, which is passed. */
static void
term_type(const char **sig, int variant, char *out)
{
	char a[100], d[100], c = *(*sig)++;
	if (c == '[' || c == '<') {
		term_type(sig, variant, a);
		sprintf(out, "%c%s%c", c, a, *(*sig)++);
	} else if (c == '(') {
		bool tuple = (term_type(sig, variant, a), **sig == '(');
		term_type(sig, variant, d);
		++*sig;
		/* (a, (b, c)) is written (a, b, c) */
		sprintf(out, tuple ? "(%s, %s" : "(%s, %s)", a, d + tuple);
	} else
		strcpy(out, letter_type(c, variant));
}

/* One operand: a parameter; inside a task (level > 0) a scalar is loaded from one; what is uniform is made. */
static void
add_operand(Operands *o, const char *type, int level)
{
	bool scalar = strchr("ifbc", type[0]) != NULL;
	char *end = o->params + strlen(o->params);
	o->n++;
	if (strcmp(type, "uniform") == 0) {
		ck_assert_int_eq(o->n, 1);
		sprintf(o->made, "\tp1:uniform = uniform 1, 2\n");
		sprintf(o->args, " uniform p1");
		return;
	}
	sprintf(end, level > 0 && scalar ? "%sp%d:<%s>" : "%sp%d:%s", o->n > 1 ? ", " : "", o->n, type);
	sprintf(o->args + strlen(o->args), level > 0 && scalar ? "%sq%d" : "%sp%d", o->n > 1 ? ", " : " ", o->n);
	if (level > 0 && scalar)
		sprintf(o->steps + strlen(o->steps), "\t\tq%d:%s = load@%d p%d\n", o->n, type, level, o->n);
}

static void
operands(const OpInfo *op, bool lifted, int variant, int level, Operands *o)
{
	const char *sig = op->sig[lifted];
	memset(o, 0, sizeof *o);
	while (*sig != ':') {
		char type[100], vec[110];
		term_type(&sig, variant, type);
		int times = *sig == '*' ? variant : *sig == '?' ? variant / 2 : 1;
		sig += *sig == '*' || *sig == '?';
		bool vector = op->cls == OP_SCALAR && lifted && (variant % 2 == 0 || o->n == 0);
		sprintf(vec, vector ? "<%s>" : "%s", type);
		while (times-- > 0)
			add_operand(o, vec, o->n < op_told(op) ? level : 0);
	}
}

static int
results(const OpInfo *op, bool lifted, int variant, char type[2][100])
{
	const char *sig = strchr(op->sig[lifted], ':') + 1;
	int n = 0;
	while (*sig) {
		char t[100];
		term_type(&sig, variant, t);
		if (*sig == '*')        /* any number: none */
			sig++;
		else
			sprintf(type[n++], op->cls == OP_SCALAR && lifted ? "<%s>" : "%s", t);
	}
	return n;
}

/* In mem, whoever has a parameter gives it up; some operators take their first, replace its second, mark its third. */
static void
frees(const Ir *ir, const OpInfo *op, const char *params, char *to)
{
	const char *taken = strcmp(op->name, "replace") == 0 ? "p2" : strcmp(op->name, "mark") == 0 ? "p3" : op->takes > 0 ? "p1" : "";

	*to = 0;
	for (const char *p = params; ir == &mem_ir && (p = strchr(p, ':')); p++) {
		const char *name = p;
		while (name > params && name[-1] != ' ')
			name--;
		if ((p[1] == '<' || p[1] == 's') && !(*taken && strncmp(name, taken, 2) == 0))
			to += sprintf(to, "\tfree %.*s\n", (int)(p - name), name);
	}
}

static void
host_row(const Ir *ir, const OpInfo *op, bool lifted, int variant)
{
	Operands o;
	char type[2][100], text[3000], ends[500];
	const char *bytes = strcmp(op->name, "string") == 0 || strcmp(op->name, "chars") == 0 ? " \"a\\x00\"" : "";
	int n = results(op, lifted, variant, type);
	operands(op, lifted, variant, 0, &o);
	frees(ir, op, o.params, ends);
	if (strcmp(type[0], "uniform") == 0) {
		sprintf(text, "unit %s\nfun f(%s) -> int {\n\tr:uniform = uniform%s\n\ts:int = total uniform r\n\tyield s\n}\n",
			ir->name, o.params, o.args);
		expect_same(ir, text);
		return;
	}
	sprintf(text, "unit %s\nfun f(%s) -> %s%s%s {\n%s\tr:%s%s%s = %s%s%s%s\n%s\tyield r%s\n}\n", ir->name,
		o.params, type[0], n > 1 ? ", " : "", n > 1 ? type[1] : "", o.made, type[0], n > 1 ? ", s:" : "",
		n > 1 ? type[1] : "", op->name, lifted ? "^" : "", bytes, o.args, ends,
		n > 1 ? ", s" : "");
	expect_same(ir, text);
}

static void
task_row(const Ir *ir, const OpInfo *op, int variant, int level)
{
	Operands o;
	char type[2][100], text[3000], store[300], ends[500];
	int out = op->cls == OP_REDUCE ? level - 1 : level;
	bool sunk = op->cls == OP_SINK || out == 0;
	ck_assert_int_eq(results(op, false, variant, type), 1);
	operands(op, false, variant, level, &o);
	frees(ir, op, o.params, ends);
	sprintf(store, "\t\tt:<%s> = store@%d r\n", type[0], out);
	if (sunk)
		*store = '\0';
	sprintf(text, "unit %s\nfun f(n:int, z:segdes%s%s) -> %s%s%s {\n\td:%s%s%s = task k n%s {\n%s"
		"\t\tr:%s = %s@%d%s\n%s\t\tyield %c\n\t}\n%s%s\tyield d\n}\n", ir->name, o.n ? ", " : "", o.params,
		sunk ? "" : "<", type[0], sunk ? "" : ">", sunk ? "" : "<", type[0], sunk ? "" : ">",
		level == 2 ? ", z" : "", o.steps, type[0], op->name, level, o.args, store, sunk ? 'r' : 't',
		ir == &mem_ir ? "\tfree z\n" : "", ends);
	expect_same(ir, text);
}

static bool
named(const OpInfo *op, const char *names)
{
	const char *at = strstr(names, op->name);
	return at && at[-1] == ' ' && at[strlen(op->name)] == ' ';
}

START_TEST(rows)
{
	const Ir *ir = irs[_i / 4];
	for (int i = 0; i < ir->nop; i++) {
		const OpInfo *op = &ir->op[i];
		bool step = op->cls == OP_SOURCE || op->cls == OP_SINK || op->cls == OP_REDUCE || op->cls == OP_SCAN;
		ck_assert_int_eq(ir_find(ir, op->name), i);
		if (op->sig[0][0] == '?' || op->cls == OP_STATE)
			continue;
		bool tasks = ir == &lcu_ir || ir == &mem_ir;
		if (!tasks || !step || named(op, " row_start row_length "))
			host_row(ir, op, false, _i % 4);
		if (op->sig[1])
			host_row(ir, op, true, _i % 4);
		if (ir == &lcu_ir && named(op, " replace "))
			continue;
		if (tasks && (step || op->cls == OP_SCALAR)) {
			if (!named(op, " inner row keep_segdes "))
				task_row(ir, op, _i % 4, 1);
			if (!named(op, " segdes keep_lengths "))
				task_row(ir, op, _i % 4, 2);
		}
	}
}
END_TEST

/* Guards and bases name rows; primitives have one number everywhere. */
START_TEST(tables)
{
	for (int i = 0; i < normal_ir.nop; i++) {
		const OpInfo *op = &normal_ir.op[i];
		const char *other = op->guard ? op->guard : op->base;
		if (op->cls != OP_SCALAR && op->cls != OP_REDUCE && op->cls != OP_SCAN)
			break;
		ck_assert_str_eq(op->name, flan_ir.op[i].name);
		ck_assert_str_eq(op->name, lcu_ir.op[i].name);
		if (other)
			ck_assert_int_eq(normal_ir.op[ir_find(&normal_ir, other)].cls, OP_SCALAR);
	}
	const OpInfo *max = &normal_ir.op[ir_find(&normal_ir, "max")];
	ck_assert_str_eq(max->expr[op_column(max, &ty_float)], "fmaximum(a, b)");
	ck_assert_str_eq(max->expr[op_column(max, &ty_char)], "a > b ? a : b");
	const OpInfo *eq = &normal_ir.op[ir_find(&normal_ir, "eq")];
	ck_assert_str_eq(eq->expr[op_column(eq, &ty_float)], "a == b");
	const OpInfo *all = &normal_ir.op[ir_find(&normal_ir, "all")];
	ck_assert_str_eq(all->identity[op_column(all, &ty_bool)], "1");
	ck_assert_str_eq(all->identity[op_column(all, &ty_int)], "-1");
	const OpInfo *lo = &normal_ir.op[ir_find(&normal_ir, "max_val")];
	ck_assert_str_eq(lo->identity[op_column(lo, &ty_int)], "MIN_INT");
	ck_assert(op_finds_place(&normal_ir.op[ir_find(&normal_ir, "max_at")]) && op_finds_place(&lcu_ir.op[ir_find(&lcu_ir, "min_at")]) && !op_finds_place(lo));
}
END_TEST

/* -- whole programs --------------------------------------------------------------------------- */
static const struct {
	const Ir *ir;
	const char *text;
} whole[] = {
	{&normal_ir,
		"unit normal\n"
		"input m : [[(int, float)]]\n"
		"cell it : float\n"
		"cell x_2 as x : (int, (float, char), [(int, int)])\n"
		"rec fun ++(sm:[[(int, float)]], v:[float]) -> [float] {\t% a dir/c:d.nesl:3:10+10\n"
		"\tr:[float] = foreach sm {\t% mxv.nesl:3:34+45\n"
		"\t\t(row:[(int, float)])\n"
		"\t\ty:float = elt v, 3\t% -e:1:2+3\n"
		"\t\tyield y\n"
		"\t}\n"
		"\ts:[char] = string \"a\\\"\\\\\\x0a%{}\"\n"
		"\te:[int] = seq\n"
		"\te2:[float] = seq -1.5, 1e+300, inf, -inf, nan, 2.0, 0.1, -0.0, 4.94065645841247e-324\n"
		"\te3:[char] = seq `a, `%, `(300), `(40), `(10), `\"\t% f:1:1+1\n"
		"\tq:[float] = if true {\n"
		"\t\tyield e2\n"
		"\t} {\n"
		"\t\tz:[float] = call ++ sm, r\n"
		"\t\tyield z\n"
		"\t}\n"
		"\tw:[bool] = seq true, false\n"
		"\tk:[float], l:[int] = pack w, q, e\n"
		"\tt:float = clock\n"
		"\tu:float = clock k, 3, s\n"
		"\tyield k\n"
		"}\n"
		"entry expr it = it : float {\t% mxv.nesl:5:1+9\n"
		"\tyield 1.0\n"
		"}\n"
		"entry assign (a, b) = it, m : float, [[(int, float)]] {\n"
		"\tc:[[(int, float)]] = cell m\n"
		"\tyield 4.0, c\n"
		"}\n"
		"entry def f : a -> [b] :: (a in number)\t% f.nesl:1:10+1\n"},
	{&normal_ir,
		"unit normal\n"
		"rec fun f(v:[int], k:float) -> int rows g {\n"
		"\tn:int = length v\n"
		"\tyield n\n"
		"}\n"
		"fun g(vs:[[int]]) -> [int] {\n"
		"\tv:[int] = flatten vs\n"
		"\tyield v\n"
		"}\n"},
	{&flan_ir,
		"unit flan\n"
		"cell it : [[(int, float)]]\n"
		"fun f(c:<bool>, x:<int>) -> int {\n"
		"\tcheck^ index-range c, x, 3 | 2, x, 0, x, -2, 0\t% a:1:2+3\n"
		"\tcheck domain true | -1\n"
		"\tyield -9223372036854775808\n"
		"}\n"
		"fun nothing() -> {\n"
		"}\n"
		"entry expr it = it : [[(int, float)]] {\n"
		"\ts:segdes, i:<int>, x:<float> = cell it\n"
		"\tcall nothing\n"
		"\to:<char> = effect object_text \"[[(int, float)]]\" s, i, x\n"
		"\th:int, e:<char> = effect stream_open \"[char]\" o, 0\n"
		"\tyield s, i, x\n"
		"}\n"},
	{&lcu_ir,
		"unit lcu\n"
		"fun mxv(s:segdes, is:<int>, xs:<float>, vs:<float>) -> <float> {\n"
		"\tn:int = rows s\n"
		"\tt:<float> = task t_sum n, s {\t% m.nesl:1:2+3\n"
		"\t\ti:int = load@2 is\n"
		"\t\tx:float = load@2 xs\n"
		"\t\tv:float = fetch@2 vs, i\n"
		"\t\tc:bool = lt@2 i, n\n"
		"\t\tcheck@2 index-range c, i, n\t% m.nesl:1:9+3\n"
		"\t\te:float = mul@2 x, v\n"
		"\t\tr:float = sum@2 e\n"
		"\t\to:<float> = store@1 r\n"
		"\t\tyield o\n"
		"\t}\n"
		"\thost_check div-by-zero true\n"
		"\tyield t\n"
		"}\n"},
	{&flan_ir,
		"unit flan\n"
		"rec scalar fun at(v:<int>, s:segdes, i:nat) -> int, bool {\n"
		"\tn:int = row_length s, i\n"
		"\tc:bool = lt i, n\n"
		"\tx:int, b:bool = if c {\n"
		"\t\tcheck domain c\n"
		"\t\te:int = elem v, i\n"
		"\t\tyield e, c\n"
		"\t} {\n"
		"\t\ty:int, d:bool = call at v, s, n\n"
		"\t\tyield y, d\n"
		"\t}\n"
		"\tyield x, b\n"
		"}\n"
		"fun f(n:int, v:<nat>, s:segdes) -> <int>, <bool> {\n"
		"\tx:<nat>, b:<bool> = call^ at n, v, s, v | s, 0\n"
		"\ty:<int>, c:<bool> = call^ at n, v, s, 0\n"
		"\tyield x, c\n"
		"}\n"},
	{&flan_ir,
		"unit flan\n"
		"scalar fun by(w:<int>, a:int, b:bool, c:int, d:bool) -> int, bool {\n"
		"\tx:int = elem w, c\n"
		"\tyield x, b\n"
		"}\n"
		"rec fun g(w:<int>, i:int, j:bool, v:<int>, u:<bool>, n:int) -> <int>, <bool>, int, bool scans by {\n"
		"\tyield v, u, i, j\n"
		"}\n"},
	{&flan_ir,
		"unit flan\n"
		"fun g(n:int, v:<int>, x:<int>, y:<nat>, z:<int>, w:<float>, k:float, from:int, to:int, s:<bool>) -> segdes, <int>, <int> nested f {\n"
		"\tq:segdes = segdes y\n"
		"\tp:<int> = gather z, v\n"
		"\tyield q, p, y\n"
		"}\n"
		"nested rec fun f(v:int, x:[(int, float)], k:float, s:[bool]) -> ([int], int) {\n"
		"\tn:int = length s\n"
		"\tb:bool = eq n, v\n"
		"\tr:([int], int) = if b {\n"
		"\t\ty:[int] = foreach x {\n"
		"\t\t\t(e:(int, float))\n"
		"\t\t\ti:int = fst e\n"
		"\t\t\tyield i\n"
		"\t\t}\n"
		"\t\tz:([int], int) = pair y, n\n"
		"\t\tyield z\n"
		"\t} {\n"
		"\t\tw:([int], int) = call f n, x, k, s\n"
		"\t\tyield w\n"
		"\t}\n"
		"\tyield r\n"
		"}\n"},
	{&mem_ir,
		"unit mem\n"
		"scalar fun g(a:int, w:<int>) -> int {\n"
		"\tx:int = elem w, a\n"
		"\thost_check domain true\n"
		"\tyield x\n"
		"}\n"
		"fun f(n:int, v:<int>) -> <int> {\n"
		"\ti:int = call g 0, v\n"
		"\tr:<int> = task t n {\n"
		"\t\ta:int = load@1 v\n"
		"\t\tb:int = call@1 g a, v | 0\n"
		"\t\tc:int = call@1 g i, v\n"
		"\t\to:<int> = store@1 b\n"
		"\t\tyield o\n"
		"\t}\n"
		"\tfree v\n"
		"\tyield r\n"
		"}\n"},
	{&mem_ir,
		"unit mem\n"
		"fun f(x:<int>, c:bool) -> <int> or x {\n"
		"\ty:<int> = vector 1, 2\n"
		"\tz:<int> = if c {\n"
		"\t\tfree y\n"
		"\t\tretain x\n"
		"\t\tfree x\n"
		"\t\tyield x\n"
		"\t} {\n"
		"\t\tfree x\n"
		"\t\tyield y\n"
		"\t}\n"
		"\tyield z\n"
		"}\n"},
};

START_TEST(programs)
{
	expect_same(whole[_i].ir, whole[_i].text);
}
END_TEST

/* Names that would be read as something else, or not at all, are changed; equal ones told apart. */
START_TEST(naming)
{
	Arena *a = arena_new();
	Program *p = program_new(a, names_new(a), &flan_ir);
	Fun *f = p->funs = NEW(a, Fun, 1);
	const char *hint[] = {"x", "x", "x_2", "inf", "x'", "3", "", "yield", "x"};
	const char *want[] = {"x", "x_2", "x_3", "inf_2", "x_", "t3", "t", "yield_2", "x_4"};
	f->name = "f";
	f->body = block_new(p);
	f->param = NEW(a, Var *, 9);
	for (f->nparam = 0; f->nparam < 9; f->nparam++)
		f->param[f->nparam] = var_new(p, hint[f->nparam], &ty_int);
	for (int round = 0; round < 2; round++) {
		ir_name(p);
		for (int i = 0; i < 9; i++)
			ck_assert_str_eq(f->param[i]->name, want[i]);
	}
	arena_free(a);
}
END_TEST

/* -- what is refused -------------------------------------------------------------------------- */
static const struct {
	const char *text, *message;
} unread[] = {
	{"", "expected unit normal"},
	{"unit flan\n", "expected unit normal"},
	{"unit normal\nfun f(x:int, x:int) -> int {\n\tyield x\n}\n", "in:2:19: error[syntax]: bound twice: x"},
	{"unit normal\nfun f(x:int) -> int {\n\tyield y\n}\n", "in:3:8: error[syntax]: unbound variable: y"},
	{"unit normal\nfun f(x:int) -> int {\n\ty:int = foo x\n}\n", "in:3:10: error[syntax]: no such operator: foo"},
	{"unit normal\nfun f(x:<segdes>) -> int {\n}\n", "a vector holds scalars only"},
	{"unit normal\nfun f(x:in) -> int {\n}\n", "expected a type"},
	{"unit normal\nfun f(x:int) -> nat {\n}\n", "expected a type"},
	{"unit normal\ncell c : [(int, <int>)]\n", "in:2:23: error[syntax]: a sequence holds no vectors and descriptors"},
	{"unit normal\ncell c : (int, segdes)\n", "a cell holds no vectors and descriptors"},
	{"unit normal\nfun f(x:natural) -> int {\n}\n", "expected a type"},
	{"unit normal\nfun f(x:int) -> int {\n\ty:int = add x, 99999999999999999999\n}\n", "bad number"},
	{"unit normal\nfun f(x:int) -> int {\n\ty:int = add x, 1x\n}\n", "bad number: 1x"},
	{"unit normal\nfun f(x:int) -> int {\n\ty:[char] = string \"a\n}\n", "expected \""},
	{"unit normal\nfun f(x:int) -> int {\n\ty:[char] = string \"\\q\"\n}\n", "bad escape"},
	{"unit normal\nfun f(x:int) -> int {\n\ty:int = add x, 1 z\n}\n", "expected the end of the line"},
	{"unit normal\nfun f(x:int) -> int {\n", "expected an operator or }"},
	{"unit normal\nentry expr it = it : int {\n}\n", "no such cell: it"},
	{"unit normal\ncell x : int\ncell x : int\n", "cell declared twice: x"},
	{"unit normal\nfoo\n", "expected input, cell, fun or entry"},
};

START_TEST(unreadable)
{
	IrCase *c = case_read(&normal_ir, unread[_i].text);
	ck_assert_ptr_null(c->u.ir);
	ck_assert_msg(strstr(c->said, unread[_i].message) != NULL, "%s", c->said);
	ck_assert_int_eq(diag_errors(c->u.diag), 1);
	case_end(c);
}
END_TEST

#define ROWS_OF_H "yield x\n}\nfun g(n:int, a:<int>, b:<int>, w:<int>) -> segdes, <int> nested h {\ny:segdes = segdes b\nyield y, w\n}\n"
#define SCAN_BY_H(params, results, yields) \
	"yield x\n}\nfun g(" params ") -> " results " scans h {\nyield " yields "\n}\nscalar fun h("
#define SCALAR_G "\n}\nscalar fun g(a:int, w:<int>) -> int {\nyield a"

/* The body of fun f(x:int, c:bool, v:<int>, s:segdes) -> int, or for normal v:[int] and no s. */
static const struct {
	const Ir *ir;
	const char *body, *message;
} bad[] = {
	{&normal_ir, "y:int = add x, 1.0\nyield y", "in f: y = add: operands do not fit nn:n"},
	{&normal_ir, "y:float = add x, 1\nyield x", "results do not fit nn:n"},
	{&normal_ir, "y:int = add x\nyield x", "operands do not fit"},
	{&normal_ir, "y:int = add y, 1\nyield y", "y is not bound here"},
	{&normal_ir, "y:int = add^ x, x\nyield y", "never lifted"},
	{&normal_ir, "y:bool = rand_seed x\nyield x", "stands in library code only"},
	{&normal_ir, "y:int = add@1 x, x\nyield y", "in no task"},
	{&normal_ir, "r:[bool] = foreach v {\n(y:int)\np:[char] = stream_close y\nn:int = length p\nb:bool = eq n, 0\nyield b\n}\n"
		"yield x", "stream_close: is serial, so it cannot stand in a foreach"},
	{&normal_ir, "r:[int] = foreach v {\n(y:int)\nz:int = call g y\nyield z\n}\nyield x\n}\n"
		"fun g(x:int) -> int {\nz:int = call h x\nyield z\n}\n"
		"fun h(x:int) -> int {\np:[char] = stream_close x\nn:int = length p\nyield n",
		"call g: is serial, so it cannot stand in a foreach"},
	{&normal_ir, "yield c", "results of a block: bool, not int"},
	{&normal_ir, "yield x, x", "2 results of a block, not 1"},
	{&normal_ir, "y:int = if c {\nz:int = neg x\nyield z\n} {\nyield z\n}\nyield y", "z is not bound here"},
	{&normal_ir, "y:int = if c {\nyield x\n} {\nyield c\n}\nyield y", "results of a block: bool, not int"},
	{&normal_ir, "y:int = if c {\nyield x\n}\nyield y", "1 blocks, not 2"},
	{&normal_ir, "y:int = if x {\nyield x\n} {\nyield x\n}\nyield y", "one bool"},
	{&normal_ir, "y:[int] = foreach v {\n(e:float)\nyield x\n}\nyield x", "e is no element of operand 1"},
	{&normal_ir, "y:[int] = foreach v {\nyield x\n}\nyield x", "0 block parameters, not 1"},
	{&normal_ir, "y:[int] = foreach v {\n(e:int)\nyield c\n}\nyield x", "bool, not int"},
	{&normal_ir, "y:[int] = pack v, v\nyield x", "wants [bool] and sequences"},
	{&normal_ir, "y:int = call g x\nyield y", "no function g"},
	{&normal_ir, "y:int = call f x\nyield y", "1 arguments, not 3"},
	{&normal_ir, "y:int = cell g\nyield y", "no cell g"},
	{&flan_ir, "y:int = add^ x, x\nyield y", "lifted, but no vector"},
	{&flan_ir, "y:int = add^ v, x\nyield y", "lifted, but no vector"},
	{&flan_ir, "y:<int> = sum^ v, v\nyield x", "operands do not fit S<n>:<n>"},
	{&flan_ir, "check index-range x\nyield x", "wants a condition"},
	{&flan_ir, "check^ index-range c\nyield x", "wants a condition"},
	{&flan_ir, "check index-range c, x, x, x, x\nyield x", "wants a condition"},
	{&normal_ir, "y:int = call f x, c, v | 0\nyield y", "has no way out"},
	{&flan_ir, "y:int = add x, x | 0\nyield y", "has no way out"},
	{&flan_ir, "check domain c | y\nyield x", "unbound variable: y"},
	{&flan_ir, "check domain c | v, s, 0, -5\nyield x", "step 4 of the way out is none"},
	{&flan_ir, "check domain c | v, s, 0, -4\nyield x", "step 4 of the way out wants an element and a descriptor behind it"},
	{&flan_ir, "check domain c | -4, -1, s, 0\nyield x", "step 1 of the way out wants an element and a descriptor behind it"},
	{&flan_ir, "check domain c | -4, 2, v, 0\nyield x", "step 1 of the way out wants an element and a descriptor behind it"},
	{&flan_ir, "check domain c | -4, x, s, 0\nyield x", "step 1 of the way out wants an element and a descriptor behind it"},
	{&flan_ir, "check domain c | 1.0\nyield x", "step 1 of the way out is none"},
	{&flan_ir, "check domain c | x\nyield x", "x is no step of a way out"},
	{&flan_ir, "check domain c | -1, v\nyield x", "the way out is lost, but goes on"},
	{&flan_ir, "check domain c | v, 2, s\nyield x", "step 2 of the way out wants 2 behind it"},
	{&flan_ir, "check domain c | 2, s, -2, 0\nyield x", "step 1 of the way out wants 2 behind it"},
	{&flan_ir, "check domain c | v, -3, x, 1\nyield x", "step 2 of the way out wants the ways of two parts behind it"},
	{&flan_ir, "check domain c | -3, x, 1, 2, v, s\nyield x", "step 1 of the way out wants the ways of two parts behind it"},
	{&flan_ir, "check domain c | -3, x, 0, -1, v\nyield x", "step 1 of the way out wants the ways of two parts behind it"},
	{&flan_ir, "check domain c | -3, v, 0, 0\nyield x", "step 1 of the way out wants the ways of two parts behind it"},
	{&flan_ir, "check domain c | -3, x, 2, 1, -1, 0, 0\nyield x", "the way out is lost, but goes on"},
	{&flan_ir, "check domain c | -3, x, 1, 1, 1, v\nyield x", "step 5 of the way out wants 1 behind it"},
	{&lcu_ir, "task t x {\ny:<bool> = store@1 c\ncheck@1 domain c | y\n}\nyield x", "y is no step of a way out"},
	{&lcu_ir, "task t x {\ny:<int> = store@1 x\ncheck@1 domain c | y\n}\nyield x", "y is not there before the task ends"},
	{&flan_ir, "y:int = clock v\nyield y", "wants anything, and gives a float"},
	{&lcu_ir, "task t x {\ny:float = clock\n}\nyield x", "not inside a task"},
	{&flan_ir, "y:<char> = effect sum \"int\" x\nyield x", "no effect sum"},
	{&flan_ir, "y:<char> = effect object_text \"[int\" v\nyield x", "wants the type of its first operand"},
	{&flan_ir, "y:<char> = effect object_text \"[[int]]\" v\nyield x", "1 operands, not 2"},
	{&flan_ir, "y:<char> = effect object_text \"[float]\" v\nyield x", "operands: <int>, not <float>"},
	{&flan_ir, "y:int = effect object_text \"[int]\" v\nyield y", "results: int, not <char>"},
	{&flan_ir, "y:int, z:<char> = effect stream_object \"int\" x, c\nyield y", "operands: bool, not int"},
	{&flan_ir, "effect object_text \"int\" x\nyield x", "0 results, not 1"},
	{&lcu_ir, "task t x {\ny:<char> = effect object_text \"int\" x\n}\nyield x", "not inside a task"},
	{&lcu_ir, "y:int = load v\nyield y", "only inside a task"},
	/* kinds of descriptors */
	{&flan_ir, "u:uniform = uniform x, x\nyield x", "results do not fit ii:S"},
	{&lcu_ir, "u:segdes = uniform x, x\nyield x", "results do not fit ii:U"},
	{&lcu_ir, "u:uniform = concat s, s\nyield x", "results do not fit S*:S"},
	{&lcu_ir, "u:uniform = uniform x, x\nt:segdes = concat s, uniform u\nyield x", "operands do not fit S*:S"},
	{&lcu_ir, "u:segdes = offsets s\nyield x", "operands do not fit U:S"},
	{&lcu_ir, "y:int = row_length uniform s, 0\nyield y", "not uniform: s"},
	{&lcu_ir, "u:uniform = uniform x, x\ny:int = row_length uniform u, 0\nyield y", "operands do not fit Si:i"},
	{&lcu_ir, "u:uniform = if c {\ny:uniform = uniform x, x\nyield uniform y\n} {\nz:uniform = uniform x, 1\n"
		"yield uniform z\n}\nyield x", "yields a uniform descriptor"},
	{&lcu_ir, "u:uniform = uniform x, x\ny:int = call f x, c, v, uniform u\nyield y", "arguments: uniform, not segdes"},
	{&flan_ir, "yield x\n}\nfun g(u:uniform) -> int {\nyield 1", "u is uniform: where kinds of descriptors meet they are offsets"},
	{&lcu_ir, "yield x\n}\nfun g(u:uniform) -> int {\nyield 1", "u is uniform"},
	{&mem_ir, "u:uniform = uniform x, x\nfree uniform u\nyield x", "wants one vector or descriptor"},
	{&lcu_ir, "y:int = sum x\nyield y", "only inside a task"},
	{&lcu_ir, "free v\nyield x", "only in mem"},
	{&lcu_ir, "counted v\nyield x", "wants one descriptor"},
	{&lcu_ir, "task t x {\ny:int = load@2 v\n}\nyield x", "level 2, but the task has 1"},
	{&lcu_ir, "task t x {\ny:int = load v\n}\nyield x", "level 0, but the task has 1"},
	{&lcu_ir, "task t x {\ny:int = length@1 v\n}\nyield x", "not inside a task"},
	{&lcu_ir, "task t x, s {\ny:int = inner@1\n}\nyield x", "only at level 2"},
	{&lcu_ir, "task t x, s {\ny:int = load@2 v\nz:int = neg@1 y\n}\nyield x", "y is of level 2"},
	{&lcu_ir, "a:<int> = task t x {\ny:int = load@1 v\nb:bool = gt@1 y, 0\nz:<int> = keep@1 b, y, y\nyield z\n}\nyield x", "y is of level 1"},
	{&lcu_ir, "a:segdes = task t x {\ny:int = load@1 v\nb:bool = gt@1 y, 0\nz:segdes = keep_lengths@1 b, y, 3, y\nyield z\n}\nyield x", "y is of level 1"},
	{&lcu_ir, "a:<int> = task t x {\ny:int = load@1 v\nz:<int> = keep@1 true, y, 1.5\nyield z\n}\nyield x", "operands do not fit bxh?:<x>"},
	{&lcu_ir, "a:<int> = task t x {\ny:int = load@1 v\nz:<int> = keep@1 true, y, 1, 1\nyield z\n}\nyield x", "operands do not fit bxh?:<x>"},
	{&flan_ir, "b:<bool> = gt^ v, 0\ny:<int>, z:<int> = split b, true\nyield x", "operands do not fit <b>i?:<i><i>"},
	{&lcu_ir, "task t x, s {\ny:int = load@1 v\nz:<int> = store@1 y\n}\nyield x", "1 sinks, but 0 results"},
	{&flan_ir, "yield x\n}\nscalar fun g(a:<int>) -> <int> {\nyield a", "g is scalar, but its result 1 is not"},
	{&lcu_ir, "y:<int>, z:<int> = task t x {\na:<int> = store@1 x\nyield a, a\n}\nyield x", "result 2 is not made by a sink of this task, or yielded twice"},
	{&lcu_ir, "y:int = task t x {\nz:int = load@1 v\nyield z\n}\nyield y", "not made by a sink"},
	{&lcu_ir, "a:<int>, b:<int> = task t x {\nz:<int> = store@1 x\nyield z, z\n}\nyield x", "yielded twice"},
	{&lcu_ir, "a:<bool> = task t x {\nz:<int> = store@1 x\nyield z\n}\nyield x", "results of the task: <int>"},
	{&lcu_ir, "a:<int> = task t x {\nz:<int> = store@1 x\ny:int = load@1 z\nyield z\n}\nyield x",
		"z is not there before the task ends"},
	{&lcu_ir, "task t v {\n}\nyield x", "wants an int, and perhaps a descriptor"},
	{&lcu_ir, "task t x {\ny:int = if c {\nyield x\n} {\nyield x\n}\n}\nyield x", "not inside a task"},
	{&flan_ir, "y:int = add x, 1 {\nyield x\n}\nyield y", "takes no block"},
	{&normal_ir, "y:int, z:int = call f x, c, v\nyield y", "2 results, not 1"},
	{&normal_ir, "y:bool = call f x, c, v\nyield x", "results: bool, not int"},
	{&normal_ir, "y:int = call f c, c, v\nyield y", "arguments: bool, not int"},
	{&normal_ir, "y:int = cell q x\nyield y\n}\ncell q : int\nfun g(x:int) -> int {\nyield x", "wants no operands"},
	{&normal_ir, "yield x\n}\ncell q : int\nentry expr q = q : 9[int] {\nyield 1", "in q: it is printed as 9[int], which its value is not"},
	{&normal_ir, "yield x\n}\ncell q : int\nentry expr q = q : int, int {\nyield 1", "in q: it is printed as int, int, which its value is not"},
	{&flan_ir, "yield x\n}\ncell q : [[int]]\nentry expr q = q : [[float]] {\nr:segdes, w:<int> = cell q\nyield r, w",
		"in q: it is printed as [[float]], which its value is not"},
	{&normal_ir, "y:bool = cell q\nyield x\n}\ncell q : int\nfun g(x:int) -> int {\nyield x", "results: bool, not int"},
	{&normal_ir, "y:[int] = foreach {\nyield x\n}\nyield x", "wants sequences, and gives one"},
	{&normal_ir, "y:int = foreach v {\n(e:int)\nyield e\n}\nyield x", "wants sequences, and gives one"},
	{&normal_ir, "yield x\n}\nfun f(x:int) -> int {\nyield x", "two functions are called f"},
	{&normal_ir, "yield x\n}\ncell q : int\nentry expr q = q : int {\nyield true", "in q: results of a block: bool, not int"},
	{&flan_ir, "check domain c | true\nyield x", "step 1 of the way out is none"},
	{&flan_ir, "check domain c | y\ny:<int> = iota x\nyield x", "unbound variable: y"},
	{&lcu_ir, "task t x {\n(y:int)\n}\nyield x", "the block has parameters"},
	/* in nested form */
	{&flan_ir, "yield x\n}\nfun g(n:int) -> int nested h {\nyield n", "g: no function h is nested"},
	{&normal_ir, "yield x\n}\nnested fun h(a:int) -> int {\nyield a", "expected input, cell, fun or entry"},
	{&flan_ir, "yield x\n}\nnested fun h(a:[int]) -> int {\nb:[int] = sort a\nyield 1", "sort: has no nested form"},
	{&flan_ir, "yield x\n}\nnested fun h(a:[int]) -> int {\nb:int = sum v\nyield b", "unbound variable: v"},
	{&flan_ir, "yield x\n}\nnested fun h(a:[int]) -> int, int {\nyield 1, 2", "h: is nested, but does not have one result"},
	{&flan_ir, ROWS_OF_H "nested fun h(a:[int]) -> [float] {\nb:[float] = seq\nyield b", "g: is not for rows what h is for one"},
	{&flan_ir, ROWS_OF_H "nested fun h(a:[int], b:int) -> [int] {\nyield a", "g: is not for rows what h is for one"},
	{&flan_ir, ROWS_OF_H "nested fun h(a:[float]) -> [int] {\nb:[int] = seq\nyield b", "g: is not for rows what h is for one"},
	{&flan_ir, ROWS_OF_H "nested fun h(a:[[int]]) -> [int] {\nb:[int] = flatten a\nyield b", "g: is not for rows what h is for one"},
	/* scans */
	{&flan_ir, "yield x\n}\nfun g(i:int, a:<int>) -> <int>, int scans h {\nyield a, i", "g: there is no function h to scan by"},
	{&normal_ir, "yield x\n}\nfun g(i:int, a:[int]) -> ([int], int) scans h {\np:([int], int) = pair a, i\nyield p\n}\n"
		"fun h(a:int, b:bool) -> int {\nyield a", "g: is no scan by h"},
	{&normal_ir, "yield x\n}\nfun g(k:int, i:bool, a:[bool]) -> ([bool], bool) scans h {\np:([bool], bool) = pair a, i\nyield p\n}\n"
		"fun h(k:bool, a:bool, b:bool) -> bool {\nyield a", "g: is no scan by h"},
	{&normal_ir, "yield x\n}\nfun g(i:int, a:[int]) -> (int, [int]) scans h {\np:(int, [int]) = pair i, a\nyield p\n}\n"
		"fun h(a:int, b:int) -> int {\nyield a", "g: is no scan by h"},
	{&flan_ir, "yield x\n}\nfun g(i:int, a:<int>) -> <int>, int scans h {\nyield a, i\n}\nfun h(a:int, b:int) -> int {\nyield a",
		"g: is no scan by h"},
	{&flan_ir, SCAN_BY_H("i:int, a:<int>", "<int>, int", "a, i") "a:int, b:int, c:int) -> int {\nyield a", "g: is no scan by h"},
	{&flan_ir, SCAN_BY_H("i:int, a:<bool>", "<bool>, int", "a, i") "a:int, b:int) -> int {\nyield a", "g: is no scan by h"},
	{&flan_ir, SCAN_BY_H("i:int, a:<int>", "int, <int>", "i, a") "a:int, b:int) -> int {\nyield a", "g: is no scan by h"},
	{&flan_ir, SCAN_BY_H("k:bool, i:int, a:<int>", "<int>, int", "a, i") "k:int, a:int, b:int) -> int {\nyield a", "g: is no scan by h"},
	/* rows */
	{&normal_ir, "yield x\n}\nfun g(a:int) -> int rows h {\nyield a", "g: there is no function h for its rows"},
	{&normal_ir, "yield x\n}\nfun g(a:int) -> int rows h {\nyield a\n}\nfun h(a:int) -> [int] {\nb:[int] = seq a\nyield b", "g: h is not for its rows"},
	{&normal_ir, "yield x\n}\nfun g(a:int) -> int rows h {\nyield a\n}\nfun h(a:[int]) -> int {\nb:int = length a\nyield b", "g: h is not for its rows"},
	{&normal_ir, "yield x\n}\nfun g(a:int, b:int) -> int rows h {\nyield a\n}\nfun h(a:[int], b:[int]) -> [int] {\nyield a", "g: h is not for its rows"},
	{&normal_ir, "yield x\n}\nfun g() -> int rows h {\nyield 1\n}\nfun h(a:[int]) -> [int] {\nyield a", "g: h is not for its rows"},
	{&flan_ir, "yield x\n}\nfun g(a:int) -> int rows h {\nyield a\n}\nfun h(a:<int>) -> <int> {\nyield a", "g: h is not for its rows"},
	/* scalar functions */
	{&flan_ir, "yield x\n}\nscalar fun g(a:int) -> int {\nw:<int> = iota a\nyield a", "no scalar code"},
	{&flan_ir, "yield x\n}\nscalar fun g(w:<int>) -> int {\na:int = sum w\nyield a", "no scalar code"},
	{&flan_ir, "yield x\n}\nscalar fun g(w:<int>) -> int {\na:<int> = neg^ w\nyield 1", "no scalar code"},
	{&flan_ir, "yield x\n}\nscalar fun g(a:int) -> int {\ncheck domain true | 0\nyield a", "no scalar code"},
	{&flan_ir, "yield x\n}\nscalar fun g(w:<int>, c:bool) -> int {\na:<int> = if c {\nyield w\n} {\nyield w\n}\nyield 1",
		"a is no scalar"},
	{&flan_ir, "yield x\n}\nscalar fun g(w:<int>) -> <int> {\nyield w", "its result 1 is not"},
	{&flan_ir, "yield x\n}\nscalar fun g(c:bool) -> {\ncheck domain c", "g is scalar, but has no result"},
	{&flan_ir, "yield x\n}\nscalar fun g(c:bool, v:<int>, s:segdes) -> int {\na:int = call f 1, c, v, s\nyield a",
		"f is no scalar function"},
	{&normal_ir, "yield x\n}\nscalar fun g(a:int) -> int {\nyield a", "scalar functions are flan's"},
	{&flan_ir, "y:<int> = call^ f x, v, c, v, s\nyield x", "f is no scalar function"},
	{&flan_ir, "y:<int> = call^ g v, x, v\nyield x" SCALAR_G, "wants a count"},
	{&flan_ir, "y:int = call^ g x, x, v\nyield y" SCALAR_G, "wants a count, and gives vectors"},
	{&flan_ir, "y:<int> = call^ g x, v, x\nyield x" SCALAR_G, "arguments: int, not <int>"},
	{&flan_ir, "y:<bool> = call^ g x, v, v\nyield x" SCALAR_G, "results: bool, not int"},
	{&lcu_ir, "y:<int> = task t x {\na:int = call@1 f x, c, v, s\nb:<int> = store@1 a\nyield b\n}\nyield x",
		"f is no scalar function"},
	{&lcu_ir, "y:<int> = task t x {\na:int = load@1 v\nb:<int> = store@1 a\nd:int = call@1 g a, b\nyield b\n}\nyield x"
		SCALAR_G, "b is not there before the task ends"},
	{&lcu_ir, "y:int = call@1 g x, v\nyield y" SCALAR_G, "a level, but in no task"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nscalar fun g(a:int, w:<int>) -> int {\nfree w\nyield a", "no scalar code"},
	{&mem_ir, "free s\ny:int = call g x, v\nyield y" SCALAR_G, "v: never given up"},
	{&mem_ir, "free x\nyield x", "wants one vector or descriptor"},
	{&mem_ir, "y:<int> = cell q\nfree y\nfree v\nfree s\nyield x\n}\ncell q : [int]\nfun g(x:int) -> int {\nyield x",
		"y: given up, but not owned"},
	{&mem_ir, "free v\nfree s\nyield x\n}\ncell q : [int]\nentry expr it = q : [int] {\ny:<int> = cell q\nforget q\nz:int = length y\nw:<int> = vector z\nyield w", "y: used after it was given up"},
	{&mem_ir, "free v\nfree s\nyield x\n}\ncell q : [int]\nentry expr it = q : [int] {\ny:<int> = cell q\nretain y\nforget q\nw:<int> = vector 1\nyield w", "y: never given up"},
	{&mem_ir, "free v\nfree s\nforget q\nyield x\n}\ncell q : [int]\nfun g(x:int) -> int {\nyield x", "q: forgotten, but not by an entry's own block"},
	{&mem_ir, "free v\nfree s\nyield x\n}\ncell q : [int]\nentry expr it = q : [int] {\nif true {\nforget q\n} {\n}\ny:<int> = vector 1\nyield y", "q: forgotten, but not by"},
	{&mem_ir, "free v\nfree s\nyield x\n}\ncell q : [int]\nentry expr it = q : [int] {\ny:<int> = cell q\nretain y\nforget q\nyield y\n}\nentry expr it = q : [int] {\n"
		"y:<int> = cell q\nretain y\nyield y", "q: read after it was forgotten"},
	{&mem_ir, "free v\nfree s\ny:<int> = cell q\nyield x\n}\ncell q : [int]\nentry expr it = q : [int] {\nforget q\ny:<int> = vector 1\nyield y", "q: forgotten, but functions read it"},
	{&mem_ir, "free v\nfree s\nforget p\nyield x\n}\ncell q : [int]\nfun g(x:int) -> int {\nyield x", "no cell p"},
	{&mem_ir, "free v\nfree s\nforget q x\nyield x\n}\ncell q : [int]\nfun g(x:int) -> int {\nyield x", "wants no operands, and gives nothing"},
	{&lcu_ir, "forget q\nyield x\n}\ncell q : [int]\nfun g(x:int) -> int {\nyield x", "only in mem"},
	/* what is lent is not the function's to give up, and stays the caller's */
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(&w:<int>) -> int {\nfree w\nyield 1", "w: given up, but not owned"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(&w:<int>) -> <int> {\nyield w", "w: given up, but not owned"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(&w:<int>) -> int {\nretain w\nyield 1", "w: never given up"},
	{&mem_ir, "free s\ny:int = call g v\nyield y\n}\nfun g(&w:<int>) -> int {\nyield 1", "v: never given up"},
	{&mem_ir, "free s\nfree v\ny:int = call g v\nyield y\n}\nfun g(&w:<int>) -> int {\nyield 1", "v: used after it was given up"},
	{&mem_ir, "free s\ny:int = call g v\nfree v\nyield y\n}\nfun g(&w:<int>) -> int {\ny:int = call h w\nyield y\n}\n"
		"fun h(w:<int>) -> int {\nfree w\nyield 1", "w: given up, but not owned"},
	{&lcu_ir, "yield x\n}\nfun g(&w:<int>) -> int {\nyield 1", "only an array is lent, in mem"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(&a:int) -> int {\nyield 1", "only an array is lent"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nscalar fun g(&w:<int>) -> int {\nyield 1", "not to a scalar function: w"},
	/* what may be given back is said, what comes by other functions too */
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(w:<int>) -> <int> {\nyield w", "w: given back, but the function does not say so"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(w:<int>, a:<int>) -> <int> or w, <int> or w {\nyield w, a", "a: given back, but"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(w:<int>, a:bool) -> <int> {\ny:<int> = if a {\nfree w\nz:<int> = vector 1\nyield z\n} {\nyield w\n}\nyield y",
		"w: given back, but"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(&w:<int>) -> <int> {\ny:<int> = call h w\nyield y\n}\n"
		"fun h(&w:<int>) -> <int> or w {\nretain w\nyield w", "w: given back, but"},
	{&lcu_ir, "yield x\n}\nfun g(w:<int>) -> <int> or w {\nyield w", "only an array that a function is given is given back, in mem"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(w:<int>) -> <int> or a {\nyield w", "is given back, in mem: a"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nfun g(w:<int>) -> <float> or w {\nyield w", "is given back, in mem: w"},
	{&mem_ir, "free v\nfree s\nyield x\n}\nscalar fun g(w:<int>, a:int) -> int or a {\nyield a", "is given back, in mem: a"},
	{&mem_ir, "y:<int> = vector 1\nyield x", "y: never given up"},
	{&mem_ir, "y:<int> = vector 1\nfree y\nfree y\nyield x", "y: used after it was given up"},
	{&mem_ir, "y:<int> = vector 1\nfree y\nz:int = length y\nyield z", "y: used after it was given up"},
	{&mem_ir, "free v\nfree s\nfree v\nyield x", "v: used after it was given up"},
	{&mem_ir, "free s\nyield x", "v: never given up"},
	{&mem_ir, "retain v\nfree v\nfree s\nyield x", "v: never given up"},
	{&mem_ir, "free v\nfree s\ny:int = call f x, c, v, s\nyield y", "v: used after it was given up"},
	{&mem_ir, "y:int = call f x, c, v, s | s\nyield y", "s: used after it was given up"},
	{&mem_ir, "free v\nfree s\nhost_check domain c | v\nyield x", "v: used after it was given up"},
	{&mem_ir, "free v\nfree s\ntask t x {\ncheck@1 domain c | v\n}\nyield x", "v: used after it was given up"},
	{&mem_ir, "y:int = call f x, c, v, s\nz:int = length v\nyield y", "v: used after it was given up"},
	{&mem_ir, "y:<int> = vector 1\nz:<int> = extend y, v\nfree y\nyield x", "y: used after it was given up"},
	{&mem_ir, "y:segdes = extend_rows s, s\nfree v\nfree y\nfree s\nyield x", "s: used after it was given up"},
	{&mem_ir, "y:segdes = piece_rows s, 0, x\nfree v\nyield x", "y: never given up"},
	{&mem_ir, "y:segdes = piece_rows s, 0, x\nfree v\nfree y\nfree s\nyield x", "s: used after it was given up"},
	{&mem_ir, "y:<int> = piece v, 0, x\nfree s\nfree y\nz:int = length v\nyield z", "v: used after it was given up"},
	{&lcu_ir, "y:<int> = task t 1 {\na:int = load@1 v\nb:<int> = replace@1 a, v\nyield b\n}\nyield x", "only in mem"},
	{&lcu_ir, "reserve 0, x, 8\nyield x", "only in mem"},
	{&mem_ir, "reserve x, 8\nyield x", "a limit, and pairs of an int and a number"},
	{&mem_ir, "reserve 0, x, x\nyield x", "a limit, and pairs of an int and a number"},
	{&mem_ir, "reserve 0, x, 8, 1, -1\nyield x", "what ends is no array of it"},
	{&mem_ir, "reserve 0, x, 8, x, -1\nyield x", "what ends is no array of it"},
	{&mem_ir, "reserve 0, x, 8, 0, -1, x, 8, 0, -1\nyield x", "or ends twice"},
	{&mem_ir, "reserve 0, x, 8, 0, -2\nyield x", "what ends is no array of it"},
	{&mem_ir, "free s\ny:<int> = task t 1 {\na:int = load@1 v\nb:<int> = replace@1 a, v\nyield b\n}\nfree v\nyield x",
		"v: used after it was given up"},
	{&mem_ir, "free s\ny:<int>, z:<int> = task t 1 {\na:int = load@1 v\nb:<int> = replace@1 a, v\n"
		"d:<int> = replace@1 a, v\nyield b, d\n}\nfree y\nfree z\nyield x", "v: used otherwise than before"},
	{&mem_ir, "free s\ny:<int> = task t 1 {\na:int = fetch@1 v, x\nb:<int> = replace@1 a, v\nyield b\n}\nfree y\nyield x",
		"v: used otherwise than before"},
	{&mem_ir, "free s\ny:<int>, z:<int> = task t 1 {\na:int = load@1 v\nb:<int> = replace@1 a, v\n"
		"d:int = load@1 v\ne:<int> = store@1 d\nyield b, e\n}\nfree y\nfree z\nyield x", "v: used otherwise than before"},
	{&mem_ir, "free s\ny:<int> = task t 1 {\na:int = load@1 v\ncheck@1 domain c | v\nb:<int> = replace@1 a, v\nyield b\n}\n"
		"free y\nyield x", "v: replaced, but on a way out"},
	{&mem_ir, "y:<int> = task t 1, s {\na:int = load@1 v\nb:<int> = replace@1 a, v\nyield b\n}\nfree y\nfree s\nyield x",
		"v: replaced, but not at the deepest level"},
	{&mem_ir, "free s\ny:<bool> = task t 1 {\na:int = load@1 v\nd:bool = lt@1 a, 0\nb:<bool> = replace@1 d, v\nyield b\n}\nfree y\nyield x",
		"v: replaced by elements of another size"},
	{&mem_ir, "y:<int> = vector 1\nif c {\nfree y\n} {\n}\nyield x", "arms of an if"},
	{&mem_ir, "y:<int> = vector 1\nif c {\n} {\nfree y\n}\nyield x", "arms of an if"},
	{&mem_ir, "y:<int> = vector 1\nif c {\nfree y\n} {\nfree y\n}\nfree y\nyield x", "used after it was given up"},
	{&mem_ir, "y:<int> = vector 1\nfree y\ntask t x {\nz:int = load@1 y\n}\nyield x", "used after it was given up"},
};

START_TEST(refused)
{
	char text[1000];
	bool seq = bad[_i].ir == &normal_ir;
	sprintf(text, "unit %s\nfun f(x:int, c:bool, v:%s) -> int {\n%s\n}\n", bad[_i].ir->name,
		seq ? "[int]" : "<int>, s:segdes", bad[_i].body);
	IrCase *c = case_read(bad[_i].ir, text);
	if (c->u.ir)
		ck_assert_msg(strstr(case_check(c), bad[_i].message) != NULL, "%s\nsaid: %s", text, case_check(c));
	else
		ck_assert_msg(strstr(c->said, bad[_i].message) != NULL, "%s\nsaid: %s", text, c->said);
	case_end(c);
}
END_TEST

/* What no text says, as the reader refuses it: programs that a pass could make. */
typedef void Damage(Program *p, Bind *b);

static void foreign(Program *p, Bind *b) { b->arg[0] = opnd_var(var_new(p, "y", &ty_int)); b->arg[0].u.var->id = 99; }
static void rebound(Program *p, Bind *b) { (void)p; b->dst[0] = b->next->dst[0]; }
static void namesake(Program *p, Bind *b) { b->dst[0]->name = intern(p->names, "x"); }
static void unknown(Program *p, Bind *b) { (void)p; b->op = 999; }
static void nameless(Program *p, Bind *b) { (void)p; b->op = ir_find(&flan_ir, "call"); }
static void bodiless(Program *p, Bind *b) { (void)b; p->funs->body = NULL; }
static void alien(Program *p, Bind *b) { (void)p; b->dst[0]->id = -1; }

static const struct {
	Damage *damage;
	const char *message;
} damaged[] = {
	{foreign, "y is not bound here"}, {rebound, "z is bound twice"}, {namesake, "two variables are called x"},
	{unknown, "operator 999 is no row of flan"}, {nameless, "a name or text too many or missing"},
	{bodiless, "in f: no body"}, {alien, "y is no variable of this program"},
};

START_TEST(made_wrong)
{
	IrCase *c = case_read(&flan_ir, "unit flan\nfun f(x:int) -> int {\ny:int = neg x\nz:int = neg x\nyield x\n}\n");

	ck_assert_str_eq(case_check(c), "");
	damaged[_i].damage(c->u.ir, c->u.ir->funs->body->first);
	ck_assert_msg(strstr(case_check(c), damaged[_i].message) != NULL, "said: %s", case_check(c));
	case_end(c);
}
END_TEST

/* Whatever is cut off or doubled, the reader and the checker come back. */
START_TEST(garbage)
{
	const char *text = whole[_i].text;
	size_t n = strlen(text);
	for (size_t at = 0; at < n; at += 3)
		for (size_t skip = 0; skip < 40; skip += 13) {
			char *s = malloc(n + 1);
			size_t tail = at + skip < n ? at + skip : n;
			sprintf(s, "%.*s%s", (int)at, text, text + tail);
			IrCase *c = case_read(whole[_i].ir, s);
			ck_assert(c->u.ir || diag_errors(c->u.diag) == 1);
			if (c->u.ir)
				case_check(c);
			case_end(c);
			free(s);
		}
}
END_TEST

START_TEST(deep)
{
	static char text[200000];
	strcpy(text, "unit normal\nfun f(x:");
	memset(text + strlen(text), _i ? '[' : '(', 100000);
	IrCase *c = case_read(&normal_ir, text);
	ck_assert(strstr(c->said, "nested too deep") != NULL);
	case_end(c);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

Suite *
ir_suite(void)
{
	Suite *s = suite_create("ir");
	TCase *t = tcase_create("ir");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, rows, 0, 16);
	tcase_add_test(t, tables);
	tcase_add_loop_test(t, programs, 0, COUNT(whole));
	tcase_add_test(t, naming);
	tcase_add_loop_test(t, unreadable, 0, COUNT(unread));
	tcase_add_loop_test(t, refused, 0, COUNT(bad));
	tcase_add_loop_test(t, made_wrong, 0, COUNT(damaged));
	tcase_add_loop_test(t, garbage, 0, COUNT(whole));
	tcase_add_loop_test(t, deep, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
