/* cpu_families.c, and the CPU's time if routines of a family were measured: exact at what was measured,
 * scaled between and beyond, for all operations of the family, and as before if nothing was measured. */
#include "products.h"

#include <math.h>

#define EVERY(i) for (int i = 0; i < LAVA_CPU_FAMILY_COUNT * LAVA_FAMILIES_TYPES * LAVA_FAMILIES_ORDERS; i++)

struct at {
    enum lava_cpu_family family;
    int type, order;
};

static struct at at_index(int i) {
    return (struct at){(enum lava_cpu_family)(i / (LAVA_FAMILIES_TYPES * LAVA_FAMILIES_ORDERS)),
                       i / LAVA_FAMILIES_ORDERS % LAVA_FAMILIES_TYPES, i % LAVA_FAMILIES_ORDERS};
}

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static struct lava_operation square(enum lava_cpu_family family, int type, int64_t order) {
    return lava_families_square(family, lava_families_types[type], order);
}

static double estimate(const struct lava_cpu_figures *figures, enum lava_cpu_family family, int type,
                       int64_t order) {
    const struct lava_operation operation = square(family, type, order);
    return lava_figures_cpu_ns(figures, &operation);
}

/* A CPU with a measured grid, or only rates. */
static struct lava_cpu_figures new_cpu(bool has_grid) {
    struct lava_cpu_figures figures = sixteen_cores.cpu;
    for (int i = 0; has_grid && i < LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES; i++) {
        int a = i / (LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES),
            b = i / LAVA_FIGURES_SIZES % LAVA_FIGURES_SIZES;
        int c = i % LAVA_FIGURES_SIZES;
        figures.product_ns[a][b][c] = 1000 + 0.002 * pow((double)lava_figures_sizes[a], 0.95) *
                                                 pow((double)lava_figures_sizes[b], 0.9) *
                                                 (double)lava_figures_sizes[c];
    }
    return figures;
}

static void test_squares_belong_to_their_families(void **state) {
    (void)state;
    EVERY(i) {
        const struct at at = at_index(i);
        const struct lava_operation operation = square(at.family, at.type, lava_families_orders[at.order]);
        assert_int_equal(lava_families_of(&operation), at.family);
        assert_int_equal(operation.type, lava_families_types[at.type]);
        const char *name = lava_families_name(at.family, at.type);
        assert_true(name ? name[0] == "sd"[at.type] : at.family == LAVA_CPU_FAMILY_GEMM && at.type == 0);
        if (at.order > 0)
            assert_true(lava_families_orders[at.order - 1] < lava_families_orders[at.order]);
    }
}

/* Times that have nothing to do with the model. */
static void test_measured_times_are_exact(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int has_grid = 0; has_grid < 2; has_grid++) {
        struct lava_cpu_figures figures = new_cpu(has_grid);
        EVERY(i) {
            const struct at at = at_index(i);
            if (lava_families_name(at.family, at.type))
                figures.family_ns[at.family][at.type][at.order] = 1e3 + (double)(random_next(&random) >> 40);
        }
        EVERY(i) {
            const struct at at = at_index(i);
            if (lava_families_name(at.family, at.type))
                assert_near(estimate(&figures, at.family, at.type, lava_families_orders[at.order]),
                            figures.family_ns[at.family][at.type][at.order]);
        }
    }
}

/* The factor's logarithm is interpolated; beyond what was measured it stays. */
static void test_between_and_beyond(void **state) {
    (void)state;
    EVERY(i) {
        const struct at at = at_index(i);
        const struct lava_cpu_figures plain = new_cpu(true);
        struct lava_cpu_figures figures = plain;
        double *measured_ns = figures.family_ns[at.family][at.type];
        if (at.order > 0 || !lava_families_name(at.family, at.type))
            continue;
        measured_ns[1] = 3 * estimate(&plain, at.family, at.type, lava_families_orders[1]);
        measured_ns[3] = 0.5 * estimate(&plain, at.family, at.type, lava_families_orders[3]);
        const struct {
            int64_t order;
            double factor;
        } expected[] = {{1, 3},
                        {64, 3},
                        {512, 3},
                        {1024, sqrt(1.5)},
                        {2048, 0.5},
                        /* a factor of LAPACK's loses half of its logarithm for twice the order */
                        {20000, at.family >= LAVA_CPU_FAMILY_POTRF ? pow(0.5, 2048.0 / 20000) : 0.5},
                        {724, pow(3, 1 - log2(724.0 / 512) / 2) * pow(0.5, log2(724.0 / 512) / 2)}};
        for (size_t j = 0; j < COUNT(expected); j++)
            assert_near(estimate(&figures, at.family, at.type, expected[j].order),
                        expected[j].factor * estimate(&plain, at.family, at.type, expected[j].order));
        /* what was not measured, or not a time, does not count */
        measured_ns[0] = -1;
        measured_ns[2] = NAN;
        assert_near(estimate(&figures, at.family, at.type, 1024),
                    sqrt(1.5) * estimate(&plain, at.family, at.type, 1024));
    }
}

