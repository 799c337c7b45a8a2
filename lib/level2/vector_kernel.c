/* Cuts a matrix into workgroups. Called by lib/level2/vector.c.
 *
 * Invariant: how the sums are cut depends on the operation and the device alone, so the result has the same
 * bits each time. */
#include "lib/level2/vector_kernel.h"

#include "dispatch/arithmetic.h"
#include "dispatch/vector_plan.h"

#define WORD_BYTES 16
/* The shader solve_vector needs no more shared memory. */
#define SOLVE_SHARED_BYTES (24u << 10)
/* Addresses within a column, and a vector, are of 32 bits in the kernels. */
#define MOST_BYTES (INT64_C(1) << 31)

// clang-format off
/* Chosen on an H100 (driver 580, 2026-11-28, perf/vector_rates --sweep, orders 4096 and 8192). us at 8192,
 * with 256 invocations, 32 or 64 lanes, unroll 8 and 2048 groups before:
 *
 *                  fp32            fp64             cfp32            cfp64
 *     plain        94.2 (96.3)     181.0 (182.8)    181.0 (182.5)    351.7 (355.6)
 *     transposed   89.6 (99.3)     176.6 (183.6)    176.6 (183.8)    353.5 (364.3)
 *     symmetric    64.5 (68.9)     113.7 (119.8)    117.8 (123.9)    209.2 (243.5)
 *
 * A solve's numbers were not compared with others. */
static const struct lava_vector_tuning tunings[LAVA_VECTOR_FORMS] = {
    /*                               invocations  lanes  unroll  groups */
    [LAVA_VECTOR_FORM_PLAIN]      = {256,         16,    8,      1024},
    [LAVA_VECTOR_FORM_TRANSPOSED] = {256,         256,   2,      1024},
    [LAVA_VECTOR_FORM_SYMMETRIC]  = {256,         16,    4,      4096},
    [LAVA_VECTOR_FORM_SOLVE]      = {512,         16,    1,      1},
};
// clang-format on

static const enum lava_shader shaders[LAVA_VECTOR_FORMS] = {
    [LAVA_VECTOR_FORM_PLAIN] = LAVA_SHADER_MATRIX_VECTOR,
    [LAVA_VECTOR_FORM_TRANSPOSED] = LAVA_SHADER_TRANSPOSED_VECTOR,
    [LAVA_VECTOR_FORM_SYMMETRIC] = LAVA_SHADER_SYMMETRIC_VECTOR,
    [LAVA_VECTOR_FORM_SOLVE] = LAVA_SHADER_SOLVE_VECTOR,
};

struct lava_vector_tuning lava_vector_kernel_tuning(const struct lava_capabilities *device,
                                                    enum lava_vector_form form, enum lava_type type) {
    struct lava_vector_tuning tuning = tunings[form];
    while (tuning.invocations > device->max_workgroup_invocations ||
           tuning.invocations * LAVA_VECTOR_SHARED_EACH > device->max_shared_bytes)
        tuning.invocations /= 2;
    tuning.lanes = (uint32_t)lava_minimum(tuning.lanes, tuning.invocations);
    while (tuning.unroll * lava_type_bytes(type) > LAVA_VECTOR_SHARED_EACH)
        tuning.unroll /= 2;
    return tuning;
}

