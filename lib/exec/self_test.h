/* Proof, before the first product of a process, that the device and its driver compute what the kernels say:
 * a small product with each kernel that the policy may choose, against a plain loop in double precision. Also
 * makes the pipelines, so no call waits for a compiler. */
#ifndef LAVA_EXEC_SELF_TEST_H
#define LAVA_EXEC_SELF_TEST_H

#include "lib/exec/executor.h"

/* LAVA_ERROR_SELF_TEST: the device computes wrong results and must not be used. */
enum lava_status lava_self_test_run(struct lava_executor *executor);

#endif
