/* Products on the CPU, each type compared with its definition in long double: with all names and integer
 * types a CPU BLAS may have, split, and by the built-in loop. The folder of the stubs is the first
 * argument. */
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

#include "lib/host/cpu_blas.h"
#include "lib/host/find.h"
#include "lib/host/reference_blas.h"
#include "tests/library/capture.h"
#include "tests/library/naive.h"
#include "tests/library/stub_names.h"

static const char *stub_folder;

/* Opens the stub as the CPU BLAS; NULL: none. */
static void *open_blas(const char *stub, struct lava_cpu_blas *blas) {
    static const char *const fallbacks[] = {NULL};
    struct capture capture;
    char path[4096];
    snprintf(path, sizeof path, "%s/libstub_%s.so", stub_folder, stub ? stub : "");
    const struct lava_find_sources sources = {stub ? path : NULL, fallbacks};
    capture_begin(&capture);
    void *handle = lava_find_blas(&sources, blas);
    assert_int_equal(capture_end(&capture), stub ? 0 : 1);
    assert_true((handle != NULL) == (stub != NULL));
    return handle;
}

/* An operation with its matrices, and the expected C. */
struct product {
    struct lava_operation operation;
    struct naive_product naive;
    char *a, *b, *c, *before;
    size_t c_bytes;
};

static unsigned seed;

/* Fractions, or small integers whose sums are exact in every type. */
static char *fill(enum lava_type type, int64_t elements, bool fractions) {
    char *x = malloc((size_t)(elements + 1) * lava_type_bytes(type));
    assert_non_null(x);
    for (int64_t i = 0; i < elements; i++) {
        struct naive_number value;
        seed = seed * 1664525u + 1013904223u;
        value.real = fractions ? (int)(seed >> 8) * 0x1p-23L - 1 : (int)(seed >> 24) % 5 - 2;
        seed = seed * 1664525u + 1013904223u;
        value.imaginary = fractions ? (int)(seed >> 8) * 0x1p-23L - 1 : (int)(seed >> 24) % 5 - 2;
        naive_write(type, x, i, value);
    }
    return x;
}

static char *copy_of(const char *x, size_t bytes) {
    char *copy = malloc(bytes + 1);
    assert_non_null(copy);
    memcpy(copy, x, bytes);
    return copy;
}

/* transa and transb are 'N', 'T' or 'C'. */
static struct product make(enum lava_type type, const int64_t size[3], char transa, char transb,
                           const struct naive_number factors[2], bool fractions) {
    struct product product = {0};
    bool is_complex = lava_type_is_complex(type);
    struct lava_operation *operation = &product.operation;
    const int64_t m = size[0], n = size[1], k = size[2];
    *operation = (struct lava_operation){.type = type,
                                         .c.type = type,
                                         .a.op = transa == 'N' ? LAVA_OP_N : LAVA_OP_T,
                                         .b.op = transb == 'N' ? LAVA_OP_N : LAVA_OP_T,
                                         .a.conjugate = is_complex && transa == 'C',
                                         .b.conjugate = is_complex && transb == 'C',
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .a.ld = (transa == 'N' ? m : k) + 2,
                                         .b.ld = (transb == 'N' ? k : n) + 1,
                                         .c.ld = m + 3,
                                         .alpha.real = (double)factors[0].real,
                                         .beta.real = (double)factors[1].real,
                                         .alpha.imaginary = is_complex ? (double)factors[0].imaginary : 0,
                                         .beta.imaginary = is_complex ? (double)factors[1].imaginary : 0};
    product.c_bytes = (size_t)(operation->c.ld * n) * lava_type_bytes(type);
    operation->a.first = product.a = fill(type, operation->a.ld * (transa == 'N' ? k : m), fractions);
    operation->b.first = product.b = fill(type, operation->b.ld * (transb == 'N' ? n : k), fractions);
    operation->c.first = product.c = fill(type, operation->c.ld * n, fractions);
    product.before = copy_of(product.c, product.c_bytes);
    product.naive =
        (struct naive_product){type,
                               transa,
                               transb,
                               m,
                               n,
                               k,
                               operation->a.ld,
                               operation->b.ld,
                               operation->c.ld,
                               {(long double)operation->alpha.real, (long double)operation->alpha.imaginary},
                               {(long double)operation->beta.real, (long double)operation->beta.imaginary},
                               product.a,
                               product.b,
                               product.before};
    for (int64_t j = 0; j < n && operation->beta.real == 0 && operation->beta.imaginary == 0; j++)
        for (int64_t i = 0; i < m; i++) /* must not be read */
            naive_write(type, product.c, i + j * operation->c.ld, (struct naive_number){NAN, NAN});
    return product;
}

