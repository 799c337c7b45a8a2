/* The kinds of operations, and what is known of each: a row of one table, which kind_rows.c fills in. Code
 * that depends on an operation's kind asks its row (lava_operation_row) and names no kind. Constant data, any
 * thread. It includes nothing of what it describes, so that every file may ask. */
#ifndef LAVA_DISPATCH_KINDS_H
#define LAVA_DISPATCH_KINDS_H

#include <stdbool.h>

#include "dispatch/reason.h"

struct lava_capabilities;
struct lava_figures;
struct lava_operation;
struct lava_overrides;
struct lava_plan;
struct lava_read_matrix;

enum lava_operation_kind {
    LAVA_OPERATION_PRODUCT,
    LAVA_OPERATION_SOLVE,    /* with the triangular one of A and B; the other one is C, and beta is 0 */
    LAVA_OPERATION_CHOLESKY, /* of C, Hermitian, of which the region is stored; m = n = k, alpha is 1 */
    LAVA_OPERATION_LU,       /* of C, with partial pivoting; k is the smaller of m and n, alpha is 1 */
    LAVA_OPERATION_QR,       /* of C; k is the smaller of m and n, alpha is 1 */
    LAVA_OPERATION_QR_FORM, /* C begins with k reflections and becomes Q; m >= n >= k, alpha is 1. If A is not
                             * NULL, they are there; see `adjoint` */
    LAVA_OPERATION_QR_LEFT, /* Q of k reflections times C; A has them, in rows if its op is T; alpha is 1 */
    LAVA_OPERATION_QR_RIGHT, /* C times Q; B has them, and its op is T, or N if in rows; alpha is 1 */
    /* of C, square: m = n = k, alpha is 1 */
    LAVA_OPERATION_INVERT_TRIANGLE, /* a.unit_diagonal: the diagonal is neither read nor written */
    LAVA_OPERATION_SQUARE_TRIANGLE,
    LAVA_OPERATION_INVERT_CHOLESKY,
    LAVA_OPERATION_INVERT_LU, /* pivots are read */
    /* with vectors: n = 1; their ld is the increment, and their first the element 0 (dispatch/vector_plan.h).
     * A is general, or the triangle of a symmetric or Hermitian matrix */
    LAVA_OPERATION_MATRIX_VECTOR,
    LAVA_OPERATION_TRIANGLE_VECTOR, /* C <- op(A) C, A triangular; m = k, in_place, alpha is 1 */
    LAVA_OPERATION_SOLVE_VECTOR,   /* C <- the x with op(A) x = C; the same. C may be n vectors, b.ld apart */
    LAVA_OPERATION_FACTORS_VECTOR, /* as SOLVE_VECTOR, by two triangles: a general A holds the factors of LU,
                                    * with their pivots, a triangular one is Cholesky's factor */
    /* of C, Hermitian, of which the region is stored; m = n = k, alpha is 1 */
    LAVA_OPERATION_TRIDIAGONAL,  /* diagonal, beside and tau are written */
    LAVA_OPERATION_EIGENVALUES,  /* diagonal and spectrum.found are written, and C is not */
    LAVA_OPERATION_EIGENVECTORS, /* so are spectrum's vectors, which may take C's place */
    /* the same of C and `second`, which becomes its Cholesky factor */
    LAVA_OPERATION_GENERALIZED_VALUES,
    LAVA_OPERATION_GENERALIZED_VECTORS,
    LAVA_OPERATION_PIVOTED_QR, /* of C, whose columns change places; k is the smaller of m and n, alpha is 1
                                */
    /* of C, m x n; k is the smaller of m and n, alpha is 1 */
    LAVA_OPERATION_SINGULAR_VALUES,  /* diagonal is written, and C is not */
    LAVA_OPERATION_SINGULAR_VECTORS, /* so are singular's vectors, or the right-hand sides */
    /* of a tridiagonal matrix, D and E, which are in diagonal and beside: m = n = k is its order, alpha is 1.
     * D becomes the eigenvalues */
    LAVA_OPERATION_DIVIDE_VALUES,  /* there is no C */
    LAVA_OPERATION_DIVIDE_VECTORS, /* C, square, is not read, and becomes the eigenvectors */
    LAVA_OPERATION_DIVIDE_TIMES,   /* C becomes C times the eigenvectors */
    LAVA_OPERATION_BIDIAGONAL /* of C; diagonal, beside, tau and tau_rows are written; k is the lesser of m
                                 and n */
};
#define LAVA_OPERATION_KINDS (LAVA_OPERATION_BIDIAGONAL + 1)

