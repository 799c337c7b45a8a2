/* What the parts of checkgemm share: the program that tests and times every kernel row. */
#ifndef CHECKGEMM_H
#define CHECKGEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/engine/runner.h"
#include "tests/checkgemm/matrix.h"

/* One product to check. Sizes are the caller's (before a row-major product is swapped). */
struct check_case {
    const char *group; /* what the case is there for */
    int64_t m, n, k;
    int layout, transa, transb; /* CBLAS enumerators */
    int64_t extra_ld;           /* above the minimum, each of the three */
    double alpha, beta;         /* rounded to fp32 unless the parts of elements are fp64 */
    double alpha_imaginary, beta_imaginary;
    enum entries entries;
    struct lava_overrides overrides;
    int64_t blocks_n, blocks_k; /* at least so many the overrides must give; 0: any */
};

/* What is tested at the moment, and how it went so far. */
struct check_context {
    struct lava_engine *engine;
    const struct lava_kernel *kernel;
    enum lava_type type, type_c;    /* of A and B, the kernel's or the complex type of such parts; of C */
    struct lava_matrix_shape shape; /* of the kernel's cooperative matrices; the only one the device shows */
    uint64_t seed;                  /* of the run; each case derives its own */
    bool verbose;
    bool keeps_subnormals, keeps_subnormals64; /* the device offers it for fp32, fp64 */
    long passed, failed;
};

/* Kernel, shape and type of C, in words. */
#define CHECK_LABEL_BYTES 96
const char *check_label(const struct check_context *context, char text[CHECK_LABEL_BYTES]);

/* Runs one case and prints a line where it failed (or verbose is set). */
void check_run(struct check_context *context, const struct check_case *item);
/* The case's A, B and C as the caller has them, not filled yet, to be freed in any case, and the problem,
 * whose A may be the caller's B; false: refused as invalid. */
bool check_make_problem(const struct check_context *context, const struct check_case *item,
                        struct check_matrix matrices[3], struct lava_problem *problem);
/* Computes a problem with the context's kernel; NULL, or why it could not. *plan (where not NULL): how. */
const char *check_compute(struct check_context *context, const struct lava_problem *problem,
                          const struct lava_overrides *overrides, struct lava_plan *plan);
/* Device memory that the case takes in one block; with a third of it K is cut where it is long. */
uint64_t check_memory(const struct check_context *context, const struct check_case *item);
/* Runs all cases of a kernel, with the context's types; quick: a third of them. */
void check_kernel(struct check_context *context, bool quick);
/* The same where the types are complex. */
void check_complex(struct check_context *context, bool quick);
/* Runs the same product with every schedule, persistent or not, and compares bits. */
void check_schedules(struct check_context *context);
/* For a row by planes: products with elements that planes cannot hold. */
void check_screened(struct check_context *context, bool quick);
/* A type that no row of the device computes: the device must lack something for it, and the library must say
 * so. complete: its modules must be in the library all the same. */
void check_refusal(struct check_context *context, enum lava_type type, bool complete);

/* What judge.c looks at: A and B of the problem, C after and before. */
struct check_matrices {
    const struct check_matrix *a, *b, *c_before;
    struct check_matrix *c;
};
/* The largest error of an element of C over what is allowed: above 1 is wrong. */
double check_worst_error(const struct check_context *context, const struct check_case *item,
                         const struct lava_problem *problem, const struct check_matrices *matrices);

#endif
