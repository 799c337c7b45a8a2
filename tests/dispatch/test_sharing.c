/* sharing.c: large products and triangles gain by several engines, small and narrow ones do not; the sums are
 * those of the plan for one engine. */
#include "products.h"

#include "dispatch/batches.h"
#include "dispatch/program.h"
#include "dispatch/sharing.h"

static bool share(const struct lava_operation *operation, const struct lava_capabilities *device,
                  uint32_t engines, struct lava_plan *one, struct lava_plan *plan) {
    if (operation->series)
        lava_batches_choose(operation, device, &sixteen_cores, LAVA_MODE_GPU, 0, one);
    else
        *one = choose(operation, device, LAVA_MODE_GPU, &none);
    memset(plan, 0x5a, sizeof *plan);
    return lava_sharing_plan(operation, device, &sixteen_cores, one, engines, plan);
}

static double gain_of(const struct lava_operation *operation, uint32_t engines) {
    const struct lava_capabilities h200 = device_h200();
    struct lava_plan one, plan;
    if (!share(operation, &h200, engines, &one, &plan))
        return 1;
    assert_true(plan.engines >= 2 && plan.engines <= engines);
    assert_true(plan.one_ns == one.gpu_ns);
    return one.gpu_ns / plan.gpu_ns;
}

static void large_ones_gain(void **state) {
    (void)state;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        const struct lava_operation small = product_of((enum lava_type)type, LAVA_TYPE_FP32, 600, 600, 600),
                                    large =
                                        product_of((enum lava_type)type, LAVA_TYPE_FP32, 16384, 16384, 16384);
        double two = gain_of(&large, 2), four = gain_of(&large, 4), eight = gain_of(&large, 8);
        print_message("%s, 16384: 2 engines %.2f, 4 %.2f, 8 %.2f\n", lava_type_name((enum lava_type)type),
                      two, four, eight);
        assert_true(gain_of(&small, 8) == 1.0);
        assert_true(two > 1.2 && two <= 2.0 && four >= two && four <= 4.0 && eight >= four && eight <= 8.0);
    }
}

enum triangle { SYRK, SYR2K, GEMMT, TRIANGLES };
static const char *const triangle_names[TRIANGLES] = {"syrk", "syr2k", "gemmt"};

static struct lava_operation triangle_of(enum triangle kind, enum lava_type type, enum lava_region region,
                                         int64_t n, int64_t k) {
    struct lava_operation operation = product_of(type, type, n, n, k);
    operation.c.region = region;
    operation.b.op = LAVA_OP_T;
    operation.b.ld = n;
    operation.twice = kind == SYR2K;
    operation.b_is_a = kind == SYRK;
    if (kind == SYRK)
        operation.b.first = operation.a.first;
    return operation;
}

/* The engine with the last strip has more than the others, so a triangle gains less than all of C. */
static void triangles_gain(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_TYPE_COUNT * TRIANGLES; i++) {
        enum lava_type type = (enum lava_type)(i / TRIANGLES);
        enum triangle kind = (enum triangle)(i % TRIANGLES);
        if (lava_type_is_half(type))
            continue;
        const struct lava_operation small = triangle_of(kind, type, LAVA_REGION_LOWER, 500, 500),
                                    lower = triangle_of(kind, type, LAVA_REGION_LOWER, 16384, 16384),
                                    upper = triangle_of(kind, type, LAVA_REGION_UPPER, 16384, 16384);
        double two = gain_of(&lower, 2), four = gain_of(&lower, 4), other = gain_of(&upper, 2);
        print_message("%s, %s 16384: 2 engines %.2f, upper %.2f, 4 %.2f\n", lava_type_name(type),
                      triangle_names[kind], two, other, four);
        assert_true(gain_of(&small, 8) == 1.0);
        assert_true(two > 1.1 && two <= 2.0 && other > 1.1 && other <= 2.0 && four >= two && four <= 4.0);
    }
}

