/* Cases of calls that several devices share. Called by tests of calls of a kind. */
#include "tests/robustness/shared_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "lib/base/fault.h"
#include "lib/base/stats.h"
#include "lib/engine/shared_staging.h"
#include "lib/offload/context.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/steps.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/layer.h"

static unsigned devices;
static const struct shared_call *calls;
static int call_count;

/* The calls of a case, of the type whose letter LAVA_TEST_TYPE is: drivers compile more kernels for all than
 * a case has time for. */
static int first, last;

static void find_calls(void) {
    const char *type = getenv("LAVA_TEST_TYPE");
    while (type && first < call_count && *calls[first].name != *type)
        first++;
    for (last = first; last < call_count && *calls[last].name == *calls[first].name;)
        last++;
    CASE_CHECK(last > first);
}

static enum lava_type type_of(char letter) {
    return letter == 's'   ? LAVA_TYPE_FP32
           : letter == 'd' ? LAVA_TYPE_FP64
           : letter == 'c' ? LAVA_TYPE_CFP32
                           : LAVA_TYPE_CFP64;
}

/* Makes the calls, and has all devices prepared for them, also if a call is shared among fewer. Returns
 * false if there are no such devices. */
static bool make(void) {
    unsigned seed = device_test_seed();
    find_calls();
    for (int i = first; i < last; i++)
        calls[i].make(calls[i].data, seed + (unsigned)i);
    if (lavablas_wait(NULL) || lava_context_devices() == 1)
        return false;
    devices = lava_context_devices();
    for (int i = first; i < last; i++) {
        void *c = calls[i].new_c(calls[i].data);
        calls[i].run(calls[i].data, c);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        free(c);
    }
    const struct lava_operation structured = {.kind = LAVA_OPERATION_SOLVE,
                                              .type = type_of(*calls[first].name)};
    lava_more_devices_want(lava_steps_needs(&structured), devices - 1, true);
    CASE_CHECK(lava_stats_of_shared() > 0);
    return !case_result();
}

static int end(bool was_made) {
    for (int i = first; i < last && was_made; i++)
        calls[i].free(calls[i].data);
    return case_result() ? 1 : was_made ? 0 : CASE_SKIPPED;
}

/* Computes it with n devices and returns C. */
static void *compute_with(const struct shared_call *call, unsigned count) {
    struct lava_lane_lock held[SHARED_CALLS_DEVICES];
    uint64_t shared = lava_stats_of_shared(), before[SHARED_CALLS_DEVICES];
    void *c = call->new_c(call->data);
    several_devices_hold(held, devices - count);
    for (unsigned i = 0; i < devices; i++)
        before[i] = lava_stats_of_device(i);
    call->run(call->data, c);
    if (!CASE_CHECK(!strcmp(case_place(NULL), "gpu") && call->check(call->data, c)) ||
        !CASE_CHECK(lava_stats_of_shared() == shared + (count > 1)))
        fprintf(stderr, "%s with %u devices\n", call->name, count);
    for (unsigned i = 0; i < devices; i++)
        CASE_CHECK(lava_stats_of_device(i) - before[i] <= 1);
    several_devices_give_back(held, devices - count);
    return c;
}

/* C has the same bits, however many devices share the call. */
int shared_calls_same_bits(void) {
    bool was_made = make();
    for (int i = first; i < last && was_made; i++) {
        void *c[SHARED_CALLS_DEVICES];
        for (unsigned j = 0; j < devices; j++) {
            c[j] = compute_with(&calls[i], j + 1);
            if (!CASE_CHECK(!memcmp(c[0], c[j], calls[i].c_bytes(calls[i].data))))
                fprintf(stderr, "%s\n", calls[i].name);
        }
        for (unsigned j = 0; j < devices; j++)
            free(c[j]);
    }
    return end(was_made);
}

int shared_calls_same_copies(void) {
    const struct lava_shared_counts before = lava_shared_staging_counts();
    int result = shared_calls_same_bits();
    const struct lava_shared_counts after = lava_shared_staging_counts();
    CASE_CHECK(result == CASE_SKIPPED || after.copied > before.copied);
    CASE_CHECK(result == CASE_SKIPPED || after.spared > before.spared);
    printf("%lu copies, %lu spared\n", (unsigned long)(after.copied - before.copied),
           (unsigned long)(after.spared - before.spared));
    return result ? result : case_result();
}

#ifdef LAVA_FAULT_INJECTION
static void compute(const struct shared_call *call) {
    void *c = call->new_c(call->data);
    call->run(call->data, c);
    CASE_CHECK(call->check(call->data, c));
    free(c);
}

