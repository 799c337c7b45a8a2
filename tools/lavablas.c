/* The lavablas command: what the library would do here, and why. Reads the same tables and asks the same
 * policy as the library; computes nothing.
 *
 *     lavablas device                     the device that would be used, and what it can do
 *     lavablas explain [OPTION...] M N K  where that product would run, why, and how
 *         --type fp32|fp16|bf16           of A and B; default: fp32
 *         --c-type fp32|fp16|bf16         of C: A's, or fp32, the default
 *         --precision ieee|standard|fast  of fp32 products; default: what LAVABLAS_PRECISION says
 *     lavablas kernels                    the kernel table, and which rows the device can run
 *     lavablas profiles                   the device profiles the policy reckons with
 *
 * The first two say, too, whether the policy has figures that were measured on this machine, and where. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/offload.h"
#include "lib/offload/threshold.h"
#include "lib/vk/device.h"
#include "lib/vk/gpu.h"

static const char usage[] =
    "usage: lavablas device | explain [OPTION...] M N K | kernels | profiles\n"
    "       (options: --type TYPE, --c-type TYPE, --precision ieee|standard|fast)\n"
    "       (types: fp32, fp16, bf16; C has A's and B's type or fp32; default: fp32)\n"
    "       (the environment variables LAVABLAS_DEVICE, LAVABLAS_MODE, LAVABLAS_MEMORY and\n"
    "       LAVABLAS_PRECISION count)\n";

static const char *const kinds[] = {[LAVA_DEVICE_DISCRETE] = "discrete GPU",
                                    [LAVA_DEVICE_INTEGRATED] = "integrated GPU",
                                    [LAVA_DEVICE_VIRTUAL] = "virtual GPU",
                                    [LAVA_DEVICE_CPU] = "software"};

static bool read_device(struct lava_capabilities *capabilities) {
    struct lava_device *device;
    const char *why;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        printf("device: none (%s)\n", why);
        return false;
    }
    *capabilities = device->capabilities;
    lava_gpu_close(device);
    return true;
}

/* By what the policy decides; after lava_calibration_load. */
static void show_source(const char *label) {
    const char *path = lava_calibration_path();
    if (lava_calibration_is_stored())
        printf("%smeasured, %s\n", label, path);
    else if (path[0])
        printf("%sstarting values, there is no %s\n", label, path);
    else
        printf("%sstarting values, there is no cache\n", label);
}

static void show_cpu(void) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    const struct lava_cpu_figures figures = lava_cpu_blas_figures(blas);
    printf("CPU BLAS: %s, estimated", blas->path);
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        printf("%s %.0f GFLOP/s in %s", type ? "," : "", figures.flops_per_s[type] * 1e-9,
               lava_type_name((enum lava_type)type));
    printf("\n");
}

static void show_shapes(const struct lava_capabilities *device, enum lava_type type) {
    const char *before = "";
    printf("  matrices of %s     ", lava_type_name(type));
    for (uint32_t i = 0; i < device->shape_count; i++) {
        const struct lava_matrix_shape *shape = &device->shapes[i];
        if (shape->type != type)
            continue;
        printf("%s%ux%ux%u", before, shape->m, shape->n, shape->k);
        before = ", ";
    }
    printf("%s\n", *before ? "" : "none");
}

static int show_device(void) {
    struct lava_capabilities device;
    show_cpu();
    if (!read_device(&device))
        return 1;
    printf("device: %s (%s, %04x:%04x, driver %#x)\n", device.name, kinds[device.kind], device.vendor_id,
           device.device_id, device.driver_version);
    printf("  profile              %s\n", lava_profiles_find(&device)->label);
    lava_calibration_load(&device);
    show_source("  figures              ");
    printf("  subgroup             %u invocations\n", device.subgroup_size);
    printf("  workgroup            up to %u invocations, %u bytes of shared memory\n",
           device.max_workgroup_invocations, device.max_shared_bytes);
    if (device.multiprocessors)
        printf("  multiprocessors      %u\n", device.multiprocessors);
    printf("  memory to be used    %.2f GiB, one buffer up to %.2f GiB%s\n",
           (double)device.memory_bytes / 0x1p30, (double)device.max_buffer_bytes / 0x1p30,
           device.unified_memory ? ", shared with the host" : "");
    printf("  subnormals of fp32   %s\n", device.denorm_preserve_fp32 ? "kept" : "as the hardware does");
    show_shapes(&device, LAVA_TYPE_FP16);
    show_shapes(&device, LAVA_TYPE_BF16);
    return 0;
}

static bool read_option(const char *name, const char *value, struct lava_problem *problem) {
    if (!strcmp(name, "--type"))
        return lava_type_from_name(value, &problem->type);
    if (!strcmp(name, "--c-type"))
        return lava_type_from_name(value, &problem->type_c);
    return !strcmp(name, "--precision") && lava_config_find_precision(value, &problem->precision);
}

