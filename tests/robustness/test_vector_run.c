/* Matrices times vectors on the device: every form, type and increment, at random sizes. A is a block of a
 * larger matrix, and what must not be used is NaN: around the block, in the other triangle, on a unit
 * diagonal, between the elements of vectors, and in y where beta is 0. The error is measured in long double,
 * element by element:
 *
 *     |y - (alpha op(A) x + beta y0)| <= (k + 8) u (|alpha| |op(A)| |x| + |beta| |y0|)
 *
 * times 3 for complex types. Then copies that stay, several threads at one, and failures. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/fault.h"
#include "lib/engine/residents.h"
#include "lib/host/page_watch.h"
#include "lib/level2/vector.h"
#include "lib/level2/vector_kernel.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/problem.h"

#define CASES 16
/* Enough bytes for a copy that stays, with rows that do not end with a word. */
#define STAYS_ROWS    401
#define STAYS_COLUMNS 700
#define THREADS       2
#define CALLS         20

static struct lava_engine *engine;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static bool solves; /* triangular calls, from now on: the residual is measured */

struct call {
    struct lava_operation operation;
    struct matrix a;
    unsigned char *x, *y, *before; /* with gaps; before: y as it was */
    size_t x_bytes, y_bytes;
};

static int64_t below(int64_t n) {
    return (int64_t)problem_uniform(0, (double)n) % n;
}

static struct value get(enum lava_type type, const void *element) {
    bool is_complex = lava_type_is_complex(type);
    if (lava_type_real(type) == LAVA_TYPE_FP32)
        return (struct value){((const float *)element)[0], is_complex ? ((const float *)element)[1] : 0};
    return (struct value){((const double *)element)[0], is_complex ? ((const double *)element)[1] : 0};
}

static void set(enum lava_type type, void *element, double re, double im) {
    const float narrow[] = {(float)re, (float)im};
    const double wide[] = {re, im};
    bool is_narrow = lava_type_real(type) == LAVA_TYPE_FP32;
    memcpy(element, is_narrow ? (const void *)narrow : wide, lava_type_bytes(type));
}

static void *at(enum lava_type type, const void *first, int64_t increment, int64_t i) {
    return (char *)(uintptr_t)first + i * increment * (int64_t)lava_type_bytes(type);
}

/* A vector of NaN but for its elements. *first: its element 0. */
static unsigned char *new_vector(enum lava_type type, int64_t n, int64_t increment, bool is_set,
                                 size_t *bytes, void **first) {
    *bytes = (size_t)((n - 1) * llabs(increment) + 1) * lava_type_bytes(type);
    unsigned char *all = malloc(*bytes);
    assert_non_null(all);
    memset(all, 0xff, *bytes);
    *first = increment < 0 ? all + *bytes - lava_type_bytes(type) : all;
    for (int64_t i = 0; i < n && is_set; i++)
        set(type, at(type, *first, increment, i), problem_uniform(-1, 1), problem_uniform(-1, 1));
    return all;
}

static bool is_stored(const struct lava_operand *a, int64_t i, int64_t j) {
    if (a->structure == LAVA_STRUCTURE_GENERAL)
        return true;
    return a->stored == LAVA_REGION_LOWER ? i >= j : i <= j;
}

static void fill_matrix(struct call *call) {
    const struct lava_operand *a = &call->operation.a;
    for (int64_t j = 0; j < call->a.columns; j++)
        for (int64_t i = 0; i < call->a.rows; i++) {
            bool is_real = i == j && a->structure == LAVA_STRUCTURE_HERMITIAN;
            double most = solves && i != j ? 1 / sqrt((double)call->a.rows) : 1,
                   least = solves && i == j ? 0.5 : -most;
            if (is_stored(a, i, j) && !(i == j && a->unit_diagonal))
                matrix_set(&call->a, i, j, problem_uniform(least, most),
                           is_real ? NAN : problem_uniform(-most, most));
        }
}

static int64_t random_increment(void) {
    static const int64_t increments[] = {1, 1, -1, 2, -3, 7};
    return increments[below(6)];
}

static struct lava_scalar random_scalar(enum lava_type type) {
    static const double choices[] = {0, 1, -1, 0.7};
    struct lava_scalar scalar = {.real = choices[below(4)]};
    if (lava_type_is_complex(type) && below(2))
        scalar.imaginary = problem_uniform(-1, 1);
    return scalar;
}

