/* Checks and translates a product's arguments. Called by the families' files for every call that is not
 * forwarded at once, and for complaints about those that no routine of the CPU BLAS checks.
 *
 * Invariant: what is valid here, the reference BLAS accepts too. Matrices are never read. */
#include "lib/abi/validate.h"

#include "lib/abi/letters.h"

int lava_validate_find_in(const struct lava_validate_list *list, const struct lava_validate_sizes *sizes) {
    bool by_rows = lava_options_is_by_rows(list->routine, list->layout);
    int a = lava_options_read_trans(list->routine, list->transa),
        b = lava_options_read_trans(list->routine, list->transb);
    if (lava_options_is_wrong_layout(list->routine, list->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!a)
        return 1;
    if (!b)
        return 2;
    if (sizes->m < 0)
        return 3;
    if (sizes->n < 0)
        return 4;
    if (sizes->k < 0)
        return 5;
    if (lava_options_is_short(sizes->lda, (a != LAVA_TRANS_NO) == by_rows ? sizes->m : sizes->k))
        return 8;
    if (lava_options_is_short(sizes->ldb, (b != LAVA_TRANS_NO) == by_rows ? sizes->k : sizes->n))
        return 10;
    return lava_options_is_short(sizes->ldc, by_rows ? sizes->n : sizes->m) ? 13 : 0;
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
    bool swap = lava_options_is_by_rows(list->routine, list->layout),
         is_complex = lava_type_is_complex(numbers.type);
    if (wrong == LAVA_VALIDATE_LAYOUT || wrong == 1 || wrong == 2)
        return false;
    int a = lava_options_read_trans(list->routine, swap ? list->transb : list->transa),
        b = lava_options_read_trans(list->routine, swap ? list->transa : list->transb);
    *operation = numbers;
    operation->a.op = a == LAVA_TRANS_NO ? LAVA_OP_N : LAVA_OP_T;
    operation->b.op = b == LAVA_TRANS_NO ? LAVA_OP_N : LAVA_OP_T;
    operation->a.conjugate = is_complex && a == LAVA_TRANS_CONJUGATE;
    operation->b.conjugate = is_complex && b == LAVA_TRANS_CONJUGATE;
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
