/* Several devices in one process: products go to the one that is free, a device that fails is passed over,
 * and results have the same bits on all. Three lavapipe devices stand for three GPUs (several_devices.h).
 * The library is linked in, so that devices can be locked. */
#include "tests/robustness/crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lavablas.h"
#include "lavablas_cblas.h"
#include "lavablas_lapack.h"
#include "lib/base/fault.h"
#include "lib/base/stats.h"
#include "lib/engine/shared_staging.h"
#include "lib/offload/context.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/planning.h"
#include "lib/offload/prepare.h"
#include "lib/offload/steps.h"
#include "tests/library/summary.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/several_devices.h"

#define DEVICES 3 /* at most */
static unsigned devices = DEVICES;

/* Takes the device's first lane; other devices may be at work. */
static bool hold(unsigned device, struct lava_lane_lock *lock) {
    struct lava_lane_lock others[DEVICES];
    unsigned taken = 0;
    bool found = false;
    while (taken < device && lava_context_lock_lane(1, 0, &others[taken]) && others[taken].device < device)
        taken++;
    found = lava_context_lock_lane(1, 0, lock) && lock->device == device && lock->lane == 0;
    while (taken > 0)
        lava_context_unlock_lane(&others[--taken]);
    return found;
}

static uint64_t needs_of_crowd(void) {
    uint64_t needs = 0;
    for (int i = 0; i < CROWD_SHAPES; i++) {
        const struct lava_operation operation = product_operation(&crowd_products[i], NULL);
        needs |= lava_steps_needs(&operation);
    }
    return needs;
}

/* Makes the products and prepares all devices for them. Returns false if there are no such devices. */
static bool make(void) {
    if (lavablas_wait(NULL) || lava_context_devices() == 1)
        return false;
    crowd_make();
    double end = case_now() + CROWD_AT_MOST;
    uint64_t needs = needs_of_crowd();
    devices = lava_context_devices();
    while ((needs & ~lava_readiness_in(LAVA_READINESS_IN(READY))) && case_now() < end)
        case_sleep(0.002);
    lava_more_devices_want(needs, DEVICES, true);
    return CASE_CHECK(!(needs & ~lava_readiness_in(LAVA_READINESS_IN(READY))));
}

/* A program with one thread uses one device, and opens no other. */
static int one_thread(void) {
    lavablas_wait(NULL);
    if (lava_context_devices() == 1)
        return CASE_SKIPPED;
    CASE_CHECK(lava_context_devices() == DEVICES);
    crowd_make();
    for (int i = 0; i < CROWD_SHAPES; i++)
        case_multiply(&crowd_products[i], "gpu");
    CASE_CHECK(lava_stats_of_device(1) == 0 && lava_stats_of_device(2) == 0);
    CASE_CHECK(lava_context_is_busy(0) == false);
    crowd_free();
    return case_result();
}

/* The variable says which devices there are. */
static int one_device(void) {
    lavablas_wait(NULL);
    CASE_CHECK(lava_context_devices() == 1);
    return case_result();
}

static int listed(void) {
    lavablas_wait(NULL);
    CASE_CHECK(lava_context_devices() == 2);
    CASE_CHECK(lava_context_engine()->device->set[0] == 2);
    return case_result();
}

/* A product that finds the first device at work has another one prepared, and goes there. */
static int prepared_when_needed(void) {
    struct lava_lane_lock lock;
    pthread_t thread;
    lavablas_wait(NULL);
    if (lava_context_devices() == 1)
        return CASE_SKIPPED;
    crowd_make();
    if (!CASE_CHECK(lava_context_lock_lane(1, 0, &lock) && lock.device == 0))
        return case_result();
    for (int i = 0; i < CROWD_SHAPES; i++) {
        int before = crowd_finished;
        CASE_CHECK(!pthread_create(&thread, NULL, crowd_multiply_once, &crowd_products[i]));
        CASE_CHECK(crowd_wait(&crowd_finished, before + 1, CROWD_AT_MOST));
        pthread_join(thread, NULL);
    }
    CASE_CHECK(lava_stats_of_device(1) > 0 && lava_stats_of_device(2) == 0);
    lava_context_unlock_lane(&lock);
    crowd_free();
    return case_result();
}

