/* An operation as the rest of the library sees it: column-major, enumerators instead of characters, sizes as
 * int64_t. lib/abi makes it from a caller's arguments. After that no code knows a calling convention.
 *
 *     C <- alpha op(A) op(B) + beta C,   op(A) is m x k, op(B) is k x n, C is m x n
 *
 * One of A and B may be a square matrix of which one triangle is stored: ?symm, ?hemm, ?trmm. ?syr2k and
 * ?her2k add the same product transposed, and ?trsm solves for C instead:
 *
 *     C <- alpha op(A) op(B) + (alpha op(A) op(B))' + beta C
 *     C <- the X with op(A) X = alpha C,   or with X op(B) = alpha C
 *
 * LAPACK's factorizations have no A and B. They may have right-hand sides, and solve for them:
 *
 *     C <- L with L L' = C, or U with U' U = C, by the stored triangle: ?potrf
 *     C <- L and U with P C = L U: ?getrf
 *     sides <- the X with op(C) X = sides, C as it was before: ?potrs, ?posv, ?getrs, ?gesv
 *     C <- Q and R with C = Q R, Q as reflections: ?geqrf
 *     sides <- Q' sides, and their first n rows the X with R X = those: ?gels
 *     sides <- Q Y, for the Y with R' Y = their first n rows, zeros below it: ?gels of C's adjoint
 *     C <- Q and R with C P = Q R for a permutation P: ?geqp3
 *     both of C's adjoint, if C has fewer rows than columns: C <- R' and the reflections' adjoint
 *     C <- the matrix Q of k such reflections: ?orgqr, ?ungqr; of what lies beside C, or of rows: ?orgbr
 *
 * Neither have its inverses, which take the place of a triangle or of factors:
 *
 *     C <- the inverse of the stored triangle: ?trtri
 *     C <- L' L, or U U', for the stored triangle: ?lauum
 *     C <- the inverse of L L' or U' U, of which the stored triangle is written: ?potri
 *     C <- the X with P' L U X = I: ?getri
 *     C <- T and the reflections of Q with T = Q' C Q, by the stored triangle: ?sytrd, ?hetrd
 *     C <- B and the reflections of Q and P with B = Q' C P: ?gebrd
 *
 * Eigenvalues and vectors go to places of their own, of which the second may be C:
 *
 *     W <- the diagonal of L with C = Z L Z', Z <- its columns: ?syevd, ?syev, ?syevr, ?syevx, ?hee..
 *     the same with C Z = B Z L, C B Z = Z L or B C Z = Z L, B <- its Cholesky factor:
 *         ?sygvd, ?sygv, ?sygvx, ?heg..
 *
 * Those of a tridiagonal matrix T, which is D and E: D <- the diagonal of L with T = Q L Q', and C is not
 * there, or C <- Q, or C <- C Q: ?stedc
 *
 * So do singular values and vectors; with right-hand sides they solve least squares:
 *
 *     S <- the diagonal of C = U S V', descending, U and V' <- the columns and rows that are wanted:
 *         ?gesdd, ?gesvd
 *     sides <- V S^-1 U' sides, by those values that are not negligible: ?gelsd, ?gelss
 *
 * Products with the Q of ?geqrf have one of A and B, whose columns hold the reflections: A is m x k, B is n x
 * k.
 *
 *     C <- op(Q) C, or C op(Q), op(Q) being Q or its adjoint: ?ormqr, ?unmqr
 *
 * Leading dimensions are in elements. Pure data: it owns nothing, and any thread may read it. */
#ifndef LAVA_DISPATCH_OPERATION_H
#define LAVA_DISPATCH_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/kinds.h"
#include "dispatch/region.h"
#include "dispatch/types.h"

enum lava_op { LAVA_OP_N, LAVA_OP_T };

