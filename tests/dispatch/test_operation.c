/* operation.c, but for overlaps (test_overlaps.c); and of lib/abi/validate.c, the arguments that the
 * reference BLAS accepts, and the row-major swap. */
#include "devices.h"

#include <math.h>

#include "dispatch/operation.h"
#include "lib/abi/validate.h"

static const struct lava_operation numbers = {.type = LAVA_TYPE_FP32,
                                              .m = 3,
                                              .n = 5,
                                              .k = 7,
                                              .a.ld = 10,
                                              .b.ld = 11,
                                              .c.ld = 12,
                                              .alpha.real = 2,
                                              .beta.real = -3,
                                              .a.first = (const void *)0x1000,
                                              .b.first = (const void *)0x2000,
                                              .c.first = (void *)0x3000};

/* Returns whether the reference BLAS accepts the arguments, and brings the product to column-major form. */
static bool from_fortran(struct lava_operation *operation, char transa, char transb,
                         const struct lava_operation *given) {
    const struct lava_validate_list list = {LAVA_ROUTINE_sgemm_, 0, transa, transb, given};
    return lava_validate_translate(&list, operation);
}

static bool from_cblas(struct lava_operation *operation, int layout, int transa, int transb,
                       const struct lava_operation *given) {
    const struct lava_validate_list list = {LAVA_ROUTINE_cblas_sgemm, layout, transa, transb, given};
    return lava_validate_translate(&list, operation);
}

static void test_fortran_operations(void **state) {
    (void)state;
    const char accepted[] = "NnTtCc", refused[] = "RrXx10 \0";
    struct lava_operation operation;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            assert_true(from_fortran(&operation, accepted[i], accepted[j], &numbers));
            assert_int_equal(operation.a.op, i < 2 ? LAVA_OP_N : LAVA_OP_T);
            assert_int_equal(operation.b.op, j < 2 ? LAVA_OP_N : LAVA_OP_T);
        }
    }
    for (size_t i = 0; i < sizeof refused; i++) {
        assert_false(from_fortran(&operation, refused[i], 'N', &numbers));
        assert_false(from_fortran(&operation, 'N', refused[i], &numbers));
    }
    assert_true(from_fortran(&operation, 'N', 'T', &numbers));
    assert_int_equal(operation.m, 3);
    assert_int_equal(operation.n, 5);
    assert_int_equal(operation.k, 7);
    assert_int_equal(operation.a.ld, 10);
    assert_int_equal(operation.b.ld, 11);
    assert_int_equal(operation.c.ld, 12);
    assert_true(operation.alpha.real == 2 && operation.beta.real == -3);
    assert_ptr_equal(operation.a.first, numbers.a.first);
    assert_ptr_equal(operation.b.first, numbers.b.first);
    assert_ptr_equal(operation.c.first, numbers.c.first);
}

/* Each leading dimension at its minimum and one below; rows of the stored operands per operation. */
static void test_leading_dimensions(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool ta = i & 1, tb = i & 2;
        struct lava_operation tight = numbers, operation;
        tight.a.ld = ta ? tight.k : tight.m;
        tight.b.ld = tb ? tight.n : tight.k;
        tight.c.ld = tight.m;
        assert_true(from_fortran(&operation, ta ? 'T' : 'N', tb ? 'T' : 'N', &tight));
        assert_int_equal(lava_operation_rows_a(&operation), tight.a.ld);
        assert_int_equal(lava_operation_rows_b(&operation), tight.b.ld);
        int64_t *fields[] = {&tight.a.ld, &tight.b.ld, &tight.c.ld};
        for (size_t f = 0; f < COUNT(fields); f++) {
            --*fields[f];
            assert_false(from_fortran(&operation, ta ? 'T' : 'N', tb ? 'T' : 'N', &tight));
            ++*fields[f];
        }
    }
    struct lava_operation empty = numbers, operation;
    empty.m = empty.n = empty.k = 0;
    empty.a.ld = empty.b.ld = empty.c.ld = 1;
    assert_true(from_fortran(&operation, 'N', 'N', &empty));
    empty.c.ld = 0;
    assert_false(from_fortran(&operation, 'N', 'N', &empty));
    int64_t *sizes[] = {&empty.m, &empty.n, &empty.k};
    empty.c.ld = 1;
    for (size_t f = 0; f < COUNT(sizes); f++) {
        *sizes[f] = -1;
        assert_false(from_fortran(&operation, 'N', 'N', &empty));
        *sizes[f] = 0;
    }
}

