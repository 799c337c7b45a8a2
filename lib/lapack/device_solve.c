/* Halves a triangular matrix down to blocks that shaders/solve.comp solves with. The products between them
 * are those of device_matrix.c. For few right-hand sides the shader subtracts what a block contributes
 * itself. Called by whoever works on matrices on the device.
 *
 * Products with a triangular matrix take the same blocks in the other order.
 *
 * T is op(A), or op(A) transposed if A is on the right: then each right-hand side, a column or a row of
 * B, is a vector x with T x = alpha b. Invariant: blocks of A and B begin at multiples of LAVA_SOLVE_ORDER,
 * so they are aligned if A and B are. */
#include "lib/lapack/device_solve.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"

/* A wait may last longer by the time that the blocks take at this rate. A processor's core reaches it. */
#define BLOCK_FLOPS_PER_S 1e9
static_assert(sizeof(struct lava_solve_constants) <= 128, "every device has room for 128 bytes");

static const struct lava_scalar one = {1, 0}, minus_one = {-1, 0};

/* What the blocks of a solve have in common. */
struct task {
    struct lava_stream *stream;
    const struct lava_device_solve *solve;
    const struct lava_pipeline *pipeline;
    bool reversed;   /* T is upper triangular: the last unknowns are found first */
    bool multiplies; /* B becomes the product with A */
    uint32_t flags;
};

static uint32_t sides_each(enum lava_type type) {
    uint32_t piece = lava_type_is_complex(type) ? LAVA_SOLVE_PIECE_COMPLEX : LAVA_SOLVE_PIECE;
    return LAVA_SOLVE_INVOCATIONS / (LAVA_SOLVE_ORDER / piece);
}

/* Elements [from, from + count) of every right-hand side, but for those that are zero in all of them. */
static struct lava_device_matrix part_of_b(const struct lava_device_solve *solve, int64_t from,
                                           int64_t count) {
    const struct lava_device_matrix *b = &solve->b;
    int64_t first = solve->is_triangle ? from : 0;
    return solve->a_on_right ? lava_device_matrix_block(b, 0, b->rows, from, count)
                             : lava_device_matrix_block(b, from, count, first, b->columns - first);
}

/* What the shader is told of elements [from, from + count). */
static struct lava_solve_constants constants_of(const struct task *task, int64_t from, int64_t count,
                                                const struct lava_scalar *alpha) {
    const struct lava_device_solve *solve = task->solve;
    const struct lava_device_matrix a = lava_device_matrix_block(&solve->a, from, count, from, count);
    const struct lava_device_matrix b = part_of_b(solve, from, count);
    return (struct lava_solve_constants){.a = lava_device_matrix_address(&a),
                                         .b = lava_device_matrix_address(&b),
                                         .alpha_fp64 = lava_double_bits(alpha->real),
                                         .alpha_imaginary_fp64 = lava_double_bits(alpha->imaginary),
                                         .alpha = (float)alpha->real,
                                         .alpha_imaginary = (float)alpha->imaginary,
                                         .lda = (uint32_t)a.ld,
                                         .ldb = (uint32_t)b.ld,
                                         .order = (uint32_t)count,
                                         .sides = (uint32_t)(solve->a_on_right ? b.rows : b.columns),
                                         .flags = task->flags};
}

/* Workgroups that have all right-hand sides. */
static uint32_t side_groups(const struct lava_solve_constants *constants, enum lava_type type) {
    return (constants->sides - 1) / sides_each(type) + 1;
}

/* B's part <- the solution with the block of A's diagonal, or the product. */
static enum lava_status solve_block(const struct task *task, int64_t from, int64_t count,
                                    const struct lava_scalar *alpha) {
    const struct lava_solve_constants constants = constants_of(task, from, count, alpha);
    return lava_stream_dispatch(task->stream, task->pipeline, &constants, sizeof constants,
                                side_groups(&constants, task->solve->b.type));
}

/* B <- the solution, a dispatch for each block, without products between them. */
static enum lava_status solve_by_steps(const struct task *task) {
    const struct lava_device_solve *solve = task->solve;
    int64_t order = solve->a.rows;
    struct lava_solve_constants constants = constants_of(task, 0, order, &solve->alpha);
    uint32_t blocks = (uint32_t)lava_solve_blocks(order);
    return lava_stream_dispatch_steps(task->stream, task->pipeline, &constants, sizeof constants,
                                      blocks * side_groups(&constants, solve->b.type), &constants.step,
                                      blocks);
}

