/* fp64 products on the device by residues. Tiles that the screen accepts have the bits of the model in
 * perf/residues; those that it leaves are within the bound of fp64 arithmetic, and NaN and Inf come out as in
 * any product. What must not be read or written is NaN.
 *
 * If the device has no fp64 (the layer of tests/layer hides it), the CPU computes what the screen leaves, and
 * the matrices are in host memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/residue_choice.h"
#include "dispatch/residues.h"
#include "lib/lapack/device_matrix.h"
#include "lib/offload/complete.h"
#include "lib/offload/learning.h"
#include "lib/product/runner.h"
#include "lib/vk/modules.h"
#include "tests/robustness/device_test.h"
#ifdef LAVA_FAULT_INJECTION
#    include "tests/robustness/fault_sweep.h"
#endif
#include "tests/robustness/residue_case.h"

static const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON};
static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1}};
static struct lava_engine *engine;
static struct lava_progress progress; /* of the last product on the host */

static int open_engine(void **state) {
    (void)state;
    residue_case_begin(device_test_seed());
    setenv("LAVABLAS_RESIDUES", "on", 1);
    return device_test_open(false, &engine);
}

/* On a device without fp64, which needs no setting to use residues. */
static int open_alone(void **state) {
    (void)state;
    residue_case_begin(device_test_seed());
    return device_test_open(false, &engine) || engine->capabilities.fp64 ? -1 : 0;
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* The device */

static enum lava_type type_of(const struct product *x) {
    return x->is_complex ? LAVA_TYPE_CFP64 : LAVA_TYPE_FP64;
}

static enum lava_status upload(struct lava_stream *stream, const struct product *x, int side,
                               struct lava_device_matrix *matrix) {
    int64_t count = residue_case_count(x, side), depth = x->k / residue_case_each(x);
    int64_t rows = residue_case_is_along(x, side) ? depth : count,
            columns = residue_case_is_along(x, side) ? count : depth;
    double *stored = residue_case_allocate((size_t)(rows * columns * residue_case_each(x)), sizeof(double));
    residue_case_store(x, side, rows, stored);
    enum lava_status status = lava_device_matrix_create(engine, type_of(x), rows, columns, matrix);
    status = status ? status : lava_device_matrix_upload(stream, matrix, stored, rows);
    free(stored);
    return status;
}

static enum lava_status run(struct product *x, const struct lava_overrides *overrides) {
    struct lava_device_matrix a, b, c;
    struct lava_stream stream;
    lava_stream_open(&stream, engine, false);
    enum lava_status status =
        lava_device_matrix_create(engine, type_of(x), x->m / residue_case_each(x), x->n, &c);
    assert_int_equal(status, LAVA_OK);
    assert_int_equal(upload(&stream, x, 0, &a), LAVA_OK);
    assert_int_equal(upload(&stream, x, 1, &b), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &c, x->c, c.rows), LAVA_OK);
    const struct lava_device_product product = {.a = a,
                                                .b = b,
                                                .c = c,
                                                .op_a = x->ops[0],
                                                .op_b = x->ops[1],
                                                .conjugate_a = x->conjugate[0],
                                                .conjugate_b = x->conjugate[1],
                                                .alpha.real = x->alpha,
                                                .beta.real = x->beta,
                                                .region = x->region,
                                                .precision = LAVA_PRECISION_STANDARD,
                                                .overrides = overrides};
    status = lava_device_product(&stream, &product);
    if (!status)
        status = lava_device_matrix_download(&stream, &c, LAVA_REGION_ALL, x->got, c.rows);
    status = lava_stream_close(&stream, status);
    lava_device_matrix_free(engine, &a);
    lava_device_matrix_free(engine, &b);
    lava_device_matrix_free(engine, &c);
    return status;
}

/* The same from host memory to host memory, with NaN around the matrices. */
static double *stored_on_host(const struct product *x, int side, int64_t ld) {
    int64_t columns =
        residue_case_is_along(x, side) ? residue_case_count(x, side) : x->k / residue_case_each(x);
    double *stored = residue_case_allocate((size_t)(ld * columns * residue_case_each(x)), sizeof(double));
    for (int64_t i = 0; i < ld * columns * residue_case_each(x); i++)
        stored[i] = NAN;
    residue_case_store(x, side, ld, stored);
    return stored;
}

