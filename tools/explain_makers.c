/* Makes operations of the arguments of `lavablas explain`. A new family needs a row of the table at the end,
 * and a function if no other family's makes its operation. */
#include "tools/explain_makers.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/abi/validate.h"

static int64_t at_least_one(int64_t size) {
    return size > 1 ? size : 1;
}

static bool make_gemm(const struct explain_arguments *x, struct lava_operation *operation) {
    const struct lava_operation numbers = {.type = operation->type,
                                           .c.type = operation->c.type,
                                           .m = x->m,
                                           .n = x->n,
                                           .k = x->k,
                                           .a.ld = at_least_one(x->transa == 'N' ? x->m : x->k),
                                           .b.ld = at_least_one(x->transb == 'N' ? x->k : x->n),
                                           .c.ld = at_least_one(x->m),
                                           .a.first = LAVA_PLANNED_A,
                                           .b.first = LAVA_PLANNED_B,
                                           .c.first = LAVA_PLANNED_C};
    const struct lava_validate_list list = {LAVA_ROUTINE_sgemm_, 0, x->transa, x->transb, &numbers};
    bool valid = lava_validate_translate(&list, operation);
    operation->alpha.real = 1;
    return valid;
}

/* The matrices follow each other. The series is that of the last batch: one call is explained at a time. */
static bool make_batch(const struct explain_arguments *x, struct lava_operation *operation) {
    static struct lava_series series;
    bool valid = make_gemm(x, operation);
    series = (struct lava_series){
        .count = x->count, .stride_a = x->m * x->k, .stride_b = x->k * x->n, .stride_c = x->m * x->n};
    operation->series = &series;
    return valid && x->count > 0;
}

static bool make_gemmt(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments square = *x;
    square.m = x->n;
    bool valid = make_gemm(&square, operation);
    operation->c.region = x->uplo == 'L' ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    return valid;
}

/* Makes ?syr2k's first product: ?gemmt of A and a transposed B. Complex ?syrk and ?syr2k have no C, and ?herk
 * and ?her2k no T. */
static bool make_update(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments product = *x;
    char turned = x->is_hermitian ? 'C' : 'T';
    bool has_trans = x->transa == 'N' || x->transa == turned || !lava_type_is_complex(operation->type);
    product.transb = x->transa == 'N' ? turned : 'N';
    bool valid = make_gemmt(&product, operation);
    operation->c.real_diagonal = x->is_hermitian;
    return valid && has_trans;
}

static bool make_syrk(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_update(x, operation);
    operation->b_is_a = true;
    operation->b.first = operation->a.first;
    operation->b.ld = operation->a.ld;
    return valid;
}

static bool make_syr2k(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_update(x, operation);
    operation->twice = true;
    return valid;
}

/* Makes ?gemm with a square A, which goes to the side where it belongs. The general operand of ?trmm and
 * ?trsm is C. */
static bool make_structured(const struct explain_arguments *x, struct lava_operation *operation) {
    static const enum lava_structure structures[] = {[LAVA_FAMILY_SYMM] = LAVA_STRUCTURE_SYMMETRIC,
                                                     [LAVA_FAMILY_HEMM] = LAVA_STRUCTURE_HERMITIAN,
                                                     [LAVA_FAMILY_TRMM] = LAVA_STRUCTURE_TRIANGULAR,
                                                     [LAVA_FAMILY_TRSM] = LAVA_STRUCTURE_TRIANGULAR};
    bool is_left = x->side == 'L';
    struct explain_arguments product = *x;
    product.k = is_left ? x->m : x->n;
    product.transa = is_left ? x->transa : 'N';
    product.transb = is_left ? 'N' : x->transa;
    bool valid = make_gemm(&product, operation);
    struct lava_operand *square = is_left ? &operation->a : &operation->b;
    struct lava_operand *general = is_left ? &operation->b : &operation->a;
    square->structure = structures[x->family];
    square->stored = x->uplo == 'L' ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    square->unit_diagonal = x->diag == 'U';
    operation->in_place = x->family == LAVA_FAMILY_TRMM;
    if (x->family == LAVA_FAMILY_TRSM)
        operation->kind = LAVA_OPERATION_SOLVE;
    if (square->structure == LAVA_STRUCTURE_TRIANGULAR)
        general->first = operation->c.first;
    return valid;
}

