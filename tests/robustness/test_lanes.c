/* Several products at a time: a second engine is made when it is needed and not before, results are right
 * whatever goes on in the other lane, and who needs the whole device gets it. The library is linked in, so
 * that lanes can be locked. test_threads.c and test_processes.c run with two lanes, too. */
#include "tests/robustness/crowd.h"

#include <stdio.h>

#include "lib/base/fault.h"
#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "lib/offload/idle.h"

/* Starts a product in another thread while this one holds the first lane. Returns whether it finished. */
static bool finishes_beside_first(struct product *product, double seconds) {
    struct lava_lane_lock lock;
    pthread_t thread;
    int before = crowd_finished;
    if (!CASE_CHECK(lava_context_lock_lane(1, 0, &lock) != NULL))
        return false;
    CASE_CHECK(lock.lane == 0 && lock.engine == lava_context_engine());
    CASE_CHECK(pthread_create(&thread, NULL, crowd_multiply_once, product) == 0);
    bool ended = crowd_wait(&crowd_finished, before + 1, seconds);
    lava_idle_touch();
    lava_context_unlock_lane(&lock);
    pthread_join(thread, NULL);
    return ended;
}

/* A product finishes while another thread holds the first lane all the time. */
static int beside(void) {
    crowd_make();
    for (int i = 0; i < CROWD_SHAPES; i++)
        CASE_CHECK(finishes_beside_first(&crowd_products[i], CROWD_AT_MOST));
    CASE_CHECK(lava_stats_most_lanes() == 2);
    crowd_free();
    return case_result();
}

/* The product waits for the lane, and then it is computed. */
static int one_lane(void) {
    crowd_make();
    CASE_CHECK(!finishes_beside_first(&crowd_products[0], 0.5));
    CASE_CHECK(lava_stats_most_lanes() == 1);
    crowd_free();
    return case_result();
}

/* A program with one thread has one engine, whatever it does. */
static int one_thread(void) {
    crowd_make();
    struct lava_device_shared *shared = lava_context_engine()->device->shared;
    uint64_t staging_bytes = shared->staging_bytes;
    for (int i = 0; i < 5 * CROWD_SHAPES; i++)
        case_multiply(&crowd_products[i % CROWD_SHAPES], "gpu");
    CASE_CHECK(shared->staging_bytes == staging_bytes);
    CASE_CHECK(lava_stats_most_lanes() == 1);
    crowd_free();
    return case_result();
}

static bool wait_for_lanes(unsigned lanes) {
    double end = case_now() + CROWD_AT_MOST;
    while (lava_stats_most_lanes() < lanes && case_now() < end && !case_result())
        case_sleep(0.002);
    return lava_stats_most_lanes() >= lanes;
}

static int storm_with(unsigned lanes, const char *place) {
    pthread_t threads[CROWD_CALLERS];
    crowd_make();
    crowd_place = place;
    crowd_start(threads);
    CASE_CHECK(wait_for_lanes(lanes));
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 20, CROWD_AT_MOST));
    crowd_stop(threads);
    CASE_CHECK(lava_stats_most_lanes() == lanes);
    crowd_free();
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
    pthread_t threads[CROWD_CALLERS];
    crowd_make();
    crowd_place = "gpu";
    crowd_start(threads);
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
    crowd_stop(threads);
    crowd_free();
    return case_result();
}

/* Both lanes have little memory. Whatever does not fit runs on the CPU. */
static int little_memory(void) {
    pthread_t threads[CROWD_CALLERS];
    crowd_make();
    crowd_start(threads);
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 60, CROWD_AT_MOST));
    crowd_stop(threads);
    struct lava_device *device = lava_context_engine()->device;
    CASE_CHECK(device->shared->device_bytes <= device->capabilities.memory_bytes);
    crowd_free();
    return case_result();
}

/* The first lane's product takes the memory that the other one holds. */
static int reclaimed(void) {
    struct product large = {.m = 900, .n = 900, .k = 200, .alpha = 1.0f, .beta = 1.0f};
    crowd_make();
    product_make(&large, 11);
    struct lava_device *device = lava_context_engine()->device;
    CASE_CHECK(finishes_beside_first(&crowd_products[5], CROWD_AT_MOST));
    struct lava_lane_lock lock;
    if (!CASE_CHECK(lava_context_lock_lane(1, 0, &lock) != NULL))
        return case_result();
    uint64_t before = device->shared->device_bytes;
    CASE_CHECK(lava_context_find_memory(&lock));
    CASE_CHECK(lock.lane == 0 && device->shared->device_bytes < before);
    CASE_CHECK(!lava_context_find_memory(&lock));
    lava_context_unlock_lane(&lock);
    CASE_CHECK(finishes_beside_first(&crowd_products[5], CROWD_AT_MOST));
    case_multiply(&large, "gpu");
    product_free(&large);
    crowd_free();
    return case_result();
}