/* How accurate the results of a product of fp32 matrices must be (doc/numerics.md). */
enum lava_precision {
    LAVA_PRECISION_STANDARD, /* within the error bounds of fp32 arithmetic, however they are computed */
    LAVA_PRECISION_IEEE,     /* sums of fp32 multiply-adds */
    LAVA_PRECISION_FAST,     /* elements may be rounded to bf16 */
    LAVA_PRECISION_COUNT
};

/* A scalar of a complex type, or of a real type with imaginary = 0. Exact, because every fp32, fp16 and bf16
 * is a double. */
struct lava_scalar {
    double real, imaginary;
};

/* What the elements outside the stored triangle are. */
enum lava_structure {
    LAVA_STRUCTURE_GENERAL,   /* all elements are stored */
    LAVA_STRUCTURE_SYMMETRIC, /* those of the stored triangle, transposed */
    LAVA_STRUCTURE_HERMITIAN, /* the same, conjugated; imaginary parts of the diagonal are zero, not read */
    LAVA_STRUCTURE_TRIANGULAR /* zero */
};

/* op(X) of a stored matrix X. */
struct lava_operand {
    const void *first; /* element of the stored matrix */
    int64_t ld;
    enum lava_op op;
    bool conjugate; /* complex types only */
    enum lava_structure structure;
    enum lava_region stored; /* the triangle of X that is stored; all of it if X is general. Nothing is
                              * computed of the other triangle, though a copy that stays has it, too */
    bool unit_diagonal;      /* triangular: the diagonal is not read; its elements are 1 */
    bool is_resident;        /* a device has a copy that stays (lib/engine/residents.h): plans count no
                              * upload. A's flags are those of C's factors that are there already */
    bool is_stored;          /* it is uploaded, and is to leave a copy in this call */
    uint64_t copy;           /* the number of the copy that was looked at; 0: there is none yet */
};

/* A matrix that an operation reads and does not write, as it is stored. rows is 0: there is none. */
struct lava_read_matrix {
    const void *first;
    int64_t ld, rows, columns;
    enum lava_region part; /* that is read; of a product's operand all may be */
};

/* The matrix that is written, and how much of it. */
struct lava_result {
    void *first;
    int64_t ld;
    enum lava_type type;
    enum lava_region region; /* the part that is read and written; the matrix is square unless it is all */
    bool real_diagonal;      /* imaginary parts of the diagonal are not read, and written as zero */
};

/* The right-hand sides of systems of equations with C, which become X. With QR, of least squares. */
struct lava_right_sides {
    void *first;
    int64_t ld, count; /* as many rows as the longer side of C, which is square but for QR; count 0: there
                        * are none */
    enum lava_op op;   /* of LU */
    bool conjugate;
    bool factored; /* C holds the factors already and is not written; pivots are theirs */
};

/* The eigenvalues that are wanted, in ascending order, and where their vectors go. */
enum lava_spectrum_range { LAVA_SPECTRUM_ALL, LAVA_SPECTRUM_VALUES, LAVA_SPECTRUM_INDICES };
struct lava_spectrum {
    enum lava_spectrum_range range;
    double low, high;     /* by value: greater than low, and not greater than high */
    int64_t first, count; /* by index, from 0 on */
    void *vectors;        /* as many columns as there are values, with C's rows */
    int64_t ld;
    int64_t *found; /* how many values there are; NULL: it is not asked for */
};

/* The other matrix of a generalized problem, Hermitian and positive definite, by the same triangle as C. */
enum lava_problem {
    LAVA_PROBLEM_STANDARD, /* there is none */
    LAVA_PROBLEM_AX_BX,    /* C z = l B z, as LAPACK counts them */
    LAVA_PROBLEM_ABX,      /* C B z = l z */
    LAVA_PROBLEM_BAX       /* B C z = l z */
};
struct lava_second {
    enum lava_problem problem;
    void *first;
    int64_t ld;
};