/* Makes ?gemm with one column, and a whole or a square A. */
static bool make_vector(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments product = *x;
    bool is_square = x->family != LAVA_FAMILY_GEMV, is_n = x->transa == 'N';
    product.m = is_square || !is_n ? x->n : x->m;
    product.n = 1;
    product.k = is_square || is_n ? x->n : x->m;
    bool valid = make_gemm(&product, operation);
    operation->kind = LAVA_OPERATION_MATRIX_VECTOR;
    operation->b.ld = operation->c.ld = 1;
    if (is_square) {
        operation->a.structure =
            x->family == LAVA_FAMILY_HEMV ? LAVA_STRUCTURE_HERMITIAN : LAVA_STRUCTURE_SYMMETRIC;
        operation->a.stored = x->uplo == 'L' ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    }
    return valid;
}

/* ?trmm or ?trsm from the left, with one column. */
static bool make_triangle_vector(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments product = *x;
    bool solves = x->family == LAVA_FAMILY_TRSV;
    product.family = LAVA_FAMILY_TRMM;
    product.side = 'L';
    product.m = x->n;
    product.n = 1;
    bool valid = make_structured(&product, operation);
    operation->kind = solves ? LAVA_OPERATION_SOLVE_VECTOR : LAVA_OPERATION_TRIANGLE_VECTOR;
    operation->c.ld = 1;
    return valid;
}

/* ?trsm's solve from the left, of a square matrix of n rows. */
static bool make_trtrs(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments solve = *x;
    solve.family = LAVA_FAMILY_TRSM;
    solve.side = 'L';
    solve.m = x->n;
    solve.n = x->nrhs;
    return make_structured(&solve, operation);
}

/* None if the family has none. */
static struct lava_right_sides sides_of(const struct explain_arguments *x, enum lava_type type) {
    return (struct lava_right_sides){.first = LAVA_PLANNED_B,
                                     .ld = at_least_one(x->n),
                                     .count = x->nrhs,
                                     .op = x->transa == 'N' ? LAVA_OP_N : LAVA_OP_T,
                                     .conjugate = x->transa == 'C' && lava_type_is_complex(type),
                                     .factored =
                                         x->family == LAVA_FAMILY_POTRS || x->family == LAVA_FAMILY_GETRS};
}

static bool make_cholesky(const struct explain_arguments *x, struct lava_operation *operation) {
    operation->kind = LAVA_OPERATION_CHOLESKY;
    operation->m = operation->n = operation->k = x->n;
    operation->c.first = LAVA_PLANNED_C;
    operation->c.ld = at_least_one(x->n);
    operation->c.region = x->uplo == 'L' ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    operation->c.real_diagonal = lava_type_is_complex(operation->type);
    operation->alpha.real = 1;
    operation->sides = sides_of(x, operation->type);
    return x->n >= 0;
}

static bool make_inverse(const struct explain_arguments *x, struct lava_operation *operation) {
    static const enum lava_operation_kind kinds[] = {[LAVA_FAMILY_TRTRI] = LAVA_OPERATION_INVERT_TRIANGLE,
                                                     [LAVA_FAMILY_LAUUM] = LAVA_OPERATION_SQUARE_TRIANGLE,
                                                     [LAVA_FAMILY_POTRI] = LAVA_OPERATION_INVERT_CHOLESKY};
    bool valid = make_cholesky(x, operation);
    operation->kind = kinds[x->family];
    operation->a.unit_diagonal = x->diag == 'U';
    return valid;
}

static bool make_tridiagonal(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_cholesky(x, operation);
    operation->kind = LAVA_OPERATION_TRIDIAGONAL;
    return valid;
}

/* All eigenvalues; the vectors take the matrix's place. */
static bool make_eigen(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_cholesky(x, operation);
    operation->kind = x->job == 'V' ? LAVA_OPERATION_EIGENVECTORS : LAVA_OPERATION_EIGENVALUES;
    operation->spectrum = (struct lava_spectrum){.vectors = operation->c.first, .ld = operation->c.ld};
    return valid;
}

static bool make_divide(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_cholesky(x, operation);
    operation->kind = x->job == 'N'   ? LAVA_OPERATION_DIVIDE_VALUES
                      : x->job == 'I' ? LAVA_OPERATION_DIVIDE_VECTORS
                                      : LAVA_OPERATION_DIVIDE_TIMES;
    operation->c.region = LAVA_REGION_ALL;
    operation->c.real_diagonal = false;
    return valid;
}

