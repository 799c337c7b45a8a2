/* The rows of the kernel table and what each requires of a device. Read by policy.c, by lib/vk when it
 * creates pipelines, by tests and by checkgemm. Invariant: every requirement is computed from the row's own
 * numbers; nothing about a row is stated twice. */
#include "dispatch/kernels.h"

#include <string.h>

#include "shaders/interface.h"

/* Operands move in 16-byte words. */
#define WORD_BYTES 16
/* Padding after each row in shared memory, so that rows of a matrix lie in different banks. Must match
 * shaders/multiply_shared.comp. */
#define ROW_PADDING_ELEMENTS 8

// clang-format off
/* Properties shared by all rows of a multiply module. Other modules have no rows. The last columns are the
 * same kernel with results in the type of A and B: from matrices of sums in that type, and through patches
 * in shared memory.
 *
 *   module                                  SIMT   algorithm    packed layout          packed by                              narrow                                       patched */
static const struct module {
    bool is_simt; const char *algorithm; enum lava_layout layout; enum lava_module pack, narrow, patched;
} modules[LAVA_MODULE_COUNT] = {
    [LAVA_MODULE_MULTIPLY_FP32]           = {true,  "SIMT",      LAVA_LAYOUT_PANELS,    LAVA_MODULE_PACK_FP32,                 LAVA_MODULE_COUNT,                           LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_FP64]           = {true,  "SIMT",      LAVA_LAYOUT_PANELS,    LAVA_MODULE_PACK_FP64,                 LAVA_MODULE_COUNT,                           LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16] = {false, "fragments", LAVA_LAYOUT_FRAGMENTS, LAVA_MODULE_PACK_FRAGMENTS_FP16,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16_NARROW,  LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16_PATCHED},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16] = {false, "fragments", LAVA_LAYOUT_FRAGMENTS, LAVA_MODULE_PACK_FRAGMENTS_BF16,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16_NARROW,  LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16_PATCHED},
    [LAVA_MODULE_MULTIPLY_PLANES_FP16]    = {false, "planes",    LAVA_LAYOUT_FRAGMENTS, LAVA_MODULE_PACK_PLANES_FP16,          LAVA_MODULE_COUNT,                           LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_PLANES_BF16]    = {false, "planes",    LAVA_LAYOUT_FRAGMENTS, LAVA_MODULE_PACK_PLANES_BF16,          LAVA_MODULE_COUNT,                           LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_SHARED_FP16]    = {false, "shared",    LAVA_LAYOUT_OCTETS,    LAVA_MODULE_PACK_HALF,                 LAVA_MODULE_MULTIPLY_SHARED_FP16_NARROW,     LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_SHARED_BF16]    = {false, "shared",    LAVA_LAYOUT_OCTETS,    LAVA_MODULE_PACK_HALF,                 LAVA_MODULE_MULTIPLY_SHARED_BF16_NARROW,     LAVA_MODULE_COUNT},
};

/* The same with a triangular operand. */
static const struct {
    enum lava_module module, triangular;
} triangular_modules[] = {
    {LAVA_MODULE_MULTIPLY_FP32,          LAVA_MODULE_MULTIPLY_FP32_TRIANGLE},
    {LAVA_MODULE_MULTIPLY_FP32_SCREENED, LAVA_MODULE_MULTIPLY_FP32_SCREENED_TRIANGLE},
    {LAVA_MODULE_MULTIPLY_FP64,          LAVA_MODULE_MULTIPLY_FP64_TRIANGLE},
    {LAVA_MODULE_MULTIPLY_PLANES_FP16,   LAVA_MODULE_MULTIPLY_PLANES_FP16_TRIANGLE},
    {LAVA_MODULE_MULTIPLY_PLANES_BF16,   LAVA_MODULE_MULTIPLY_PLANES_BF16_TRIANGLE},
};

