/* A process with one long product, and no device ready when it begins: the CPU computes a piece, and the
 * device the rest. The CPU BLAS of this test waits for the device (waiting_blas.c). */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas_cblas.h"
#include "lib/host/processor.h"
#include "lib/offload/offload.h"
#include "tests/robustness/cases.h"

#define M 1100 /* of the longer side the CPU computes 512 */
#define N 1000
/* The product's time by the estimate, in which the device can be prepared. */
#define LONG_S 0.16
#define CHECKS 400

static uint32_t seed = 20261123;

static double random_below_one(void) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}

static float *new_matrix(size_t count) {
    float *matrix = malloc(count * sizeof *matrix);
    if (!matrix)
        abort();
    for (size_t i = 0; i < count; i++)
        matrix[i] = (float)(2 * random_below_one() - 1);
    return matrix;
}

/* Compares some elements of A' B with their sums in double precision. */
static void check(const float *a, const float *b, const float *c, size_t k) {
    for (int count = 0; count < CHECKS; count++) {
        size_t i = (size_t)(random_below_one() * M), j = (size_t)(random_below_one() * N);
        double sum = 0, bound = 0;
        for (size_t l = 0; l < k; l++) {
            double term = (double)a[l + i * k] * (double)b[l + j * k];
            sum += term;
            bound += fabs(term);
        }
        if (!CASE_CHECK(fabs((double)c[i + j * M] - sum) <= 4 * sqrt((double)k + 2) * 0x1p-24 * bound))
            return;
    }
}

/* Lavapipe shall not have more to do on a machine with many processors. */
static void use_two_processors(void) {
    cpu_set_t all, two;
    CPU_ZERO(&two);
    CASE_CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &two);
    CASE_CHECK(sched_setaffinity(0, sizeof two, &two) == 0);
}

static int moves_to_the_device(void) {
    use_two_processors();
    int k = (int)(LONG_S * lava_processor_flops_per_s() / (2.0 * M * N));
    float *a = new_matrix((size_t)M * (size_t)k), *b = new_matrix((size_t)N * (size_t)k);
    float *c = new_matrix((size_t)M * N);
    struct lava_call last;
    uint64_t ns;
    memset(c, 0xff, (size_t)M * N * sizeof *c);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, M, N, k, 1, a, k, b, k, 0, c, M);
    CASE_CHECK(lava_offload_last_call(&last, &ns));
    CASE_CHECK(last.place == LAVA_PLACE_GPU && last.reason == LAVA_REASON_MEANWHILE);
    check(a, b, c, (size_t)k);
    free(a);
    free(b);
    free(c);
    return case_result();
}

int main(int argument_count, char **arguments) {
    const char *waiting = getenv("LAVABLAS_TEST_WAITING_BLAS");
    char blas[1024];
    snprintf(blas, sizeof blas, "LAVABLAS_CPU_BLAS=%s", waiting ? waiting : "");
    const struct test_case cases[] = {
        {.name = "moves to the device",
         .run = moves_to_the_device,
         .variables = {"LAVABLAS_DEVICE=cpu", "LAVABLAS_MODE=gpu", "LAVABLAS_INIT=async", blas}},
        {0},
    };
    return cases_main(argument_count, arguments, cases);
}
