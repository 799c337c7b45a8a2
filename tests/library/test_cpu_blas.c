/* The search for the CPU BLAS, over stub libraries, and what is made of it: composed entry points, products
 * in pieces, the built-in loop. The folder of the stubs is the first argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpu/compose.h"
#include "lib/cpu/cpu_blas.h"
#include "lib/cpu/find.h"
#include "lib/cpu/reference.h"
#include "lib/cpu/run.h"
#include "tests/library/capture.h"

static const char *stub_folder;

/* The program's own xerbla_, which the built-in loop is to call. */
static char xerbla_routine[32];
static int xerbla_argument;
void xerbla_(const char *routine, const int *argument, size_t length);
void xerbla_(const char *routine, const int *argument, size_t length) {
    snprintf(xerbla_routine, sizeof xerbla_routine, "%.*s", (int)length, routine);
    xerbla_argument = *argument;
}

static const char *stub(const char *name) {
    static char paths[8][4096];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/libstub_%s.so", stub_folder, name);
    return path;
}

/* Loads stubs as a program would, searches, and checks which library was chosen. */
struct search {
    const char *loaded[3], *requested, *fallback; /* names of stubs; requested may be a path */
    const char *expected;                         /* NULL: the built-in loop */
    int lines;                                    /* on stderr */
};

static void *find(const struct search *search, struct lava_cpu_blas *blas, struct capture *capture) {
    const char *fallbacks[] = {"libthere_is_no_such_blas.so.7",
                               search->fallback ? stub(search->fallback) : NULL, NULL};
    const char *requested = search->requested;
    if (requested && *requested && *requested != '/')
        requested = stub(requested);
    const struct lava_find_sources sources = {requested, fallbacks};
    capture_begin(capture);
    void *handle = lava_find_blas(&sources, blas);
    assert_int_equal(capture_end(capture), search->lines);
    assert_non_null(blas->cblas_sgemm);
    assert_non_null(blas->sgemm);
    if (search->expected) {
        assert_non_null(handle);
        assert_string_equal(blas->path, stub(search->expected));
    } else {
        assert_null(handle);
        assert_string_equal(blas->path, LAVA_REFERENCE_PATH);
    }
    return handle;
}

