/* One comparison decides whether a call is forwarded with no further look. lib/abi reads the threshold before
 * everything else; lib/offload sets it.
 *
 * Until it is opened, forward_below is minus infinity: every call, one with a negative size too, takes the
 * slow path, which opens it. Then it is lava_threshold_cutoff, 0 if every call is counted or forced, and
 * infinite if no device is or will be used. Any thread may call these functions. */
#ifndef LAVA_OFFLOAD_THRESHOLD_H
#define LAVA_OFFLOAD_THRESHOLD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "dispatch/figures.h"
#include "dispatch/operation.h"
#include "dispatch/vector_plan.h"
#include "lib/host/cpu_blas.h"

struct lava_threshold {
    _Atomic double forward_below; /* m n k */
    /* With statistics: the work below which a call is only counted, because it would be forwarded with no
     * further look without them. 0: without statistics, in mode gpu, if decisions are logged, and until
     * the threshold is opened. */
    _Atomic double count_below;
    _Atomic double forward_vector_below; /* the bytes of a matrix that is multiplied by a vector */
};

extern struct lava_threshold lava_threshold;

/* Finds the CPU BLAS, reads the configuration and sets the threshold. Called once, by lava_offload_open. */
void lava_threshold_open(void);
/* No call can use the device any more: from now on all are forwarded, unless they are counted. */
void lava_threshold_close(void);

/* All calls are counted from now on (lava_report_count_all). */
void lava_threshold_count(void);

/* While a device is prepared: calls that the CPU BLAS computes with several threads are not forwarded at
 * once, whatever the cut-off is. */
void lava_threshold_spare(bool spares);

/* Returns the work (m n k) below which no device is faster than this CPU BLAS in single precision. It serves
 * all types, so that one comparison is enough: half precision takes the CPU about as long, fp64 and complex
 * numbers a few times that. At first it follows from the processor's rate. */
double lava_threshold_cutoff(void);
/* Returns whether the work of n such operations (0: one) is below the cut-off: of vectors, whether the matrix
 * has fewer bytes than one that is worth a look at the copies on the device. Mode gpu knows no cut-off. */
bool lava_threshold_is_below(const struct lava_operation *operation, int64_t n);
/* Returns whether the call is only counted. */
bool lava_threshold_only_counts(const struct lava_operation *operation);
/* Returns whether copies of matrices are looked at for products with vectors at all. */
bool lava_threshold_looks_at_vectors(void);
/* No matrix stays on the device in this process: products with vectors are forwarded from now on, unless the
 * mode is gpu. */
void lava_threshold_keeps_nothing(void);
/* Lowers the cut-off to the least work of a product that takes the CPU longer than the device's latency,
 * if the figures have one: thin products do. */
void lava_threshold_measured(const struct lava_figures *figures);

static inline int lava_threshold_forwards(double m, double n, double k) {
    return m * n * k < atomic_load_explicit(&lava_threshold.forward_below, memory_order_acquire);
}

/* An m x n matrix by a vector. bytes: those of an element. */
static inline int lava_threshold_forwards_vector(double m, double n, double bytes) {
    return m * n * bytes < atomic_load_explicit(&lava_threshold.forward_vector_below, memory_order_acquire);
}

/* A solve with an n x n matrix: also asked if the other comparison forwards it, as few right-hand sides are
 * vectors (dispatch/vector_plan.h). */
static inline int lava_threshold_forwards_sides(double n, double sides, double bytes) {
    return sides > LAVA_VECTOR_PLAN_SIDES || lava_threshold_forwards_vector(n, n, bytes);
}

/* One triangle of an n x n result. */
static inline int lava_threshold_forwards_triangle(double n, double k) {
    return lava_threshold_forwards(n, n / 2, k);
}

/* The same of two products. */
static inline int lava_threshold_forwards_two_triangles(double n, double k) {
    return lava_threshold_forwards(n, n, k);
}

/* A square matrix by an m x n one, from the left or from the right. */
static inline int lava_threshold_forwards_square(int from_left, double m, double n) {
    return lava_threshold_forwards(m, n, from_left ? m : n);
}

/* The same if only a triangle of the square one is not zero. */
static inline int lava_threshold_forwards_triangular(int from_left, double m, double n) {
    return lava_threshold_forwards(m, n / 2, from_left ? m : n);
}

/* m x n elements and k reflections. */
static inline int lava_threshold_forwards_reflections(double m, double n, double k) {
    return lava_threshold_forwards(m, n, LAVA_LAPACK_WORK * k);
}

/* A factorization of m x n elements. */
static inline int lava_threshold_forwards_factorization(double m, double n) {
    return lava_threshold_forwards_reflections(m, n, m < n ? m : n);
}

/* Eigenvalues or singular values of m x n elements, with right-hand sides or none. */
static inline int lava_threshold_forwards_values(double m, double n, double sides) {
    return lava_threshold_forwards(m, n, LAVA_VALUES_WORK * (m < n ? m : n) + sides);
}

/* A factorization of n x n elements, and two solves for `sides` right-hand sides. */
static inline int lava_threshold_forwards_systems(double n, double sides) {
    return lava_threshold_forwards(n, n, LAVA_LAPACK_WORK * n + sides);
}

/* A QR factorization of m x n elements, and what follows for its right-hand sides. */
static inline int lava_threshold_forwards_least_squares(double m, double n, double sides) {
    return lava_threshold_forwards(m, n, LAVA_LAPACK_WORK * (m < n ? m : n) + sides);
}

/* A batch of `count` operations, each of that work. */
static inline int lava_threshold_forwards_batch(double work, double count) {
    return lava_threshold_forwards(lava_operation_work_each(work), count, 1);
}

#endif
