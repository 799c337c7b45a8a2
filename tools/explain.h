/* `lavablas explain`. One thread. */
#ifndef LAVA_TOOLS_EXPLAIN_H
#define LAVA_TOOLS_EXPLAIN_H

/* The command's arguments after the word explain. Prints the answer and returns the exit status: 1 where
 * there is no device to ask, 2, with the usage on stderr, where the arguments are wrong. */
int explain(int argc, char **argv);

/* Prints, after the label, where the policy's figures come from. After lava_calibration_load. */
void explain_source(const char *label);

#endif
