/* problem.c: the overlap test against brute force, and more; and on lib/abi/validate.c, the arguments that
 * the reference BLAS accepts, and the row-major swap. */
#include "devices.h"

#include "dispatch/problem.h"
#include "lib/abi/validate.h"

static const struct lava_problem numbers = {.type = LAVA_TYPE_FP32,
                                            .m = 3,
                                            .n = 5,
                                            .k = 7,
                                            .lda = 10,
                                            .ldb = 11,
                                            .ldc = 12,
                                            .alpha = 2,
                                            .beta = -3,
                                            .a = (const void *)0x1000,
                                            .b = (const void *)0x2000,
                                            .c = (void *)0x3000};

/* Returns whether the reference BLAS accepts the arguments, and brings the product to column-major form. */
static bool from_fortran(struct lava_problem *problem, char transa, char transb,
                         const struct lava_problem *given) {
    const struct lava_validate_list list = {LAVA_ROUTINE_sgemm_, 0, transa, transb, given};
    return lava_validate_translate(&list, problem);
}

static bool from_cblas(struct lava_problem *problem, int layout, int transa, int transb,
                       const struct lava_problem *given) {
    const struct lava_validate_list list = {LAVA_ROUTINE_cblas_sgemm, layout, transa, transb, given};
    return lava_validate_translate(&list, problem);
}

static void test_fortran_operations(void **state) {
    (void)state;
    const char accepted[] = "NnTtCc", refused[] = "RrXx10 \0";
    struct lava_problem problem;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            assert_true(from_fortran(&problem, accepted[i], accepted[j], &numbers));
            assert_int_equal(problem.op_a, i < 2 ? LAVA_OP_N : LAVA_OP_T);
            assert_int_equal(problem.op_b, j < 2 ? LAVA_OP_N : LAVA_OP_T);
        }
    }
    for (size_t i = 0; i < sizeof refused; i++) {
        assert_false(from_fortran(&problem, refused[i], 'N', &numbers));
        assert_false(from_fortran(&problem, 'N', refused[i], &numbers));
    }
    assert_true(from_fortran(&problem, 'N', 'T', &numbers));
    assert_int_equal(problem.m, 3);
    assert_int_equal(problem.n, 5);
    assert_int_equal(problem.k, 7);
    assert_int_equal(problem.lda, 10);
    assert_int_equal(problem.ldb, 11);
    assert_int_equal(problem.ldc, 12);
    assert_true(problem.alpha == 2 && problem.beta == -3);
    assert_ptr_equal(problem.a, numbers.a);
    assert_ptr_equal(problem.b, numbers.b);
    assert_ptr_equal(problem.c, numbers.c);
}

/* Each leading dimension at its minimum and one below; rows of the stored operands per operation. */
static void test_leading_dimensions(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool ta = i & 1, tb = i & 2;
        struct lava_problem tight = numbers, problem;
        tight.lda = ta ? tight.k : tight.m;
        tight.ldb = tb ? tight.n : tight.k;
        tight.ldc = tight.m;
        assert_true(from_fortran(&problem, ta ? 'T' : 'N', tb ? 'T' : 'N', &tight));
        assert_int_equal(lava_problem_rows_a(&problem), tight.lda);
        assert_int_equal(lava_problem_rows_b(&problem), tight.ldb);
        int64_t *fields[] = {&tight.lda, &tight.ldb, &tight.ldc};
        for (size_t f = 0; f < COUNT(fields); f++) {
            --*fields[f];
            assert_false(from_fortran(&problem, ta ? 'T' : 'N', tb ? 'T' : 'N', &tight));
            ++*fields[f];
        }
    }
    struct lava_problem empty = numbers, problem;
    empty.m = empty.n = empty.k = 0;
    empty.lda = empty.ldb = empty.ldc = 1;
    assert_true(from_fortran(&problem, 'N', 'N', &empty));
    empty.ldc = 0;
    assert_false(from_fortran(&problem, 'N', 'N', &empty));
    int64_t *sizes[] = {&empty.m, &empty.n, &empty.k};
    empty.ldc = 1;
    for (size_t f = 0; f < COUNT(sizes); f++) {
        *sizes[f] = -1;
        assert_false(from_fortran(&problem, 'N', 'N', &empty));
        *sizes[f] = 0;
    }
}