/* C of every shape has the same bits on every device. */
static int same_bits(void) {
    if (!make())
        return case_result() ? 1 : CASE_SKIPPED;
    for (int i = 0; i < CROWD_SHAPES; i++) {
        void *c[DEVICES];
        struct lava_lane_lock locks[DEVICES];
        for (unsigned device = 0; device < DEVICES; device++) {
            uint64_t before = lava_stats_of_device(device);
            c[device] = product_new_c(&crowd_products[i]);
            case_call(&crowd_products[i], c[device]);
            CASE_CHECK(!strcmp(case_place(NULL), "gpu") && lava_stats_of_device(device) == before + 1);
            CASE_CHECK(lava_context_lock_lane(1, 0, &locks[device]) && locks[device].device == device);
        }
        for (unsigned device = 0; device < DEVICES; device++) {
            CASE_CHECK(!memcmp(c[0], c[device], product_c_bytes(&crowd_products[i])));
            lava_context_unlock_lane(&locks[device]);
        }
        for (unsigned device = 0; device < DEVICES; device++)
            free(c[device]);
    }
    crowd_free();
    return case_result();
}

/* Several threads, with batches among what they compute, use all devices. */
static int crowd(void) {
    pthread_t threads[CROWD_CALLERS];
    if (!make())
        return case_result() ? 1 : CASE_SKIPPED;
    crowd_place = "gpu";
    crowd_start(threads);
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 60, CROWD_AT_MOST));
    crowd_stop(threads);
    for (unsigned device = 0; device < DEVICES; device++)
        CASE_CHECK(lava_stats_of_device(device) > 5);
    char text[8192];
    summary_read(text, sizeof text);
    CASE_CHECK(strstr(text, "lavablas: device 2 of the process: ") != NULL);
    crowd_free();
    return case_result();
}

/* One device after the other fails. The CPU is asked when none is left. */
static int devices_fail(void) {
    struct lava_lane_lock locks[DEVICES];
    struct lava_engine *engines[DEVICES];
    if (!make())
        return case_result() ? 1 : CASE_SKIPPED;
    for (unsigned i = 0; i < DEVICES; i++) {
        if (!CASE_CHECK(lava_context_lock_lane(1, 0, &locks[i]) && locks[i].device == i))
            return case_result();
        engines[i] = locks[i].engine;
    }
    for (unsigned i = 0; i < DEVICES; i++)
        lava_context_unlock_lane(&locks[i]);
    for (unsigned i = 0; i < DEVICES; i++) {
        unsigned device = (i + 1) % DEVICES; /* the first one is neither the first nor the last */
        case_multiply(&crowd_products[i], "gpu");
        lava_device_fail(engines[device]->device, LAVA_ERROR_DEVICE_LOST);
        CASE_CHECK(lava_context_is_failed() == (i + 1 == DEVICES));
        for (int j = 0; j < CROWD_SHAPES; j++)
            case_multiply(&crowd_products[j], i + 1 < DEVICES ? "gpu" : "cpu");
    }
    crowd_free();
    return case_result();
}

/* A device fails while all are at work. */
static int one_fails_in_a_crowd(void) {
    pthread_t threads[CROWD_CALLERS];
    struct lava_lane_lock lock;
    if (!make() || !CASE_CHECK(hold(1, &lock)))
        return case_result() ? 1 : CASE_SKIPPED;
    struct lava_device *device = lock.engine->device;
    lava_context_unlock_lane(&lock);
    crowd_start(threads);
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 20, CROWD_AT_MOST));
    lava_device_fail(device, LAVA_ERROR_DEVICE_LOST);
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 10, CROWD_AT_MOST));
    uint64_t before = lava_stats_of_device(1);
    crowd_place = "gpu";
    CASE_CHECK(crowd_wait(&crowd_finished, crowd_finished + 30, CROWD_AT_MOST));
    CASE_CHECK(lava_stats_of_device(1) == before);
    crowd_stop(threads);
    crowd_free();
    return case_result();
}