static struct call new_call(enum lava_type type, struct lava_operand a, int64_t rows, int64_t columns) {
    struct call call = {.a = matrix_new(type, rows, columns)};
    bool in_place = a.structure == LAVA_STRUCTURE_TRIANGULAR;
    void *x = NULL, *y;
    a.first = matrix_element(&call.a, 0, 0);
    a.ld = call.a.ld;
    enum lava_operation_kind triangular =
        solves ? LAVA_OPERATION_SOLVE_VECTOR : LAVA_OPERATION_TRIANGLE_VECTOR;
    call.operation = (struct lava_operation){.kind = in_place ? triangular : LAVA_OPERATION_MATRIX_VECTOR,
                                             .type = type,
                                             .m = a.op == LAVA_OP_N ? rows : columns,
                                             .n = 1,
                                             .k = a.op == LAVA_OP_N ? columns : rows,
                                             .a = a,
                                             .in_place = in_place,
                                             .c = {.ld = random_increment(), .type = type},
                                             .alpha.real = 1};
    struct lava_operation *operation = &call.operation;
    if (!in_place) {
        operation->alpha = random_scalar(type);
        operation->beta = random_scalar(type);
        operation->b.ld = random_increment();
        call.x = new_vector(type, operation->k, operation->b.ld, true, &call.x_bytes, &x);
    }
    bool is_read = in_place || operation->beta.real != 0 || operation->beta.imaginary != 0;
    call.y = new_vector(type, operation->m, operation->c.ld, is_read, &call.y_bytes, &y);
    operation->b.first = x;
    operation->c.first = y;
    call.before = malloc(call.y_bytes);
    assert_non_null(call.before);
    memcpy(call.before, call.y, call.y_bytes);
    fill_matrix(&call);
    return call;
}

static void free_call(struct call *call) {
    free(call->a.all);
    free(call->x);
    free(call->y);
    free(call->before);
}

static const char *text_of(const struct call *call) {
    static char text[200];
    const struct lava_operation *operation = &call->operation;
    snprintf(text, sizeof text,
             "%s, structure %d, region %d, op %d%s%s, %lld x %lld, increments %lld and %lld, alpha %g %g, "
             "beta %g %g",
             lava_type_name(operation->type), (int)operation->a.structure, (int)operation->a.stored,
             (int)operation->a.op, operation->a.conjugate ? " conjugated" : "",
             operation->a.unit_diagonal ? " unit" : "", (long long)call->a.rows, (long long)call->a.columns,
             (long long)operation->b.ld, (long long)operation->c.ld, operation->alpha.real,
             operation->alpha.imaginary, operation->beta.real, operation->beta.imaginary);
    return text;
}

static struct value element(const struct call *call, int64_t i, int64_t j) {
    const struct lava_operand *a = &call->operation.a;
    bool is_turned = a->op == LAVA_OP_T, is_hermitian = a->structure == LAVA_STRUCTURE_HERMITIAN;
    int64_t row = is_turned ? j : i, column = is_turned ? i : j;
    bool is_there = is_stored(a, row, column);
    if (i == j && a->unit_diagonal)
        return (struct value){1, 0};
    if (!is_there && a->structure == LAVA_STRUCTURE_TRIANGULAR)
        return (struct value){0, 0};
    struct value value = matrix_get(&call->a, is_there ? row : column, is_there ? column : row);
    if (is_hermitian && i == j)
        value.im = 0;
    if (a->conjugate != (is_hermitian && !is_there))
        value.im = -value.im;
    return value;
}

