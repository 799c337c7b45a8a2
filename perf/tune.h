/* Shared by the parts of perf/tune, the program that tries kernel variants on a device and prints the rows
 * for dispatch/kernels.c and dispatch/profiles.c. */
#ifndef PERF_TUNE_H
#define PERF_TUNE_H

#include "lib/engine/engine.h"
#include "lib/vk/pipelines.h"

#define TUNE_MAX_SIZES    24
#define TUNE_MAX_VARIANTS 4096
#define TUNE_TEXT_BYTES   64

/* Kinds of products, each with its own best variants. */
enum tune_group { TUNE_SQUARE, TUNE_FEW_COLUMNS, TUNE_FEW_ROWS, TUNE_GROUPS };

struct tune_size {
    int64_t m, n, k;
    enum tune_group group;
    struct lava_operation operation; /* its matrices are created at the first use */
};

struct tune_variant {
    struct lava_kernel kernel;
    char name[TUNE_TEXT_BYTES]; /* kernel.name; its numbers, as checkgemm --kernel takes them */
    bool tried;                 /* admitted or refused */
    const char *refused;        /* the reason; NULL: not refused */
    struct lava_pipeline_figures figures;
    double screened[TUNE_GROUPS]; /* flop/s at the group's first size, timed briefly; 0: not in the group */
    double rates[TUNE_MAX_SIZES]; /* flop/s of multiply and epilogue; 0: not timed */
    uint32_t splits[TUNE_MAX_SIZES]; /* split-K slices with which the rate was reached */
    /* for the profile */
    double flops_per_s, lone_share;
    uint32_t workgroups_per_multiprocessor, start_k;
    enum lava_tile_order order;
    bool persistent;
};

struct tune {
    /* options */
    enum lava_type type;
    const char *algorithm; /* NULL: all */
    bool quick;
    bool compile_only, all_types;
    const char *assembly_folder; /* compile only, and so are the next: NULL: the assembly is not kept */
    uint32_t subgroup;           /* 0: as the profile wishes */
    uint32_t simds;              /* of a multiprocessor */
    double peak_tflops;
    uint32_t keep;                         /* variants of each group in the result */
    double seconds;                        /* of the longest timing; the others are shares of it */
    double limit_seconds;                  /* a variant that takes longer for one product is refused */
    double budget_seconds;                 /* no new variants are tried after this time */
    uint32_t registers_per_multiprocessor; /* 32-bit registers, for workgroups_per_multiprocessor */
    const char *command;
    /* state */
    struct lava_engine *engine;
    struct lava_capabilities capabilities; /* the engine's, also after it is closed */
    struct lava_config config;
    uint32_t multiprocessors;
    uint32_t pipelines; /* created since the device was opened, which keeps them all */
    struct tune_size sizes[TUNE_MAX_SIZES];
    size_t size_count;
    struct tune_variant *variants;
    size_t variant_count;
    uint64_t start_ns;
};

/* tune_variants.c: all combinations that the device can run. */
/* each with one depth and number of stages */
void tune_add_bases(struct tune *tune);
/* the other depths and stages */
void tune_add_siblings(struct tune *tune, const struct tune_variant *variant);
bool tune_takes_part(const struct tune_variant *variant, enum tune_group group);

/* tune_measure.c */
bool tune_open(struct tune *tune); /* opens the device, or reopens it; false: there is none */
void tune_close(struct tune *tune);
/* Compiles, checks for spilled registers and computes a small product. Sets tried, refused and the
 * figures. */
void tune_admit(struct tune *tune, struct tune_variant *variant);
/* flop/s at the size. Returns 0 and refuses the variant on failure. *split: the split to try, or 0: enough to
 * fill the device. */
double tune_rate(struct tune *tune, struct tune_variant *variant, struct tune_size *size, double seconds,
                 uint32_t *split);
/* Computes the figures of a profile from the rates of the sizes. */
void tune_profile(struct tune *tune, struct tune_variant *variant);

/* tune_compile.c. Returns whether the device runs any row. */
bool tune_compile(struct tune *tune);

/* tune_print.c */
void tune_print(const struct tune *tune, struct tune_variant *const *chosen, size_t count);
/* Shows a progress bar on stderr if it is a terminal; total 0: removes it. */
void tune_progress(size_t done, size_t total, const char *round, const char *name);

#endif