static int64_t divided(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static uint32_t flags_of(const struct lava_operation *operation, enum lava_vector_form form) {
    const struct lava_operand *a = &operation->a;
    bool is_hermitian = a->structure == LAVA_STRUCTURE_HERMITIAN,
         is_complex = lava_type_is_complex(operation->type);
    bool is_other = form == LAVA_VECTOR_FORM_SYMMETRIC && is_hermitian && a->op == LAVA_OP_T;
    return (a->stored == LAVA_REGION_LOWER ? LAVA_VECTOR_LOWER : 0u) |
           (a->unit_diagonal ? LAVA_VECTOR_UNIT : 0u) | (a->op == LAVA_OP_T ? LAVA_VECTOR_TRANSPOSED : 0u) |
           (is_complex && a->conjugate != is_other ? LAVA_VECTOR_CONJUGATE : 0u) |
           (is_complex && is_hermitian ? LAVA_VECTOR_HERMITIAN : 0u);
}

/* Cuts `length` into about `wanted` spans, which are multiples of `step`. Returns how many there are. */
static int64_t cut(int64_t length, int64_t step, int64_t wanted, uint32_t *span) {
    int64_t steps = divided(length, step), parts = lava_maximum(1, lava_minimum(wanted, steps)),
            each = divided(steps, parts);
    *span = (uint32_t)(each * step);
    return divided(steps, each);
}

/* The workgroups and the vectors of sums of each form. */
static void lay_out(struct lava_vector_kernel *kernel, const struct lava_vector_tuning *tuning, int64_t words,
                    int64_t columns) {
    struct lava_vector_constants *constants = &kernel->constants;
    int64_t lanes = INT64_C(1) << constants->lanes_shift,
            strip = tuning->invocations / lanes * tuning->unroll,
            word = WORD_BYTES / (int64_t)lava_type_bytes(kernel->type), across, along;
    if (kernel->form == LAVA_VECTOR_FORM_SOLVE) {
        bool is_complex = lava_type_is_complex(kernel->type);
        across = divided(columns, is_complex ? LAVA_VECTOR_BLOCK_COMPLEX : LAVA_VECTOR_BLOCK);
        along = 1; /* for each vector */
    } else if (kernel->form == LAVA_VECTOR_FORM_PLAIN) {
        across = divided(words, lanes);
        along = cut(columns, strip, divided(tuning->groups, across), &constants->span);
    } else {
        int64_t wanted =
            kernel->form == LAVA_VECTOR_FORM_SYMMETRIC ? 2 * (int64_t)tuning->groups : tuning->groups;
        across = divided(columns, strip);
        along = cut(words, lanes, divided(wanted, across), &constants->span);
    }
    kernel->groups_x = (uint32_t)across;
    kernel->groups_y = (uint32_t)along;
    kernel->sums.count = along > 1 ? (uint32_t)along : 0;
    if (kernel->form == LAVA_VECTOR_FORM_SYMMETRIC) {
        kernel->sums.count = (uint32_t)across;
        kernel->sums.other_count = (uint32_t)along;
        kernel->sums.strip_words = (uint32_t)(strip / word);
        kernel->sums.chunk_words = constants->span;
    }
}

static uint64_t padded(int64_t elements, enum lava_type type) {
    return ((uint64_t)elements * lava_type_bytes(type) + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

static enum lava_vector_form form_of(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a;
    if (lava_operation_row(operation)->divides)
        return LAVA_VECTOR_FORM_SOLVE;
    if (a->structure == LAVA_STRUCTURE_SYMMETRIC || a->structure == LAVA_STRUCTURE_HERMITIAN)
        return LAVA_VECTOR_FORM_SYMMETRIC;
    return a->op == LAVA_OP_N ? LAVA_VECTOR_FORM_PLAIN : LAVA_VECTOR_FORM_TRANSPOSED;
}

static void specify(struct lava_vector_kernel *kernel, const struct lava_vector_tuning *tuning,
                    bool is_triangular) {
    kernel->specification = lava_pipelines_of(lava_module_of(shaders[kernel->form], kernel->type));
    kernel->specification.constants[LAVA_CONSTANT_INVOCATIONS] = tuning->invocations;
    kernel->specification.constants[LAVA_CONSTANT_UNROLL] = tuning->unroll;
    kernel->specification.constants[LAVA_CONSTANT_TRIANGLE] = is_triangular;
    kernel->sum = lava_pipelines_of(lava_module_of(LAVA_SHADER_SUM_VECTORS, lava_type_real(kernel->type)));
}

/* All vectors are solved for at once, with one triangle and then with the other. */
static void set_solves(struct lava_vector_kernel *kernel, const struct lava_operation *operation) {
    struct lava_operation solves[2];
    kernel->solves = (uint32_t)lava_vector_plan_solves(operation, solves);
    for (uint32_t i = 0; i < kernel->solves; i++)
        kernel->solve_flags[i] = flags_of(&solves[i], kernel->form);
    kernel->groups_y = (uint32_t)operation->n;
    kernel->x_bytes *= (uint64_t)operation->n;
    kernel->y_bytes *= (uint64_t)operation->n;
}

/* Few rows have few lanes. More rows than a device has workgroups for have more of them. */
static uint32_t lanes_shift(const struct lava_vector_tuning *tuning, const struct lava_capabilities *device,
                            int64_t words) {
    uint32_t shift = 0;
    while ((1u << shift) < tuning->lanes &&
           ((1u << shift) < LAVA_VECTOR_LEAST_LANES || (1u << shift) < tuning->unroll || 1 << shift < words))
        shift++;
    while (words >> shift >= device->max_workgroups && (1u << shift) < tuning->invocations)
        shift++;
    return shift;
}

bool lava_vector_kernel_plan(const struct lava_operation *operation, int64_t lda,
                             const struct lava_capabilities *device, const struct lava_vector_tuning *tuning,
                             struct lava_vector_kernel *kernel) {
    const struct lava_operand *a = &operation->a;
    enum lava_type type = operation->type;
    int64_t rows = lava_operation_rows_a(operation), columns = lava_operation_columns_a(operation),
            bytes = (int64_t)lava_type_bytes(type), words = divided(rows * bytes, WORD_BYTES);
    *kernel = (struct lava_vector_kernel){.form = form_of(operation), .type = type};
    const struct lava_vector_tuning usual = lava_vector_kernel_tuning(device, kernel->form, type);
    tuning = tuning ? tuning : &usual;
    if (lda >= MOST_BYTES / bytes || columns >= MOST_BYTES / bytes || lava_type_is_half(type) ||
        device->max_workgroup_invocations < LAVA_VECTOR_SUM_WORDS * LAVA_VECTOR_SUM_TERMS ||
        (kernel->form == LAVA_VECTOR_FORM_SOLVE && device->max_shared_bytes < SOLVE_SHARED_BYTES))
        return false;
    kernel->constants = (struct lava_vector_constants){.lda = (uint32_t)lda,
                                                       .rows = (uint32_t)rows,
                                                       .columns = (uint32_t)columns,
                                                       .lanes_shift = lanes_shift(tuning, device, words),
                                                       .flags = flags_of(operation, kernel->form)};
    kernel->x_bytes = padded(operation->k, type);
    kernel->y_bytes = padded(operation->m, type);
    specify(kernel, tuning, a->structure == LAVA_STRUCTURE_TRIANGULAR);
    lay_out(kernel, tuning, words, columns);
    kernel->constants.target_stride = kernel->sums.stride = kernel->y_bytes;
    if (kernel->form == LAVA_VECTOR_FORM_SOLVE)
        set_solves(kernel, operation);
    kernel->sums.words = (uint32_t)(kernel->y_bytes / WORD_BYTES);
    kernel->sums.flags = kernel->constants.flags;
    kernel->sums_bytes = kernel->y_bytes * (kernel->sums.count + kernel->sums.other_count);
    return kernel->groups_x <= device->max_workgroups && kernel->groups_y <= LAVA_QUEUE_GROUPS &&
           divided(kernel->sums.words, LAVA_VECTOR_SUM_WORDS) <= device->max_workgroups;
}

enum lava_status lava_vector_kernel_pipelines(struct lava_device *device,
                                              const struct lava_vector_kernel *kernel,
                                              struct lava_vector_pipelines *pipelines) {
    enum lava_status status = lava_pipelines_get(device, &kernel->specification, &pipelines->multiply);
    return status ? status : lava_pipelines_get(device, &kernel->sum, &pipelines->sum);
}

static void record_sum(struct lava_device *device, const struct lava_commands *commands,
                       const struct lava_vector_pipelines *pipelines,
                       const struct lava_sum_vectors_constants *sums) {
    lava_queue_barrier_dispatch(device, commands);
    lava_queue_dispatch(device, commands, pipelines->sum, sums, sizeof *sums,
                        (sums->words + LAVA_VECTOR_SUM_WORDS - 1) / LAVA_VECTOR_SUM_WORDS, 1);
}

/* Each step has the blocks that are left. The solution goes to y as a sum of one vector. */
static void record_solve(struct lava_device *device, const struct lava_commands *commands,
                         const struct lava_vector_kernel *kernel,
                         const struct lava_vector_pipelines *pipelines,
                         const struct lava_vector_places *places) {
    struct lava_vector_constants constants = kernel->constants;
    struct lava_sum_vectors_constants sums = kernel->sums;
    constants.a = places->a;
    constants.x = sums.source = places->x;
    sums.target = places->y;
    sums.count = 1;
    for (uint32_t i = 0; i < kernel->solves * kernel->groups_x; i++) {
        constants.flags = kernel->solve_flags[i / kernel->groups_x];
        constants.span = i % kernel->groups_x;
        if (i > 0)
            lava_queue_barrier_dispatch(device, commands);
        lava_queue_dispatch(device, commands, pipelines->multiply, &constants, sizeof constants,
                            kernel->groups_x - constants.span, kernel->groups_y);
    }
    record_sum(device, commands, pipelines, &sums);
}

void lava_vector_kernel_record(struct lava_device *device, const struct lava_commands *commands,
                               const struct lava_vector_kernel *kernel,
                               const struct lava_vector_pipelines *pipelines,
                               const struct lava_vector_places *places) {
    struct lava_vector_constants constants = kernel->constants;
    struct lava_sum_vectors_constants sums = kernel->sums;
    if (kernel->form == LAVA_VECTOR_FORM_SOLVE) {
        record_solve(device, commands, kernel, pipelines, places);
        return;
    }
    sums.source = places->sums;
    sums.other = places->sums + sums.count * sums.stride;
    sums.target = places->y;
    constants.a = places->a;
    constants.x = places->x;
    constants.target = sums.count > 0 ? sums.source : places->y;
    constants.other = sums.other;
    lava_queue_dispatch(device, commands, pipelines->multiply, &constants, sizeof constants, kernel->groups_x,
                        kernel->groups_y);
    if (sums.count > 0)
        record_sum(device, commands, pipelines, &sums);
}