static void test_cblas(void **state) {
    (void)state;
    struct lava_problem problem = numbers;
    assert_true(from_cblas(&problem, 102, 112, 111, &numbers));
    assert_int_equal(problem.op_a, LAVA_OP_T);
    assert_int_equal(problem.op_b, LAVA_OP_N);
    assert_int_equal(problem.m, 3);
    assert_ptr_equal(problem.a, numbers.a);

    /* row-major, in place: source and target may be one struct */
    problem = numbers;
    assert_true(from_cblas(&problem, 101, 113, 111, &problem));
    assert_int_equal(problem.op_a, LAVA_OP_N);
    assert_int_equal(problem.op_b, LAVA_OP_T);
    assert_int_equal(problem.m, 5);
    assert_int_equal(problem.n, 3);
    assert_int_equal(problem.k, 7);
    assert_int_equal(problem.lda, 11);
    assert_int_equal(problem.ldb, 10);
    assert_int_equal(problem.ldc, 12);
    assert_ptr_equal(problem.a, numbers.b);
    assert_ptr_equal(problem.b, numbers.a);
    assert_ptr_equal(problem.c, numbers.c);

    const int layouts[] = {100, 103, 0, -1}, operations[] = {110, 114, 0, 'N'};
    for (size_t i = 0; i < COUNT(layouts); i++)
        assert_false(from_cblas(&problem, layouts[i], 111, 111, &numbers));
    for (size_t i = 0; i < COUNT(operations); i++) {
        assert_false(from_cblas(&problem, 101, operations[i], 111, &numbers));
        assert_false(from_cblas(&problem, 102, 111, operations[i], &numbers));
    }

    /* row-major: lda reaches the columns of A, 7, and ldc those of C, 5 */
    struct lava_problem tight = numbers;
    tight.lda = 7, tight.ldb = 5, tight.ldc = 5;
    assert_true(from_cblas(&problem, 101, 111, 111, &tight));
    assert_false(from_cblas(&problem, 102, 112, 111, &tight));
    tight.ldc = 4;
    assert_false(from_cblas(&problem, 101, 111, 111, &tight));
}

/* CBLAS's C conjugates only complex types, and the flag follows the operand when A and B are swapped. */
static void test_conjugation(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        bool is_complex = lava_type_is_complex((enum lava_type)type);
        struct lava_problem problem, given = numbers;
        given.type = given.type_c = (enum lava_type)type;
        given.lda = given.ldb = given.ldc = 100;
        assert_true(from_fortran(&problem, 'c', 'T', &given));
        assert_true(problem.op_a == LAVA_OP_T && problem.op_b == LAVA_OP_T);
        assert_true(problem.conjugate_a == is_complex && !problem.conjugate_b);
        assert_true(from_cblas(&problem, 102, 111, 113, &given));
        assert_true(!problem.conjugate_a && problem.conjugate_b == is_complex);
        assert_true(from_cblas(&problem, 101, 111, 113, &given));
        assert_true(problem.conjugate_a == is_complex && !problem.conjugate_b);
        problem.alpha = 0;
        problem.alpha_imaginary = -1e-300;
        assert_false(lava_problem_is_trivial(&problem));
    }
}

static void test_trivial(void **state) {
    (void)state;
    struct lava_problem problem = numbers;
    assert_false(lava_problem_is_trivial(&problem));
    const double alphas[] = {0.0, -0.0};
    for (size_t i = 0; i < COUNT(alphas); i++) {
        problem.alpha = alphas[i];
        assert_true(lava_problem_is_trivial(&problem));
    }
    problem.alpha = (double)__builtin_nanf("");
    assert_false(lava_problem_is_trivial(&problem));
    problem.alpha = 1e-45;
    assert_false(lava_problem_is_trivial(&problem));
    int64_t *sizes[] = {&problem.m, &problem.n, &problem.k};
    for (size_t f = 0; f < COUNT(sizes); f++) {
        int64_t kept = *sizes[f];
        *sizes[f] = 0;
        assert_true(lava_problem_is_trivial(&problem));
        *sizes[f] = kept;
    }
}

/* Marks bytes of A and B with 1; C's bytes are then looked up. Leading dimensions and rows are in bytes. */
enum { BRUTE_BYTES = 8192 };
static void mark(unsigned char *map, size_t first, size_t rows, int64_t columns, size_t ld) {
    for (size_t j = 0; j < (size_t)columns; j++)
        memset(map + first + j * ld, 1, rows);
}
static bool met(const unsigned char *map, size_t first, size_t rows, int64_t columns, size_t ld) {
    for (size_t j = 0; j < (size_t)columns; j++)
        if (memchr(map + first + j * ld, 1, rows))
            return true;
    return false;
}

/* A small product of random types. In two of three cases its matrices could be blocks of one parent. Returns
 * whether they could. */