/* Products that devices share: many columns, edges everywhere, old C that counts. */
#define WIDE 5
static struct product wide[WIDE] = {
    {.m = 150, .n = 1300, .k = 160, .alpha = 1.25f, .beta = 0.5f},
    {.type = LAVA_TYPE_FP64,
     .type_c = LAVA_TYPE_FP64,
     .transpose_a = true,
     .m = 133,
     .n = 1001,
     .k = 90,
     .alpha = -1.0f,
     .beta = 1.0f},
    {.transpose_b = true, .row_major = true, .m = 131, .n = 1157, .k = 117, .alpha = 0.5f, .beta = -2.0f},
    {.type = LAVA_TYPE_CFP32,
     .type_c = LAVA_TYPE_CFP32,
     .m = 96,
     .n = 896,
     .k = 100,
     .alpha = 1.0f,
     .alpha_imaginary = 0.5f,
     .beta = 0.0f},
    {.transpose_a = true, .transpose_b = true, .m = 330, .n = 2060, .k = 190, .alpha = 1.0f, .beta = 0.0f},
};

static bool make_wide(struct lava_engine *engines[DEVICES]) {
    struct lava_lane_lock locks[DEVICES];
    if (!make())
        return false;
    for (unsigned i = 0; i < WIDE; i++)
        product_make(&wide[i], i + 1);
    several_devices_hold(locks, devices);
    for (unsigned i = 0; i < devices; i++)
        engines[i] = locks[i].engine;
    several_devices_give_back(locks, devices);
    return !case_result();
}

static void free_wide(void) {
    for (int i = 0; i < WIDE; i++)
        product_free(&wide[i]);
    crowd_free();
}

/* Computes it with n devices and returns C. */
static void *compute_with(const struct product *product, unsigned count) {
    struct lava_lane_lock held[DEVICES];
    uint64_t shared = lava_stats_of_shared(), before[DEVICES];
    void *c = product_new_c(product);
    several_devices_hold(held, devices - count);
    for (unsigned i = 0; i < devices; i++)
        before[i] = lava_stats_of_device(i);
    case_call(product, c);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu") && product_check(product, c, "shared"));
    CASE_CHECK(lava_stats_of_shared() == shared + (count > 1));
    for (unsigned i = 0; i < devices; i++)
        CASE_CHECK(lava_stats_of_device(i) == before[i] + (i >= devices - count));
    several_devices_give_back(held, devices - count);
    return c;
}

#define MOST_TURNS 50

/* Returns whether chunks of A were copied once for all devices since then. */
static bool has_spared(const struct lava_shared_counts *before) {
    const struct lava_shared_counts after = lava_shared_staging_counts();
    return after.copied > before->copied && after.spared > before->spared;
}

/* C has the same bits, however many devices share the product. A chunk is spared if a device comes to it
 * before another one is done with it, which the next products of all devices do if these did not. */
static int shared_bits(void) {
    struct lava_engine *engines[DEVICES];
    if (!make_wide(engines))
        return case_result() ? 1 : CASE_SKIPPED;
    const struct lava_shared_counts before = lava_shared_staging_counts();
    for (int i = 0; i < WIDE; i++) {
        void *c[DEVICES];
        for (unsigned j = 0; j < devices; j++) {
            c[j] = compute_with(&wide[i], j + 1);
            CASE_CHECK(!memcmp(c[0], c[j], product_c_bytes(&wide[i])));
        }
        for (unsigned j = 0; j < devices; j++)
            free(c[j]);
    }
    for (int turn = 0; turn < MOST_TURNS && !has_spared(&before); turn++)
        free(compute_with(&wide[turn % WIDE], devices));
    CASE_CHECK(has_spared(&before));
    free_wide();
    return case_result();
}

/* Products whose blocks do not fit the memory whole: row blocks, or panels of K. */
#define LONG 3
static struct product long_ones[LONG] = {
    {.m = 700, .n = 1100, .k = 150, .alpha = 1.25f, .beta = 0.5f},
    {.m = 300, .n = 900, .k = 1500, .alpha = -1.0f, .beta = 1.0f, .transpose_a = true},
    {.type = LAVA_TYPE_CFP32,
     .type_c = LAVA_TYPE_CFP32,
     .m = 410,
     .n = 800,
     .k = 200,
     .alpha = 1.0f,
     .alpha_imaginary = 0.5f,
     .beta = 0.5f},
};

