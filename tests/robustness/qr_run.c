/* Runs QR on the device. */
#include "tests/robustness/qr_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void qr_begin(struct qr_run *run, const struct matrix *a, const struct matrix *tau, int64_t others) {
    *run = (struct qr_run){
        .work = matrix_new(a->type, lava_device_qr_work_elements(a->type, a->rows, others), 1)};
    lava_stream_open(&run->stream, factors_engine, false);
    run->qr = (struct lava_device_qr){.a = matrix_upload(&run->stream, a, &run->wholes[0]),
                                      .tau = matrix_upload(&run->stream, tau, &run->wholes[1]),
                                      .work = matrix_upload(&run->stream, &run->work, &run->wholes[2])};
}

void qr_end(struct qr_run *run) {
    matrix_download(&run->stream, &run->wholes[2], &run->work);
    assert_int_equal(lava_stream_close(&run->stream, LAVA_OK), LAVA_OK);
    assert_true(matrix_frame_is_untouched(&run->work));
    for (size_t i = 0; i < sizeof run->wholes / sizeof run->wholes[0]; i++)
        lava_device_matrix_free(factors_engine, &run->wholes[i]);
    free(run->work.all);
}

enum lava_status qr_try(struct qr *qr) {
    struct qr_run run;
    qr_begin(&run, &qr->a, &qr->tau, qr->columns);
    assert_int_equal(lava_device_qr(&run.stream, &run.qr), LAVA_OK);
    matrix_download(&run.stream, &run.wholes[0], &qr->now);
    matrix_download(&run.stream, &run.wholes[1], &qr->tau);
    qr_end(&run);
    assert_true(matrix_frame_is_untouched(&qr->now));
    assert_true(matrix_frame_is_untouched(&qr->tau));
    return lava_device_qr_check(factors_engine->device, qr->type, matrix_element(&qr->tau, 0, 0), qr->order);
}

void qr_factor(struct qr *qr) {
    assert_int_equal(qr_try(qr), LAVA_OK);
}
