/* Several products at a time: a second engine is made when it is needed and not before, results are right
 * whatever goes on in the other lane, and who needs the whole device gets it. The library is linked in, so
 * that lanes can be locked. test_threads.c and test_processes.c run with two lanes, too. */
#include "tests/robustness/cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas_cblas.h"
#include "lib/base/fault.h"
#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "lib/offload/idle.h"

#define AT_MOST 30.0 /* seconds, on a busy machine, under a sanitizer */
#define SHAPES  8
#define CALLERS 5 /* the first one multiplies batches */

static struct product products[SHAPES] = {
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
    {.transpose_a = true, .transpose_b = true, .m = 330, .n = 460, .k = 190, .alpha = 1.0f, .beta = 0.0f},
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

static atomic_int finished;
static atomic_bool stopped;

static void make_products(void) {
    for (unsigned i = 0; i < SHAPES; i++)
        product_make(&products[i], i + 1);
    for (int i = 0; i < SHAPES; i++)
        case_multiply(&products[i], "gpu"); /* prepares the types */
}

static void free_products(void) {
    for (int i = 0; i < SHAPES; i++)
        product_free(&products[i]);
}

static void *multiply_once(void *which) {
    case_multiply(which, "gpu");
    finished++;
    return NULL;
}

static bool wait_for(const atomic_int *count, int least, double seconds) {
    double end = case_now() + seconds;
    while (*count < least && case_now() < end)
        case_sleep(0.002);
    return *count >= least;
}

/* Starts a product in another thread while this one holds the first lane. Returns whether it finished. */
static bool finishes_beside_first(struct product *product, double seconds) {
    struct lava_lane_lock lock;
    pthread_t thread;
    int before = finished;
    if (!CASE_CHECK(lava_context_lock_lane(1, &lock) != NULL))
        return false;
    CASE_CHECK(lock.lane == 0 && lock.engine == lava_context_engine());
    CASE_CHECK(pthread_create(&thread, NULL, multiply_once, product) == 0);
    bool ended = wait_for(&finished, before + 1, seconds);
    lava_idle_touch();
    lava_context_unlock_lane(&lock);
    pthread_join(thread, NULL);
    return ended;
}

/* A product finishes while another thread holds the first lane all the time. */
static int beside(void) {
    make_products();
    for (int i = 0; i < SHAPES; i++)
        CASE_CHECK(finishes_beside_first(&products[i], AT_MOST));
    CASE_CHECK(lava_stats_most_lanes() == 2);
    free_products();
    return case_result();
}

/* The product waits for the lane, and then it is computed. */
static int one_lane(void) {
    make_products();
    CASE_CHECK(!finishes_beside_first(&products[0], 0.5));
    CASE_CHECK(lava_stats_most_lanes() == 1);
    free_products();
    return case_result();
}

/* A program with one thread has one engine, whatever it does. */
static int one_thread(void) {
    make_products();
    struct lava_device_shared *shared = lava_context_engine()->device->shared;
    uint64_t staging_bytes = shared->staging_bytes;
    for (int i = 0; i < 5 * SHAPES; i++)
        case_multiply(&products[i % SHAPES], "gpu");
    CASE_CHECK(shared->staging_bytes == staging_bytes);
    CASE_CHECK(lava_stats_most_lanes() == 1);
    free_products();
    return case_result();
}

static const char *expected_place; /* of every product; NULL: any */

static void *multiply_until_stopped(void *first) {
    for (size_t i = (size_t)first; !stopped && !case_result(); i++) {
        case_multiply(&products[i % SHAPES], expected_place);
        finished++;
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
    for (int round = 0; !stopped && c && !case_result(); round++) {
        cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE,
                                  AREA, b, SIZE, AREA, 0, c, SIZE, AREA, COUNT);
        if (round == 0)
            memcpy(first, c, sizeof first);
        CASE_CHECK(!memcmp(first, c, sizeof first));
        finished++;
    }
    free(c);
    return unused;
}

static void start_callers(pthread_t *threads) {
    for (size_t i = 0; i < CALLERS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, i ? multiply_until_stopped : multiply_batches,
                                  (void *)(3 * i)) == 0);
}