/* The part of B from `to` <- alpha times it, less what the solved part from `from` contributes. A product:
 * it, plus alpha times what that part, which is still B's, contributes. */
static enum lava_status update(const struct task *task, int64_t to, int64_t to_count, int64_t from,
                               int64_t from_count, const struct lava_scalar *alpha) {
    const struct lava_device_solve *solve = task->solve;
    /* whether the rows of A's block are those of the equations, or those of the unknowns */
    bool rows_are_equations = (solve->op == LAVA_OP_N) != solve->a_on_right;
    const struct lava_device_matrix a =
        rows_are_equations ? lava_device_matrix_block(&solve->a, to, to_count, from, from_count)
                           : lava_device_matrix_block(&solve->a, from, from_count, to, to_count);
    const struct lava_device_matrix solved = part_of_b(solve, from, from_count);
    struct lava_device_product product = {.a = a,
                                          .b = solved,
                                          .c = part_of_b(solve, to, to_count),
                                          .op_a = solve->op,
                                          .conjugate_a = solve->conjugate,
                                          .alpha = task->multiplies ? *alpha : minus_one,
                                          .beta = task->multiplies ? one : *alpha,
                                          .chain = solve->chain,
                                          .precision = solve->precision,
                                          .overrides = solve->overrides};
    if (solve->is_triangle)
        product.c = lava_device_matrix_block(&solve->b, to, to_count, from, solved.columns);
    if (solve->a_on_right) {
        product.a = solved;
        product.op_a = LAVA_OP_N;
        product.conjugate_a = false;
        product.b = a;
        product.op_b = solve->op;
        product.conjugate_b = solve->conjugate;
    }
    return lava_device_product(task->stream, &product);
}

/* Solves for elements [from, from + count) of the right-hand sides. Alpha is applied when a part of B is
 * first written: by the product that updates it, else by the block that solves for it. */
static enum lava_status solve_range(const struct task *task, int64_t from, int64_t count,
                                    const struct lava_scalar *alpha) {
    if (count <= LAVA_SOLVE_ORDER)
        return solve_block(task, from, count, alpha);
    int64_t upper = lava_blocking_padded((count + 1) / 2, LAVA_SOLVE_ORDER), lower = count - upper;
    bool from_end = task->reversed != task->multiplies;
    int64_t first = from_end ? from + upper : from, first_count = from_end ? lower : upper;
    int64_t second = from_end ? from : from + upper, second_count = count - first_count;
    enum lava_status status = solve_range(task, first, first_count, alpha);
    if (!status && task->multiplies)
        status = update(task, first, first_count, second, second_count, alpha);
    else if (!status)
        status = update(task, second, second_count, first, first_count, alpha);
    return status ? status : solve_range(task, second, second_count, task->multiplies ? alpha : &one);
}

/* If A is on the left, the other operand is B itself, and the other way round. */
static bool overlap(const struct lava_device_solve *solve) {
    const struct lava_device_matrix *a = &solve->a, *b = &solve->b;
    const struct lava_operand triangle = {.first = (const void *)(uintptr_t)lava_device_matrix_address(a),
                                          .ld = a->ld,
                                          .structure = LAVA_STRUCTURE_TRIANGULAR,
                                          .stored = solve->stored};
    struct lava_operation operation = {
        .kind = LAVA_OPERATION_SOLVE,
        .type = a->type,
        .m = b->rows,
        .n = b->columns,
        .k = a->rows,
        .c = {.first = (void *)(uintptr_t)lava_device_matrix_address(b), .ld = b->ld, .type = b->type}};
    *(solve->a_on_right ? &operation.b : &operation.a) = triangle;
    return lava_operation_overlaps(&operation);
}

static bool is_triangle_valid(const struct lava_device_solve *solve) {
    return !solve->is_triangle ||
           (!solve->a_on_right && solve->stored == LAVA_REGION_UPPER && solve->op == LAVA_OP_N &&
            solve->alpha.real == 1 && solve->alpha.imaginary == 0 && solve->b.columns == solve->a.columns);
}