static bool is_cut(const struct product *product) {
    const struct lava_operation operation = product_operation(product, NULL);
    struct lava_plan one, shared;
    lava_planning_choose(&operation, 0, &one);
    return lava_planning_share(&operation, &one, &shared) &&
           shared.blocking.blocks_m * shared.blocking.blocks_k > 1;
}

static int shared_bits_cut(void) {
    struct lava_engine *engines[DEVICES];
    if (!make_wide(engines))
        return case_result() ? 1 : CASE_SKIPPED;
    for (int i = 0; i < LONG && !case_result(); i++) {
        product_make(&long_ones[i], (unsigned)i + 1);
        CASE_CHECK(is_cut(&long_ones[i]));
        void *one = compute_with(&long_ones[i], 1), *all = compute_with(&long_ones[i], DEVICES);
        CASE_CHECK(!memcmp(one, all, product_c_bytes(&long_ones[i])));
        free(one);
        free(all);
        product_free(&long_ones[i]);
    }
    free_wide();
    return case_result();
}

/* The same of a symmetric matrix times a general one. */
static int shared_symmetric(void) {
    enum { M = 170, N = 1200 };
    static float a[M * M], b[M * N], c0[M * N], c[2][M * N];
    struct lava_engine *engines[DEVICES];
    struct lava_lane_lock held[DEVICES];
    if (!make_wide(engines))
        return case_result() ? 1 : CASE_SKIPPED;
    for (int i = 0; i < M * N; i++) {
        if (i < M * M)
            a[i] = (float)(i % 17 - 8) / 7;
        b[i] = (float)(i % 13 - 6) / 5;
        c0[i] = (float)(i % 11 - 5) / 3;
    }
    uint64_t shared = lava_stats_of_shared();
    for (int round = 0; round < 3; round++) { /* the first one prepares it */
        float *result = c[round > 1];
        for (unsigned i = 0; i < DEVICES && round == 1; i++) /* the last one is free */
            CASE_CHECK(i + 1 == DEVICES || lava_context_lock_lane(1, 0, &held[i]));
        memcpy(result, c0, sizeof c0);
        cblas_ssymm(CblasColMajor, CblasLeft, CblasLower, M, N, 1.5f, a, M, b, M, 0.5f, result, M);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        for (unsigned i = 0; i + 1 < DEVICES && round == 1; i++)
            lava_context_unlock_lane(&held[i]);
    }
    CASE_CHECK(lava_stats_of_shared() == shared + 2);
    CASE_CHECK(!memcmp(c[0], c[1], sizeof c0));
    free_wide();
    return case_result();
}

static atomic_bool ends_now;

/* Fails a device while others compute, and takes that back. */
static void *fail_again_and_again(void *device) {
    while (!ends_now) {
        case_sleep(0.003);
        lava_device_fail(device, LAVA_ERROR_DEVICE_LOST);
        case_sleep(0.003);
        ((struct lava_device *)device)->shared->failed = false;
    }
    return NULL;
}

/* One of the devices that share a product fails in the midst of it. */
static int shared_fails(void) {
    struct lava_engine *engines[DEVICES];
    pthread_t thread;
    if (!make_wide(engines))
        return case_result() ? 1 : CASE_SKIPPED;
    for (unsigned device = 0; device < 2; device++) {
        ends_now = false;
        CASE_CHECK(!pthread_create(&thread, NULL, fail_again_and_again, engines[device]->device));
        for (int i = 0; i < 12 * WIDE && !case_result(); i++)
            case_multiply(&wide[i % WIDE], NULL);
        ends_now = true;
        pthread_join(thread, NULL);
    }
    CASE_CHECK(lava_stats_of_shared() > 2 * WIDE);
    free_wide();
    return case_result();
}