static enum lava_status run_on_host(struct product *x, const struct lava_overrides *overrides) {
    int64_t each = residue_case_each(x), m = x->m / each, k = x->k / each;
    int64_t ld[] = {(residue_case_is_along(x, 0) ? k : m) + 3, (residue_case_is_along(x, 1) ? k : x->n) + 5},
            ldc = (m + 7) * each;
    double *stored[] = {stored_on_host(x, 0, ld[0]), stored_on_host(x, 1, ld[1])};
    double *c = residue_case_allocate((size_t)(ldc * x->n), sizeof(double));
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < ldc; i++)
            c[j * ldc + i] = i < x->m ? x->c[j * x->m + i] : NAN;
    const struct lava_operation operation = {
        .type = type_of(x),
        .precision = LAVA_PRECISION_STANDARD,
        .m = m,
        .n = x->n,
        .k = k,
        .a = {.first = stored[0], .ld = ld[0], .op = x->ops[0], .conjugate = x->conjugate[0]},
        .b = {.first = stored[!x->squares],
              .ld = ld[!x->squares],
              .op = x->ops[1],
              .conjugate = x->conjugate[1]},
        .c = {.first = c,
              .ld = ldc / each,
              .type = type_of(x),
              .region = x->region,
              .real_diagonal = residue_case_has_real_diagonal(x)},
        .b_is_a = x->squares,
        .alpha = {x->alpha, x->alpha_imaginary},
        .beta.real = x->beta};
    struct lava_plan plan;
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.residues != NULL, overrides->residues == LAVA_RESIDUE_ON);
    assert_int_equal(plan.leaves_tiles, !engine->capabilities.fp64);
    enum lava_status status = lava_runner_run(engine, &operation, &plan, &progress, NULL);
    assert_true(!progress.left || plan.leaves_tiles);
    lava_complete_left_tiles(&operation, &progress);
    if (!status)
        assert_int_equal(progress.column, x->n);
    for (int64_t j = 0; j < x->n; j++) {
        memcpy(x->got + j * x->m, c + j * ldc, (size_t)x->m * sizeof *c);
        for (int64_t i = x->m; i < ldc; i++)
            assert_true(isnan(c[j * ldc + i]));
    }
    free(stored[0]);
    free(stored[1]);
    free(c);
    return status;
}

/* Runs a product by residues. left: how many of its tiles are to be left, -1: any. */
static void verify(struct product x, int left) {
    const struct lava_residue_way *way = lava_residue_way_of(&engine->capabilities);
    assert_non_null(way);
    residue_case_make(&x);
    assert_int_equal(x.on_host ? run_on_host(&x, &on) : run(&x, &on), LAVA_OK);
    int found = residue_case_check(&x, way);
    if (left >= 0)
        assert_int_equal(found, left);
    residue_case_destroy(&x);
}

#define NONE .odd_line = {-1, -1}

static void operations(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        const struct product x = {.m = 130,
                                  .n = 70,
                                  .k = 200 + 3 * way,
                                  NONE,
                                  .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                                  .alpha = way ? -1.3 : 1,
                                  .beta = way & 1 ? 0.7 : 0};
        verify(x, 0);
    }
}

/* From host memory: several blocks of columns, and panels of K. */
static void on_host(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct product x = {.m = 70,
                            .n = 1100,
                            .k = 70 + 3 * way,
                            NONE,
                            .on_host = true,
                            .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                            .alpha = -1.3,
                            .beta = way == 2 ? 0.7 : 0};
        x.odd[way & 1] = WITH_NAN;
        x.odd_line[way & 1] = 65;
        verify(x, way & 1 ? 2 : 18);
    }
    const struct product deep = {.m = 40,
                                 .n = 50,
                                 .k = LAVA_RESIDUES_STANDARD_K + 130,
                                 NONE,
                                 .on_host = true,
                                 .ops = {LAVA_OP_T, LAVA_OP_N},
                                 .alpha = 1};
    verify(deep, 0);
}

/* Complex matrices: rows that are beyond whole tiles, both orders of both operands, conjugated or not, and
 * tiles that are left. A device without fp64 has those on the host alone. */
