#ifndef TESTS_TCC_H
#define TESTS_TCC_H
#include <stdlib.h>

/* tcc compiles generated C quickly; told to refuse what it would only warn of. */
#define TCC "tcc -Wimplicit-function-declaration -Werror"
/* Before commands of a shell: they compile by tcc, where it is. */
#define QUICKLY "! command -v tcc >/dev/null || export CC='" TCC "'; "

/* So do those of the process that comes here, and what they build for the emulator is not optimised: for tests of what programs do, not of
 * what compilers make of them. */
static inline void
compile_quickly(void)
{
	if (system("command -v tcc >/dev/null") == 0)
		setenv("CC", TCC, 1);
	setenv("CXX", system("command -v clang++ >/dev/null") == 0 ? "clang++ -O0 -g0" : "c++ -O0 -g0", 1);
}

#endif
