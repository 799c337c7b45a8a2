/* Divides the matrix into leaves, and merges them two by two, level by level (shaders/divide.glsl):
 *
 *     host                                  device
 *     leaves                                Q <- their vectors, on the diagonal
 *     rows of Q beside the tears  <-
 *     what deflates               ->        rotate and gather columns: Q2
 *                                           roots, their vectors S
 *     roots                       <-        Q <- Q2 S
 *
 * There is one wait for each level. Called by the runners of eigenvalues.
 *
 * Invariant: outside of the blocks of the merges so far Q is zero. */
#include "lib/lapack/device_divide.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/divide.h"
#include "lib/base/clock.h"
#include "lib/host/numbers.h"
#include "lib/lapack/divide_leaves.h"
#include "lib/lapack/divide_level.h"
#include "shaders/interface.h"

/* Larger merges have a product of their own for each half (lib/lapack/device_matrix.h). It is several
 * dispatches, some 40 us, but computes several times as fast as shaders/divide_multiply.comp. That takes 70
 * us for a merge of order 512, at 2 TFLOP/s, and order 4096 has 8 of them. Reckoned for an H100, not
 * measured. */
#define PRODUCT_ORDER 512
/* A wait may last longer by the time that the merges take at this rate. A processor's core reaches it. */
#define FLOPS_PER_S 2e8
/* Arrays of the results, as shaders/divide.glsl has them; roots and rows are the last two. */
#define RESULTS        5
#define ROOTS          3
#define ROWS           4
#define ELEMENTS_ALIGN 16

