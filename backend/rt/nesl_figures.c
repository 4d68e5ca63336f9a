/* nesl_figures.c: counts and times of a run (nesl_figures.h). */
#include "nesl_figures.h"
#include <stdlib.h>

static void
json_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++)
		if ((unsigned char)*s < ' ')
			fprintf(out, "\\u%04x", (unsigned char)*s);
		else
			fprintf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
	fputc('"', out);
}

/* A figure below 0 was not counted: left out. */
static void
json_count(FILE *out, const char *key, i64 n)
{
	if (n >= 0)
		fprintf(out, ", \"%s\": %lld", key, (long long)n);
}

static void
json_counted(FILE *out, const i64 *counted)
{
	static const char *const key[NESL_COUNTED] = {"global_bytes", "global_requests", "sectors", "shared_requests",
		"bank_conflicts", "barriers", "atomics"};

	for (int k = 0; k < NESL_COUNTED; k++)
		json_count(out, key[k], counted[k]);
}

void
nesl_print_stats(FILE *out, const nesl_program *p, const nesl_memory_stats *m, const nesl_seconds *s)
{
	i64 launches = 0, bytes_read = 0, bytes_written = 0, counted[NESL_COUNTED] = {0}, any = 0;

	for (int k = 0; k < p->ntask; k++) {
		for (int i = 0; i < NESL_COUNTED; i++)
			any += counted[i] += p->task[k].counted[i];
		launches += p->task[k].launches;
		bytes_read += p->task[k].bytes_read;
		bytes_written += p->task[k].bytes_written;
	}
	fprintf(out, "{\"target\": ");
	json_string(out, p->target);
	fprintf(out, ", \"ran_on\": ");
	json_string(out, p->ran_on());
	json_count(out, "launches", launches);
	json_count(out, "host_syncs", m->host_syncs);
	json_count(out, "bytes_read", bytes_read);
	json_count(out, "bytes_written", bytes_written);
	json_count(out, "bytes_floor", m->bytes_floor);
	json_count(out, "peak_bytes", m->peak_bytes);
	json_count(out, "live_bytes_at_exit", m->live_bytes_at_exit);
	json_count(out, "bytes_swept", m->bytes_swept);
	json_count(out, "allocations", m->allocations);
	json_count(out, "allocations_reused", m->allocations_reused);
	json_count(out, "checks_done", m->checks_done);
	if (any)
		json_counted(out, counted);
	fprintf(out, ", \"seconds_input\": %.6f, \"seconds_compile\": %.6f, \"seconds_run\": %.6f, \"tasks\": [",
		s->input, s->compile, s->run);
	for (int k = 0; k < p->ntask; k++) {
		fprintf(out, "%s\n  {\"name\": ", k ? "," : "");
		json_string(out, p->task[k].name);
		fprintf(out, ", \"where\": ");
		json_string(out, p->task[k].where);
		fprintf(out, ", \"space\": ");
		json_string(out, p->task[k].space);
		json_count(out, "launches", p->task[k].launches);
		json_count(out, "bytes_read", p->task[k].bytes_read);
		json_count(out, "bytes_written", p->task[k].bytes_written);
		json_count(out, "lanes", p->task[k].lanes ? p->task[k].lanes : -1);
		if (any)
			json_counted(out, p->task[k].counted);
		fputc('}', out);
	}
	fprintf(out, "]}\n");
}

/* -- times of tasks ---------------------------------------------------------------------------- */
typedef struct {
	const nesl_task_stats *task;
	double began, seconds;
	int thread, threads;
} Run;

bool nesl_profiling;
static struct {
	Run *run;
	size_t n, room;
} profile;

void
nesl_profile_run(const nesl_task_stats *task, double began, double seconds, int thread, int threads)
{
	if (profile.n == profile.room) {
		profile.room = profile.room ? 2 * profile.room : 1024;
		profile.run = realloc(profile.run, profile.room * sizeof *profile.run);
		if (!profile.run)
			nesl_fail("out of memory");
	}
	profile.run[profile.n++] = (Run){task, began, seconds, thread, threads};
}

typedef struct {
	const nesl_task_stats *task;
	double seconds;
	i64 runs;
} Sum;

static int
longer_first(const void *a, const void *b)
{
	const Sum *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->task < y->task ? -1 : 1;
}

void
nesl_print_profile(FILE *out, const nesl_program *p, double seconds)
{
	Sum *sum = calloc((size_t)p->ntask + 1, sizeof *sum);
	double rest = seconds;

	if (!sum)
		nesl_fail("out of memory");
	for (int k = 0; k < p->ntask; k++)
		sum[k].task = &p->task[k];
	for (size_t i = 0; i < profile.n; i++) {
		Sum *s = &sum[profile.run[i].task - p->task];

		s->seconds += profile.run[i].seconds / profile.run[i].threads;
		s->runs++;
	}
	qsort(sum, (size_t)p->ntask, sizeof *sum, longer_first);
	fprintf(out, "   seconds     %%   launches     GB/s  task\n");
	for (int k = 0; k < p->ntask; k++) {
		const nesl_task_stats *t = sum[k].task;
		const double bytes = (double)(t->bytes_read + t->bytes_written);

		if (sum[k].runs == 0)
			continue;
		rest -= sum[k].seconds;         /* what runs without a launch is an operation of the cpu's run time, or a copy */
		fprintf(out, "%10.6f %5.1f %10lld %8.2f  %s%s%s\n", sum[k].seconds, seconds > 0 ? 100 * sum[k].seconds / seconds : 0,
			(long long)(t->launches ? t->launches : sum[k].runs), sum[k].seconds > 0 ? bytes / sum[k].seconds * 1e-9 : 0, t->name,
			*t->where ? "  " : "", t->where);
	}
	fprintf(out, "%10.6f %5.1f                      outside of tasks\n", rest > 0 ? rest : 0,
		rest > 0 && seconds > 0 ? 100 * rest / seconds : 0);
	free(sum);
}

void
nesl_print_trace(FILE *out, const nesl_program *p)
{
	const double zero = profile.n ? profile.run[0].began : 0;

	fprintf(out, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"target\": ");
	json_string(out, p->target);
	fprintf(out, ", \"ran_on\": ");
	json_string(out, p->ran_on());
	fprintf(out, "}, \"traceEvents\": [");
	for (size_t i = 0; i < profile.n; i++) {
		const Run *r = &profile.run[i];

		fprintf(out, "%s\n  {\"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"cat\": \"task\", \"name\": ", i ? "," : "", r->thread + 1);
		json_string(out, r->task->name);
		fprintf(out, ", \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"where\": ", (r->began - zero) * 1e6, r->seconds * 1e6);
		json_string(out, r->task->where);
		fprintf(out, "}}");
	}
	fprintf(out, "]}\n");
}
