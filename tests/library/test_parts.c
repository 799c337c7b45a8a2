/* parts.c: what a call of several parts takes from each, and that all but the first part end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/blas/parts.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/fork_gate.h"

/* As lava_offload_begin leaves a part. */
static void begin_part(struct lava_call *part, uint64_t number, enum lava_place place,
                       enum lava_reason reason) {
    *part = (struct lava_call){.start_ns = 100 * number,
                               .place = place,
                               .reason = reason,
                               .scheme = place == LAVA_PLACE_GPU ? LAVA_SCHEME_BF16X3 : LAVA_SCHEME_NONE,
                               .learning = {.key = number, .is_forwarded = place == LAVA_PLACE_CPU}};
    lava_fork_gate_enter();
    lava_calibration_call_begins();
}

static void end(void) {
    lava_calibration_call_ends(1);
    lava_fork_gate_leave();
}

static void assert_call(const struct lava_call *call, enum lava_place place, enum lava_reason reason) {
    assert_int_equal(call->place, place);
    assert_int_equal(call->reason, reason);
    assert_int_equal(call->start_ns, 100);
    assert_int_equal(call->learning.key, 1);
}

/* All parts on the CPU: the call is the first part, to be learnt from. */
static void on_the_cpu(void **state) {
    struct lava_call call = {0}, part;
    (void)state;
    for (uint64_t i = 1; i <= 3; i++) {
        begin_part(&part, i, LAVA_PLACE_CPU, i == 1 ? LAVA_REASON_UNPROFITABLE : LAVA_REASON_CUTOFF);
        lava_parts_begun(&call, &part);
        assert_call(&call, LAVA_PLACE_CPU, LAVA_REASON_UNPROFITABLE);
        assert_true(call.learning.is_forwarded);
    }
    end();
}

/* One part that the device computes is enough: then the CPU BLAS does not get the call. */
static void partly_on_the_device(void **state) {
    struct lava_call call = {0}, part;
    (void)state;
    begin_part(&part, 1, LAVA_PLACE_CPU, LAVA_REASON_UNPROFITABLE);
    lava_parts_begun(&call, &part);
    begin_part(&part, 2, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE);
    lava_parts_begun(&call, &part);
    assert_call(&call, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE);
    assert_int_equal(call.scheme, LAVA_SCHEME_BF16X3);
    assert_false(call.learning.is_forwarded);
    begin_part(&part, 3, LAVA_PLACE_CPU, LAVA_REASON_FAULT);
    lava_parts_begun(&call, &part);
    assert_call(&call, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE);
    end();
}

/* A fault is what the statistics are to say of a call that the device began. */
static void failed(void **state) {
    struct lava_call call = {0}, part;
    (void)state;
    begin_part(&part, 1, LAVA_PLACE_CPU, LAVA_REASON_FAULT);
    lava_parts_begun(&call, &part);
    begin_part(&part, 2, LAVA_PLACE_GPU, LAVA_REASON_FORCED);
    lava_parts_begun(&call, &part);
    assert_call(&call, LAVA_PLACE_CPU, LAVA_REASON_FAULT);
    assert_false(call.learning.is_forwarded);
    end();
}

/* Nothing is left under way: one call at a time is alone again. */
static void ends(void **state) {
    (void)state;
    lava_fork_gate_enter();
    assert_true(lava_fork_gate_alone() > 0);
    lava_fork_gate_leave();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_the_cpu), cmocka_unit_test(partly_on_the_device),
                                       cmocka_unit_test(failed), cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
