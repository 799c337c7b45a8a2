/* The lavablas command: what the library would do on this machine, and why. It reads the same tables and asks
 * the same policy as the library.
 *
 *     lavablas device                       the device that would be used, and what it can do
 *     lavablas explain ROUTINE ARGUMENT...  where that call would run, why, and how: see explain.c
 *     lavablas kernels                      the kernel table, and which rows the device can run
 *     lavablas profiles                     the device profiles that the policy uses
 *
 * The first two also say whether the policy's figures were measured on this machine, and where they are
 * stored. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/profiles.h"
#include "lib/base/config.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/vk/device.h"
#include "lib/vk/gpu.h"
#include "tools/explain.h"

static const char usage[] = "usage: lavablas device | explain ROUTINE ARGUMENT... | kernels | profiles\n"
                            "       (lavablas explain alone tells of its arguments)\n";

static const char *const kinds[] = {[LAVA_DEVICE_DISCRETE] = "discrete GPU",
                                    [LAVA_DEVICE_INTEGRATED] = "integrated GPU",
                                    [LAVA_DEVICE_VIRTUAL] = "virtual GPU",
                                    [LAVA_DEVICE_CPU] = "software"};

/* The devices that this process may use, all of one model. */
struct set {
    unsigned size;
    uint32_t indices[LAVA_CONFIG_DEVICES_MAX];
};

/* set may be NULL. */
static bool read_device(struct lava_capabilities *capabilities, struct set *set) {
    struct lava_device *device;
    const char *why;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        printf("device: none (%s)\n", why);
        return false;
    }
    *capabilities = device->capabilities;
    if (set) {
        set->size = device->set_size;
        memcpy(set->indices, device->set, sizeof set->indices);
    }
    lava_gpu_close(device);
    return true;
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

static void show_set(const struct set *set) {
    printf("  LAVABLAS_DEVICE      ");
    for (unsigned i = 0; i < set->size; i++)
        printf("%s%u", i ? "," : "", set->indices[i]);
    if (set->size > 1)
        printf(": %u devices of this model", set->size);
    printf("\n");
}

static int show_device(void) {
    struct lava_capabilities device;
    struct set set;
    show_cpu();
    if (!read_device(&device, &set))
        return 1;
    printf("device: %s (%s, %04x:%04x, driver %#x)\n", device.name, kinds[device.kind], device.vendor_id,
           device.device_id, device.driver_version);
    show_set(&set);
    printf("  profile              %s\n", lava_profiles_find(&device)->label);
    lava_calibration_load(&device);
    explain_source("  figures              ");
    printf("  subgroup             %u invocations, for matrices %u\n", device.simt_subgroup_size,
           device.matrix_subgroup_size);
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

/* Describes whether the device can run the row: "runs", with the shape of its matrices, or why not. */
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
    bool known = read_device(&device, NULL);
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
                   lava_tile_order_name(row->order), row->persistent ? "persistent" : "a workgroup a tile");
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
