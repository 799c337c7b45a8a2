/* The test cases of a kernel row: sizes around its tile, every operation and layout, scalars, special values,
 * splits and blocks. Called by checkgemm.c for each row and device. */
#include "tests/checkgemm/check.h"

#include <stdio.h>
#include <string.h>

#include "lib/vk/modules.h"
#include "tests/checkgemm/measure.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROW = 101, COLUMN = 102, N = 111, T = 112, C = 113 };

static const struct check_case plain = {
    .layout = COLUMN, .transa = N, .transb = N, .alpha = 1, .entries = ENTRIES_UNIFORM};

/* Each dimension in turn takes sizes around the tile; the others take sizes that nothing divides. */
static void sizes(struct check_context *context, bool quick) {
    const struct lava_kernel *kernel = context->kernel;
    const int64_t m[] = {
        1, 2, 3, 5, kernel->tile_m - 1, kernel->tile_m, kernel->tile_m + 1, 2 * kernel->tile_m + 7};
    const int64_t n[] = {
        1, 2, 3, 5, kernel->tile_n - 1, kernel->tile_n, kernel->tile_n + 1, 2 * kernel->tile_n + 7};
    const int64_t k[] = {
        1, 2, 3, 7, kernel->tile_k - 1, kernel->tile_k, kernel->tile_k + 1, 5 * kernel->tile_k + 3};
    struct check_case item = plain;
    item.group = "sizes";
    for (size_t i = 0; i < COUNT(m); i++)
        for (size_t j = 0; j < COUNT(n); j++)
            for (size_t l = 0; l < COUNT(k); l++) {
                if (quick && (i + 3 * j + 5 * l) % 8 != 0)
                    continue; /* the remaining cases still cover every pair of sizes */
                item.m = m[i];
                item.n = n[j];
                item.k = k[l];
                item.transa = (i + j) % 2 ? T : N;
                item.transb = (j + l) % 2 ? T : N;
                item.entries = (i + j + l) % 4 == 3 ? ENTRIES_INTEGER : ENTRIES_UNIFORM;
                item.alpha = item.entries == ENTRIES_INTEGER ? (l % 2 ? -1.0 : 1.0) : (l % 3 ? 1.0 : 0.7);
                check_run(context, &item);
            }
}

/* Every layout, operation and pair of scalars, with leading dimensions above the minimum. */
static void operations(struct check_context *context, bool quick) {
    static const int layouts[] = {COLUMN, ROW}, ops[] = {N, T, C};
    static const double scalars[] = {1, -1, 0.7};
    static const double betas[] = {0, 1, -1, 0.7};
    struct check_case item = plain;
    item.group = "operations";
    item.m = 67;
    item.n = 45;
    item.k = 39;
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t a = 0; a < COUNT(ops); a++)
            for (size_t b = 0; b < COUNT(ops); b++)
                for (size_t s = 0; s < COUNT(scalars) * COUNT(betas); s++) {
                    if (quick && (l + a + b + s) % 3 != 0)
                        continue;
                    item.layout = layouts[l];
                    item.transa = ops[a];
                    item.transb = ops[b];
                    item.alpha = scalars[s % COUNT(scalars)];
                    item.beta = betas[s / COUNT(scalars)];
                    item.extra_ld = (int64_t)(s % 4) * 5;
                    check_run(context, &item);
                }
}

/* Thin, flat and long shapes; primes; and a short K with a wide C to test precision (TF32 inputs would miss
 * by 3000). */
static const struct {
    int64_t m, n, k;
    enum entries entries;
} shape_table[] = {
    {1, 4099, 31, ENTRIES_UNIFORM},    {4099, 1, 31, ENTRIES_UNIFORM},     {1, 1, 20011, ENTRIES_POSITIVE},
    {7, 5, 4099, ENTRIES_POSITIVE},    {257, 263, 1, ENTRIES_UNIFORM},     {257, 263, 2, ENTRIES_POSITIVE},
    {257, 263, 16, ENTRIES_POSITIVE},  {257, 263, 32, ENTRIES_UNIFORM},    {131, 137, 139, ENTRIES_POSITIVE},
    {211, 61, 1009, ENTRIES_POSITIVE}, {61, 211, 509, ENTRIES_UNIFORM},    {293, 307, 64, ENTRIES_INTEGER},
    {19, 2003, 127, ENTRIES_INTEGER},  {2003, 19, 127, ENTRIES_INTEGER},   {64, 64, 64, ENTRIES_SUBNORMAL},
    {70, 90, 33, ENTRIES_SUBNORMAL},   {66, 130, 40, ENTRIES_LARGE},       {128, 64, 37, ENTRIES_LARGE},
    {90, 70, 130, ENTRIES_CANCELLING}, {33, 130, 257, ENTRIES_CANCELLING}, {128, 64, 256, ENTRIES_CANCELLING},
    {90, 70, 40, ENTRIES_SPECIAL},     {33, 130, 200, ENTRIES_SPECIAL},    {130, 33, 17, ENTRIES_SPECIAL},
    {260, 270, 50, ENTRIES_SPECIAL},
};

