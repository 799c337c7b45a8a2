/* batches.c: plans for random batches keep every limit, and their programs compute each product once. */
#include "products.h"

#include <math.h>

#include "dispatch/batches.h"
#include "dispatch/program.h"

#define BATCHES   3000
#define MOST_ROWS 1500

/* Bytes of a stored matrix in staging memory: columns begin at words. */
static uint64_t staged(int64_t rows, int64_t columns, uint64_t bytes) {
    return bytes * (uint64_t)lava_blocking_padded(rows, 16 / (uint32_t)bytes) * (uint64_t)columns;
}

static void check_limits(const struct lava_operation *x, const struct lava_plan *plan, uint64_t slot_bytes,
                         uint64_t memory_bytes) {
    const struct lava_blocking *blocking = &plan->blocking;
    uint64_t bytes = lava_type_bytes(x->type), products = (uint64_t)blocking->products;
    bool a_n = x->a.op == LAVA_OP_N, b_n = x->b.op == LAVA_OP_N;
    assert_true(blocking->products >= 1 && blocking->products <= x->series->count);
    assert_true(products * staged(a_n ? x->m : x->k, a_n ? x->k : x->m, bytes) <= slot_bytes);
    assert_true(products * staged(b_n ? x->k : x->n, b_n ? x->n : x->k, bytes) <= slot_bytes);
    assert_true(products * bytes * (uint64_t)(x->m * x->n) <= slot_bytes);
    assert_true(blocking->total_bytes <= memory_bytes);
    assert_true(blocking->blocks_n * blocking->products >= x->series->count);
    assert_true(plan->gpu_ns > 0 && plan->kernel->type == x->type);
}

/* Makes it one triangle of A by its own transpose. */
static void make_update(struct lava_operation *x, enum lava_region region) {
    x->n = x->m;
    x->b.op = x->a.op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N;
    x->b_is_a = true;
    x->c.region = region;
}

/* Replays the tasks: every block is packed, multiplied, finished and downloaded, in this order, and waits
 * leave room for it. */
static void check_program(const struct lava_operation *x, const struct lava_plan *plan) {
    struct lava_program program;
    struct lava_task task;
    int64_t next = 0, packed_a = -1, packed_b = -1, multiplied = -1;
    uint32_t unfinished = 0;
    lava_program_begin(&program, x, plan->kernel, &plan->blocking);
    while (lava_program_next(&program, &task)) {
        const struct lava_block *block = task.block;
        if (task.kind == LAVA_TASK_WAIT) {
            assert_true(task.unfinished <= unfinished);
            unfinished = task.unfinished;
            continue;
        }
        assert_int_equal(block->product, next);
        assert_true(block->products >= 1 && block->products <= plan->blocking.products);
        assert_true(block->place < plan->blocking.blocks_held);
        if (task.kind == LAVA_TASK_PACK_A) {
            assert_true(!x->b_is_a && task.rows == x->m && task.k == x->k && task.is_overwriting);
            packed_a = next;
        } else if (task.kind == LAVA_TASK_PACK_B) {
            assert_true(task.columns == x->n && task.column == 0);
            packed_b = next;
            assert_int_equal(task.serves_both, x->b_is_a);
            if (task.serves_both) {
                assert_true(task.rows == x->m && task.row == 0 && task.is_overwriting && task.other_k == 0);
                packed_a = next;
            }
        } else if (task.kind == LAVA_TASK_MULTIPLY) {
            assert_true(packed_a == next && packed_b == next && task.is_last && !task.accumulates);
            assert_true(unfinished < plan->blocking.blocks_held);
            multiplied = next;
        } else if (task.kind == LAVA_TASK_DOWNLOAD) {
            assert_int_equal(multiplied, next);
            unfinished++;
            next += block->products;
        }
    }
    assert_int_equal(next, x->series->count);
    assert_int_equal(unfinished, 0);
}

/* Blocks that several programs take, the last one first. */
struct taken {
    uint32_t *left; /* blocks, for all programs */
    uint32_t mine[64], count;
};

static bool take(void *context, uint32_t number, uint32_t *index) {
    struct taken *taken = context;
    if (number == taken->count && *taken->left > 0 && taken->count < 64)
        taken->mine[taken->count++] = --*taken->left;
    if (number < taken->count)
        *index = taken->mine[number];
    return number < taken->count;
}

/* Several programs in turn: each product is packed, multiplied and downloaded by one of them, and nothing is
 * common to two. */
static void check_shared(const struct lava_operation *x, const struct lava_plan *plan) {
    enum { PROGRAMS = 3 };
    uint32_t left = (uint32_t)plan->blocking.blocks_n;
    struct taken taken[PROGRAMS] = {{0}};
    struct lava_program_share shares[PROGRAMS];
    struct lava_program programs[PROGRAMS];
    int64_t packed_a[PROGRAMS], packed_b[PROGRAMS], multiplied[PROGRAMS];
    unsigned char *done = calloc((size_t)x->series->count, 1);
    assert_non_null(done);
    for (int i = 0; i < PROGRAMS; i++) {
        taken[i].left = &left;
        shares[i] = (struct lava_program_share){take, &taken[i]};
        lava_program_begin(&programs[i], x, plan->kernel, &plan->blocking);
        programs[i].share = &shares[i];
        packed_a[i] = packed_b[i] = multiplied[i] = -1;
    }
    for (int i = 0, working = PROGRAMS; working > 0; i = (i + 1) % PROGRAMS) {
        struct lava_task task;
        bool goes_on = lava_program_next(&programs[i], &task);
        working = goes_on ? PROGRAMS : working - 1;
        assert_false(goes_on && task.is_common);
        if (goes_on && task.kind == LAVA_TASK_PACK_A)
            packed_a[i] = task.block->product;
        if (goes_on && task.kind == LAVA_TASK_PACK_B)
            packed_b[i] = task.block->product;
        if (goes_on && task.kind == LAVA_TASK_MULTIPLY) {
            multiplied[i] = task.block->product;
            assert_true(packed_b[i] == multiplied[i] && (x->b_is_a || packed_a[i] == multiplied[i]));
        }
        assert_false(goes_on && task.kind == LAVA_TASK_DOWNLOAD && multiplied[i] != task.block->product);
        for (int64_t j = 0; goes_on && task.kind == LAVA_TASK_DOWNLOAD && j < task.block->products; j++)
            assert_int_equal(done[task.block->product + j]++, 0);
    }
    assert_int_equal(left, 0);
    for (int64_t j = 0; j < x->series->count; j++)
        assert_int_equal(done[j], 1);
    free(done);
}