/* A factorization goes to another device if the first one is at work. */
static int factorization(void) {
    enum { N = 150 };
    static double a[2][N * N];
    struct lava_lane_lock lock;
    int n = N, info = -1;
    lavablas_wait(NULL);
    if (lava_context_devices() == 1)
        return CASE_SKIPPED;
    for (int round = 0; round < 40 && lava_stats_of_device(1) == 0; round++) {
        for (int i = 0; i < N * N; i++)
            a[round > 0][i] = i % (N + 1) == 0 ? N : (double)(i % 7) / 7;
        bool held = round > 0 && CASE_CHECK(lava_context_lock_lane(1, 0, &lock) != NULL);
        if (held && round == 1) { /* prepares it */
            struct lava_operation operation = {
                .kind = LAVA_OPERATION_CHOLESKY, .type = LAVA_TYPE_FP64, .m = N, .n = N, .k = N};
            lava_more_devices_want(lava_steps_needs(&operation), 1, true);
        }
        dpotrf_("L", &n, a[round > 0], &n, &info, 1);
        CASE_CHECK(info == 0 && !strcmp(case_place(NULL), "gpu"));
        if (held)
            lava_context_unlock_lane(&lock);
        CASE_CHECK(!memcmp(a[0], a[round > 0], sizeof a[0]));
    }
    CASE_CHECK(lava_stats_of_device(1) > 0);
    return case_result();
}

/* The process ends while a device is prepared. */
static int ends_meanwhile(void) {
    lavablas_wait(NULL);
    if (lava_context_devices() == 1)
        return CASE_SKIPPED;
    crowd_make();
    lava_more_devices_want(needs_of_crowd(), DEVICES, false);
    case_ends();
    return case_result();
}

#ifdef LAVA_FAULT_INJECTION
/* Every step of a product fails once, on whichever device it is. The product goes to another one or the CPU
 * completes it, and the devices that have not failed go on. */
static int faults(void) {
    static const struct {
        const char *text;
        enum lava_fault_point point;
    } faults_of[] = {{"upload:1", LAVA_FAULT_UPLOAD},
                     {"submit:1", LAVA_FAULT_SUBMIT},
                     {"wait:1", LAVA_FAULT_WAIT},
                     {"download:1", LAVA_FAULT_DOWNLOAD},
                     {"device_lost:1", LAVA_FAULT_DEVICE_LOST}};
    if (!make())
        return case_result() ? 1 : CASE_SKIPPED;
    for (size_t i = 0; i < sizeof faults_of / sizeof faults_of[0]; i++) {
        CASE_CHECK(lava_fault_set(faults_of[i].text));
        case_multiply(&crowd_products[i], NULL);
        CASE_CHECK(lava_fault_passages(faults_of[i].point) > 0);
        CASE_CHECK(lava_fault_set(NULL));
        CASE_CHECK(!lava_context_is_failed());
        case_multiply(&crowd_products[i], "gpu");
    }
    crowd_free();
    return case_result();
}

static unsigned sweep_seed;

/* Computes the product for the first two passages of the point by one of two engines, and for every second of
 * the others, at random: it fails there. Returns how often it did. */
static int sweep(const char *name, int point, const struct product *product,
                 struct lava_engine *const engines[DEVICES], enum lava_fault_scope scope) {
    int passage = 0, count = 0;
    for (bool hit = true; hit && !case_result(); count += hit) {
        char text[64];
        passage += passage < 2 ? 1 : 1 + rand_r(&sweep_seed) % 3;
        snprintf(text, sizeof text, "%s:%d", name, passage);
        CASE_CHECK(lava_fault_set(text));
        lava_fault_limit(scope);
        case_multiply(product, NULL);
        hit = lava_fault_passages((enum lava_fault_point)point) >= passage;
        lava_fault_limit(LAVA_FAULT_ANYWHERE);
        CASE_CHECK(lava_fault_set(NULL));
        CASE_CHECK(!engines[scope == LAVA_FAULT_HERE ? 2 : 1]->device->shared->failed);
        engines[scope == LAVA_FAULT_HERE ? 1 : 2]->device->shared->failed = false;
    }
    return count;
}

/* Passages of every step of shared products fail, once each, by the one of two engines and by the other. The
 * first device is held. */
static int shared_faults(void) {
    static const char *const points[] = {"allocate", "upload", "submit", "wait", "download", "device_lost"};
    struct lava_engine *engines[DEVICES];
    struct lava_lane_lock held;
    int swept[2] = {0};
    if (!make_wide(engines))
        return case_result() ? 1 : CASE_SKIPPED;
    sweep_seed = device_test_seed();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    for (int i = 0; i < (int)(sizeof points / sizeof points[0]); i++)
        for (int j = 0; j < 2; j++)
            swept[j] += sweep(points[i], LAVA_FAULT_ALLOCATE + i, &wide[(i + 2 * j) % WIDE], engines,
                              j ? LAVA_FAULT_ELSEWHERE : LAVA_FAULT_HERE);
    printf("passages that failed: %d and %d\n", swept[0], swept[1]);
    CASE_CHECK(swept[0] > 12 && swept[1] > 12);
    for (int i = 0; i < WIDE; i++)
        case_multiply(&wide[i], "gpu");
    lava_context_unlock_lane(&held);
    free_wide();
    return case_result();
}

