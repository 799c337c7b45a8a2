/* The first calls of a process from many threads at once: several of them search each name, and every product
 * must be right. The CPU BLAS lacks half of the names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "lavablas_cblas.h"

#define THREADS 16
#define SIZE    3

static pthread_barrier_t together;
static const double a[SIZE * SIZE] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

/* One nonzero element, so that the product is the second column of A. */
static const double b[SIZE * SIZE] = {0, 1, 0, 0, 0, 0, 0, 0, 0};

static int is_right(const double *c, int parts) {
    static const double expected[SIZE] = {4, 5, 6};
    for (int i = 0; i < SIZE * SIZE; i++)
        for (int part = 0; part < parts; part++)
            if (c[parts * i + part] != (i < SIZE && part == 0 ? expected[i] : 0))
                return 0;
    return 1;
}

static void widen(const double *real, double *complex) {
    for (int i = 0; i < SIZE * SIZE; i++) {
        complex[2 * i] = real[i];
        complex[2 * i + 1] = 0;
    }
}

static void *multiply(void *failures) {
    const int size = SIZE;
    const int64_t wide_size = SIZE;
    const double one[2] = {1, 0}, zero[2] = {0, 0};
    double c[4][SIZE * SIZE], complex_a[2 * SIZE * SIZE], complex_b[2 * SIZE * SIZE],
        complex_c[2][2 * SIZE * SIZE];
    widen(a, complex_a);
    widen(b, complex_b);
    pthread_barrier_wait(&together);
    dgemm_("N", "N", &size, &size, &size, one, a, &size, b, &size, zero, c[0], &size, 1, 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c[1],
                SIZE);
    dgemm_64_("N", "N", &wide_size, &wide_size, &wide_size, one, a, &wide_size, b, &wide_size, zero, c[2],
              &wide_size, 1, 1);
    cblas_dgemm64_(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c[3],
                   SIZE);
    cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, one, complex_a, SIZE, complex_b,
                SIZE, zero, complex_c[0], SIZE);
    zgemm3m_64_("N", "N", &wide_size, &wide_size, &wide_size, one, complex_a, &wide_size, complex_b,
                &wide_size, zero, complex_c[1], &wide_size, 1, 1);
    for (int i = 0; i < 4; i++)
        *(int *)failures += !is_right(c[i], 1);
    for (int i = 0; i < 2; i++)
        *(int *)failures += !is_right(complex_c[i], 2);
    return NULL;
}

static void at_once(void **state) {
    pthread_t threads[THREADS];
    int failures[THREADS] = {0};
    (void)state;
    assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply, &failures[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(failures[i], 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_once)};
    setenv("LAVABLAS_MODE", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