static void stop_callers(const pthread_t *threads) {
    stopped = true;
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
}

static bool wait_for_lanes(unsigned lanes) {
    double end = case_now() + AT_MOST;
    while (lava_stats_most_lanes() < lanes && case_now() < end && !case_result())
        case_sleep(0.002);
    return lava_stats_most_lanes() >= lanes;
}

static int storm_with(unsigned lanes, const char *place) {
    pthread_t threads[CALLERS];
    make_products();
    expected_place = place;
    start_callers(threads);
    CASE_CHECK(wait_for_lanes(lanes));
    CASE_CHECK(wait_for(&finished, finished + 20, AT_MOST));
    stop_callers(threads);
    CASE_CHECK(lava_stats_most_lanes() == lanes);
    free_products();
    return case_result();
}

static int storm(void) {
    return storm_with(2, "gpu");
}

static int four_lanes(void) {
    return storm_with(4, "gpu");
}

/* Who locks the whole device is alone with it, soon. */
static int whole(void) {
    pthread_t threads[CALLERS];
    make_products();
    expected_place = "gpu";
    start_callers(threads);
    CASE_CHECK(wait_for_lanes(2));
    for (int i = 0; i < 50; i++) {
        int cancel_state;
        struct lava_engine *engine = lava_context_lock(&cancel_state);
        if (!CASE_CHECK(engine != NULL))
            break;
        CASE_CHECK(engine->device->shared->streams == 0);
        case_sleep(0.001);
        CASE_CHECK(engine->device->shared->streams == 0);
        lava_context_unlock(cancel_state);
        case_sleep(0.002);
    }
    stop_callers(threads);
    free_products();
    return case_result();
}

/* Both lanes have little memory. Whatever does not fit runs on the CPU. */
static int little_memory(void) {
    pthread_t threads[CALLERS];
    make_products();
    start_callers(threads);
    CASE_CHECK(wait_for(&finished, finished + 60, AT_MOST));
    stop_callers(threads);
    struct lava_device *device = lava_context_engine()->device;
    CASE_CHECK(device->shared->device_bytes <= device->capabilities.memory_bytes);
    free_products();
    return case_result();
}

/* The first lane's product takes the memory that the other one holds. */
static int reclaimed(void) {
    struct product large = {.m = 900, .n = 900, .k = 200, .alpha = 1.0f, .beta = 1.0f};
    make_products();
    product_make(&large, 11);
    struct lava_device *device = lava_context_engine()->device;
    CASE_CHECK(finishes_beside_first(&products[5], AT_MOST));
    struct lava_lane_lock lock;
    if (!CASE_CHECK(lava_context_lock_lane(1, &lock) != NULL))
        return case_result();
    uint64_t before = device->shared->device_bytes;
    CASE_CHECK(lava_context_find_memory(&lock));
    CASE_CHECK(lock.lane == 0 && device->shared->device_bytes < before);
    CASE_CHECK(!lava_context_find_memory(&lock));
    lava_context_unlock_lane(&lock);
    CASE_CHECK(finishes_beside_first(&products[5], AT_MOST));
    case_multiply(&large, "gpu");
    product_free(&large);
    free_products();
    return case_result();
}

/* Who finds too little memory in another lane goes on in the first one. */
static int moves_to_first(void) {
    struct lava_lane_lock first, second;
    make_products();
    CASE_CHECK(finishes_beside_first(&products[0], AT_MOST));
    if (!CASE_CHECK(lava_context_lock_lane(1, &first) && lava_context_lock_lane(1, &second)))
        return case_result();
    CASE_CHECK(first.lane == 0 && second.lane == 1 && first.engine != second.engine);
    CASE_CHECK(first.engine->device->handle == second.engine->device->handle);
    lava_context_unlock_lane(&first);
    CASE_CHECK(lava_context_find_memory(&second) && second.lane == 0);
    lava_context_unlock_lane(&second);
    free_products();
    return case_result();
}

/* The second engine's memory is freed with the first one's, and the engine is made again when it is needed.
 */
