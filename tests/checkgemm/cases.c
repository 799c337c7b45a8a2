/* The cases of a kernel row: sizes around its tile, every operation and layout, scalars, special values,
 * splits and blocks. Called by checkgemm.c for each row and device. */
#include "tests/checkgemm/checkgemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROW = 101, COLUMN = 102, N = 111, T = 112, C = 113 };

static const struct check_case plain = {
    .layout = COLUMN, .transa = N, .transb = N, .alpha = 1, .entries = ENTRIES_UNIFORM};

/* Each dimension in turn around the tile, the others at sizes that divide nothing. */
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
            for (size_t l = 0; l < COUNT(k); l += quick ? 3 : 1) {
                if (quick && (i + j + l) % 3 != 0)
                    continue;
                item.m = m[i];
                item.n = n[j];
                item.k = k[l];
                item.transa = (i + j) % 2 ? T : N;
                item.transb = (j + l) % 2 ? T : N;
                item.entries = (i + j + l) % 4 == 3 ? ENTRIES_INTEGER : ENTRIES_UNIFORM;
                check_run(context, &item);
            }
}

/* Every layout, operation and pair of scalars, with leading dimensions above the minimum. */
static void operations(struct check_context *context, bool quick) {
    static const int layouts[] = {COLUMN, ROW}, ops[] = {N, T, C};
    static const float scalars[] = {1, -1, 0.7f};
    static const float betas[] = {0, 1, -1, 0.7f};
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

/* Thin, flat and long; primes; the precision probe's short K on a wide C (TF32 inputs would miss by 3000). */
static void shapes(struct check_context *context, bool quick) {
    static const struct {
        int64_t m, n, k;
        enum entries entries;
    } table[] = {
        {1, 4099, 31, ENTRIES_UNIFORM},    {4099, 1, 31, ENTRIES_UNIFORM},
        {1, 1, 20011, ENTRIES_POSITIVE},   {7, 5, 4099, ENTRIES_POSITIVE},
        {257, 263, 1, ENTRIES_UNIFORM},    {257, 263, 2, ENTRIES_POSITIVE},
        {257, 263, 16, ENTRIES_POSITIVE},  {257, 263, 32, ENTRIES_UNIFORM},
        {131, 137, 139, ENTRIES_POSITIVE}, {211, 61, 1009, ENTRIES_POSITIVE},
        {61, 211, 509, ENTRIES_UNIFORM},   {293, 307, 64, ENTRIES_INTEGER},
        {19, 2003, 127, ENTRIES_INTEGER},  {2003, 19, 127, ENTRIES_INTEGER},
        {64, 64, 64, ENTRIES_SUBNORMAL},   {70, 90, 33, ENTRIES_SUBNORMAL},
        {90, 70, 40, ENTRIES_SPECIAL},     {33, 130, 200, ENTRIES_SPECIAL},
        {130, 33, 17, ENTRIES_SPECIAL},    {260, 270, 50, ENTRIES_SPECIAL},
    };
    struct check_case item = plain;
    item.group = "shapes";
    for (size_t i = 0; i < COUNT(table); i++)
        for (int op = 0; op < (quick ? 1 : 4); op++) {
            item.m = table[i].m;
            item.n = table[i].n;
            item.k = table[i].k;
            item.entries = table[i].entries;
            item.transa = op & 1 ? T : N;
            item.transb = op & 2 ? N : T;
            bool bare = table[i].entries == ENTRIES_SPECIAL || table[i].entries == ENTRIES_SUBNORMAL;
            item.beta = bare ? 0.0f : 0.5f; /* C itself would hide what the product's errors are */
            item.extra_ld = (int64_t)(i % 3);
            check_run(context, &item);
        }
}

/* Split K, and blocks of all three dimensions forced by little memory. */
static void blocks(struct check_context *context, bool quick) {
    static const uint64_t memory[] = {1 << 20, 700 << 10, 400 << 10};
    struct check_case item = plain;
    item.group = "split";
    item.m = 150;
    item.n = 170;
    item.k = 1200;
    item.entries = ENTRIES_POSITIVE;
    item.alpha = -1.5f;
    item.beta = 0.5f;
    for (uint32_t split = 2; split <= 16; split *= 2) {
        item.overrides = (struct lava_overrides){.split_k = split, .persistent = split == 4 ? 2 : 0};
        check_run(context, &item);
    }
    item.group = "blocks";
    item.extra_ld = 3;
    for (size_t i = 0; i < COUNT(memory); i++)
        for (int op = 0; op < (quick ? 2 : 4); op++) {
            item.m = 301;
            item.n = 277;
            item.k = 403;
            item.transa = op & 1 ? T : N;
            item.transb = op & 2 ? T : N;
            item.overrides = (struct lava_overrides){.memory_bytes = memory[i], .split_k = op == 3 ? 2 : 0};
            check_run(context, &item);
        }
    item.group = "columns";
    item.m = 40;
    item.n = 5 * 16 * context->kernel->tile_n + 11;
    item.k = 21;
    item.overrides = (struct lava_overrides){.column_blocks = 4};
    check_run(context, &item);
}

void check_kernel(struct check_context *context, bool quick) {
    sizes(context, quick);
    operations(context, quick);
    shapes(context, quick);
    blocks(context, quick);
    check_schedules(context);
}

/* C of one product under the given overrides; NULL where it failed. */
static float *product(struct check_context *context, const struct lava_overrides *overrides) {
    const struct lava_kernel *kernel = context->kernel;
    int64_t m = 6 * kernel->tile_m + 5, n = 5 * kernel->tile_n + 3, k = 4 * kernel->tile_k + 1;
    uint64_t state = context->seed;
    float *a = malloc((size_t)(m * k) * sizeof *a), *b = malloc((size_t)(k * n) * sizeof *b);
    float *c = malloc((size_t)(m * n) * sizeof *c);
    for (int64_t i = 0; i < m * k; i++)
        a[i] = random_uniform(&state);
    for (int64_t i = 0; i < k * n; i++)
        b[i] = random_uniform(&state);
    memset(c, 0xff, (size_t)(m * n) * sizeof *c);
    const struct lava_problem problem = {
        .m = m, .n = n, .k = k, .lda = m, .ldb = k, .ldc = m, .alpha = 1, .a = a, .b = b, .c = c};
    const struct lava_cpu_figures cpu = {.flops_per_s_fp32 = 1};
    struct lava_plan plan;
    struct lava_progress progress;
    lava_policy_choose(&problem, &context->executor->capabilities, &cpu, LAVA_MODE_GPU, overrides, &plan);
    bool right = plan.place == LAVA_PLACE_GPU &&
                 lava_executor_run(context->executor, &problem, &plan, &progress, NULL) == LAVA_OK;
    /* the linear order with a workgroup a tile is checked for its values by the cases above */
    free(a);
    free(b);
    if (!right) {
        free(c);
        return NULL;
    }
    return c;
}

void check_schedules(struct check_context *context) {
    const struct lava_kernel *kernel = context->kernel;
    size_t bytes = (size_t)(6 * kernel->tile_m + 5) * (5 * kernel->tile_n + 3) * sizeof(float);
    float *expected = NULL;
    for (int schedule = 0; schedule < LAVA_SCHEDULE_COUNT; schedule++)
        for (int persistent = 1; persistent <= 2; persistent++) {
            const struct lava_overrides overrides = {
                .kernel = kernel, .schedule = 1 + schedule, .persistent = persistent, .split_k = 1};
            float *c = product(context, &overrides);
            expected = expected ? expected : c;
            bool right = c && memcmp(c, expected, bytes) == 0;
            if (!right || context->verbose)
                printf("%-18s %s, %s: %s\n", kernel->name, lava_schedule_name((enum lava_schedule)schedule),
                       persistent == 2 ? "persistent" : "a workgroup a tile",
                       right ? "PASS" : "FAIL: other bits than linear order gives");
            *(right ? &context->passed : &context->failed) += 1;
            if (c != expected)
                free(c);
        }
    free(expected);
}
