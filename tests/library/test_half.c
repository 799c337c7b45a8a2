/* The half-precision routines as programs call them, with a CPU BLAS that has none of them: results compared
 * with a sum in double precision, complaints, and where they ran. This program has its own xerbla_, as
 * Fortran programs do.
 *
 * The argument chooses the setting. "cpu": the threshold forwards everything. "counted": statistics are on
 * and nothing is forwarded. "auto": the settings of a normal program, with or without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"
#include "lavablas_cblas.h"
#include "tests/library/half_product.h"
#include "tests/library/half_routines.h"

#if defined(__SANITIZE_ADDRESS__)
#    define SLOW 3
#else
#    define SLOW 1
#endif

static const char *setting = "cpu";

static char xerbla_routine[64];
static int xerbla_argument, xerbla_calls;
__attribute__((visibility("default"))) void xerbla_(const char *routine, const int *argument, size_t length);
void xerbla_(const char *routine, const int *argument, size_t length) {
    snprintf(xerbla_routine, sizeof xerbla_routine, "%.*s", (int)length, routine);
    xerbla_argument = *argument;
    xerbla_calls++;
}

enum order { COLUMNS, ROWS };

/* The operation is column-major. A row-major caller has the transposed product. */
static struct half_arguments arguments_of(const struct half_routine *routine, const struct lava_operation *p,
                                          enum order order, bool conjugated) {
    const int transposed = half_routine_is_fortran(routine) ? (conjugated ? 'c' : 'T')
                           : conjugated                     ? 113
                                                            : 112;
    const int plain = half_routine_is_fortran(routine) ? (conjugated ? 'n' : 'N') : 111;
    struct half_arguments x = {.layout = order == ROWS ? 101 : 102,
                               .transa = p->a.op == LAVA_OP_N ? plain : transposed,
                               .transb = p->b.op == LAVA_OP_N ? plain : transposed,
                               .m = (int)p->m,
                               .n = (int)p->n,
                               .k = (int)p->k,
                               .lda = (int)p->a.ld,
                               .ldb = (int)p->b.ld,
                               .ldc = (int)p->c.ld,
                               .alpha = (float)p->alpha.real,
                               .beta = (float)p->beta.real,
                               .a = p->a.first,
                               .b = p->b.first,
                               .c = p->c.first};
    if (order == ROWS) {
        struct half_arguments swapped = x;
        swapped.transa = x.transb;
        swapped.transb = x.transa;
        swapped.m = x.n;
        swapped.n = x.m;
        swapped.lda = x.ldb;
        swapped.ldb = x.lda;
        swapped.a = x.b;
        swapped.b = x.a;
        return swapped;
    }
    return x;
}

static void run(const struct half_routine *routine, const struct lava_operation *shape, enum order order,
                bool conjugated) {
    struct lava_operation typed = *shape;
    struct half_product product;
    typed.type = routine->type;
    typed.c.type = routine->type_c;
    half_product_create(&product, &typed);
    const struct half_arguments x = arguments_of(routine, &product.operation, order, conjugated);
    half_routine_call(routine, &x);
    if (half_product_errors(&product))
        fail_msg("%s, %s, ops %d%d, m %d n %d k %d, alpha %g beta %g", routine->name,
                 order == ROWS ? "rows" : "columns", (int)typed.a.op, (int)typed.b.op, (int)typed.m,
                 (int)typed.n, (int)typed.k, typed.alpha.real, typed.beta.real);
    half_product_destroy(&product);
}

static void every_routine(void **state) {
    static const int sizes[][3] = {{1, 1, 1},   {2, 3, 4}, {17, 9, 33}, {64, 65, 63}, {40, 1, 50},
                                   {1, 40, 50}, {0, 5, 5}, {5, 0, 5},   {5, 5, 0},    {130, 70, 90}};
    static const double factors[][2] = {{1, 0}, {1.5, -0.5}, {0, 2}, {0, 0}, {-2, 1}};
    /* A software device is slow, and so is a sanitizer. 7 and 3 have no common factor with any count of
     * choices below. */
    const unsigned step = (strcmp(setting, "device") == 0 ? 7 : 1) * SLOW;
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++)
        for (unsigned way = 0; way < 10 * 5 * 4 * 2 * 2; way += step) {
            const int *size = sizes[way % 10];
            const double *factor = factors[way / 10 % 5];
            const struct lava_operation shape = {.a.op = way / 50 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                                 .b.op = way / 100 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                                 .m = size[0],
                                                 .n = size[1],
                                                 .k = size[2],
                                                 .alpha.real = factor[0],
                                                 .beta.real = factor[1]};
            enum order order = way / 200 % 2 ? ROWS : COLUMNS;
            if (order == COLUMNS || !half_routine_is_fortran(&half_routines[r]))
                run(&half_routines[r], &shape, order, way / 400);
        }
    assert_int_equal(xerbla_calls, 0);
}

static void past_the_cutoff(void **state) {
    const struct lava_operation shape = {
        .a.op = LAVA_OP_T, .m = 700, .n = 500, .k = 300, .alpha.real = 0.5, .beta.real = -1};
    struct lavablas_call last = {.size = sizeof last};
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++) {
        run(&half_routines[r], &shape, COLUMNS, false);
        if (strcmp(setting, "cpu") == 0)
            continue; /* invalid, so not recorded */
        assert_int_equal(lavablas_last_call(&last), 0);
        assert_string_equal(last.routine, half_routines[r].name);
        assert_string_equal(last.scheme, lava_type_name(half_routines[r].type));
        assert_true(last.m == 700 && last.n == 500 && last.k == 300);
        assert_true(strlen(last.reason) > 0);
        print_message("%s: %s, %s\n", last.routine, last.place, last.reason);
    }
}