static bool is_loaded(const char *name) {
    void *handle = dlopen(stub(name), RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

static void run_search(const struct search *search) {
    struct lava_cpu_blas blas;
    struct capture capture;
    void *loaded[3] = {NULL};
    for (int i = 0; i < 3 && search->loaded[i]; i++) {
        loaded[i] = dlopen(stub(search->loaded[i]), RTLD_NOW | RTLD_LOCAL);
        assert_non_null(loaded[i]);
    }
    void *handle = find(search, &blas, &capture);
    for (int i = 0; i < 3 && loaded[i]; i++)
        dlclose(loaded[i]);
    /* what was not chosen is let go, what was chosen is kept */
    for (int i = 0; i < 3 && search->loaded[i]; i++) {
        bool chosen = search->expected && strcmp(search->expected, search->loaded[i]) == 0;
        if (is_loaded(search->loaded[i]) != chosen)
            fail_msg("%s is %sloaded", search->loaded[i], chosen ? "not " : "still ");
    }
    if (handle)
        dlclose(handle);
}

static void searches(void **state) {
    static const struct search cases[] = {
        /* one that was loaded RTLD_LOCAL comes before the fallbacks */
        {.loaded = {"lp64"}, .fallback = "complete", .expected = "lp64"},
        {.loaded = {"complete"}, .expected = "complete"},
        /* the first in load order, but one with both symbols before one with one */
        {.loaded = {"lp64", "complete"}, .expected = "lp64"},
        {.loaded = {"complete", "lp64"}, .expected = "complete"},
        {.loaded = {"cblas_only", "lp64"}, .expected = "lp64"},
        {.loaded = {"fortran_only", "cblas_only", "lp64"}, .expected = "lp64"},
        {.loaded = {"cblas_only", "fortran_only"}, .expected = "cblas_only"},
        {.loaded = {"fortran_only"}, .fallback = "lp64", .expected = "fortran_only"},
        /* what merely depends on one is not kept */
        {.loaded = {"plugin"}, .expected = "lp64"},
        /* never 64-bit integers, never this library, never what may lead back to it */
        {.loaded = {"ilp64"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"ilp64", "complete"}, .expected = "complete"},
        {.loaded = {"trampoline"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"reexport"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"reexport", "complete"}, .expected = "complete"},
        /* nothing usable: the loop, and one line */
        {.lines = 1},
        {.loaded = {"ilp64", "reexport", "trampoline"}, .lines = 1},
        {.fallback = "ilp64", .lines = 1},
        {.fallback = "reexport", .lines = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_search(&cases[i]);
}

static void requested_library(void **state) {
    static const struct search cases[] = {
        {.loaded = {"complete"}, .requested = "lp64", .expected = "lp64"},
        {.loaded = {"complete"}, .requested = "cblas_only", .expected = "cblas_only"},
        {.loaded = {"complete"}, .requested = "", .expected = "complete"},
        {.loaded = {"complete"}, .requested = "/nowhere/x.so", .expected = "complete", .lines = 1},
        {.loaded = {"complete"}, .requested = "ilp64", .expected = "complete", .lines = 1},
        {.loaded = {"complete"}, .requested = "reexport", .expected = "complete", .lines = 1},
        {.loaded = {"complete"}, .requested = "empty", .expected = "complete", .lines = 1},
        {.requested = "empty", .lines = 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_search(&cases[i]);
}

static void complaints_say_why(void **state) {
    static const struct {
        const char *stub, *word;
    } cases[] = {
        {"ilp64", "ILP64"}, {"reexport", "LavaBLAS itself"}, {"empty", "neither"}, {"lost", "cannot open"}};
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct search search = {
            .requested = cases[i].stub, .fallback = "lp64", .expected = "lp64", .lines = 1};
        dlclose(find(&search, &blas, &capture));
        assert_non_null(strstr(capture.text, "LAVABLAS_CPU_BLAS"));
        assert_non_null(strstr(capture.text, cases[i].word));
    }
    find(&(struct search){.lines = 1}, &blas, &capture);
    assert_non_null(strstr(capture.text, "libopenblas0"));
}

static void pointers_are_the_library_s(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    const struct search search = {.fallback = "lp64", .expected = "lp64"};
    void *handle = find(&search, &blas, &capture), *address;
    (void)state;
    memcpy(&address, &blas.sgemm, sizeof address);
    assert_ptr_equal(address, dlsym(handle, "sgemm_"));
    memcpy(&address, &blas.cblas_sgemm, sizeof address);
    assert_ptr_equal(address, dlsym(handle, "cblas_sgemm"));
    assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32] >= 10e9);
    dlclose(handle);
}

/* Half precision: the chosen library's own routines, and none of a library that was passed over. */
static void half_precision_where_there_is_some(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    void *handle = find(&(struct search){.requested = "half", .expected = "half"}, &blas, &capture);
    double rate = lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32];
    for (int routine = LAVA_ROUTINE_FIRST_HALF; routine < LAVA_ROUTINE_COUNT; routine++) {
        void *address;
        memcpy(&address, &blas.half[routine], sizeof address);
        assert_ptr_equal(address, dlsym(handle, lava_routine_name((enum lava_routine)routine)));
        assert_true(!address == (routine == LAVA_ROUTINE_LAVABLAS_HGEMM));
    }
    assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_BF16] >= rate);
    void *other = find(&(struct search){.requested = "lp64", .expected = "lp64"}, &blas, &capture);
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        assert_true(blas.half[routine] == NULL);
    rate = lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32];
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++) {
        double share = lava_cpu_blas_figures(&blas).flops_per_s[type] / rate;
        assert_true(share > 0.5 && share < 1);
    }
    dlclose(other);
    dlclose(handle);
}

/* A product of small integers, exact in fp32, and its expected result. */
struct product {
    struct lava_problem problem;
    float *a, *b, *c, *expected;
    int64_t c_elements;
};

static float element(const float *x, enum lava_op op, int64_t ld, int64_t row, int64_t column) {
    return op == LAVA_OP_N ? x[row + column * ld] : x[column + row * ld];
}