/* All kinds of operations have their family's factor, and others' factors change nothing. */
static void test_all_operations_of_a_family(void **state) {
    (void)state;
    static const struct {
        enum lava_operation_kind kind;
        enum lava_cpu_family family;
    } kinds[] = {{LAVA_OPERATION_CHOLESKY, LAVA_CPU_FAMILY_POTRF},
                 {LAVA_OPERATION_LU, LAVA_CPU_FAMILY_GETRF},
                 {LAVA_OPERATION_QR, LAVA_CPU_FAMILY_GEQRF},
                 {LAVA_OPERATION_PIVOTED_QR, LAVA_CPU_FAMILY_GEQRF},
                 {LAVA_OPERATION_QR_FORM, LAVA_CPU_FAMILY_GEQRF},
                 {LAVA_OPERATION_QR_LEFT, LAVA_CPU_FAMILY_GEQRF},
                 {LAVA_OPERATION_QR_RIGHT, LAVA_CPU_FAMILY_GEQRF},
                 {LAVA_OPERATION_INVERT_TRIANGLE, LAVA_CPU_FAMILY_POTRI},
                 {LAVA_OPERATION_SQUARE_TRIANGLE, LAVA_CPU_FAMILY_POTRI},
                 {LAVA_OPERATION_INVERT_CHOLESKY, LAVA_CPU_FAMILY_POTRI},
                 {LAVA_OPERATION_INVERT_LU, LAVA_CPU_FAMILY_GETRI},
                 {LAVA_OPERATION_TRIDIAGONAL, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_EIGENVALUES, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_EIGENVECTORS, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_GENERALIZED_VALUES, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_GENERALIZED_VECTORS, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_SINGULAR_VALUES, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_SINGULAR_VECTORS, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_DIVIDE_VALUES, LAVA_CPU_FAMILY_GEMM},
                 {LAVA_OPERATION_DIVIDE_VECTORS, LAVA_CPU_FAMILY_GEMM},
                 {LAVA_OPERATION_DIVIDE_TIMES, LAVA_CPU_FAMILY_GEMM},
                 {LAVA_OPERATION_BIDIAGONAL, LAVA_CPU_FAMILY_SYTRD},
                 {LAVA_OPERATION_SOLVE, LAVA_CPU_FAMILY_TRSM},
                 {LAVA_OPERATION_PRODUCT, LAVA_CPU_FAMILY_GEMM}};
    const struct lava_cpu_figures plain = new_cpu(true);
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int family = 0; family < LAVA_CPU_FAMILY_COUNT; family++) {
            struct lava_cpu_figures figures = plain;
            struct lava_operation operation = square(LAVA_CPU_FAMILY_GEMM, 0, 900);
            operation.kind = kinds[i].kind;
            if (!lava_families_name((enum lava_cpu_family)family, 0))
                continue;
            figures.family_ns[family][0][2] = 7 * estimate(&plain, (enum lava_cpu_family)family, 0, 1024);
            double factor = (enum lava_cpu_family)family == kinds[i].family ? 7 : 1;
            assert_near(lava_figures_cpu_ns(&figures, &operation),
                        factor * lava_figures_cpu_ns(&plain, &operation));
            const char *name = lava_figures_scaled_by(&figures, &operation);
            assert_ptr_equal(name, factor > 1 ? lava_families_name(kinds[i].family, 0) : NULL);
        }
}

/* Starting values beside what 16 cores took, whose dgemm took 28.8 ms at 2048 (dispatch/kind_rows.c). */
static void test_starting_values(void **state) {
    static const struct {
        enum lava_operation_kind kind;
        int64_t n;
        double ms;
    } measured[] = {{LAVA_OPERATION_TRIDIAGONAL, 2048, 143},   {LAVA_OPERATION_EIGENVALUES, 2048, 272},
                    {LAVA_OPERATION_EIGENVECTORS, 1024, 94.8}, {LAVA_OPERATION_EIGENVECTORS, 2048, 491},
                    {LAVA_OPERATION_PIVOTED_QR, 1024, 38},     {LAVA_OPERATION_PIVOTED_QR, 2048, 233}};
    const struct lava_cpu_figures figures = {
        .flops_per_s = {[LAVA_TYPE_FP64] = 2.0 * 2048 * 2048 * 2048 / 28.8e-3}};
    (void)state;
    for (size_t i = 0; i < COUNT(measured); i++) {
        struct lava_operation operation = square(LAVA_CPU_FAMILY_GEMM, 1, measured[i].n);
        operation.kind = measured[i].kind;
        double ms = lava_figures_cpu_ns(&figures, &operation) / 1e6;
        print_message("%s, %d: %.1f ms, measured %.1f\n", lava_kinds[measured[i].kind].text,
                      (int)measured[i].n, ms, measured[i].ms);
        assert_true(fabs(ms / measured[i].ms - 1) < 0.2);
    }
}