static_assert(sizeof(struct lava_divide_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_DIVIDE_INVOCATIONS == 64 && LAVA_DIVIDE_TILE == 32,
              "shaders/divide_multiply.comp: 8 x 8 x 4 x 4");

/* What has a shader of its own. */
enum step { COLUMNS, ROTATE, SECULAR, VECTORS, MULTIPLY, STEPS };
static const enum lava_shader shaders[STEPS] = {LAVA_SHADER_DIVIDE_COLUMNS, LAVA_SHADER_DIVIDE_ROTATE,
                                                LAVA_SHADER_DIVIDE_SECULAR, LAVA_SHADER_DIVIDE_VECTORS,
                                                LAVA_SHADER_DIVIDE_MULTIPLY};

struct task {
    struct lava_stream *stream;
    const struct lava_device_divide *divide;
    int64_t order, leaves;
    struct lava_device_matrix gathered, s, results, block;
    const struct lava_pipeline *pipelines[STEPS];
    struct lava_divide_constants constants;
    struct lava_deflation level;
    struct lava_merge *merges; /* of the level */
    int64_t count;
    int exponent;           /* T is divided by 2 to this power */
    double *beside, *panel; /* e; the leaves' vectors, then roots and rows as doubles */
    void *packed, *fetched; /* what is uploaded; roots and rows */
    uint64_t stage_ns;      /* when it began */
};

static int64_t padded(int64_t elements) {
    return (elements + ELEMENTS_ALIGN - 1) / ELEMENTS_ALIGN * ELEMENTS_ALIGN;
}

/* Merges of a level, at most: half as many leaves would have more than LAVA_DIVIDE_LEAF rows. */
static int64_t most_merges(int64_t order) {
    return order / LAVA_DIVIDE_LEAF + 1;
}

/* Returns the most elements of a level's data. There are fewer rotations than columns. */
static int64_t block_elements(enum lava_type type, int64_t order) {
    int64_t bytes = lava_divide_level_layout(type, order, most_merges(order), order).bytes;
    return padded(bytes / (int64_t)lava_type_bytes(type));
}

int64_t lava_device_divide_work_elements(enum lava_type type, int64_t order) {
    int64_t some = lava_maximum(order, 1);
    return 2 * padded(some) * some + padded(RESULTS * some) + block_elements(type, some);
}

/* Returns the matrix that begins after the first *elements of the scratch, and adds its own to them. */
static struct lava_device_matrix part_of(const struct task *task, int64_t *elements, int64_t rows,
                                         int64_t columns) {
    struct lava_device_matrix part = task->divide->work;
    part.offset += (uint64_t)*elements * lava_type_bytes(part.type);
    part.rows = rows;
    part.columns = columns;
    part.ld = padded(rows);
    *elements += part.ld * columns;
    return part;
}

static void divide_scratch(struct task *task) {
    int64_t elements = 0, n = task->order;
    task->gathered = part_of(task, &elements, n, n);
    task->s = part_of(task, &elements, n, n);
    task->results = part_of(task, &elements, RESULTS * n, 1);
    task->block = part_of(task, &elements, block_elements(task->divide->type, n), 1);
    task->constants = (struct lava_divide_constants){.q = lava_device_matrix_address(&task->divide->q),
                                                     .gathered = lava_device_matrix_address(&task->gathered),
                                                     .s = lava_device_matrix_address(&task->s),
                                                     .numbers = lava_device_matrix_address(&task->block),
                                                     .results = lava_device_matrix_address(&task->results),
                                                     .ldq = (uint32_t)task->divide->q.ld,
                                                     .ld = (uint32_t)task->s.ld,
                                                     .order = (uint32_t)n};
}

/* Stages are waited for if they are timed. */
static enum lava_status end_stage(struct task *task, enum lava_divide_stage stage) {
    if (!task->divide->stages_ns)
        return LAVA_OK;
    enum lava_status status = lava_stream_wait(task->stream, task->stream->computed);
    uint64_t now_ns = lava_clock_now_ns();
    task->divide->stages_ns[stage] += now_ns - task->stage_ns;
    task->stage_ns = now_ns;
    return status;
}

/* each: tasks of a merge, at most. */
static enum lava_status dispatch(struct task *task, enum step step, uint32_t mode, int64_t each) {
    task->constants.mode = mode;
    task->constants.each = (uint32_t)each;
    return lava_stream_dispatch(task->stream, task->pipelines[step], &task->constants, sizeof task->constants,
                                (uint32_t)lava_minimum(task->constants.merges * each, UINT32_MAX));
}

/* Uploads the bytes of `packed` that a level with these merges and rotations fills. */
static enum lava_status send(struct task *task, int64_t merges, int64_t rotations) {
    enum lava_type type = task->divide->type;
    const struct lava_divide_layout layout = lava_divide_level_layout(type, task->order, merges, rotations);
    struct lava_device_matrix used = task->block;
    used.rows = layout.bytes / (int64_t)lava_type_bytes(type);
    task->constants.words = task->constants.numbers + (uint64_t)layout.words;
    task->constants.rotations = task->constants.numbers + (uint64_t)layout.rotations;
    task->constants.merges = (uint32_t)merges;
    return lava_device_matrix_upload(task->stream, &used, task->packed, used.rows);
}

/* values, beside <- T divided by a power of two that makes its largest element 1 to 2, because weights are at
 * most 1. Returns false if an element is not finite. */
static bool read_matrix(struct task *task) {
    const struct lava_device_divide *divide = task->divide;
    double largest = 0, unit = lava_type_facts(divide->type)->unit;
    for (int64_t i = 0; i < 2 * task->order - 1; i++) {
        bool is_diagonal = i < task->order;
        int64_t at = is_diagonal ? i : i - task->order;
        double number = lava_number_real_at(divide->type, is_diagonal ? divide->d : divide->e, at);
        (is_diagonal ? task->level.values : task->beside)[at] = number;
        if (!isfinite(number))
            return false;
        largest = fmax(largest, fabs(number));
    }
    frexp(largest, &task->exponent);
    task->exponent--;
    for (int64_t i = 0; i < task->order; i++)
        task->level.values[i] = ldexp(task->level.values[i], -task->exponent);
    for (int64_t i = 0; i < task->order - 1; i++) {
        double number = ldexp(task->beside[i], -task->exponent);
        double size = unit * sqrt(fabs(task->level.values[i])) * sqrt(fabs(task->level.values[i + 1]));
        task->beside[i] = fabs(number) <= size ? 0 : number;
    }
    return true;
}

/* Columns of the leaves have this many rows. */
static int64_t leaf_rows(const struct task *task) {
    int64_t rows = 0;
    for (int64_t leaf = 0; leaf < task->leaves; leaf++)
        rows = lava_maximum(rows, lava_divide_leaves_begin(task->order, leaf + 1) -
                                      lava_divide_leaves_begin(task->order, leaf));
    return padded(rows);
}

/* Merge i of this level joins leaves of `span` on either side. */
static void begin_level(struct task *task, int64_t span) {
    task->count = task->leaves / (2 * span);
    for (int64_t i = 0; i < task->count; i++) {
        int64_t first = lava_divide_leaves_begin(task->order, 2 * span * i),
                middle = lava_divide_leaves_begin(task->order, 2 * span * i + span),
                end = lava_divide_leaves_begin(task->order, 2 * span * (i + 1));
        task->merges[i] = (struct lava_merge){
            .first = first, .half = middle - first, .size = end - first, .beside = task->beside[middle - 1]};
    }
}

/* Tears the leaves apart: T is their matrix plus |beside| v v^T for each of the tears. */
static void tear(struct task *task) {
    for (int64_t leaf = 1; leaf < task->leaves; leaf++) {
        int64_t at = lava_divide_leaves_begin(task->order, leaf);
        task->level.values[at - 1] -= fabs(task->beside[at - 1]);
        task->level.values[at] -= fabs(task->beside[at - 1]);
    }
}

static void sort_leaf(struct task *task, int64_t first, int64_t end) {
    uint32_t *order = task->level.order;
    for (int64_t i = first; i < end; i++) {
        int64_t at = i;
        for (; at > first && task->level.values[order[at - 1]] > task->level.values[i]; at--)
            order[at] = order[at - 1];
        order[at] = (uint32_t)i;
    }
}

/* What the first level wants to know of the leaves: order, rows beside the tears, and where their columns
 * are. */
static void describe_leaves(struct task *task, int64_t rows) {
    enum lava_type type = task->divide->type;
    for (int64_t leaf = 0; leaf < task->leaves; leaf++) {
        int64_t first = lava_divide_leaves_begin(task->order, leaf),
                end = lava_divide_leaves_begin(task->order, leaf + 1);
        for (int64_t j = first; j < end; j++) {
            double z = task->panel[j * rows + (leaf % 2 ? 0 : end - first - 1)];
            task->level.z[j] = type == LAVA_TYPE_FP32 ? (float)z : z;
            if (type == LAVA_TYPE_FP32)
                task->level.values[j] = (float)task->level.values[j];
            task->level.sources[j] = (uint32_t)first;
            task->level.places[j] = (uint32_t)(end - first);
        }
        sort_leaf(task, first, end);
    }
}

/* The leaves' columns go to where S will be. */
static enum lava_status place_leaves(struct task *task, int64_t rows) {
    enum lava_type type = task->divide->type;
    struct lava_device_matrix leaves = task->s;
    leaves.rows = leaves.ld = rows;
    if (type == LAVA_TYPE_FP32)
        for (int64_t i = 0; i < rows * task->order; i++)
            ((float *)(void *)task->panel)[i] = (float)task->panel[i];
    enum lava_status status = lava_device_matrix_upload(task->stream, &leaves, task->panel, rows);
    lava_divide_level_write_columns(type, task->order, task->level.sources, task->level.places, task->packed);
    task->constants.ld_leaves = (uint32_t)rows;
    status = status ? status : send(task, 1, 0);
    return status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_PLACES, task->order);
}

