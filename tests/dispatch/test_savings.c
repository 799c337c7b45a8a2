/* How much arithmetic a triangle leaves out, by the plans of an H200: the tasks of ?trmm, ?syr2k, ?syrk and
 * their kin are counted as tiles times steps of K, as the multiply kernels compute them
 * (shaders/triangle_steps.glsl), beside those of a full product of the same sizes. */
#include "products.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cpu_families.h"
#include "dispatch/program.h"

/* Returns a tile's steps. With a triangular operand they end, or begin, on the diagonal of the tile's rows of
 * op(A), or columns of op(B). K counts parts; so do columns. */
static int64_t steps_of_tile(const struct lava_operation *product, const struct lava_kernel *kernel,
                             const struct lava_task *task, int64_t row, int64_t column) {
    int64_t tile_k = kernel->tile_k, from = 0, to = task->k;
    int64_t each = product->of_parts ? 2 : 1;
    if (lava_operation_is_triangular(product)) {
        bool of_b = product->b.structure == LAVA_STRUCTURE_TRIANGULAR;
        bool is_before = lava_operand_is_lower(of_b ? &product->b : &product->a) != of_b;
        int64_t first = of_b ? column : row * each, width = of_b ? kernel->tile_n : kernel->tile_m * each;
        if (is_before)
            to = lava_minimum(to, first + width - task->first_k);
        else
            from = first - task->first_k;
        from = from < 0 ? 0 : from;
    }
    return to > from ? (to + tile_k - 1) / tile_k - from / tile_k : 0;
}

/* Returns the steps of K that all tiles of a multiply take together. */
static int64_t steps_of_task(const struct lava_operation *product, const struct lava_kernel *kernel,
                             const struct lava_task *task) {
    const struct lava_region_tiles region =
        lava_program_tiles(product, kernel, task->block, task->row, task->rows);
    int64_t steps = 0, tiles_m = (task->rows + kernel->tile_m - 1) / kernel->tile_m;
    int64_t tiles_n = (task->block->columns + kernel->tile_n - 1) / kernel->tile_n;
    for (int64_t j = 0; j < tiles_n; j++)
        for (int64_t i = 0; i < tiles_m; i++)
            if (product->c.region == LAVA_REGION_ALL ||
                lava_region_has_tile(&region, (uint32_t)i, (uint32_t)j))
                steps += steps_of_tile(product, kernel, task, task->row + i * kernel->tile_m,
                                       task->block->column + j * kernel->tile_n);
    return steps;
}

/* Returns the share of a full product's steps that the operation's plan leaves out. */
static double saving(const struct lava_operation *operation) {
    const struct lava_capabilities device = device_h200();
    const struct lava_plan plan = choose(operation, &device, LAVA_MODE_GPU, &none);
    const struct lava_operation product = lava_operation_of_parts(operation);
    const struct lava_kernel *kernel = plan.kernel;
    struct lava_program program;
    struct lava_task task;
    int64_t steps = 0, k = product.k * (product.twice ? 2 : 1);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    lava_program_begin(&program, &product, kernel, &plan.blocking);
    while (lava_program_next(&program, &task))
        if (task.kind == LAVA_TASK_MULTIPLY)
            steps += steps_of_task(&product, kernel, &task);
    double full = ceil((double)product.m / kernel->tile_m) * ceil((double)product.n / kernel->tile_n) *
                  ceil((double)k / kernel->tile_k);
    return 1 - (double)steps / full;
}

static struct lava_operation square(enum lava_cpu_family family, enum lava_type type, int64_t order) {
    struct lava_operation operation = lava_families_square(family, type, order);
    operation.a.first = (const void *)(uintptr_t)0x100000000000;
    operation.b.first = operation.b_is_a ? operation.a.first : (const void *)(uintptr_t)0x300000000000;
    operation.c.first = (void *)(uintptr_t)0x500000000000;
    if (operation.in_place)
        operation.b.first = operation.c.first;
    return operation;
}

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static void check(const struct lava_operation *operation, double least, double most) {
    double saved = saving(operation);
    if (!(saved >= least && saved <= most))
        fail_msg("%s, order %lld, twice %d, region %d, op %d, stored %d: %.3f of the steps are saved",
                 lava_type_name(operation->type), (long long)operation->m, operation->twice,
                 operation->c.region, operation->a.op, operation->a.stored, saved);
}

/* Less than half, because tiles on the diagonal are computed whole. */
static void test_triangles_of_c(void **state) {
    static const enum lava_cpu_family families[] = {LAVA_CPU_FAMILY_SYRK, LAVA_CPU_FAMILY_SYR2K};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(types) * 4; i++) {
        struct lava_operation operation =
            square(families[i % 2], types[i / 2 % COUNT(types)], 4096 << i / 16 % 2);
        operation.c.region = i / 8 % 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
        check(&operation, 0.4, 0.5);
    }
}

/* All sides, triangles and transpositions. */
static void test_triangular_operands(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types) * 16; i++) {
        struct lava_operation operation = square(LAVA_CPU_FAMILY_TRMM, types[i / 16], 4096 << i % 2);
        operation.a.stored = i / 2 % 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
        operation.a.op = i / 4 % 2 ? LAVA_OP_T : LAVA_OP_N;
        if (i / 8 % 2) {
            const struct lava_operand triangle = operation.a;
            operation.a = operation.b;
            operation.b = triangle;
        }
        check(&operation, 0.4, 0.5);
    }
}

/* A symmetric matrix has no zeros, and a product of general ones is the measure. */
static void test_nothing_is_left_out(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct lava_operation symmetric = square(LAVA_CPU_FAMILY_SYMM, types[i], 4096),
                              general = square(LAVA_CPU_FAMILY_GEMM, types[i], 4096);
        check(&symmetric, 0, 0);
        check(&general, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles_of_c),
                                       cmocka_unit_test(test_triangular_operands),
                                       cmocka_unit_test(test_nothing_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
