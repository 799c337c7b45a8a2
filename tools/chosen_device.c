/* lavablas device: the device that would be used, and what it can do. info.c and doctor.c read the device
 * here, too. */
#include "tools/chosen_device.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/profiles.h"
#include "lib/base/config.h"
#include "lib/base/json.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/vk/device.h"
#include "lib/vk/gpu.h"
#include "tools/command.h"

static const char usage[] = "usage: lavablas device [--json]\n"
                            "Prints the device that would be used. Exit status 1: there is none.\n";

static const char *const kinds[] = {[LAVA_DEVICE_DISCRETE] = "discrete GPU",
                                    [LAVA_DEVICE_INTEGRATED] = "integrated GPU",
                                    [LAVA_DEVICE_VIRTUAL] = "virtual GPU",
                                    [LAVA_DEVICE_CPU] = "software"};

const char *device_kind(enum lava_device_kind kind) {
    return kinds[kind];
}

void device_print_source(const char *label) {
    const char *path = lava_calibration_path();
    if (lava_calibration_is_stored())
        printf("%smeasured, %s\n", label, lava_calibration_source());
    else if (path[0])
        printf("%sstarting values, there is no %s\n", label, path);
    else
        printf("%sstarting values, there is no cache\n", label);
}

bool device_read(struct lava_capabilities *capabilities, struct device_set *set, const char **why) {
    struct lava_device *device;
    if (lava_gpu_open(lava_config_get(), &device, why))
        return false;
    *capabilities = device->capabilities;
    if (set) {
        set->size = device->set_size;
        memcpy(set->indices, device->set, sizeof set->indices);
    }
    lava_gpu_close(device);
    return true;
}

void device_print_cpu(void) {
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

static void show_set(const struct device_set *set) {
    printf("  LAVABLAS_DEVICE      ");
    for (unsigned i = 0; i < set->size; i++)
        printf("%s%u", i ? "," : "", set->indices[i]);
    if (set->size > 1)
        printf(": %u devices of this model", set->size);
    printf("\n");
}

void device_print(const struct lava_capabilities *device, const struct device_set *set) {
    printf("device: %s (%s, %04x:%04x, driver %#x)\n", device->name, kinds[device->kind], device->vendor_id,
           device->device_id, device->driver_version);
    show_set(set);
    printf("  profile              %s\n", lava_profiles_find(device)->label);
    device_print_source("  figures              ");
    printf("  subgroup             %u invocations, for matrices %u\n", device->simt_subgroup_size,
           device->matrix_subgroup_size);
    printf("  workgroup            up to %u invocations, %u bytes of shared memory\n",
           device->max_workgroup_invocations, device->max_shared_bytes);
    if (device->multiprocessors)
        printf("  multiprocessors      %u\n", device->multiprocessors);
    printf("  memory to be used    %.2f GiB, one buffer up to %.2f GiB%s\n",
           (double)device->memory_bytes / 0x1p30, (double)device->max_buffer_bytes / 0x1p30,
           device->unified_memory ? ", shared with the host" : "");
    printf("  subnormals of fp32   %s\n", device->denorm_preserve_fp32 ? "kept" : "as the hardware does");
    show_shapes(device, LAVA_TYPE_FP16);
    show_shapes(device, LAVA_TYPE_BF16);
}

void device_put(const struct lava_capabilities *device) {
    printf("{\"name\":");
    lava_json_put(stdout, device->name);
    lava_json_put_member(stdout, "kind", kinds[device->kind]);
    lava_json_put_member(stdout, "profile", lava_profiles_find(device)->label);
    printf(",\"vendor_id\":%u,\"device_id\":%u,\"driver_version\":%u,\"memory_bytes\":%llu,"
           "\"max_buffer_bytes\":%llu,\"unified_memory\":%s,\"subgroup\":%u,\"matrix_subgroup\":%u,"
           "\"max_workgroup_invocations\":%u,\"max_shared_bytes\":%u,\"multiprocessors\":%u,\"fp64\":%s,"
           "\"shapes\":[",
           device->vendor_id, device->device_id, device->driver_version,
           (unsigned long long)device->memory_bytes, (unsigned long long)device->max_buffer_bytes,
           device->unified_memory ? "true" : "false", device->simt_subgroup_size,
           device->matrix_subgroup_size, device->max_workgroup_invocations, device->max_shared_bytes,
           device->multiprocessors, device->fp64 ? "true" : "false");
    for (uint32_t i = 0; i < device->shape_count; i++)
        printf("%s{\"type\":\"%s\",\"m\":%u,\"n\":%u,\"k\":%u}", i ? "," : "",
               lava_type_name(device->shapes[i].type), device->shapes[i].m, device->shapes[i].n,
               device->shapes[i].k);
    printf("]}");
}

int command_device(int argc, char **argv) {
    struct lava_capabilities device;
    struct device_set set;
    const char *why;
    bool json;
    int status = command_read_json(argc, argv, usage, &json);
    if (status >= 0)
        return status;
    if (!json)
        device_print_cpu();
    if (!device_read(&device, &set, &why)) {
        if (json) {
            printf("{\"device\":null");
            lava_json_put_member(stdout, "why", why);
            printf("}\n");
        } else {
            printf("device: none (%s)\n", why);
        }
        return COMMAND_NO;
    }
    lava_calibration_load(&device);
    if (json) {
        printf("{\"device\":");
        device_put(&device);
        printf("}\n");
    } else {
        device_print(&device, &set);
    }
    return COMMAND_DONE;
}
