/* The command `lavablas explain`. For one thread only. */
#ifndef LAVA_TOOLS_EXPLAIN_H
#define LAVA_TOOLS_EXPLAIN_H

#include "dispatch/plan.h"
#include "lib/offload/offload.h"
#include "tools/explain_makers.h"

/* Takes the command's arguments after the word explain. Prints the answer and returns the exit status: 1 if
 * there is no device to ask, 2 if the arguments are wrong (with the usage on stderr). */
int explain(int argc, char **argv);

/* Makes a call of a routine, with usual letters. Returns false if the routine is not known. */
bool explain_call_of_sizes(const char *routine, const struct explain_sizes *sizes, struct lava_call *call);

/* Prints what the device does for an operation by a plan, a line each; nothing if the
 * plan has no kernel. */
void explain_plan(const struct lava_operation *operation, const struct lava_plan *plan);

/* Prints what lava_offload_explain has said of the call as one JSON object, and returns the exit status.
 * Members that do not apply are left out: estimates if none was made, a kernel if none was looked for.
 */
int explain_put(const struct lava_call *call, const struct lava_plan *plan);

#endif