/* Singular vectors that are wanted, and where they go: columns of U, or rows of V'. count is 0, the smaller
 * side of C, or all: C's rows for U, its columns for V'. */
struct lava_singular_vectors {
    void *first; /* may be C's place, for one of them */
    int64_t ld, count;
};
struct lava_singular {
    struct lava_singular_vectors left, right;
    /* With right-hand sides: values count as zero unless they are greater than the threshold times the
     * largest one, and than the floor. */
    double threshold, floor;
    int64_t *rank; /* how many do not; NULL: it is not asked for */
};

/* Where the matrices of a batch are. Those of product i begin i times the stride (in elements) after the
 * operation's own. If the pointers are not NULL, they are at the i-th pointer instead. */
struct lava_series {
    int64_t count;
    int64_t stride_a, stride_b, stride_c;
    const void *const *a, *const *b;
    void *const *c;
};

/* The chains of LU, Cholesky, inverses and solves with factors. OpenBLAS's kernels add some hundred terms
 * before they begin anew. In one chain zpotrf's error was 4.5 times OpenBLAS's (order 4096, random). */
#define LAVA_CHAIN_OF_FACTORS 256

/* Sizes, operands, scalars, and what is written. */
struct lava_operation {
    enum lava_operation_kind kind;
    enum lava_type type; /* of A and B; products and sums of half precision are fp32 */
    enum lava_precision precision;
    int64_t chain; /* at most this many terms of a sum are added one after another; 0: any. It costs fp32 and
                    * fp64 arithmetic up to a tenth of a product's rate. On the device alone */
    int64_t m, n, k;
    struct lava_operand a, b;
    bool b_is_a;          /* op(B) is op(A) transposed, conjugated or not; b says the same */
    bool in_place;        /* one of A and B is triangular, and the other one is C itself, with its ld */
    bool twice;           /* the transposed product is added, conjugated if real_diagonal is set; C has a
                           * region, and k is that of one product */
    struct lava_result c; /* its type is that of A and B, or FP32 if they are of half precision */
    struct lava_scalar alpha, beta;
    int64_t *pivots; /* LU: written before C, k of them: row i is swapped with row pivots[i], from 0; the
                      * inverse and solves by LU read them. Pivoted QR: n numbers; columns whose number is not
                      * 0 come first. Then column i of the result was column pivots[i], from 1 */
    void *work;      /* inverse by LU: memory for work_columns of C's columns, at least one, with n as their
                      * distance, which the CPU uses */
    int64_t work_columns;
    void *tau;                        /* of the reflections, k elements; QR: written before C */
    void *tau_rows;                   /* bidiagonal: of those that C's rows hold, k elements */
    void *diagonal, *beside;          /* tridiagonal and bidiagonal: D and E, real; NULL: they are not wanted.
                                       * Eigenvalues and singular values go to D. Divide and conquer has its
                                       * tridiagonal matrix here */
    struct lava_spectrum spectrum;    /* eigenvalues and vectors */
    struct lava_second second;        /* B of a generalized problem */
    struct lava_singular singular;    /* singular values and vectors */
    bool adjoint;                     /* QR_LEFT and QR_RIGHT: Q's adjoint; QR with right-hand sides: C's;
                                       * QR_FORM: C's rows are reflections and become Q^H's */
    struct lava_right_sides sides;    /* Cholesky, LU, QR, singular vectors */
    const struct lava_series *series; /* a batch of such operations, C's all apart; NULL: one */
    bool of_parts;                    /* made by lava_operation_of_parts */
    bool
        on_device; /* a, b and c are on the device: `first` is an address there, and nothing is transferred */
};

/* Returns what is known of the operation's kind. */
static inline const struct lava_kind *lava_operation_row(const struct lava_operation *operation) {
    return &lava_kinds[operation->kind];
}