static enum lava_status solve_leaves(struct task *task) {
    int64_t rows = leaf_rows(task);
    tear(task);
    enum lava_status status = lava_divide_leaves_solve(task->stream->pool, task->order, task->level.values,
                                                       task->beside, task->panel, rows);
    if (status)
        return status;
    describe_leaves(task, rows);
    status = place_leaves(task, rows);
    return status ? status : end_stage(task, LAVA_DIVIDE_STAGE_LEAVES);
}

/* A half's rows of the other half's own columns are zero, and may be multiplied: S's block begins at an
 * aligned row, so up to three of them are. */
static enum lava_status multiply_half(const struct task *task, const struct lava_merge *merge,
                                      bool is_upper) {
    int64_t row = merge->first + (is_upper ? 0 : merge->half), first = merge->first;
    int64_t rows = is_upper ? merge->half : merge->size - merge->half;
    int64_t begin = is_upper ? 0 : merge->upper / LAVA_DIVIDE_ALIGN * LAVA_DIVIDE_ALIGN;
    int64_t depth = (is_upper ? merge->both : merge->kept) - begin;
    const struct lava_device_product product = {
        .a = lava_device_matrix_block(&task->gathered, row, rows, first + begin, depth),
        .b = lava_device_matrix_block(&task->s, first + begin, depth, first, merge->kept),
        .c = lava_device_matrix_block(&task->divide->q, row, rows, first, merge->kept),
        .alpha.real = 1,
        .precision = LAVA_PRECISION_IEEE,
        .overrides = task->divide->overrides};
    return lava_device_product(task->stream, &product);
}

