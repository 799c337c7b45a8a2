/* One matrix product as the rest of the library sees it: column-major, operations instead of characters,
 * sizes as int64_t. lib/abi makes it from a caller's arguments. After that no code knows a calling
 * convention.
 *
 *     C <- alpha op(A) op(B) + beta C,   op(A) is m x k, op(B) is k x n, C is m x n
 *
 * Leading dimensions are in elements. Pure data: it owns nothing, and any thread may read it. */
#ifndef LAVA_DISPATCH_PROBLEM_H
#define LAVA_DISPATCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/region.h"

enum lava_op { LAVA_OP_N, LAVA_OP_T };

/* The types that a device multiplies come first: kernels, figures and preparations are indexed by them. A
 * complex product is computed as a real product of its parts. */
enum lava_type {
    LAVA_TYPE_FP32,
    LAVA_TYPE_FP16,
    LAVA_TYPE_BF16,
    LAVA_TYPE_FP64,
    LAVA_TYPE_REAL_COUNT,
    LAVA_TYPE_CFP32 = LAVA_TYPE_REAL_COUNT, /* complex: the real part, then the imaginary part */
    LAVA_TYPE_CFP64,
    LAVA_TYPE_COUNT
};

/* How accurate the results of a product of fp32 matrices must be (doc/numerics.md). */
enum lava_precision {
    LAVA_PRECISION_STANDARD, /* within the error bounds of fp32 arithmetic, however they are computed */
    LAVA_PRECISION_IEEE,     /* sums of fp32 multiply-adds */
    LAVA_PRECISION_FAST,     /* elements may be rounded to bf16 */
    LAVA_PRECISION_COUNT
};

struct lava_problem {
    enum lava_type type;   /* of A and B; products and sums of half precision are fp32 */
    enum lava_type type_c; /* the same, or FP32 if A and B are of half precision */
    enum lava_op op_a, op_b;
    bool conjugate_a, conjugate_b; /* complex types only */
    bool of_parts;                 /* made by lava_problem_of_parts */
    enum lava_region region;       /* part of C that is read and written; m is n (before parts) unless it is
                                    * all */
    bool b_is_a;        /* op(B) is op(A) transposed, conjugated or not; b, ldb and op_b say the same */
    bool real_diagonal; /* imaginary parts of C's diagonal are not read, and written as zero */
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    double alpha, beta;                     /* exact, because every fp32, fp16 and bf16 is a double */
    double alpha_imaginary, beta_imaginary; /* 0 unless the types are complex */
    const void *a, *b;
    void *c;
    enum lava_precision precision;
};

/* Returns true if nothing is multiplied: m, n or k is 0, or alpha is 0 or -0. A and B must not be read
 * then. */
bool lava_problem_is_trivial(const struct lava_problem *problem);

/* Returns true if C may share an element with A or B. The answer is exact if the leading dimensions agree
 * (blocks of one parent matrix, as LAPACK passes them). Otherwise it compares ranges of addresses, and true
 * may be a false alarm. */
bool lava_problem_overlaps(const struct lava_problem *problem);

/* Returns the rows of the stored A (or B), which the leading dimension must reach. */
int64_t lava_problem_rows_a(const struct lava_problem *problem);
int64_t lava_problem_rows_b(const struct lava_problem *problem);

/* Returns the product for the block of C with these rows and columns. If C has a region, the block must
 * either lie on the diagonal (row is column, rows is columns) and have the same region, or lie inside the
 * region. */
struct lava_problem lava_problem_block(const struct lava_problem *problem, int64_t row, int64_t rows,
                                       int64_t column, int64_t columns);

/* Returns the real product that a device computes for a complex one: op(A) as m x 2k parts, op(B) as 2k x 2n,
 * C as m x 2n (shaders/interface.h). The pointers, leading dimensions and scalars stay those of the complex
 * matrices. A real product is returned unchanged. */
struct lava_problem lava_problem_of_parts(const struct lava_problem *problem);

/* Returns 2 m n k, or 8 m n k for complex types. A triangle has half of that, plus the other half of its
 * diagonal. The result is a double, so it does not overflow. */
double lava_problem_flops(const struct lava_problem *problem);
/* Returns the bytes of A and B as stored; only those of A if B is A. */
double lava_problem_operand_bytes(const struct lava_problem *problem);

size_t lava_type_bytes(enum lava_type type);
const char *lava_type_name(enum lava_type type); /* "fp32", "fp16", "bf16", "fp64", "cfp32", "cfp64" */
bool lava_type_is_half(enum lava_type type);
bool lava_type_is_complex(enum lava_type type);
/* Returns the type in which products are summed: fp32 or fp64. */
enum lava_type lava_type_sums(enum lava_type type);
enum lava_type lava_type_real(enum lava_type type); /* type of a complex type's parts; else the type itself */
bool lava_type_from_name(const char *name, enum lava_type *type);

/* Returns the element type that the device delivers. For C <- alpha A B it is C's type, rounded once on the
 * device. If the old C is added to a result in half precision it is fp32, and the write-back rounds. */
enum lava_type lava_problem_result_type(const struct lava_problem *problem);

#endif
