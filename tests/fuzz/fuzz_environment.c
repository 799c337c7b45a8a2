/* Fuzzes the values of the environment. The input is lines of NAME=VALUE. Whatever they are, the
 * configuration is within its limits, and a setuid program heeds none. LAVABLAS_DEVICE is also matched with
 * devices. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/vk/device_set.h"
#include "tests/fuzz/input.h"

static char *text; /* lines, each with a terminator */
static size_t text_bytes;

static const char *get(const char *name, void *context) {
    size_t length = strlen(name);
    (void)context;
    for (size_t at = 0; at < text_bytes; at += strlen(text + at) + 1)
        if (strncmp(text + at, name, length) == 0 && text[at + length] == '=')
            return text + at + length + 1;
    return NULL;
}

static void complain(const char *name, const char *value, const char *expected, void *context) {
    (void)context;
    if (!name || !value || !expected)
        abort();
}

static void check(const struct lava_config *config) {
    fuzz_require(config->mode == LAVA_MODE_AUTO || config->mode == LAVA_MODE_CPU ||
                     config->mode == LAVA_MODE_GPU,
                 "mode");
    fuzz_require(config->lanes >= 0 && config->lanes <= LAVA_CONFIG_LANES_MAX, "lanes");
    fuzz_require(config->precision < LAVA_PRECISION_COUNT, "precision");
    fuzz_require(config->local_rank >= -1 && config->local_size >= 0 && config->cpu_threads >= 0, "a count");
    fuzz_require(!config->cache_home || config->cache_home[0] == '/', "a relative folder of the cache");
    fuzz_require(!config->secure || (config->mode == LAVA_MODE_CPU && !config->device && !config->cpu_blas &&
                                     !config->stats && !config->trace),
                 "a setuid program heeds the environment");
}

static void find_devices(const struct lava_config *config) {
    static const struct lava_device_entry entries[] = {
        {"NVIDIA H200", LAVA_DEVICE_DISCRETE, true, 0x10de, 0x2335, 1},
        {"NVIDIA H200", LAVA_DEVICE_DISCRETE, true, 0x10de, 0x2335, 1},
        {"llvmpipe (LLVM 19.1.7, 256 bits)", LAVA_DEVICE_CPU, true, 0x10005, 0, 1},
        {"", LAVA_DEVICE_INTEGRATED, false, 0, 0, 0},
    };
    uint32_t found[LAVA_DEVICE_SET_MAX], count = lava_device_set_find(config, entries, 4, found);
    fuzz_require(count <= 4, "more devices than there are");
    for (uint32_t i = 0; i < count; i++)
        fuzz_require(found[i] < 4 && entries[found[i]].is_usable, "a device that there is not");
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct lava_config config;
    struct lava_config_storage storage;
    text = malloc(size + 1);
    fuzz_require(text != NULL, "out of memory");
    memcpy(text, bytes, size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            text[i] = '\0';
    text[size] = '\0';
    text_bytes = size;
    for (int secure = 0; secure < 2; secure++) {
        lava_config_parse(&config, &storage, secure, NULL, get, complain, NULL);
        check(&config);
        find_devices(&config);
    }
    free(text);
    return 0;
}