static float *fill(int64_t elements, unsigned *seed) {
    float *x = malloc((size_t)(elements + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < elements; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        x[i] = (float)((int)(*seed >> 24) % 5 - 2);
    }
    return x;
}

static struct product make(int64_t m, int64_t n, int64_t k, int ops, float alpha, float beta) {
    unsigned seed = (unsigned)(m * 1000 + n * 100 + k * 10 + ops);
    struct product product = {0};
    struct lava_problem *problem = &product.problem;
    *problem = (struct lava_problem){.type = LAVA_TYPE_FP32,
                                     .op_a = ops & 1 ? LAVA_OP_T : LAVA_OP_N,
                                     .op_b = ops & 2 ? LAVA_OP_T : LAVA_OP_N,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .lda = (ops & 1 ? k : m) + 2,
                                     .ldb = (ops & 2 ? n : k) + 1,
                                     .ldc = m + 3,
                                     .alpha = (double)alpha,
                                     .beta = (double)beta};
    product.c_elements = problem->ldc * n;
    product.a = fill(problem->lda * (ops & 1 ? m : k), &seed);
    product.b = fill(problem->ldb * (ops & 2 ? k : n), &seed);
    product.c = fill(product.c_elements, &seed);
    product.expected = malloc((size_t)(product.c_elements + 1) * sizeof *product.expected);
    assert_non_null(product.expected);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < problem->ldc; i++) {
            float *c = &product.c[i + j * problem->ldc], sum = 0;
            if (i < m) {
                for (int64_t p = 0; alpha != 0 && p < k; p++)
                    sum += element(product.a, problem->op_a, problem->lda, i, p) *
                           element(product.b, problem->op_b, problem->ldb, p, j);
                sum = alpha * sum + (beta == 0 ? 0 : beta * *c);
                if (beta == 0)
                    *c = NAN; /* must not be read */
            }
            product.expected[i + j * problem->ldc] = i < m ? sum : *c;
        }
    problem->a = product.a;
    problem->b = product.b;
    problem->c = product.c;
    return product;
}

static void check_and_free(struct product *product) {
    for (int64_t i = 0; i < product->c_elements; i++)
        if (product->c[i] != product->expected[i])
            fail_msg("m %ld n %ld k %ld: element %ld is %g, not %g", (long)product->problem.m,
                     (long)product->problem.n, (long)product->problem.k, (long)i, (double)product->c[i],
                     (double)product->expected[i]);
    free(product->a);
    free(product->b);
    free(product->c);
    free(product->expected);
}

static const int64_t sizes[][3] = {{1, 1, 1},    {7, 5, 3},      {16, 16, 16}, {13, 1, 40}, {1, 13, 64},
                                   {129, 3, 65}, {130, 40, 131}, {4, 4, 0},    {0, 3, 2},   {3, 0, 2}};
#define SIZES (sizeof sizes / sizeof sizes[0])

static void built_in_loop(void **state) {
    static const float factors[][2] = {{1, 0}, {1, 1}, {2, -1}, {0, 2}, {0, 0}, {-0.0f, 1}, {1, -0.0f}};
    (void)state;
    for (size_t s = 0; s < SIZES; s++)
        for (int ops = 0; ops < 4; ops++)
            for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
                struct product product =
                    make(sizes[s][0], sizes[s][1], sizes[s][2], ops, factors[f][0], factors[f][1]);
                if (factors[f][0] == 0 && sizes[s][0] && sizes[s][2])
                    product.a[0] = NAN; /* must not be read */
                lava_reference_run(&product.problem);
                check_and_free(&product);
            }
}

static void nan_and_zero_propagate(void **state) {
    float a[2] = {NAN, INFINITY}, b[1] = {0}, c[2] = {1, 1};
    const struct lava_problem problem = {.type = LAVA_TYPE_FP32,
                                         .m = 2,
                                         .n = 1,
                                         .k = 1,
                                         .lda = 2,
                                         .ldb = 1,
                                         .ldc = 2,
                                         .alpha = 1,
                                         .beta = 1,
                                         .a = a,
                                         .b = b,
                                         .c = c};
    (void)state;
    lava_reference_run(&problem);
    assert_true(isnan(c[0]) && isnan(c[1]));
}