static void complex_matrices(void **state) {
    (void)state;
    for (int way = engine->capabilities.fp64 ? 0 : 4; way < 8; way++) {
        struct product x = {.m = 2 * (way < 4 ? 65 : 33),
                            .n = way < 4 ? 30 : 1060,
                            .k = 2 * (70 + 3 * way),
                            NONE,
                            .is_complex = true,
                            .conjugate = {way & 1 && way & 2, way % 3 == 1},
                            .on_host = way >= 4,
                            .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                            .alpha = way ? -1.3 : 1,
                            .alpha_imaginary = way >= 6 ? 0.6 : 0,
                            .beta = way & 1 ? 0.7 : 0};
        x.odd[0] = way & 1 ? WITH_NAN : SPREAD;
        x.odd_line[0] = way % 4 == 0 ? -1 : 64;
        verify(x, way % 4 == 0 ? 0 : way < 4 ? 1 : 17);
    }
    struct product deep = {.m = 6,
                           .n = 70,
                           .k = LAVA_RESIDUES_STANDARD_K + 130,
                           NONE,
                           .is_complex = true,
                           .on_host = true,
                           .ops = {LAVA_OP_T, LAVA_OP_N},
                           .alpha = 1,
                           .alpha_imaginary = -2};
    verify(deep, 0);
    deep.odd[1] = WITH_NAN;
    deep.odd_line[1] = 64;
    verify(deep, 1);
}

/* Triangles of C from host memory, real and complex: of any product, or of a matrix and its transpose. A row
 * has tiles that are left, on both sides of the diagonal. */
static void triangles_on_host(void **state) {
    (void)state;
    for (int way = 0; way < 16; way++) {
        bool is_complex = way & 8, squares = way & 4, is_turned = way & 2;
        int64_t n = way % 5 == 2 ? 1060 : 150;
        struct product x = {.m = is_complex ? 2 * n : n,
                            .n = n,
                            .k = 2 * (70 + 3 * way),
                            NONE,
                            .is_complex = is_complex,
                            .squares = squares,
                            .conjugate = {is_complex && is_turned, is_complex && !is_turned},
                            .on_host = true,
                            .ops = {is_turned ? LAVA_OP_T : LAVA_OP_N, is_turned ? LAVA_OP_N : LAVA_OP_T},
                            .alpha = -1.3,
                            .alpha_imaginary = way == 13 ? 0.4 : 0,
                            .beta = way % 3 == 0 ? 0.7 : 0,
                            .region = way & 1 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER};
        if (way == 13 || way == 14) /* zsyrk */
            x.conjugate[0] = x.conjugate[1] = false;
        x.odd[0] = way % 2 ? WITH_NAN : SPREAD;
        x.odd_line[0] = way < 2 ? -1 : n > 150 ? 700 : 66;
        verify(x, x.odd_line[0] < 0 ? 0 : -1);
    }
    for (int way = 0; way < 4; way++) { /* several panels of K */
        bool is_complex = way & 2;
        struct product deep = {.m = is_complex ? 150 : 75,
                               .n = 75,
                               .k = LAVA_RESIDUES_STANDARD_K + 130,
                               NONE,
                               .is_complex = is_complex,
                               .squares = true,
                               .conjugate = {is_complex, false},
                               .on_host = true,
                               .ops = {LAVA_OP_T, LAVA_OP_N},
                               .alpha = 1.7,
                               .beta = -1,
                               .region = way & 1 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER};
        deep.odd[0] = WITH_INF;
        deep.odd_line[0] = 67;
        verify(deep, -1);
    }
}

static void integers(void **state) {
    (void)state;
    const struct product x = {
        .m = 65, .n = 64, .k = 128, NONE, .alpha = 1, .beta = 1, .data = {INTEGERS, INTEGERS}};
    verify(x, 0);
}

static void panels(void **state) {
    (void)state;
    const struct product x = {.m = 66,
                              .n = 40,
                              .k = LAVA_RESIDUES_STANDARD_K + 130,
                              NONE,
                              .ops = {LAVA_OP_N, LAVA_OP_T},
                              .alpha = 2.5,
                              .beta = -1};
    verify(x, 0);
}

