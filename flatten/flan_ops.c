/* flan_ops.c: the operators of flan, as rows: prim.def, then flan.def. */
#include "flatten/flan.h"

#define SCALAR(name, sig, text, text2, guard, fault) \
	{#name, {sig, sig}, OP_SCALAR, {#text, sizeof #text2 == 2 ? #text : #text2}, 0, {0, 0}, guard, fault, 0, 0},
#define REDUCE(name, t, base, id, id2, more2) \
	{#name, {"<" t ">:" t, "S<" t ">:<" t ">"}, OP_REDUCE, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define REDUCE_AT(name, base, id, id2) {#name, {"<o><i>:i", "S<o><i>:<i>"}, OP_REDUCE, {0, 0}, base, {#id, #id2}, 0, 0, 0, 0},
#define SCAN(name, t, base, id, id2, more2) \
	{#name, {"<" t ">:<" t ">", "S<" t ">:<" t ">"}, OP_SCAN, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define OP(name, sig, lifted, cls) {#name, {sig, lifted}, OP_##cls, {0, 0}, 0, {0, 0}, 0, 0, 0, 0},

static const OpInfo rows[] = {
#include "frontend/prim.def"
#include "flatten/flan.def"
};

const Ir flan_ir = {"flan", rows, sizeof rows / sizeof *rows};
