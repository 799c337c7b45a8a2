/* Lets each passage of a fault point fail, one after the other. Only with -Dfault_injection=true. */
#ifndef LAVA_TESTS_ROBUSTNESS_FAULT_SWEEP_H
#define LAVA_TESTS_ROBUSTNESS_FAULT_SWEEP_H

#include <stdio.h>

#include "lib/base/fault.h"
#include "lib/engine/engine.h"
#include "tests/library/poison.h"

/* Sets the fault: the given passage of the point fails, and all after it. NULL: none. */
static inline void set_fault(const char *name, long passage) {
    char text[64];
    snprintf(text, sizeof text, "%s:%ld:0", name ? name : "", passage);
    assert_true(lava_fault_set(name ? text : NULL));
}

/* Passages of transfers and submissions are many and alike: some of them fail, evenly spread, and others in
 * the next run, by a random turn. Under a sanitizer each takes several times as long. */
#if defined(__SANITIZE_ADDRESS__)
#    define FAULT_SWEEP_FAILURES 3
#else
#    define FAULT_SWEEP_FAILURES 10
#endif
static inline bool fault_is_left_out(enum lava_fault_point point, long passage, long passages, int turn) {
    long stride = (passages + FAULT_SWEEP_FAILURES - 1) / FAULT_SWEEP_FAILURES;
    return point != LAVA_FAULT_ALLOCATE && passage > 2 && passage < passages &&
           (passage + turn) % stride != 0;
}

/* Returns whether the fault came, which is to be so exactly if the status is an error. How many
 * submissions there are depends on time: one that would wait goes with the next. So only the first surely
 * comes. */
static inline bool fault_was_met(enum lava_fault_point point, long passage, enum lava_status status) {
    bool came = lava_fault_passages(point) >= passage;
    assert_true(came || passage > 1);
    assert_int_equal(came, status != LAVA_OK);
    return came;
}

/* The same if the device goes on after the fault. */
static inline bool fault_came(const struct lava_engine *tested, enum lava_fault_point point, long passage,
                              enum lava_status status) {
    bool came = fault_was_met(point, passage, status);
    assert_false(tested->device->shared->failed);
    return came;
}

/* The same for faults that end a device's use. The engine is another one if the fault came. Of Vulkan's
 * calls (vk) those at the end of a run may fail without an effect, and not each kind of error ends the use.
 */
static inline bool fault_lost_device(struct lava_engine **tested, enum lava_fault_point point, long passage,
                                     enum lava_status status, int reopen(void **state)) {
    bool came = lava_fault_passages(point) >= passage, has_failed = (*tested)->device->shared->failed;
    if (point != LAVA_FAULT_VK) {
        fault_was_met(point, passage, status);
        assert_int_equal(has_failed, came);
    }
    assert_true(came || (status == LAVA_OK && !has_failed && passage > 1));
    assert_true(status != LAVA_OK || passage > 1);
    set_fault(NULL, 0);
    if (came) {
        lava_engine_destroy(*tested);
        assert_int_equal(reopen(NULL), 0);
    }
    return status != LAVA_OK;
}

#endif