/* A part has at most 2 k + 2 terms. Each is at most 2 |alpha| or |beta|, and is rounded as often. */
static long double bound_of(const struct product *product) {
    const struct lava_operation *p = &product->operation;
    long double unit = lava_type_real(p->type) == LAVA_TYPE_FP32 ? 0x1p-24L : 0x1p-53L;
    long double terms = 2 * (long double)p->k + 2, largest = 0;
    const double parts[] = {p->alpha.real, p->alpha.imaginary, p->beta.real, p->beta.imaginary};
    for (int i = 0; i < 4; i++)
        largest += fabsl((long double)parts[i]);
    return unit * terms * (terms + 4) * largest;
}

static void check_and_free(struct product *product, bool fractions) {
    const struct lava_operation *p = &product->operation;
    long double bound = fractions ? bound_of(product) : 0;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->c.ld; i++) {
            struct naive_number value = naive_read(p->type, product->c, i + j * p->c.ld);
            struct naive_number right = i < p->m ? naive_element(&product->naive, i, j)
                                                 : naive_read(p->type, product->before, i + j * p->c.ld);
            long double error =
                fmaxl(fabsl(value.real - right.real), fabsl(value.imaginary - right.imaginary));
            if (!(error <= (i < p->m ? bound : 0)) || isnan(value.real) || isnan(value.imaginary))
                fail_msg("%s, m %ld n %ld k %ld, %c%c: (%ld, %ld) is %Lg %+Lg i, not %Lg %+Lg i",
                         lava_type_name(p->type), (long)p->m, (long)p->n, (long)p->k, product->naive.transa,
                         product->naive.transb, (long)i, (long)j, value.real, value.imaginary, right.real,
                         right.imaginary);
        }
    free(product->a);
    free(product->b);
    free(product->c);
    free(product->before);
}

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const int64_t sizes[][3] = {{1, 1, 1},    {7, 5, 3},      {16, 16, 16}, {13, 1, 40}, {1, 13, 64},
                                   {129, 3, 65}, {130, 40, 131}, {4, 4, 0},    {0, 3, 2},   {3, 0, 2}};
#define SIZES (sizeof sizes / sizeof sizes[0])

static void built_in_loop(void **state) {
    static const struct naive_number factors[][2] = {
        {{1, 0}, {0, 0}}, {{1, 0}, {1, 0}},     {{2, 3}, {-1, 2}},    {{0, 0}, {2, -1}},
        {{0, 0}, {0, 0}}, {{-0.0L, 0}, {1, 0}}, {{1, 0}, {-0.0L, 0}}, {{0, 0.5L}, {0, 1.5L}}};
    (void)state;
    for (size_t i = 0; i < 4 * SIZES * 9 * 8 * 2; i++) {
        const int64_t *size = sizes[i / 4 % SIZES];
        size_t ops = i / 4 / SIZES % 9;
        const struct naive_number *pair = factors[i / 4 / SIZES / 9 % 8];
        bool fractions = i / 4 / SIZES / 9 / 8;
        enum lava_type type = types[i % 4];
        struct product product = make(type, size, "NTC"[ops % 3], "NTC"[ops / 3], pair, fractions);
        if (lava_operation_is_trivial(&product.operation) && size[0] && size[2]) /* must not be read */
            naive_write(type, product.a, 0, (struct naive_number){NAN, NAN});
        lava_reference_run(&product.operation);
        check_and_free(&product, fractions);
    }
}

static void nan_and_zero_propagate(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        char a[2 * 16], b[16], c[2 * 16];
        const struct lava_operation operation = {.type = types[i],
                                                 .m = 2,
                                                 .n = 1,
                                                 .k = 1,
                                                 .a.ld = 2,
                                                 .b.ld = 1,
                                                 .c.ld = 2,
                                                 .alpha.real = 1,
                                                 .beta.real = 1,
                                                 .a.first = a,
                                                 .b.first = b,
                                                 .c.first = c};
        naive_write(types[i], a, 0, (struct naive_number){NAN, 0});
        naive_write(types[i], a, 1, (struct naive_number){INFINITY, 0});
        naive_write(types[i], b, 0, (struct naive_number){0, 0});
        for (int j = 0; j < 2; j++)
            naive_write(types[i], c, j, (struct naive_number){1, 0});
        lava_reference_run(&operation);
        assert_true(isnan(naive_read(types[i], c, 0).real) && isnan(naive_read(types[i], c, 1).real));
    }
}

static int stub_counter(void *handle, const char *name) {
    const int *counter = dlsym(handle, name);
    assert_non_null(counter);
    return *counter;
}

