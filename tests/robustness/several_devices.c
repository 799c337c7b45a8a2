/* Several devices of one driver. Called by the tests of several devices. */
#include "tests/robustness/several_devices.h"

#include "tests/robustness/driver_copies.h"

/* Has the loader list the driver several times. */
static int run_with_devices(int argument_count, char **arguments, const struct test_case *cases,
                            int devices) {
    struct driver_copies copies;
    bool copied = driver_copies_begin(&copies, devices);
    int result = copied ? cases_main(argument_count, arguments, cases) : CASE_SKIPPED;
    driver_copies_end(&copies);
    return result;
}

int several_devices_main(int argument_count, char **arguments, const struct test_case *cases, int devices) {
    if (argument_count != 2)
        return run_with_devices(argument_count, arguments, cases, devices);
    return cases_main(argument_count, arguments, cases);
}

void several_devices_hold(struct lava_lane_lock *held, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        CASE_CHECK(lava_context_lock_lane(1, 0, &held[i]) && held[i].device == i);
}

void several_devices_give_back(struct lava_lane_lock *held, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        lava_context_unlock_lane(&held[i]);
}
