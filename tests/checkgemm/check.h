/* Declarations shared by the parts of checkgemm, the program that tests and times every kernel row. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/product/runner.h"
#include "tests/checkgemm/matrix.h"

/* One product to check. Sizes are the caller's (before a row-major product is swapped). */
struct check_case {
    const char *group; /* the purpose of the case */
    int64_t m, n, k;
    int layout, transa, transb; /* CBLAS enumerators */
    int64_t extra_ld;           /* added to the minimum of each of the three */
    double alpha, beta;         /* rounded to fp32 unless the parts of elements are fp64 */
    double alpha_imaginary, beta_imaginary;
    enum entries entries;
    struct lava_overrides overrides;
    int64_t blocks_n, blocks_k; /* minimum number that the overrides must produce; 0: any */
};

/* The current test configuration and the results so far. */
struct check_context {
    struct lava_engine *engine;
    const struct lava_kernel *kernel;
    /* type: A and B, the kernel's or the complex type of such parts; type_c: C */
    enum lava_type type, type_c;
    struct lava_matrix_shape shape; /* the kernel's cooperative matrices; the only one the device reports */
    uint64_t seed;                  /* seed of the run; each case derives its own */
    bool verbose;
    bool through_library; /* which chooses the row; kernel is another one of the same scheme */
    bool keeps_subnormals, keeps_subnormals64; /* supported by the device for fp32, fp64 */
    long passed, failed;
    unsigned sample; /* only one of this many cases is run; 0: all */
    long offered;    /* cases that could have been run */
};

/* Describes the kernel, the shape and the type of C. */
#define CHECK_LABEL_BYTES 96
const char *check_label(const struct check_context *context, char text[CHECK_LABEL_BYTES]);

/* Returns whether the next case is one of the sample. To be called once for each. Which ones they are depends
 * on the seed. */
bool check_takes(struct check_context *context);
/* Runs one case of the sample. Prints a line if it failed (or if verbose is set). */
void check_run(struct check_context *context, const struct check_case *item);
/* Creates the case's A, B and C as the caller has them, not filled yet, and the operation, whose A may be the
 * caller's B. The matrices must be freed in any case. Returns false if the operation is refused as invalid.
 */
bool check_make_operation(const struct check_context *context, const struct check_case *item,
                          struct check_matrix matrices[3], struct lava_operation *operation);
/* Computes an operation with the context's kernel. Returns NULL or the reason why it could not. Stores the
 * plan in *plan if not NULL. */
const char *check_compute(struct check_context *context, const struct lava_operation *operation,
                          const struct lava_overrides *overrides, struct lava_plan *plan);
/* Device memory that the case takes as one block. With a third of it, a long K is split. */
uint64_t check_memory(const struct check_context *context, const struct check_case *item);
/* Runs all cases of a kernel with the context's types; quick: a third of them. */
void check_kernel(struct check_context *context, bool quick);
/* The same for complex types. */
void check_complex(struct check_context *context, bool quick);
/* Runs the same product with every tile order, persistent or not, and compares the bits. */
void check_orders(struct check_context *context);
/* For C of a half type: computes the same products in every way to round sums, and compares the bits. */
void check_roundings(struct check_context *context);
/* For a row by planes: tests products with elements that planes cannot represent. */
void check_screened(struct check_context *context, bool quick);
/* For a type that no row of the device computes: checks that the device lacks something for it and that the
 * library reports this. complete: its modules must still be in the library. */
void check_refusal(struct check_context *context, enum lava_type type, bool complete);

/* Input of check_judge.c: A and B of the operation, C after and before. */
struct check_matrices {
    const struct check_matrix *a, *b, *c_before;
    struct check_matrix *c;
};
/* The largest error of an element of C relative to its bound. Above 1 is wrong. */
double check_worst_error(const struct check_context *context, const struct check_case *item,
                         const struct lava_operation *operation, const struct check_matrices *matrices);

#endif
