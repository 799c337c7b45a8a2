/* What a process tells of itself at exit when LAVABLAS_STATS is set: the summary of lib/base/stats, or, if
 * the setting is a path that ends in ".json", a report as one line of JSON. `lavablas run` reads the report.
 * Any thread may call these functions. */
#ifndef LAVA_BASE_REPORT_H
#define LAVA_BASE_REPORT_H

#include <stdio.h>

struct lava_counters;

/* Registers what is told at exit, if the configuration asks for it. lib/offload/offload calls it once. */
void lava_report_install(void);
/* What the process calls is no program's: it adds no report to a file of reports. Called by the command,
 * before anything is counted. */
void lava_report_keep_quiet(void);
/* Tells it now, if the configuration asks for it. exit() calls this; so does a process that ends without
 * exit(). */
void lava_report_print(void);
/* The process asks for its own report: from now on all calls are counted, as if LAVABLAS_STATS were set, but
 * nothing is told at exit. lib/offload/threshold.h has to be told, too. */
void lava_report_count_all(void);
/* Returns the report as it is now, without the end of the line; NULL if there is no memory. The caller frees
 * it. */
char *lava_report_now(void);
/* The library's last act: a process without a call that was counted reports itself, too. Without a setting
 * that asks for a report this does nothing but look for it. */
void lava_report_end(void);
/* Writes the report of a process that has not written its own, from its counters, which become those of the
 * caller (counters.h). What only that process can know is left out: the objects that were loaded, and the
 * matrices that stayed. For a command with one thread. */
void lava_report_put_counters(FILE *stream, struct lava_counters *counters);

#endif
