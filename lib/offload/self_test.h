/* Proof, before the first product of a type in a process, that the device and its driver compute what the
 * kernels say: small products with each kernel that the policy may choose, against a plain loop in double
 * precision. Also makes the pipelines, so no call waits for a compiler. */
#ifndef LAVA_OFFLOAD_SELF_TEST_H
#define LAVA_OFFLOAD_SELF_TEST_H

#include "lib/engine/runner.h"

/* The kernels whose A and B are of the type. LAVA_ERROR_UNAVAILABLE: there are none for this device. Any
 * other error: the device must not be used for the type; LAVA_ERROR_SELF_TEST says that it computes wrong
 * results. A row by planes that does is only refused, in the engine's capabilities. */
enum lava_status lava_self_test_run(struct lava_engine *engine, enum lava_type type);

/* Its part for complex products, which all rows of a type share: with one of them. */
enum lava_status lava_self_test_complex(struct lava_engine *engine, const struct lava_kernel *kernel);

#endif