/* Returns how often an operation with vectors reads its matrix: Cholesky's factor is read twice. */
static inline double lava_operation_passes(const struct lava_operation *operation) {
    bool is_triangular = operation->a.structure == LAVA_STRUCTURE_TRIANGULAR;
    return lava_operation_row(operation)->by_factors && is_triangular ? 2 : 1;
}

/* Returns true if nothing is multiplied: m, n or k is 0, or alpha is 0 or -0, or there is nothing to solve
 * for. A and B must not be read then. */
bool lava_operation_is_trivial(const struct lava_operation *operation);

/* Returns true for one product of general matrices, which any program of BLAS has most of. The kernels that
 * others need are prepared apart. */
bool lava_operation_is_plain(const struct lava_operation *operation);

/* Returns the operand of which one triangle is stored, or NULL. */
const struct lava_operand *lava_operation_structured(const struct lava_operation *operation);

bool lava_operation_is_triangular(const struct lava_operation *operation);
/* Returns whether op(X) of a structured operand is its lower triangle. */
bool lava_operand_is_lower(const struct lava_operand *operand);
/* Returns whether the last rows of a triangular op(A), or the last columns of such an op(B), have most
 * elements: the last tiles of C then take longest. */
bool lava_operation_grows(const struct lava_operation *operation);
/* Returns true if C's columns are finished from the last to the first. C <- alpha C op(B) with an upper
 * triangle needs that: column j of the result is made of columns 0 to j, and after a failure the rest is
 * computed from what is left. X op(B) = alpha C with a lower triangle needs it too: column j of X depends on
 * those after it. Column j of Q depends on the reflections before it, which C's columns hold. */
bool lava_operation_descends(const struct lava_operation *operation);
/* Returns true for C <- alpha C op(B): the rows do not depend on each other, the columns do. */
bool lava_operation_is_by_rows(const struct lava_operation *operation);
/* Returns true if C's rows are finished from the last to the first: op(A) X = alpha C with an upper triangle.
 */
bool lava_operation_climbs(const struct lava_operation *operation);

/* Returns true if C may share an element with A or B; with the triangular one of them if the other one is C
 * itself; with the right-hand sides. The answer is exact if the leading dimensions agree (blocks of one
 * parent matrix, as LAPACK passes them). Otherwise it compares ranges of addresses, and true may be a false
 * alarm. */
bool lava_operation_overlaps(const struct lava_operation *operation);
/* What the rows of kinds have for this: C and A or B, C and the right-hand sides, C and the second matrix. */
bool lava_operation_operands_overlap(const struct lava_operation *operation);
bool lava_operation_sides_overlap(const struct lava_operation *operation);
bool lava_operation_second_overlaps(const struct lava_operation *operation);
/* Returns whether lib/blas can compute it in halves if it does not fit the device's memory. */
static inline bool lava_operation_has_halves(const struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    return row->solves || (row->is_product && operation->c.region != LAVA_REGION_ALL);
}

/* Returns the rows of the stored A (or B, or the right-hand sides), which the leading dimension must reach.
 */
int64_t lava_operation_rows_a(const struct lava_operation *operation);
int64_t lava_operation_rows_b(const struct lava_operation *operation);
int64_t lava_operation_rows_sides(const struct lava_operation *operation);
int64_t lava_operation_columns_a(const struct lava_operation *operation);
int64_t lava_operation_columns_b(const struct lava_operation *operation);

/* Returns the address of an element of a stored matrix. It may be of no element: a caller may give absurd
 * sizes, and such an address is never read. */
void *lava_operation_element(const void *matrix, enum lava_type type, int64_t row, int64_t column,
                             int64_t ld);

/* Returns the product for the block of C with these rows and columns. If C has a region, the block must
 * either lie on the diagonal (row is column, rows is columns) and have the same region, or lie inside the
 * region; inside, the product must not be `twice`. The operation must have no structured operand. */
struct lava_operation lava_operation_block(const struct lava_operation *operation, int64_t row, int64_t rows,
                                           int64_t column, int64_t columns);

