/* Calls the CPU BLAS's gemm routines, with Fortran's or CBLAS's argument list, with int or int64_t. Called by
 * lib/host/cpu_blas and lib/host/half for parts of a product. */
#include "lib/host/cpu_gemm.h"

#include "dispatch/arithmetic.h"
#include "lib/host/reference_blas.h"

enum { COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

/* alpha and beta in the operation's own type, as the routines read them. */
struct scalars {
    union scalar {
        float fp32[2];
        double fp64[2];
    } alpha, beta;
};

static void set_scalar(union scalar *scalar, enum lava_type type, double real, double imaginary) {
    if (lava_type_real(type) == LAVA_TYPE_FP32) {
        scalar->fp32[0] = (float)real;
        scalar->fp32[1] = (float)imaginary;
    } else {
        scalar->fp64[0] = real;
        scalar->fp64[1] = imaginary;
    }
}

static const char *character_of(enum lava_op op, bool conjugate) {
    return op == LAVA_OP_N ? "N" : conjugate ? "C" : "T";
}

static int enumerator_of(enum lava_op op, bool conjugate) {
    return op == LAVA_OP_N ? NO_TRANS : conjugate ? CONJ_TRANS : TRANS;
}

/* Matrices are void pointers in all of them: the element type does not affect how a pointer is passed. */
#define CBLAS_CALL(name, integer, scalar)                                                                    \
    typedef void name##_function(int, int, int, integer, integer, integer, scalar, const void *, integer,    \
                                 const void *, integer, scalar, void *, integer);                            \
    static void call_##name(const struct lava_cpu_gemm *gemm, const struct lava_operation *p, scalar alpha,  \
                            scalar beta) {                                                                   \
        ((name##_function *)gemm->function)(                                                                 \
            COLUMN_MAJOR, enumerator_of(p->a.op, p->a.conjugate), enumerator_of(p->b.op, p->b.conjugate),    \
            (integer)p->m, (integer)p->n, (integer)p->k, alpha, p->a.first, (integer)p->a.ld, p->b.first,    \
            (integer)p->b.ld, beta, p->c.first, (integer)p->c.ld);                                           \
    }

#define CALLS(width, integer)                                                                                \
    CBLAS_CALL(cblas_fp32_##width, integer, float)                                                           \
    CBLAS_CALL(cblas_fp64_##width, integer, double)                                                          \
    CBLAS_CALL(cblas_complex_##width, integer, const void *)                                                 \
                                                                                                             \
    static void call_cblas_##width(const struct lava_cpu_gemm *gemm, const struct lava_operation *p,         \
                                   const struct scalars *x) {                                                \
        if (p->type == LAVA_TYPE_FP32)                                                                       \
            call_cblas_fp32_##width(gemm, p, x->alpha.fp32[0], x->beta.fp32[0]);                             \
        else if (p->type == LAVA_TYPE_FP64)                                                                  \
            call_cblas_fp64_##width(gemm, p, x->alpha.fp64[0], x->beta.fp64[0]);                             \
        else                                                                                                 \
            call_cblas_complex_##width(gemm, p, &x->alpha, &x->beta);                                        \
    }                                                                                                        \
                                                                                                             \
    typedef void fortran_##width##_function(const char *, const char *, const integer *, const integer *,    \
                                            const integer *, const void *, const void *, const integer *,    \
                                            const void *, const integer *, const void *, void *,             \
                                            const integer *, size_t, size_t);                                \
    static void call_fortran_##width(const struct lava_cpu_gemm *gemm, const struct lava_operation *p,       \
                                     const struct scalars *x) {                                              \
        const integer m = (integer)p->m, n = (integer)p->n, k = (integer)p->k;                               \
        const integer lda = (integer)p->a.ld, ldb = (integer)p->b.ld, ldc = (integer)p->c.ld;                \
        ((fortran_##width##_function *)gemm->function)(                                                      \
            character_of(p->a.op, p->a.conjugate), character_of(p->b.op, p->b.conjugate), &m, &n, &k,        \
            &x->alpha, p->a.first, &lda, p->b.first, &ldb, &x->beta, p->c.first, &ldc, 1, 1);                \
    }

CALLS(lp64, int)
CALLS(ilp64, int64_t)

void lava_cpu_gemm_gemm(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation) {
    struct scalars scalars;
    if (!gemm->function) {
        lava_reference_run(operation);
        return;
    }
    set_scalar(&scalars.alpha, operation->type, operation->alpha.real, operation->alpha.imaginary);
    set_scalar(&scalars.beta, operation->type, operation->beta.real, operation->beta.imaginary);
    if (gemm->convention == LAVA_CONVENTION_FORTRAN)
        (gemm->is_ilp64 ? call_fortran_ilp64 : call_fortran_lp64)(gemm, operation, &scalars);
    else
        (gemm->is_ilp64 ? call_cblas_ilp64 : call_cblas_lp64)(gemm, operation, &scalars);
}

/* A part of the operation of m x n x k elements, with its offsets. */
struct piece {
    int64_t row, column, depth, m, n, k;
};

static void run_piece(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation,
                      const struct piece *piece) {
    bool a_is_n = operation->a.op == LAVA_OP_N, b_is_n = operation->b.op == LAVA_OP_N;
    int64_t bytes = (int64_t)lava_type_bytes(operation->type);
    struct lava_operation part = *operation;
    part.m = piece->m;
    part.n = piece->n;
    part.k = piece->k;
    part.a.first =
        (const char *)operation->a.first + bytes * (a_is_n ? piece->row + piece->depth * operation->a.ld
                                                           : piece->depth + piece->row * operation->a.ld);
    part.b.first =
        (const char *)operation->b.first + bytes * (b_is_n ? piece->depth + piece->column * operation->b.ld
                                                           : piece->column + piece->depth * operation->b.ld);
    part.c.first = (char *)operation->c.first + bytes * (piece->row + piece->column * operation->c.ld);
    if (piece->depth > 0) {
        part.beta.real = 1;
        part.beta.imaginary = 0;
    }
    lava_cpu_gemm_gemm(gemm, &part);
}

void lava_cpu_gemm_pieces(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation,
                          int64_t piece, int64_t largest_ld) {
    if (operation->a.ld > largest_ld || operation->b.ld > largest_ld || operation->c.ld > largest_ld) {
        lava_reference_run(operation);
        return;
    }
    for (int64_t column = 0; column < operation->n; column += piece)
        for (int64_t row = 0; row < operation->m; row += piece) {
            int64_t depth = 0;
            do { /* once even for k = 0, because C must be scaled by beta */
                const struct piece part = {
                    .row = row,
                    .column = column,
                    .depth = depth,
                    .m = lava_minimum(operation->m - row, piece),
                    .n = lava_minimum(operation->n - column, piece),
                    .k = lava_minimum(operation->k - depth, piece),
                };
                run_piece(gemm, operation, &part);
                depth += piece;
            } while (depth < operation->k);
        }
}
