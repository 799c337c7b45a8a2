/* Matrices that stay on one of two devices: calls with them go there. Two lavapipe devices stand for two
 * GPUs.
 */
#include "tests/robustness/resident_calls.h"

#include <pthread.h>
#include <string.h>

#include "lavablas.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/residence.h"
#include "lib/offload/steps.h"
#include "tests/robustness/several_devices.h"

static const float *shared_a;

static void *call_once(void *unused) {
    (void)unused;
    resident_calls(&resident_whole, shared_a, 1);
    return NULL;
}

/* Returns whether both devices are ready for such products. */
static bool prepare(void) {
    const struct lava_operation product = lava_operation_to_plan(LAVA_TYPE_FP32, M);
    if (lavablas_wait(NULL) || lava_context_devices() == 1)
        return false;
    resident_calls(&resident_whole, shared_a, 2);
    lava_more_devices_want(lava_steps_needs(&product), 1, true);
    struct lava_lane_lock first, second;
    bool is_first = lava_context_lock_lane(1, lava_steps_needs(&product), &first) && first.device == 0;
    bool is_second = lava_context_lock_lane(1, lava_steps_needs(&product), &second) && second.device == 1;
    lava_context_unlock_lane(&second);
    lava_context_unlock_lane(&first);
    return CASE_CHECK(is_first && is_second);
}

/* The first device is at work, and the other one at rest, which would have to upload the matrix. */
static int waits_for_the_first(void) {
    struct lava_lane_lock held;
    pthread_t thread;
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    resident_calls(&resident_whole, shared_a, 2);
    const struct lava_residents_sums before = resident_sums();
    CASE_CHECK(before.stored == 1);
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    CASE_CHECK(pthread_create(&thread, NULL, call_once, NULL) == 0);
    case_sleep(0.3);
    lava_context_unlock_lane(&held);
    pthread_join(thread, NULL);
    CASE_CHECK(resident_sums().used == before.used + 1);
    CASE_CHECK(resident_sums().refreshed == before.refreshed && resident_sums().differences == 0);
    return case_result();
}

/* A matrix without a copy goes where there is time. */
static int others_do_not(void) {
    struct lava_lane_lock held;
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    const float *other = resident_matrix();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    resident_calls(&resident_whole, other, 1);
    lava_context_unlock_lane(&held);
    return case_result();
}

extern void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                   const float *beta, float *c, const int *ldc);

/* The other device computes what takes the place of a matrix that stays on the first one. */
static int replaced_by_the_other(void) {
    static const int m = M, k = K, ld = LD, depth = 40;
    static const float one = 1, zero = 0;
    static float left[LD * 40], right[40 * K];
    struct lava_lane_lock held;
    float *c = resident_matrix();
    shared_a = c;
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    for (int round = 0; round < 4; round++) {
        resident_fill(left, LD * 40);
        resident_fill(right, 40 * K);
        if (round % 2)
            CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
        sgemm_("N", "N", &m, &k, &depth, &one, left, &ld, right, &depth, &zero, c, &ld);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        if (round % 2)
            lava_context_unlock_lane(&held);
        resident_calls(&resident_whole, c, 3);
    }
    CASE_CHECK(resident_sums().used > 4 && resident_sums().differences == 0);
    return case_result();
}

/* The first device fails while a call waits for it: the other one computes the product. */
static int first_fails(void) {
    struct lava_lane_lock held;
    pthread_t thread;
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    resident_calls(&resident_whole, shared_a, 2);
    const struct lava_residents_sums before = resident_sums();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    CASE_CHECK(pthread_create(&thread, NULL, call_once, NULL) == 0);
    case_sleep(0.3);
    held.engine->device->shared->failed = true;
    lava_context_unlock_lane(&held);
    pthread_join(thread, NULL); /* it has checked where the product was computed */
    CASE_CHECK(resident_sums().used == before.used);
    return case_result();
}

static const float *other_a;
static _Atomic bool is_done;

static void *call_with_other(void *unused) {
    (void)unused;
    resident_calls(&resident_whole, other_a, 1);
    is_done = true;
    return NULL;
}

