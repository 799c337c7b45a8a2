/* The configuration: environment variables, read once, in one file. Read-only after lava_config_get's first
 * return; any thread. */
#ifndef LAVA_BASE_CONFIG_H
#define LAVA_BASE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"

enum lava_log_level { LAVA_LOG_NONE, LAVA_LOG_ERROR, LAVA_LOG_WARN, LAVA_LOG_INFO, LAVA_LOG_DEBUG };

struct lava_config {
    enum lava_mode mode;
    bool secure;        /* a setuid program: everything else is at its default and mode is CPU */
    bool init_sync;     /* LAVABLAS_INIT=sync, or mode is GPU and LAVABLAS_INIT is not set */
    const char *device; /* LAVABLAS_DEVICE: index, name part or "cpu"; NULL: the best real GPU */
    int local_rank;     /* MPI's local rank, -1: none */
    int cpu_threads; /* what the program allows a CPU BLAS: OPENBLAS_NUM_THREADS, OMP_NUM_THREADS; 0: not said
                      */
    const char *cpu_blas;          /* path, or NULL */
    enum lava_precision precision; /* of threads that have not chosen one */
    uint64_t memory_bytes;         /* 0: no limit but the device's */
    uint64_t pinned_bytes;         /* limit of staging memory */
    uint64_t idle_ns;              /* memory not used for so long is given back; 0: never */
    const char *stats;             /* NULL: off; "": stderr; else a path */
    enum lava_log_level log_level; /* LAVA_LOG_NONE: nothing is printed but the warning about a wrong value */
    const char *cache_home;        /* XDG_CACHE_HOME or $HOME/.cache, NULL: none; absolute */
    bool cache;                    /* LAVABLAS_CACHE=0: nothing is kept there */
    bool calibrate;                /* LAVABLAS_CALIBRATE=off: nothing is measured in the background */
    bool inspect;      /* no variable: checkgemm wants what the driver's compiler says of its kernels */
    const char *fault; /* LAVABLAS_FAULT, in builds with fault injection, else NULL */
};

/* A source of variables: getenv or a test's table. */
typedef const char *lava_config_getter(const char *name, void *context);
/* Told once for each value not understood; the default is used then. */
typedef void lava_config_complain(const char *name, const char *value, const char *expected, void *context);

/* Strings in *config point into *storage: a program may change its environment later. A value too long for
 * its place is one not understood. */
struct lava_config_storage {
    char device[256];
    char cpu_blas[4096];
    char stats[4096];
    char cache_home[4096];
    char fault[128];
};
void lava_config_parse(struct lava_config *config, struct lava_config_storage *storage, bool secure,
                       lava_config_getter *get, lava_config_complain *complain, void *context);

/* "ieee", "standard" or "fast", in either case; false: none of them, *precision is unchanged. */
bool lava_config_find_precision(const char *name, enum lava_precision *precision);

/* The process's own, parsed from the environment at the first call. */
const struct lava_config *lava_config_get(void);

#endif
