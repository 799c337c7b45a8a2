/* The kernels that multiply a matrix on the device by a vector: their shapes, and how they are recorded. Used
 * by vector.c, by the self-test and by perf/vector_rates. One user of the device at a time; the rest are pure
 * functions. */
#ifndef LAVA_LEVEL2_VECTOR_KERNEL_H
#define LAVA_LEVEL2_VECTOR_KERNEL_H

#include "dispatch/operation.h"
#include "lib/vk/queue.h"

enum lava_vector_form {
    LAVA_VECTOR_FORM_PLAIN,      /* A x, general or triangular */
    LAVA_VECTOR_FORM_TRANSPOSED, /* A' x, the same */
    LAVA_VECTOR_FORM_SYMMETRIC,  /* or Hermitian: one triangle is read */
    LAVA_VECTOR_FORM_SOLVE,      /* for the x with op(A) x = b, A triangular: block by block */
    LAVA_VECTOR_FORMS
};

/* What may be chosen. Powers of two; lanes are at least unroll and LAVA_VECTOR_LEAST_LANES, and a workgroup's
 * invocations are at least as many. */
struct lava_vector_tuning {
    uint32_t invocations; /* in a workgroup */
    uint32_t lanes;       /* invocations along the rows, at most */
    uint32_t unroll;      /* columns that an invocation reads at a time, at most LAVA_VECTOR_SHARED_EACH bytes
                           * of elements */
    uint32_t groups;      /* workgroups to aim at, by splits of the columns or rows */
};
/* The numbers of the table, as far as the device allows. */
struct lava_vector_tuning lava_vector_kernel_tuning(const struct lava_capabilities *device,
                                                    enum lava_vector_form form, enum lava_type type);

/* A kernel with its sizes. */
struct lava_vector_kernel {
    enum lava_vector_form form;
    enum lava_type type;
    struct lava_pipeline_specification specification, sum;
    struct lava_vector_constants constants;
    struct lava_sum_vectors_constants sums; /* count is 0: the kernel leaves the result itself */
    uint32_t groups_x, groups_y;            /* solve: of the first step, and the steps; the vectors */
    uint32_t solves, solve_flags[2];        /* solve: with one triangle after the other */
    uint64_t x_bytes, y_bytes, sums_bytes;  /* whole words; of all vectors */
};

/* Describes c <- op(A) b, or what stands for it, of a level 2 operation, without alpha and beta. lda: on the
 * device, where A's columns begin at multiples of 16 bytes. tuning may be NULL: the table's. Returns false if
 * the sizes are too large for the kernels' arithmetic. */
bool lava_vector_kernel_plan(const struct lava_operation *operation, int64_t lda,
                             const struct lava_capabilities *device, const struct lava_vector_tuning *tuning,
                             struct lava_vector_kernel *kernel);

/* Where its vectors are: addresses of kernel->x_bytes and so on; several lie constants.target_stride bytes
 * apart. A solve also writes x. */
struct lava_vector_places {
    uint64_t a, x, y, sums;
};
/* Finds the pipelines, or creates them. */
struct lava_vector_pipelines {
    const struct lava_pipeline *multiply, *sum;
};
enum lava_status lava_vector_kernel_pipelines(struct lava_device *device,
                                              const struct lava_vector_kernel *kernel,
                                              struct lava_vector_pipelines *pipelines);
/* Records y <- op(A) x, or its inverse times x. Nothing after it waits for y. */
void lava_vector_kernel_record(struct lava_device *device, const struct lava_commands *commands,
                               const struct lava_vector_kernel *kernel,
                               const struct lava_vector_pipelines *pipelines,
                               const struct lava_vector_places *places);

#endif
