/* The steps of QR by Cholesky's factor. Called by singular_runner.c. */
#include "lib/lapack/device_cholesky_qr.h"

#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_gram.h"
#include "lib/lapack/device_singular.h"
#include "lib/lapack/device_solve.h"

/* target <- A^H A, or S. */
static enum lava_status find_gram(struct lava_stream *stream, const struct lava_device_cholesky_qr *qr,
                                  const struct lava_device_matrix *a, const struct lava_device_matrix *target,
                                  double beta) {
    const struct lava_device_gram gram = {
        .a = *a, .b = *a, .c = *target, .alpha = 1, .beta = beta, .overrides = qr->overrides};
    return lava_device_gram(stream, &gram);
}

/* B <- R, Q <- A R^-1. */
static enum lava_status factor(struct lava_stream *stream, const struct lava_device_cholesky_qr *qr) {
    const uint32_t zero = 0;
    const struct lava_device_cholesky cholesky = {.a = qr->b,
                                                  .status = qr->status,
                                                  .stored = LAVA_REGION_UPPER,
                                                  .precision = LAVA_PRECISION_IEEE,
                                                  .overrides = qr->overrides};
    const struct lava_device_solve solve = {.a = qr->b,
                                            .b = qr->q,
                                            .a_on_right = true,
                                            .stored = LAVA_REGION_UPPER,
                                            .alpha.real = 1,
                                            .precision = LAVA_PRECISION_IEEE,
                                            .overrides = qr->overrides};
    const struct lava_device_arrange copy = {.a = qr->a, .b = qr->q, .s = 1};
    enum lava_status status = lava_device_matrix_upload(stream, &qr->status, &zero, 1);
    status = status ? status : find_gram(stream, qr, &qr->a, &qr->b, 0);
    status = status ? status : lava_device_cholesky(stream, &cholesky);
    status = status ? status : lava_device_arrange(stream, &copy);
    return status ? status : lava_device_solve(stream, &solve);
}

/* K <- S. Returns whether its cube is negligible. */
static enum lava_status check(struct lava_stream *stream, const struct lava_device_cholesky_qr *qr) {
    const struct lava_device_arrange unit = {.b = qr->k, .t = -1};
    uint32_t found = 0;
    double size = 0;
    enum lava_status status = lava_device_arrange(stream, &unit);
    status = status ? status : find_gram(stream, qr, &qr->q, &qr->k, 1);
    status = status ? status : lava_device_norm(stream, &qr->k, &qr->squares, &size);
    status = status ? status : lava_device_matrix_download(stream, &qr->status, LAVA_REGION_ALL, &found, 1);
    bool is_small = found == 0 && size * size * size <= lava_type_facts(qr->a.type)->unit;
    return status ? status : is_small ? LAVA_OK : LAVA_ERROR_NOT_DEFINITE;
}

/* K <- I - S/2 + 3/8 S^2, B <- (I + S/2 - S^2/8) R. */
static enum lava_status correct(struct lava_stream *stream, const struct lava_device_cholesky_qr *qr) {
    const struct lava_device_arrange steps[] = {
        {.a = qr->k, .b = qr->other, .s = 1.0 / 2, .t = 1},
        {.a = qr->one, .b = qr->other, .s = -1.0 / 8, .u = 1},
        {.a = qr->one, .b = qr->k, .s = 3.0 / 8, .t = 1, .u = -1.0 / 2},
        {.a = qr->b, .b = qr->one, .s = 1, .upper = true},
    };
    enum lava_status status = find_gram(stream, qr, &qr->k, &qr->one, 0);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !status; i++)
        status = lava_device_arrange(stream, &steps[i]);
    return status ? status
                  : lava_device_singular_multiply(stream, qr->overrides, &qr->other, false, &qr->one, &qr->b);
}

enum lava_status lava_device_cholesky_qr(struct lava_stream *stream,
                                         const struct lava_device_cholesky_qr *qr) {
    enum lava_status status = factor(stream, qr);
    status = status ? status : check(stream, qr);
    return status ? status : correct(stream, qr);
}
