/* Times routines of BLAS libraries that are loaded by path, alternating between them. For one thread only.
 *
 *   [--library PATH ...] [--routine NAME] [--sizes 8,64,512x512x64] [--ops NN|NT|TN|TT] [--seconds S]
 *   [--warmup S] [--csv | --json] [--png FILE]
 *
 * NAME is cblas_sgemm, sgemm_, strsm_, one of half precision ... (see routine.c). A library without that
 * routine is skipped. Half precision needs LAVABLAS_INIT=sync, because its kernels are prepared at the first
 * product.
 *
 * PATH may be a name for dlopen. "preloaded" stands for the program's own scope, to measure LD_PRELOAD.
 * Libraries are opened RTLD_LOCAL, so none uses another's symbols; not RTLD_DEEPBIND, with which sanitizers
 * do not work. LavaBLAS uses the CPU BLAS of LAVABLAS_CPU_BLAS, else the first BLAS of the list, because all
 * are opened before the first call. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include "library.h"
#include "picture.h"
#include "routine.h"

#define BENCH_MAX_LIBRARIES 8

struct bench_library {
    struct blas blas;
    void *function;  /* the routine */
    double *samples; /* seconds per call, for the current size */
    size_t samples_taken;
    unsigned long calls_per_sample;
    unsigned long long calls;
    double timed_seconds;
    bool wrong;
    bool told; /* already reported that it has no device */
};

struct bench {
    const char *name, *note; /* for the usage */
    struct bench_library libraries[BENCH_MAX_LIBRARIES];
    int library_count;
    const struct routine *routine;
    bool csv, json, asks_help, is_given;
    int printed;
    struct picture picture;
    const char *sizes;
    char ops[3];
    double seconds, warmup_seconds;
    int rounds; /* at least this many turns of each library */
    /* Called before each size, and with 0 of 0 before its results are printed; NULL: nobody wants to know. */
    void (*progress)(int done, int total, const char *round, const char *name);
    /* Returns the device's name for a picture's title. Called after everything was timed; NULL: not known. */
    const char *(*device)(void);
};

/* The settings of a run without options. */
#define BENCH_DEFAULTS                                                                                       \
    .routine = routine_find("cblas_sgemm"), .sizes = "64,128,256,512,1024,2048", .ops = "NN", .seconds = 1,  \
    .warmup_seconds = 0.5, .rounds = 3

/* Adds a library. Returns false, with a line on stderr, if it cannot be opened. */
bool bench_open(struct bench *bench, const char *path);
/* Finds bench->routine in the libraries, and keeps only those that have it. Returns false if none has. */
bool bench_find(struct bench *bench);
/* Forgets all libraries. They stay open. */
void bench_close(struct bench *bench);
/* Times the product with each library. Returns false if a result is wrong. */
bool bench_time(struct bench *bench, const struct product *product);
/* Returns the seconds of a call, in the middle of all samples. */
double bench_median(struct bench_library *library);

/* Reads the options above, times all sizes, and prints the results. Libraries that were opened before are
 * those of a run without --library. Returns the exit status: 1 if a result is wrong, 2 if an option is. */
int bench(struct bench *bench, int count, char **arguments);

#endif
