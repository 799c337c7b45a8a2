/* lava_operation_overlaps against brute force, and at the limits of what it decides. */
#include "devices.h"

#include "dispatch/operation.h"

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
static bool random_product(uint64_t *random, struct lava_operation *p) {
    /* types of A and B, and of C */
    static const enum lava_type types[][2] = {
        {LAVA_TYPE_FP32, LAVA_TYPE_FP32},   {LAVA_TYPE_FP16, LAVA_TYPE_FP32},
        {LAVA_TYPE_BF16, LAVA_TYPE_BF16},   {LAVA_TYPE_FP64, LAVA_TYPE_FP64},
        {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32}, {LAVA_TYPE_CFP64, LAVA_TYPE_CFP64}};
    const enum lava_type *chosen = types[random_next(random) % COUNT(types)];
    int64_t wider = (int64_t)(lava_type_bytes(chosen[1]) / lava_type_bytes(chosen[0]));
    int64_t ld = 5 + (int64_t)(random_next(random) % 10);
    bool one_parent = random_next(random) % 3 != 0;
    *p = (struct lava_operation){.type = chosen[0], .c.type = chosen[1], .alpha.real = 1};
    p->a.op = random_next(random) % 2 ? LAVA_OP_N : LAVA_OP_T;
    p->b.op = random_next(random) % 2 ? LAVA_OP_N : LAVA_OP_T;
    p->m = 1 + (int64_t)(random_next(random) % 5);
    p->n = 1 + (int64_t)(random_next(random) % 5);
    p->k = 1 + (int64_t)(random_next(random) % 5);
    p->a.ld = one_parent ? ld * wider : 5 + (int64_t)(random_next(random) % 20);
    p->b.ld = one_parent ? ld * wider : 5 + (int64_t)(random_next(random) % 20);
    p->c.ld = ld;
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
        struct lava_operation p;
        bool one_parent = random_product(&random, &p);
        size_t bytes = lava_type_bytes(p.type), bytes_c = lava_type_bytes(p.c.type);
        size_t align = random_next(&random) % 4 ? bytes : 1; /* Fortran programs do misalign */
        size_t at[3];
        for (int o = 0; o < 3; o++)
            at[o] = random_next(&random) % (i % 2 ? 300 : 3000) * align % 3000;
        p.a.first = memory + at[0];
        p.b.first = memory + at[1];
        p.c.first = memory + at[2];
        int64_t columns_a = p.a.op == LAVA_OP_N ? p.k : p.m, columns_b = p.b.op == LAVA_OP_N ? p.n : p.k;
        size_t pitch_a = (size_t)p.a.ld * bytes, pitch_b = (size_t)p.b.ld * bytes;
        size_t pitch_c = (size_t)p.c.ld * bytes_c;
        memset(map, 0, sizeof map);
        mark(map, at[0], (size_t)lava_operation_rows_a(&p) * bytes, columns_a, pitch_a);
        mark(map, at[1], (size_t)lava_operation_rows_b(&p) * bytes, columns_b, pitch_b);
        bool meets = met(map, at[2], (size_t)p.m * bytes_c, p.n, pitch_c), said = lava_operation_overlaps(&p);
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
    struct lava_operation p = {
        .m = 48, .n = 48, .k = 16, .a.ld = 64, .b.ld = 64, .c.ld = 64, .alpha.real = -1};
    p.a.first = parent + 16;
    p.b.first = parent + 16 * 64;
    p.c.first = parent + 16 * 64 + 16;
    assert_false(lava_operation_overlaps(&p));
    p.k = 17; /* A's last column is C's first, B's last row C's first */
    assert_true(lava_operation_overlaps(&p));
    p.k = 16;
    p.b.ld = 65; /* no longer decidable */
    assert_true(lava_operation_overlaps(&p));
    p.b.ld = 64;
    p.c.first = (void *)(uintptr_t)p.a.first;
    assert_true(lava_operation_overlaps(&p));
    p.m = 0;
    assert_false(lava_operation_overlaps(&p));
}