/* Who waits for the first device keeps nobody from the other one. */
static int lets_pass(void) {
    struct lava_lane_lock held;
    pthread_t threads[2];
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    resident_calls(&resident_whole, shared_a, 2);
    const struct lava_residents_sums before = resident_sums();
    other_a = resident_matrix();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    CASE_CHECK(pthread_create(&threads[0], NULL, call_once, NULL) == 0);
    case_sleep(0.3);
    CASE_CHECK(resident_sums().used == before.used);
    CASE_CHECK(pthread_create(&threads[1], NULL, call_with_other, NULL) == 0);
    for (double end = case_now() + 20; !is_done && case_now() < end;)
        case_sleep(0.01);
    CASE_CHECK(is_done && resident_sums().used == before.used);
    lava_context_unlock_lane(&held);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CASE_CHECK(resident_sums().used == before.used + 1);
    return case_result();
}

static const struct lava_device_shared *device_of(const float *a) {
    const struct lava_host_matrix matrix = {
        .first = a, .ld = LD, .rows = M, .columns = K, .element_bytes = sizeof(float)};
    uint64_t copy;
    CASE_CHECK(lava_residents_look(resident_store(), &matrix, &copy) == LAVA_RESIDENT_STAYS);
    return lava_residents_device_of(resident_store(), copy);
}

/* A matrix of which a copy was made while the first device was at work stays on the other one. Calls with it
 * wait for that, and others do not. A call with copies on both has one of them. */
static int each_has_its_own(void) {
    struct lava_lane_lock held;
    pthread_t thread;
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    resident_calls(&resident_whole, shared_a, 2);
    other_a = resident_matrix();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    resident_calls(&resident_whole, other_a, 3);
    lava_context_unlock_lane(&held);
    const struct lava_device_shared *first = device_of(shared_a), *second = device_of(other_a);
    CASE_CHECK(first == lava_context_engine()->device->shared && second && second != first);
    const struct lava_residents_sums before = resident_sums();
    CASE_CHECK(before.stored == 2 && before.differences == 0);

    CASE_CHECK(lava_context_lock_on(second, 1, 0, &held) && held.device == 1);
    CASE_CHECK(pthread_create(&thread, NULL, call_with_other, NULL) == 0);
    case_sleep(0.3);
    resident_calls(&resident_whole, shared_a, 1);
    CASE_CHECK(!is_done && resident_sums().used == before.used + 1);
    lava_context_unlock_lane(&held);
    pthread_join(thread, NULL);
    CASE_CHECK(resident_sums().used == before.used + 2 && resident_sums().stored == 2);

    struct lava_operation both = lava_operation_to_plan(LAVA_TYPE_FP32, K);
    both.k = M;
    both.a = (struct lava_operand){.first = shared_a, .ld = LD, .op = LAVA_OP_T};
    both.b = (struct lava_operand){.first = other_a, .ld = LD};
    lava_residence_look(&both);
    CASE_CHECK(both.a.is_resident != both.b.is_resident);
    CASE_CHECK(lava_residence_device(&both) == (both.a.is_resident ? first : second));
    ((float *)(uintptr_t)other_a)[LD] += 1; /* what was written goes up there */
    resident_calls(&resident_whole, other_a, 1);
    CASE_CHECK(resident_sums().refreshed == before.refreshed + 1 && device_of(other_a) != first);
    return case_result();
}

/* The other device fails: its copies are gone, and those of the first one serve. */
static int other_fails(void) {
    struct lava_lane_lock held;
    shared_a = resident_matrix();
    if (!prepare())
        return case_result() ? 1 : CASE_SKIPPED;
    resident_calls(&resident_whole, shared_a, 2);
    other_a = resident_matrix();
    CASE_CHECK(lava_context_lock_lane(1, 0, &held) && held.device == 0);
    resident_calls(&resident_whole, other_a, 3);
    lava_context_unlock_lane(&held);
    CASE_CHECK(device_of(other_a) != device_of(shared_a));
    CASE_CHECK(lava_context_lock_on(device_of(other_a), 1, 0, &held));
    held.engine->device->shared->failed = true;
    lava_context_unlock_lane(&held);
    const struct lava_residents_sums before = resident_sums();
    resident_calls(&resident_whole, other_a, 1);
    resident_calls(&resident_whole, shared_a, 1);
    CASE_CHECK(resident_sums().used == before.used + 1 && resident_sums().differences == 0);
    return case_result();
}

static const struct test_case cases[] = {
    {"each_has_its_own", each_has_its_own, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"other_fails", other_fails, .lines = -1, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"first_fails", first_fails, .lines = -1, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"replaced_by_the_other", replaced_by_the_other, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"lets_pass", lets_pass, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"waits_for_the_first", waits_for_the_first, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {"others_do_not", others_do_not, .variables = {CHECK, "LAVABLAS_DEVICE=cpu:all"}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return several_devices_main(argument_count, arguments, cases, 2);
}
