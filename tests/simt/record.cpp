/* Launches, to be run again by what nvcc makes of the same kernels (tests/sass): SIMT_RECORD=FILE. */
#include "machine.h"
#include <dlfcn.h>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string>

/* What is worth its time: of each kernel the first launches, of few blocks, with little memory there. */
enum { LAUNCHES = 2, BLOCKS = 3, BYTES = 300000 };

static std::string kernel, parameters;          /* of the next launch */
static std::vector<Region *> there;             /* as it began, if it is recorded */

static FILE *
file()
{
	static FILE *to = fopen(getenv("SIMT_RECORD"), "wb");

	if (!to)
		machine_fault(NULL, "SIMT_RECORD: %s cannot be written", getenv("SIMT_RECORD"));
	return to;
}

bool
simt_records()
{
	return getenv("SIMT_RECORD");
}

void
simt_record(const void *function, const char *given, size_t n)
{
	Dl_info about;

	kernel = dladdr(function, &about) && about.dli_sname ? about.dli_sname : "";
	parameters.assign(given, n);
}

static void
put(const void *at, size_t n)
{
	fwrite(at, 1, n, file());
}

static void
put_number(u64 n)
{
	put(&n, sizeof n);
}

static void
put_text(const std::string &s)
{
	put_number(s.size());
	put(s.data(), s.size());
}

/* All numbers are of 64 bits: name, blocks, parameters, regions with what is in them; and, when it has ended, what is
 * in each then. */
void
record_begins(unsigned blocks)
{
	static std::map<std::string, int> launched;
	size_t bytes = 0;

	there.clear();
	if (!simt_records() || blocks > BLOCKS || launched[kernel] == LAUNCHES)
		return;
	there = regions_in_use();
	for (const Region *r : there)
		bytes += r->n;
	if (bytes > BYTES)
		return there.clear();
	launched[kernel]++;
	put_text(kernel);
	put_number(blocks);
	put_text(parameters);
	put_number(there.size());
	for (const Region *r : there) {
		put_number((u64)r->at);
		put_text(std::string(r->at, r->n));
	}
}

void
record_ends()
{
	for (const Region *r : there)
		put(r->at, r->n);
	if (!there.empty())
		fflush(file());
}
