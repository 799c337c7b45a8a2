/* Products with vectors of matrices that stay on the device: they use copies, make them, and see what the
 * program writes. Without copies they go straight to the CPU's routine. The library is linked in, so that
 * copies can be counted. */
#include "tests/robustness/resident_calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/policy.h"
#include "lib/offload/readiness.h"

extern void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a,
                   const int *lda, const float *x, const int *incx, const float *beta, float *y,
                   const int *incy, size_t length);
extern void ssymv_(const char *uplo, const int *n, const float *alpha, const float *a, const int *lda,
                   const float *x, const int *incx, const float *beta, float *y, const int *incy,
                   size_t length);

#define THREADS 4

struct vector_call {
    char option; /* N or T, or of ?symv U or L */
    int m, n, incx, incy;
    float beta;
};

static const struct vector_call usual = {'N', LD, K, 1, 1, 0};

static bool is_symmetric(const struct vector_call *call) {
    return call->option == 'U' || call->option == 'L';
}

/* Element (i, j) of op(A). */
static double element(const struct vector_call *call, const float *a, int i, int j) {
    bool is_turned = call->option == 'T' || (call->option == 'U' && i > j) || (call->option == 'L' && i < j);
    return (double)(is_turned ? a[(size_t)i * LD + (size_t)j] : a[(size_t)j * LD + (size_t)i]);
}

static size_t place_of(int length, int increment, int i) {
    return (size_t)((increment < 0 ? i - length + 1 : i) * increment);
}

/* Calls, and returns whether the result is right. */
static bool run(const struct vector_call *call, const float *a, unsigned *seed) {
    const float alpha = 2;
    int lda = LD, rows = call->option == 'T' ? call->n : call->m,
        columns = call->option == 'T' ? call->m : call->n;
    size_t x_length = (size_t)(columns * abs(call->incx)), y_length = (size_t)(rows * abs(call->incy));
    float *x = malloc(x_length * sizeof *x), *y = malloc(y_length * sizeof *y),
          *old = malloc(y_length * sizeof *y);
    bool right = x && y && old;
    for (size_t i = 0; right && i < x_length; i++)
        x[i] = (float)(rand_r(seed) % 7 - 3);
    for (size_t i = 0; right && i < y_length; i++)
        y[i] = old[i] = (float)(rand_r(seed) % 7 - 3);
    if (right && is_symmetric(call))
        ssymv_(&call->option, &call->n, &alpha, a, &lda, x, &call->incx, &call->beta, y, &call->incy, 1);
    else if (right)
        sgemv_(&call->option, &call->m, &call->n, &alpha, a, &lda, x, &call->incx, &call->beta, y,
               &call->incy, 1);
    for (int i = 0; right && i < rows; i++) {
        size_t at = place_of(rows, call->incy, i);
        double sum = (double)(call->beta * old[at]);
        for (int j = 0; j < columns; j++)
            sum += 2 * element(call, a, i, j) * (double)x[place_of(columns, call->incx, j)];
        right = (double)y[at] == sum;
    }
    free(x);
    free(y);
    free(old);
    return right;
}

static void vector_calls(const struct vector_call *call, const float *a, int count) {
    for (int i = 0; i < count; i++) {
        const char *reason;
        bool is_right = run(call, a, &resident_seed), is_there = !strcmp(case_place(&reason), "gpu");
        if (!CASE_CHECK(is_right && is_there))
            fprintf(stderr, "%c %d %d: %s\n", call->option, call->m, call->n, is_there ? "wrong" : reason);
    }
}

/* All of at least 1 MiB: smaller matrices are not looked at. */
static const struct vector_call each[] = {{'N', LD, K, 1, 1, 0},    {'T', LD, K, 1, 1, 1},
                                          {'N', 420, K, -2, 3, -1}, {'T', M, 540, 5, -1, 0},
                                          {'U', LD, LD, 1, 1, 0},   {'L', LD, LD, -1, 2, 1}};

/* A copy that products have made. */
static int use_copies(void) {
    const struct resident_shape all = {.rows = LD, .columns = K, .lda = LD, .n = N};
    float *a = resident_matrix();
    resident_calls(&all, a, CALLS);
    CASE_CHECK(resident_sums().stored == 1);
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        uint64_t used = resident_sums().used;
        vector_calls(&each[i], a, 2);
        CASE_CHECK(resident_sums().used == used + 2);
    }
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().differences == 0);
    return case_result();
}

