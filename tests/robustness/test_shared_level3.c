/* Triangles of C, and products with structured matrices, that several devices share: the bits are those of
 * one device, nothing else is written, and whatever fails the result is right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "lib/base/fault.h"
#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/level3.h"
#include "tests/robustness/several_devices.h"

#define DEVICES 3 /* at most */
static unsigned devices;

// clang-format off
#define CALL(name, characters, rows, columns, terms, a, b, ai)                                            \
    {.routine = name, .options = characters, .m = rows, .n = columns, .k = terms, .alpha = a, .beta = b,   \
     .alpha_imaginary = ai}
#define CALLS 20
static struct level3_call calls[CALLS] = { /* by type */
    CALL("ssyrk_",  "UN",   700, 700, 150, 1.25, 0.5, 0),
    CALL("ssyr2k_", "LN",   520, 520, 120, 1,    1,   0),
    CALL("sgemmt_", "LNN",  700, 700, 150, 1,    0,   0),
    CALL("strmm_",  "LLNN", 300, 1000, 0,  0.5,  0,   0),
    CALL("dsyrk_",  "LT",   433, 433, 130, -1,   0,   0),
    CALL("dsyr2k_", "UT",   390, 390, 110, -0.5, 0.5, 0),
    CALL("dgemmt_", "UTN",  433, 433, 130, 0.5,  2,   0),
    CALL("dsymm_",  "LU",   140, 900, 0,   0.5,  0,   0),
    CALL("dtrmm_",  "LUTU", 170, 900, 0,   -1,   0,   0),
    CALL("dtrmm_",  "RUNN", 700, 230, 0,   1,    0,   0),
    CALL("csyrk_",  "LN",   390, 390, 110, 1,    0.5, 0.5),
    CALL("cherk_",  "UN",   390, 390, 110, 0.5,  -1,  0),
    CALL("csyr2k_", "UN",   330, 330, 80,  1,    0,   0.5),
    CALL("cgemmt_", "LCT",  390, 390, 110, 1,    0.5, 1),
    CALL("chemm_",  "RL",   130, 700, 0,   1,    0.5, 0.5),
    CALL("ctrmm_",  "RLCN", 600, 140, 0,   1,    0,   0.5),
    CALL("zsyrk_",  "UT",   331, 331, 90,  0.5,  0,   -1),
    CALL("zherk_",  "LC",   331, 331, 90,  2,    0,   0),
    CALL("zher2k_", "LC",   270, 270, 70,  1,    0.5, -0.5),
    CALL("zgemmt_", "UNC",  331, 331, 90,  -1,   0,   0.5),
};
// clang-format on

/* The calls of a case, of the type whose letter LAVA_TEST_TYPE is: drivers compile more kernels for all than
 * a case has time for. */
static int first, last;

static void find_calls(void) {
    const char *type = getenv("LAVA_TEST_TYPE");
    while (type && first < CALLS && *calls[first].routine != *type)
        first++;
    for (last = first; last < CALLS && *calls[last].routine == *calls[first].routine;)
        last++;
}

/* Makes the calls, and has all devices prepared for them: the first call of a kind waits for that. Returns
 * false where there are no such devices. */
static bool make(void) {
    unsigned seed = device_test_seed();
    if (lavablas_wait(NULL) || lava_context_devices() == 1)
        return false;
    devices = lava_context_devices();
    find_calls();
    for (int i = first; i < last; i++) {
        level3_make(&calls[i], seed + (unsigned)i);
        void *c = level3_new_c(&calls[i]);
        level3_run(&calls[i], c);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        free(c);
    }
    return !case_result();
}

static int end(bool was_made) {
    for (int i = first; i < last && was_made; i++)
        level3_free(&calls[i]);
    return case_result() ? 1 : was_made ? 0 : CASE_SKIPPED;
}

/* Computes it with so many devices and returns C. */
static void *compute_with(const struct level3_call *call, unsigned count) {
    struct lava_lane_lock held[DEVICES];
    uint64_t shared = lava_stats_of_shared(), before[DEVICES];
    void *c = level3_new_c(call);
    several_devices_hold(held, devices - count);
    for (unsigned i = 0; i < devices; i++)
        before[i] = lava_stats_of_device(i);
    level3_run(call, c);
    if (!CASE_CHECK(!strcmp(case_place(NULL), "gpu") && level3_check(call, c)) ||
        !CASE_CHECK(lava_stats_of_shared() == shared + (count > 1)))
        fprintf(stderr, "%s %s with %u devices\n", call->routine, call->options, count);
    for (unsigned i = 0; i < devices; i++)
        CASE_CHECK(lava_stats_of_device(i) - before[i] <= 1);
    several_devices_give_back(held, devices - count);
    return c;
}