static struct value times(struct value a, struct value b) {
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static long double size_of(struct value value) {
    return hypotl(value.re, value.im);
}

/* A solve is checked backwards: y is what is multiplied, and its old value is what that should be. */
static void check_element(const struct call *call, int64_t i) {
    const struct lava_operation *operation = &call->operation;
    const void *before = call->before + ((char *)operation->c.first - (char *)call->y),
               *after = operation->c.first;
    if (operation->kind == LAVA_OPERATION_SOLVE_VECTOR) {
        const void *other = before;
        before = after;
        after = other;
    }
    const struct value alpha = {operation->alpha.real, operation->alpha.imaginary},
                       beta = {operation->beta.real, operation->beta.imaginary};
    struct value sum = {0, 0};
    long double size = 0;
    for (int64_t j = 0; j < operation->k; j++) {
        const void *x = operation->in_place ? at(operation->type, before, operation->c.ld, j)
                                            : at(operation->type, operation->b.first, operation->b.ld, j);
        struct value a = element(call, i, j), b = get(operation->type, x), product = times(a, b);
        if (a.re == 0 && a.im == 0) /* the other triangle */
            continue;
        sum.re += product.re;
        sum.im += product.im;
        size += size_of(a) * size_of(b);
    }
    sum = times(alpha, sum);
    size *= size_of(alpha);
    if (beta.re != 0 || beta.im != 0) {
        struct value y = get(operation->type, at(operation->type, before, operation->c.ld, i)),
                     old = times(beta, y);
        sum.re += old.re;
        sum.im += old.im;
        size += size_of(beta) * size_of(y);
    }
    struct value got = get(operation->type, at(operation->type, after, operation->c.ld, i));
    long double error = size_of((struct value){got.re - sum.re, got.im - sum.im}),
                bound = (long double)(operation->k + 8) * (lava_type_is_complex(operation->type) ? 3 : 1) *
                        (long double)lava_type_facts(operation->type)->unit * size;
    if (!(error <= bound))
        fail_msg("%s: y(%lld) is %Lg %Lg, not %Lg %Lg", text_of(call), (long long)i, got.re, got.im, sum.re,
                 sum.im);
}

static void check(const struct call *call) {
    const struct lava_operation *operation = &call->operation;
    size_t bytes = lava_type_bytes(operation->type);
    for (int64_t i = 0; i < operation->m; i++)
        check_element(call, i);
    /* what is between the elements */
    for (size_t place = 0; place < call->y_bytes / bytes; place++)
        if (place % (size_t)llabs(operation->c.ld) != 0)
            assert_memory_equal(call->y + place * bytes, call->before + place * bytes, bytes);
    assert_true(matrix_frame_is_untouched(&call->a));
}

static enum lava_status run_on(struct lava_engine *user, const struct call *call) {
    const struct lava_plan plan = {.place = LAVA_PLACE_GPU, .gpu_ns = 1e6};
    struct lava_progress progress;
    enum lava_status status = lava_vector_run(user, &call->operation, &plan, &progress);
    assert_int_equal(progress.row, status ? 0 : call->operation.m);
    return status;
}

static void run(const struct call *call) {
    assert_int_equal(run_on(engine, call), LAVA_OK);
}

static void run_and_check(struct call *call) {
    run(call);
    check(call);
    /* the same bits once more */
    unsigned char *result = malloc(call->y_bytes);
    assert_non_null(result);
    memcpy(result, call->y, call->y_bytes);
    memcpy(call->y, call->before, call->y_bytes);
    run(call);
    assert_memory_equal(call->y, result, call->y_bytes);
    free(result);
    free_call(call);
}

static int64_t random_size(void) {
    return 1 + below(below(3) ? 400 : 40);
}

static void general(void **state) {
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int i = 0; i < CASES; i++) {
            const struct lava_operand a = {.op = i % 2 ? LAVA_OP_T : LAVA_OP_N,
                                           .conjugate = lava_type_is_complex(types[t]) && below(2)};
            struct call call = new_call(types[t], a, random_size(), random_size());
            run_and_check(&call);
        }
}

/* Splits along the columns, and along the rows. */
static void long_and_thin(void **state) {
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int i = 0; i < 4; i++) {
            const struct lava_operand a = {.op = i % 2 ? LAVA_OP_T : LAVA_OP_N};
            int64_t is_long = 3000 + below(2000), is_thin = 1 + below(20);
            struct call call = new_call(types[t], a, i < 2 ? is_long : is_thin, i < 2 ? is_thin : is_long);
            run_and_check(&call);
        }
}

static void structured(enum lava_structure structure) {
    for (size_t t = 0; t < 4; t++)
        for (int i = 0; i < CASES; i++) {
            bool is_triangular = structure == LAVA_STRUCTURE_TRIANGULAR;
            const struct lava_operand a = {.structure = structure,
                                           .stored = i % 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
                                           .op = i / 2 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                           .unit_diagonal = is_triangular && i / 4 % 2,
                                           .conjugate = lava_type_is_complex(types[t]) && below(2)};
            int64_t order = random_size();
            struct call call = new_call(types[t], a, order, order);
            run_and_check(&call);
        }
}