/* A copy of their own, which products then use. What is written goes up again. */
static int make_copies(void) {
    float *a = resident_matrix();
    vector_calls(&usual, a, CALLS);
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().used > 0);
    for (int i = 0; i < 8; i++) {
        uint64_t refreshed = resident_sums().refreshed;
        a[rand_r(&resident_seed) % (K - 1) * LD + rand_r(&resident_seed) % M] += 1;
        vector_calls(&each[i % 2], a, 2);
        CASE_CHECK(resident_sums().refreshed == refreshed + 1);
    }
    resident_calls(&resident_whole, a, 2);
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().differences == 0);
    return case_result();
}

/* Written anew before each call. */
static int rewritten(void) {
    float *a = resident_matrix();
    for (int i = 0; i < 8; i++) {
        resident_fill(a, (size_t)K * LD);
        vector_calls(&usual, a, 1);
    }
    CASE_CHECK(resident_sums().stored == 0);
    return case_result();
}

static void *call_often(void *matrix) {
    unsigned seed = (unsigned)(uintptr_t)&seed;
    for (int i = 0; i < 40; i++)
        CASE_CHECK(run(&each[i % 4], matrix, &seed));
    return NULL;
}

/* At the same time, with one copy. */
static int together(void) {
    pthread_t threads[THREADS];
    float *a = resident_matrix();
    vector_calls(&usual, a, CALLS);
    uint64_t used = resident_sums().used;
    for (int i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_often, a) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(resident_sums().used > used && resident_sums().differences == 0);
    return case_result();
}

/* A matrix that is read where C is written: the CPU's routine does what it does. */
static int overlapping(void) {
    float *a = resident_matrix();
    const float one = 1, zero = 0;
    int m = 300, n = 300, lda = LD, step = 1;
    const char *reason;
    sgemv_("N", &m, &n, &one, a, &lda, a + 400 * LD, &step, &zero, a + 100 * LD, &step, 1);
    CASE_CHECK(!strcmp(case_place(&reason), "cpu") && !strcmp(reason, lava_reason_text(LAVA_REASON_OVERLAP)));
    return case_result();
}

#define LARGE 4096
static void call_large(const float *a, float *x) {
    const float one = 1, zero = 0;
    int n = LARGE, step = 1;
    sgemv_("N", &n, &n, &one, a, &n, x, &step, &zero, x + LARGE, &step, 1);
}

/* Mode auto: matrices that come once have no device prepared, one that comes again and again has. */
static int readiness(void) {
    float *a = calloc((size_t)LARGE * (LARGE + 400), sizeof *a), *x = calloc(2 * LARGE, sizeof *x);
    const char *reason;
    if (!CASE_CHECK(a && x))
        return case_result();
    for (int i = 0; i < 200; i++) {
        call_large(a + (size_t)i * LARGE, x);
        CASE_CHECK(!strcmp(case_place(&reason), "cpu") &&
                   !strcmp(reason, lava_reason_text(LAVA_REASON_ABSENT)));
    }
    for (int i = 0; i < 200; i++) { /* another matrix each time, at one address */
        for (size_t j = 0; j < LARGE; j++)
            a[j * (LARGE + 1)] = (float)(i + 1);
        call_large(a, x);
        CASE_CHECK(!strcmp(case_place(&reason), "cpu") &&
                   !strcmp(reason, lava_reason_text(LAVA_REASON_ABSENT)));
    }
    CASE_CHECK(lava_readiness_phase() == LAVA_READINESS_UNOPENED);
    for (int i = 0; i < 200; i++)
        call_large(a, x);
    CASE_CHECK(lava_readiness_phase() != LAVA_READINESS_UNOPENED);
    free(a);
    free(x);
    return case_result();
}

/* Without LAVABLAS_RESIDENT nothing is looked at, whatever the mode is. */
static int switched_off(void) {
    float *a = resident_matrix();
    for (int i = 0; i < 4; i++)
        CASE_CHECK(run(&each[i], a, &resident_seed));
    CASE_CHECK(lava_readiness_phase() == LAVA_READINESS_UNOPENED && !resident_store());
    return case_result();
}

#define WITH(function, ...) .name = #function, .run = function, .variables = {__VA_ARGS__}
static const struct test_case cases[] = {
    {WITH(use_copies, CHECK)},
    {WITH(make_copies, CHECK)},
    {WITH(rewritten, CHECK)},
    {WITH(together, CHECK)},
    {WITH(overlapping, CHECK)},
    {WITH(readiness, "LAVABLAS_MODE=auto", "LAVABLAS_RESIDENT=auto", "LAVABLAS_INIT=async",
          "LAVABLAS_STATS=/dev/null")},
    {WITH(switched_off, "LAVABLAS_RESIDENT=off", "LAVABLAS_MODE=gpu")},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
