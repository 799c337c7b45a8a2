/* A program like many others: it uses BLAS under Fortran's names and C's, level 1 to 3, and does not know
 * LavaBLAS. Elements are small integers, so every result is exact. Exits with 1 if one is wrong.
 *
 *   blas_program [TYPES]       TYPES: letters of "sdcz" whose products it computes; default: all */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cblas.h>

#define ROWS    70
#define COLUMNS 65
#define DEPTH   90

/* Declared as C programs declare Fortran's routines if no header does. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
int idamax_(const int *n, const double *x, const int *incx);

#define DECLARE_GEMM(name, type)                                                                             \
    void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,              \
              const type *alpha, const type *a, const int *lda, const type *b, const int *ldb,               \
              const type *beta, type *c, const int *ldc)
DECLARE_GEMM(sgemm_, float);
DECLARE_GEMM(dgemm_, double);
DECLARE_GEMM(cgemm_, float complex);
DECLARE_GEMM(zgemm_, double complex);

static int failures;

static void expect(bool right, const char *what) {
    if (right)
        return;
    printf("wrong: %s\n", what);
    failures++;
}

static int whole(int row, int column) {
    return (row * 7 + column * 3) % 11 - 5;
}

/* C <- 2 A B + 3 C by both of a type's routines, compared with sums of integers. unit: 1, or 1 + i for
 * complex types, which turns the product into that of A (1 + i) and B (1 + i), 2 i times as large. */
#define DEFINE_CHECK(name, fortran, cblas, type, unit, scalar)                                               \
    static void name(void) {                                                                                 \
        static type a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS], d[ROWS * COLUMNS];               \
        const int m = ROWS, n = COLUMNS, k = DEPTH;                                                          \
        const type alpha = 2, beta = 3;                                                                      \
        for (int i = 0; i < ROWS * DEPTH; i++)                                                               \
            a[i] = (type)whole(i % ROWS, i / ROWS) * (unit);                                                 \
        for (int i = 0; i < DEPTH * COLUMNS; i++)                                                            \
            b[i] = (type)whole(i % DEPTH, i / DEPTH + 1) * (unit);                                           \
        for (int i = 0; i < ROWS * COLUMNS; i++)                                                             \
            c[i] = d[i] = (type)(i % 5);                                                                     \
        fortran("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, c, &m);                                   \
        cblas(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, scalar(alpha), a, m, b, k, scalar(beta),   \
              d, m);                                                                                         \
        for (int i = 0; i < ROWS * COLUMNS; i++) {                                                           \
            int sum = 0;                                                                                     \
            for (int j = 0; j < DEPTH; j++)                                                                  \
                sum += whole(i % ROWS, j) * whole(j, i / ROWS + 1);                                          \
            const type exact = alpha * (type)sum * (unit) * (unit) + beta * (type)(i % 5);                   \
            expect(c[i] == exact, #fortran);                                                                 \
            expect(d[i] == exact, #cblas);                                                                   \
        }                                                                                                    \
    }
#define BY_VALUE(x)   (x)
#define BY_ADDRESS(x) (&(x))
DEFINE_CHECK(check_s, sgemm_, cblas_sgemm, float, 1, BY_VALUE)
DEFINE_CHECK(check_d, dgemm_, cblas_dgemm, double, 1, BY_VALUE)
DEFINE_CHECK(check_c, cgemm_, cblas_cgemm, float complex, (1 + I), BY_ADDRESS)
DEFINE_CHECK(check_z, zgemm_, cblas_zgemm, double complex, (1 + I), BY_ADDRESS)

static void check_others(void) {
    double x[3] = {1, -2, 3}, y[3] = {4, 5, 6};
    const double triangle[9] = {2, 1, 4, 0, 1, 3, 0, 0, 5}; /* by columns */
    double right[3] = {2, 3, 20};
    const int three = 3, one = 1;
    const double plus = 1, zero = 0;
    expect(ddot_(&three, x, &one, y, &one) == 12, "ddot_");
    expect(idamax_(&three, x, &one) == 3, "idamax_");
    cblas_daxpy(3, 2, x, 1, y, 1);
    expect(y[0] == 6 && y[1] == 1 && y[2] == 12, "cblas_daxpy");
    dtrsm_("L", "L", "N", "N", &three, &one, &plus, triangle, &three, right, &three);
    expect(right[0] == 1 && right[1] == 2 && right[2] == 2, "dtrsm_");
    dgemv_("N", &three, &three, &plus, triangle, &three, x, &one, &zero, y, &one);
    expect(y[0] == 2 && y[1] == -1 && y[2] == 13, "dgemv_");
    expect(cblas_dnrm2(1, right + 1, 1) == 2, "cblas_dnrm2");
}

int main(int count, char **arguments) {
    const char *types = count > 1 ? arguments[1] : "sdcz";
    check_others();
    if (strchr(types, 's'))
        check_s();
    if (strchr(types, 'd'))
        check_d();
    if (strchr(types, 'c'))
        check_c();
    if (strchr(types, 'z'))
        check_z();
    printf("%d wrong\n", failures);
    return failures != 0;
}
