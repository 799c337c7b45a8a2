/* Sizes beyond 2^31 through the 64-bit interface: leading dimensions, elements of a matrix, rows, columns and
 * terms. Leading dimensions need addresses alone and are tested in each run. The others need up to 52 GiB of
 * memory, and a device that has time for them:
 *
 *     for case in elements long_columns long_rows long_sums lu; do
 *         LAVA_TEST_DEVICE=0 test_huge $case; done
 *
 * Elements are small integers, so that each is right or wrong; those of the factorization are judged by the
 * bound of its backward error. Each case prints where it was computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/robustness/cases.h"
#include "tests/robustness/hashed.h"

typedef int64_t integer;
void sgemm_64_(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,
               const float *alpha, const float *a, const integer *lda, const float *b, const integer *ldb,
               const float *beta, float *c, const integer *ldc);
void strsm_64_(const char *side, const char *uplo, const char *trans, const char *diag, const integer *m,
               const integer *n, const float *alpha, const float *a, const integer *lda, float *b,
               const integer *ldb);
void dgetrf_64_(const integer *m, const integer *n, double *a, const integer *lda, integer *ipiv,
                integer *info);

#define BEYOND ((INT64_C(1) << 31) + 9)

/* Pages of zeros, which take memory once they are written. NULL: there are no such addresses. */
static void *pages(integer elements, size_t bytes) {
    void *memory = mmap(NULL, (size_t)elements * bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void print_place(const char *what) {
    const char *reason;
    const char *place = case_place(&reason);
    printf("%s: %s (%s)\n", what, place, reason);
}

enum { ROWS = 70, FAR = 3 };
static float compact[FAR][ROWS * ROWS];
static double compact_lu[ROWS * ROWS];

/* The same bits, with columns 2^31 elements apart. */
static int far_columns(void) {
    const float one = 1;
    const integer rows = ROWS, far = BEYOND;
    float *spread[FAR];
    hashed_seed();
    for (int i = 0; i < FAR; i++) {
        if (!(spread[i] = pages(ROWS * BEYOND, sizeof(float))))
            return CASE_SKIPPED;
        for (int at = 0; at < ROWS * ROWS; at++) {
            compact[i][at] =
                i < 1 && at / ROWS == at % ROWS ? 1 : hashed_small((uint64_t)(i * ROWS * ROWS + at));
            spread[i][at / ROWS * far + at % ROWS] = compact[i][at];
        }
    }
    sgemm_64_("N", "T", &rows, &rows, &rows, &one, compact[0], &rows, compact[1], &rows, &one, compact[2],
              &rows);
    sgemm_64_("N", "T", &rows, &rows, &rows, &one, spread[0], &far, spread[1], &far, &one, spread[2], &far);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    strsm_64_("L", "U", "N", "U", &rows, &rows, &one, compact[0], &rows, compact[1], &rows);
    strsm_64_("L", "U", "N", "U", &rows, &rows, &one, spread[0], &far, spread[1], &far);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    for (int i = 1; i < FAR; i++)
        for (integer j = 0; j < ROWS; j++)
            CASE_CHECK(!memcmp(compact[i] + j * ROWS, spread[i] + j * far, ROWS * sizeof(float)));
    for (int i = 0; i < FAR; i++)
        munmap(spread[i], (size_t)(ROWS * BEYOND) * sizeof(float));
    return case_result();
}

static int far_factors(void) {
    const integer rows = ROWS, far = BEYOND;
    integer pivots[2][ROWS], info[2] = {-1, -1};
    double *spread = pages(ROWS * BEYOND, sizeof *spread);
    hashed_seed();
    if (!spread)
        return CASE_SKIPPED;
    for (int at = 0; at < ROWS * ROWS; at++)
        spread[at / ROWS * far + at % ROWS] = compact_lu[at] = (double)hashed((uint64_t)at) * 0x1p-64;
    dgetrf_64_(&rows, &rows, compact_lu, &rows, pivots[0], &info[0]);
    dgetrf_64_(&rows, &rows, spread, &far, pivots[1], &info[1]);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    CASE_CHECK(info[0] == 0 && info[1] == 0 && !memcmp(pivots[0], pivots[1], sizeof pivots[0]));
    for (integer j = 0; j < ROWS; j++)
        CASE_CHECK(!memcmp(compact_lu + j * ROWS, spread + j * far, ROWS * sizeof *spread));
    munmap(spread, (size_t)(ROWS * BEYOND) * sizeof *spread);
    return case_result();
}

/* C <- A B + C, where A's elements begin at index 0 of the hash, B's and C's at these. */
#define B_AT (UINT64_C(1) << 40)
#define C_AT (UINT64_C(1) << 41)
struct sizes {
    integer m, n, k;
};

/* Every row of C counts, with a weight for each column: one wrong element makes a wrong sum. All sums are
 * integers below 2^53. */
static bool check_rows(const struct sizes *size, const float *c) {
    double *sums = calloc((size_t)size->m, sizeof *sums), *b = calloc((size_t)size->k, sizeof *b);
    bool right = sums && b;
    for (integer j = 0; j < size->n && right; j++) {
        double weight = (double)(1 + hashed((uint64_t)j + (C_AT << 1)) % 64);
        for (integer l = 0; l < size->k; l++)
            b[l] += weight * (double)hashed_small(B_AT + (uint64_t)(j * size->k + l));
        for (integer i = 0; i < size->m; i++) {
            uint64_t at = (uint64_t)(j * size->m + i);
            sums[i] += weight * ((double)c[at] - (double)hashed_small(C_AT + at));
        }
    }
    for (integer l = 0; l < size->k && right; l++)
        for (integer i = 0; i < size->m; i++)
            sums[i] -= b[l] * (double)hashed_small((uint64_t)(l * size->m + i));
    for (integer i = 0; i < size->m && right; i++)
        right = fabs(sums[i]) <= 0;
    free(sums);
    free(b);
    return right;
}

static int multiply(const struct sizes *size, const char *what) {
    const float one = 1;
    const integer elements[3] = {size->m * size->k, size->k * size->n, size->m * size->n};
    const uint64_t at[3] = {0, B_AT, C_AT};
    float *matrix[3];
    hashed_seed();
    for (int i = 0; i < 3; i++) {
        if (!(matrix[i] = pages(elements[i], sizeof(float))))
            return CASE_SKIPPED;
        for (integer j = 0; j < elements[i]; j++)
            matrix[i][j] = hashed_small(at[i] + (uint64_t)j);
    }
    sgemm_64_("N", "N", &size->m, &size->n, &size->k, &one, matrix[0], &size->m, matrix[1], &size->k, &one,
              matrix[2], &size->m);
    print_place(what);
    CASE_CHECK(check_rows(size, matrix[2]));
    for (int i = 0; i < 3; i++)
        munmap(matrix[i], (size_t)elements[i] * sizeof(float));
    return case_result();
}

static int elements(void) {
    return multiply(&(struct sizes){46400, 46400, 64}, "C of 46400 x 46400");
}

static int long_columns(void) {
    return multiply(&(struct sizes){BEYOND, 2, 2}, "2^31 + 9 rows");
}

static int long_rows(void) {
    return multiply(&(struct sizes){2, BEYOND, 2}, "2^31 + 9 columns");
}

/* Few of the terms are not zero, so that the sums are exact. */
static int long_sums(void) {
    const float one = 1, zero = 0;
    const integer size = 2, terms = BEYOND, step = (1 << 20) + 7;
    float c[4] = {NAN, NAN, NAN, NAN}, expected[4] = {0};
    float *a = pages(2 * terms, sizeof *a), *b = pages(2 * terms, sizeof *b);
    hashed_seed();
    if (!a || !b)
        return CASE_SKIPPED;
    for (integer l = terms - 1; l >= 0; l -= step)
        for (integer i = 0; i < 4; i++) {
            a[i / 2 * terms + l] = hashed_small((uint64_t)(2 * l + i / 2));
            b[i % 2 * terms + l] = hashed_small(B_AT + (uint64_t)(2 * l + i % 2));
            expected[i % 2 * 2 + i / 2] += a[i / 2 * terms + l] * b[i % 2 * terms + l];
        }
    sgemm_64_("T", "N", &size, &size, &terms, &one, a, &terms, b, &terms, &zero, c, &size);
    print_place("2^31 + 9 terms");
    for (int i = 0; i < 4; i++)
        CASE_CHECK(fabsf(c[i] - expected[i]) <= 0);
    munmap(a, (size_t)(2 * terms) * sizeof *a);
    munmap(b, (size_t)(2 * terms) * sizeof *b);
    return case_result();
}

static int lu(void) {
    const integer n = 46400;
    integer info = -1, *pivots = malloc((size_t)n * sizeof *pivots);
    double *a = pages(n * n, sizeof *a);
    hashed_seed();
    if (!a || !pivots)
        return CASE_SKIPPED;
    for (integer i = 0; i < n * n; i++)
        a[i] = hashed_uniform((uint64_t)i);
    dgetrf_64_(&n, &n, a, &n, pivots, &info);
    print_place("LU of 46400 x 46400");
    double error = hashed_lu_error(n, a, pivots);
    printf("P A x and L U x differ by at most %.3g n u |L| |U| |x|\n", error);
    CASE_CHECK(info == 0 && error <= 1);
    munmap(a, (size_t)(n * n) * sizeof *a);
    free(pivots);
    return case_result();
}

#define HUGE(function)                                                                                       \
    { .name = #function, .run = function }
static const struct test_case cases[] = {HUGE(far_columns),  HUGE(far_factors), HUGE(elements),
                                         HUGE(long_columns), HUGE(long_rows),   HUGE(long_sums),
                                         HUGE(lu),           {.name = NULL}};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
