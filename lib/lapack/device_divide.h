/* Eigenvalues and eigenvectors of a symmetric tridiagonal matrix on the device, by divide and conquer, as
 * LAPACK's ?stedc. A part of what device_matrix.h offers, with its rules, but it waits for the device between
 * its levels. */
#ifndef LAVA_LAPACK_DEVICE_DIVIDE_H
#define LAVA_LAPACK_DEVICE_DIVIDE_H

#include "lib/lapack/device_matrix.h"

/* What takes time: for benchmarks. */
enum lava_divide_stage {
    LAVA_DIVIDE_STAGE_LEAVES,  /* on the CPU, and their upload */
    LAVA_DIVIDE_STAGE_HOST,    /* deflation, and what goes between host and device for it */
    LAVA_DIVIDE_STAGE_GATHER,  /* everything that moves columns */
    LAVA_DIVIDE_STAGE_SECULAR, /* the roots */
    LAVA_DIVIDE_STAGE_VECTORS, /* the merged problems' vectors */
    LAVA_DIVIDE_STAGE_PRODUCTS,
    LAVA_DIVIDE_STAGES
};

/* The symmetric tridiagonal matrix with diagonal d and subdiagonal e. */
struct lava_device_divide {
    enum lava_type type;         /* FP32 or FP64 */
    int64_t order;               /* positive */
    void *d, *e;                 /* in host memory: order and order - 1 elements. d <- the eigenvalues,
                                  * ascending; e is destroyed */
    struct lava_device_matrix q; /* order x order, real, of `type`, aligned: <- the eigenvectors, in the order
                                  * of d */
    struct lava_device_matrix work;         /* scratch of `type`, one column of this many rows: */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
    uint64_t *stages_ns; /* for benchmarks: LAVA_DIVIDE_STAGES sums, to which the stages add their time. NULL:
                          * none. Else each stage is waited for */
};
/* Two matrices of q's size, and a few vectors. */
int64_t lava_device_divide_work_elements(enum lava_type type, int64_t order);

/* Values and vectors are those of T + E, ||E|| <= c u ||T|| for a small c; vectors are orthogonal to some
 * units of n u. J. J. M. Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem",
 * Numer. Math. 36, 1981. M. Gu and S. C. Eisenstat, "A divide-and-conquer algorithm for the symmetric
 * tridiagonal eigenproblem", SIAM J. Matrix Anal. Appl. 16, 1995. Sums are in the same order every time.
 *
 * d is there when it returns, q when the stream gets there. Returns LAVA_ERROR_UNAVAILABLE if sizes, types or
 * alignment do not match, q and work overlap, or the device cannot compute in the type, and LAVA_ERROR_SCALED
 * if d or e is not finite; nothing was added to the stream or written then. After any other failure d, e and
 * q are undefined, and the stream has failed. */
enum lava_status lava_device_divide(struct lava_stream *stream, const struct lava_device_divide *divide);

#endif