/* The device begins with the roots while large products are planned. */
static enum lava_status multiply(struct task *task, int64_t size) {
    int64_t tiles = size / LAVA_DIVIDE_TILE + 1;
    if (size <= PRODUCT_ORDER)
        return dispatch(task, MULTIPLY, 0, (tiles + 1) * tiles);
    enum lava_status status = lava_stream_end_step(task->stream);
    for (int64_t i = 0; i < task->count && !status; i++) {
        if (task->merges[i].kept > 0)
            status = multiply_half(task, &task->merges[i], true);
        if (task->merges[i].kept > 0 && !status)
            status = multiply_half(task, &task->merges[i], false);
    }
    return status;
}

/* The merges of a level, which is on the device. */
static enum lava_status merge(struct task *task, int64_t size, int64_t kept, int64_t rotations) {
    enum lava_status status = LAVA_OK;
    if (rotations > 0)
        status = dispatch(task, ROTATE, 0, (size - 1) / LAVA_DIVIDE_INVOCATIONS + 1);
    status = status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_GATHERS, size);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_GATHER);
    status = status ? status : dispatch(task, SECULAR, 0, kept);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_SECULAR);
    status = status ? status : dispatch(task, VECTORS, 0, kept);
    status = status ? status : dispatch(task, VECTORS, 1, kept);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_VECTORS);
    status = status ? status : multiply(task, size);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_PRODUCTS);
    status = status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_RETURNS, size);
    return status ? status : end_stage(task, LAVA_DIVIDE_STAGE_GATHER);
}

/* Decides what deflates, has the device merge, and read the rows that the next level wants. */
static enum lava_status run_level(struct task *task) {
    int64_t rotations = 0, size = 0, kept = 0;
    for (int64_t i = 0; i < task->count; i++) {
        struct lava_merge *merge = &task->merges[i];
        merge->rotation = rotations;
        lava_deflation_begin(&task->level, merge);
        rotations += merge->rotations;
        size = lava_maximum(size, merge->size);
        kept = lava_maximum(kept, merge->kept);
    }
    lava_divide_level_write(&task->level, task->order, task->merges, task->count, task->packed);
    enum lava_status status = send(task, task->count, rotations);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_HOST);
    if (kept > 0)
        status = status ? status : merge(task, size, kept, rotations);
    return status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_READS, size);
}

/* Waits for the level: values, their order, and the rows of Q. */
static enum lava_status end_level(struct task *task) {
    enum lava_type type = task->divide->type;
    int64_t n = task->order;
    struct lava_device_matrix last = task->results;
    last.offset += (uint64_t)(ROOTS * n) * lava_type_bytes(type);
    last.rows = (RESULTS - ROOTS) * n;
    enum lava_status status =
        lava_device_matrix_download(task->stream, &last, LAVA_REGION_ALL, task->fetched, last.rows);
    if (status)
        return status;
    bool is_finite = true;
    for (int64_t i = 0; i < task->count; i++) {
        const struct lava_merge *merge = &task->merges[i];
        for (int64_t j = merge->first; j < merge->first + merge->size; j++) {
            task->level.z[j] = lava_number_real_at(type, task->fetched, (ROWS - ROOTS) * n + j);
            is_finite = is_finite && isfinite(task->level.z[j]);
        }
        for (int64_t j = 0; j < merge->kept; j++) {
            task->panel[j] = lava_number_real_at(type, task->fetched, merge->first + j);
            is_finite = is_finite && isfinite(task->panel[j]);
        }
        lava_deflation_end(&task->level, merge, task->panel);
    }
    return is_finite ? end_stage(task, LAVA_DIVIDE_STAGE_HOST) : LAVA_ERROR_UNAVAILABLE;
}