static bool random_product(uint64_t *random, struct lava_problem *p) {
    /* types of A and B, and of C */
    static const enum lava_type types[][2] = {
        {LAVA_TYPE_FP32, LAVA_TYPE_FP32},   {LAVA_TYPE_FP16, LAVA_TYPE_FP32},
        {LAVA_TYPE_BF16, LAVA_TYPE_BF16},   {LAVA_TYPE_FP64, LAVA_TYPE_FP64},
        {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32}, {LAVA_TYPE_CFP64, LAVA_TYPE_CFP64}};
    const enum lava_type *chosen = types[random_next(random) % COUNT(types)];
    int64_t wider = (int64_t)(lava_type_bytes(chosen[1]) / lava_type_bytes(chosen[0]));
    int64_t ld = 5 + (int64_t)(random_next(random) % 10);
    bool one_parent = random_next(random) % 3 != 0;
    *p = (struct lava_problem){.type = chosen[0], .type_c = chosen[1], .alpha = 1};
    p->op_a = random_next(random) % 2 ? LAVA_OP_N : LAVA_OP_T;
    p->op_b = random_next(random) % 2 ? LAVA_OP_N : LAVA_OP_T;
    p->m = 1 + (int64_t)(random_next(random) % 5);
    p->n = 1 + (int64_t)(random_next(random) % 5);
    p->k = 1 + (int64_t)(random_next(random) % 5);
    p->lda = one_parent ? ld * wider : 5 + (int64_t)(random_next(random) % 20);
    p->ldb = one_parent ? ld * wider : 5 + (int64_t)(random_next(random) % 20);
    p->ldc = ld;
    return one_parent;
}

/* Random blocks in one small memory, all with the same leading dimension in bytes or with different ones. */
static void test_overlap_brute_force(void **state) {
    (void)state;
    static unsigned char memory[BRUTE_BYTES];
    static unsigned char map[BRUTE_BYTES];
    uint64_t random = random_seed();
    unsigned disjoint = 0, interleaved = 0, overlapping = 0;
    for (int i = 0; i < 300000; i++) {
        struct lava_problem p;
        bool one_parent = random_product(&random, &p);
        size_t bytes = lava_type_bytes(p.type), bytes_c = lava_type_bytes(p.type_c);
        size_t align = random_next(&random) % 4 ? bytes : 1; /* Fortran programs do misalign */
        size_t at[3];
        for (int o = 0; o < 3; o++)
            at[o] = random_next(&random) % (i % 2 ? 300 : 3000) * align % 3000;
        p.a = memory + at[0];
        p.b = memory + at[1];
        p.c = memory + at[2];
        int64_t columns_a = p.op_a == LAVA_OP_N ? p.k : p.m, columns_b = p.op_b == LAVA_OP_N ? p.n : p.k;
        size_t pitch_a = (size_t)p.lda * bytes, pitch_b = (size_t)p.ldb * bytes;
        size_t pitch_c = (size_t)p.ldc * bytes_c;
        memset(map, 0, sizeof map);
        mark(map, at[0], (size_t)lava_problem_rows_a(&p) * bytes, columns_a, pitch_a);
        mark(map, at[1], (size_t)lava_problem_rows_b(&p) * bytes, columns_b, pitch_b);
        bool meets = met(map, at[2], (size_t)p.m * bytes_c, p.n, pitch_c), said = lava_problem_overlaps(&p);
        if (meets)
            assert_true(said);
        bool exact = (pitch_a == pitch_c || columns_a == 1 || p.n == 1) &&
                     (pitch_b == pitch_c || columns_b == 1 || p.n == 1);
        if (exact)
            assert_int_equal(said, meets);
        overlapping += meets;
        disjoint += !said;
        interleaved += !said && one_parent && at[0] < at[2] + 40 && at[2] < at[0] + 40;
    }
    /* all three kinds occurred */
    assert_true(overlapping > 1000 && disjoint > 1000 && interleaved > 1000);
}

/* Blocks of one parent, as a blocked factorization passes them: C22 <- C22 - A21 A12. */
static void test_overlap_blocks_of_one_matrix(void **state) {
    (void)state;
    static float parent[64 * 64];
    struct lava_problem p = {.m = 48, .n = 48, .k = 16, .lda = 64, .ldb = 64, .ldc = 64, .alpha = -1};
    p.a = parent + 16;
    p.b = parent + 16 * 64;
    p.c = parent + 16 * 64 + 16;
    assert_false(lava_problem_overlaps(&p));
    p.k = 17; /* A's last column is C's first, B's last row C's first */
    assert_true(lava_problem_overlaps(&p));
    p.k = 16;
    p.ldb = 65; /* no longer decidable */
    assert_true(lava_problem_overlaps(&p));
    p.ldb = 64;
    p.c = (void *)(uintptr_t)p.a;
    assert_true(lava_problem_overlaps(&p));
    p.m = 0;
    assert_false(lava_problem_overlaps(&p));
}

