/* Several threads that multiply. */
#include "tests/robustness/crowd.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas_cblas.h"

struct product crowd_products[CROWD_SHAPES] = {
    {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f},
    {.type = LAVA_TYPE_FP64,
     .type_c = LAVA_TYPE_FP64,
     .transpose_a = true,
     .m = 33,
     .n = 260,
     .k = 90,
     .alpha = -1.0f,
     .beta = 1.0f},
    {.transpose_b = true, .m = 257, .n = 31, .k = 17, .alpha = 0.5f, .beta = -2.0f},
    {.type = LAVA_TYPE_CFP32,
     .type_c = LAVA_TYPE_CFP32,
     .m = 96,
     .n = 96,
     .k = 100,
     .alpha = 1.0f,
     .alpha_imaginary = 0.5f,
     .beta = 0.0f},
    {.m = 1, .n = 500, .k = 65, .alpha = 2.0f, .beta = 1.0f},
    {.transpose_a = true, .transpose_b = true, .m = 330, .n = 460, .k = 30, .alpha = 1.0f, .beta = 0.0f},
    {.type = LAVA_TYPE_CFP64,
     .type_c = LAVA_TYPE_CFP64,
     .transpose_b = true,
     .m = 70,
     .n = 80,
     .k = 60,
     .alpha = 1.0f,
     .beta = 1.0f},
    {.m = 64, .n = 64, .k = 1, .alpha = -0.25f, .beta = 0.75f},
};

atomic_int crowd_finished;
static atomic_bool crowd_stopped;

void crowd_make(void) {
    for (unsigned i = 0; i < CROWD_SHAPES; i++)
        product_make(&crowd_products[i], i + 1);
    for (int i = 0; i < CROWD_SHAPES; i++)
        case_multiply(&crowd_products[i], "gpu"); /* prepares the types */
}

void crowd_free(void) {
    for (int i = 0; i < CROWD_SHAPES; i++)
        product_free(&crowd_products[i]);
}

void *crowd_multiply_once(void *which) {
    case_multiply(which, "gpu");
    crowd_finished++;
    return NULL;
}

bool crowd_wait(const atomic_int *count, int least, double seconds) {
    double end = case_now() + seconds;
    while (*count < least && case_now() < end)
        case_sleep(0.002);
    return *count >= least;
}

const char *_Atomic crowd_place;

static void *multiply_until_stopped(void *first) {
    for (size_t i = (size_t)first; !crowd_stopped && !case_result(); i++) {
        case_multiply(&crowd_products[i % CROWD_SHAPES], crowd_place);
        crowd_finished++;
    }
    return NULL;
}

/* Batches of one shape, which have a way of their own to the device. All elements are small integers, so
 * results are exact wherever they are computed. */
static void *multiply_batches(void *unused) {
    enum { SIZE = 24, COUNT = 40, AREA = SIZE * SIZE };
    static float a[COUNT * AREA], b[COUNT * AREA], first[COUNT * AREA];
    float *c = calloc((size_t)COUNT * AREA, sizeof *c);
    for (int i = 0; i < COUNT * AREA; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    for (int round = 0; !crowd_stopped && c && !case_result(); round++) {
        cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE,
                                  AREA, b, SIZE, AREA, 0, c, SIZE, AREA, COUNT);
        if (round == 0)
            memcpy(first, c, sizeof first);
        CASE_CHECK(!memcmp(first, c, sizeof first));
        crowd_finished++;
    }
    free(c);
    return unused;
}

void crowd_start(pthread_t *threads) {
    for (size_t i = 0; i < CROWD_CALLERS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, i ? multiply_until_stopped : multiply_batches,
                                  (void *)(3 * i)) == 0);
}

void crowd_stop(const pthread_t *threads) {
    crowd_stopped = true;
    for (int i = 0; i < CROWD_CALLERS; i++)
        pthread_join(threads[i], NULL);
}