/* Entries for which adding C would hide the product's errors or its overflow. */
static bool is_bare(enum entries entries) {
    return entries == ENTRIES_SPECIAL || entries == ENTRIES_SUBNORMAL || entries == ENTRIES_LARGE;
}

static double shape_beta(enum entries entries, int op) {
    if (entries == ENTRIES_CANCELLING)
        return op & 1 ? -1 : 0; /* both exact */
    return is_bare(entries) ? 0 : 0.5;
}

static void shapes(struct check_context *context, bool quick) {
    struct check_case item = plain;
    item.group = "shapes";
    for (size_t i = 0; i < COUNT(shape_table); i++)
        for (int op = 0; op < (quick ? 1 : 4); op++) {
            item.m = shape_table[i].m;
            item.n = shape_table[i].n;
            item.k = shape_table[i].k;
            item.entries = shape_table[i].entries;
            item.transa = op & 1 ? T : N;
            item.transb = op & 2 ? N : T;
            item.beta = shape_beta(item.entries, quick ? (int)i : op);
            item.extra_ld = (int64_t)(i % 3);
            check_run(context, &item);
        }
}

/* Split K: slices that the epilogue adds. */
static void split(struct check_context *context) {
    struct check_case item = plain;
    item.group = "split";
    item.m = 150;
    item.n = 170;
    item.k = 1200;
    item.entries = ENTRIES_POSITIVE;
    item.alpha = -1.5;
    for (uint32_t slices = 2; slices <= 16; slices *= 2)
        for (int zero = 0; zero < 2; zero++) { /* C in its type, or fp32 for write-back */
            item.beta = zero ? 0 : 0.5;
            item.overrides = (struct lava_overrides){.split_k = slices, .persistent = slices == 4 ? 2 : 0};
            check_run(context, &item);
        }
    item.group = "split special";
    item.entries = ENTRIES_SPECIAL;
    item.beta = 0;
    item.overrides.split_k = 3;
    check_run(context, &item);
}

/* Blocks of C forced by little memory, and requested column blocks. */
static void blocks(struct check_context *context, bool quick) {
    static const uint64_t memory[] = {1 << 20, 700 << 10, 400 << 10};
    uint64_t scale = context->type == LAVA_TYPE_FP64 ? 2 : 1;
    struct check_case item = plain;
    item.group = "blocks";
    item.m = 301;
    item.n = 277;
    item.k = lava_type_is_half(context->type) ? 806 : 403; /* the same number of bytes */
    item.entries = ENTRIES_POSITIVE;
    item.alpha = -1.5;
    item.extra_ld = 3;
    for (size_t i = 0; i < COUNT(memory); i++)
        for (int op = 0; op < (quick ? 2 : 4); op++) {
            item.transa = op & 1 ? T : N;
            item.transb = op & 2 ? T : N;
            item.beta = (op + (int)i) % 2 ? 0 : 0.5;
            item.overrides =
                (struct lava_overrides){.memory_bytes = memory[i] * scale, .split_k = op == 3 ? 2 : 0};
            check_run(context, &item);
        }
    item.group = "columns";
    item.m = 40;
    item.n = 5 * 16 * context->kernel->tile_n + 11;
    item.k = 21;
    item.overrides = (struct lava_overrides){.column_blocks = 4};
    check_run(context, &item);
}

/* Panels of K whose products are added, with and without slices. */
static void panels(struct check_context *context, bool quick) {
    struct check_case item = plain;
    item.group = "K cut";
    item.m = (int64_t)context->kernel->tile_m + 13;
    item.n = (int64_t)context->kernel->tile_n + 5;
    item.k = 2100;
    item.entries = ENTRIES_POSITIVE;
    item.alpha = -1.5;
    item.blocks_k = 2;
    for (int turn = 0; turn < (quick ? 2 : 4); turn++) {
        item.transa = turn & 1 ? T : N;
        item.transb = turn & 1 ? N : T;
        item.beta = turn & 1 ? 0 : 0.5;
        item.overrides = (struct lava_overrides){.memory_bytes = check_memory(context, &item) / 3,
                                                 .split_k = turn & 2 ? 2 : 0};
        check_run(context, &item);
    }
}

void check_kernel(struct check_context *context, bool quick) {
    sizes(context, quick);
    operations(context, quick);
    shapes(context, quick);
    split(context);
    blocks(context, quick);
    panels(context, quick);
    check_orders(context);
    if (lava_type_is_half(context->type_c))
        check_roundings(context);
    if (lava_scheme(context->kernel->scheme)->screened)
        check_screened(context, quick);
}

