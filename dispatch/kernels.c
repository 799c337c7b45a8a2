/* The rows of the kernel table and what each needs of a device. Read by policy.c, by lib/vk when it makes
 * pipelines, by tests and by checkgemm. Invariant: every need is computed from the row's own figures; nothing
 * about a row is stated twice. */
#include "dispatch/kernels.h"

#include <string.h>

/* The fp32 module moves 16-byte words: four elements. */
#define WORD_ELEMENTS 4

// clang-format off
/* Every row fits 32 KiB of shared memory and subgroups of 8, 16, 32 and 64, so that each also runs in software, where CI
 * tests it. The shapes began with what public kernels converged on (CLBlast, llama.cpp); those kept won somewhere on an
 * H200 (doc/tuning.md has them and the ones dropped).
 *
 *   tile m x n           of C, per workgroup
 *   k                    elements of K per step
 *   inv m x n            of C, per invocation: registers hold that many sums
 *   st                   stages of shared memory
 *
 * name                       type            module                      tile m   n   k  inv m  n  st */
static const struct lava_kernel table[] = {
    {"fp32_128x128",           LAVA_TYPE_FP32, LAVA_MODULE_MULTIPLY_FP32,     128, 128, 16,    8, 8, 2},
    {"fp32_128x128_16x8",      LAVA_TYPE_FP32, LAVA_MODULE_MULTIPLY_FP32,     128, 128,  8,   16, 8, 2},
    {"fp32_128x64",            LAVA_TYPE_FP32, LAVA_MODULE_MULTIPLY_FP32,     128,  64, 16,    8, 8, 2},
    {"fp32_64x64",             LAVA_TYPE_FP32, LAVA_MODULE_MULTIPLY_FP32,      64,  64, 16,    8, 4, 2},
    {"fp32_32x32",             LAVA_TYPE_FP32, LAVA_MODULE_MULTIPLY_FP32,      32,  32, 16,    4, 4, 2},
};

/* A subgroup as near to a square of C as its size allows; the longer side along M, where C and the packed panels are
 * contiguous for most rows.
 *
 * subgroup size, lanes along M */
static const struct { uint32_t size, lanes_m; } lanes[] = {
    {  1,  1},
    {  2,  2},
    {  4,  2},
    {  8,  4},
    { 16,  4},
    { 32,  8},
    { 64,  8},
    {128, 16},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct lava_kernel *lava_kernels_table(size_t *count) {
    *count = COUNT(table);
    return table;
}

const struct lava_kernel *lava_kernels_find(const char *name) {
    for (size_t i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

uint32_t lava_kernel_invocations(const struct lava_kernel *kernel) {
    return kernel->tile_m * kernel->tile_n / (kernel->invocation_m * kernel->invocation_n);
}

uint32_t lava_kernel_shared_bytes(const struct lava_kernel *kernel) {
    return kernel->stages * (kernel->tile_m + kernel->tile_n) * kernel->tile_k *
           (uint32_t)lava_type_bytes(kernel->type);
}

/* 0: not a subgroup size the kernels know. */
uint32_t lava_kernel_lanes_m(uint32_t subgroup_size) {
    for (size_t i = 0; i < COUNT(lanes); i++)
        if (lanes[i].size == subgroup_size)
            return lanes[i].lanes_m;
    return 0;
}

static bool divides_tile(const struct lava_kernel *kernel, uint32_t lanes_m, uint32_t lanes_n) {
    return kernel->tile_m % (lanes_m * kernel->invocation_m) == 0 &&
           kernel->tile_n % (lanes_n * kernel->invocation_n) == 0;
}

static bool staged_evenly(const struct lava_kernel *kernel, uint32_t invocations) {
    return kernel->tile_m * kernel->tile_k / WORD_ELEMENTS % invocations == 0 &&
           kernel->tile_n * kernel->tile_k / WORD_ELEMENTS % invocations == 0;
}

static const char *obstacle(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    uint32_t invocations = lava_kernel_invocations(kernel);
    uint32_t lanes_m = lava_kernel_lanes_m(device->subgroup_size);
    if (lanes_m == 0)
        return "the device's subgroup size is not one the kernels know";
    if (kernel->invocation_m % WORD_ELEMENTS != 0 || kernel->invocation_n % WORD_ELEMENTS != 0)
        return "an invocation's share is not made of 16-byte words";
    if (invocations > device->max_workgroup_invocations)
        return "more invocations than a workgroup of the device may have";
    if (invocations % device->subgroup_size != 0)
        return "the workgroup is not made of whole subgroups";
    if (!divides_tile(kernel, lanes_m, device->subgroup_size / lanes_m))
        return "a subgroup's part does not divide the tile";
    if (lava_kernel_shared_bytes(kernel) > device->max_shared_bytes)
        return "more shared memory than the device has";
    if (!staged_evenly(kernel, invocations))
        return "the 16-byte words of a step do not divide evenly among the invocations";
    return NULL;
}

bool lava_kernel_fits(const struct lava_kernel *kernel, const struct lava_capabilities *device,
                      const char **reason) {
    const char *why = obstacle(kernel, device);
    if (reason)
        *reason = why;
    return why == NULL;
}
