/* The configuration: the machine's file and environment variables, which come before it, read once. It does
 * not change after the first return of lava_config_get. Any thread may call these functions. */
#ifndef LAVA_BASE_CONFIG_H
#define LAVA_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "dispatch/residency.h"
#include "lib/base/config_file.h"
#include "lib/base/log.h"

/* Products on the device at a time, at most. */
#define LAVA_CONFIG_LANES_MAX 4
/* Devices of a process, at most. */
#define LAVA_CONFIG_DEVICES_MAX 16

/* Settings, at most. */
#define LAVA_CONFIG_SETTINGS_MAX 32

/* What becomes of programs' histories (lib/offload/program_history.h). */
enum lava_history_use { LAVA_HISTORY_OFF, LAVA_HISTORY_READ, LAVA_HISTORY_ON };

struct lava_config {
    enum lava_mode mode;
    bool secure;                   /* a setuid program: mode is CPU, and everything else has its default */
    bool init_sync;                /* LAVABLAS_INIT=sync, or mode is GPU and LAVABLAS_INIT is not set */
    const char *device;            /* LAVABLAS_DEVICE, as lib/vk/device_set reads it; NULL: the best GPUs */
    int local_rank;                /* MPI's local rank, -1: none */
    int rank;                      /* MPI's rank in the whole job, -1: not known */
    int local_size;                /* how many ranks there are on this host; 0: not known */
    int cpu_threads;               /* OPENBLAS_NUM_THREADS or OMP_NUM_THREADS, 0: neither is set */
    const char *cpu_blas;          /* path, or NULL */
    enum lava_precision precision; /* for threads that have not chosen one */
    uint64_t memory_bytes;         /* 0: no limit but the device's */
    uint64_t pinned_bytes;         /* the most staging memory */
    int lanes;                     /* most products on the device at a time; 0: as suits the device */
    uint64_t idle_ns;              /* memory that was not used for this long is freed; 0: never */
    const char *stats;             /* NULL: off; "": stderr; else a path */
    const char *trace;             /* the file that a trace goes to; NULL: off */
    const char *log_file;          /* NULL: stderr */
    const char *off;               /* routines that the CPU computes (routines.h); NULL: none */
    enum lava_log_level log_level; /* LAVA_LOG_NONE: only wrong values are reported */
    const char *cache_home;        /* XDG_CACHE_HOME or $HOME/.cache, NULL: none; absolute */
    const char *state_home; /* LAVABLAS_STATE: the folder of what all users share; NULL: none; absolute */
    bool cache;             /* LAVABLAS_CACHE=0: nothing is kept there */
    bool calibrate;         /* LAVABLAS_CALIBRATE=off: nothing is measured in the background */
    bool learn; /* LAVABLAS_LEARN=off: decisions follow the stored figures alone; no others are measured */
    enum lava_history_use history;
    enum lava_resident_use resident; /* whether matrices stay on the device between calls */
    enum lava_residue_use residues;  /* whether fp64 products are computed by residues */
    bool assembly;     /* no variable: with inspect: perf/tune --compile-only reads the assembly, too */
    bool inspect;      /* no variable: checkgemm asks what the driver's compiler says about its kernels */
    const char *fault; /* LAVABLAS_FAULT, in builds with fault injection, else NULL */
};

/* A source of variables: getenv, or a test's table. */
typedef const char *lava_config_getter(const char *name, void *context);
/* Called once for each value that is not understood. If a file has it, the name is "PATH:LINE: NAME". */
typedef void lava_config_complain(const char *name, const char *value, const char *expected, void *context);

/* Strings in *config point into *storage, because a program may change its environment later. A value that is
 * too long for its place is not understood. */
struct lava_config_storage {
    char device[256];
    char cpu_blas[4096];
    char stats[4096];
    char trace[4096];
    char log_file[4096];
    char off[1024];
    char cache_home[4096];
    char state_home[1024];
    char fault[128];
    int origins[LAVA_CONFIG_SETTINGS_MAX]; /* of each setting: a line of the file, or one of the next */
};
#define LAVA_CONFIG_DEFAULT     0
#define LAVA_CONFIG_ENVIRONMENT (-1)
/* file NULL: there is none. */
void lava_config_parse(struct lava_config *config, struct lava_config_storage *storage, bool secure,
                       const struct lava_config_file *file, lava_config_getter *get,
                       lava_config_complain *complain, void *context);

/* Calls complain for each variable that is nearly called as a setting is; `expected` is the setting's name.
 * environment NULL: that of the process. */
void lava_config_find_mistyped(char *const *environment, lava_config_complain *complain, void *context);

/* Understands "ieee", "standard" and "fast", in either case. Returns false, and leaves *precision unchanged,
 * for any other name. */
bool lava_config_find_precision(const char *name, enum lava_precision *precision);
/* Calls tell for each setting of the process, with its value and where that comes from: "default",
 * "environment", or "PATH:LINE". */
typedef void lava_config_tell(const char *name, const char *value, const char *origin, void *context);
void lava_config_each(lava_config_tell *tell, void *context);
/* What a setting of the process has become: a text, NULL if there is none, or a number, in bytes or seconds.
 */
struct lava_config_value {
    const char *name, *text;
    bool is_number;
    uint64_t number;
};
/* Reads one setting after the other: *index is 0 at first. Returns false at the end. */
bool lava_config_next(size_t *index, struct lava_config_value *value);
/* Returns the path of the file that was read, after lava_config_get; NULL: none was. */
const char *lava_config_file_path(void);

/* Returns the word of a setting that has words, for what its member of struct lava_config is. */
const char *lava_config_word(const char *name, int value);
/* Returns whether it is the name of a mode. */
bool lava_config_is_mode(const char *name);

/* Returns whether this setting of LAVABLAS_STATS asks for a report, by its end ".json" (lib/base/report.h).
 */
bool lava_config_is_report(const char *stats);
/* Returns whether the environment asks for one, without reading the rest. */
bool lava_config_wants_report(void);
/* Returns a variable that is not one of the library's: for commands, which start programs. NULL: not set. */
const char *lava_config_environment(const char *name);

/* Returns the folder of caches by the environment as it is now; NULL: none, or the process is a setuid one.
 */
const char *lava_config_find_cache_home(char *text, size_t size);
/* Returns a number that changes with the values of the variables that are parsed, as they are now. */
uint64_t lava_config_fingerprint(void);
/* Returns the configuration of the process. The first call parses the environment, reports wrong values on
 * stderr and sets the level of the log. */
const struct lava_config *lava_config_get(void);

#endif
