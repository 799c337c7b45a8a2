/* Hermitian products and norms. Called by device_polar.c and device_cholesky_qr.c. */
#include "lib/lapack/device_gram.h"

#include <math.h>
#include <stdlib.h>

#include "lib/host/numbers.h"
#include "lib/lapack/device_arrange.h"

enum lava_status lava_device_gram(struct lava_stream *stream, const struct lava_device_gram *gram) {
    bool is_complex = lava_type_is_complex(gram->a.type);
    const struct lava_device_product product = {.a = gram->a,
                                                .b = gram->b,
                                                .c = gram->c,
                                                .op_a = LAVA_OP_T,
                                                .conjugate_a = is_complex,
                                                .alpha.real = gram->alpha,
                                                .beta.real = gram->beta,
                                                .region = LAVA_REGION_UPPER,
                                                .real_diagonal = is_complex,
                                                .precision = LAVA_PRECISION_IEEE,
                                                .overrides = gram->overrides};
    enum lava_status status = lava_device_product(stream, &product);
    return status || gram->is_upper ? status : lava_device_mirror(stream, &gram->c, LAVA_REGION_UPPER);
}

enum lava_status lava_device_norm(struct lava_stream *stream, const struct lava_device_matrix *a,
                                  const struct lava_device_matrix *squares, double *norm) {
    enum lava_type real = squares->type;
    int64_t columns = a->columns;
    double sum = 0;
    void *host = malloc((size_t)columns * lava_type_bytes(real));
    if (!host)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_column_norms(stream, a, squares);
    status = status ? status : lava_device_matrix_download(stream, squares, LAVA_REGION_ALL, host, columns);
    for (int64_t i = 0; i < columns && !status; i++)
        sum += lava_number_real_at(real, host, i);
    free(host);
    *norm = sqrt(sum);
    return status;
}