enum { ALLOCATE, UPLOAD, SUBMIT, WAIT, DOWNLOAD, DEVICE_LOST, POINTS };
static const struct {
    const char *name;
    enum lava_fault_point point;
} points[POINTS] = {
    [ALLOCATE] = {"allocate", LAVA_FAULT_ALLOCATE}, [UPLOAD] = {"upload", LAVA_FAULT_UPLOAD},
    [SUBMIT] = {"submit", LAVA_FAULT_SUBMIT},       [WAIT] = {"wait", LAVA_FAULT_WAIT},
    [DOWNLOAD] = {"download", LAVA_FAULT_DOWNLOAD}, [DEVICE_LOST] = {"device_lost", LAVA_FAULT_DEVICE_LOST}};

/* The point's passages from one on fail, `count` of them. Returns whether there are n passages. */
static bool fail(const struct shared_call *call, int point, int passage, const char *count,
                 enum lava_fault_scope scope) {
    char text[64];
    snprintf(text, sizeof text, "%s:%d%s", points[point].name, passage, count);
    CASE_CHECK(lava_fault_set(text));
    lava_fault_limit(scope);
    compute(call);
    lava_fault_limit(LAVA_FAULT_ANYWHERE);
    bool hit = lava_fault_passages(points[point].point) >= passage;
    CASE_CHECK(lava_fault_set(NULL));
    return hit;
}

/* Finds the engines of the devices that are free. */
static bool find_engines(struct lava_engine *engines[2]) {
    struct lava_lane_lock locks[2];
    for (int i = 0; i < 2; i++) {
        if (!CASE_CHECK(lava_context_lock_lane(1, 0, &locks[i]) && locks[i].device == (unsigned)i + 1))
            return false;
        engines[i] = locks[i].engine;
    }
    for (int i = 0; i < 2; i++)
        lava_context_unlock_lane(&locks[i]);
    return true;
}

/* Passages of the step fail, once each, at one of two engines: a twentieth of the early ones, few of
 * thousands. Returns how many did. An upload fails when no block is written in part, so the other engine
 * computes the rest. */
static int sweep(const struct shared_call *call, int point, enum lava_fault_scope scope,
                 struct lava_engine *const engines[2], unsigned *seed) {
    int count = 0, passage = 0;
    for (bool hit = true; hit && !case_result(); count += hit) {
        passage += passage < 1 ? 1 : 1 + rand_r(seed) % (39 + passage / 2);
        hit = fail(call, point, passage, "", scope);
        CASE_CHECK(point != UPLOAD || !strcmp(case_place(NULL), "gpu"));
        for (int i = 0; i < 2; i++)
            engines[i]->device->shared->failed = false;
    }
    return count;
}

/* The one of two engines fails, then the other; the first device is held. What one has not written goes to
 * the other. */
int shared_calls_one_fails(void) {
    struct lava_lane_lock held;
    struct lava_engine *engines[2];
    int count[2] = {0}, of_point[POINTS] = {0};
    unsigned seed = device_test_seed();
    bool was_made = make();
    if (!was_made || !CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0) ||
        !find_engines(engines))
        return end(was_made);
    for (int i = first; i < last && !case_result(); i++)
        for (int j = 0; j < POINTS; j++) {
            int some =
                sweep(&calls[i], j, (i + j) % 2 ? LAVA_FAULT_ELSEWHERE : LAVA_FAULT_HERE, engines, &seed);
            count[(i + j) % 2] += some;
            of_point[j] += some;
        }
    printf("passages that failed: %d and %d\n", count[0], count[1]);
    for (int j = 0; j < POINTS && !case_result(); j++) {
        printf("    %s %d\n", points[j].name, of_point[j]);
        CASE_CHECK(of_point[j] > 0 || j == ALLOCATE); /* memory that is there is not allocated again */
    }
    CASE_CHECK(count[0] > 0 && count[1] > 0);
    for (int i = first; i < last; i++)
        compute(&calls[i]);
    lava_context_unlock_lane(&held);
    return end(true);
}

/* From some passage on every engine fails: the CPU computes what none of them has written, and nothing twice.
 * The devices go on afterwards. */
int shared_calls_all_fail(void) {
    static const struct {
        int point, passage;
    } tried[] = {{UPLOAD, 1}, {UPLOAD, 5}, {SUBMIT, 9}, {DOWNLOAD, 1}, {DOWNLOAD, 2}};
    const int tries = (int)(sizeof tried / sizeof tried[0]);
    bool was_made = make();
    int count = 0;
    for (int i = first; i < last && was_made && !case_result(); i++)
        for (int j = 0; j < tries; j++)
            count += fail(&calls[i], tried[j].point, tried[j].passage, ":0", LAVA_FAULT_ANYWHERE);
    CASE_CHECK(!was_made || count > 3 * (last - first));
    for (int i = first; i < last && was_made; i++)
        compute(&calls[i]);
    return end(was_made);
}
#endif

int shared_calls_main(int argument_count, char **arguments, const struct test_case *cases,
                      const struct shared_call *all, int count) {
    (void)layer_offer(); /* without it the cases that use it fail */
    calls = all;
    call_count = count;
    return several_devices_main(argument_count, arguments, cases, SHARED_CALLS_DEVICES);
}
