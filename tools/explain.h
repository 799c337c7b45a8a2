/* The command `lavablas explain`. For one thread only. */
#ifndef LAVA_TOOLS_EXPLAIN_H
#define LAVA_TOOLS_EXPLAIN_H

/* Takes the command's arguments after the word explain. Prints the answer and returns the exit status: 1 if
 * there is no device to ask, 2 if the arguments are wrong (with the usage on stderr). */
int explain(int argc, char **argv);

#endif