/* The options and sizes of `explain`. Addresses are distinct: nothing is read. */
static bool read_product(int argc, char **argv, struct lava_problem *problem) {
    *problem = (struct lava_problem){.type = LAVA_TYPE_FP32,
                                     .type_c = LAVA_TYPE_FP32,
                                     .alpha = 1,
                                     .a = (const void *)(uintptr_t)(1ull << 44),
                                     .b = (const void *)(uintptr_t)(1ull << 45),
                                     .c = (void *)(uintptr_t)(1ull << 46),
                                     .precision = lava_config_get()->precision};
    for (; argc > 3; argc -= 2, argv += 2)
        if (!read_option(argv[0], argv[1], problem))
            return false;
    if (argc != 3 || (problem->type_c != LAVA_TYPE_FP32 && problem->type_c != problem->type))
        return false;
    problem->m = problem->lda = problem->ldc = atoll(argv[0]);
    problem->n = atoll(argv[1]);
    problem->k = problem->ldb = atoll(argv[2]);
    return problem->m > 0 && problem->n > 0 && problem->k > 0;
}

static const char below_cutoff[] =
    "CPU (below the cut-off: the CPU BLAS takes no longer than the device's latency)";

static int explain(int argc, char **argv) {
    struct lava_problem problem;
    struct lava_capabilities device;
    struct lava_plan plan;
    char text[512];
    if (!read_product(argc, argv, &problem)) {
        fputs(usage, stderr);
        return 2;
    }
    const struct lava_config *config = lava_config_get();
    if (config->mode == LAVA_MODE_CPU) {
        puts("CPU (the mode is cpu)");
        return 0;
    }
    double work = (double)problem.m * (double)problem.n * (double)problem.k;
    lava_offload_open();
    if (config->mode == LAVA_MODE_AUTO && work < LAVA_POLICY_CUTOFF) {
        puts(below_cutoff);
        return 0;
    }
    if (!read_device(&device))
        return 1;
    const struct lava_overrides none = {0};
    lava_calibration_load(&device);
    if (config->mode == LAVA_MODE_AUTO && work < lava_threshold_cutoff()) {
        puts(below_cutoff);
        return 0;
    }
    lava_policy_choose(&problem, &device, lava_calibration_figures(), config->mode, &none, &plan);
    lava_policy_describe(&problem, &plan, text, sizeof text);
    puts(text);
    show_source("figures: ");
    return 0;
}

/* Whether the device can run the row: "runs", with the shape of its matrices, or why not. */
static void describe_fit(const struct lava_kernel *kernel, const struct lava_capabilities *device, char *text,
                         size_t size) {
    const char *reason = "";
    const struct lava_matrix_shape *shape = lava_kernel_shape(kernel, device);
    if (!lava_kernel_fits(kernel, device, &reason))
        snprintf(text, size, "%s", reason);
    else if (shape)
        snprintf(text, size, "runs, %ux%ux%u", shape->m, shape->n, shape->k);
    else
        snprintf(text, size, "runs");
}

static int show_kernels(void) {
    size_t count;
    struct lava_capabilities device;
    bool known = read_device(&device);
    const struct lava_kernel *table = lava_kernels_table(&count);
    printf("%-24s %-5s %-10s %-10s %-5s %-8s %-6s %-7s %s\n", "kernel", "type", "algorithm", "tile", "step",
           "part", "stages", "shared", known ? device.name : "");
    for (size_t i = 0; i < count; i++) {
        const struct lava_kernel *row = &table[i];
        char tile[32], part[32], fit[128] = "";
        snprintf(tile, sizeof tile, "%u x %u", row->tile_m, row->tile_n);
        snprintf(part, sizeof part, "%u x %u", row->part_m, row->part_n);
        if (known)
            describe_fit(row, &device, fit, sizeof fit);
        printf("%-24s %-5s %-10s %-10s %-5u %-8s %-6u %-7u %s\n", row->name, lava_type_name(row->type),
               lava_kernel_algorithm(row), tile, row->tile_k, part, row->stages,
               lava_kernel_shared_bytes(row), fit);
    }
    return 0;
}

static int show_profiles(void) {
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_profile *profile = &table[i];
        printf("%s: up %.1f, down %.1f, memory %.0f GB/s; latency %.0f us\n", profile->label,
               profile->upload_bytes_per_s * 1e-9, profile->download_bytes_per_s * 1e-9,
               profile->memory_bytes_per_s * 1e-9, profile->call_latency_ns * 1e-3);
        for (int k = 0; k < LAVA_PROFILE_MAX_KERNELS && profile->kernels[k].kernel; k++) {
            const struct lava_profile_kernel *row = &profile->kernels[k];
            printf("    %-24s %8.1f GFLOP/s, %2u workgroups a multiprocessor, %s order, %s\n", row->kernel,
                   row->flops_per_s * 1e-9, row->workgroups_per_multiprocessor,
                   lava_tile_order_name(row->schedule),
                   row->persistent ? "persistent" : "a workgroup a tile");
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "device"))
        return show_device();
    if (argc >= 2 && !strcmp(argv[1], "explain"))
        return explain(argc - 2, argv + 2);
    if (argc == 2 && !strcmp(argv[1], "kernels"))
        return show_kernels();
    if (argc == 2 && !strcmp(argv[1], "profiles"))
        return show_profiles();
    fputs(usage, stderr);
    return 2;
}