/* A product for the context's kernel with several tiles in each dimension and partial tiles at the edges. */
static struct lava_operation order_operation(const struct check_context *context,
                                             const struct check_matrix matrices[3]) {
    return (struct lava_operation){.type = context->type,
                                   .c.type = context->type_c,
                                   .m = matrices[2].rows,
                                   .n = matrices[2].columns,
                                   .k = matrices[0].columns,
                                   .a.ld = matrices[0].ld,
                                   .b.ld = matrices[1].ld,
                                   .c.ld = matrices[2].ld,
                                   .alpha.real = 1,
                                   .a.first = matrices[0].data,
                                   .b.first = matrices[1].data,
                                   .c.first = matrices[2].data};
}

/* The values of the linear order with one workgroup per tile are checked by the cases above. */
void check_orders(struct check_context *context) {
    const struct lava_kernel *kernel = context->kernel;
    int64_t m = 6 * kernel->tile_m + 5, n = 5 * kernel->tile_n + 3, k = 4 * kernel->tile_k + 1;
    struct check_matrix matrices[3] = {check_matrix_make(context->type, m, k, 0),
                                       check_matrix_make(context->type, k, n, 0),
                                       check_matrix_make(context->type_c, m, n, 0)};
    struct check_matrix expected = {0};
    uint64_t state = context->seed;
    check_matrix_fill(&matrices[0], ENTRIES_UNIFORM, &state);
    check_matrix_fill(&matrices[1], ENTRIES_UNIFORM, &state);
    const struct lava_operation operation = order_operation(context, matrices);
    for (int order = 0; order < LAVA_TILE_ORDER_COUNT; order++)
        for (int persistent = 1; persistent <= 2; persistent++) {
            char label[CHECK_LABEL_BYTES];
            const struct lava_overrides overrides = {
                .order = 1 + order, .persistent = persistent, .split_k = 1};
            check_matrix_poison(&matrices[2]);
            const char *why = check_compute(context, &operation, &overrides, NULL);
            if (!why && !expected.buffer)
                expected = check_matrix_copy(&matrices[2]);
            if (!why && memcmp(expected.buffer, matrices[2].buffer, check_matrix_bytes(&expected)) != 0)
                why = "FAIL: other bits than linear order gives";
            if (why || context->verbose)
                printf("%-41s %s, %s: %s\n", check_label(context, label),
                       lava_tile_order_name((enum lava_tile_order)order),
                       persistent == 2 ? "persistent" : "a workgroup a tile", why ? why : "PASS");
            *(why ? &context->failed : &context->passed) += 1;
        }
    check_matrix_free(&expected);
    for (int i = 0; i < 3; i++)
        check_matrix_free(&matrices[i]);
}

/* Counts rows of the type whose kernels are all in the library, and all rows of the type. */
static size_t rows_with_modules(enum lava_type type, size_t *of_type) {
    size_t rows, present = 0;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    *of_type = 0;
    for (size_t i = 0; i < rows; i++) {
        if (table[i].type != lava_type_real(type))
            continue;
        *of_type += 1;
        present += lava_modules_has(table[i].module) && lava_modules_has(lava_kernel_pack_module(&table[i]));
    }
    return present;
}

/* Returns whether a device may lack the type. Matrix shapes that a row needs are not considered here. */
static bool may_lack(const struct lava_capabilities *device, enum lava_type type) {
    return lava_type_is_half(type) || (lava_type_real(type) == LAVA_TYPE_FP64 && !device->fp64);
}

void check_refusal(struct check_context *context, enum lava_type type, bool complete) {
    struct lava_operation operation = measure_operation(type, type, 256, 256, 256, context->seed);
    const struct lava_overrides overrides = {0};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_plan plan;
    size_t of_type, present = rows_with_modules(type, &of_type);
    lava_policy_choose(&operation, &context->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides,
                       &plan);
    measure_free(&operation);
    bool may = may_lack(&context->engine->capabilities, type);
    bool refused = plan.place == LAVA_PLACE_CPU && plan.reason == LAVA_REASON_NO_KERNEL;
    bool modules_right = present == of_type || (present == 0 && !complete);
    printf("%s: %s; %s\n", lava_type_name(type),
           !may      ? "FAIL: no row serves it, and the device lacks nothing"
           : refused ? "refused: the device has no kernel for it"
                     : "FAIL: not refused",
           !modules_right ? "FAIL: not all modules are in the library"
           : present      ? "its modules are in the library"
                          : "its modules are not in this library");
    *(refused && may ? &context->passed : &context->failed) += 1;
    *(modules_right ? &context->passed : &context->failed) += 1;
}
