#ifndef NESSIE_KEEPER_H
#define NESSIE_KEEPER_H
/* What is ours for a while, and must not outlive us even if we are killed: a private directory, a file that is not complete, a process
 * that we wait for.  Between begin and done it is told which; these nest. */
#include <sys/types.h>

void keeper_begin(void);
void keeper_path(const char *path);
void keeper_process(pid_t pid);         /* negative: all of the group -pid; it may say so itself */
void keeper_done(void);

/* Removes a directory and what is in it, as far as it can. */
void remove_tree(const char *dir);

#endif