static int idle(void) {
    make_products();
    struct lava_device_shared *shared = lava_context_engine()->device->shared;
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(finishes_beside_first(&products[i], AT_MOST));
        double end = case_now() + AT_MOST;
        while (shared->staging_bytes + shared->device_bytes > 0 && case_now() < end)
            case_sleep(0.005);
        CASE_CHECK(shared->staging_bytes + shared->device_bytes == 0);
    }
    free_products();
    return case_result();
}

/* A device that fails in one lane has failed for the other, too. */
static int device_failed(void) {
    pthread_t threads[CALLERS];
    make_products();
    start_callers(threads);
    CASE_CHECK(wait_for_lanes(2));
    lava_device_fail(lava_context_engine()->device, LAVA_ERROR_DEVICE_LOST);
    CASE_CHECK(wait_for(&finished, finished + 20, AT_MOST));
    stop_callers(threads);
    case_multiply(&products[0], "cpu");
    free_products();
    return case_result();
}

#ifdef LAVA_FAULT_INJECTION
/* Steps fail again and again, in whichever lane: the CPU completes those products. */
static int faults(void) {
    static const char *const points[] = {"upload:3:2", "submit:5:3", "download:2:3", "allocate:1:4",
                                         "submit:9:1", "upload:1:1", "allocate:2:2"};
    pthread_t threads[CALLERS];
    make_products();
    start_callers(threads);
    CASE_CHECK(wait_for_lanes(2));
    for (size_t i = 0; i < 4 * (sizeof points / sizeof points[0]) && !case_result(); i++) {
        CASE_CHECK(lava_fault_set(points[i % (sizeof points / sizeof points[0])]));
        CASE_CHECK(wait_for(&finished, finished + 8, AT_MOST));
    }
    lava_fault_set(NULL);
    CASE_CHECK(!lava_context_engine()->device->shared->failed);
    CASE_CHECK(lava_fault_set("device_lost:4:1"));
    CASE_CHECK(wait_for(&finished, finished + 20, AT_MOST));
    stop_callers(threads);
    CASE_CHECK(lava_context_engine()->device->shared->failed);
    case_multiply(&products[0], "cpu");
    free_products();
    return case_result();
}
#endif

static const struct test_case cases[] = {
    {.name = "beside", .run = beside, .variables = {"LAVABLAS_LANES=2"}},
    {.name = "one_lane_here", .run = one_lane, .variables = {"LAVABLAS_LANES"}},
    {.name = "one_lane_wanted", .run = one_lane, .variables = {"LAVABLAS_LANES=1"}},
    {.name = "no_staging_left", .run = one_lane, .variables = {"LAVABLAS_LANES=2", "LAVABLAS_PINNED=4M"}},
    {.name = "one_thread", .run = one_thread, .variables = {"LAVABLAS_LANES=2"}},
    {.name = "storm", .run = storm, .variables = {"LAVABLAS_LANES=2"}},
    {.name = "four_lanes", .run = four_lanes, .variables = {"LAVABLAS_LANES=4", "LAVABLAS_MEMORY=64M"}},
    {.name = "whole", .run = whole, .variables = {"LAVABLAS_LANES=2"}},
    {.name = "little_memory", .run = little_memory, .variables = {"LAVABLAS_LANES=2", "LAVABLAS_MEMORY=2M"}},
    {.name = "reclaimed", .run = reclaimed, .variables = {"LAVABLAS_LANES=2", "LAVABLAS_MEMORY=12M"}},
    {.name = "moves_to_first", .run = moves_to_first, .variables = {"LAVABLAS_LANES=2"}},
    {.name = "idle", .run = idle, .variables = {"LAVABLAS_LANES=2", "LAVABLAS_IDLE=0.2"}},
    {.name = "device_failed", .run = device_failed, .lines = -1, .variables = {"LAVABLAS_LANES=2"}},
#ifdef LAVA_FAULT_INJECTION
    {.name = "faults", .run = faults, .lines = -1, .variables = {"LAVABLAS_LANES=2"}},
#endif
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