/* Returns the other one of the two products of an operation that is `twice`, and *first: op(B)' op(A)', and
 * op(A) op(B) itself. Neither is `twice`; beta belongs to *first, and the other one adds to its result. */
struct lava_operation lava_operation_transposed(const struct lava_operation *operation,
                                                struct lava_operation *first);

/* Returns true if A must be multiplied by alpha as it is packed, and its product not: alpha is complex, and
 * the other one of two products gets its conjugate. */
bool lava_operation_scales_a(const struct lava_operation *operation);

/* Returns the real product that a device computes for a complex one: op(A) as m x 2k parts, op(B) as 2k x 2n,
 * C as m x 2n (shaders/interface.h). The pointers, leading dimensions and scalars stay those of the complex
 * matrices; alpha is 1 if A is multiplied by it. A real product is returned unchanged. A factorization has no
 * such product: it keeps its sizes, so it counts as less work than it is. */
struct lava_operation lava_operation_of_parts(const struct lava_operation *operation);

/* Returns the terms [first, first + count) of each sum of a product, or of two. Those after the first are
 * added to C: beta is 1. */
struct lava_operation lava_operation_depth(const struct lava_operation *operation, int64_t first,
                                           int64_t count);

/* Returns operation i of a batch. */
struct lava_operation lava_operation_of_series(const struct lava_operation *operation,
                                               const struct lava_series *series, int64_t i);
/* Returns how many operations there are: 1, unless it is a batch. */
int64_t lava_operation_count(const struct lava_operation *operation);

/* Returns parts of a generalized problem: Cholesky's factorization of the second matrix, and the reduction of
 * the first one. */
struct lava_operation lava_operation_of_second(const struct lava_operation *operation);
struct lava_operation lava_operation_of_first(const struct lava_operation *operation);

/* Returns the part of it that only factors. */
struct lava_operation lava_operation_without_sides(const struct lava_operation *operation);
/* Makes the two solves with the factors, in order: with L and then U for LU, with U' and then L' if C is
 * transposed; with L and then L', or with U' and then U, for Cholesky. LU: the right-hand sides' rows are
 * swapped before them, or, if C is transposed, backwards after them. */
void lava_operation_solves(const struct lava_operation *operation, struct lava_operation solves[2]);
/* Return what QR's factors do to the right-hand sides, if C is not wide. First they become Q's adjoint times
 * them, then their first n rows are solved with R. For C's adjoint the solve with R's adjoint comes first,
 * and then Q times them; between the two, the rows below become zero. */
struct lava_operation lava_operation_times_q(const struct lava_operation *operation);
struct lava_operation lava_operation_solve_r(const struct lava_operation *operation);

/* Parts of what singular values and vectors are found by, to count and plan: the eigenvalue problem of a
 * matrix of C's shorter side, the QR factorization of C or its adjoint, whichever is tall, and the product of
 * that Q with a number of columns. */
struct lava_operation lava_operation_eigen_of(const struct lava_operation *operation);
struct lava_operation lava_operation_qr_of(const struct lava_operation *operation);
struct lava_operation lava_operation_q_of(const struct lava_operation *operation, int64_t columns);

/* A CPU BLAS uses several threads for products with more work (m n k) than this: OpenBLAS, 0.3 series. */
#define LAVA_ONE_THREAD_WORK (64.0 * 64.0 * 64.0)
/* At the orders of a threshold LAPACK's routines take the CPU three to five times as long as a product. */
#define LAVA_LAPACK_WORK 4.0
/* The same for eigenvalues and singular values. At order 256 they take 16 cores 4 to 18 ms, and an H200 3 to
 * 7. */
#define LAVA_VALUES_WORK 16.0