/* C <- op(A) C, or C op(B). */
static struct lava_operation in_place(enum lava_type type, bool on_right, int64_t m, int64_t n) {
    struct lava_operation operation = product_of(type, type, m, n, on_right ? n : m);
    struct lava_operand *triangle = on_right ? &operation.b : &operation.a;
    triangle->structure = LAVA_STRUCTURE_TRIANGULAR;
    triangle->stored = LAVA_REGION_UPPER;
    operation.in_place = true;
    (on_right ? &operation.a : &operation.b)->first = operation.c.first;
    return operation;
}

/* By whole columns if the triangle is on the left, else by whole rows. */
static void products_in_place_gain(void **state) {
    const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    const struct lava_capabilities h200 = device_h200();
    (void)state;
    for (int i = 0; i < 8; i++) {
        bool on_right = i % 2;
        const struct lava_operation large = in_place(types[i / 2], on_right, 12288, 12288);
        struct lava_plan one, plan;
        assert_true(share(&large, &h200, 2, &one, &plan));
        const struct lava_blocking *blocking = &plan.blocking;
        double gain = one.gpu_ns / plan.gpu_ns;
        print_message("%s, 12288 %s: 2 engines %.2f, %ld x %ld blocks\n", lava_type_name(types[i / 2]),
                      on_right ? "right" : "left", gain, (long)blocking->blocks_m, (long)blocking->blocks_n);
        assert_true(gain > 1.1 && gain <= 2.0);
        assert_true(on_right ? blocking->blocks_m == 2 && blocking->blocks_n == 1
                             : blocking->blocks_m == 1 && blocking->blocks_n >= 2);
    }
}

/* A packed A that exceeds a buffer of the device is cut into row blocks. */
static void those_with_row_blocks_gain(void **state) {
    const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};
    struct lava_capabilities h200 = device_h200();
    (void)state;
    h200.max_buffer_bytes = 2ull << 30;
    for (int i = 0; i < 2; i++) {
        const struct lava_operation large = product_of(types[i], types[i], 32768, 32768, 32768);
        double before = 1;
        for (uint32_t engines = 2; engines <= 8; engines *= 2) {
            struct lava_plan one, plan;
            assert_true(share(&large, &h200, engines, &one, &plan));
            double gain = one.gpu_ns / plan.gpu_ns;
            print_message("%s, 32768: %u engines %.2f, %ld x %ld x %ld blocks\n", lava_type_name(types[i]),
                          engines, gain, (long)plan.blocking.blocks_m, (long)plan.blocking.blocks_n,
                          (long)plan.blocking.blocks_k);
            assert_true(plan.blocking.blocks_m * plan.blocking.blocks_k > 1);
            assert_true(plan.blocking.block_k == one.blocking.block_k);
            assert_true(gain > before && gain <= 1.1 * engines && (engines > 2 || gain > 1.4));
            before = gain;
        }
    }
}

static void narrow_ones_do_not(void **state) {
    const struct lava_operation narrow = product(200000, 100, 4000);
    (void)state;
    assert_true(gain_of(&narrow, 8) == 1.0);
}

static void one_engine_is_not_shared(void **state) {
    const struct lava_operation large = product(16384, 16384, 16384);
    (void)state;
    assert_true(gain_of(&large, 1) == 1.0 && gain_of(&large, 0) == 1.0);
}