/* Scalars that fp16 cannot represent, for the routines with fp32 scalars. */
static void scalars_of_fp32(void **state) {
    const struct lava_operation shape = {
        .m = 20, .n = 30, .k = 40, .alpha.real = (double)0.1f, .beta.real = (double)1e-6f};
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++)
        if (!half_routines[r].cblas_half && !half_routines[r].fortran_half)
            run(&half_routines[r], &shape, COLUMNS, false);
}

/* One wrong argument each, with Fortran's number. Leading dimensions that are valid by columns are invalid by
 * rows. */
static void complaints(void **state) {
    static const struct {
        int number, m, n, k, lda, ldb, ldc;
        bool transposed, by_rows;
    } cases[] = {
        {3, -1, 8, 8, 9, 9, 9, false, false}, {4, 8, -1, 8, 9, 9, 9, false, false},
        {5, 8, 8, -1, 9, 9, 9, false, false}, {3, -8, -8, 8, 9, 9, 9, false, false},
        {8, 8, 6, 7, 7, 7, 8, false, false},  {8, 6, 8, 7, 6, 9, 8, true, false},
        {10, 8, 6, 7, 8, 6, 8, false, false}, {10, 6, 7, 5, 6, 6, 8, true, false},
        {13, 8, 6, 7, 8, 8, 7, false, false}, {13, 0, 0, 0, 1, 1, 0, false, false},
        {8, 7, 6, 8, 7, 6, 6, false, true},   {10, 6, 8, 7, 7, 7, 8, false, true},
        {13, 6, 8, 7, 7, 8, 7, false, true},
    };
    static uint16_t x[200];
    static float c[200];
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const struct half_routine *routine = &half_routines[r];
            bool fortran = half_routine_is_fortran(routine);
            int op = fortran ? (cases[i].transposed ? 'T' : 'N') : cases[i].transposed ? 112 : 111;
            const struct half_arguments arguments = {cases[i].by_rows ? 101 : 102,
                                                     op,
                                                     op,
                                                     cases[i].m,
                                                     cases[i].n,
                                                     cases[i].k,
                                                     cases[i].lda,
                                                     cases[i].ldb,
                                                     cases[i].ldc,
                                                     1,
                                                     0,
                                                     x,
                                                     x,
                                                     c};
            if (fortran && cases[i].by_rows)
                continue;
            xerbla_calls = 0;
            half_routine_call(routine, &arguments);
            assert_int_equal(xerbla_calls, 1);
            assert_int_equal(xerbla_argument, cases[i].number + (fortran ? 0 : 1));
            assert_string_equal(xerbla_routine, routine->told);
        }
    for (size_t i = 0; i < 200; i++)
        assert_true(c[i] == 0);
}

static void unknown_enumerators(void **state) {
    static uint16_t x[16];
    static float c[16];
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++) {
        bool fortran = half_routine_is_fortran(&half_routines[r]);
        int plain = fortran ? 'N' : 111, unknown = fortran ? 'X' : 114;
        for (int number = fortran; number < 3; number++) {
            const struct half_arguments arguments = {number == 0 ? 100 : 102,
                                                     number == 1 ? unknown : plain,
                                                     number == 2 ? unknown : plain,
                                                     2,
                                                     2,
                                                     2,
                                                     2,
                                                     2,
                                                     2,
                                                     1,
                                                     0,
                                                     x,
                                                     x,
                                                     c};
            xerbla_calls = 0;
            half_routine_call(&half_routines[r], &arguments);
            assert_int_equal(xerbla_calls, 1);
            assert_int_equal(xerbla_argument, number + (fortran ? 0 : 1));
        }
    }
}

/* Without terms alpha must have no effect; CPU BLAS libraries differ on that. */
static void no_terms_and_alpha_nan(void **state) {
    (void)state;
    uint16_t nothing[4] = {0x7e00, 0x7e00, 0x7e00, 0x7e00};
    float c[4] = {1, 2, 3, 4};
    cblas_shgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 0, NAN, nothing, 2, nothing, 1, 2, c, 2);
    for (int i = 0; i < 4; i++)
        assert_true(c[i] == 2.0f * (float)(i + 1));
    uint16_t half[4] = {0x7e00, 0x7e00, 0x7e00, 0x7e00};
    lavablas_hgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 0, INFINITY, nothing, 2, nothing, 1, 0,
                   half, 2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(half[i], 0);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_routine),       cmocka_unit_test(past_the_cutoff),
        cmocka_unit_test(scalars_of_fp32),     cmocka_unit_test(complaints),
        cmocka_unit_test(unknown_enumerators), cmocka_unit_test(no_terms_and_alpha_nan),
    };
    if (count > 1)
        setting = arguments[1];
    bool is_device = strcmp(setting, "device") == 0;
    setenv("LAVABLAS_CPU_BLAS", "libopenblas.so.0", 1);
    setenv("LAVABLAS_STATS", strcmp(setting, "counted") == 0 ? "/dev/null" : "0", 1);
    setenv("LAVABLAS_MODE", is_device ? "gpu" : strcmp(setting, "auto") == 0 ? "auto" : "cpu", 1);
    unsetenv("LAVABLAS_LOG");
    if (is_device) {
        setenv("LAVABLAS_DEVICE", "cpu", 1);
        setenv("LAVABLAS_CACHE", "0", 1);
    }
    if (is_device && lavablas_wait(NULL) != 0)
        return 77;
    half_product_seed((uint64_t)time(NULL));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