static void test_cblas(void **state) {
    (void)state;
    struct lava_operation operation = numbers;
    assert_true(from_cblas(&operation, 102, 112, 111, &numbers));
    assert_int_equal(operation.a.op, LAVA_OP_T);
    assert_int_equal(operation.b.op, LAVA_OP_N);
    assert_int_equal(operation.m, 3);
    assert_ptr_equal(operation.a.first, numbers.a.first);

    /* row-major, in place: source and target may be one struct */
    operation = numbers;
    assert_true(from_cblas(&operation, 101, 113, 111, &operation));
    assert_int_equal(operation.a.op, LAVA_OP_N);
    assert_int_equal(operation.b.op, LAVA_OP_T);
    assert_int_equal(operation.m, 5);
    assert_int_equal(operation.n, 3);
    assert_int_equal(operation.k, 7);
    assert_int_equal(operation.a.ld, 11);
    assert_int_equal(operation.b.ld, 10);
    assert_int_equal(operation.c.ld, 12);
    assert_ptr_equal(operation.a.first, numbers.b.first);
    assert_ptr_equal(operation.b.first, numbers.a.first);
    assert_ptr_equal(operation.c.first, numbers.c.first);

    const int layouts[] = {100, 103, 0, -1}, operations[] = {110, 114, 0, 'N'};
    for (size_t i = 0; i < COUNT(layouts); i++)
        assert_false(from_cblas(&operation, layouts[i], 111, 111, &numbers));
    for (size_t i = 0; i < COUNT(operations); i++) {
        assert_false(from_cblas(&operation, 101, operations[i], 111, &numbers));
        assert_false(from_cblas(&operation, 102, 111, operations[i], &numbers));
    }

    /* row-major: lda reaches the columns of A, 7, and ldc those of C, 5 */
    struct lava_operation tight = numbers;
    tight.a.ld = 7, tight.b.ld = 5, tight.c.ld = 5;
    assert_true(from_cblas(&operation, 101, 111, 111, &tight));
    assert_false(from_cblas(&operation, 102, 112, 111, &tight));
    tight.c.ld = 4;
    assert_false(from_cblas(&operation, 101, 111, 111, &tight));
}

/* CBLAS's C conjugates only complex types, and the flag follows the operand when A and B are swapped. */
static void test_conjugation(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        bool is_complex = lava_type_is_complex((enum lava_type)type);
        struct lava_operation operation, given = numbers;
        given.type = given.c.type = (enum lava_type)type;
        given.a.ld = given.b.ld = given.c.ld = 100;
        assert_true(from_fortran(&operation, 'c', 'T', &given));
        assert_true(operation.a.op == LAVA_OP_T && operation.b.op == LAVA_OP_T);
        assert_true(operation.a.conjugate == is_complex && !operation.b.conjugate);
        assert_true(from_cblas(&operation, 102, 111, 113, &given));
        assert_true(!operation.a.conjugate && operation.b.conjugate == is_complex);
        assert_true(from_cblas(&operation, 101, 111, 113, &given));
        assert_true(operation.a.conjugate == is_complex && !operation.b.conjugate);
        operation.alpha.real = 0;
        operation.alpha.imaginary = -1e-300;
        assert_false(lava_operation_is_trivial(&operation));
    }
}

static void test_trivial(void **state) {
    (void)state;
    struct lava_operation operation = numbers;
    assert_false(lava_operation_is_trivial(&operation));
    const double alphas[] = {0.0, -0.0};
    for (size_t i = 0; i < COUNT(alphas); i++) {
        operation.alpha.real = alphas[i];
        assert_true(lava_operation_is_trivial(&operation));
    }
    operation.alpha.real = (double)__builtin_nanf("");
    assert_false(lava_operation_is_trivial(&operation));
    operation.alpha.real = 1e-45;
    assert_false(lava_operation_is_trivial(&operation));
    int64_t *sizes[] = {&operation.m, &operation.n, &operation.k};
    for (size_t f = 0; f < COUNT(sizes); f++) {
        int64_t kept = *sizes[f];
        *sizes[f] = 0;
        assert_true(lava_operation_is_trivial(&operation));
        *sizes[f] = kept;
    }
}

