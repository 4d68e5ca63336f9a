#ifndef TESTS_TCC_H
#define TESTS_TCC_H
/* tcc compiles generated C quickly; told to refuse what it would only warn of. */
#define TCC "tcc -Wimplicit-function-declaration -Werror"
/* Before commands of a shell: they compile by tcc, where it is. */
#define QUICKLY "! command -v tcc >/dev/null || export CC='" TCC "'; "

#endif
