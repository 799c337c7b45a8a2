/* Stands in for divide and conquer on the device: the QL method on the CPU. */
#include "lib/lapack/device_divide.h"

#include <math.h>
#include <stdlib.h>

#include "lib/host/cpu_eigen.h"

int64_t lava_device_divide_work_elements(enum lava_type type, int64_t order) {
    (void)type;
    return order;
}

static void *place(void *vector, enum lava_type type, int64_t at) {
    return lava_operation_element(vector, type, at, 0, 1);
}

static enum lava_status run(struct lava_stream *stream, const struct lava_device_divide *x, double *memory) {
    int64_t n = x->order;
    double *d = memory, *e = d + n, *q = e + n, *narrow = q + n * n;
    for (int64_t i = 0; i < n; i++) {
        d[i] = lava_number_read(x->type, place(x->d, x->type, i)).real;
        e[i] = i < n - 1 ? lava_number_read(x->type, place(x->e, x->type, i)).real : 0;
        if (!isfinite(d[i]) || !isfinite(e[i]))
            return LAVA_ERROR_SCALED;
    }
    if (lava_cpu_eigen_ql(n, d, e, q))
        return LAVA_ERROR_UNAVAILABLE;
    for (int64_t i = 0; i < n; i++)
        lava_number_write(x->type, place(x->d, x->type, i), (struct lava_number){d[i], 0});
    for (int64_t i = 0; i < n * n; i++)
        lava_number_write(x->type, place(narrow, x->type, i), (struct lava_number){q[i], 0});
    return lava_device_matrix_upload(stream, &x->q, narrow, n);
}

enum lava_status lava_device_divide(struct lava_stream *stream, const struct lava_device_divide *divide) {
    size_t n = (size_t)divide->order;
    double *memory = malloc((2 * n + 2 * n * n) * sizeof *memory);
    enum lava_status status = memory ? run(stream, divide, memory) : LAVA_ERROR_HOST_MEMORY;
    free(memory);
    return status;
}