/* Who finds too little memory in another lane goes on in the first one. */
static int moves_to_first(void) {
    struct lava_lane_lock first, second;
    crowd_make();
    CASE_CHECK(finishes_beside_first(&crowd_products[0], CROWD_AT_MOST));
    if (!CASE_CHECK(lava_context_lock_lane(1, 0, &first) && lava_context_lock_lane(1, 0, &second)))
        return case_result();
    CASE_CHECK(first.lane == 0 && second.lane == 1 && first.engine != second.engine);
    CASE_CHECK(first.engine->device->handle == second.engine->device->handle);
    lava_context_unlock_lane(&first);
    CASE_CHECK(lava_context_find_memory(&second) && second.lane == 0);
    lava_context_unlock_lane(&second);
    crowd_free();
    return case_result();
}

/* The second engine's memory is freed with the first one's, and the engine is made again when it is needed.
 */
static int idle(void) {
    crowd_make();
    struct lava_device_shared *shared = lava_context_engine()->device->shared;
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(finishes_beside_first(&crowd_products[i], CROWD_AT_MOST));
        double end = case_now() + CROWD_AT_MOST;
        while (shared->staging_bytes + shared->device_bytes > 0 && case_now() < end)
            case_sleep(0.005);
        CASE_CHECK(shared->staging_bytes + shared->device_bytes == 0);
    }
    crowd_free();
    return case_result();
}

/* A device that fails in one lane has failed for the other, too. */
static int device_failed(void) {
    pthread_t threads[CROWD_CALLERS];
    crowd_make();
    crowd_start(threads);
    CASE_CHECK(wait_for_lanes(2));
    lava_device_fail(lava_context_engine()->device, LAVA_ERROR_DEVICE_LOST);
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 20, CROWD_AT_MOST));
    crowd_stop(threads);
    case_multiply(&crowd_products[0], "cpu");
    crowd_free();
    return case_result();
}

#ifdef LAVA_FAULT_INJECTION
static const struct fault {
    const char *text;
    enum lava_fault_point point;
    long passage; /* the first that fails */
} some_faults[] = {{"upload:3:2", LAVA_FAULT_UPLOAD, 3},     {"submit:5:3", LAVA_FAULT_SUBMIT, 5},
                   {"download:2:3", LAVA_FAULT_DOWNLOAD, 2}, {"allocate:1:4", LAVA_FAULT_ALLOCATE, 1},
                   {"submit:9:1", LAVA_FAULT_SUBMIT, 9},     {"upload:1:1", LAVA_FAULT_UPLOAD, 1},
                   {"allocate:2:2", LAVA_FAULT_ALLOCATE, 2}};
enum { SOME_FAULTS = sizeof some_faults / sizeof some_faults[0] };

/* Returns whether the fault came while n products were computed. */
static bool meets(const struct fault *fault, int count) {
    CASE_CHECK(lava_fault_set(fault->text));
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + count, CROWD_AT_MOST));
    return lava_fault_passages(fault->point) >= fault->passage;
}

/* Steps fail again and again, in whichever lane: the CPU completes those products. Engines keep their memory,
 * so that they seldom allocate any. */
static int faults(void) {
    static const struct fault lost = {"device_lost:4:1", LAVA_FAULT_DEVICE_LOST, 4};
    long met[LAVA_FAULT_COUNT] = {0};
    pthread_t threads[CROWD_CALLERS];
    crowd_make();
    crowd_start(threads);
    CASE_CHECK(wait_for_lanes(2));
    for (int i = 0; i < 4 * SOME_FAULTS && !case_result(); i++)
        met[some_faults[i % SOME_FAULTS].point] += meets(&some_faults[i % SOME_FAULTS], 8);
    lava_fault_set(NULL);
    printf("came: %ld in uploads, %ld in submissions, %ld in downloads, %ld in allocations\n",
           met[LAVA_FAULT_UPLOAD], met[LAVA_FAULT_SUBMIT], met[LAVA_FAULT_DOWNLOAD],
           met[LAVA_FAULT_ALLOCATE]);
    CASE_CHECK(met[LAVA_FAULT_UPLOAD] > 0 && met[LAVA_FAULT_SUBMIT] > 0 && met[LAVA_FAULT_DOWNLOAD] > 0);
    CASE_CHECK(!lava_context_engine()->device->shared->failed);
    CASE_CHECK(meets(&lost, 20));
    crowd_stop(threads);
    CASE_CHECK(lava_context_engine()->device->shared->failed);
    case_multiply(&crowd_products[0], "cpu");
    crowd_free();
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
