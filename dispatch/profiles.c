/* Known devices: the kernel rows to choose from, the tile order of each row, and the rates. Read by policy.c;
 * printed by `lavablas explain`. Invariant: the first row that matches is a device's profile. The table
 * therefore goes from the specific to the general, and its last row matches everything. Vendors are named
 * only in this file. */
#include "dispatch/profiles.h"

#include <string.h>

enum { VENDOR_NVIDIA = 0x10de, VENDOR_AMD = 0x1002, VENDOR_INTEL = 0x8086 };
enum { ANY_KIND = -1, ANY_VENDOR = 0 };
/* Short names for the table: the tile order, and whether a workgroup computes one tile or walks the list. */
#define LINEAR     LAVA_TILE_ORDER_LINEAR
#define GROUPED    LAVA_TILE_ORDER_GROUPED
#define HILBERT    LAVA_TILE_ORDER_HILBERT
#define PER_TILE   false
#define PERSISTENT true

// clang-format off
/* Matched from the top: by device name, then by kind, then by vendor.
 *
 * Sources of the numbers. "measured" names the command and the date. "starting value" is a cautious guess
 * that awaits calibration on such a device. A rate that is too low leaves a product on the CPU, which is
 * safe. A rate that is too high would make a call slower than without the library.
 *
 *   flop/s    of the row on a large product
 *   wg/mp     workgroups of the row resident on one multiprocessor
 *   lone      share of its rate that a multiprocessor reaches with one workgroup; rises to 1 with all of them
 *   start     cost of starting a tile, as elements of K; fp32: two steps of tile_k; fp16 and bf16: more,
 *             because their arithmetic is that much faster while memory is not
 *   order, workgroups         of tiles; one workgroup per tile, or persistent
 *   mp        multiprocessors, used if the driver does not report them
 *   upload    user memory to device; download: the reverse; both include staging; bytes/s
 *   memory    device memory, read + write, bytes/s
 *   latency   the smallest product, host to host, ns
 *
 * The fp16 and bf16 figures are starting values except for the H200 and lavapipe. Where rows of fp32 by
 * planes were not measured, they are listed below the rate of plain fp32. Calibration finds out whether a
 * device's matrix unit is worth using for them (it must be more than six times as fast as fp32). Rows with
 * one plane are for precision FAST. Rows of fragments are listed only where no two invocations hold the same
 * element of a fragment. This holds on NVIDIA and lavapipe, is expected on Intel, and is checked by the
 * self-test. */
