/* Makes mistakes that the validation layers have to report, one by checks of synchronization and one by
 * checks that run on the device: validation.sh knows by them that these checks are on. Harmless if nothing
 * checks.
 *
 *   planted_mistakes order|address      order: two writes without a barrier; address: a shader reads beyond a
 *                                       buffer, but not beyond its page */
#include <string.h>

#include "tests/robustness/device_test.h"

#define BYTES  4032 /* of a page of 4096 */
#define BEYOND 32

static void record_writes(struct lava_device *device, const struct lava_commands *commands,
                          const struct lava_buffer *buffer) {
    static const uint32_t words[4];
    lava_queue_write(device, commands, buffer, 0, words, 4);
    lava_queue_write(device, commands, buffer, 0, words, 4);
}

static enum lava_status record_reads(struct lava_device *device, const struct lava_commands *commands,
                                     const struct lava_buffer *buffer) {
    const struct lava_copy_constants constants = {.source = buffer->address + BYTES - BEYOND,
                                                  .target = buffer->address,
                                                  .bytes = 2 * BEYOND,
                                                  .columns = 1};
    const struct lava_pipeline *pipeline;
    enum lava_status status = lava_pipelines_get_module(device, LAVA_MODULE_COPY_COLUMNS, &pipeline);
    if (!status)
        lava_queue_dispatch(device, commands, pipeline, &constants, sizeof constants, 1, 1);
    return status;
}

static enum lava_status plant(struct lava_device *device, const struct lava_buffer *buffer, bool reads) {
    struct lava_commands commands;
    struct lava_point done;
    enum lava_status status = lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    if (reads)
        status = record_reads(device, &commands, buffer);
    else
        record_writes(device, &commands, buffer);
    lava_queue_barrier(device, &commands);
    if (status)
        lava_queue_discard(device, &commands);
    else
        status = lava_queue_submit(device, &commands, NULL, 0, &done);
    return status ? status : lava_queue_wait(device, done, lava_device_timeout_ns(device));
}

int main(int count, char **arguments) {
    struct lava_engine *engine;
    struct lava_buffer buffer;
    if (count != 2 || (strcmp(arguments[1], "order") != 0 && strcmp(arguments[1], "address") != 0)) {
        fprintf(stderr, "usage: planted_mistakes order|address\n");
        return 2;
    }
    if (device_test_open(false, &engine) ||
        lava_memory_allocate(engine->device, LAVA_MEMORY_DEVICE, BYTES, &buffer))
        return 1;
    enum lava_status status = plant(engine->device, &buffer, strcmp(arguments[1], "address") == 0);
    lava_memory_free(engine->device, &buffer);
    lava_engine_destroy(engine);
    printf("planted: %s\n", lava_status_name(status));
    return status != 0;
}
