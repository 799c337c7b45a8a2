/* Checks and translates a product's arguments. Called by the families' files for every call that is not
 * forwarded at once, and for complaints about those that no routine of the CPU BLAS checks.
 *
 * Invariant: what is valid here, the reference BLAS accepts too. Matrices are never read. */
#include "lib/abi/validate.h"

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

struct given_op {
    bool known, transpose, conjugate;
};

static struct given_op given_op_of(bool fortran, int given) {
    if (fortran) {
        int letter = (unsigned char)given | 0x20; /* small */
        return (struct given_op){.known = letter == 'n' || letter == 't' || letter == 'c',
                                 .transpose = letter != 'n',
                                 .conjugate = letter == 'c'};
    }
    return (struct given_op){.known = given == NO_TRANS || given == TRANS || given == CONJ_TRANS,
                             .transpose = given != NO_TRANS,
                             .conjugate = given == CONJ_TRANS};
}

static bool is_fortran(const struct lava_validate_list *list) {
    return lava_routine_row(list->routine)->convention == LAVA_CONVENTION_FORTRAN;
}

static bool is_by_rows(const struct lava_validate_list *list) {
    return !is_fortran(list) && list->layout == ROW_MAJOR;
}

/* Returns whether a leading dimension is too small for runs of n elements. */
static bool is_short(int64_t leading_dimension, int64_t elements) {
    return leading_dimension < (elements > 1 ? elements : 1);
}

int lava_validate_find_in(const struct lava_validate_list *list, const struct lava_validate_sizes *sizes) {
    bool fortran = is_fortran(list), by_rows = is_by_rows(list);
    struct given_op a = given_op_of(fortran, list->transa), b = given_op_of(fortran, list->transb);
    if (!fortran && list->layout != ROW_MAJOR && list->layout != COLUMN_MAJOR)
        return LAVA_VALIDATE_LAYOUT;
    if (!a.known)
        return 1;
    if (!b.known)
        return 2;
    if (sizes->m < 0)
        return 3;
    if (sizes->n < 0)
        return 4;
    if (sizes->k < 0)
        return 5;
    if (is_short(sizes->lda, a.transpose == by_rows ? sizes->m : sizes->k))
        return 8;
    if (is_short(sizes->ldb, b.transpose == by_rows ? sizes->k : sizes->n))
        return 10;
    return is_short(sizes->ldc, by_rows ? sizes->n : sizes->m) ? 13 : 0;
}

int lava_validate_find(const struct lava_validate_list *list) {
    const struct lava_operation *numbers = list->numbers;
    const struct lava_validate_sizes sizes = {numbers->m,    numbers->n,    numbers->k,
                                              numbers->a.ld, numbers->b.ld, numbers->c.ld};
    return lava_validate_find_in(list, &sizes);
}

bool lava_validate_translate(const struct lava_validate_list *list, struct lava_operation *operation) {
    const struct lava_operation numbers = *list->numbers; /* the caller may pass one struct for both */
    int wrong = lava_validate_find(list);
    bool fortran = is_fortran(list), swap = is_by_rows(list), is_complex = lava_type_is_complex(numbers.type);
    if (wrong == LAVA_VALIDATE_LAYOUT || wrong == 1 || wrong == 2)
        return false;
    struct given_op a = given_op_of(fortran, swap ? list->transb : list->transa);
    struct given_op b = given_op_of(fortran, swap ? list->transa : list->transb);
    *operation = numbers;
    operation->a.op = a.transpose ? LAVA_OP_T : LAVA_OP_N;
    operation->b.op = b.transpose ? LAVA_OP_T : LAVA_OP_N;
    operation->a.conjugate = is_complex && a.conjugate;
    operation->b.conjugate = is_complex && b.conjugate;
    if (swap) {
        operation->m = numbers.n;
        operation->n = numbers.m;
        operation->a.ld = numbers.b.ld;
        operation->b.ld = numbers.a.ld;
        operation->a.first = numbers.b.first;
        operation->b.first = numbers.a.first;
    }
    return wrong == 0;
}
