/* The validator of arguments: what the reference BLAS accepts, which argument is the first invalid one, and
 * the column-major form of a product. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/abi/validate.h"

enum { ROWS = 101, COLUMNS = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

static const struct lava_operation numbers = {.type = LAVA_TYPE_FP32,
                                              .m = 3,
                                              .n = 5,
                                              .k = 7,
                                              .a.ld = 10,
                                              .b.ld = 11,
                                              .c.ld = 12,
                                              .a.first = (const void *)0x1000,
                                              .b.first = (const void *)0x2000,
                                              .c.first = (void *)0x3000};

/* Returns the first invalid argument; the translation must agree. */
static int find(enum lava_routine routine, int layout, int transa, int transb,
                const struct lava_operation *given, struct lava_operation *operation) {
    const struct lava_validate_list list = {routine, layout, transa, transb, given};
    int wrong = lava_validate_find(&list);
    assert_true(lava_validate_translate(&list, operation) == (wrong == 0));
    return wrong;
}

static int find_fortran(int transa, int transb, const struct lava_operation *given,
                        struct lava_operation *operation) {
    return find(LAVA_ROUTINE_sgemm_, 0, transa, transb, given, operation);
}

static int find_cblas(int layout, int transa, int transb, const struct lava_operation *given,
                      struct lava_operation *operation) {
    return find(LAVA_ROUTINE_cblas_sgemm, layout, transa, transb, given, operation);
}

static void fortran_operations(void **state) {
    const char accepted[] = "NnTtCc";
    struct lava_operation operation;
    (void)state;
    for (int a = 0; a < 256; a++) {
        const char *found = a ? strchr(accepted, a) : NULL;
        int given = a > 127 ? a - 256 : a; /* a character may be negative */
        assert_int_equal(find_fortran(given, 'N', &numbers, &operation), found ? 0 : 1);
        if (found)
            assert_int_equal(operation.a.op, found - accepted < 2 ? LAVA_OP_N : LAVA_OP_T);
        assert_int_equal(find_fortran('t', given, &numbers, &operation), found ? 0 : 2);
        if (found)
            assert_int_equal(operation.b.op, found - accepted < 2 ? LAVA_OP_N : LAVA_OP_T);
    }
    assert_int_equal(find_fortran('N', 'T', &numbers, &operation), 0);
    assert_true(operation.m == 3 && operation.n == 5 && operation.k == 7);
    assert_true(operation.a.ld == 10 && operation.b.ld == 11 && operation.c.ld == 12);
    assert_true(operation.a.first == numbers.a.first && operation.b.first == numbers.b.first &&
                operation.c.first == numbers.c.first);
}

static void cblas_enumerators(void **state) {
    struct lava_operation operation;
    (void)state;
    for (int given = -2; given < 130; given++) {
        int layout = given == ROWS || given == COLUMNS ? 0 : LAVA_VALIDATE_LAYOUT;
        int position = given >= NO_TRANS && given <= CONJ_TRANS ? 0 : 1;
        assert_int_equal(find_cblas(given, NO_TRANS, NO_TRANS, &numbers, &operation), layout);
        assert_int_equal(find_cblas(ROWS, given, NO_TRANS, &numbers, &operation), position);
        assert_int_equal(find_cblas(COLUMNS, NO_TRANS, given, &numbers, &operation), 2 * position);
    }
    /* the layout is named before all others */
    assert_int_equal(find_cblas(0, 0, 0, &(struct lava_operation){.m = -1}, &operation),
                     LAVA_VALIDATE_LAYOUT);
}

