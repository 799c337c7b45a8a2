/* The lavablas command: what the library would do here, and why. Reads the same tables and asks the same
 * policy as the library; computes nothing.
 *
 *     lavablas device                  the device that would be used, and what it can do
 *     lavablas explain M N K           where that product would run, why, and how
 *     lavablas kernels                 the kernel table, and which rows the device can run
 *     lavablas profiles                the device profiles the policy reckons with */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpu/cpu_blas.h"
#include "lib/exec/gate.h"
#include "lib/vk/device.h"

static const char usage[] =
    "usage: lavablas device | explain M N K | kernels | profiles\n"
    "       (the environment variables LAVABLAS_DEVICE, LAVABLAS_MODE, LAVABLAS_MEMORY count)\n";

static const char *const kinds[] = {[LAVA_DEVICE_DISCRETE] = "discrete GPU",
                                    [LAVA_DEVICE_INTEGRATED] = "integrated GPU",
                                    [LAVA_DEVICE_VIRTUAL] = "virtual GPU",
                                    [LAVA_DEVICE_CPU] = "software"};

static bool read_device(struct lava_capabilities *capabilities) {
    struct lava_device *device;
    const char *why;
    if (lava_device_create(lava_config_get(), &device, &why)) {
        printf("device: none (%s)\n", why);
        return false;
    }
    *capabilities = device->capabilities;
    lava_device_destroy(device);
    return true;
}

static int show_device(void) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    struct lava_capabilities device;
    printf("CPU BLAS: %s, estimated %.0f GFLOP/s in fp32\n", blas->path,
           lava_cpu_blas_figures(blas).flops_per_s_fp32 * 1e-9);
    if (!read_device(&device))
        return 1;
    printf("device: %s (%s, %04x:%04x, driver %#x)\n", device.name, kinds[device.kind], device.vendor_id,
           device.device_id, device.driver_version);
    printf("  profile              %s\n", lava_profiles_find(&device)->label);
    printf("  subgroup             %u invocations\n", device.subgroup_size);
    printf("  workgroup            up to %u invocations, %u bytes of shared memory\n",
           device.max_workgroup_invocations, device.max_shared_bytes);
    if (device.multiprocessors)
        printf("  multiprocessors      %u\n", device.multiprocessors);
    printf("  memory to be used    %.2f GiB, one buffer up to %.2f GiB%s\n",
           (double)device.memory_bytes / 0x1p30, (double)device.max_buffer_bytes / 0x1p30,
           device.unified_memory ? ", shared with the host" : "");
    printf("  subnormals of fp32   %s\n", device.denorm_preserve_fp32 ? "kept" : "as the hardware does");
    return 0;
}

static int explain(char **sizes) {
    struct lava_problem problem = {.type = LAVA_TYPE_FP32,
                                   .m = atoll(sizes[0]),
                                   .n = atoll(sizes[1]),
                                   .k = atoll(sizes[2]),
                                   .alpha = 1,
                                   /* distinct addresses: nothing is read */
                                   .a = (const void *)(uintptr_t)(1ull << 44),
                                   .b = (const void *)(uintptr_t)(1ull << 45),
                                   .c = (void *)(uintptr_t)(1ull << 46)};
    struct lava_capabilities device;
    struct lava_plan plan;
    char text[512];
    if (problem.m < 1 || problem.n < 1 || problem.k < 1) {
        fputs(usage, stderr);
        return 2;
    }
    problem.lda = problem.ldc = problem.m;
    problem.ldb = problem.k;
    const struct lava_config *config = lava_config_get();
    if (config->mode == LAVA_MODE_CPU) {
        puts("CPU (the mode is cpu)");
        return 0;
    }
    if (config->mode == LAVA_MODE_AUTO &&
        (double)problem.m * (double)problem.n * (double)problem.k < lava_gate_cutoff(lava_cpu_blas_get())) {
        printf("CPU (below the cut-off: the CPU BLAS is estimated to do it within 0.1 ms)\n");
        return 0;
    }
    if (!read_device(&device))
        return 1;
    const struct lava_cpu_figures cpu = lava_cpu_blas_figures(lava_cpu_blas_get());
    const struct lava_overrides none = {0};
    lava_policy_choose(&problem, &device, &cpu, config->mode, &none, &plan);
    lava_policy_describe(&problem, &plan, text, sizeof text);
    puts(text);
    return 0;
}

static int show_kernels(void) {
    size_t count;
    struct lava_capabilities device;
    bool known = read_device(&device);
    const struct lava_kernel *table = lava_kernels_table(&count);
    printf("%-20s %-14s %-6s %-10s %-6s %-11s %s\n", "kernel", "tile", "step", "invocation", "stages",
           "shared memory", known ? device.name : "");
    for (size_t i = 0; i < count; i++) {
        char tile[32], invocation[32];
        const char *reason = "";
        snprintf(tile, sizeof tile, "%u x %u", table[i].tile_m, table[i].tile_n);
        snprintf(invocation, sizeof invocation, "%u x %u", table[i].invocation_m, table[i].invocation_n);
        bool fits = known && lava_kernel_fits(&table[i], &device, &reason);
        printf("%-20s %-14s %-6u %-10s %-6u %-13u %s\n", table[i].name, tile, table[i].tile_k, invocation,
               table[i].stages, lava_kernel_shared_bytes(&table[i]),
               !known ? ""
               : fits ? "runs"
                      : reason);
    }
    return 0;
}

static int show_profiles(void) {
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_profile *profile = &table[i];
        printf("%s: %s order, %s; up %.1f, down %.1f, memory %.0f GB/s; latency %.0f us\n", profile->label,
               lava_schedule_name(profile->schedule),
               profile->persistent ? "persistent" : "a workgroup a tile", profile->upload_bytes_per_s * 1e-9,
               profile->download_bytes_per_s * 1e-9, profile->memory_bytes_per_s * 1e-9,
               profile->call_latency_ns * 1e-3);
        for (int k = 0; k < LAVA_PROFILE_MAX_KERNELS && profile->kernels[k].kernel; k++)
            printf("    %-20s %8.1f GFLOP/s, %u workgroups a multiprocessor\n", profile->kernels[k].kernel,
                   profile->kernels[k].flops_per_s * 1e-9, profile->kernels[k].workgroups_per_multiprocessor);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "device"))
        return show_device();
    if (argc == 5 && !strcmp(argv[1], "explain"))
        return explain(argv + 2);
    if (argc == 2 && !strcmp(argv[1], "kernels"))
        return show_kernels();
    if (argc == 2 && !strcmp(argv[1], "profiles"))
        return show_profiles();
    fputs(usage, stderr);
    return 2;
}
