/* Opens the device, for one engine. Called by the main function of programs in this folder. */
#include "open_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/config.h"
#include "lib/vk/gpu.h"

struct lava_engine *open_device(unsigned copy_threads) {
    const char *why;
    struct lava_device *device;
    struct lava_engine *engine;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        printf("no device: %s\n", why);
        exit(77);
    }
    if (lava_engine_create(device, copy_threads, &engine))
        exit(1);
    return engine;
}
