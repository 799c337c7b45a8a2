/* LAPACK's solves for few right-hand sides on the device, as solves for vectors: with a triangle, by the
 * factors of LU with any pivots, and by Cholesky's. Every form and type, at random sizes. The matrix and the
 * vectors are blocks of larger ones, and what must not be used or written is NaN: around the blocks, and in
 * the other triangle. The residual is measured in long double, element by element, for the triangles S and T
 * that are solved with one after the other:
 *
 *     |b - S T x| <= 2 (n + 8) u |S| |T| |x|
 *
 * times 3 for complex types. Then what fails. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/vector_plan.h"
#include "lib/base/fault.h"
#include "lib/level2/vector.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/problem.h"

#define CASES 16

static struct lava_engine *engine;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

/* x: the vectors, whose old values are in b. */
struct call {
    struct lava_operation operation;
    struct matrix a, b, x;
};

static int64_t below(int64_t n) {
    return (int64_t)problem_uniform(0, (double)n) % n;
}

static bool is_stored(const struct lava_operand *a, int64_t i, int64_t j) {
    if (a->structure == LAVA_STRUCTURE_GENERAL || (i == j && !a->unit_diagonal))
        return true;
    return i != j && (a->stored == LAVA_REGION_LOWER) == (i > j);
}

static void fill(struct call *call) {
    const double most = 1 / sqrt((double)call->a.rows);
    for (int64_t j = 0; j < call->a.columns; j++)
        for (int64_t i = 0; i < call->a.rows; i++)
            if (is_stored(&call->operation.a, i, j))
                matrix_set(&call->a, i, j, i == j ? problem_uniform(0.5, 1) : problem_uniform(-most, most),
                           problem_uniform(-most, most));
    for (int64_t j = 0; j < call->b.columns; j++)
        for (int64_t i = 0; i < call->b.rows; i++)
            matrix_set(&call->b, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
}

static int64_t *new_pivots(int64_t n) {
    int64_t *pivots = malloc((size_t)n * sizeof *pivots);
    assert_non_null(pivots);
    for (int64_t i = 0; i < n; i++)
        pivots[i] = below(3) ? i + below(n - i) : i;
    return pivots;
}

static struct call new_call(enum lava_type type, bool by_factors, struct lava_operand a, int64_t n,
                            int64_t sides) {
    struct call call = {.a = matrix_new(type, n, n), .b = matrix_new(type, n, sides)};
    bool is_lu = a.structure == LAVA_STRUCTURE_GENERAL;
    call.operation = (struct lava_operation){.kind = by_factors ? LAVA_OPERATION_FACTORS_VECTOR
                                                                : LAVA_OPERATION_SOLVE_VECTOR,
                                             .type = type,
                                             .m = n,
                                             .n = sides,
                                             .k = n,
                                             .a = a,
                                             .in_place = true,
                                             .c = {.ld = 1, .type = type},
                                             .alpha.real = 1,
                                             .pivots = is_lu ? new_pivots(n) : NULL};
    fill(&call);
    call.x = matrix_copy(&call.b);
    call.operation.a.first = matrix_element(&call.a, 0, 0);
    call.operation.a.ld = call.a.ld;
    call.operation.b.ld = call.x.ld;
    call.operation.c.first = matrix_element(&call.x, 0, 0);
    return call;
}

static void free_call(struct call *call) {
    free(call->a.all);
    free(call->b.all);
    free(call->x.all);
    free(call->operation.pivots);
}

/* v <- op(T) v, and the sizes of what is added. */
static void multiply(const struct call *call, const struct lava_operand *t, struct value *v,
                     long double *sizes) {
    int64_t n = call->operation.m;
    struct value *product = calloc((size_t)n, sizeof *product);
    long double *size = calloc((size_t)n, sizeof *size);
    assert_non_null(product);
    assert_non_null(size);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            bool is_n = t->op == LAVA_OP_N, is_diagonal = i == j;
            if (!is_diagonal && (t->stored == LAVA_REGION_LOWER) != (i > j))
                continue;
            struct value a =
                is_diagonal && t->unit_diagonal ? (struct value){1, 0} : matrix_get(&call->a, i, j);
            a.im = t->conjugate ? -a.im : a.im;
            int64_t to = is_n ? i : j, from = is_n ? j : i;
            product[to].re += a.re * v[from].re - a.im * v[from].im;
            product[to].im += a.re * v[from].im + a.im * v[from].re;
            size[to] += problem_size_of(a) * sizes[from];
        }
    memcpy(v, product, (size_t)n * sizeof *v);
    memcpy(sizes, size, (size_t)n * sizeof *sizes);
    free(product);
    free(size);
}

/* Interchanges rows as ?laswp does. */
static void interchange(const struct call *call, struct value *v, long double *sizes, bool backwards) {
    int64_t n = call->operation.m;
    for (int64_t step = 0; step < n && call->operation.pivots; step++) {
        int64_t i = backwards ? n - 1 - step : step, other = call->operation.pivots[i];
        struct value kept = v[i];
        long double size = sizes[i];
        v[i] = v[other];
        v[other] = kept;
        sizes[i] = sizes[other];
        sizes[other] = size;
    }
}

