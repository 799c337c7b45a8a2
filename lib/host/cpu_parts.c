/* Steps between halves of a matrix. Called by cpu_cholesky.c, cpu_inverse.c, cpu_lu.c and others. */
#include "lib/host/cpu_parts.h"

int64_t lava_cpu_parts_find_zero(const struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    bool reads = row->solves || row->divides;
    const struct lava_operand *triangle = row->solves ? lava_operation_structured(operation) : &operation->a;
    const void *first = reads ? triangle->first : operation->c.first;
    int64_t ld = reads ? triangle->ld : operation->c.ld;
    for (int64_t i = 0; i < operation->k && !triangle->unit_diagonal; i++) {
        const struct lava_number number =
            lava_number_read(operation->type, lava_operation_element(first, operation->type, i, i, ld));
        if (number.real == 0 && number.imaginary == 0)
            return i + 1;
    }
    return 0;
}

void lava_cpu_parts_apply(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                          const struct lava_cpu_application *x) {
    enum lava_type type = operation->type;
    int64_t ld = operation->c.ld;
    void *first = lava_cpu_parts_at(operation, x->rows.first, x->columns.first);
    const struct lava_operand triangle = {
        .first = lava_cpu_parts_at(operation, x->triangle.first, x->triangle.first),
        .ld = ld,
        .op = x->transposed ? LAVA_OP_T : LAVA_OP_N,
        .conjugate = x->transposed && lava_type_is_complex(type),
        .structure = LAVA_STRUCTURE_TRIANGULAR,
        .stored = x->stored,
        .unit_diagonal = x->unit_diagonal};
    const struct lava_operand rectangle = {.first = first, .ld = ld};
    const struct lava_operation application = {.kind =
                                                   x->solves ? LAVA_OPERATION_SOLVE : LAVA_OPERATION_PRODUCT,
                                               .in_place = !x->solves,
                                               .type = type,
                                               .m = x->rows.size,
                                               .n = x->columns.size,
                                               .k = x->triangle.size,
                                               .a = x->on_right ? rectangle : triangle,
                                               .b = x->on_right ? triangle : rectangle,
                                               .c = {.first = first, .ld = ld, .type = type},
                                               .alpha.real = x->alpha};
    lava_cpu_blas_run(blas, &application);
}

void lava_cpu_parts_add_square(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                               const struct lava_cpu_square *x) {
    int64_t at = x->square.first, other = x->others.first;
    bool is_complex = lava_type_is_complex(operation->type);
    const struct lava_operand plain = {.first = x->transposed ? lava_cpu_parts_at(operation, other, at)
                                                              : lava_cpu_parts_at(operation, at, other),
                                       .ld = operation->c.ld};
    struct lava_operand turned = plain;
    turned.op = LAVA_OP_T;
    turned.conjugate = is_complex;
    struct lava_operation product = {.type = operation->type,
                                     .m = x->square.size,
                                     .n = x->square.size,
                                     .k = x->others.size,
                                     .a = x->transposed ? turned : plain,
                                     .b = x->transposed ? plain : turned,
                                     .b_is_a = true,
                                     .c = operation->c,
                                     .alpha.real = x->alpha,
                                     .beta.real = 1};
    product.c.first = lava_cpu_parts_at(operation, at, at);
    product.c.real_diagonal = is_complex;
    lava_cpu_blas_run(blas, &product);
}

struct lava_operation lava_cpu_parts_sides_from(const struct lava_operation *operation, int64_t side) {
    struct lava_operation rest = *operation;
    rest.sides.first =
        lava_operation_element(operation->sides.first, operation->type, 0, side, operation->sides.ld);
    rest.sides.count -= side;
    return rest;
}