/* Every row fits 32 KiB of shared memory, subgroups of 8, 16, 32 and 64, and cooperative matrices of 8x8x8.
 * Each therefore also runs in software, where CI tests it (except bf16: Mesa has no such matrices). The fp32
 * shapes started from those that public kernels converged on (CLBlast, llama.cpp). Those kept were the
 * fastest for some size on an H200 (doc/tuning.md lists them and the ones dropped). For fp16 and bf16, the
 * rows of fragments are the best of 197 that perf/tune tried there, plus the best for small products; the
 * shared rows are starting values taken from other projects.
 *
 *   type, scheme         type of A and B, and how they are split into planes
 *   tile m x n           of C, per workgroup
 *   k                    elements of K per step
 *   part m x n           of C, per invocation (SIMT) or subgroup (matrix): that many sums in registers
 *   st                   stages: shared memory; for fragments, sets in registers; for planes, depths a chunk
 *   fallback             the row for tiles that planes cannot represent */
static const struct lava_kernel table[] = {
    /* name                    type            scheme                  module                            tile m    n   k part m   n st  fallback */
    {"fp32_128x128",           LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,           128, 128, 16,    8,   8, 2, NULL},
    {"fp32_128x128_16x8",      LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,           128, 128,  8,   16,   8, 2, NULL},
    {"fp32_128x64",            LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,           128,  64, 16,    8,   8, 2, NULL},
    {"fp32_128x64_8x4",        LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,           128,  64, 16,    8,   4, 2, NULL},
    {"fp32_64x64",             LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,            64,  64, 16,    8,   4, 2, NULL},
    {"fp32_32x32",             LAVA_TYPE_FP32, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP32,            32,  32, 16,    4,   4, 2, NULL},

    {"bf16x3_128x128",         LAVA_TYPE_FP32, LAVA_SCHEME_BF16X3,     LAVA_MODULE_MULTIPLY_PLANES_BF16,    128, 128, 32,   32,  64, 2, "fp32_128x128_16x8"},
    {"bf16x3_128x64",          LAVA_TYPE_FP32, LAVA_SCHEME_BF16X3,     LAVA_MODULE_MULTIPLY_PLANES_BF16,    128,  64, 32,   32,  64, 2, "fp32_128x64"},
    {"bf16x3_64x64",           LAVA_TYPE_FP32, LAVA_SCHEME_BF16X3,     LAVA_MODULE_MULTIPLY_PLANES_BF16,     64,  64, 32,   32,  32, 2, "fp32_64x64"},
    {"bf16x3_all_128x128",     LAVA_TYPE_FP32, LAVA_SCHEME_BF16X3_ALL, LAVA_MODULE_MULTIPLY_PLANES_BF16,    128, 128, 32,   32,  64, 2, "fp32_128x128_16x8"},
    {"fp16x3_128x128",         LAVA_TYPE_FP32, LAVA_SCHEME_FP16X3,     LAVA_MODULE_MULTIPLY_PLANES_FP16,    128, 128, 32,   32,  64, 2, "fp32_128x128_16x8"},
    {"fp16x3_64x64",           LAVA_TYPE_FP32, LAVA_SCHEME_FP16X3,     LAVA_MODULE_MULTIPLY_PLANES_FP16,     64,  64, 32,   32,  32, 2, "fp32_64x64"},
    {"fp16x2_128x128",         LAVA_TYPE_FP32, LAVA_SCHEME_FP16X2,     LAVA_MODULE_MULTIPLY_PLANES_FP16,    128, 128, 32,   32,  64, 2, "fp32_128x128_16x8"},
    {"fp16x2_all_128x128",     LAVA_TYPE_FP32, LAVA_SCHEME_FP16X2_ALL, LAVA_MODULE_MULTIPLY_PLANES_FP16,    128, 128, 32,   32,  64, 2, "fp32_128x128_16x8"},
    {"bf16x1_128x128",         LAVA_TYPE_FP32, LAVA_SCHEME_BF16X1,     LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16, 128, 128, 32,   64,  64, 2, NULL},

    {"fp16_fragments_128x128", LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16, 128, 128, 32,   64,  64, 2, NULL},
    {"fp16_fragments_64x128",  LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16,  64, 128, 64,   32,  64, 4, NULL},
    {"fp16_fragments_64x64",   LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16,  64,  64, 64,   32,  32, 4, NULL},
    {"fp16_fragments_64x64_16x16", LAVA_TYPE_FP16, LAVA_SCHEME_NONE,     LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16,  64,  64, 32,   16,  16, 2, NULL},
    {"fp16_fragments_128x16",  LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16, 128,  16, 64,   32,  16, 4, NULL},
    {"fp16_fragments_16x128",  LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16,  16, 128, 64,   16,  32, 4, NULL},
    {"fp16_shared_128x128",    LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_SHARED_FP16,    128, 128, 16,   64,  64, 2, NULL},
    {"fp16_shared_64x64",      LAVA_TYPE_FP16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_SHARED_FP16,     64,  64, 32,   32,  32, 2, NULL},

    {"bf16_fragments_128x128", LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16, 128, 128, 32,   64,  64, 2, NULL},
    {"bf16_fragments_64x128",  LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,  64, 128, 64,   32,  64, 4, NULL},
    {"bf16_fragments_64x64",   LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,  64,  64, 64,   32,  32, 4, NULL},
    {"bf16_fragments_64x64_16x16", LAVA_TYPE_BF16, LAVA_SCHEME_NONE,     LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,  64,  64, 32,   16,  16, 2, NULL},
    {"bf16_fragments_128x16",  LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16, 128,  16, 64,   32,  16, 4, NULL},
    {"bf16_fragments_16x128",  LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,  16, 128, 64,   16,  32, 4, NULL},
    {"bf16_shared_128x128",    LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_SHARED_BF16,    128, 128, 16,   64,  64, 2, NULL},
    {"bf16_shared_64x64",      LAVA_TYPE_BF16, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_SHARED_BF16,     64,  64, 32,   32,  32, 2, NULL},

    {"fp64_128x128",           LAVA_TYPE_FP64, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP64,           128, 128,  8,    8,   8, 2, NULL},
    {"fp64_128x64",            LAVA_TYPE_FP64, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP64,           128,  64,  8,    8,   8, 2, NULL},
    {"fp64_64x64",             LAVA_TYPE_FP64, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP64,            64,  64,  8,    8,   4, 2, NULL},
    {"fp64_32x32",             LAVA_TYPE_FP64, LAVA_SCHEME_NONE,       LAVA_MODULE_MULTIPLY_FP64,            32,  32, 16,    4,   4, 2, NULL},
};

