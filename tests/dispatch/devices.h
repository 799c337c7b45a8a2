/* Made-up devices and random numbers for the tests of dispatch. */
#ifndef TESTS_DISPATCH_DEVICES_H
#define TESTS_DISPATCH_DEVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/capabilities.h"
#include "dispatch/kernels.h"

static inline struct lava_capabilities device_h200(void) {
    return (struct lava_capabilities){.name = "NVIDIA H200",
                                      .vendor_id = 0x10de,
                                      .kind = LAVA_DEVICE_DISCRETE,
                                      .subgroup_size = 32,
                                      .max_shared_bytes = 49152,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = 2147483647,
                                      .multiprocessors = 132,
                                      .memory_bytes = UINT64_C(130) << 30,
                                      .max_buffer_bytes = UINT64_C(130) << 30,
                                      .fp64 = true,
                                      .shape_count = 4,
                                      .shapes = {{LAVA_TYPE_FP16, 16, 8, 8},
                                                 {LAVA_TYPE_FP16, 16, 16, 16},
                                                 {LAVA_TYPE_FP16, 16, 8, 16},
                                                 {LAVA_TYPE_BF16, 16, 16, 16}}};
}

static inline struct lava_capabilities device_lavapipe(void) {
    return (struct lava_capabilities){.name = "llvmpipe (LLVM 19.1.7, 256 bits)",
                                      .vendor_id = 0x10005,
                                      .kind = LAVA_DEVICE_CPU,
                                      .subgroup_size = 8,
                                      .max_shared_bytes = 32768,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = 65535,
                                      .memory_bytes = UINT64_C(4) << 30,
                                      .max_buffer_bytes = UINT64_C(2) << 30,
                                      .unified_memory = true,
                                      .fp64 = true,
                                      .shape_count = 1,
                                      .shapes = {{LAVA_TYPE_FP16, 8, 8, 8}}};
}

/* Declared without fp64. */
static inline struct lava_capabilities device_xe2(void) {
    return (struct lava_capabilities){.name = "Intel(R) Arc(tm) B580 Graphics (BMG G21)",
                                      .vendor_id = 0x8086,
                                      .kind = LAVA_DEVICE_DISCRETE,
                                      .subgroup_size = 16,
                                      .max_shared_bytes = 65536,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = 65535,
                                      .memory_bytes = UINT64_C(9) << 30,
                                      .max_buffer_bytes = UINT64_C(4) << 30,
                                      .shape_count = 2,
                                      .shapes = {{LAVA_TYPE_BF16, 8, 16, 16}, {LAVA_TYPE_FP16, 8, 16, 16}}};
}

static inline struct lava_capabilities device_rdna3(void) {
    return (struct lava_capabilities){.name = "AMD Radeon RX 7900 XTX (RADV NAVI31)",
                                      .vendor_id = 0x1002,
                                      .kind = LAVA_DEVICE_DISCRETE,
                                      .subgroup_size = 64,
                                      .max_shared_bytes = 65536,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = UINT32_MAX,
                                      .memory_bytes = UINT64_C(19) << 30,
                                      .max_buffer_bytes = UINT64_C(4) << 30,
                                      .fp64 = true,
                                      .shape_count = 2,
                                      .shapes = {{LAVA_TYPE_FP16, 16, 16, 16}, {LAVA_TYPE_BF16, 16, 16, 16}}};
}

/* No cooperative matrices. */
static inline struct lava_capabilities device_rdna2(void) {
    struct lava_capabilities device = device_rdna3();
    snprintf(device.name, sizeof device.name, "AMD Radeon RX 6700 XT (RADV NAVI22)");
    device.shape_count = 0;
    return device;
}

/* True if the device can run any row of the type, or of a complex type's parts, listed in its profile or
 * not. */
static inline bool device_has(const struct lava_capabilities *device, enum lava_type type) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++)
        if (table[i].type == lava_type_real(type) && lava_kernel_fits(&table[i], device, NULL))
            return true;
    return false;
}

/* The seed is LAVA_TEST_SEED if set, to repeat a failure, otherwise fixed. It is printed in both cases. */
static inline uint64_t random_seed(void) {
    const char *given = getenv("LAVA_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : UINT64_C(20261120);
    print_message("LAVA_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* From 1 to `most`, with every magnitude equally likely. */
static inline int64_t random_size(uint64_t *state, int64_t most) {
    unsigned bits = 0;
    while (bits < 62 && (most >> bits) > 1)
        bits++;
    int64_t size = (int64_t)(random_next(state) >> (63 - random_next(state) % (bits + 1)));
    return size < 1 ? 1 : size > most ? most : size;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