/* Through the entry points, both layouts. */
static void call_entry_points(const struct lava_cpu_blas *blas) {
    for (size_t s = 0; s < SIZES; s++)
        for (int ops = 0; ops < 4; ops++)
            for (int way = 0; way < 3; way++) {
                struct product product = make(sizes[s][0], sizes[s][1], sizes[s][2], ops, 2, 1);
                const struct lava_problem *p = &product.problem;
                int m = (int)p->m, n = (int)p->n, k = (int)p->k;
                int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
                int op_a = ops & 1 ? 112 : 111, op_b = ops & 2 ? 113 : 111;
                const float two = 2, one = 1;
                if (way == 0)
                    blas->sgemm(ops & 1 ? "T" : "N", ops & 2 ? "C" : "N", &m, &n, &k, &two, product.a, &lda,
                                product.b, &ldb, &one, product.c, &ldc, 1, 1);
                else if (way == 1)
                    blas->cblas_sgemm(102, op_a, op_b, m, n, k, 2, product.a, lda, product.b, ldb, 1,
                                      product.c, ldc);
                else /* the transposed product, row-major */
                    blas->cblas_sgemm(101, op_b, op_a, n, m, k, 2, product.b, ldb, product.a, lda, 1,
                                      product.c, ldc);
                check_and_free(&product);
            }
}

static void entry_points_of_every_kind(void **state) {
    static const char *const stubs[] = {"lp64", "cblas_only", "fortran_only", NULL};
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof stubs / sizeof stubs[0]; i++) {
        const struct search search = {.fallback = stubs[i], .expected = stubs[i], .lines = stubs[i] ? 0 : 1};
        void *handle = find(&search, &blas, &capture);
        call_entry_points(&blas);
        if (handle)
            dlclose(handle);
    }
    assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32] == 20e9);
}

static int stub_counter(void *handle, const char *name) {
    const int *counter = dlsym(handle, name);
    assert_non_null(counter);
    return *counter;
}

static void composed_calls_pass_invalid_arguments_on(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    float x[4] = {0}, one = 1;
    int two = 2;
    (void)state;
    void *handle =
        find(&(struct search){.fallback = "cblas_only", .expected = "cblas_only"}, &blas, &capture);
    blas.sgemm("X", "N", &two, &two, &two, &one, x, &two, x, &two, &one, x, &two, 1, 1);
    assert_int_equal(stub_counter(handle, "stub_bad_calls"), 1);
    dlclose(handle);
    handle = find(&(struct search){.fallback = "fortran_only", .expected = "fortran_only"}, &blas, &capture);
    blas.cblas_sgemm(102, 110, 111, 2, 2, 2, 1, x, 2, x, 2, 1, x, 2);
    assert_int_equal(stub_counter(handle, "stub_bad_calls"), 1);
    xerbla_argument = 0;
    blas.cblas_sgemm(100, 111, 111, 2, 2, 2, 1, x, 2, x, 2, 1, x, 2);
    assert_int_equal(xerbla_argument, 1);
    dlclose(handle);
}

/* A cblas_sgemm that calls whatever sgemm_ the process has, which is the one composed of it. */
static void a_circle_ends(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    void *handle = find(&(struct search){.fallback = "loops", .expected = "loops"}, &blas, &capture);
    lava_sgemm **global = dlsym(handle, "stub_global_sgemm");
    assert_non_null(global);
    *global = blas.sgemm;
    struct product product = make(20, 20, 20, 0, 1, 0);
    int size = 20, lda = 22, ldb = 21, ldc = 23;
    const float one = 1, zero = 0;
    blas.sgemm("N", "N", &size, &size, &size, &one, product.a, &lda, product.b, &ldb, &zero, product.c, &ldc,
               1, 1);
    check_and_free(&product);
    assert_int_equal(stub_counter(handle, "stub_cblas_calls"), 1);
    dlclose(handle);
}

static void products_in_pieces(void **state) {
    static const int64_t pieces[] = {1, 3, 16, 1000};
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    void *handle = find(&(struct search){.fallback = "lp64", .expected = "lp64"}, &blas, &capture);
    for (size_t s = 0; s < 5; s++)
        for (int ops = 0; ops < 4; ops++)
            for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
                struct product product = make(sizes[s][0], sizes[s][1], sizes[s][2], ops, 2, i & 1 ? 0 : -1);
                lava_run_pieces(&blas, &product.problem, pieces[i], INT_MAX);
                check_and_free(&product);
            }
    struct product scaled = make(5, 4, 0, 0, 1, 2);
    lava_cpu_blas_run(&blas, &scaled.problem);
    check_and_free(&scaled);
    int calls = stub_counter(handle, "stub_sgemm_calls");
    /* a leading dimension too large, each in turn: the loop */
    static const struct {
        int64_t m, n, k, largest_ld;
        int ops;
    } large[] = {{5, 5, 30, 31, 1}, {5, 5, 30, 30, 0}, {20, 5, 5, 22, 2}};
    for (int i = 0; i < 3; i++) {
        struct product product = make(large[i].m, large[i].n, large[i].k, large[i].ops, 2, -1);
        lava_run_pieces(&blas, &product.problem, 1000, large[i].largest_ld);
        check_and_free(&product);
    }
    assert_int_equal(stub_counter(handle, "stub_sgemm_calls"), calls);
    dlclose(handle);
}

