/* Products with a triangular op(A), whose pieces bring the rows of op(B) that they need. Replays programs of
 * random sizes: what a multiply reads is packed before it, and nothing is packed twice. */
#include "dispatch/blocking.h"
#include "dispatch/program.h"
#include "tests/dispatch/devices.h"

enum { MOST = 700 };

/* How often each k of op(B)'s rows, and each row and k of op(A), was packed; and each row of C computed. */
struct replay {
    const struct lava_operation *operation;
    const struct lava_blocking *blocking;
    int64_t each;
    unsigned char b[2 * MOST], a[MOST][2 * MOST], c[MOST];
    uint32_t multiplies;
};

static bool is_lower(const struct replay *replay) {
    return lava_operand_is_lower(&replay->operation->a);
}

static void pack(struct replay *replay, const struct lava_task *task) {
    bool is_b = task->kind == LAVA_TASK_PACK_B;
    assert_true(task->depth > 0 && task->from_k >= 0 && task->from_k + task->depth <= replay->operation->k);
    if (is_b)
        assert_true(task->column == task->block->column && task->columns == task->block->columns);
    for (int64_t k = task->from_k; k < task->from_k + task->depth; k++) {
        if (is_b)
            assert_int_equal(replay->b[k]++, 0);
        for (int64_t row = task->row; !is_b && row < task->row + task->rows; row++)
            assert_int_equal(replay->a[row][k]++, 0);
    }
}

/* Each row reads up to the diagonal, or from it on. */
static void multiply(struct replay *replay, const struct lava_task *task) {
    const struct lava_operation *operation = replay->operation;
    for (int64_t row = task->row; row < task->row + task->rows; row++) {
        int64_t begin = is_lower(replay) ? 0 : row * replay->each,
                end = is_lower(replay) ? (row + 1) * replay->each : operation->k;
        assert_int_equal(replay->c[row]++, 0);
        for (int64_t k = begin; k < end; k++)
            assert_true(replay->a[row][k] == 1 && replay->b[k] == 1);
    }
    if (replay->multiplies++ == 0 && task->rows < operation->m) { /* it does not wait for all of op(B) */
        assert_int_equal(replay->b[is_lower(replay) ? operation->k - 1 : 0], 0);
        assert_int_equal(task->row, is_lower(replay) ? 0 : operation->m - task->rows);
    }
    assert_int_equal(task->is_last, task->row + (is_lower(replay) ? task->rows : 0) ==
                                            (is_lower(replay) ? operation->m : 0) ||
                                        task->rows == operation->m);
}

/* The block has all of op(B), and every row of C was computed once. */
static void end_block(struct replay *replay) {
    for (int64_t k = 0; k < replay->operation->k; k++)
        assert_int_equal(replay->b[k], 1);
    for (int64_t row = 0; row < replay->operation->m; row++)
        assert_int_equal(replay->c[row], 1);
    memset(replay->b, 0, sizeof replay->b);
    memset(replay->c, 0, sizeof replay->c);
}

static void replay_program(struct replay *replay, const struct lava_kernel *kernel) {
    struct lava_program program;
    struct lava_task task;
    bool waits = false;
    lava_program_begin(&program, replay->operation, kernel, replay->blocking);
    while (lava_program_next(&program, &task)) {
        if (task.kind == LAVA_TASK_PACK_A && !waits) /* of an earlier product */
            waits = task.is_overwriting;
        if (task.kind == LAVA_TASK_PACK_A || task.kind == LAVA_TASK_PACK_B)
            pack(replay, &task);
        if (task.kind == LAVA_TASK_MULTIPLY)
            multiply(replay, &task);
        if (task.kind == LAVA_TASK_DOWNLOAD)
            end_block(replay);
    }
    assert_true(waits);
}

static void test_pieces(void **state) {
    static const char *const names[] = {"fp64_128x128", "fp64_64x64", "fp64_32x32"};
    static struct replay replay;
    uint64_t random = random_seed();
    unsigned in_pieces[2] = {0, 0}, of_parts = 0, not_aligned = 0;
    (void)state;
    for (int i = 0; i < 600; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(names[random_next(&random) % 3]);
        enum lava_type type = random_next(&random) % 2 ? LAVA_TYPE_FP64 : LAVA_TYPE_CFP64;
        const struct lava_blocking_limits limits = {.memory_bytes = UINT64_C(1) << 36,
                                                    .max_buffer_bytes = UINT64_C(1) << 36,
                                                    .column_blocks = 1 + (int64_t)(random_next(&random) % 4),
                                                    .b_by_pieces = true,
                                                    .pieces = 1 + (uint32_t)(random_next(&random) % 5)};
        struct lava_operation operation = {
            .type = type, .n = random_size(&random, MOST), .alpha.real = 1, .c.type = type, .in_place = true};
        struct lava_blocking blocking;
        operation.m = operation.k = random_size(&random, MOST);
        operation.a.structure = LAVA_STRUCTURE_TRIANGULAR;
        operation.a.stored = random_next(&random) % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
        operation.a.op = random_next(&random) % 2 ? LAVA_OP_T : LAVA_OP_N;
        const struct lava_operation parts = lava_operation_of_parts(&operation);
        assert_true(lava_blocking_plan(&parts, kernel, &limits, &blocking));
        if (blocking.piece_m % LAVA_BLOCKING_PACK_ALIGN && blocking.piece_m < parts.m) {
            not_aligned++; /* op(B) comes first, as that of any product */
            continue;
        }
        memset(&replay, 0, sizeof replay);
        replay.operation = &parts;
        replay.blocking = &blocking;
        replay.each = parts.of_parts ? 2 : 1;
        replay_program(&replay, kernel);
        in_pieces[is_lower(&replay)] += blocking.piece_m < parts.m;
        of_parts += parts.of_parts;
    }
    print_message("lower %u, upper %u, parts %u, not aligned %u\n", in_pieces[1], in_pieces[0], of_parts,
                  not_aligned);
    assert_true(in_pieces[0] > 20 && in_pieces[1] > 20 && of_parts > 100 && not_aligned > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
