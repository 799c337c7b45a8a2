/* What a report says in words: whether LavaBLAS helped, where most of the time went, and what to do about it.
 * For one thread only. */
#ifndef LAVA_TOOLS_REPORT_VERDICT_H
#define LAVA_TOOLS_REPORT_VERDICT_H

#include "tools/report_sum.h"

/* Writes a sentence: whether it helped. */
void report_judge(const struct report *report, char *text, size_t size);
/* Writes a sentence: where most of the time went, and what to do; "" if there is nothing to say. end NULL:
 * how long the program took is not known. */
void report_advise(const struct report *report, const struct report_end *end, char *text, size_t size);

#endif