static void loop_complains_as_the_reference_does(void **state) {
    static const struct {
        char transa, transb;
        int m, n, k, lda, ldb, ldc, number;
    } cases[] = {
        {'X', 'Y', -1, 2, 2, 2, 2, 2, 1}, {'N', 'R', 2, 2, 2, 2, 2, 2, 2},  {'N', 'N', -1, -1, 2, 2, 2, 2, 3},
        {'N', 'N', 2, -1, 2, 2, 2, 2, 4}, {'N', 'N', 2, 2, -1, 2, 2, 2, 5}, {'N', 'N', 3, 2, 2, 2, 2, 3, 8},
        {'t', 'N', 2, 2, 3, 2, 3, 2, 8},  {'N', 'N', 2, 2, 3, 2, 2, 2, 10}, {'N', 'c', 2, 3, 2, 2, 2, 2, 10},
        {'N', 'N', 2, 2, 2, 2, 2, 1, 13}, {'N', 'N', 0, 0, 0, 1, 1, 0, 13}, {'N', 'N', 0, 0, 0, 1, 1, 1, 0},
    };
    float x[16] = {0}, c[16] = {1, 2, 3, 4}, one = 1;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        xerbla_argument = 0;
        lava_reference_sgemm(&cases[i].transa, &cases[i].transb, &cases[i].m, &cases[i].n, &cases[i].k, &one,
                             x, &cases[i].lda, x, &cases[i].ldb, &one, c, &cases[i].ldc, 1, 1);
        assert_int_equal(xerbla_argument, cases[i].number);
        if (cases[i].number)
            assert_string_equal(xerbla_routine, "SGEMM ");
    }
    xerbla_argument = 0;
    lava_reference_cblas_sgemm(101, 111, 111, 2, 3, 2, 1, x, 1, x, 3, 1, c, 3);
    assert_int_equal(xerbla_argument, 9);
    lava_reference_cblas_sgemm(101, 111, 111, 3, 3, 2, 1, x, 2, x, 1, 1, c, 3);
    assert_int_equal(xerbla_argument, 11);
    lava_reference_cblas_sgemm(101, 111, 112, 2, 3, 2, 1, x, 2, x, 2, 1, c, 2);
    assert_int_equal(xerbla_argument, 14);
    lava_reference_cblas_sgemm(102, 111, 114, 2, 3, 2, 1, x, 2, x, 2, 1, c, 2);
    assert_int_equal(xerbla_argument, 3);
    assert_string_equal(xerbla_routine, "cblas_sgemm");
    lava_reference_cblas_sgemm(0, 111, 114, 2, 3, 2, 1, x, 2, x, 2, 1, c, 2);
    assert_int_equal(xerbla_argument, 1);
    assert_true(c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches),
        cmocka_unit_test(requested_library),
        cmocka_unit_test(complaints_say_why),
        cmocka_unit_test(pointers_are_the_library_s),
        cmocka_unit_test(half_precision_where_there_is_some),
        cmocka_unit_test(built_in_loop),
        cmocka_unit_test(nan_and_zero_propagate),
        cmocka_unit_test(entry_points_of_every_kind),
        cmocka_unit_test(composed_calls_pass_invalid_arguments_on),
        cmocka_unit_test(a_circle_ends),
        cmocka_unit_test(products_in_pieces),
        cmocka_unit_test(loop_complains_as_the_reference_does),
    };
    if (count < 2) {
        fprintf(stderr, "usage: %s FOLDER_OF_STUBS\n", arguments[0]);
        return 2;
    }
    stub_folder = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
