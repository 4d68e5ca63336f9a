#ifndef NESL_STREAM_H
#define NESL_STREAM_H
/* Streams: files, and the two ends of processes.  Plain C11, compiled into nessie (interpreter) and into every
 * generated program.  A stream is a number; numbers are not used again, so that one of a closed stream names
 * nothing else.  What goes wrong is told by a text: NULL is success. */
#include "nesl_scalar.h"
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STREAM_NONE = -1, STREAM_STDIN, STREAM_STDOUT, STREAM_STDERR, STREAM_FIRST };
typedef enum { STREAM_READ, STREAM_WRITE, STREAM_APPEND } nesl_stream_mode;
enum { STREAM_END = -1, STREAM_FAILED = -2 };   /* instead of a byte */

/* Ctrl-C came: who reads or waits gives up, and what is wrong is not told. */
extern volatile int nesl_interrupted;
/* Until there is something to read, or the end.  Nonzero: Ctrl-C came. */
int nesl_await(int fd);

/* The first thing a process does.  Where standard input, output or error is closed, no file that is opened later takes its
 * place: input is empty, output is refused, messages go nowhere.  A file that may not become larger is an error of its writer. */
void nesl_standard_streams(void);

/* Where the program's output and messages go: what is written to stderr comes after all that was written to
 * stdout before.  Streams that are open stay so. */
void nesl_stream_start(FILE *out, FILE *err);
/* Closes all that is open. */
void nesl_stream_end(void);

/* STREAM_NONE where something is wrong.  What is made anew can be read and written by all, as far as the umask lets. */
i64 nesl_stream_open(const char *name, nesl_stream_mode mode, const char **wrong);
const char *nesl_stream_close(i64 stream);

/* The next byte; take: go past it. */
int nesl_stream_byte(i64 stream, int take, const char **wrong);
/* The next bytes, as many as are there without another look at the file, but none of `ends`, and so many at most: goes past them, and
 * gives how many.  0: the next byte, if there is one, is of these. */
size_t nesl_stream_run(i64 stream, const char *ends, size_t nends, size_t most, const char **text, const char **wrong);
const char *nesl_stream_write(i64 stream, const char *text, size_t n);

/* Runs a command: words between blanks, the first a program that is looked up in PATH; no shell.  stream: its
 * standard input, output and error; STREAM_NONE becomes our end of a new pipe.  The process is waited for when
 * the last of these pipes is closed. */
const char *nesl_stream_spawn(const char *command, i64 stream[3]);

#ifdef __cplusplus
}
#endif
#endif
