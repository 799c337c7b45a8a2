/* One matrix product as the rest of the library sees it: column-major, operations instead of characters,
 * sizes as int64_t. lib/abi makes it from a caller's arguments; after that no code knows a calling
 * convention.
 *
 *     C <- alpha op(A) op(B) + beta C,   op(A) is m x k, op(B) is k x n, C is m x n
 *
 * Leading dimensions are in elements. Pure data: owns nothing, any thread may read it. */
#ifndef LAVA_DISPATCH_PROBLEM_H
#define LAVA_DISPATCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/region.h"

enum lava_op { LAVA_OP_N, LAVA_OP_T };

/* Those a device multiplies come first: kernels, figures and preparations are by these. A complex product is
 * computed as a real one of its parts. */
enum lava_type {
    LAVA_TYPE_FP32,
    LAVA_TYPE_FP16,
    LAVA_TYPE_BF16,
    LAVA_TYPE_FP64,
    LAVA_TYPE_REAL_COUNT,
    LAVA_TYPE_CFP32 = LAVA_TYPE_REAL_COUNT, /* complex: the real part, then the imaginary one */
    LAVA_TYPE_CFP64,
    LAVA_TYPE_COUNT
};

/* What the results of a product of fp32 matrices have to be (doc/numerics.md). */
enum lava_precision {
    LAVA_PRECISION_STANDARD, /* within the bounds of fp32 arithmetic, however they are kept */
    LAVA_PRECISION_IEEE,     /* sums of fp32 multiply-adds */
    LAVA_PRECISION_FAST,     /* elements may be rounded to bf16 */
    LAVA_PRECISION_COUNT
};

struct lava_problem {
    enum lava_type type;   /* of A and B; products and sums of halves are fp32 */
    enum lava_type type_c; /* the same, or for halves FP32 */
    enum lava_op op_a, op_b;
    bool conjugate_a, conjugate_b; /* complex types alone */
    bool of_parts;                 /* made by lava_problem_of_parts */
    enum lava_region region;       /* what of C is read and written; m is n (before parts) unless it is all */
    bool b_is_a;        /* op(B) is op(A) transposed, conjugated or not: b, ldb and op_b say so as well */
    bool real_diagonal; /* C's diagonal has no imaginary parts: they are not read, and written as zero */
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    double alpha, beta;                     /* exact: every fp32, fp16 and bf16 is a double */
    double alpha_imaginary, beta_imaginary; /* 0 unless the types are complex */
    const void *a, *b;
    void *c;
    enum lava_precision precision;
};

/* Fills *problem from Fortran's arguments (column-major; transa and transb 'N', 'T' or 'C', either case; for
 * real types C is T, for complex ones with conjugation). Returns false, with *problem unspecified, where the
 * reference BLAS would call xerbla: an unknown operation, a negative size, a leading dimension below max(1,
 * rows). Pointers are not looked at.
 */
bool lava_problem_from_fortran(struct lava_problem *problem, char transa, char transb,
                               const struct lava_problem *numbers);

/* The same from CBLAS's enumerators (101 row-major, 102 column-major; 111 N, 112 T, 113 C). A row-major
 * product is the column-major product of the swapped operands: C' = op(B)' op(A)'. */
bool lava_problem_from_cblas(struct lava_problem *problem, int layout, int transa, int transb,
                             const struct lava_problem *numbers);

/* True where nothing is multiplied: m, n or k is 0, or alpha is 0 or -0. A and B must not be read then. */
bool lava_problem_is_trivial(const struct lava_problem *problem);

/* True where C may share an element with A or B. Exact where the leading dimensions agree (blocks of one
 * parent matrix, as LAPACK passes them), else by the ranges of addresses: then true may be a false alarm. */
bool lava_problem_overlaps(const struct lava_problem *problem);

/* Rows of the stored A (or B): what the leading dimension must reach. */
int64_t lava_problem_rows_a(const struct lava_problem *problem);
int64_t lava_problem_rows_b(const struct lava_problem *problem);

/* The product for the block of C that has these rows and columns of it. Where C has a region, the block lies
 * on the diagonal (row is column, rows is columns) and has it too, or it lies inside the region. */
struct lava_problem lava_problem_block(const struct lava_problem *problem, int64_t row, int64_t rows,
                                       int64_t column, int64_t columns);

/* The real product that a device computes for a complex one: op(A) as m x 2k parts, op(B) as 2k x 2n, C as
 * m x 2n (shaders/interface.h). The pointers, leading dimensions and scalars stay those of the complex
 * matrices. A real product is returned as it is. */
struct lava_problem lava_problem_of_parts(const struct lava_problem *problem);

/* 2 m n k, complex 8 m n k, of a triangle half of that and its diagonal's other half; as a double: no
 * overflow. */
double lava_problem_flops(const struct lava_problem *problem);
/* Bytes of A and B as they are stored; of A where B is A. */
double lava_problem_operand_bytes(const struct lava_problem *problem);

size_t lava_type_bytes(enum lava_type type);
const char *lava_type_name(enum lava_type type); /* "fp32", "fp16", "bf16", "fp64", "cfp32", "cfp64" */
bool lava_type_is_half(enum lava_type type);
bool lava_type_is_complex(enum lava_type type);
/* What products of the type are summed in: fp32 or fp64. */
enum lava_type lava_type_sums(enum lava_type type);
enum lava_type lava_type_real(enum lava_type type); /* of a complex type's parts; else the type itself */
bool lava_type_from_name(const char *name, enum lava_type *type);

/* What the device delivers: C's type where C <- alpha A B, rounded there once; where C0 is to be added, fp32,
 * and the write-back rounds. */
enum lava_type lava_problem_result_type(const struct lava_problem *problem);

#endif