/* Lanes of a SIMT subgroup along M. A subgroup covers an area of C that is as square as its size allows, in
 * the shader's Morton order. The longer side is along M, where C and the packed panels are contiguous for
 * most rows.
 *
 * subgroup size, lanes along M */
static const struct { uint32_t size, lanes_m; } lanes[] = {
    {  1,  1},
    {  2,  2},
    {  4,  2},
    {  8,  4},
    { 16,  4},
    { 32,  8},
    { 64,  8},
    {128, 16},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct lava_kernel *lava_kernels_table(size_t *count) {
    *count = COUNT(table);
    return table;
}

void lava_kernel_refuse(const struct lava_kernel *kernel, struct lava_capabilities *device) {
    _Static_assert(COUNT(table) <= 64, "a bit for each row");
    const struct lava_kernel *row = lava_kernels_find(kernel->name);
    if (row)
        device->refused_kernels |= UINT64_C(1) << (row - table);
}

void lava_kernel_admit(const struct lava_kernel *kernel, struct lava_capabilities *device) {
    const struct lava_kernel *row = lava_kernels_find(kernel->name);
    if (row)
        device->refused_kernels &= ~(UINT64_C(1) << (row - table));
}

const struct lava_kernel *lava_kernels_find(const char *name) {
    for (size_t i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *lava_kernel_algorithm(const struct lava_kernel *kernel) {
    return modules[kernel->module].algorithm;
}

enum lava_layout lava_kernel_layout(const struct lava_kernel *kernel) {
    return modules[kernel->module].layout;
}

enum lava_module lava_kernel_pack_module(const struct lava_kernel *kernel) {
    if (kernel->scheme == LAVA_SCHEME_NONE)
        return modules[kernel->module].pack;
    return lava_kernel_element_type(kernel) == LAVA_TYPE_BF16 ? LAVA_MODULE_PACK_PLANES_BF16
                                                              : LAVA_MODULE_PACK_PLANES_FP16;
}

uint32_t lava_kernel_pack_block(const struct lava_kernel *kernel) {
    enum lava_module pack = lava_kernel_pack_module(kernel);
    return pack == LAVA_MODULE_PACK_FP32 || pack == LAVA_MODULE_PACK_FP64 ? LAVA_PACK_BLOCK
                                                                          : LAVA_PACK_BLOCK_MATRIX;
}

enum lava_type lava_kernel_element_type(const struct lava_kernel *kernel) {
    return kernel->scheme == LAVA_SCHEME_NONE ? kernel->type : lava_scheme(kernel->scheme)->type;
}

const struct lava_kernel *lava_kernel_fallback(const struct lava_kernel *kernel) {
    return kernel->fallback ? lava_kernels_find(kernel->fallback) : NULL;
}

bool lava_kernel_serves(const struct lava_kernel *kernel, const struct lava_operation *operation) {
    return kernel->type == lava_type_real(operation->type) &&
           lava_scheme_serves(lava_scheme(kernel->scheme), operation);
}

bool lava_kernel_is_simt(const struct lava_kernel *kernel) {
    return modules[kernel->module].is_simt;
}

/* Shared memory of the patched module: a patch of fp32 for each subgroup, as high as its part, as wide as one
 * of its matrices. */
static uint32_t patches_bytes(const struct lava_kernel *kernel, const struct lava_matrix_shape *shape) {
    uint32_t subgroups = kernel->tile_m * kernel->tile_n / (kernel->part_m * kernel->part_n);
    return subgroups * (kernel->part_m + LAVA_PATCH_PADDING) * shape->n * (uint32_t)sizeof(float);
}

/* Patches are read in groups of four elements of a column. */
static bool has_patches(const struct lava_kernel *kernel, const struct lava_matrix_shape *shape,
                        const struct lava_capabilities *device) {
    return shape->m % 4 == 0 && patches_bytes(kernel, shape) <= device->max_shared_bytes;
}

enum lava_module lava_kernel_narrow_module(const struct lava_kernel *kernel,
                                           const struct lava_capabilities *device) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(kernel, device);
    if (!shape)
        return LAVA_MODULE_COUNT;
    if (shape->narrow)
        return modules[kernel->module].narrow;
    return has_patches(kernel, shape, device) ? modules[kernel->module].patched : LAVA_MODULE_COUNT;
}

enum lava_module lava_kernel_triangular_module(enum lava_module module) {
    for (size_t i = 0; i < COUNT(triangular_modules); i++)
        if (triangular_modules[i].module == module)
            return triangular_modules[i].triangular;
    return module;
}

bool lava_kernel_narrows(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    return lava_kernel_narrow_module(kernel, device) != LAVA_MODULE_COUNT;
}

uint32_t lava_kernel_subgroup_size(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    return lava_kernel_is_simt(kernel) ? device->simt_subgroup_size : device->matrix_subgroup_size;
}

static bool shape_fits(const struct lava_kernel *kernel, const struct lava_matrix_shape *shape) {
    return shape->type == lava_kernel_element_type(kernel) && kernel->part_m % shape->m == 0 &&
           kernel->part_n % shape->n == 0 && kernel->tile_k % shape->k == 0;
}

const struct lava_matrix_shape *lava_kernel_shape(const struct lava_kernel *kernel,
                                                  const struct lava_capabilities *device) {
    const struct lava_matrix_shape *best = NULL;
    if (lava_kernel_is_simt(kernel))
        return NULL;
    for (uint32_t i = 0; i < device->shape_count; i++) {
        const struct lava_matrix_shape *shape = &device->shapes[i];
        if (shape_fits(kernel, shape) &&
            (!best || shape->m * shape->n * shape->k > best->m * best->n * best->k))
            best = shape;
    }
    return best;
}

uint32_t lava_kernel_invocations(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    uint32_t parts = kernel->tile_m * kernel->tile_n / (kernel->part_m * kernel->part_n);
    return lava_kernel_is_simt(kernel) ? parts : parts * device->matrix_subgroup_size;
}

uint32_t lava_kernel_shared_bytes(const struct lava_kernel *kernel) {
    uint32_t padding = lava_kernel_is_simt(kernel) ? 0 : ROW_PADDING_ELEMENTS;
    if (lava_kernel_layout(kernel) == LAVA_LAYOUT_FRAGMENTS)
        return 0;
    return kernel->stages * (kernel->tile_m + kernel->tile_n) * (kernel->tile_k + padding) *
           (uint32_t)lava_type_bytes(kernel->type);
}

/* Returns 0 if the kernels do not support this subgroup size. */
uint32_t lava_kernel_lanes_m(uint32_t subgroup_size) {
    for (size_t i = 0; i < COUNT(lanes); i++)
        if (lanes[i].size == subgroup_size)
            return lanes[i].lanes_m;
    return 0;
}

static uint32_t word_elements(const struct lava_kernel *kernel) {
    return WORD_BYTES / (uint32_t)lava_type_bytes(kernel->type);
}

/* Returns whether each invocation copies the same number of words of a step to shared memory. */
static bool staged_evenly(const struct lava_kernel *kernel, uint32_t invocations) {
    return kernel->tile_m * kernel->tile_k / word_elements(kernel) % invocations == 0 &&
           kernel->tile_n * kernel->tile_k / word_elements(kernel) % invocations == 0;
}

static const char *simt_obstacle(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    uint32_t subgroup = device->simt_subgroup_size, lanes_m = lava_kernel_lanes_m(subgroup);
    if (kernel->type == LAVA_TYPE_FP64 && !device->fp64)
        return "the device has no fp64";
    if (kernel->part_m % word_elements(kernel) != 0 || kernel->part_n % word_elements(kernel) != 0)
        return "an invocation's share is not made of 16-byte words";
    if (lava_kernel_invocations(kernel, device) % subgroup != 0)
        return "the workgroup is not made of whole subgroups";
    if (kernel->tile_m % (lanes_m * kernel->part_m) != 0 ||
        kernel->tile_n % (subgroup / lanes_m * kernel->part_n) != 0)
        return "a subgroup's part does not divide the tile";
    return NULL;
}

bool lava_kernel_has_matrices(const struct lava_capabilities *device, enum lava_type type) {
    for (uint32_t i = 0; i < device->shape_count; i++)
        if (device->shapes[i].type == type)
            return true;
    return false;
}

/* Pack and multiply move an invocation's share of a fragment in 32-bit words. If a device gives several
 * invocations the same element, the share is larger than computed here. The profiles list no such row for
 * those devices, and the self-test would refuse it. */
static bool shares_are_words(uint32_t elements, uint32_t subgroup_size) {
    uint32_t words = elements / (2 * subgroup_size);
    return elements % (2 * subgroup_size) == 0 && (words == 1 || words == 2 || words == 4 || words == 8);
}

/* A screened row needs exponents for each of its tiles, and a fallback with the same tile size. */
static const char *planes_obstacle(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    const struct lava_kernel *fallback = lava_kernel_fallback(kernel);
    if (!lava_scheme(kernel->scheme)->screened)
        return NULL;
    if (kernel->tile_m % LAVA_PACK_BLOCK_MATRIX != 0 || kernel->tile_n % LAVA_PACK_BLOCK_MATRIX != 0)
        return "a tile is smaller than a block that is packed";
    if (!fallback || !lava_kernel_is_simt(fallback) || fallback->tile_m != kernel->tile_m ||
        fallback->tile_n != kernel->tile_n || kernel->tile_k % fallback->tile_k != 0)
        return "there is no fallback of the same tile";
    const char *why;
    lava_kernel_fits(fallback, device, &why);
    return why;
}

static const char *matrix_obstacle(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(kernel, device);
    enum lava_type type = lava_kernel_element_type(kernel);
    if (!lava_kernel_has_matrices(device, type))
        return type == LAVA_TYPE_BF16 ? "the device has no cooperative matrices of bf16"
                                      : "the device has no cooperative matrices of fp16";
    if (!shape)
        return "none of the device's shapes of cooperative matrices divides a subgroup's part";
    if (kernel->tile_m % kernel->part_m != 0 || kernel->tile_n % kernel->part_n != 0)
        return "a subgroup's part does not divide the tile";
    if (lava_kernel_layout(kernel) == LAVA_LAYOUT_FRAGMENTS &&
        (!shares_are_words(shape->m * shape->k, device->matrix_subgroup_size) ||
         !shares_are_words(shape->n * shape->k, device->matrix_subgroup_size)))
        return "an invocation's share of a fragment is not made of 32-bit words";
    if (lava_kernel_layout(kernel) == LAVA_LAYOUT_FRAGMENTS &&
        kernel->tile_k / shape->k % kernel->stages != 0)
        return "a step is not made of whole rounds of fragments";
    if (kernel->scheme != LAVA_SCHEME_NONE)
        return planes_obstacle(kernel, device);
    return NULL;
}

/* Compares names, because the kernel need not be the table's own row. */
static bool is_refused(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    if (device->refused_kernels == 0)
        return false;
    const struct lava_kernel *row = lava_kernels_find(kernel->name);
    return row && (device->refused_kernels >> (row - table) & 1);
}

static const char *obstacle(const struct lava_kernel *kernel, const struct lava_capabilities *device) {
    if (is_refused(kernel, device))
        return "it failed its test on the device, or is not tested yet";
    if (lava_kernel_lanes_m(lava_kernel_subgroup_size(kernel, device)) == 0)
        return "the device's subgroup size is not one the kernels know";
    const char *why =
        lava_kernel_is_simt(kernel) ? simt_obstacle(kernel, device) : matrix_obstacle(kernel, device);
    if (why)
        return why;
    uint32_t invocations = lava_kernel_invocations(kernel, device);
    if (invocations > device->max_workgroup_invocations)
        return "more invocations than a workgroup of the device may have";
    if (device->max_workgroup_subgroups > 0 &&
        invocations / lava_kernel_subgroup_size(kernel, device) > device->max_workgroup_subgroups)
        return "more subgroups than a workgroup of the device may have";
    if (lava_kernel_shared_bytes(kernel) > device->max_shared_bytes)
        return "more shared memory than the device has";
    if (lava_kernel_layout(kernel) != LAVA_LAYOUT_FRAGMENTS && !staged_evenly(kernel, invocations))
        return "the 16-byte words of a step do not divide evenly among the invocations";
    return NULL;
}

bool lava_kernel_fits(const struct lava_kernel *kernel, const struct lava_capabilities *device,
                      const char **reason) {
    const char *why = obstacle(kernel, device);
    if (reason)
        *reason = why;
    return why == NULL;
}