static void test_flops(void **state) {
    (void)state;
    struct lava_operation operation = {.m = INT64_C(1) << 31, .n = INT64_C(1) << 31, .k = INT64_C(1) << 31};
    assert_true(lava_operation_flops(&operation) == 0x1p94);
    operation.type = LAVA_TYPE_CFP32;
    assert_true(lava_operation_flops(&operation) == 0x1p96);
}

/* Half of the products with a triangular operand, twice as many of two products. */
static void test_structured_flops(void **state) {
    struct lava_operation operation = {.m = 4, .n = 10, .k = 4};
    (void)state;
    operation.a.structure = LAVA_STRUCTURE_SYMMETRIC;
    assert_true(lava_operation_flops(&operation) == 2 * 4 * 4 * 10);
    operation.a.structure = LAVA_STRUCTURE_TRIANGULAR;
    assert_true(lava_operation_flops(&operation) == 2 * (4 * 5 / 2) * 10);
    operation.a.structure = LAVA_STRUCTURE_GENERAL;
    operation.b.structure = LAVA_STRUCTURE_TRIANGULAR;
    operation.k = 10;
    assert_true(lava_operation_flops(&operation) == 2 * (10 * 11 / 2) * 4);
    operation = (struct lava_operation){.m = 4, .n = 4, .k = 3, .twice = true, .c.region = LAVA_REGION_UPPER};
    assert_true(lava_operation_flops(&operation) == 2 * 2 * (4 * 5 / 2) * 3);
}

/* What LAPACK's algorithms multiply and add, step by step: of a factorization in step j, of right-hand sides,
 * of Q.
 */
static double counted_flops(const struct lava_operation *x) {
    double multiply_adds = 0, sides = (double)x->sides.count;
    for (int64_t j = 0; j < x->k; j++) {
        double rows = (double)(x->m - j), columns = (double)(x->n - j), of_solve = (double)(x->k - j) * sides;
        switch (x->kind) {
        case LAVA_OPERATION_CHOLESKY:
            multiply_adds += rows * columns / 2 + 2 * of_solve;
            break;
        case LAVA_OPERATION_LU:
            multiply_adds += rows * columns + 2 * of_solve;
            break;
        case LAVA_OPERATION_QR: /* the reflections are as long as C's longer side */
            multiply_adds += 2 * rows * columns + 2 * fmax(rows, columns) * sides + of_solve;
            break;
        case LAVA_OPERATION_QR_FORM:
            multiply_adds += 2 * rows * columns;
            break;
        case LAVA_OPERATION_QR_LEFT:
            multiply_adds += 2 * rows * (double)x->n;
            break;
        case LAVA_OPERATION_QR_RIGHT:
            multiply_adds += 2 * columns * (double)x->m;
            break;
        case LAVA_OPERATION_INVERT_TRIANGLE:
        case LAVA_OPERATION_SQUARE_TRIANGLE:
            multiply_adds += rows * columns / 2;
            break;
        case LAVA_OPERATION_INVERT_CHOLESKY:
            multiply_adds += rows * columns;
            break;
        case LAVA_OPERATION_GENERALIZED_VALUES: /* Cholesky's, and two solves before that */
            multiply_adds += rows * columns / 2 + 2 * columns * (double)x->n + 2 * (rows - 1) * (rows - 1);
            break;
        case LAVA_OPERATION_EIGENVALUES: /* what comes after the reduction has a smaller order */
        case LAVA_OPERATION_TRIDIAGONAL: /* a product with a vector, and two of vectors for half of what is
                                            left */
            multiply_adds += 2 * (rows - 1) * (rows - 1);
            break;
        case LAVA_OPERATION_BIDIAGONAL: /* two products with vectors, and two of vectors */
            multiply_adds += 4 * rows * columns;
            break;
        default:
            multiply_adds += 2 * rows * columns;
            break; /* by LU */
        }
    }
    return (lava_type_is_complex(x->type) ? 8 : 2) * multiply_adds;
}