/* A has two bytes per element, C four: side by side, then one element of either too close. */
static void test_overlap_of_two_types(void **state) {
    (void)state;
    struct lava_problem p = {.type = LAVA_TYPE_FP16, .type_c = LAVA_TYPE_FP32, .m = 10, .n = 6, .k = 8};
    p.lda = 10;
    p.ldb = 8;
    p.ldc = 10;
    p.b = (const void *)0x100000;
    p.a = (const void *)0x1000;
    p.c = (void *)(0x1000 + 10 * 8 * 2);
    assert_false(lava_problem_overlaps(&p));
    p.c = (void *)(0x1000 + 10 * 8 * 2 - 2);
    assert_true(lava_problem_overlaps(&p));
    p.a = (const void *)(0x1000 + 10 * 6 * 4);
    p.c = (void *)0x1000;
    assert_false(lava_problem_overlaps(&p));
    p.a = (const void *)(0x1000 + 10 * 6 * 4 - 2);
    assert_true(lava_problem_overlaps(&p));
    p.type_c = LAVA_TYPE_FP16; /* half as long */
    assert_false(lava_problem_overlaps(&p));

    /* columns of A and C alternate in memory with one pitch of 64 bytes */
    p = (struct lava_problem){.type = LAVA_TYPE_BF16, .type_c = LAVA_TYPE_FP32, .m = 8, .n = 6, .k = 8};
    p.lda = 32;
    p.ldb = 8;
    p.ldc = 16;
    p.b = (const void *)0x100000;
    p.a = (const void *)0x1000;
    p.c = (void *)(0x1000 + 8 * 2);
    assert_false(lava_problem_overlaps(&p));
    p.m = 12; /* C's 48 bytes begin 24 bytes after A's and reach into A's next column */
    p.c = (void *)(0x1000 + 12 * 2);
    assert_true(lava_problem_overlaps(&p));
    p.ldc = 32; /* equal numbers of elements, unequal bytes: not decidable */
    p.m = 8;
    p.c = (void *)(0x1000 + 8 * 2);
    assert_true(lava_problem_overlaps(&p));
}

/* Sizes near 2^31, and addresses at both ends of the address space, without overflow. */
static void test_overlap_large(void **state) {
    (void)state;
    const int64_t big = INT32_MAX;
    struct lava_problem p = {
        .m = 10, .n = 1 << 20, .k = 1 << 20, .lda = big, .ldb = big, .ldc = big, .alpha = 1};
    p.op_a = LAVA_OP_N;
    p.op_b = LAVA_OP_T; /* n x k: rows of B are n */
    p.a = (const void *)0x100000;
    p.b = (const void *)(UINTPTR_MAX / 2);
    p.c = (void *)(0x100000 + 4 * 10);
    assert_false(lava_problem_overlaps(&p));
    p.c = (void *)(0x100000 + 4 * 9);
    assert_true(lava_problem_overlaps(&p));
    /* C begins in the last column of A, 9 PB further on; then just past its rows */
    p.c = (void *)(0x100000 + 4 * (uintptr_t)big * ((1u << 20) - 1));
    assert_true(lava_problem_overlaps(&p));
    p.c = (void *)(0x100000 + 4 * (uintptr_t)big * ((1u << 20) - 1) + 40);
    assert_false(lava_problem_overlaps(&p));
    p.ldc = INT64_MAX / 2; /* larger than any address space: assume overlap */
    assert_true(lava_problem_overlaps(&p));
    p = (struct lava_problem){.m = 4, .n = 4, .k = 4, .lda = 4, .ldb = 4, .ldc = 4};
    p.a = (const void *)64;
    p.b = (const void *)4096;
    p.c = (void *)(UINTPTR_MAX - 63);
    assert_false(lava_problem_overlaps(&p));
}

static void test_flops(void **state) {
    (void)state;
    struct lava_problem problem = {.m = INT64_C(1) << 31, .n = INT64_C(1) << 31, .k = INT64_C(1) << 31};
    assert_true(lava_problem_flops(&problem) == 0x1p94);
    problem.type = LAVA_TYPE_CFP32;
    assert_true(lava_problem_flops(&problem) == 0x1p96);
}

