/* Multiplies right-hand sides by the pseudoinverse. The host divides by the singular values: right-hand sides
 * are few. Called by singular_runner.c. */
#include "lib/lapack/singular_solve.h"

#include "lib/host/numbers.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_singular.h"

int64_t lava_singular_solve_rank(const struct lava_singular_solve *solve) {
    enum lava_type real = lava_type_real(solve->left.type);
    double least = fmax(solve->threshold * lava_number_real_at(real, solve->values, 0), solve->floor);
    int64_t rank = 0;
    while (rank < solve->left.columns && lava_number_real_at(real, solve->values, rank) > least)
        rank++;
    return rank;
}

/* y <- S^-1 y. */
static enum lava_status divide(struct lava_stream *stream, const struct lava_singular_solve *solve) {
    const struct lava_device_matrix *y = &solve->y;
    enum lava_type type = y->type, real = lava_type_real(type);
    int64_t rank = lava_singular_solve_rank(solve);
    enum lava_status status = lava_device_matrix_download(stream, y, LAVA_REGION_ALL, solve->host, y->rows);
    for (int64_t j = 0; j < y->columns && !status; j++)
        for (int64_t i = 0; i < y->rows; i++) {
            void *at = lava_operation_element(solve->host, type, i, j, y->rows);
            double value = lava_number_real_at(real, solve->values, i);
            struct lava_number number = lava_number_read(type, at);
            number.real = i < rank ? number.real / value : 0;
            number.imaginary = i < rank ? number.imaginary / value : 0;
            lava_number_write(type, at, number);
        }
    return status ? status : lava_device_matrix_upload(stream, y, solve->host, y->rows);
}

enum lava_status lava_singular_solve(struct lava_stream *stream, const struct lava_singular_solve *solve) {
    const struct lava_device_matrix *sides = &solve->sides,
                                    first =
                                        lava_device_matrix_block(sides, 0, solve->y.rows, 0, sides->columns),
                                    *before = solve->is_adjoint ? &solve->right : &solve->left,
                                    *after = solve->is_adjoint ? &solve->left : &solve->right;
    const struct lava_device_qr_product q = {.q = solve->q, .c = *sides, .adjoint = !solve->is_adjoint};
    const struct lava_device_arrange clear = {.b = *sides};
    enum lava_status status = LAVA_OK;
    if (solve->by_qr && !solve->is_adjoint)
        status = lava_device_qr_multiply(stream, &q);
    status = status
                 ? status
                 : lava_device_singular_multiply(stream, solve->overrides, before, true, &first, &solve->y);
    status = status ? status : divide(stream, solve);
    if (!status && solve->is_adjoint)
        status = lava_device_arrange(stream, &clear);
    status = status
                 ? status
                 : lava_device_singular_multiply(stream, solve->overrides, after, false, &solve->y, &first);
    if (!status && solve->by_qr && solve->is_adjoint)
        status = lava_device_qr_multiply(stream, &q);
    return status;
}