static bool make_generalized(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_eigen(x, operation);
    operation->kind = x->job == 'V' ? LAVA_OPERATION_GENERALIZED_VECTORS : LAVA_OPERATION_GENERALIZED_VALUES;
    operation->second =
        (struct lava_second){(enum lava_problem)(x->itype - '0'), LAVA_PLANNED_B, operation->c.ld};
    return valid;
}

static bool make_lu(const struct explain_arguments *x, struct lava_operation *operation) {
    operation->kind = LAVA_OPERATION_LU;
    operation->m = x->m;
    operation->n = x->n;
    operation->k = lava_minimum(x->m, x->n);
    operation->c.first = LAVA_PLANNED_C;
    operation->c.ld = at_least_one(x->m);
    operation->alpha.real = 1;
    return x->m >= 0 && x->n >= 0;
}

static bool make_qr(const struct explain_arguments *x, struct lava_operation *operation) {
    bool forms = x->family == LAVA_FAMILY_ORGQR, valid = make_lu(x, operation);
    operation->kind = forms ? LAVA_OPERATION_QR_FORM : LAVA_OPERATION_QR;
    operation->k = forms ? x->k : operation->k;
    return valid && (!forms || (x->k >= 0 && x->k <= x->n && x->n <= x->m));
}

static bool make_pivoted_qr(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_lu(x, operation);
    operation->kind = LAVA_OPERATION_PIVOTED_QR;
    return valid;
}

static bool make_bidiagonal(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_lu(x, operation);
    operation->kind = LAVA_OPERATION_BIDIAGONAL;
    return valid;
}

/* Real types have no C, complex ones no T. */
static bool make_least_squares(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_qr(x, operation);
    operation->sides = (struct lava_right_sides){
        .first = LAVA_PLANNED_B, .ld = at_least_one(lava_maximum(x->m, x->n)), .count = x->nrhs};
    operation->adjoint = x->transa != 'N';
    operation->k = x->nrhs > 0 ? operation->k : 0;
    return valid && x->nrhs >= 0 &&
           (!operation->adjoint || x->transa == (lava_type_is_complex(operation->type) ? 'C' : 'T'));
}

/* The vectors of a job; those that take the matrix's place count as others do. */
static struct lava_singular_vectors vectors_of(char job, int64_t all, int64_t least) {
    bool has_none = job == 'N' || !job;
    return (struct lava_singular_vectors){LAVA_PLANNED_A, at_least_one(all),
                                          has_none     ? 0
                                          : job == 'A' ? all
                                                       : least};
}

/* ?gesdd has one job: its O wants all vectors of the shorter side. */
static bool make_singular(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_lu(x, operation), has_sides = x->nrhs > 0, both = x->job == 'O' && !x->second_job;
    int64_t least = lava_minimum(x->m, x->n);
    char left = x->job, right = x->second_job ? x->second_job : both && x->m >= x->n ? 'A' : x->job;
    operation->singular.left = vectors_of(both && x->m < x->n ? 'A' : left, x->m, least);
    operation->singular.right = vectors_of(right, x->n, least);
    operation->sides = (struct lava_right_sides){
        .first = LAVA_PLANNED_B, .ld = at_least_one(lava_maximum(x->m, x->n)), .count = x->nrhs};
    bool has_vectors = has_sides || operation->singular.left.count > 0 || operation->singular.right.count > 0;
    operation->kind = has_vectors ? LAVA_OPERATION_SINGULAR_VECTORS : LAVA_OPERATION_SINGULAR_VALUES;
    if (x->family == LAVA_FAMILY_GELSS || x->family == LAVA_FAMILY_GELSS_COMPLEX)
        operation->singular.right.count = least;
    return valid && x->nrhs >= 0 && !(x->job == 'O' && x->second_job == 'O');
}

static bool make_qr_product(const struct explain_arguments *x, struct lava_operation *operation) {
    bool is_left = x->side == 'L', valid = make_lu(x, operation);
    char adjoint = lava_type_is_complex(operation->type) ? 'C' : 'T';
    const struct lava_operand reflections = {.first = LAVA_PLANNED_A,
                                             .ld = at_least_one(is_left ? x->m : x->n),
                                             .op = is_left ? LAVA_OP_N : LAVA_OP_T};
    operation->kind = is_left ? LAVA_OPERATION_QR_LEFT : LAVA_OPERATION_QR_RIGHT;
    operation->k = x->k;
    operation->adjoint = x->transa != 'N';
    *(is_left ? &operation->a : &operation->b) = reflections;
    return valid && x->k >= 0 && x->k <= (is_left ? x->m : x->n) &&
           (x->transa == 'N' || x->transa == adjoint);
}