/* Each type with every convention and integer width. */
static void products_by_every_name(void **state) {
    static const char *const stubs[] = {"names_fortran", "names_cblas", "names_numpy", "names_numpy_cblas"};
    static const struct naive_number factors[2] = {{2, -1}, {-1, 2}};
    struct lava_cpu_blas blas;
    (void)state;
    for (size_t i = 0; i < sizeof stubs / sizeof stubs[0]; i++) {
        void *handle = open_blas(stubs[i], &blas);
        const struct stub_names_call *seen = dlsym(handle, "stub_names_last");
        int *computes = dlsym(handle, "stub_names_computes");
        assert_true(seen && computes);
        *computes = 1;
        for (size_t j = 0; j < 4 * 5 * 9; j++) {
            size_t ops = j / 20;
            int calls = seen->calls;
            struct product product =
                make(types[j % 4], sizes[j / 4 % 5], "NTC"[ops % 3], "NTC"[ops / 3], factors, false);
            lava_cpu_blas_run(&blas, &product.operation);
            check_and_free(&product, false);
            assert_int_equal(seen->calls, calls + 1);
        }
        dlclose(handle);
    }
}

static void the_loop_where_there_is_nothing(void **state) {
    static const struct naive_number factors[2] = {{2, -1}, {-1, 2}};
    struct lava_cpu_blas blas;
    (void)state;
    open_blas(NULL, &blas);
    for (int i = 0; i < 4; i++) {
        struct product product = make(types[i], sizes[6], 'T', 'C', factors, false);
        lava_cpu_blas_run(&blas, &product.operation);
        check_and_free(&product, false);
    }
    assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32] == 20e9);
}

static void products_in_pieces(void **state) {
    static const int64_t pieces[] = {1, 3, 16, 1000};
    static const struct naive_number factors[2][2] = {{{2, 1}, {-1, 3}}, {{2, 1}, {0, 0}}};
    struct lava_cpu_blas blas;
    (void)state;
    void *handle = open_blas("names_fortran", &blas);
    const struct stub_names_call *seen = dlsym(handle, "stub_names_last");
    *(int *)dlsym(handle, "stub_names_computes") = 1;
    for (size_t i = 0; i < 5 * 9 * 4 * 4; i++) {
        size_t ops = i / 5 % 9, piece = i / 45 % 4;
        struct product product =
            make(types[i / 180], sizes[i % 5], "NTC"[ops % 3], "NTC"[ops / 3], factors[piece & 1], false);
        lava_cpu_gemm_pieces(&blas.gemm[product.operation.type], &product.operation, pieces[piece], INT_MAX);
        check_and_free(&product, false);
    }
    struct product scaled = make(LAVA_TYPE_FP64, (const int64_t[]){5, 4, 0}, 'N', 'N', factors[0], false);
    lava_cpu_blas_run(&blas, &scaled.operation);
    check_and_free(&scaled, false);
    int calls = seen->calls;
    /* each leading dimension in turn is too large: the loop computes */
    static const struct {
        int64_t size[3], largest_ld;
        char transa, transb;
    } large[] = {{{5, 5, 30}, 31, 'T', 'N'}, {{5, 5, 30}, 30, 'N', 'N'}, {{20, 5, 5}, 22, 'N', 'T'}};
    for (int i = 0; i < 3; i++) {
        struct product product =
            make(types[i], large[i].size, large[i].transa, large[i].transb, factors[0], false);
        lava_cpu_gemm_pieces(&blas.gemm[product.operation.type], &product.operation, 1000,
                             large[i].largest_ld);
        check_and_free(&product, false);
    }
    assert_int_equal(seen->calls, calls);
    dlclose(handle);
}

/* The library computes the types it has, the loop the others. */
static void types_that_a_library_lacks(void **state) {
    static const struct naive_number factors[2] = {{2, 1}, {-1, 3}};
    struct lava_cpu_blas blas;
    (void)state;
    void *handle = open_blas("lp64", &blas);
    for (int i = 0; i < 4; i++) {
        struct product product = make(types[i], sizes[1], 'N', 'T', factors, false);
        lava_cpu_blas_run(&blas, &product.operation);
        check_and_free(&product, false);
    }
    assert_int_equal(stub_counter(handle, "stub_sgemm_calls"), 1);
    dlclose(handle);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_loop),          cmocka_unit_test(nan_and_zero_propagate),
        cmocka_unit_test(products_by_every_name), cmocka_unit_test(the_loop_where_there_is_nothing),
        cmocka_unit_test(products_in_pieces),     cmocka_unit_test(types_that_a_library_lacks),
    };
    if (count < 2) {
        fprintf(stderr, "usage: %s FOLDER_OF_STUBS\n", arguments[0]);
        return 2;
    }
    stub_folder = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
