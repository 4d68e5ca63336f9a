#ifndef NESSIE_DATA_H
#define NESSIE_DATA_H
/* `nessie data KIND [options] -o FILE`: made-up sequences and matrices, the same for the same seed.
 * argv[0] is "data".  Gives the exit status: 0, 2 (command line), 4 (the file cannot be written; none
 * is left).  docs/data.md lists the kinds. */
int data_command(int argc, char **argv);

#endif