/* A further device cannot be opened, then another one fails on the way: what is left is used. */
static int further_fails(void) {
    enum { VK_CALLS = 12 };
    static const char *const points[] = {"init:1:0", "vk:12:1"};
    lavablas_wait(NULL);
    if (lava_context_devices() == 1)
        return CASE_SKIPPED;
    crowd_make();
    for (unsigned i = 0; i < 2; i++) {
        CASE_CHECK(lava_fault_set(points[i]));
        lava_more_devices_want(needs_of_crowd(), i + 1, true);
        CASE_CHECK(i ? lava_fault_passages(LAVA_FAULT_VK) >= VK_CALLS
                     : lava_fault_passages(LAVA_FAULT_INIT) > 0);
        CASE_CHECK(lava_fault_set(NULL));
        for (int j = 0; j < CROWD_SHAPES; j++)
            case_multiply(&crowd_products[j], "gpu");
    }
    crowd_free();
    return case_result();
}
#endif

#define ALL "LAVABLAS_DEVICE=cpu:all"

static const struct test_case cases[] = {
    {.name = "one_thread", .run = one_thread, .variables = {ALL}},
    {.name = "one_by_default", .run = one_device, .variables = {"LAVABLAS_DEVICE=cpu"}},
    {.name = "one_by_index", .run = one_device, .variables = {"LAVABLAS_DEVICE=1"}},
    {.name = "ranks_of_a_job",
     .run = one_device,
     .variables = {"LAVABLAS_DEVICE=0,1,2", "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=3"}},
    {.name = "listed", .run = listed, .variables = {"LAVABLAS_DEVICE=2,0"}},
    {.name = "prepared_when_needed", .run = prepared_when_needed, .variables = {ALL}},
    {.name = "same_bits", .run = same_bits, .variables = {ALL}},
    /* Sixty products may be done before the last device is prepared, on a machine with other work. */
    {.name = "crowd", .run = crowd, .attempts = 4, .variables = {ALL}},
    {.name = "crowd_in_lanes", .run = crowd, .attempts = 4, .variables = {ALL, "LAVABLAS_LANES=2"}},
    {.name = "devices_fail", .run = devices_fail, .lines = -1, .variables = {ALL}},
    {.name = "one_fails_in_a_crowd", .run = one_fails_in_a_crowd, .lines = -1, .variables = {ALL}},
    {.name = "shared_bits", .run = shared_bits, .variables = {ALL}},
    {.name = "shared_bits_of_two", .run = shared_bits, .variables = {"LAVABLAS_DEVICE=1,2"}},
    {.name = "shared_bits_little_memory",
     .run = shared_bits,
     .variables = {ALL, "LAVABLAS_MEMORY=64M", "LAVABLAS_PINNED=4M"}},
    {.name = "shared_bits_cut",
     .run = shared_bits_cut,
     .variables = {ALL, "LAVABLAS_MEMORY=2M", "LAVABLAS_PINNED=4M"}},
    {.name = "shared_symmetric", .run = shared_symmetric, .variables = {ALL}},
    {.name = "shared_fails", .run = shared_fails, .lines = -1, .variables = {ALL}},
    {.name = "factorization", .run = factorization, .variables = {ALL}},
    {.name = "ends_meanwhile", .run = ends_meanwhile, .repeats = 3, .lines = -1, .variables = {ALL}},
#ifdef LAVA_FAULT_INJECTION
    {.name = "faults", .run = faults, .lines = -1, .variables = {ALL}},
    {.name = "shared_faults",
     .run = shared_faults,
     .lines = -1,
     .variables = {ALL, "LAVABLAS_MEMORY=2M", "LAVABLAS_PINNED=4M"}},
    {.name = "further_fails", .run = further_fails, .lines = -1, .variables = {ALL}},
#endif
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return several_devices_main(argument_count, arguments, cases, DEVICES);
}