static void regions(void **state) {
    (void)state;
    for (int region = LAVA_REGION_LOWER; region <= LAVA_REGION_UPPER; region++) {
        const struct product x = {.m = 150,
                                  .n = 150,
                                  .k = 130,
                                  NONE,
                                  .ops = {LAVA_OP_T, LAVA_OP_N},
                                  .alpha = -1,
                                  .beta = 1,
                                  .region = (enum lava_region)region};
        verify(x, 0);
    }
}

/* One line is at a limit of the screen, or beyond, or special: its tiles are left, the others are not. */
static void limits(void **state) {
    static const struct {
        enum data data;
        bool left;
    } cases[] = {{LARGEST, false},  {SMALLEST, false}, {ZEROS, false},   {TOO_LARGE, true},
                 {TOO_SMALL, true}, {SPREAD, true},    {WITH_NAN, true}, {WITH_INF, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int side = residue_case_random() % 2;
        struct product x = {.m = 130, .n = 130, .k = 160, NONE, .alpha = 1.5, .beta = i % 2 ? 0.5 : 0};
        x.ops[0] = residue_case_random() % 2 ? LAVA_OP_T : LAVA_OP_N;
        x.ops[1] = residue_case_random() % 2 ? LAVA_OP_T : LAVA_OP_N;
        x.odd[side] = cases[i].data;
        x.odd_line[side] = residue_case_random() % 130;
        printf("data %d in line %d of %c\n", (int)cases[i].data, (int)x.odd_line[side], "AB"[side]);
        verify(x, cases[i].left ? 3 : 0);
    }
}

/* All tiles are left, whatever the order of the operands. */
static void all_left(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        const struct product x = {.m = 129,
                                  .n = 65,
                                  .k = 170 + 3 * way,
                                  NONE,
                                  .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                                  .alpha = way ? 1.7 : 1,
                                  .beta = way % 2 ? 2 : 0,
                                  .data = {SPREAD, UNIFORM}};
        verify(x, 6);
    }
}

/* Several panels of K and parts of op(B) from host memory, of which some tiles are left. */
static void deep_on_host(void **state) {
    (void)state;
    for (int way = 0; way < 4; way += 3) {
        struct product x = {.m = 10,
                            .n = way ? 65 : 1100,
                            .k = LAVA_RESIDUES_STANDARD_K + 67,
                            NONE,
                            .on_host = true,
                            .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                            .alpha = 1};
        x.odd[1] = WITH_INF;
        x.odd_line[1] = 64;
        verify(x, 1);
    }
}

/* All tiles are left to a CPU that has not begun: the device gives the product back as it was. Of the first
 * columns alone: it goes on, and so does it with three quarters of them. */
static void ends_early(void **state) {
    struct product x = {.m = 129,
                        .n = 65,
                        .k = 170,
                        NONE,
                        .on_host = true,
                        .ops = {LAVA_OP_T, LAVA_OP_N},
                        .alpha = 1,
                        .beta = 2,
                        .data = {SPREAD, UNIFORM}};
    (void)state;
    residue_case_make(&x);
    assert_int_equal(run_on_host(&x, &on), LAVA_ERROR_LEFT);
    assert_int_equal(progress.column, 0);
    assert_memory_equal(x.got, x.c, (size_t)(x.m * x.n) * sizeof(double));
    residue_case_destroy(&x);
    struct product most = {.m = 256, .n = 70, .k = 100, NONE, .on_host = true, .alpha = -2, .beta = 1};
    residue_case_make(&most);
    for (int64_t i = 0; i < 192; i += 64)
        most.lines[0][(i + 5) * most.k + 7] = i == 64 ? NAN : 0x1p500;
    assert_int_equal(run_on_host(&most, &on), LAVA_OK);
    assert_int_equal(residue_case_check(&most, lava_residue_way_of(&engine->capabilities)), 6);
    residue_case_destroy(&most);
}

/* A product that ended early has the next one of its size go to the CPU, because the device's time is then
 * the CPU's and its own. */