/* What cannot be cut into columns that are independent of each other. */
static void others_are_not_shared(void **state) {
    struct lava_operation operations[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        operations[i] = product(16384, 16384, 16384);
    operations[0].on_device = true;
    operations[1].kind = LAVA_OPERATION_LU;
    operations[2].c.first = (void *)(uintptr_t)operations[2].a.first; /* stays on the CPU */
    for (int i = 0; i < 3; i++) {
        const struct lava_capabilities h200 = device_h200();
        const struct lava_operation plain = product(16384, 16384, 16384);
        struct lava_plan one = choose(&plain, &h200, LAVA_MODE_GPU, &none), plan;
        if (i == 2)
            one = choose(&operations[i], &h200, LAVA_MODE_GPU, &none);
        assert_false(lava_sharing_plan(&operations[i], &h200, &sixteen_cores, &one, 8, &plan));
    }
}

/* op(A) X = B, or X op(A) = B. */
static struct lava_operation solve_of(enum lava_type type, bool on_right, int64_t order, int64_t sides) {
    struct lava_operation operation =
        in_place(type, on_right, on_right ? sides : order, on_right ? order : sides);
    operation.kind = LAVA_OPERATION_SOLVE;
    operation.in_place = false;
    return operation;
}

/* A part for each engine: of the bands of the plan for one, or of its chunks. All parts together are B. */
static void solves_gain(void **state) {
    const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    struct lava_capabilities h200 = device_h200();
    unsigned by_bands = 0, by_chunks = 0;
    (void)state;
    for (int i = 0; i < 16; i++) {
        bool on_right = i % 2;
        const struct lava_operation large = solve_of(types[i / 2 % 4], on_right, 8192, 8192 + 1000 * (i % 3)),
                                    small = solve_of(types[i / 2 % 4], on_right, 500, 500);
        struct lava_plan one, plan;
        h200.memory_bytes = i < 8 ? UINT64_C(100) << 30 : UINT64_C(1) << 29 << i / 2 % 4;
        assert_true(gain_of(&small, 8) == 1.0);
        if (!share(&large, &h200, 2, &one, &plan)) {
            assert_true(i >= 8);
            continue;
        }
        int64_t parts = lava_sharing_parts(&large, &plan), sides = 0;
        double gain = one.gpu_ns / plan.gpu_ns;
        print_message("%s, solve of 8192 %s: 2 engines %.2f, parts of %ld, bands of %ld, chunks of %ld\n",
                      lava_type_name(large.type), on_right ? "right" : "left", gain, (long)plan.chunks.part,
                      (long)plan.chunks.band, (long)plan.chunks.sides);
        assert_true(gain > 1.1 && gain <= 2.0 && parts == 2 && plan.engines == 2);
        assert_true(plan.chunks.band == one.chunks.band &&
                    plan.chunks.product_bytes >= one.chunks.product_bytes);
        assert_true(plan.chunks.as_sides > 0
                        ? plan.chunks.as_sides == (on_right ? large.m : large.n)
                        : plan.chunks.sides == one.chunks.sides && plan.chunks.part % one.chunks.sides == 0);
        for (uint32_t j = 0; j < parts; j++) {
            const struct lava_operation part = lava_sharing_part(&large, &plan, j);
            assert_ptr_equal(part.c.first, (char *)large.c.first + (on_right ? sides : sides * large.c.ld) *
                                                                       (int64_t)lava_type_bytes(large.type));
            assert_ptr_equal(part.c.first, on_right ? part.a.first : part.b.first);
            assert_true(on_right ? part.n == large.n : part.m == large.m);
            sides += on_right ? part.m : part.n;
        }
        assert_int_equal(sides, on_right ? large.m : large.n);
        by_bands += plan.chunks.band > 0;
        by_chunks += plan.chunks.band == 0;
    }
    assert_true(by_bands > 3 && by_chunks > 0);
}

/* The products of a solve's part have the sums of those of the whole solve, whatever would suit them better.
 */
static void parts_have_the_sums_of_the_whole(void **state) {
    uint64_t random = random_seed();
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    unsigned other = 0, split = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
        enum lava_type type = types[random_next(&random) % 4];
        bool of_rows = random_next(&random) % 2;
        int64_t sides = 1 + (int64_t)(random_next(&random) % 8192),
                unknowns = 128 << random_next(&random) % 6;
        struct lava_operation whole = product_of(type, type, of_rows ? sides : unknowns,
                                                 of_rows ? unknowns : sides, 128 << random_next(&random) % 6);
        whole.on_device = true;
        struct lava_operation part = whole;
        *(of_rows ? &part.m : &part.n) = 1 + (int64_t)(random_next(&random) % (uint64_t)sides);
        const struct lava_overrides as = {.as_m = of_rows ? sides : 0, .as_n = of_rows ? 0 : sides};
        const struct lava_capabilities *device = &devices[i % 3];
        const struct lava_plan expected = choose(&whole, device, LAVA_MODE_GPU, &none),
                               plain = choose(&part, device, LAVA_MODE_GPU, &none),
                               plan = choose(&part, device, LAVA_MODE_GPU, &as);
        assert_int_equal(plan.place, expected.place);
        if (plan.place != LAVA_PLACE_GPU)
            continue;
        assert_ptr_equal(plan.kernel, expected.kernel);
        assert_int_equal(plan.blocking.split_k, expected.blocking.split_k);
        assert_int_equal(plan.blocking.block_k, expected.blocking.block_k);
        other += plain.kernel != plan.kernel;
        split += plain.blocking.split_k != plan.blocking.split_k;
    }
    print_message("another kernel %u times, another split %u\n", other, split);
    assert_true(other > 100 && split > 50);
}

