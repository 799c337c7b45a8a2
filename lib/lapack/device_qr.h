/* QR factorization by Householder's reflections on the device, as LAPACK's ?geqrf; the matrix Q that it
 * stands for, as ?orgqr and ?ungqr; and products with that, as ?ormqr and ?unmqr. A part of what
 * device_matrix.h offers, with its rules: everything in a stream happens in the order of the calls, and these
 * return before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_QR_H
#define LAVA_LAPACK_DEVICE_QR_H

#include "lib/lapack/device_matrix.h"

/* Reflections H = I - tau v v^H, and the matrix whose columns hold their v below the diagonal; v is 1 there,
 * and 0 above. */
struct lava_device_qr {
    struct lava_device_matrix a;    /* FP32, FP64, CFP32 or CFP64 */
    int64_t beside;                 /* of a factorization: how many of A's last columns are not factored,
                                     * but become Q^H times them; the others are at most A's rows */
    struct lava_device_matrix tau;  /* of A's type, one column; its rows are the reflections */
    struct lava_device_matrix work; /* scratch of A's type, one column of this many rows: */
    enum lava_precision precision;  /* of the products */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
/* Returns the elements of scratch for reflections of `rows` rows, A's, and for `columns` columns: those of A
 * or C, or C's rows if Q is on the right. */
int64_t lava_device_qr_work_elements(enum lava_type type, int64_t rows, int64_t columns);

/* A <- Q and R with A = Q R: R on the diagonal and above, Q = H1 H2 ... as above, min(rows, columns)
 * reflections, whose tau are written. R's diagonal is real.
 *
 * Blocks of LAVA_QR_BLOCK columns are made of panels of LAVA_QR_PANEL, which a kernel factors (panel.h). What
 * a block does to the columns right of it is I - V T^H V^H, three products. R. Schreiber and C. Van Loan, "A
 * storage-efficient WY representation for products of Householder transformations", SIAM J. Sci. Stat.
 * Comput. 10(1), 1989.
 *
 * The error is that of Householder's method: column by column, ||A - Q R|| <= c m k u ||A|| for a small c. N.
 * J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, chapter 19. Sums of a column with
 * m rows overflow if its norm times sqrt(m) / 8 does. A column that is zero from the diagonal on gets tau
 * = 0.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the matrices overlap, or the
 * device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. The same holds for the other two. */
enum lava_status lava_device_qr(struct lava_stream *stream, const struct lava_device_qr *qr);

/* Must be called with all tau once they have been downloaded. Returns LAVA_ERROR_STALLED if workgroups of a
 * panel have waited for each other in vain: A and tau are undefined then. The device's panels take a dispatch
 * per column from then on. Returns LAVA_ERROR_UNDERFLOW if an element of R's diagonal is zero or too small,
 * and the device flushes subnormals: the same is undefined then. */
enum lava_status lava_device_qr_check(struct lava_device *device, enum lava_type type, const void *tau,
                                      int64_t count);

/* A, which holds the reflections in its first columns, <- the first columns of Q = H1 H2 ...; A has at least
 * as many rows as columns, and at least as many columns as there are reflections. */
enum lava_status lava_device_qr_form(struct lava_stream *stream, const struct lava_device_qr *qr);

/* C <- Q C or Q^H C, or C Q or C Q^H. A and tau are only read. */
struct lava_device_qr_product {
    struct lava_device_qr q;
    struct lava_device_matrix c;
    bool adjoint, on_right;
};
enum lava_status lava_device_qr_multiply(struct lava_stream *stream,
                                         const struct lava_device_qr_product *product);

#endif