static void check_side(const struct call *call, int64_t side) {
    int64_t n = call->operation.m;
    bool is_n = call->operation.a.op == LAVA_OP_N, is_complex = lava_type_is_complex(call->operation.type);
    struct lava_operation solves[2];
    struct value *v = calloc((size_t)n, sizeof *v);
    long double *sizes = calloc((size_t)n, sizeof *sizes);
    assert_non_null(v);
    assert_non_null(sizes);
    for (int64_t i = 0; i < n; i++) {
        v[i] = matrix_get(&call->x, i, side);
        sizes[i] = problem_size_of(v[i]);
    }
    if (!is_n)
        interchange(call, v, sizes, false);
    for (int i = lava_vector_plan_solves(&call->operation, solves) - 1; i >= 0; i--)
        multiply(call, &solves[i].a, v, sizes);
    if (is_n)
        interchange(call, v, sizes, true);
    for (int64_t i = 0; i < n; i++) {
        struct value b = matrix_get(&call->b, i, side);
        long double error = problem_size_of((struct value){b.re - v[i].re, b.im - v[i].im}),
                    unit = lava_type_facts(call->operation.type)->unit,
                    bound = 2 * (long double)(n + 8) * (is_complex ? 3 : 1) * unit * sizes[i];
        if (!(error <= bound))
            fail_msg("%s, structure %d, region %d, op %d, n %lld: (%lld, %lld) is off by %Lg, not %Lg",
                     lava_type_name(call->operation.type), (int)call->operation.a.structure,
                     (int)call->operation.a.stored, (int)call->operation.a.op, (long long)n, (long long)i,
                     (long long)side, error, bound);
    }
    free(v);
    free(sizes);
}

static enum lava_status run(struct call *call) {
    const struct lava_plan plan = {.place = LAVA_PLACE_GPU, .gpu_ns = 1e6};
    struct lava_progress progress;
    return lava_vector_run(engine, &call->operation, &plan, &progress);
}

/* The same bits once more, and for each vector alone. */
static void run_and_check(struct call *call) {
    assert_int_equal(run(call), LAVA_OK);
    for (int64_t side = 0; side < call->operation.n; side++)
        check_side(call, side);
    assert_true(matrix_frame_is_untouched(&call->x));
    assert_true(matrix_frame_is_untouched(&call->a));
    unsigned char *result = malloc(call->x.bytes);
    assert_non_null(result);
    memcpy(result, call->x.all, call->x.bytes);
    memcpy(call->x.all, call->b.all, call->x.bytes);
    struct lava_operation all = call->operation;
    call->operation.n = 1;
    for (int64_t side = 0; side < all.n; side++) {
        call->operation.c.first = matrix_element(&call->x, 0, side);
        assert_int_equal(run(call), LAVA_OK);
    }
    assert_memory_equal(call->x.all, result, call->x.bytes);
    call->operation = all;
    free(result);
    free_call(call);
}

static void solve_all(bool by_factors, enum lava_structure structure) {
    for (size_t t = 0; t < 4; t++)
        for (int i = 0; i < CASES; i++) {
            bool is_lu = structure == LAVA_STRUCTURE_GENERAL, may_turn = is_lu || !by_factors;
            const struct lava_operand a = {.structure = structure,
                                           .stored = is_lu   ? LAVA_REGION_ALL
                                                     : i % 2 ? LAVA_REGION_UPPER
                                                             : LAVA_REGION_LOWER,
                                           .op = may_turn && i / 2 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                           .unit_diagonal = !by_factors && i / 4 % 2,
                                           .conjugate =
                                               may_turn && lava_type_is_complex(types[t]) && below(2)};
            int64_t n = 1 + below(below(3) ? 300 : 40);
            struct call call = new_call(types[t], by_factors, a, n, 1 + below(LAVA_VECTOR_PLAN_SIDES));
            run_and_check(&call);
        }
}

static void triangles(void **state) {
    (void)state;
    solve_all(false, LAVA_STRUCTURE_TRIANGULAR);
}

static void cholesky(void **state) {
    (void)state;
    solve_all(true, LAVA_STRUCTURE_TRIANGULAR);
}

static void lu(void **state) {
    (void)state;
    solve_all(true, LAVA_STRUCTURE_GENERAL);
}

/* Nothing is written, and the next call is right. */
static void failures(void **state) {
    (void)state;
#ifdef LAVA_FAULT_INJECTION
    static const char *const faults[] = {"allocate:1:1", "submit:1:1", "submit:2:1", "upload:1:1"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct call call =
            new_call(LAVA_TYPE_FP64, true, (struct lava_operand){.op = LAVA_OP_N}, 200 + (int64_t)i * 100, 3);
        assert_true(lava_fault_set(faults[i]));
        enum lava_status status = run(&call);
        assert_true(lava_fault_set(NULL));
        if (status)
            assert_memory_equal(call.x.all, call.b.all, call.x.bytes);
        memcpy(call.x.all, call.b.all, call.x.bytes);
        run_and_check(&call);
    }
#else
    skip();
#endif
}

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open(false, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(triangles), cmocka_unit_test(cholesky),
                                       cmocka_unit_test(lu), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