/* Returns 2 m n k, or 8 m n k for complex types; a sixth of that for a Cholesky factorization, a third for an
 * LU and two thirds for a QR factorization of a square matrix, or its Q, and two solves for the right-hand
 * sides, or with QR a product with Q and a solve. Inverses of triangles have as much as Cholesky, by a
 * Cholesky factor twice and by LU four times as much. A triangle has half of that, plus the other half of its
 * diagonal, and so has a triangular operand. Two products have twice as much. The result is a double, so it
 * does not overflow. */
double lava_operation_flops(const struct lava_operation *operation);
/* Returns the bytes that are uploaded. A and B count as stored, only A if B is A, and only the triangle of a
 * triangular operand. A factorization uploads C and the right-hand sides. Like the flops, the bytes are those
 * of one operation of a batch. */
double lava_operation_operand_bytes(const struct lava_operation *operation);
/* The same without operands that stay on the device. */
double lava_operation_upload_bytes(const struct lava_operation *operation);
/* Returns whether A or B is on the device already; whether one is to leave a copy there; and the operation
 * as if neither were so. */
static inline bool lava_operation_has_resident(const struct lava_operation *operation) {
    return operation->a.is_resident || operation->b.is_resident;
}
static inline bool lava_operation_stores(const struct lava_operation *operation) {
    return operation->a.is_stored || operation->b.is_stored;
}
struct lava_operation lava_operation_without_residents(const struct lava_operation *operation);
/* Returns the work that the offload threshold is compared with: m n k, of a triangle half, of two products
 * twice as much; of LAPACK's four times as much, and m n for each right-hand side. */
double lava_operation_work(const struct lava_operation *operation);
/* The same of n of a batch; 0: of one alone. */
double lava_operation_work_of(const struct lava_operation *operation, int64_t products);
/* Returns the work that one operation of a batch counts for. One thread computes it, no faster than all
 * threads compute LAVA_ONE_THREAD_WORK. 0 or less stays. */
static inline double lava_operation_work_each(double work) {
    return work > 0 && work < LAVA_ONE_THREAD_WORK ? LAVA_ONE_THREAD_WORK : work;
}

/* What the rows of kinds have for these: a product, or a solve; the bytes of C and of its right-hand sides,
 * and the work of what is done with C. */
double lava_operation_product_flops(const struct lava_operation *operation);
double lava_operation_product_bytes(const struct lava_operation *operation);
double lava_operation_product_work(const struct lava_operation *operation);
double lava_operation_matrix_bytes(const struct lava_operation *operation);
double lava_operation_matrix_work(const struct lava_operation *operation);
/* The first and second matrix of which an operation may read a copy: A and B, if they are neither C itself
 * nor one and the same; C, if it holds factors already, or is inverted. Those have the flags of A and B. */
struct lava_read_matrix lava_operation_reads(const struct lava_operation *operation, int index);
struct lava_read_matrix lava_operation_operand_read(const struct lava_operation *operation, int index);
struct lava_read_matrix lava_operation_matrix_read(const struct lava_operation *operation, int index);
/* Returns the floating-point operations of a multiplication and an addition. */
static inline double lava_operation_pair_flops(const struct lava_operation *operation) {
    return lava_type_is_complex(operation->type) ? 8.0 : 2.0;
}

/* Returns the element type that the device delivers. For C <- alpha A B it is C's type, rounded once on the
 * device. If the old C is added to a result in half precision it is fp32, and the write-back rounds. */
enum lava_type lava_operation_result_type(const struct lava_operation *operation);

/* Addresses for operations that are only planned: the matrices lie far apart, and nothing is read. */
#define LAVA_PLANNED_A ((void *)(uintptr_t)(1ull << 44))
#define LAVA_PLANNED_B ((void *)(uintptr_t)(1ull << 45))
#define LAVA_PLANNED_C ((void *)(uintptr_t)(1ull << 46))

/* Returns a product of square matrices to plan with. */
struct lava_operation lava_operation_to_plan(enum lava_type type, int64_t order);

#endif
