/* Makes an operation of a matrix and two vectors. Called by gemv.c, symv.c and trmv.c. */
#include "lib/abi/vectors.h"

#include "lib/abi/arguments.h"

void *lava_vectors_first(const void *vector, enum lava_type type, int64_t length, int64_t increment) {
    return lava_operation_element(vector, type, 0, increment < 0 ? 1 - length : 0, increment);
}

void lava_vectors_translate(const struct lava_vectors_arguments *x, const struct lava_operand *matrix,
                            int64_t rows, int64_t columns, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    *operation = (struct lava_operation){
        .kind = LAVA_OPERATION_MATRIX_VECTOR,
        .type = row->type,
        .m = rows,
        .n = 1,
        .k = columns,
        .a = *matrix,
        .b = {.first = lava_vectors_first(x->x, row->type, columns, x->incx), .ld = x->incx},
        .c = {
            .first = lava_vectors_first(x->y, row->type, rows, x->incy), .ld = x->incy, .type = row->type_c}};
    operation->alpha = lava_arguments_read_scalar(row->scalar, x->alpha);
    operation->beta = lava_arguments_read_scalar(row->scalar, x->beta);
}