static void symmetric(void **state) {
    (void)state;
    structured(LAVA_STRUCTURE_SYMMETRIC);
}

static void hermitian(void **state) {
    (void)state;
    structured(LAVA_STRUCTURE_HERMITIAN);
}

static void triangular(void **state) {
    (void)state;
    structured(LAVA_STRUCTURE_TRIANGULAR);
}

static void solving(void **state) {
    (void)state;
    solves = true;
    structured(LAVA_STRUCTURE_TRIANGULAR);
    solves = false;
}

/* Elements of x that are not finite are multiplied by those of the matrix alone, not by what pads it. */
static void infinite(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct lava_operand a = {.structure = LAVA_STRUCTURE_TRIANGULAR,
                                       .stored = i ? LAVA_REGION_UPPER : LAVA_REGION_LOWER};
        enum { ORDER = 101, PLACE = 50 };
        struct call call = new_call(LAVA_TYPE_FP64, a, ORDER, ORDER);
        set(LAVA_TYPE_FP64, at(LAVA_TYPE_FP64, call.operation.c.first, call.operation.c.ld, PLACE), INFINITY,
            0);
        run(&call);
        for (int64_t row = 0; row < ORDER; row++) {
            double y = (double)get(LAVA_TYPE_FP64,
                                   at(LAVA_TYPE_FP64, call.operation.c.first, call.operation.c.ld, row))
                           .re;
            assert_true(i ? isfinite(y) == (row > PLACE) : isfinite(y) == (row < PLACE));
            assert_true(!isnan(y));
        }
        free_call(&call);
    }
}

/* A device may have no memory of its own that the host writes: then x is copied first, unless the device
 * reads the host's memory at its own speed. */
static void copied_vectors(void **state) {
    struct lava_device *device = engine->device;
    const VkPhysicalDeviceMemoryProperties before = device->memory;
    (void)state;
    lava_memory_free(device, &engine->arena.buffers[LAVA_ARENA_VECTOR_IN]);
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
        device->memory.memoryTypes[i].propertyFlags &=
            ~(VkMemoryPropertyFlags)VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    for (int i = 0; i < 2; i++) {
        engine->capabilities.unified_memory = i > 0;
        for (size_t t = 0; t < 4; t++) {
            struct call call = new_call(types[t], (struct lava_operand){.op = LAVA_OP_T}, 133, 190);
            run_and_check(&call);
        }
    }
    assert_int_equal(engine->arena.buffers[LAVA_ARENA_VECTOR_IN].bytes, 0);
    device->memory = before;
}

/* A call whose matrix has a copy, if it is looked at now. */
static bool look(struct call *call) {
    struct lava_operand *a = &call->operation.a;
    const struct lava_host_matrix matrix = lava_residents_matrix(&call->operation, false);
    a->is_stored = false;
    a->is_resident =
        lava_residents_look(engine->device->shared->residents, &matrix, &a->copy) == LAVA_RESIDENT_STAYS;
    return a->is_resident;
}

static void run_again(struct call *call) {
    memcpy(call->y, call->before, call->y_bytes);
    run(call);
    check(call);
}

/* The page watch is there where the kernel has it. */
static struct lava_residents *open_store(void) {
    struct lava_device_shared *shared = engine->device->shared;
    if (!shared->residents) {
        if (lava_page_watch_open())
            skip();
        shared->residents =
            lava_residents_create(LAVA_RESIDENT_AUTO, engine->device->capabilities.memory_bytes);
    }
    assert_non_null(shared->residents);
    return shared->residents;
}

static struct call staying_call(enum lava_op op) {
    struct call call = new_call(LAVA_TYPE_FP64, (struct lava_operand){.op = op}, STAYS_ROWS, STAYS_COLUMNS);
    assert_false(look(&call)); /* it is seen */
    call.operation.a.is_stored = true;
    run(&call);
    check(&call);
    assert_true(look(&call));
    return call;
}

