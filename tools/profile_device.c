/* Makes up devices. Called by explain.c and whatif.c. Invariant: the device's profile is the one that it was
 * made of. */
#include "tools/profile_device.h"

#include <string.h>
#include <strings.h>

#include "dispatch/policy.h"
#include "lib/base/config.h"
#include "lib/host/cpu_blas.h"

/* No profile says how much memory a device has. */
#define MEMORY_BYTES (UINT64_C(16) << 30)
/* A vendor that no profile has. */
#define NO_VENDOR 0xffff

/* Shapes of cooperative matrices that devices have. */
static const struct lava_matrix_shape shapes[] = {
    {.m = 16, .n = 16, .k = 16, .narrow = true}, {.m = 16, .n = 8, .k = 16, .narrow = true},
    {.m = 16, .n = 8, .k = 8, .narrow = true},   {.m = 8, .n = 16, .k = 16, .narrow = true},
    {.m = 8, .n = 8, .k = 8, .narrow = true},
};

/* Adds the first shape with which the device can run the row. */
static void add_shape(struct lava_capabilities *device, const struct lava_kernel *row) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (lava_kernel_fits(row, device, NULL) || device->shape_count == LAVA_CAPABILITIES_MAX_SHAPES)
            return;
        device->shapes[device->shape_count] = shapes[i];
        device->shapes[device->shape_count++].type = lava_kernel_element_type(row);
        if (!lava_kernel_fits(row, device, NULL))
            device->shape_count--;
    }
}

static void make(const struct lava_profile *profile, struct lava_capabilities *device) {
    uint64_t memory_bytes = lava_config_get()->memory_bytes;
    const struct lava_capabilities *fastest = lava_profiles_fastest();
    *device = *fastest;
    device->kind = profile->kind < 0 ? LAVA_DEVICE_DISCRETE : (enum lava_device_kind)profile->kind;
    device->vendor_id = profile->vendor_id ? profile->vendor_id : NO_VENDOR;
    snprintf(device->name, sizeof device->name, "%s", profile->name_parts[0] ? profile->name_parts[0] : "");
    device->simt_subgroup_size = profile->simt_subgroup > 1 ? profile->simt_subgroup : 16;
    device->matrix_subgroup_size = profile->matrix_subgroup > 1 ? profile->matrix_subgroup : 16;
    device->max_shared_bytes = 65536;
    if (profile->multiprocessors > 0)
        device->multiprocessors = profile->multiprocessors;
    /* who tells how many multiprocessors there are does not follow from the profile */
    device->resident_groups = device->vendor_id == fastest->vendor_id ? device->multiprocessors : 1;
    device->unified_memory = device->kind == LAVA_DEVICE_INTEGRATED;
    device->shape_count = 0;
    device->fp64 = false;
    device->whole_matrices = profile->residue_way != NULL; /* such a way alone was measured on a device */
    if (lava_profiles_find(fastest) != profile || memory_bytes > 0)
        device->memory_bytes = device->max_buffer_bytes = memory_bytes > 0 ? memory_bytes : MEMORY_BYTES;
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *row = lava_kernels_find(profile->kernels[i].kernel);
        device->fp64 |= row->type == LAVA_TYPE_FP64;
        if (!lava_kernel_is_simt(row))
            add_shape(device, row);
    }
    device->integer_products =
        !device->fp64; /* every Vulkan 1.3 has them; fp64 was not estimated by them elsewhere */
}

void profile_device_list(FILE *stream) {
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "  %s\n", table[i].label);
}

static bool has_part(const char *label, const char *part) {
    size_t length = strlen(part);
    for (; *label; label++)
        if (!strncasecmp(label, part, length))
            return true;
    return false;
}

bool profile_device_find(const char *name, struct profile_device *made) {
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count), *found = NULL, *part = NULL;
    int parts = 0;
    for (size_t i = 0; i < count; i++) {
        if (!strcasecmp(table[i].label, name))
            found = &table[i];
        if (*name && has_part(table[i].label, name)) {
            part = &table[i];
            parts++;
        }
    }
    found = found ? found : parts == 1 ? part : NULL;
    if (!found) {
        fprintf(stderr, "lavablas: %s is no profile, nor a part of one alone; the profiles:\n", name);
        profile_device_list(stderr);
        return false;
    }
    *made = (struct profile_device){.label = found->label};
    make(found, &made->device);
    made->figures.cpu = lava_cpu_blas_figures(lava_cpu_blas_get());
    return true;
}

/* What is decided without an estimate. LAVA_REASON_COUNT: nothing is. */
static enum lava_reason reason_without(const struct lava_call *call) {
    if (!call->valid)
        return LAVA_REASON_INVALID;
    if (lava_operation_is_trivial(&call->operation))
        return LAVA_REASON_TRIVIAL;
    if (lava_operation_row(&call->operation)->is_vector)
        return lava_operation_has_resident(&call->operation) ? LAVA_REASON_COUNT : LAVA_REASON_ABSENT;
    return lava_operation_work_of(&call->operation, call->products) < LAVA_POLICY_CUTOFF ? LAVA_REASON_CUTOFF
                                                                                         : LAVA_REASON_COUNT;
}

void profile_device_choose(const struct profile_device *made, struct lava_call *call, double cpu_ns,
                           struct lava_plan *plan) {
    static const struct lava_overrides none;
    *plan = (struct lava_plan){.place = LAVA_PLACE_CPU, .reason = reason_without(call)};
    if (plan->reason == LAVA_REASON_COUNT)
        lava_policy_choose(&call->operation, &made->device, &made->figures, LAVA_MODE_AUTO, &none, plan);
    bool is_estimated = plan->reason == LAVA_REASON_PROFITABLE || plan->reason == LAVA_REASON_UNPROFITABLE;
    if (is_estimated && cpu_ns > 0 && plan->gpu_ns > 0) {
        bool pays = lava_policy_is_profitable(&call->operation, &made->figures, cpu_ns, plan->gpu_ns);
        plan->cpu_ns = cpu_ns;
        plan->place = pays ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
        plan->reason = pays ? LAVA_REASON_PROFITABLE : LAVA_REASON_UNPROFITABLE;
    }
    call->place = plan->place;
    call->reason = plan->reason;
}
