/* lavablas kernels, profiles: the tables that the policy chooses from. */
#include <stdio.h>
#include <stdlib.h>

#include "dispatch/profiles.h"
#include "lib/base/json.h"
#include "tools/chosen_device.h"
#include "tools/command.h"

static const char kernels_usage[] =
    "usage: lavablas kernels [--json]\n"
    "Prints the kernel table, and which rows the device of this machine can run.\n";
static const char profiles_usage[] =
    "usage: lavablas profiles [--json]\n"
    "Prints the profiles of devices, whose starting values the policy uses until\n"
    "a machine is measured.\n";

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

static void put_kernel(const struct lava_kernel *row, const char *fit, bool first) {
    printf("%s{\"kernel\":\"%s\",\"type\":\"%s\",\"algorithm\":\"%s\",\"tile\":[%u,%u],\"step\":%u,\"part\":["
           "%u,%u],"
           "\"stages\":%u,\"shared_bytes\":%u",
           first ? "" : ",", row->name, lava_type_name(row->type), lava_kernel_algorithm(row), row->tile_m,
           row->tile_n, row->tile_k, row->part_m, row->part_n, row->stages, lava_kernel_shared_bytes(row));
    lava_json_put_member(stdout, "device", fit);
    printf("}");
}

static void print_kernel(const struct lava_kernel *row, const char *fit) {
    char tile[32], part[32];
    snprintf(tile, sizeof tile, "%u x %u", row->tile_m, row->tile_n);
    snprintf(part, sizeof part, "%u x %u", row->part_m, row->part_n);
    printf("%-24s %-5s %-10s %-10s %-5u %-8s %-6u %-7u %s\n", row->name, lava_type_name(row->type),
           lava_kernel_algorithm(row), tile, row->tile_k, part, row->stages, lava_kernel_shared_bytes(row),
           fit);
}

int command_kernels(int argc, char **argv) {
    size_t count;
    struct lava_capabilities device;
    bool json;
    const char *why = "";
    int status = command_read_json(argc, argv, kernels_usage, &json);
    if (status >= 0)
        return status;
    bool known = device_read(&device, NULL, &why);
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (json)
        printf("[");
    else
        printf("%-24s %-5s %-10s %-10s %-5s %-8s %-6s %-7s %s\n", "kernel", "type", "algorithm", "tile",
               "step", "part", "stages", "shared", known ? device.name : "");
    for (size_t i = 0; i < count; i++) {
        char fit[128] = "";
        if (known)
            describe_fit(&table[i], &device, fit, sizeof fit);
        if (json)
            put_kernel(&table[i], known ? fit : NULL, i == 0);
        else
            print_kernel(&table[i], fit);
    }
    if (json)
        printf("]\n");
    return COMMAND_DONE;
}

static void put_profile(const struct lava_profile *profile, bool first) {
    printf("%s{\"profile\":", first ? "" : ",");
    lava_json_put(stdout, profile->label);
    printf(",\"upload_bytes_per_s\":%.0f,\"download_bytes_per_s\":%.0f,\"memory_bytes_per_s\":%.0f,"
           "\"latency_ns\":%.0f,\"kernels\":[",
           profile->upload_bytes_per_s, profile->download_bytes_per_s, profile->memory_bytes_per_s,
           profile->call_latency_ns);
    for (int k = 0; k < LAVA_PROFILE_MAX_KERNELS && profile->kernels[k].kernel; k++)
        printf("%s{\"kernel\":\"%s\",\"flops_per_s\":%.0f}", k ? "," : "", profile->kernels[k].kernel,
               profile->kernels[k].flops_per_s);
    printf("]}");
}

static void print_profile(const struct lava_profile *profile) {
    printf("%s: up %.1f, down %.1f, memory %.0f GB/s; latency %.0f us\n", profile->label,
           profile->upload_bytes_per_s * 1e-9, profile->download_bytes_per_s * 1e-9,
           profile->memory_bytes_per_s * 1e-9, profile->call_latency_ns * 1e-3);
    for (int k = 0; k < LAVA_PROFILE_MAX_KERNELS && profile->kernels[k].kernel; k++) {
        const struct lava_profile_kernel *row = &profile->kernels[k];
        printf("    %-24s %8.1f GFLOP/s, %2u workgroups a multiprocessor, %s order, %s\n", row->kernel,
               row->flops_per_s * 1e-9, row->workgroups_per_multiprocessor, lava_tile_order_name(row->order),
               row->persistent ? "persistent" : "a workgroup a tile");
    }
}

int command_profiles(int argc, char **argv) {
    size_t count;
    bool json;
    const struct lava_profile *table = lava_profiles_table(&count);
    int status = command_read_json(argc, argv, profiles_usage, &json);
    if (status >= 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (json && i == 0)
            printf("[");
        if (json)
            put_profile(&table[i], i == 0);
        else
            print_profile(&table[i]);
    }
    if (json)
        printf("]\n");
    return COMMAND_DONE;
}