static void test_lapack_flops(void **state) {
    static const struct {
        int64_t m, n, k, sides;
        bool any_kind; /* also for those of square matrices */
    } cases[] = {{1000, 1000, 1000, 0, true},   {1500, 1000, 1000, 0, false}, {1000, 2500, 1000, 0, false},
                 {1000, 1000, 1000, 300, true}, {3000, 700, 700, 50, false},  {700, 3000, 700, 900, false}};
    (void)state;
    for (int kind = LAVA_OPERATION_CHOLESKY; kind < LAVA_OPERATION_KINDS; kind++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            bool has_sides = kind <= LAVA_OPERATION_QR,
                 is_square = kind == LAVA_OPERATION_CHOLESKY || kind >= LAVA_OPERATION_INVERT_TRIANGLE;
            struct lava_operation x = {.kind = (enum lava_operation_kind)kind,
                                       .type = i % 2 ? LAVA_TYPE_CFP32 : LAVA_TYPE_FP64,
                                       .m = cases[i].m,
                                       .n = cases[i].n,
                                       .k = cases[i].k,
                                       .sides.count = cases[i].sides};
            if ((cases[i].sides > 0 && !has_sides) || (is_square && !cases[i].any_kind) ||
                lava_operation_row(&x)->is_vector || lava_operation_row(&x)->has_vectors ||
                lava_operation_row(&x)->is_singular || lava_operation_row(&x)->of_tridiagonal)
                continue;
            x.c.region = kind == LAVA_OPERATION_CHOLESKY ? LAVA_REGION_LOWER : LAVA_REGION_ALL;
            double flops = lava_operation_flops(&x), counted = counted_flops(&x);
            if (!(fabs(flops - counted) <= 0.005 * counted))
                fail_msg("kind %d, case %zu: %g, counted %g", kind, i, flops, counted);
        }
}

/* Bytes of A and B as stored, even if B's parts are counted twice. */
static void test_operand_bytes(void **state) {
    (void)state;
    static const double bytes[LAVA_TYPE_COUNT] = {
        [LAVA_TYPE_FP32] = 4, [LAVA_TYPE_FP16] = 2,  [LAVA_TYPE_BF16] = 2,
        [LAVA_TYPE_FP64] = 8, [LAVA_TYPE_CFP32] = 8, [LAVA_TYPE_CFP64] = 16};
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_operation operation = numbers;
        operation.type = operation.c.type = (enum lava_type)type;
        assert_true(lava_operation_operand_bytes(&operation) == (3 * 7 + 7 * 5) * bytes[type]);
        struct lava_operation parts = lava_operation_of_parts(&operation);
        assert_true(lava_operation_operand_bytes(&parts) == (3 * 7 + 7 * 5) * bytes[type]);
        /* 2^93 elements */
        operation.m = INT64_C(1) << 46, operation.n = 0, operation.k = INT64_C(1) << 47;
        assert_true(lava_operation_operand_bytes(&operation) == 0x1p93 * bytes[type]);
    }
}

/* Compared member by member, because there is padding between them. */
static void assert_same(const struct lava_operation *x, const struct lava_operation *y) {
    assert_true(x->type == y->type && x->c.type == y->c.type && x->precision == y->precision);
    assert_true(x->a.op == y->a.op && x->b.op == y->b.op && x->of_parts == y->of_parts);
    assert_true(x->a.conjugate == y->a.conjugate && x->b.conjugate == y->b.conjugate);
    assert_true(x->m == y->m && x->n == y->n && x->k == y->k);
    assert_true(x->a.ld == y->a.ld && x->b.ld == y->b.ld && x->c.ld == y->c.ld);
    assert_true(x->alpha.real == y->alpha.real && x->alpha.imaginary == y->alpha.imaginary);
    assert_true(x->beta.real == y->beta.real && x->beta.imaginary == y->beta.imaginary);
    assert_true(x->a.first == y->a.first && x->b.first == y->b.first && x->c.first == y->c.first);
}

