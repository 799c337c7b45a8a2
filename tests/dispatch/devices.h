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
#include "dispatch/profiles.h"

static inline struct lava_capabilities device_h200(void) {
    return (struct lava_capabilities){.name = "NVIDIA H200",
                                      .vendor_id = 0x10de,
                                      .kind = LAVA_DEVICE_DISCRETE,
                                      .simt_subgroup_size = 32,
                                      .matrix_subgroup_size = 32,
                                      .max_shared_bytes = 49152,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = 2147483647,
                                      .multiprocessors = 132,
                                      .memory_bytes = UINT64_C(130) << 30,
                                      .max_buffer_bytes = UINT64_C(130) << 30,
                                      .fp64 = true,
                                      .shape_count = 4,
                                      .shapes = {{LAVA_TYPE_FP16, 16, 8, 8, true},
                                                 {LAVA_TYPE_FP16, 16, 16, 16, true},
                                                 {LAVA_TYPE_FP16, 16, 8, 16, true},
                                                 {LAVA_TYPE_BF16, 16, 16, 16, false}}};
}

static inline struct lava_capabilities device_lavapipe(void) {
    return (struct lava_capabilities){.name = "llvmpipe (LLVM 19.1.7, 256 bits)",
                                      .vendor_id = 0x10005,
                                      .kind = LAVA_DEVICE_CPU,
                                      .simt_subgroup_size = 8,
                                      .matrix_subgroup_size = 8,
                                      .max_shared_bytes = 32768,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = 65535,
                                      .memory_bytes = UINT64_C(4) << 30,
                                      .max_buffer_bytes = UINT64_C(2) << 30,
                                      .unified_memory = true,
                                      .fp64 = true,
                                      .shape_count = 1,
                                      .shapes = {{LAVA_TYPE_FP16, 8, 8, 8, true}}};
}

/* As ANV presents it, with the profile's subgroups. */
static inline struct lava_capabilities device_xe2(void) {
    return (struct lava_capabilities){
        .name = "Intel(R) Arc(tm) B580 Graphics (BMG G21)",
        .vendor_id = 0x8086,
        .kind = LAVA_DEVICE_DISCRETE,
        .simt_subgroup_size = 16,
        .matrix_subgroup_size = 16,
        .max_shared_bytes = 49152,
        .max_workgroup_invocations = 1024,
        .max_workgroup_subgroups = 64,
        .max_workgroups = 65535,
        .memory_bytes = UINT64_C(9) << 30,
        .max_buffer_bytes = UINT64_C(4) << 30,
        .fp64 = true,
        .shape_count = 2,
        .shapes = {{LAVA_TYPE_BF16, 8, 16, 16, true}, {LAVA_TYPE_FP16, 8, 16, 16, true}}};
}

static inline struct lava_capabilities device_rdna3(void) {
    return (struct lava_capabilities){.name = "AMD Radeon RX 7900 XTX (RADV NAVI31)",
                                      .vendor_id = 0x1002,
                                      .kind = LAVA_DEVICE_DISCRETE,
                                      .simt_subgroup_size = 64,
                                      .matrix_subgroup_size = 64,
                                      .max_shared_bytes = 65536,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroups = UINT32_MAX,
                                      .memory_bytes = UINT64_C(19) << 30,
                                      .max_buffer_bytes = UINT64_C(4) << 30,
                                      .fp64 = true,
                                      .shape_count = 1,
                                      .shapes = {{LAVA_TYPE_FP16, 16, 16, 16, true}}};
}

/* No cooperative matrices. */
static inline struct lava_capabilities device_rdna2(void) {
    struct lava_capabilities device = device_rdna3();
    snprintf(device.name, sizeof device.name, "AMD Radeon RX 6700 XT (RADV NAVI22)");
    device.shape_count = 0;
    return device;
}

/* True if the device can run a row of the type, or of a complex type's parts, that its profile lists. */
static inline bool device_has(const struct lava_capabilities *device, enum lava_type type) {
    const struct lava_profile *profile = lava_profiles_find(device);
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *row = lava_kernels_find(profile->kernels[i].kernel);
        if (row->type == lava_type_real(type) && lava_kernel_fits(row, device, NULL))
            return true;
    }
    return false;
}

/* words: part of the reason; NULL: the row fits. */
static inline void assert_refused(const struct lava_kernel *row, const struct lava_capabilities *device,
                                  const char *words) {
    const char *reason = NULL;
    assert_int_equal(lava_kernel_fits(row, device, &reason), words == NULL);
    assert_int_equal(lava_kernel_fits(row, device, NULL), words == NULL);
    if (words) {
        assert_non_null(reason);
        if (!strstr(reason, words))
            fail_msg("\"%s\" does not say \"%s\"", reason, words);
    }
}

/* The seed is LAVA_TEST_SEED if set, to repeat a failure, otherwise fixed. It is printed in both cases. */
static inline uint64_t random_seed(void) {
    const char *given = getenv("LAVA_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : UINT64_C(20261120);
    print_message("LAVA_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* Rounds of random cases, and how many of a kind must have been among them. Plans are numbers, of which a
 * sanitizer sees little: it has a quarter of the rounds. */
#if defined(__SANITIZE_ADDRESS__)
#    define ROUNDS(rounds) ((rounds) / 4)
#    define SEEN(least)    ((least) / 10)
#else
#    define ROUNDS(rounds) (rounds)
#    define SEEN(least)    (least)
#endif

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

/* Returns whether a region of all of C has the element. */
static inline bool in_region(enum lava_region region, int64_t i, int64_t j) {
    return region == LAVA_REGION_ALL || (region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