/* Batches of products and of updates, of more and of fewer bytes for each operation. */
static void batches_gain(void **state) {
    const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};
    const int64_t orders[] = {16, 64, 256};
    const struct lava_capabilities h200 = device_h200();
    (void)state;
    for (int i = 0; i < 12; i++) {
        int64_t n = orders[i % 3];
        const struct lava_series few = {.count = 3}, many = {.count = (int64_t)4e8 / (n * n)};
        struct lava_operation operation = product_of(types[i / 6], types[i / 6], n, n, n);
        if (i / 3 % 2)
            operation = triangle_of(SYRK, types[i / 6], LAVA_REGION_UPPER, n, n);
        operation.series = &few;
        assert_true(gain_of(&operation, 8) == 1.0);
        operation.series = &many;
        struct lava_plan one, plan;
        assert_true(share(&operation, &h200, 2, &one, &plan));
        double two = one.gpu_ns / plan.gpu_ns, four = gain_of(&operation, 4);
        print_message("%s of %ld, %s: %ld blocks, 2 engines %.2f, 4 %.2f\n",
                      i / 3 % 2 ? "updates" : "products", (long)n, lava_type_name(types[i / 6]),
                      (long)plan.blocking.blocks_n, two, four);
        assert_true(two > 1.1 && two <= 2.0 && four >= two && four <= 4.0);
        assert_true(plan.engines == 2 && plan.one_ns == one.gpu_ns && plan.kernel == one.kernel);
        assert_memory_equal(&plan.blocking, &one.blocking, sizeof plan.blocking);
    }
}

/* Makes one in four a triangle. */
static void set_random_region(uint64_t *random, struct lava_operation *operation) {
    enum lava_region region = (enum lava_region)(random_next(random) % 8);
    enum triangle kind = (enum triangle)(random_next(random) % TRIANGLES);
    if (region != LAVA_REGION_ALL && region <= LAVA_REGION_UPPER && !lava_type_is_half(operation->type))
        *operation = triangle_of(kind, operation->type, region, operation->m, operation->k);
}

/* Every column of a row block is in one block, in their order. Strips have places of their own. */
static void tile_exactly(const struct lava_operation *operation, const struct lava_plan *plan) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    const struct lava_blocking *blocking = &plan->blocking;
    int64_t column = 0;
    for (int64_t i = 0; i < blocking->blocks_n && !blocking->by_strips; i++) {
        struct lava_block block;
        lava_program_share_place(&parts, blocking, (uint32_t)i, &block);
        assert_true(block.column == column && block.columns > 0);
        assert_true(block.columns == (i < plan->engines ? blocking->block_n : blocking->later_n) ||
                    i == blocking->blocks_n - 1);
        column += block.columns;
    }
    assert_true(blocking->by_strips || column == parts.n);
}

