/* Runs cases where lavapipe's device is there several times. */
#ifndef LAVA_TESTS_ROBUSTNESS_SEVERAL_DEVICES_H
#define LAVA_TESTS_ROBUSTNESS_SEVERAL_DEVICES_H

#include "lib/offload/context.h"
#include "tests/robustness/cases.h"

/* main's work, as cases_main. With one argument the program is one case, whose environment is made already.
 */
int several_devices_main(int argument_count, char **arguments, const struct test_case *cases, int devices);

/* Takes the first lane of each of the first `count` devices, which are free, so that calls go to the others;
 * and gives them back. */
void several_devices_hold(struct lava_lane_lock *held, unsigned count);
void several_devices_give_back(struct lava_lane_lock *held, unsigned count);

#endif