/* Q has columns, and P rows. If they begin beside the diagonal, the first row and column stay. */
static bool make_bidiagonal_q(const struct explain_arguments *x, struct lava_operation *operation) {
    bool is_p = x->job == 'P', valid = make_lu(x, operation);
    int64_t longer = is_p ? x->n : x->m, shorter = is_p ? x->m : x->n;
    bool shifts = is_p ? x->n <= x->k : x->m < x->k;
    operation->kind = LAVA_OPERATION_QR_FORM;
    operation->adjoint = is_p;
    operation->m -= shifts;
    operation->n -= shifts;
    operation->k = shifts ? operation->k - 1 : x->k;
    operation->a.first = shifts ? LAVA_PLANNED_A : NULL;
    return valid && x->k >= 0 && shorter <= longer && shorter >= lava_minimum(longer, x->k);
}

static bool make_bidiagonal_product(const struct explain_arguments *x, struct lava_operation *operation) {
    bool is_left = x->side == 'L', is_p = x->job == 'P';
    int64_t order = is_left ? x->m : x->n;
    bool shifts = is_p ? order <= x->k : order < x->k;
    struct explain_arguments rest = *x;
    rest.k = shifts ? order - 1 : x->k;
    rest.m -= shifts && is_left;
    rest.n -= shifts && !is_left;
    bool valid = make_qr_product(&rest, operation);
    struct lava_operand *reflections = is_left ? &operation->a : &operation->b;
    reflections->ld = is_p ? at_least_one(lava_minimum(order, x->k)) : at_least_one(order);
    reflections->op = is_left == is_p ? LAVA_OP_T : LAVA_OP_N;
    return valid && x->k >= 0;
}

static bool make_square_lu(const struct explain_arguments *x, struct lava_operation *operation) {
    struct explain_arguments square = *x;
    square.m = x->n;
    operation->sides = sides_of(x, operation->type);
    return make_lu(&square, operation);
}

static bool make_inverse_by_lu(const struct explain_arguments *x, struct lava_operation *operation) {
    bool valid = make_square_lu(x, operation);
    operation->kind = LAVA_OPERATION_INVERT_LU;
    return valid;
}