static void ending_is_learnt(void **state) {
    const struct lava_operation operation = {
        .type = LAVA_TYPE_FP64, .m = 4096, .n = 4096, .k = 4096, .c.type = LAVA_TYPE_FP64};
    const struct lava_plan planned = {.place = LAVA_PLACE_GPU,
                                      .reason = LAVA_REASON_PROFITABLE,
                                      .cpu_ns = 100e6,
                                      .gpu_ns = 30e6,
                                      .leaves_tiles = true};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lava_learning learning;
        struct lava_plan plan = planned;
        lava_learning_decide(&operation, &figures, &plan, &learning);
        assert_int_equal(plan.place, i == 0 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, i == 0 ? LAVA_REASON_PROFITABLE : LAVA_REASON_LEARNT_CPU);
        lava_learning_begin_device(&learning, engine, &plan);
        lava_learning_end_device(&learning, engine, &plan, LAVA_ERROR_LEFT);
    }
}

/* Any tiles are left, at any of two panels of K. */
static void mixed(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct product x = {.m = 200,
                            .n = 150,
                            .k = LAVA_RESIDUES_STANDARD_K + 70,
                            NONE,
                            .on_host = true,
                            .ops = {way & 1 ? LAVA_OP_T : LAVA_OP_N, way & 2 ? LAVA_OP_T : LAVA_OP_N},
                            .alpha = way & 1 ? 1 : 0.3,
                            .beta = way & 2 ? -0.4 : 0};
        residue_case_make(&x);
        for (int i = 0; i < 3; i++) {
            int side = (int)(residue_case_random() >> 1) % 2;
            int64_t line = (int)(residue_case_random() >> 1) % (side ? x.n : x.m),
                    l = (int)(residue_case_random() >> 1) % x.k;
            x.lines[side][line * x.k + (i == 2 ? x.k - 1 : l)] = i == 0   ? 0x1p460
                                                                 : i == 1 ? INFINITY
                                                                          : -0x1p470;
        }
        enum lava_status status = run_on_host(&x, &on);
        assert_true(status == LAVA_OK || status == LAVA_ERROR_LEFT);
        if (!status)
            printf("%d tiles left\n", residue_case_check(&x, lava_residue_way_of(&engine->capabilities)));
        residue_case_destroy(&x);
    }
}

/* Without enough memory for the matrices the CPU has the product. */
static void memory_alone(void **state) {
    const struct lava_overrides none = {.memory_bytes = 1 << 16};
    struct lava_operation operation = {.type = LAVA_TYPE_FP64,
                                       .precision = LAVA_PRECISION_STANDARD,
                                       .m = 300,
                                       .n = 300,
                                       .k = 300,
                                       .a = {.first = LAVA_PLANNED_A, .ld = 300},
                                       .b = {.first = LAVA_PLANNED_B, .ld = 300},
                                       .c = {.first = LAVA_PLANNED_C, .ld = 300, .type = LAVA_TYPE_FP64},
                                       .alpha.real = 1};
    struct lava_plan plan;
    (void)state;
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &none, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_MEMORY);
    operation.on_device = true;
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, NULL, &plan);
    assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
}

/* With less memory for sums, and with none at all: the bits are the same, or those of the plain product. */
static void memory(void **state) {
    const struct lava_residue_way *way = lava_residue_way_of(&engine->capabilities);
    struct product x = {.m = 100, .n = 300, .k = 150, NONE, .alpha = 1};
    (void)state;
    residue_case_make(&x);
    const struct lava_operation product = {.m = x.m, .n = x.n, .k = x.k};
    const struct lava_residue_layout one = lava_residue_layout_of(way, &product, 1, true);
    const struct lava_overrides little = {.residues = LAVA_RESIDUE_ON,
                                          .memory_bytes =
                                              one.first_bytes + one.second_bytes + one.sums_bytes},
                                none = {.residues = LAVA_RESIDUE_ON, .memory_bytes = one.sums_bytes},
                                off = {.residues = LAVA_RESIDUE_OFF};
    double *plain = residue_case_allocate((size_t)(x.m * x.n), sizeof(double));
    assert_int_equal(run(&x, &little), LAVA_OK);
    assert_int_equal(residue_case_check(&x, way), 0);
    assert_int_equal(run(&x, &off), LAVA_OK);
    memcpy(plain, x.got, (size_t)(x.m * x.n) * sizeof(double));
    assert_int_equal(run(&x, &none), LAVA_OK);
    assert_memory_equal(plain, x.got, (size_t)(x.m * x.n) * sizeof(double));
    free(plain);
    residue_case_destroy(&x);
}

