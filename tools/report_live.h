/* What processes have counted so far, each in a file of its own (lib/base/counters.h). One thread. */
#ifndef LAVA_TOOLS_REPORT_LIVE_H
#define LAVA_TOOLS_REPORT_LIVE_H

enum report_live_state {
    REPORT_RUNS,  /* the process is there */
    REPORT_ENDED, /* it is not, and told nothing at its end: a signal, a crash, or _exit() */
    REPORT_OTHER, /* another build has written the file */
    REPORT_LIVE_STATES
};

/* Returns the line that the process would have written; NULL, with errno, if its file cannot be read: EINVAL
 * if another build has written it. The caller frees it. */
char *report_live_line(const char *path, enum report_live_state *state);
typedef void report_live_use(const char *path, void *context);
/* Calls the function with the path of each such file of a file of reports. */
void report_each_live(const char *reports, report_live_use *use, void *context);
/* Calls it with the path of each such file that the process has mapped. */
void report_each_mapped(const char *pid, report_live_use *use, void *context);
/* A line that a process adds to a file of reports, if its own file at this path was left and nobody writes it
 * any more; that file is removed. */
void report_settle_live(const char *path, const char *reports);

#endif