static void plans_and_programs(void **state) {
    uint64_t random = random_seed();
    unsigned computed = 0, refused = 0, blocks = 0;
    (void)state;
    for (int i = 0; i < BATCHES; i++) {
        const struct lava_series series = {.count = 2 + (int64_t)(random_next(&random) % 3000)};
        struct lava_operation x =
            product_of(random_next(&random) % 2 ? LAVA_TYPE_FP32 : LAVA_TYPE_FP64, LAVA_TYPE_FP32,
                       random_size(&random, MOST_ROWS), random_size(&random, MOST_ROWS),
                       random_size(&random, MOST_ROWS));
        struct lava_capabilities device = device_h200();
        struct lava_plan plan;
        uint64_t memory_bytes = UINT64_C(1) << (16 + random_next(&random) % 15);
        x.series = &series;
        x.a.op = (enum lava_op)(random_next(&random) % 2);
        x.b.op = (enum lava_op)(random_next(&random) % 2);
        if (random_next(&random) % 2)
            make_update(&x, random_next(&random) % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER);
        device.slot_bytes = UINT64_C(65536) << random_next(&random) % 8;
        lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, memory_bytes, &plan);
        if (plan.place != LAVA_PLACE_GPU) {
            assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
            refused++;
            continue;
        }
        computed++;
        blocks += plan.blocking.blocks_n > 2;
        check_limits(&x, &plan, device.slot_bytes, memory_bytes);
        check_program(&x, &plan);
        if (plan.blocking.blocks_n <= 3 * 64)
            check_shared(&x, &plan);
    }
    printf("%u batches, %u of more than two blocks, %u refused\n", computed, blocks, refused);
    assert_true(computed > BATCHES / 10 && blocks > BATCHES / 20 && refused > BATCHES / 20);
}

/* What the device does not compute together. */
static void refused(void **state) {
    const struct lava_capabilities device = device_h200();
    const struct lava_series one = {.count = 1}, many = {.count = 1000};
    struct lava_operation x = product_of(LAVA_TYPE_FP32, LAVA_TYPE_FP32, 64, 64, 64);
    struct lava_plan plan;
    (void)state;
    x.series = &one;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    x.series = &many;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    x.m = x.n = x.k = 600;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    x = product_of(LAVA_TYPE_FP32, LAVA_TYPE_FP32, 64, 64, 64); /* a triangle of other products */
    x.series = &many;
    x.c.region = LAVA_REGION_UPPER;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    make_update(&x, LAVA_REGION_UPPER);
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    x = product_of(LAVA_TYPE_FP32, LAVA_TYPE_FP32, 64, 64, 64);
    x.series = &many;
    x.kind = LAVA_OPERATION_SOLVE;
    x.a.structure = LAVA_STRUCTURE_TRIANGULAR;
    x.a.stored = LAVA_REGION_LOWER;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    x = product_of(LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, 64, 64, 64);
    x.series = &many;
    lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_GPU, 0, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
}

/* A large batch comes from memory on the CPU, a small one from its cache. */
static void cpu_reads_memory(void **state) {
    const struct lava_capabilities device = device_h200();
    struct lava_operation x = product_of(LAVA_TYPE_FP64, LAVA_TYPE_FP64, 64, 64, 64);
    double each_ns = lava_figures_cpu_ns(&sixteen_cores.cpu, &x);
    (void)state;
    for (int64_t count = 2; count < 1000000; count *= 2) {
        const struct lava_series series = {.count = count,
                                           .stride_a = 4096,
                                           .stride_b = 4096,
                                           .stride_c = 4096},
                                 one_a = {.count = count, .stride_b = 4096, .stride_c = 4096},
                                 one_b = {.count = count, .stride_a = 4096, .stride_c = 4096};
        struct lava_plan plan, other, second;
        x.series = &one_b;
        lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_AUTO, 0, &second);
        x.series = &one_a;
        lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_AUTO, 0, &other);
        x.series = &series;
        lava_batches_choose(&x, &device, &sixteen_cores, LAVA_MODE_AUTO, 0, &plan);
        double bytes = 4.0 * 64 * 64 * 8 * (double)count, expected_ns = each_ns * (double)count;
        if (bytes < 64e6)
            assert_true(fabs(plan.cpu_ns - expected_ns) <= 1e-9 * expected_ns);
        else
            assert_true(plan.cpu_ns > expected_ns && plan.cpu_ns < expected_ns + bytes / 10 &&
                        other.cpu_ns < plan.cpu_ns && other.cpu_ns >= expected_ns);
        assert_true(fabs(other.cpu_ns - second.cpu_ns) <= 1e-9 * expected_ns);
        assert_true(count < 20000 || plan.place == LAVA_PLACE_GPU);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_and_programs), cmocka_unit_test(refused),
                                       cmocka_unit_test(cpu_reads_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