/* C has the same bits, however many devices share the call. */
static int same_bits(void) {
    bool was_made = make();
    for (int i = first; i < last && was_made; i++) {
        void *c[DEVICES];
        for (unsigned j = 0; j < devices; j++) {
            c[j] = compute_with(&calls[i], j + 1);
            if (!CASE_CHECK(!memcmp(c[0], c[j], level3_c_bytes(&calls[i]))))
                fprintf(stderr, "%s %s\n", calls[i].routine, calls[i].options);
        }
        for (unsigned j = 0; j < devices; j++)
            free(c[j]);
    }
    return end(was_made);
}

#ifdef LAVA_FAULT_INJECTION
static void compute(const struct level3_call *call) {
    void *c = level3_new_c(call);
    level3_run(call, c);
    CASE_CHECK(level3_check(call, c));
    free(c);
}

static const char *const points[] = {"allocate", "upload", "submit", "wait", "download", "device_lost"};
#    define POINTS (int)(sizeof points / sizeof points[0])

/* The point's passages from one on fail, `count` of them. Returns whether there are so many passages. */
static bool fail(const struct level3_call *call, int point, int passage, const char *count,
                 enum lava_fault_scope scope) {
    char text[64];
    snprintf(text, sizeof text, "%s:%d%s", points[point], passage, count);
    CASE_CHECK(lava_fault_set(text));
    lava_fault_limit(scope);
    compute(call);
    lava_fault_limit(LAVA_FAULT_ANYWHERE);
    bool hit = lava_fault_passages((enum lava_fault_point)(LAVA_FAULT_ALLOCATE + point)) >= passage;
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

/* Passages of the step fail, once each, at one of two engines. Returns how many did. */
static int sweep(const struct level3_call *call, int point, enum lava_fault_scope scope,
                 struct lava_engine *const engines[2], unsigned *seed) {
    int count = 0, passage = 0;
    for (bool hit = true; hit && !case_result(); count += hit) {
        passage += passage < 1 ? 1 : 1 + rand_r(seed) % 9;
        hit = fail(call, point, passage, "", scope);
        for (int i = 0; i < 2; i++)
            engines[i]->device->shared->failed = false;
    }
    return count;
}

/* The one of two engines fails, then the other; the first device is held. What one has not written goes to
 * the other. */
static int one_fails(void) {
    struct lava_lane_lock held;
    struct lava_engine *engines[2];
    int count[2] = {0};
    unsigned seed = device_test_seed();
    bool was_made = make();
    if (!was_made || !CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0) ||
        !find_engines(engines))
        return end(was_made);
    for (int i = first; i < last && !case_result(); i++)
        for (int j = 0; j < POINTS; j++)
            count[(i + j) % 2] +=
                sweep(&calls[i], j, (i + j) % 2 ? LAVA_FAULT_ELSEWHERE : LAVA_FAULT_HERE, engines, &seed);
    printf("passages that failed: %d and %d\n", count[0], count[1]);
    CASE_CHECK(count[0] > 0 && count[1] > 0 && count[0] + count[1] > 8);
    for (int i = first; i < last; i++)
        compute(&calls[i]);
    lava_context_unlock_lane(&held);
    return end(true);
}

/* From some passage on every engine fails: the CPU computes what none of them has written, and nothing twice.
 * The devices go on afterwards. */
static int all_fail(void) {
    static const struct {
        int point, passage;
    } tried[] = {{1, 1}, {1, 5}, {2, 9}, {4, 1}, {4, 2}}; /* upload, submit, download */
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

#define ALL "LAVABLAS_DEVICE=cpu:all"
#define BY_TYPE(what, letter)                                                                                \
    {                                                                                                        \
        .name = #what "_" letter, .run = what, .lines = -1, .variables = { ALL, "LAVA_TEST_TYPE=" letter }   \
    }

static const struct test_case cases[] = {
    BY_TYPE(same_bits, "s"),
    BY_TYPE(same_bits, "d"),
    BY_TYPE(same_bits, "c"),
    BY_TYPE(same_bits, "z"),
    {.name = "same_bits_of_two", .run = same_bits, .variables = {"LAVABLAS_DEVICE=1,2", "LAVA_TEST_TYPE=d"}},
#ifdef LAVA_FAULT_INJECTION
    BY_TYPE(one_fails, "s"),
    BY_TYPE(one_fails, "d"),
    BY_TYPE(one_fails, "c"),
    BY_TYPE(one_fails, "z"),
    BY_TYPE(all_fail, "s"),
    BY_TYPE(all_fail, "d"),
    BY_TYPE(all_fail, "c"),
    BY_TYPE(all_fail, "z"),
#endif
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return several_devices_main(argument_count, arguments, cases, DEVICES);
}