static void row_major_is_exchanged(void **state) {
    struct lava_operation operation = numbers;
    (void)state;
    assert_int_equal(find_cblas(COLUMNS, TRANS, NO_TRANS, &numbers, &operation), 0);
    assert_true(operation.a.op == LAVA_OP_T && operation.b.op == LAVA_OP_N);
    assert_true(operation.m == 3 && operation.n == 5 && operation.a.first == numbers.a.first);

    operation = numbers; /* source and target may be one struct */
    const struct lava_validate_list list = {LAVA_ROUTINE_cblas_sgemm, ROWS, CONJ_TRANS, NO_TRANS, &operation};
    assert_true(lava_validate_translate(&list, &operation));
    assert_true(operation.a.op == LAVA_OP_N && operation.b.op == LAVA_OP_T);
    assert_true(operation.m == 5 && operation.n == 3 && operation.k == 7);
    assert_true(operation.a.ld == 11 && operation.b.ld == 10 && operation.c.ld == 12);
    assert_true(operation.a.first == numbers.b.first && operation.b.first == numbers.a.first &&
                operation.c.first == numbers.c.first);
}

/* Each leading dimension is valid at its least value, and the first invalid argument one below. */
static void leading_dimensions(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        bool fortran = i >= 8, by_rows = !fortran && (i & 4), ta = i & 1, tb = i & 2;
        int layout = by_rows ? ROWS : COLUMNS;
        enum lava_routine routine = fortran ? LAVA_ROUTINE_sgemm_ : LAVA_ROUTINE_cblas_sgemm;
        int transa = fortran ? (ta ? 'T' : 'N') : (ta ? TRANS : NO_TRANS);
        int transb = fortran ? (tb ? 'T' : 'N') : (tb ? TRANS : NO_TRANS);
        struct lava_operation tight = numbers, operation;
        tight.a.ld = ta == by_rows ? tight.m : tight.k;
        tight.b.ld = tb == by_rows ? tight.k : tight.n;
        tight.c.ld = by_rows ? tight.n : tight.m;
        assert_int_equal(find(routine, layout, transa, transb, &tight, &operation), 0);
        assert_int_equal(lava_operation_rows_a(&operation), by_rows ? tight.b.ld : tight.a.ld);
        assert_int_equal(lava_operation_rows_b(&operation), by_rows ? tight.a.ld : tight.b.ld);
        int64_t *fields[] = {&tight.a.ld, &tight.b.ld, &tight.c.ld};
        const int expected[] = {8, 10, 13};
        for (int f = 2; f >= 0; f--) { /* the earlier ones are named first */
            --*fields[f];
            assert_int_equal(find(routine, layout, transa, transb, &tight, &operation), expected[f]);
        }
    }
}

static void sizes(void **state) {
    struct lava_operation empty = {.type = LAVA_TYPE_FP32, .a.ld = 1, .b.ld = 1, .c.ld = 1}, operation;
    int64_t *fields[] = {&empty.m, &empty.n, &empty.k};
    (void)state;
    assert_int_equal(find_fortran('N', 'N', &empty, &operation), 0);
    for (int f = 2; f >= 0; f--) {
        *fields[f] = -1;
        assert_int_equal(find_fortran('N', 'N', &empty, &operation), 3 + f);
    }
    empty.m = empty.n = empty.k = empty.c.ld = 0;
    assert_int_equal(find_fortran('N', 'N', &empty, &operation), 13);
}

/* Only complex operands are conjugated, and the flag goes where the operand goes. */
static void conjugation(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        bool is_complex = lava_type_is_complex((enum lava_type)type);
        struct lava_operation operation, given = numbers;
        given.type = given.c.type = (enum lava_type)type;
        assert_int_equal(find_fortran('c', 'T', &given, &operation), 0);
        assert_true(operation.a.conjugate == is_complex && !operation.b.conjugate);
        assert_int_equal(find_cblas(COLUMNS, NO_TRANS, CONJ_TRANS, &given, &operation), 0);
        assert_true(!operation.a.conjugate && operation.b.conjugate == is_complex);
        assert_int_equal(find_cblas(ROWS, NO_TRANS, CONJ_TRANS, &given, &operation), 0);
        assert_true(operation.a.conjugate == is_complex && !operation.b.conjugate);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fortran_operations),
                                       cmocka_unit_test(cblas_enumerators),
                                       cmocka_unit_test(row_major_is_exchanged),
                                       cmocka_unit_test(leading_dimensions),
                                       cmocka_unit_test(sizes),
                                       cmocka_unit_test(conjugation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