/* Bytes of A and B as stored, even if B's parts are counted twice. */
static void test_operand_bytes(void **state) {
    (void)state;
    static const double bytes[LAVA_TYPE_COUNT] = {
        [LAVA_TYPE_FP32] = 4, [LAVA_TYPE_FP16] = 2,  [LAVA_TYPE_BF16] = 2,
        [LAVA_TYPE_FP64] = 8, [LAVA_TYPE_CFP32] = 8, [LAVA_TYPE_CFP64] = 16};
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_problem problem = numbers;
        problem.type = problem.type_c = (enum lava_type)type;
        assert_true(lava_problem_operand_bytes(&problem) == (3 * 7 + 7 * 5) * bytes[type]);
        struct lava_problem parts = lava_problem_of_parts(&problem);
        assert_true(lava_problem_operand_bytes(&parts) == (3 * 7 + 7 * 5) * bytes[type]);
        /* 2^93 elements */
        problem.m = INT64_C(1) << 46, problem.n = 0, problem.k = INT64_C(1) << 47;
        assert_true(lava_problem_operand_bytes(&problem) == 0x1p93 * bytes[type]);
    }
}

/* Compared member by member, because there is padding between them. */
static void assert_same(const struct lava_problem *x, const struct lava_problem *y) {
    assert_true(x->type == y->type && x->type_c == y->type_c && x->precision == y->precision);
    assert_true(x->op_a == y->op_a && x->op_b == y->op_b && x->of_parts == y->of_parts);
    assert_true(x->conjugate_a == y->conjugate_a && x->conjugate_b == y->conjugate_b);
    assert_true(x->m == y->m && x->n == y->n && x->k == y->k);
    assert_true(x->lda == y->lda && x->ldb == y->ldb && x->ldc == y->ldc);
    assert_true(x->alpha == y->alpha && x->alpha_imaginary == y->alpha_imaginary);
    assert_true(x->beta == y->beta && x->beta_imaginary == y->beta_imaginary);
    assert_true(x->a == y->a && x->b == y->b && x->c == y->c);
}

/* A complex product becomes a real one with the same work and otherwise the same numbers. A real one is
 * unchanged. */
static void test_parts(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_problem given = numbers;
        given.type = given.type_c = (enum lava_type)type;
        if (type == LAVA_TYPE_FP16)
            given.type_c = LAVA_TYPE_FP32;
        given.op_b = LAVA_OP_T;
        given.alpha_imaginary = -5;
        given.beta_imaginary = 7;
        given.conjugate_a = true;
        given.precision = LAVA_PRECISION_FAST;
        const struct lava_problem kept = given, parts = lava_problem_of_parts(&given);
        struct lava_problem expected = given;
        if (type == LAVA_TYPE_CFP32 || type == LAVA_TYPE_CFP64) {
            expected.type = expected.type_c = type == LAVA_TYPE_CFP32 ? LAVA_TYPE_FP32 : LAVA_TYPE_FP64;
            expected.of_parts = true;
            expected.n = 10;
            expected.k = 14;
        }
        assert_same(&parts, &expected);
        assert_same(&given, &kept);
        assert_true(lava_problem_flops(&parts) == lava_problem_flops(&given));
        assert_int_equal(lava_problem_result_type(&parts), lava_problem_result_type(&given));
        const struct lava_problem again = lava_problem_of_parts(&parts);
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
        struct lava_problem problem = {.type = types[i].type, .type_c = types[i].type};
        const double none[] = {0.0, -0.0}, some[] = {1, 1e-45, -2, (double)__builtin_nanf("")};
        for (size_t b = 0; b < COUNT(none); b++) {
            problem.beta = none[b];
            assert_int_equal(lava_problem_result_type(&problem), real);
        }
        for (size_t b = 0; b < COUNT(some); b++) {
            problem.beta = some[b];
            assert_int_equal(lava_problem_result_type(&problem), is_half ? LAVA_TYPE_FP32 : real);
        }
        if (!is_half)
            continue;
        problem.type_c = LAVA_TYPE_FP32;
        problem.beta = 0;
        assert_int_equal(lava_problem_result_type(&problem), LAVA_TYPE_FP32);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fortran_operations),
        cmocka_unit_test(test_leading_dimensions),
        cmocka_unit_test(test_cblas),
        cmocka_unit_test(test_conjugation),
        cmocka_unit_test(test_trivial),
        cmocka_unit_test(test_overlap_brute_force),
        cmocka_unit_test(test_overlap_blocks_of_one_matrix),
        cmocka_unit_test(test_overlap_of_two_types),
        cmocka_unit_test(test_overlap_large),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_operand_bytes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