/* d <- the values; Q's columns <- themselves in their order. */
static enum lava_status finish(struct task *task) {
    enum lava_type type = task->divide->type;
    for (int64_t i = 0; i < task->order; i++)
        lava_number_set_real(type, task->divide->d, i,
                             ldexp(task->level.values[task->level.order[i]], task->exponent));
    lava_divide_level_write_columns(type, task->order, task->level.order, NULL, task->packed);
    enum lava_status status = send(task, 1, 0);
    status = status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_GATHERS, task->order);
    status = status ? status : dispatch(task, COLUMNS, LAVA_DIVIDE_ENDS, task->order);
    status = status ? status : end_stage(task, LAVA_DIVIDE_STAGE_GATHER);
    return status ? status : lava_stream_flush(task->stream);
}

static enum lava_status run(struct task *task) {
    double n = (double)task->order;
    task->stage_ns = lava_clock_now_ns();
    lava_stream_expect(task->stream, 2 * n * n * n / FLOPS_PER_S);
    enum lava_status status = LAVA_OK;
    for (int step = 0; step < STEPS && !status; step++)
        status = lava_pipelines_get_module(
            task->stream->device, lava_module_of(shaders[step], task->divide->type), &task->pipelines[step]);
    status = status ? status : solve_leaves(task);
    for (int64_t span = 1; span < task->leaves && !status; span *= 2) {
        begin_level(task, span);
        status = run_level(task);
        status = status ? status : end_level(task);
    }
    return status ? status : finish(task);
}

/* One range of host memory for all arrays: those of doubles first. */
static void *allocate(struct task *task) {
    int64_t n = task->order, panel = lava_maximum(leaf_rows(task), 1) * n;
    size_t doubles = (size_t)(6 * n + panel + 2 * n), words = (size_t)(4 * n);
    size_t packed = (size_t)block_elements(task->divide->type, n) * lava_type_bytes(task->divide->type);
    size_t merges = (size_t)most_merges(n) * sizeof *task->merges,
           rotations = (size_t)n * sizeof(struct lava_rotation);
    char *memory = malloc(doubles * 8 + packed + merges + rotations + words * 4 + (size_t)n);
    if (!memory)
        return NULL;
    double *next = (double *)(void *)memory;
    struct lava_deflation *level = &task->level;
    double **const arrays[] = {&level->values,  &level->z,        &level->poles,
                               &level->weights, &level->deflated, &task->beside};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++, next += n)
        *arrays[i] = next;
    task->fetched = next;
    task->panel = next + 2 * n;
    task->packed = memory + doubles * 8;
    task->merges = (struct lava_merge *)(void *)((char *)task->packed + packed);
    level->rotations = (struct lava_rotation *)(void *)((char *)task->merges + merges);
    level->order = (uint32_t *)(void *)((char *)level->rotations + rotations);
    level->sources = level->order + n;
    level->places = level->sources + n;
    level->columns = level->places + n;
    level->kinds = (uint8_t *)(level->columns + n);
    return memory;
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_divide *divide) {
    const struct lava_device_matrix *q = &divide->q, *work = &divide->work;
    return lava_divide_fits(&stream->engine->capabilities, divide->type) && divide->order > 0 &&
           q->type == divide->type && q->rows == divide->order && q->columns == divide->order &&
           lava_device_matrix_is_aligned(q) &&
           (uint64_t)q->ld * lava_type_bytes(q->type) % LAVA_DEVICE_MATRIX_ALIGN == 0 &&
           work->type == divide->type && work->columns == 1 &&
           work->rows >= lava_device_divide_work_elements(divide->type, divide->order) &&
           lava_device_matrix_is_aligned(work) && !lava_device_matrix_overlap(q, work);
}

enum lava_status lava_device_divide(struct lava_stream *stream, const struct lava_device_divide *divide) {
    struct task task = {.stream = stream, .divide = divide, .order = divide->order};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(stream, divide))
        return LAVA_ERROR_UNAVAILABLE;
    task.leaves = lava_divide_leaves_count(divide->order);
    task.level.type = divide->type;
    void *memory = allocate(&task);
    if (!memory)
        return lava_stream_keep(stream, LAVA_ERROR_HOST_MEMORY);
    divide_scratch(&task);
    enum lava_status status = read_matrix(&task) ? lava_stream_keep(stream, run(&task)) : LAVA_ERROR_SCALED;
    free(memory);
    return status;
}
