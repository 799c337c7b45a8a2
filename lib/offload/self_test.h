/* Checks, before the first product of a type in a process, that the device and its driver compute what the
 * kernels say. Small products by each kernel that the policy may choose are compared with a plain loop in
 * double precision. This also creates the pipelines, so no call waits for a compiler. The caller holds the
 * engine. */
#ifndef LAVA_OFFLOAD_SELF_TEST_H
#define LAVA_OFFLOAD_SELF_TEST_H

#include "lib/engine/runner.h"

/* Tests the kernels whose A and B are of the type. LAVA_ERROR_UNAVAILABLE says that there are none for this
 * device. After any other error the device must not be used for the type; LAVA_ERROR_SELF_TEST says that it
 * computes wrong results. A row by planes that computes wrong results is only refused, in the engine's
 * capabilities. */
enum lava_status lava_self_test_run(struct lava_engine *engine, enum lava_type type);

/* Tests complex products with one kernel, because all rows of a type share the steps that complex products
 * add. LAVA_ERROR_SELF_TEST: the results are wrong. */
enum lava_status lava_self_test_complex(struct lava_engine *engine, const struct lava_kernel *kernel);

#endif
