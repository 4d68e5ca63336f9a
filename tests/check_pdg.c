/* check_pdg.c: the graph of what depends on what, as it is shown and as it is verified. */
#include "fuse/fuse.h"
#include "fuse/graph.h"
#include "tests/command.h"
#include "tests/rewrite.h"

Suite *pdg_suite(void);

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
pdg_suite(void)
{
	Suite *s = suite_create("pdg");
	TCase *t = tcase_create("pdg");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, the_graph_is_shown, 0, 2);
	tcase_add_loop_test(t, the_graph_is_verified, 0, sizeof broken / sizeof *broken);
	suite_add_tcase(s, t);
	return s;
}