static const struct lava_profile table[] = {
    /* Driver 580.159.04, PCIe 5.0 x16, 16 cores of Sapphire Rapids, 2026-11-21.
     *
     *   fp32 flop/s, order   checkgemm --bench --device-only at 8192 (perf/results/, doc/tuning.md). The
     *                        orders differ by less than 1% for fp32; persistent costs up to 2%
     *   wg/mp                from the registers that the driver reports (138, 211, 153, 91, 76) out of 64 Ki
     *   lone                 checkgemm --bench --device-only --split 1 at 1024 and 128x128x16384
     *                        (doc/tuning.md), relative to flop/s
     *   half types           flop/s, lone and start fitted to checkgemm --bench --kernel --split at 1024 to
     *                        8192 and 4096xNx4096 and 11008, N = 1 to 512
     *   upload, download,    fitted by perf/calibrate (perf/results/, four runs), whose products include
     *   latency              small chunks and at-once products. A streamed product reaches 47 each way; the
     *                        smallest product takes 35 us
     *   memory               uvec4 copy kernel, 3850 GB/s */
    {
        .label = "NVIDIA H200", .vendor_id = VENDOR_NVIDIA, .name_part = "H200", .kind = ANY_KIND,
        .kernels = {
            /* row                     flop/s wg/mp lone start order   workgroups */
            {"fp32_128x128_16x8",      47.0e12,  2, 0.92,  32, GROUPED, PER_TILE},
            {"fp32_128x128",           46.7e12,  1, 1.00,  32, GROUPED, PER_TILE},
            {"fp32_128x64",            45.3e12,  3, 0.85,  32, GROUPED, PER_TILE},
            {"fp32_64x64",             40.9e12,  5, 0.83,  32, GROUPED, PER_TILE},
            {"fp32_32x32",             30.9e12, 12, 0.52,  32, GROUPED, PER_TILE},
            {"bf16x3_128x128",         76.0e12,  1, 1.00,  60, GROUPED, PER_TILE},
            {"bf16x3_128x64",          70.0e12,  2, 0.75,  80, GROUPED, PER_TILE},
            {"bf16x3_64x64",           68.0e12,  3, 0.55,  80, GROUPED, PER_TILE},
            {"bf16x1_128x128",          425e12,  2, 0.56, 350, HILBERT, PERSISTENT},
            {"fp16_fragments_128x128",  425e12,  2, 0.56, 350, HILBERT, PERSISTENT},
            {"fp16_fragments_64x128",   375e12,  2, 0.85, 300, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",    345e12,  4, 0.52, 250, GROUPED, PER_TILE},
            {"fp16_fragments_128x16",   180e12,  6, 0.47, 200, GROUPED, PER_TILE},
            {"fp16_fragments_16x128",   180e12,  6, 0.47, 200, GROUPED, PER_TILE},
            {"bf16_fragments_128x128",  425e12,  2, 0.56, 350, HILBERT, PERSISTENT},
            {"bf16_fragments_64x128",   375e12,  2, 0.85, 300, GROUPED, PER_TILE},
            {"bf16_fragments_64x64",    345e12,  4, 0.52, 250, GROUPED, PER_TILE},
            {"bf16_fragments_128x16",   180e12,  6, 0.47, 200, GROUPED, PER_TILE},
            {"bf16_fragments_16x128",   180e12,  6, 0.47, 200, GROUPED, PER_TILE},
            {"fp64_128x128",           23.0e12,  1, 1.00,  16, GROUPED, PER_TILE},
            {"fp64_128x64",            22.5e12,  2, 0.80,  16, GROUPED, PER_TILE},
            {"fp64_64x64",             22.5e12,  4, 0.80,  16, GROUPED, PER_TILE},
            {"fp64_32x32",             17.0e12,  8, 0.55,  32, GROUPED, PER_TILE},
        },
        .multiprocessors = 132,
        .upload_bytes_per_s = 39e9, .download_bytes_per_s = 44e9, .memory_bytes_per_s = 3.8e12,
        .call_latency_ns = 90e3,
    },
    /* Mesa's software device, for tests. Mesa 26.1.6, 2 cores, 2026-11-21, checkgemm --bench --kernel all,
     * fp32 at 512 and 1000, fp16 at 500 (perf/results/). The large fp16 rows, 9e9, are left out because they
     * take its compiler too long. latency: two submits and waits of 128 us. One multiprocessor stands for one
     * of its threads. */
    {
        .label = "lavapipe", .vendor_id = ANY_VENDOR, .name_part = "llvmpipe", .kind = LAVA_DEVICE_CPU,
        .kernels = {
            {"fp32_128x64",            36e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",      34e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_128x128",           34e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_64x64",             27e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_32x32",             19e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",  8.2e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp16_shared_64x64",     8.0e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp16_fragments_16x128", 7.3e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp16_fragments_128x16", 7.0e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_128x64",            15e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_64x64",             12e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_32x32",              9e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_128x128",            9e9, 1, 1.00, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 2,
        .upload_bytes_per_s = 2e9, .download_bytes_per_s = 2e9, .memory_bytes_per_s = 4e9,
        .call_latency_ns = 260e3,
    },
    /* Any other device that runs on the CPU: starting values. Half types stay on the CPU BLAS. */
    {
        .label = "software", .vendor_id = ANY_VENDOR, .name_part = NULL, .kind = LAVA_DEVICE_CPU,
        .kernels = {
            {"fp32_32x32",   2e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_64x64",   2e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_128x128", 2e9, 1, 1.00, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 2,
        .upload_bytes_per_s = 2e9, .download_bytes_per_s = 2e9, .memory_bytes_per_s = 4e9,
        .call_latency_ns = 500e3,
    },
    /* GPUs that share a chip and memory with the CPU. Starting values for the smallest ones sold. */
    {
        .label = "integrated", .vendor_id = ANY_VENDOR, .name_part = NULL, .kind = LAVA_DEVICE_INTEGRATED,
        .kernels = {
            {"fp32_128x64",       0.4e12,  2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",        0.35e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",        0.2e12,  4, 0.60, 32, GROUPED, PER_TILE},
            {"fp16_shared_64x64", 0.6e12,  2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_shared_64x64", 0.6e12,  2, 0.70, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.02e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.016e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 8,
        .upload_bytes_per_s = 8e9, .download_bytes_per_s = 8e9, .memory_bytes_per_s = 30e9,
        .call_latency_ns = 300e3,
    },
    /* Discrete boards of known vendors: starting values for a mid-range board of 2020 on PCIe 3.0. The 16 x 8
     * row needs more registers than Intel's compilers give an invocation. It is listed for the two vendors
     * that have enough. */
    {
        .label = "NVIDIA", .vendor_id = VENDOR_NVIDIA, .name_part = NULL, .kind = ANY_KIND,
        .kernels = {
            {"fp32_128x128",           5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",      4.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",            4.5e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",             3.5e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_32x32",             1.5e12, 8, 0.55, 32, GROUPED, PER_TILE},
            {"bf16x3_128x128",         2.5e12, 1, 1.00, 64, GROUPED, PER_TILE},
            {"bf16x3_64x64",           2.0e12, 3, 0.60, 64, GROUPED, PER_TILE},
            {"bf16x1_128x128",          15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x128",  15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_128x128",  15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.10e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.08e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 30,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Cooperative matrices: RDNA3 and RDNA4. RDNA3 holds each element of A and B twice in a subgroup, so its
     * operands go through shared memory. */
    {
        .label = "AMD", .vendor_id = VENDOR_AMD, .name_part = NULL, .kind = ANY_KIND,
        .kernels = {
            {"fp32_128x128",        5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",   4.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",         4.5e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",          3.5e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_32x32",          1.5e12, 8, 0.55, 32, GROUPED, PER_TILE},
            {"fp16_shared_128x128",  15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_shared_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_shared_128x128",  15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_shared_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.20e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.16e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 32,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Cooperative matrices: Xe2, 8x16x16. A 64 x 64 part of C would need twice its registers. Xe1 has them
     * too, but is far slower with them than with plain arithmetic (llama.cpp #24404). The rates are therefore
     * below fp32's. */
    {
        .label = "Intel", .vendor_id = VENDOR_INTEL, .name_part = NULL, .kind = ANY_KIND,
        .kernels = {
            {"fp32_128x64",          5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128",         4.8e12, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_64x64",           4.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",           1.5e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp16_shared_64x64",    2.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp16_fragments_64x64", 2.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"bf16_shared_64x64",    2.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"bf16_fragments_64x64", 2.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 20,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Unknown devices. Starting values, the most cautious except for the software devices'. */
    {
        .label = "default", .vendor_id = ANY_VENDOR, .name_part = NULL, .kind = ANY_KIND,
        .kernels = {
            {"fp32_128x64",       1.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",        0.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",        0.4e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp16_shared_64x64", 1.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"bf16_shared_64x64", 1.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_64x64", 0.02e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.016e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 16,
        .upload_bytes_per_s = 5e9, .download_bytes_per_s = 5e9, .memory_bytes_per_s = 50e9,
        .call_latency_ns = 500e3,
    },
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool matches(const struct lava_profile *profile, const struct lava_capabilities *device) {
    return (profile->vendor_id == ANY_VENDOR || profile->vendor_id == device->vendor_id) &&
           (profile->kind == ANY_KIND || profile->kind == (int)device->kind) &&
           (profile->name_part == NULL || strstr(device->name, profile->name_part) != NULL);
}

const struct lava_profile *lava_profiles_find(const struct lava_capabilities *device) {
    const struct lava_profile *last = &table[COUNT(table) - 1];
    for (const struct lava_profile *profile = table; profile < last; profile++)
        if (matches(profile, device))
            return profile;
    return last;
}

const struct lava_profile *lava_profiles_table(size_t *count) {
    *count = COUNT(table);
    return table;
}