static const struct explain_shape shapes[] = {
    {LAVA_FAMILY_GEMM, "TRANSA TRANSB M N K ", make_gemm},
    {LAVA_FAMILY_STRIDED, "TRANSA TRANSB M N K COUNT ", make_batch},
    {LAVA_FAMILY_GEMMT, "UPLO TRANSA TRANSB N K ", make_gemmt},
    {LAVA_FAMILY_SYRK, "UPLO TRANS N K ", make_syrk},
    {LAVA_FAMILY_SYMM, "SIDE UPLO M N ", make_structured},
    {LAVA_FAMILY_HEMM, "SIDE UPLO M N ", make_structured},
    {LAVA_FAMILY_SYR2K, "UPLO TRANS N K ", make_syr2k},
    {LAVA_FAMILY_TRMM, "SIDE UPLO TRANSA DIAG M N ", make_structured},
    {LAVA_FAMILY_TRSM, "SIDE UPLO TRANSA DIAG M N ", make_structured},
    {LAVA_FAMILY_GEMV, "TRANS M N ", make_vector},
    {LAVA_FAMILY_SYMV, "UPLO N ", make_vector},
    {LAVA_FAMILY_HEMV, "UPLO N ", make_vector},
    {LAVA_FAMILY_TRMV, "UPLO TRANS DIAG N ", make_triangle_vector},
    {LAVA_FAMILY_TRSV, "UPLO TRANS DIAG N ", make_triangle_vector},
    {LAVA_FAMILY_POTRF, "UPLO N ", make_cholesky},
    {LAVA_FAMILY_GETRF, "M N ", make_lu},
    {LAVA_FAMILY_TRTRI, "UPLO DIAG N ", make_inverse},
    {LAVA_FAMILY_LAUUM, "UPLO N ", make_inverse},
    {LAVA_FAMILY_POTRI, "UPLO N ", make_inverse},
    {LAVA_FAMILY_GETRI, "N ", make_inverse_by_lu},
    {LAVA_FAMILY_SYTRD, "UPLO N ", make_tridiagonal},
    {LAVA_FAMILY_SYEV, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_HEEV, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_SYEVD, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_HEEVD, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_SYEVR, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_HEEVR, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_SYEVX, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_HEEVX, "JOBZ UPLO N ", make_eigen},
    {LAVA_FAMILY_SYGV, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_HEGV, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_SYGVD, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_HEGVD, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_SYGVX, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_HEGVX, "ITYPE JOBZ UPLO N ", make_generalized},
    {LAVA_FAMILY_STEDC, "COMPZ N ", make_divide},
    {LAVA_FAMILY_STEDC_COMPLEX, "COMPZ N ", make_divide},
    {LAVA_FAMILY_GESDD, "JOB M N ", make_singular},
    {LAVA_FAMILY_GESDD_COMPLEX, "JOB M N ", make_singular},
    {LAVA_FAMILY_GESVD, "JOBU JOBVT M N ", make_singular},
    {LAVA_FAMILY_GESVD_COMPLEX, "JOBU JOBVT M N ", make_singular},
    {LAVA_FAMILY_GELSD, "M N NRHS ", make_singular},
    {LAVA_FAMILY_GELSD_COMPLEX, "M N NRHS ", make_singular},
    {LAVA_FAMILY_GELSS, "M N NRHS ", make_singular},
    {LAVA_FAMILY_GELSS_COMPLEX, "M N NRHS ", make_singular},
    {LAVA_FAMILY_GEQRF, "M N ", make_qr},
    {LAVA_FAMILY_GEBRD, "M N ", make_bidiagonal},
    {LAVA_FAMILY_ORGBR, "VECT M N K ", make_bidiagonal_q},
    {LAVA_FAMILY_ORMBR, "VECT SIDE TRANS M N K ", make_bidiagonal_product},
    {LAVA_FAMILY_GEQP3, "M N ", make_pivoted_qr},
    {LAVA_FAMILY_CGEQP3, "M N ", make_pivoted_qr},
    {LAVA_FAMILY_ORGQR, "M N K ", make_qr},
    {LAVA_FAMILY_ORMQR, "SIDE TRANS M N K ", make_qr_product},
    {LAVA_FAMILY_GELS, "TRANS M N NRHS ", make_least_squares},
    {LAVA_FAMILY_TRTRS, "UPLO TRANS DIAG N NRHS ", make_trtrs},
    {LAVA_FAMILY_POTRS, "UPLO N NRHS ", make_cholesky},
    {LAVA_FAMILY_POSV, "UPLO N NRHS ", make_cholesky},
    {LAVA_FAMILY_GETRS, "TRANS N NRHS ", make_square_lu},
    {LAVA_FAMILY_GESV, "N NRHS ", make_square_lu},
};

const struct explain_shape *explain_shape_at(size_t index) {
    return index < sizeof shapes / sizeof shapes[0] ? &shapes[index] : NULL;
}

const struct explain_shape *explain_shape_of(enum lava_family family) {
    const struct explain_shape *shape;
    for (size_t i = 0; (shape = explain_shape_at(i)) && shape->family != family; i++)
        ;
    return shape;
}

void explain_arguments_of_sizes(const struct explain_shape *shape, const struct explain_sizes *sizes,
                                struct explain_arguments *x) {
    bool has_m = strstr(shape->arguments, "M N") != NULL, has_k = strstr(shape->arguments, "K ") != NULL,
         is_solve = shape->make == make_trtrs;
    *x = (struct explain_arguments){.itype = '1',
                                    .job = 'V',
                                    .side = 'L',
                                    .uplo = 'L',
                                    .transa = 'N',
                                    .transb = 'N',
                                    .diag = 'N',
                                    .m = sizes->m,
                                    .n = sizes->n,
                                    .k = sizes->k,
                                    .nrhs = sizes->sides,
                                    .count = sizes->products};
    if (shape->make == make_singular)
        x->job = sizes->sides > 0 ? 'N' : 'S';
    if (shape->make == make_vector && has_m)
        x->n = sizes->k;
    if (shape->make == make_structured && sizes->k != sizes->m)
        x->side = 'R';
    if (is_solve)
        x->nrhs = sizes->n;
    if (is_solve || (!has_m && !has_k))
        x->n = sizes->m;
}