static bool is_valid(const struct lava_device_solve *solve) {
    const struct lava_device_matrix *a = &solve->a, *b = &solve->b;
    return is_triangle_valid(solve) && a->type == b->type && a->rows == a->columns &&
           a->rows == (solve->a_on_right ? b->columns : b->rows) && solve->stored != LAVA_REGION_ALL &&
           lava_device_matrix_is_aligned(a) && lava_device_matrix_is_aligned(b) && !overlap(solve);
}

/* B <- 0, as a product that multiplies nothing. */
static enum lava_status clear(struct lava_stream *stream, const struct lava_device_solve *solve) {
    const struct lava_device_product nothing = {.a = solve->a_on_right ? solve->b : solve->a,
                                                .b = solve->a_on_right ? solve->a : solve->b,
                                                .c = solve->b};
    return lava_device_product(stream, &nothing);
}

static struct task task_of(struct lava_stream *stream, const struct lava_device_solve *solve) {
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    struct task task = {
        .stream = stream, .solve = solve, .reversed = (solve->stored == LAVA_REGION_UPPER) != transposed};
    const struct {
        bool set;
        uint32_t flag;
    } flags[] = {{solve->a_on_right, LAVA_SOLVE_BY_ROWS},
                 {transposed, LAVA_SOLVE_TRANSPOSED},
                 {task.reversed, LAVA_SOLVE_REVERSED},
                 {solve->conjugate, LAVA_SOLVE_CONJUGATED},
                 {solve->unit_diagonal, LAVA_SOLVE_UNIT},
                 {!solve->a_on_right && solve->op == LAVA_OP_N, LAVA_SOLVE_KEEPS_ZEROS}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        task.flags |= flags[i].set ? flags[i].flag : 0;
    return task;
}

/* A part of the right-hand sides is solved for as all of them are, so that the bits are the same. */
static bool goes_by_steps(const struct task *task, int64_t sides) {
    const struct lava_device_solve *solve = task->solve;
    const struct lava_overrides *overrides = solve->overrides;
    int64_t as_sides = !overrides ? 0 : solve->a_on_right ? overrides->as_m : overrides->as_n;
    return !task->multiplies && !solve->is_triangle &&
           lava_solve_goes_by_steps(solve->a.type, solve->a.rows, as_sides > 0 ? as_sides : sides);
}

static enum lava_status run(struct lava_stream *stream, struct task *task) {
    const struct lava_device_solve *solve = task->solve;
    enum lava_type type = solve->a.type;
    if (stream->failure)
        return stream->failure;
    if (!is_valid(solve) || !lava_solve_fits(&stream->engine->capabilities, type))
        return LAVA_ERROR_UNAVAILABLE;
    if (solve->b.rows == 0 || solve->b.columns == 0)
        return LAVA_OK;
    if (solve->alpha.real == 0 && solve->alpha.imaginary == 0)
        return clear(stream, solve);
    int64_t order = solve->a.rows, sides = solve->a_on_right ? solve->b.rows : solve->b.columns;
    double flops = (double)LAVA_SOLVE_ORDER * (double)order * (double)sides;
    lava_stream_expect(stream, (lava_type_is_complex(type) ? 4 : 1) * flops / BLOCK_FLOPS_PER_S);
    bool by_steps = goes_by_steps(task, sides);
    enum lava_shader shader = task->multiplies ? LAVA_SHADER_MULTIPLY_TRIANGLE
                              : by_steps       ? LAVA_SHADER_SOLVE_STEP
                                               : LAVA_SHADER_SOLVE;
    enum lava_status status =
        lava_pipelines_get_module(stream->device, lava_module_of(shader, type), &task->pipeline);
    if (!status)
        status = by_steps ? solve_by_steps(task) : solve_range(task, 0, order, &solve->alpha);
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

enum lava_status lava_device_solve(struct lava_stream *stream, const struct lava_device_solve *solve) {
    struct task task = task_of(stream, solve);
    return run(stream, &task);
}

enum lava_status lava_device_multiply_triangle(struct lava_stream *stream,
                                               const struct lava_device_solve *product) {
    struct task task = task_of(stream, product);
    task.multiplies = true;
    return run(stream, &task);
}