/* Routines of the CPU that are timed (cpu_families.h). */
enum lava_cpu_family {
    LAVA_CPU_FAMILY_GEMM, /* of fp64; the grid of products has fp32 */
    LAVA_CPU_FAMILY_SYRK,
    LAVA_CPU_FAMILY_SYMM,
    LAVA_CPU_FAMILY_SYR2K,
    LAVA_CPU_FAMILY_TRMM,
    LAVA_CPU_FAMILY_TRSM,
    LAVA_CPU_FAMILY_POTRF,
    LAVA_CPU_FAMILY_GETRF,
    LAVA_CPU_FAMILY_GEQRF, /* and what is made with Q */
    LAVA_CPU_FAMILY_POTRI, /* and ?trtri and ?lauum, which it consists of */
    LAVA_CPU_FAMILY_GETRI,
    LAVA_CPU_FAMILY_SYTRD, /* and eigenvalues and singular values */
    LAVA_CPU_FAMILY_COUNT
};

/* What inverses consist of: a triangle's inverse, its product with itself, and a solve with all columns. */
struct lava_inverse_parts {
    bool inverts, squares, solves;
};

/* What QR does with reflections. */
struct lava_qr_parts {
    bool factors, forms, multiplies; /* finds them; makes Q of them; applies them */
    bool on_right;                   /* to C's rows */
};

/* Plans a product whose matrices are on the device. */
typedef void lava_kind_product(const struct lava_operation *product, const struct lava_capabilities *device,
                               const struct lava_figures *figures, const struct lava_overrides *overrides,
                               struct lava_plan *plan);

/* What is to be planned. */
struct lava_plan_request {
    const struct lava_operation *operation;
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    const struct lava_overrides *overrides;
    lava_kind_product *plan_product;
};

/* Fills in the kernel of the products, its shape and rate, the blocking of the largest product and gpu_ns.
 * Returns LAVA_REASON_FORCED, or why there is no plan. */
typedef enum lava_reason lava_kind_plan(const struct lava_plan_request *asked, struct lava_plan *plan);

/* Plans an operation for several engines; see lava_sharing_plan. */
typedef bool lava_kind_share(const struct lava_operation *operation, const struct lava_capabilities *device,
                             const struct lava_figures *figures, const struct lava_plan *one,
                             unsigned engines, struct lava_plan *plan);

/* Returns whether what is written may share an element with what is read; see lava_operation_overlaps. */
typedef bool lava_kind_overlaps(const struct lava_operation *operation);

/* Counts something of an operation. */
typedef double lava_kind_count(const struct lava_operation *operation);

/* Returns the first or second (index 1) matrix that an operation reads and does not write; see
 * lava_operation_reads. */
typedef struct lava_read_matrix lava_kind_reads(const struct lava_operation *operation, int index);

/* Writes what an operation with right-hand sides does one after the other, each without them, and returns how
 * many there are. */
#define LAVA_KIND_STEPS 3
typedef int lava_kind_steps(const struct lava_operation *operation, struct lava_operation *steps);

/* LAPACK's time on the CPU: a share of a product's of its sizes, and more for each column, and for each of
 * its rows. A share of 0: the time is that of a product, or its family's. */
struct lava_kind_cpu {
    double share, column_ns, row_ns;
};

struct lava_kind {
    const char *text;      /* in descriptions; "": the sizes say it */
    const char *wide_text; /* if C has fewer rows than columns and right-hand sides */
    bool is_product, solves;
    bool doubles;     /* of complex types: a real product of twice n and k stands for it */
    bool is_lapack;   /* LAPACK's: C is all there is, but for reflections in A or B */
    bool has_factors; /* C <- its factors, with which right-hand sides are solved for by two solves */
    bool pivots;      /* rows are interchanged */
    bool is_vector;   /* B and C are vectors; what is planned has no kernel of the table */
    bool divides;     /* such a one, whose C is solved for */
    bool by_factors;  /* such a one, with two triangles */
    bool reduces;     /* C, or a copy of it, becomes tridiagonal */
    bool has_values, has_vectors; /* C itself does not; eigenvalues are written, and eigenvectors are */
    bool has_second;              /* they are those of two matrices */
    bool orders_columns;          /* C's columns change places */
    bool is_bidiagonal;           /* C becomes bidiagonal */
    bool is_singular;             /* so are singular ones */
    bool of_tridiagonal, times_c; /* the matrix is D and E; C is read, and multiplied by the vectors */
    struct lava_inverse_parts inverse;
    struct lava_qr_parts qr;
    enum lava_cpu_family family; /* by whose routine it is timed; a product's depends on its operands */
    bool is_timed;               /* it is that routine */
    struct lava_kind_cpu cpu;
    lava_kind_count *flops, *operand_bytes, *work; /* as lava_operation_flops and so on (operation.h) */
    lava_kind_steps *steps; /* of kinds with right-hand sides, and of singular values */
    lava_kind_reads *reads; /* matrices that may stay on the device between calls; NULL: none */
    bool replaces;          /* what it reads of these is C, which it writes afterwards */
    lava_kind_overlaps *overlaps;
    lava_kind_plan *plan;
    lava_kind_share *share; /* NULL: one engine computes it */
};

extern const struct lava_kind lava_kinds[LAVA_OPERATION_KINDS];

#endif
