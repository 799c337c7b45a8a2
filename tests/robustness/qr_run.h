/* QR on the device: its matrices are blocks of larger ones with NaN around them, and the scratch is full of
 * NaN. For the tests of lib/lapack/device_qr.h; aborts the test if something fails. */
#ifndef LAVA_TESTS_ROBUSTNESS_QR_RUN_H
#define LAVA_TESTS_ROBUSTNESS_QR_RUN_H

#include "lib/lapack/device_qr.h"
#include "tests/robustness/factors.h"
#include "tests/robustness/reflections.h"

/* The matrices of a run on the device: A, tau, the scratch, and what a test adds. */
struct qr_run {
    struct lava_stream stream;
    struct matrix work;
    struct lava_device_matrix wholes[4];
    struct lava_device_qr qr;
};
/* Uploads a matrix with its reflections' tau to factors_engine, with scratch for n other columns. */
void qr_begin(struct qr_run *run, const struct matrix *a, const struct matrix *tau, int64_t others);
/* Frees everything; nothing around the scratch was written. */
void qr_end(struct qr_run *run);

/* Factors on the device. Checks that nothing else is written, whatever A is. */
void qr_factor(struct qr *qr);
/* The same if workgroups may stall; returns what lava_device_qr_check says of tau. */
enum lava_status qr_try(struct qr *qr);

#endif