/* A has two bytes per element, C four: side by side, then one element of either too close. */
static void test_overlap_of_two_types(void **state) {
    (void)state;
    struct lava_operation p = {.type = LAVA_TYPE_FP16, .c.type = LAVA_TYPE_FP32, .m = 10, .n = 6, .k = 8};
    p.a.ld = 10;
    p.b.ld = 8;
    p.c.ld = 10;
    p.b.first = (const void *)0x100000;
    p.a.first = (const void *)0x1000;
    p.c.first = (void *)(0x1000 + 10 * 8 * 2);
    assert_false(lava_operation_overlaps(&p));
    p.c.first = (void *)(0x1000 + 10 * 8 * 2 - 2);
    assert_true(lava_operation_overlaps(&p));
    p.a.first = (const void *)(0x1000 + 10 * 6 * 4);
    p.c.first = (void *)0x1000;
    assert_false(lava_operation_overlaps(&p));
    p.a.first = (const void *)(0x1000 + 10 * 6 * 4 - 2);
    assert_true(lava_operation_overlaps(&p));
    p.c.type = LAVA_TYPE_FP16; /* half as long */
    assert_false(lava_operation_overlaps(&p));

    /* columns of A and C alternate in memory with one pitch of 64 bytes */
    p = (struct lava_operation){.type = LAVA_TYPE_BF16, .c.type = LAVA_TYPE_FP32, .m = 8, .n = 6, .k = 8};
    p.a.ld = 32;
    p.b.ld = 8;
    p.c.ld = 16;
    p.b.first = (const void *)0x100000;
    p.a.first = (const void *)0x1000;
    p.c.first = (void *)(0x1000 + 8 * 2);
    assert_false(lava_operation_overlaps(&p));
    p.m = 12; /* C's 48 bytes begin 24 bytes after A's and reach into A's next column */
    p.c.first = (void *)(0x1000 + 12 * 2);
    assert_true(lava_operation_overlaps(&p));
    p.c.ld = 32; /* equal numbers of elements, unequal bytes: not decidable */
    p.m = 8;
    p.c.first = (void *)(0x1000 + 8 * 2);
    assert_true(lava_operation_overlaps(&p));
}

/* Sizes near 2^31, and addresses at both ends of the address space, without overflow. */
static void test_overlap_large(void **state) {
    (void)state;
    const int64_t big = INT32_MAX;
    struct lava_operation p = {
        .m = 10, .n = 1 << 20, .k = 1 << 20, .a.ld = big, .b.ld = big, .c.ld = big, .alpha.real = 1};
    p.a.op = LAVA_OP_N;
    p.b.op = LAVA_OP_T; /* n x k: rows of B are n */
    p.a.first = (const void *)0x100000;
    p.b.first = (const void *)(UINTPTR_MAX / 2);
    p.c.first = (void *)(0x100000 + 4 * 10);
    assert_false(lava_operation_overlaps(&p));
    p.c.first = (void *)(0x100000 + 4 * 9);
    assert_true(lava_operation_overlaps(&p));
    /* C begins in the last column of A, 9 PB further on; then just past its rows */
    p.c.first = (void *)(0x100000 + 4 * (uintptr_t)big * ((1u << 20) - 1));
    assert_true(lava_operation_overlaps(&p));
    p.c.first = (void *)(0x100000 + 4 * (uintptr_t)big * ((1u << 20) - 1) + 40);
    assert_false(lava_operation_overlaps(&p));
    p.c.ld = INT64_MAX / 2; /* larger than any address space: assume overlap */
    assert_true(lava_operation_overlaps(&p));
    p = (struct lava_operation){.m = 4, .n = 4, .k = 4, .a.ld = 4, .b.ld = 4, .c.ld = 4};
    p.a.first = (const void *)64;
    p.b.first = (const void *)4096;
    p.c.first = (void *)(UINTPTR_MAX - 63);
    assert_false(lava_operation_overlaps(&p));
}

/* The operand that is C itself does not count as an overlap; the structured one does. */
static void test_structured_overlaps(void **state) {
    static const char memory[3][4 * 64];
    struct lava_operation operation = {.type = LAVA_TYPE_FP32, .m = 8, .n = 8, .k = 8};
    (void)state;
    operation.a = (struct lava_operand){.first = memory[0], .ld = 8, .structure = LAVA_STRUCTURE_TRIANGULAR};
    operation.b = (struct lava_operand){.first = memory[1], .ld = 8};
    operation.c.first = (void *)(uintptr_t)memory[1];
    operation.c.ld = 8;
    assert_true(lava_operation_overlaps(&operation));
    operation.in_place = true;
    assert_false(lava_operation_overlaps(&operation));
    operation.in_place = false;
    operation.kind = LAVA_OPERATION_SOLVE;
    assert_false(lava_operation_overlaps(&operation));
    operation.a.first = memory[1] + 4;
    assert_true(lava_operation_overlaps(&operation));
    operation.kind = LAVA_OPERATION_PRODUCT;
    operation.in_place = true;
    assert_true(lava_operation_overlaps(&operation));
    operation.in_place = false;
    operation.a.structure = LAVA_STRUCTURE_SYMMETRIC;
    operation.b.first = memory[2];
    assert_true(lava_operation_overlaps(&operation));
    operation.a.first = memory[0];
    assert_false(lava_operation_overlaps(&operation));
    assert_ptr_equal(lava_operation_structured(&operation), &operation.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap_brute_force),  cmocka_unit_test(test_overlap_blocks_of_one_matrix),
        cmocka_unit_test(test_overlap_of_two_types), cmocka_unit_test(test_overlap_large),
        cmocka_unit_test(test_structured_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
