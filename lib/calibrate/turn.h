/* What microbenchmarks share: their figures and limits, turns, the matrices, and how work on the CPU is
 * timed. microbenchmark.h says how they are used. */
#ifndef LAVA_CALIBRATE_TURN_H
#define LAVA_CALIBRATE_TURN_H

#include "dispatch/figures.h"
#include "lib/host/cpu_blas.h"

struct lava_engine;

struct lava_microbenchmark {
    /* The user sets these. */
    const struct lava_cpu_blas *blas;
    const struct lava_capabilities *capabilities; /* the engine's */
    struct lava_figures figures;                  /* known figures; results are added to them */
    uint64_t piece_ns;                            /* no product is run that is expected to take longer */
    uint64_t turn_ns;  /* short products on the CPU follow each other for this long: the first one finds cold
                        * caches and sleeping threads, and OpenBLAS's get faster over several products */
    uint64_t point_ns; /* for one figure; once it is used up there are no more than two runs */
    unsigned runs; /* for each product, at most 64: on the CPU the best counts, on the device the median */
    size_t matrix_bytes; /* the most that the three matrices may have; a multiple of 8 */
    uint64_t limit_ns;   /* no turn begins once turns have taken this long; 0: no limit */
    uint64_t spent_ns;   /* how long turns have taken */

    /* A turn is one product, or several short ones. begin may wait, and sets *engine if engine is not
     * NULL; it returns false if nothing more is to be measured. end returns false if something else was
     * going on meanwhile; the turn is then repeated. */
    bool (*begin)(struct lava_microbenchmark *benchmark, struct lava_engine **engine);
    bool (*end)(struct lava_microbenchmark *benchmark, struct lava_engine *engine);
    /* Called if the figures have all of the device, or all of the CPU's products, and more is to be
     * measured. NULL: nobody is. */
    void (*part_done)(struct lava_microbenchmark *benchmark);

    bool accepts_unsteady; /* a time that was never the same twice counts, too */
    bool stopped;          /* begin returned false */

    /* microbenchmark.c, turn.c and own_routines.c keep these. */
    uint64_t turn_start_ns;
    enum lava_type warm_type;
    double warm_flops_per_s; /* the best rate of warm's product of that type */
    bool is_warm;            /* it has stopped rising */
    void *operands, *result; /* matrix_bytes each */
    size_t filled_bytes;     /* how much of operands is filled for products */
    /* or what it is filled for by own_routines.c; order 0: it is not */
    int64_t filled_order;
    enum lava_type filled_type;
};

enum lava_microbenchmark_outcome {
    LAVA_MICROBENCHMARK_MEASURED,
    LAVA_MICROBENCHMARK_SKIPPED, /* too long, too large, never twice the same, or it failed: the figure is as
                                    before */
    LAVA_MICROBENCHMARK_STOPPED, /* begin said so, or the limit is reached */
};

/* No product is run more often. */
#define LAVA_TURN_RUNS_MOST 64

/* Allocates the matrices, if they are not there. Returns false if there is no memory. */
bool lava_turn_allocate(struct lava_microbenchmark *benchmark);

/* The microbenchmark's begin and end. begin also returns false once the limit of time is reached. */
bool lava_turn_begin(struct lava_microbenchmark *benchmark, struct lava_engine **engine);
bool lava_turn_end(struct lava_microbenchmark *benchmark, struct lava_engine *engine);

/* What is timed. `prepare`, which is not, comes before each run; NULL: nothing does. */
struct lava_turn_work {
    void (*prepare)(const struct lava_microbenchmark *benchmark, void *context);
    void (*run)(const struct lava_microbenchmark *benchmark, void *context);
    void *context;
};
/* Takes the best time of several turns, each of at least two runs. SKIPPED: it was never twice the same, and
 * *ns is as before. */
enum lava_microbenchmark_outcome lava_turn_time_on_cpu(struct lava_microbenchmark *benchmark,
                                                       const struct lava_turn_work *work, double *ns);

#endif
