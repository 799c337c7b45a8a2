/* Known devices: the kernel rows to choose from, the tile order of each row, and the rates. Read by policy.c;
 * printed by `lavablas explain`. Invariant: the first row that matches is a device's profile. The table
 * therefore goes from the specific to the general, and its last row matches everything. Vendors are named
 * only in this file. */
#include "dispatch/profiles.h"

#include <string.h>

enum { VENDOR_NVIDIA = 0x10de, VENDOR_AMD = 0x1002, VENDOR_INTEL = 0x8086, VENDOR_ARM = 0x13b5 };
enum { ANY_KIND = -1, ANY_VENDOR = 0, SMALLEST = 1 };
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
 * "compiled" means: the rows, their order, the ratios of their rates, wg/mp and the subgroup's size are from
 * Mesa 26.1.6's compiler by perf/tune --compile-only, 2026-11-22 (doc/devices.md); the largest rate, lone,
 * start and everything below the rows are starting values for the family's slower boards. No row is listed
 * that spills there.
 *
 * The fp16 and bf16 figures are starting values except for the H200 and lavapipe. If rows of fp32 by
 * planes were not measured, they are listed below the rate of plain fp32. Calibration finds out whether a
 * device's matrix unit is worth using for them (it must be more than six times as fast as fp32). Rows with
 * one plane are for precision FAST. Rows of fragments are listed only if no two invocations hold the same
 * element of a fragment. This holds on NVIDIA and lavapipe, by their compilers on RDNA4 and Xe2, not on RDNA3,
 * and is checked by the self-test. */
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
     *   upload, download,    fitted by lavablas calibrate (perf/results/, four runs), whose products include
     *   latency              small chunks and at-once products. A streamed product reaches 47 each way; the
     *                        smallest product takes 35 us
     *   memory               uvec4 copy kernel, 3850 GB/s
     *   residues             residues_device --kernel whole at 4096 to 16384 (doc/notes/fp64-by-integers.md)
     *
     * The H100 with HBM3 is the same chip with slower memory. `lavablas calibrate` gave 0.7 to 1.03 of these rates
     * there (perf/results/2026-11-25-nvidia-h100-level3-complex.txt). */
    {
        .label = "NVIDIA H200", .vendor_id = VENDOR_NVIDIA, .name_parts = {"H200", "H100 80GB HBM3"}, .kind = ANY_KIND,
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
        .residue_way = "whole_256x128", .residue_ops_per_s = 600e12,
    },
    /* Mesa's software device, for tests. Mesa 26.1.6, 2 cores, 2026-11-21, checkgemm --bench --kernel all,
     * fp32 at 512 and 1000, fp16 at 500 (perf/results/). The large fp16 rows, 9e9, are left out because they
     * take its compiler too long. latency: two submits and waits of 128 us. One multiprocessor stands for one
     * of its threads. */
    {
        .label = "lavapipe", .vendor_id = ANY_VENDOR, .name_parts = {"llvmpipe"}, .kind = LAVA_DEVICE_CPU,
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
        .label = "software", .vendor_id = ANY_VENDOR, .kind = LAVA_DEVICE_CPU,
        .kernels = {
            {"fp32_32x32",   2e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_64x64",   2e9, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp32_128x128", 2e9, 1, 1.00, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 2,
        .upload_bytes_per_s = 2e9, .download_bytes_per_s = 2e9, .memory_bytes_per_s = 4e9,
        .call_latency_ns = 500e3,
    },
    /* Xe2 in a processor: Lunar Lake, Panther Lake. Compiled for LNL. */
    {
        .label = "Intel Xe2 integrated", .vendor_id = VENDOR_INTEL, .name_parts = {"(LNL)", "(PTL)"},
        .kind = LAVA_DEVICE_INTEGRATED, .simt_subgroup = SMALLEST, .matrix_subgroup = SMALLEST,
        .kernels = {
            {"fp32_128x64_8x4",           1.00e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",                0.97e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",                0.50e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp16_fragments_64x64_16x16", 2.0e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x64_16x16", 2.0e12, 2, 0.70, 64, GROUPED, PER_TILE},
        },
        .multiprocessors = 8,
        .upload_bytes_per_s = 8e9, .download_bytes_per_s = 8e9, .memory_bytes_per_s = 60e9,
        .call_latency_ns = 300e3,
    },
    /* Xe-LP and its successors in processors: Tiger Lake to Arrow Lake. Compiled for TGL and MTL. Their matrix
     * rows spill, and their fp64, if there is one, is emulated. */
    {
        .label = "Intel Xe-LP", .vendor_id = VENDOR_INTEL, .kind = LAVA_DEVICE_INTEGRATED,
        .simt_subgroup = SMALLEST, .matrix_subgroup = SMALLEST,
        .kernels = {
            {"fp32_128x64_8x4",       0.40e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",            0.30e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",            0.20e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 8,
        .upload_bytes_per_s = 8e9, .download_bytes_per_s = 8e9, .memory_bytes_per_s = 30e9,
        .call_latency_ns = 300e3,
    },
    /* Mali: every larger row spills (PanVK, compiled). */
    {
        .label = "Mali", .vendor_id = VENDOR_ARM, .kind = ANY_KIND,
        .kernels = {
            {"fp32_32x32",            0.10e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 8,
        .upload_bytes_per_s = 5e9, .download_bytes_per_s = 5e9, .memory_bytes_per_s = 15e9,
        .call_latency_ns = 500e3,
    },
    /* Other GPUs that share a chip and memory with the CPU. Starting values for the smallest ones sold. No row
     * spills on Renoir, Van Gogh, Phoenix, Strix, the M1, and Adreno 660 and 740 (compiled). Adreno has subgroups
     * of 128, in which most rows do not fit. */
    {
        .label = "integrated", .vendor_id = ANY_VENDOR, .kind = LAVA_DEVICE_INTEGRATED,
        .simt_subgroup = 64,
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
    /* Turing, and Ampere with bf16: compiled by NVK for TU102 and GA102, which agree within 3%. */
    {
        .label = "NVIDIA Turing", .vendor_id = VENDOR_NVIDIA, .kind = ANY_KIND,
        .name_parts = {"GTX 16", "RTX 20", "Quadro RTX", "TITAN RTX", "Tesla T4"},
        .kernels = {
            {"fp32_128x128_16x8",      5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128",           4.9e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",            4.8e12, 4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",             3.4e12, 7, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_32x32",             2.1e12, 16, 0.55, 32, GROUPED, PER_TILE},
            {"fp16_fragments_64x128",   15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",    11e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x128",  10e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x16",  6.9e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_16x128",  6.1e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_128x128", 0.10e12, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_64x64",   0.07e12, 4, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32",   0.05e12, 10, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 30,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    {
        .label = "NVIDIA Ampere", .vendor_id = VENDOR_NVIDIA, .kind = ANY_KIND,
        .name_parts = {"RTX 30", "RTX A", "A100", "A10", "A30", "A40"},
        .kernels = {
            {"fp32_128x128_16x8",      6.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128",           5.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",            5.7e12, 4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",             4.1e12, 7, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_32x32",             2.6e12, 18, 0.55, 32, GROUPED, PER_TILE},
            {"bf16x3_128x128",         2.5e12, 1, 1.00, 64, GROUPED, PER_TILE},
            {"bf16x3_64x64",           2.0e12, 3, 0.60, 64, GROUPED, PER_TILE},
            {"bf16x1_128x128",          10e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x128",   15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",    11e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x128",  10e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x16",  7.3e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_16x128",  6.3e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x128",   15e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x64",    11e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_128x128",  10e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_128x16",  7.3e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_16x128",  6.3e12, 5, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_128x128", 0.14e12, 1, 1.00, 32, GROUPED, PER_TILE},
            {"fp64_64x64",   0.10e12, 4, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32",   0.07e12, 10, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 20,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Other boards of NVIDIA: starting values for a mid-range board of 2020 on PCIe 3.0. */
    {
        .label = "NVIDIA", .vendor_id = VENDOR_NVIDIA, .kind = ANY_KIND,
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
    /* RDNA4: compiled for GFX1201. Waves of 64: by the driver's estimate they do 2.2 times the work of two of 32. */
    {
        .label = "AMD RDNA4", .vendor_id = VENDOR_AMD, .name_parts = {"GFX12", "RX 90", "AI PRO R9"},
        .kind = ANY_KIND, .simt_subgroup = 64, .matrix_subgroup = 64,
        .kernels = {
            {"fp32_128x128",            8.0e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",             7.8e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",              7.0e12,  8, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",       7.6e12,  8, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",              4.0e12, 16, 0.55, 32, GROUPED, PER_TILE},
            {"bf16x3_128x128",          3.0e12,  2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16x3_64x64",            2.9e12,  8, 0.60, 64, GROUPED, PER_TILE},
            {"bf16x1_128x128",           20e12,  7, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x128",    25e12,  8, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_64x64",     24e12, 10, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x128",   22e12,  7, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_fragments_128x16",    15e12, 16, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_fragments_16x128",    14e12, 16, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x128",    25e12,  8, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x64",     24e12, 10, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_128x128",   22e12,  7, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_128x16",    15e12, 16, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_fragments_16x128",    14e12, 16, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.20e12, 8, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.18e12, 8, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 32,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 300e9,
        .call_latency_ns = 300e3,
    },
    /* RDNA3: compiled for NAVI31. It holds each element of A and B twice in a subgroup, so its matrices go
     * through shared memory. */
    {
        .label = "AMD RDNA3", .vendor_id = VENDOR_AMD, .name_parts = {"NAVI3", "RX 7", "PRO W7"},
        .kind = ANY_KIND, .simt_subgroup = 64, .matrix_subgroup = 64,
        .kernels = {
            {"fp32_128x128",        7.0e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",         6.8e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",   6.7e12,  8, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",          6.0e12,  8, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_32x32",          3.5e12, 16, 0.55, 32, GROUPED, PER_TILE},
            {"fp16_shared_64x64",    15e12,  6, 0.60, 64, GROUPED, PER_TILE},
            {"fp16_shared_128x128",  15e12,  4, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_shared_64x64",    15e12,  6, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_shared_128x128",  15e12,  4, 0.70, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.20e12, 8, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.18e12, 8, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 32,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* RDNA2: compiled for NAVI21. */
    {
        .label = "AMD RDNA2", .vendor_id = VENDOR_AMD, .name_parts = {"NAVI2", "RX 6", "PRO W6"},
        .kind = ANY_KIND, .simt_subgroup = 64,
        .kernels = {
            {"fp32_128x128",        5.0e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",         4.9e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",          4.4e12,  8, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",   4.8e12,  4, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",          2.5e12, 16, 0.55, 32, GROUPED, PER_TILE},
            {"fp64_64x64", 0.20e12, 8, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.18e12, 8, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 32,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Vega: compiled for VEGA20. Rows of many registers leave it one subgroup a SIMD. */
    {
        .label = "AMD Vega", .vendor_id = VENDOR_AMD, .name_parts = {"VEGA", "Vega"},
        .kind = ANY_KIND, .simt_subgroup = 64,
        .kernels = {
            {"fp32_128x128",        5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",          4.4e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_128x128_16x8",   3.9e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_128x64",         3.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",          2.5e12, 8, 0.55, 32, GROUPED, PER_TILE},
            {"fp64_64x64", 0.25e12, 4, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.24e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 56,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 300e9,
        .call_latency_ns = 300e3,
    },
    /* Other boards of AMD. Starting values; the order is compiled, for POLARIS10 and NAVI10. */
    {
        .label = "AMD", .vendor_id = VENDOR_AMD, .kind = ANY_KIND, .simt_subgroup = 64, .matrix_subgroup = 64,
        .kernels = {
            {"fp32_128x128",        4.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",          3.5e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp32_128x64",         3.4e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",          1.5e12, 8, 0.55, 32, GROUPED, PER_TILE},
            {"fp16_shared_128x128",  15e12, 4, 0.70, 64, GROUPED, PER_TILE},
            {"fp16_shared_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"bf16_shared_128x128",  15e12, 4, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_shared_64x64",    10e12, 4, 0.60, 64, GROUPED, PER_TILE},
            {"fp64_64x64", 0.20e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp64_32x32", 0.16e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 32,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Xe2 boards: compiled for BMG G21. All larger parts of C spill. */
    {
        .label = "Intel Xe2", .vendor_id = VENDOR_INTEL, .name_parts = {"(BMG"},
        .kind = ANY_KIND, .simt_subgroup = SMALLEST, .matrix_subgroup = SMALLEST,
        .kernels = {
            {"fp32_128x64_8x4",            5.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",                 4.8e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",                 2.5e12, 4, 0.60, 32, GROUPED, PER_TILE},
            {"fp16_fragments_64x64_16x16",  10e12, 2, 0.70, 64, GROUPED, PER_TILE},
            {"bf16_fragments_64x64_16x16",  10e12, 2, 0.70, 64, GROUPED, PER_TILE},
        },
        .multiprocessors = 18,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 300e9,
        .call_latency_ns = 300e3,
    },
    /* DG2 and other boards of Intel: compiled for DG2. Its matrix rows spill. It is also far slower with them than
     * with plain arithmetic (llama.cpp #24404). */
    {
        .label = "Intel DG2", .vendor_id = VENDOR_INTEL, .kind = ANY_KIND,
        .simt_subgroup = SMALLEST, .matrix_subgroup = SMALLEST,
        .kernels = {
            {"fp32_128x64_8x4",      4.0e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_64x64",           3.2e12, 2, 0.70, 32, GROUPED, PER_TILE},
            {"fp32_32x32",           1.6e12, 4, 0.60, 32, GROUPED, PER_TILE},
        },
        .multiprocessors = 24,
        .upload_bytes_per_s = 10e9, .download_bytes_per_s = 10e9, .memory_bytes_per_s = 250e9,
        .call_latency_ns = 300e3,
    },
    /* Unknown devices. Starting values, the most cautious except for the software devices'. */
    {
        .label = "default", .vendor_id = ANY_VENDOR, .kind = ANY_KIND, .simt_subgroup = 64,
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

static bool has_name(const struct lava_profile *profile, const char *name) {
    for (int i = 0; i < LAVA_PROFILE_MAX_NAMES && profile->name_parts[i]; i++)
        if (strstr(name, profile->name_parts[i]))
            return true;
    return profile->name_parts[0] == NULL;
}

static bool matches(const struct lava_profile *profile, const struct lava_capabilities *device) {
    return (profile->vendor_id == ANY_VENDOR || profile->vendor_id == device->vendor_id) &&
           (profile->kind == ANY_KIND || profile->kind == (int)device->kind) &&
           has_name(profile, device->name);
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

/* No bus and no memory that was measured is faster than this one's. */
const struct lava_capabilities *lava_profiles_fastest(void) {
    static const struct lava_capabilities fastest = {
        .name = "NVIDIA H200",
        .vendor_id = VENDOR_NVIDIA,
        .kind = LAVA_DEVICE_DISCRETE,
        .simt_subgroup_size = 32,
        .matrix_subgroup_size = 32,
        .max_shared_bytes = 49152,
        .max_workgroup_invocations = 1024,
        .max_workgroups = INT32_MAX,
        .multiprocessors = 132,
        .memory_bytes = UINT64_C(130) << 30,
        .max_buffer_bytes = UINT64_C(130) << 30,
        .fp64 = true,
        .resident_groups = 132,
        .group_exchange = true,
        .shape_count = 2,
        .shapes = {{LAVA_TYPE_FP16, 16, 16, 16, true}, {LAVA_TYPE_BF16, 16, 16, 16, false}}};
    return &fastest;
}