#ifdef LAVA_FAULT_INJECTION
/* Fails at one passage of a point. What is told to be written is right, the rest is as it was, and the device
 * goes on. Returns whether the fault came. */
static bool fail_at(struct product *x, const char *name, enum lava_fault_point point, long passage,
                    const double *right) {
    set_fault(name, passage);
    lava_engine_release(engine); /* so that memory is allocated again */
    enum lava_status status = x->on_host ? run_on_host(x, &on) : run(x, &on);
    bool came = fault_came(engine, point, passage, status);
    set_fault(NULL, 0);
    for (int64_t j = 0; came && x->on_host && j < x->n; j++) {
        int64_t partial = progress.partial > 0 ? progress.row + progress.partial : 0, at = j * x->m;
        size_t written = (size_t)(j < progress.column ? x->m : j == progress.column ? partial : 0);
        assert_memory_equal(x->got + at, right + at, written * sizeof(double));
        assert_memory_equal(x->got + at + written, x->c + at + written,
                            ((size_t)x->m - written) * sizeof(double));
    }
    return came;
}

static void faults(void **state) {
    static const struct {
        const char *name;
        enum lava_fault_point point;
    } points[] = {{"allocate", LAVA_FAULT_ALLOCATE},
                  {"upload", LAVA_FAULT_UPLOAD},
                  {"submit", LAVA_FAULT_SUBMIT},
                  {"download", LAVA_FAULT_DOWNLOAD}};
    struct product x = {
        .m = 70, .n = 1100, .k = 128, NONE, .on_host = true, .alpha = 1, .data = {INTEGERS, INTEGERS}};
    x.is_complex = residue_case_random() % 2;
    x.alpha_imaginary = x.is_complex ? 2 : 0;
    x.region = (enum lava_region)(residue_case_random() % 3);
    x.m = x.region == LAVA_REGION_ALL ? x.m : x.n * residue_case_each(&x);
    x.beta = residue_case_random() % 2;
    (void)state;
    residue_case_make(&x);
    if (!x.is_complex) /* tiles that are left, with exact elements */
        x.lines[0][66 * x.k + 3] = INFINITY;
    assert_int_equal(run_on_host(&x, &on), LAVA_OK);
    double *right = residue_case_allocate((size_t)(x.m * x.n), sizeof(double));
    memcpy(right, x.got, (size_t)(x.m * x.n) * sizeof(double));
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (long passage = 1; passage < 5; passage++)
            if (!fail_at(&x, points[i].name, points[i].point, passage, right))
                break;
    assert_int_equal(run_on_host(&x, &on), LAVA_OK);
    assert_memory_equal(x.got, right, (size_t)(x.m * x.n) * sizeof(double));
    free(right);
    residue_case_destroy(&x);
}
#endif

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations),
                                       cmocka_unit_test(on_host),
                                       cmocka_unit_test(complex_matrices),
                                       cmocka_unit_test(integers),
                                       cmocka_unit_test(panels),
                                       cmocka_unit_test(regions),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(all_left),
                                       cmocka_unit_test(deep_on_host),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(triangles_on_host),
#ifdef LAVA_FAULT_INJECTION
                                       cmocka_unit_test(faults)
#endif
    };
    const struct CMUnitTest tests_alone[] = {cmocka_unit_test(on_host),
                                             cmocka_unit_test(complex_matrices),
                                             cmocka_unit_test(ends_early),
                                             cmocka_unit_test(ending_is_learnt),
                                             cmocka_unit_test(mixed),
                                             cmocka_unit_test(memory_alone),
                                             cmocka_unit_test(triangles_on_host),
#ifdef LAVA_FAULT_INJECTION
                                             cmocka_unit_test(faults)
#endif
    };
    if (!lava_modules_has(LAVA_MODULE_RESIDUES_DOT)) {
        puts("skipped: this glslc has no GL_EXT_integer_dot_product");
        return 77;
    }
    if (count > 1 && strcmp(arguments[1], "alone") == 0)
        return cmocka_run_group_tests(tests_alone, open_alone, close_engine);
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