static void staying(void **state) {
    (void)state;
    struct lava_residents *residents = open_store();
    struct call call = staying_call(LAVA_OP_N);
    run_again(&call);
    const uint64_t used = lava_residents_sums(residents).used;
    assert_true(used > 0);
    /* what the program writes goes up */
    matrix_set(&call.a, 7, 350, 0.25, 0);
    assert_true(look(&call));
    run_again(&call);
    assert_true(lava_residents_sums(residents).refreshed > 0);
    assert_true(look(&call));
    run_again(&call);
    /* the copy goes, and nothing is written without it */
    assert_true(lava_residents_release(residents, engine->device, false));
    memcpy(call.y, call.before, call.y_bytes);
    assert_int_equal(run_on(engine, &call), LAVA_ERROR_UNAVAILABLE);
    assert_memory_equal(call.y, call.before, call.y_bytes);
    free_call(&call);
}

struct user {
    struct lava_engine *engine;
    struct call call;
    int wrong;
};

static void *call_many_times(void *argument) {
    struct user *user = argument;
    for (int i = 0; i < CALLS; i++) {
        memcpy(user->call.y, user->call.before, user->call.y_bytes);
        if (run_on(user->engine, &user->call))
            user->wrong++;
    }
    return NULL;
}

/* Several users of the device at one copy. */
static void threads(void **state) {
    (void)state;
    struct lava_residents *residents = open_store();
    struct call first = staying_call(LAVA_OP_N);
    struct user users[THREADS];
    pthread_t started[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        struct lava_device *device;
        users[i] = (struct user){.engine = engine, .call = first};
        if (i > 0) {
            assert_int_equal(lava_gpu_share(engine->device, i, &device), LAVA_OK);
            assert_int_equal(lava_engine_create(device, 1, &users[i].engine), LAVA_OK);
        }
        users[i].call.y = malloc(first.y_bytes);
        assert_non_null(users[i].call.y);
        memcpy(users[i].call.y, first.before, first.y_bytes);
        users[i].call.operation.c.first =
            users[i].call.y + ((unsigned char *)first.operation.c.first - first.y);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&started[i], NULL, call_many_times, &users[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(started[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(users[i].wrong, 0);
        assert_memory_equal(users[i].call.y, users[0].call.y, first.y_bytes);
        check(&users[i].call);
    }
    for (int i = THREADS - 1; i >= 0; i--) {
        free(users[i].call.y);
        if (i > 0)
            lava_engine_destroy(users[i].engine);
    }
    assert_true(lava_residents_release(residents, engine->device, false));
    free_call(&first);
}

/* Nothing is written, and the next call is right. */
static void failures(void **state) {
    (void)state;
#ifdef LAVA_FAULT_INJECTION
    static const char *const faults[] = {"allocate:1:1", "submit:1:1", "submit:2:1", "upload:1:1"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct call call =
            new_call(LAVA_TYPE_FP32, (struct lava_operand){.op = LAVA_OP_N}, 200 + (int64_t)i * 200, 300);
        assert_true(lava_fault_set(faults[i]));
        enum lava_status status = run_on(engine, &call);
        assert_true(lava_fault_set(NULL));
        if (status)
            assert_memory_equal(call.y, call.before, call.y_bytes);
        memcpy(call.y, call.before, call.y_bytes);
        run_and_check(&call);
    }
#else
    skip();
#endif
}

/* What the kernels' arithmetic cannot address is left to the CPU. */
static void too_large(void **state) {
    struct lava_operation operation = {.kind = LAVA_OPERATION_MATRIX_VECTOR,
                                       .type = LAVA_TYPE_CFP64,
                                       .m = INT64_C(1) << 28,
                                       .n = 1,
                                       .k = 1,
                                       .alpha.real = 1};
    (void)state;
    struct lava_vector_kernel kernel;
    assert_false(lava_vector_kernel_plan(&operation, operation.m, &engine->capabilities, NULL, &kernel));
    operation.m = 1 << 20;
    assert_true(lava_vector_kernel_plan(&operation, operation.m, &engine->capabilities, NULL, &kernel));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(general),   cmocka_unit_test(long_and_thin),  cmocka_unit_test(symmetric),
        cmocka_unit_test(hermitian), cmocka_unit_test(triangular),     cmocka_unit_test(solving),
        cmocka_unit_test(infinite),  cmocka_unit_test(copied_vectors), cmocka_unit_test(staying),
        cmocka_unit_test(threads),   cmocka_unit_test(failures),       cmocka_unit_test(too_large)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