/* fp64 without its family's figures is scaled as dgemm is, complex types as their real ones, half types
 * never. */
static void test_types(void **state) {
    (void)state;
    const struct lava_cpu_figures plain = new_cpu(true);
    struct lava_cpu_figures figures = plain;
    figures.family_ns[LAVA_CPU_FAMILY_GEMM][1][1] = 2 * estimate(&plain, LAVA_CPU_FAMILY_GEMM, 1, 512);
    figures.family_ns[LAVA_CPU_FAMILY_SYRK][0][1] = 5 * estimate(&plain, LAVA_CPU_FAMILY_SYRK, 0, 512);
    static const double products[LAVA_TYPE_COUNT] = {
        1, 1, 1, [LAVA_TYPE_FP64] = 2, [LAVA_TYPE_CFP32] = 1, [LAVA_TYPE_CFP64] = 2};
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        enum lava_type its = (enum lava_type)type;
        const struct lava_operation product = product_of(its, its, 700, 300, 500);
        assert_near(lava_figures_cpu_ns(&figures, &product),
                    products[type] * lava_figures_cpu_ns(&plain, &product));
        struct lava_operation update = lava_families_square(LAVA_CPU_FAMILY_SYRK, its, 300);
        double factor = lava_type_real(its) == LAVA_TYPE_FP32 ? 5 : products[type];
        assert_near(lava_figures_cpu_ns(&figures, &update), factor * lava_figures_cpu_ns(&plain, &update));
        const char *name = lava_figures_scaled_by(&figures, &update);
        const char *expected = lava_type_is_half(its) ? NULL : factor > 2 ? "ssyrk" : "dgemm";
        assert_true(name && expected ? strcmp(name, expected) == 0 : name == expected);
    }
}

/* A factorization with right-hand sides takes both families' time. */
static void test_right_hand_sides(void **state) {
    (void)state;
    const struct lava_cpu_figures plain = new_cpu(true);
    struct lava_cpu_figures figures = plain;
    struct lava_operation alone = square(LAVA_CPU_FAMILY_GETRF, 0, 1024), both = alone, sides = alone;
    both.sides.count = sides.sides.count = 300;
    sides.sides.factored = true;
    figures.family_ns[LAVA_CPU_FAMILY_GETRF][0][2] = 3 * lava_figures_cpu_ns(&plain, &alone);
    figures.family_ns[LAVA_CPU_FAMILY_TRSM][0][2] = 2 * estimate(&plain, LAVA_CPU_FAMILY_TRSM, 0, 1024);
    assert_near(lava_figures_cpu_ns(&figures, &sides), 2 * lava_figures_cpu_ns(&plain, &sides));
    assert_near(lava_figures_cpu_ns(&figures, &both),
                3 * lava_figures_cpu_ns(&plain, &alone) + 2 * lava_figures_cpu_ns(&plain, &sides));
}

/* A CPU BLAS whose ?trsm is slow makes the device worth it, and one whose ?potrf is fast does not. */
static void test_decisions_follow(void **state) {
    (void)state;
    static const struct {
        enum lava_cpu_family family;
        double factor;
    } cases[] = {{LAVA_CPU_FAMILY_TRSM, 100},
                 {LAVA_CPU_FAMILY_SYMM, 100},
                 {LAVA_CPU_FAMILY_TRSM, 0.001},
                 {LAVA_CPU_FAMILY_SYMM, 0.001}};
    const struct lava_capabilities device = device_h200();
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_figures figures = sixteen_cores;
        struct lava_operation operation = square(cases[i].family, 0, 2048);
        struct lava_plan plan;
        operation.a.first = (const void *)(uintptr_t)0x100000000000;
        operation.b.first = (const void *)(uintptr_t)0x300000000000;
        operation.c.first = (void *)(uintptr_t)0x500000000000;
        if (operation.in_place)
            operation.b.first = operation.c.first;
        figures.cpu.family_ns[cases[i].family][0][3] =
            cases[i].factor * estimate(&sixteen_cores.cpu, cases[i].family, 0, 2048);
        lava_policy_choose(&operation, &device, &figures, LAVA_MODE_AUTO, &none, &plan);
        assert_int_equal(plan.place, cases[i].factor > 1 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
        assert_near(plan.cpu_ns, figures.cpu.family_ns[cases[i].family][0][3]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squares_belong_to_their_families),
        cmocka_unit_test(test_measured_times_are_exact),
        cmocka_unit_test(test_between_and_beyond),
        cmocka_unit_test(test_all_operations_of_a_family),
        cmocka_unit_test(test_starting_values),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_right_hand_sides),
        cmocka_unit_test(test_decisions_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
