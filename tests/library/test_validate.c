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

static const struct lava_problem numbers = {.type = LAVA_TYPE_FP32,
                                            .m = 3,
                                            .n = 5,
                                            .k = 7,
                                            .lda = 10,
                                            .ldb = 11,
                                            .ldc = 12,
                                            .a = (const void *)0x1000,
                                            .b = (const void *)0x2000,
                                            .c = (void *)0x3000};

/* Returns the first invalid argument; the translation must agree. */
static int find(enum lava_routine routine, int layout, int transa, int transb,
                const struct lava_problem *given, struct lava_problem *problem) {
    const struct lava_validate_list list = {routine, layout, transa, transb, given};
    int wrong = lava_validate_find(&list);
    assert_true(lava_validate_translate(&list, problem) == (wrong == 0));
    return wrong;
}

static int find_fortran(int transa, int transb, const struct lava_problem *given,
                        struct lava_problem *problem) {
    return find(LAVA_ROUTINE_sgemm_, 0, transa, transb, given, problem);
}

static int find_cblas(int layout, int transa, int transb, const struct lava_problem *given,
                      struct lava_problem *problem) {
    return find(LAVA_ROUTINE_cblas_sgemm, layout, transa, transb, given, problem);
}

static void fortran_operations(void **state) {
    const char accepted[] = "NnTtCc";
    struct lava_problem problem;
    (void)state;
    for (int a = 0; a < 256; a++) {
        const char *found = a ? strchr(accepted, a) : NULL;
        int given = a > 127 ? a - 256 : a; /* a character may be negative */
        assert_int_equal(find_fortran(given, 'N', &numbers, &problem), found ? 0 : 1);
        if (found)
            assert_int_equal(problem.op_a, found - accepted < 2 ? LAVA_OP_N : LAVA_OP_T);
        assert_int_equal(find_fortran('t', given, &numbers, &problem), found ? 0 : 2);
        if (found)
            assert_int_equal(problem.op_b, found - accepted < 2 ? LAVA_OP_N : LAVA_OP_T);
    }
    assert_int_equal(find_fortran('N', 'T', &numbers, &problem), 0);
    assert_true(problem.m == 3 && problem.n == 5 && problem.k == 7);
    assert_true(problem.lda == 10 && problem.ldb == 11 && problem.ldc == 12);
    assert_true(problem.a == numbers.a && problem.b == numbers.b && problem.c == numbers.c);
}

static void cblas_enumerators(void **state) {
    struct lava_problem problem;
    (void)state;
    for (int given = -2; given < 130; given++) {
        int layout = given == ROWS || given == COLUMNS ? 0 : LAVA_VALIDATE_LAYOUT;
        int operation = given >= NO_TRANS && given <= CONJ_TRANS ? 0 : 1;
        assert_int_equal(find_cblas(given, NO_TRANS, NO_TRANS, &numbers, &problem), layout);
        assert_int_equal(find_cblas(ROWS, given, NO_TRANS, &numbers, &problem), operation);
        assert_int_equal(find_cblas(COLUMNS, NO_TRANS, given, &numbers, &problem), 2 * operation);
    }
    /* the layout is named before all others */
    assert_int_equal(find_cblas(0, 0, 0, &(struct lava_problem){.m = -1}, &problem), LAVA_VALIDATE_LAYOUT);
}

static void row_major_is_exchanged(void **state) {
    struct lava_problem problem = numbers;
    (void)state;
    assert_int_equal(find_cblas(COLUMNS, TRANS, NO_TRANS, &numbers, &problem), 0);
    assert_true(problem.op_a == LAVA_OP_T && problem.op_b == LAVA_OP_N);
    assert_true(problem.m == 3 && problem.n == 5 && problem.a == numbers.a);

    problem = numbers; /* source and target may be one struct */
    const struct lava_validate_list list = {LAVA_ROUTINE_cblas_sgemm, ROWS, CONJ_TRANS, NO_TRANS, &problem};
    assert_true(lava_validate_translate(&list, &problem));
    assert_true(problem.op_a == LAVA_OP_N && problem.op_b == LAVA_OP_T);
    assert_true(problem.m == 5 && problem.n == 3 && problem.k == 7);
    assert_true(problem.lda == 11 && problem.ldb == 10 && problem.ldc == 12);
    assert_true(problem.a == numbers.b && problem.b == numbers.a && problem.c == numbers.c);
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
        struct lava_problem tight = numbers, problem;
        tight.lda = ta == by_rows ? tight.m : tight.k;
        tight.ldb = tb == by_rows ? tight.k : tight.n;
        tight.ldc = by_rows ? tight.n : tight.m;
        assert_int_equal(find(routine, layout, transa, transb, &tight, &problem), 0);
        assert_int_equal(lava_problem_rows_a(&problem), by_rows ? tight.ldb : tight.lda);
        assert_int_equal(lava_problem_rows_b(&problem), by_rows ? tight.lda : tight.ldb);
        int64_t *fields[] = {&tight.lda, &tight.ldb, &tight.ldc};
        const int expected[] = {8, 10, 13};
        for (int f = 2; f >= 0; f--) { /* the earlier ones are named first */
            --*fields[f];
            assert_int_equal(find(routine, layout, transa, transb, &tight, &problem), expected[f]);
        }
    }
}

static void sizes(void **state) {
    struct lava_problem empty = {.type = LAVA_TYPE_FP32, .lda = 1, .ldb = 1, .ldc = 1}, problem;
    int64_t *fields[] = {&empty.m, &empty.n, &empty.k};
    (void)state;
    assert_int_equal(find_fortran('N', 'N', &empty, &problem), 0);
    for (int f = 2; f >= 0; f--) {
        *fields[f] = -1;
        assert_int_equal(find_fortran('N', 'N', &empty, &problem), 3 + f);
    }
    empty.m = empty.n = empty.k = empty.ldc = 0;
    assert_int_equal(find_fortran('N', 'N', &empty, &problem), 13);
}

/* Only complex operands are conjugated, and the flag goes where the operand goes. */
static void conjugation(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        bool is_complex = lava_type_is_complex((enum lava_type)type);
        struct lava_problem problem, given = numbers;
        given.type = given.type_c = (enum lava_type)type;
        assert_int_equal(find_fortran('c', 'T', &given, &problem), 0);
        assert_true(problem.conjugate_a == is_complex && !problem.conjugate_b);
        assert_int_equal(find_cblas(COLUMNS, NO_TRANS, CONJ_TRANS, &given, &problem), 0);
        assert_true(!problem.conjugate_a && problem.conjugate_b == is_complex);
        assert_int_equal(find_cblas(ROWS, NO_TRANS, CONJ_TRANS, &given, &problem), 0);
        assert_true(problem.conjugate_a == is_complex && !problem.conjugate_b);
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
