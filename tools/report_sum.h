/* What the commands tell of processes: the sum of their reports (lib/base/report.h), and the BLAS that no
 * preloaded library can come before. For one thread only. */
#ifndef LAVA_TOOLS_REPORT_SUM_H
#define LAVA_TOOLS_REPORT_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dispatch/plan.h"
#include "tools/compare.h"
#include "tools/json_reader.h"
#include "tools/report_live.h"

/* Calls of one routine and class of sizes, in all processes. */
struct report_shape {
    const char *routine;
    double least_order;
    double calls[LAVA_PLACE_COUNT], ns[LAVA_PLACE_COUNT];
    double flop, bytes;
    double cpu_ns;                    /* all of these calls on the CPU: measured there, or estimated */
    double lost_ns[LAVA_PLACE_COUNT]; /* by which calls took longer than the other place's estimate, waits for
                                       * the device included: what is called lost everywhere */
};

/* Calls of a routine that calls of another one have made. */
struct report_under {
    const char *outer, *routine;
    enum lava_place place;
    double calls, ns, flop;
};

/* Calls with one place and reason; with the routine only if the report is detailed. */
struct report_reason {
    const char *routine, *reason;
    enum lava_place place;
    double calls, ns, flop;
};

/* A BLAS that calls reach without LavaBLAS. */
struct report_bypass {
    char path[512], routine[64];
    const char *why;
};

/* A matrix that calls have passed again; as the library's report has it. */
struct report_matrix {
    const char *address, *why; /* why it does not stay; NULL: it does */
    double rows, columns, bytes, uses, saved_ns;
};

struct report_process {
    struct json *line; /* owns all texts */
    double calls, ns;
};

struct report {
    struct report_process *processes;
    struct report_shape *shapes;
    struct report_reason *reasons;
    struct report_bypass *bypasses;
    size_t process_count, shape_count, reason_count, bypass_count;
    struct report_shape total;  /* without a routine */
    struct report_under *under; /* calls that other calls made: parts of those */
    size_t under_count;
    double small_calls, small_timed;
    double up_bytes, up_ns, down_bytes, down_ns; /* copies between host and device; ns 0: not timed */
    double stayed_uses, stayed_bytes; /* of matrices that stayed on the device: what need not have gone up */
    struct report_copies {
        bool is_known;
        const char *why; /* none stays; NULL: they may */
        double stored, used, refreshed, refreshed_bytes, forgotten, evicted, differences;
    } copies;
    size_t live[REPORT_LIVE_STATES];
    struct report_matrix *matrices; /* of all processes, one after the other */
    size_t matrix_count;
    bool has_details; /* they are to be printed */
};

/* How the program ended, and after how long. */
struct report_end {
    int status; /* of exit(), or -1 */
    int signal; /* 0: none */
    double seconds;
    struct compare compare;
};

/* Adds a file of reports: one line for each process. A file that does not exist has none. Then it adds what
 * processes have counted that will write a line there, or would have. Bypasses are not looked for. Returns
 * false, with errno, if the file cannot be read. */
bool report_read(const char *path, bool detailed, struct report *report);
/* The same of one process's file. Returns false, with errno, if it cannot be read. */
bool report_read_live(const char *path, bool detailed, struct report *report);
void report_add_line(struct report *report, char *line, bool detailed);
/* Returns the fact that the first process which has it reports; NULL if there is none. */
const char *report_fact(const struct report *report, const char *name);
void report_free(struct report *report);
/* Prints it for people, with details if it is to have them, or as one JSON object. end NULL: the processes
 * have ended in different ways, or have not. */
void report_print(FILE *stream, const struct report *report, const struct report_end *end);
void report_print_json(FILE *stream, const struct report *report, const struct report_end *end);

/* Adds the BLAS of a process that calls reach without LavaBLAS, by its objects. */
void report_find_bypasses(const struct json *process, struct report *report);
/* Adds one, unless its path is there. */
void report_add_bypass(struct report *report, const char *path, const char *routine, const char *why);

#endif