/* A complex product becomes a real one with the same work and otherwise the same numbers. A real one is
 * unchanged. */
static void test_parts(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_operation given = numbers;
        given.type = given.c.type = (enum lava_type)type;
        if (type == LAVA_TYPE_FP16)
            given.c.type = LAVA_TYPE_FP32;
        given.b.op = LAVA_OP_T;
        given.alpha.imaginary = -5;
        given.beta.imaginary = 7;
        given.a.conjugate = true;
        given.precision = LAVA_PRECISION_FAST;
        const struct lava_operation kept = given, parts = lava_operation_of_parts(&given);
        struct lava_operation expected = given;
        if (type == LAVA_TYPE_CFP32 || type == LAVA_TYPE_CFP64) {
            expected.type = expected.c.type = type == LAVA_TYPE_CFP32 ? LAVA_TYPE_FP32 : LAVA_TYPE_FP64;
            expected.of_parts = true;
            expected.n = 10;
            expected.k = 14;
        }
        assert_same(&parts, &expected);
        assert_same(&given, &kept);
        assert_true(lava_operation_flops(&parts) == lava_operation_flops(&given));
        assert_int_equal(lava_operation_result_type(&parts), lava_operation_result_type(&given));
        const struct lava_operation again = lava_operation_of_parts(&parts);
        assert_same(&again, &parts);
    }
}

static void test_types(void **state) {
    (void)state;
    static const struct {
        enum lava_type type;
        size_t bytes;
        const char *name;
        enum lava_type sums;
    } types[] = {
        {LAVA_TYPE_FP32, 4, "fp32", LAVA_TYPE_FP32},   {LAVA_TYPE_FP16, 2, "fp16", LAVA_TYPE_FP32},
        {LAVA_TYPE_BF16, 2, "bf16", LAVA_TYPE_FP32},   {LAVA_TYPE_FP64, 8, "fp64", LAVA_TYPE_FP64},
        {LAVA_TYPE_CFP32, 8, "cfp32", LAVA_TYPE_FP32}, {LAVA_TYPE_CFP64, 16, "cfp64", LAVA_TYPE_FP64}};
    assert_int_equal(COUNT(types), LAVA_TYPE_COUNT);
    for (size_t i = 0; i < COUNT(types); i++) {
        assert_int_equal(lava_type_bytes(types[i].type), types[i].bytes);
        assert_string_equal(lava_type_name(types[i].type), types[i].name);
        assert_int_equal(lava_type_sums(types[i].type), types[i].sums);
        enum lava_type named = LAVA_TYPE_COUNT;
        assert_true(lava_type_from_name(types[i].name, &named));
        assert_int_equal(named, types[i].type);
        assert_false(lava_type_from_name("fp8", &named) || lava_type_from_name("", &named));
        bool is_half = lava_type_is_half(types[i].type);
        enum lava_type real = lava_type_real(types[i].type);
        assert_true(is_half == (types[i].bytes == 2));
        assert_true(lava_type_is_complex(types[i].type) == (types[i].name[0] == 'c'));
        assert_string_equal(lava_type_name(real), types[i].name + (types[i].name[0] == 'c'));
        /* fp32 parts; C's own type if nothing is added to it */
        struct lava_operation operation = {.type = types[i].type, .c.type = types[i].type};
        const double betas[] = {0.0, -0.0, 1, 1e-45, -2, (double)__builtin_nanf("")};
        for (size_t b = 0; b < COUNT(betas); b++) {
            operation.beta.real = betas[b];
            assert_int_equal(lava_operation_result_type(&operation),
                             is_half && betas[b] != 0 ? LAVA_TYPE_FP32 : real);
        }
        if (!is_half)
            continue;
        operation.c.type = LAVA_TYPE_FP32;
        operation.beta.real = 0;
        assert_int_equal(lava_operation_result_type(&operation), LAVA_TYPE_FP32);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fortran_operations),
        cmocka_unit_test(test_leading_dimensions),
        cmocka_unit_test(test_cblas),
        cmocka_unit_test(test_conjugation),
        cmocka_unit_test(test_trivial),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_structured_flops),
        cmocka_unit_test(test_lapack_flops),
        cmocka_unit_test(test_operand_bytes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
