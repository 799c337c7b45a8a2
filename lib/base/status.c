/* Names the internal status codes. Called by whoever logs a failure. Every code has a name, and so has a
 * number that is no code. */
#include "lib/base/status.h"

#include <stddef.h>

static const char *const names[] = {
    [LAVA_OK] = "ok",
    [LAVA_ERROR_UNAVAILABLE] = "not available",
    [LAVA_ERROR_HOST_MEMORY] = "out of host memory",
    [LAVA_ERROR_DEVICE_MEMORY] = "out of device memory",
    [LAVA_ERROR_DEVICE_LOST] = "device lost",
    [LAVA_ERROR_TIMEOUT] = "device does not answer",
    [LAVA_ERROR_NOT_DEFINITE] = "not positive definite",
    [LAVA_ERROR_SINGULAR] = "singular",
    [LAVA_ERROR_SCALED] = "to be scaled",
    [LAVA_ERROR_LEFT] = "left to fp64",
    [LAVA_ERROR_UNDERFLOW] = "near underflow",
    [LAVA_ERROR_STALLED] = "workgroups waited in vain",
    [LAVA_ERROR_SELF_TEST] = "self-test failed",
    [LAVA_ERROR_DRIVER] = "driver error",
};

const char *lava_status_name(enum lava_status status) {
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown status";
}