/* While A is uploaded, each engine has half of its columns to compute, and no large block at the end. */
static void first_blocks_are_wide(void **state) {
    const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP16, LAVA_TYPE_FP64};
    const struct lava_capabilities h200 = device_h200();
    (void)state;
    for (int i = 0; i < 6; i++) {
        enum lava_type type = types[i / 2];
        int64_t n = i % 2 ? 16384 : 8192;
        const struct lava_operation square = product_of(type, type, n, n, n);
        struct lava_plan one, plan;
        assert_true(share(&square, &h200, 2, &one, &plan));
        print_message("%s, %ld: %.2f ms, by two %.2f, %ld blocks of %ld, then %ld\n", lava_type_name(type),
                      (long)n, 1e-6 * one.gpu_ns, 1e-6 * plan.gpu_ns, (long)plan.blocking.blocks_n,
                      (long)plan.blocking.block_n, (long)plan.blocking.later_n);
        tile_exactly(&square, &plan);
        assert_true(plan.blocking.block_n == n / 4 && plan.blocking.later_n <= n / 8);
    }
}

/* Random products on three devices: the same sums, blocks of whole tiles that are enough for all. */
static void same_sums(void **state) {
    uint64_t random = random_seed();
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    unsigned shared = 0, refused = 0, cut_m = 0, cut_k = 0, strips = 0, narrowed = 0;
    (void)state;
    for (int i = 0; i < 600; i++) {
        struct lava_operation operation =
            product(1 + (int64_t)(random_next(&random) % 9000), 1 + (int64_t)(random_next(&random) % 20000),
                    1 + (int64_t)(random_next(&random) % 9000));
        struct lava_plan one, plan;
        uint32_t engines = (uint32_t)(random_next(&random) % 17);
        set_random_types(&random, &operation);
        set_random_region(&random, &operation);
        struct lava_capabilities device = devices[i % 3];
        if (i % 2)
            device.memory_bytes >>= 6 + random_next(&random) % 3;
        if (!share(&operation, &device, engines, &one, &plan)) {
            refused++;
            continue;
        }
        const struct lava_blocking *blocking = &plan.blocking;
        shared++;
        assert_true(plan.engines >= 2 && plan.engines <= engines && plan.place == LAVA_PLACE_GPU);
        assert_true(plan.kernel == one.kernel && blocking->split_k == one.blocking.split_k);
        assert_true(blocking->block_k == one.blocking.block_k && blocking->epilogue == one.blocking.epilogue);
        assert_true(blocking->blocks_k == one.blocking.blocks_k && !plan.at_once);
        assert_true(blocking->blocks_n >= plan.engines &&
                    blocking->blocks_m * blocking->blocks_n <= LAVA_SHARING_BLOCKS_MAX);
        cut_m += blocking->blocks_m > 1;
        cut_k += blocking->blocks_k > 1;
        strips += blocking->by_strips;
        assert_true(blocking->by_strips == (operation.c.region != LAVA_REGION_ALL));
        int64_t width = blocking->by_strips ? blocking->piece_m : blocking->block_n;
        bool is_narrowed = blocking->later_n < blocking->block_n;
        assert_true(width % plan.kernel->tile_n == 0 && blocking->later_n <= blocking->block_n);
        assert_true(!is_narrowed ||
                    (blocking->later_n % plan.kernel->tile_n == 0 && blocking->wide_blocks == plan.engines));
        narrowed += is_narrowed;
        tile_exactly(&operation, &plan);
        assert_true(plan.gpu_ns < one.gpu_ns && plan.reason == one.reason);
    }
    print_message("shared %u, with row blocks %u, with panels of K %u, triangles %u, narrowed %u, not %u\n",
                  shared, cut_m, cut_k, strips, narrowed, refused);
    assert_true(narrowed > 20 && shared > 60 && refused > 60 && cut_m > 10 && cut_k > 2 && strips > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_ones_gain),
        cmocka_unit_test(triangles_gain),
        cmocka_unit_test(products_in_place_gain),
        cmocka_unit_test(those_with_row_blocks_gain),
        cmocka_unit_test(narrow_ones_do_not),
        cmocka_unit_test(one_engine_is_not_shared),
        cmocka_unit_test(others_are_not_shared),
        cmocka_unit_test(batches_gain),
        cmocka_unit_test(solves_gain),
        cmocka_unit_test(parts_have_the_sums_of_the_whole),
        cmocka_unit_test(first_blocks_are_wide),
        cmocka_unit_test(same_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
