/* The search for the CPU BLAS and for routines by name, with stub libraries. Their folder is the first
 * argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/host/cpu_blas.h"
#include "lib/host/find.h"
#include "lib/host/reference_blas.h"
#include "tests/library/capture.h"

static const char *stub_folder;

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
    assert_ptr_equal(handle, blas->handle);
    assert_true((blas->gemm[LAVA_TYPE_FP32].function == NULL) == (search->expected == NULL));
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
    /* libraries that were not chosen are closed, the chosen one is kept */
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
        /* a library loaded RTLD_LOCAL comes before the fallbacks */
        {.loaded = {"lp64"}, .fallback = "complete", .expected = "lp64"},
        {.loaded = {"complete"}, .expected = "complete"},
        /* the first in load order, but one with both symbols before one with one */
        {.loaded = {"lp64", "complete"}, .expected = "lp64"},
        {.loaded = {"complete", "lp64"}, .expected = "complete"},
        {.loaded = {"cblas_only", "lp64"}, .expected = "lp64"},
        {.loaded = {"fortran_only", "cblas_only", "lp64"}, .expected = "lp64"},
        {.loaded = {"cblas_only", "fortran_only"}, .expected = "cblas_only"},
        {.loaded = {"fortran_only"}, .fallback = "lp64", .expected = "fortran_only"},
        /* a library that only depends on a BLAS is not kept */
        {.loaded = {"plugin"}, .expected = "lp64"},
        /* never 64-bit integers, this library, or a library that may forward to it */
        {.loaded = {"ilp64"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"ilp64", "complete"}, .expected = "complete"},
        {.loaded = {"trampoline"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"switch"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"reexport"}, .fallback = "lp64", .expected = "lp64"},
        {.loaded = {"reexport", "complete"}, .expected = "complete"},
        /* other names, if the process has only those: before the fallbacks, after plain names */
        {.loaded = {"names_numpy"}, .fallback = "lp64", .expected = "names_numpy"},
        {.loaded = {"names_numpy_cblas"}, .expected = "names_numpy_cblas"},
        {.loaded = {"names_scipy", "names_numpy"}, .expected = "names_scipy"},
        {.loaded = {"names_numpy", "complete"}, .expected = "complete"},
        {.loaded = {"names_ilp64", "cblas_only"}, .expected = "cblas_only"},
        {.loaded = {"names_ilp64", "trampoline"}, .expected = "names_ilp64"},
        {.loaded = {"ilp64", "names_scipy"}, .expected = "names_scipy"},
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
        {.loaded = {"complete"}, .requested = "names_numpy", .expected = "names_numpy"},
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

static void *address_of(lava_function *function) {
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* For each type the first of the library's names, in table order, is used. */
static void products_are_the_library_s(void **state) {
    static const struct {
        const char *stub, *names[LAVA_TYPE_COUNT];
        enum lava_convention convention;
        bool is_ilp64;
    } cases[] = {
        {"names_plain", {"sgemm_", NULL, NULL, "dgemm_", "cgemm_", "zgemm_"}, LAVA_CONVENTION_FORTRAN, false},
        {"names_cblas",
         {"cblas_sgemm", NULL, NULL, "cblas_dgemm", "cblas_cgemm", "cblas_zgemm"},
         LAVA_CONVENTION_CBLAS,
         false},
        {"names_scipy",
         {"scipy_sgemm_", NULL, NULL, "scipy_dgemm_", "scipy_cgemm_", "scipy_zgemm_"},
         LAVA_CONVENTION_FORTRAN,
         false},
        {"names_numpy",
         {"scipy_sgemm_64_", NULL, NULL, "scipy_dgemm_64_", "scipy_cgemm_64_", "scipy_zgemm_64_"},
         LAVA_CONVENTION_FORTRAN,
         true},
        {"names_numpy_cblas",
         {"scipy_cblas_sgemm64_", NULL, NULL, "scipy_cblas_dgemm64_", "scipy_cblas_cgemm64_",
          "scipy_cblas_zgemm64_"},
         LAVA_CONVENTION_CBLAS,
         true},
    };
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct search search = {.requested = cases[i].stub, .expected = cases[i].stub};
        void *handle = find(&search, &blas, &capture);
        for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
            if (lava_type_is_half((enum lava_type)type))
                continue;
            const struct lava_cpu_gemm *gemm = &blas.gemm[type];
            assert_ptr_equal(address_of(gemm->function), dlsym(handle, cases[i].names[type]));
            assert_true(gemm->convention == cases[i].convention && gemm->is_ilp64 == cases[i].is_ilp64);
        }
        assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32] >= 10e9);
        dlclose(handle);
    }
}

static void no_type_but_fp32(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    void *handle = find(&(struct search){.requested = "lp64", .expected = "lp64"}, &blas, &capture);
    assert_non_null(blas.gemm[LAVA_TYPE_FP32].function);
    assert_null(blas.gemm[LAVA_TYPE_FP64].function);
    assert_null(blas.gemm[LAVA_TYPE_CFP64].function);
    dlclose(handle);
}

/* Returns whether the routine was found in that stub; NULL: nowhere. */
static bool is_found(const struct lava_find_sources *sources, enum lava_routine routine,
                     const char *expected) {
    struct lava_cpu_blas blas;
    struct capture capture;
    Dl_info info = {.dli_fname = "nobody"};
    capture_begin(&capture);
    lava_find_blas(sources, &blas);
    capture_end(&capture);
    lava_function *function = lava_find_routine(&blas, sources->fallbacks, routine);
    if (function)
        dladdr(address_of(function), &info);
    bool right = strcmp(info.dli_fname, expected ? stub(expected) : "nobody") == 0;
    if (!right)
        fprintf(stderr, "%s is found in: %s\n", lava_routine_name(routine), info.dli_fname);
    return right && !dlerror();
}

/* Loaded libraries, the requested routine, and the library it must come from. */
static void routines_by_name(void **state) {
    static const struct {
        const char *loaded[2], *requested, *fallback;
        enum lava_routine routine;
        const char *expected; /* NULL: not found */
    } cases[] = {
        {{"names_plain"}, NULL, NULL, LAVA_ROUTINE_cblas_dgemm, "names_plain"},
        {{"names_plain"}, NULL, NULL, LAVA_ROUTINE_zgemm3m_64, "names_plain"},
        {{"names_plain"}, NULL, NULL, LAVA_ROUTINE_sgemm, "names_plain"},
        /* the first has another function of that name */
        {{"bare", "names_plain"}, NULL, NULL, LAVA_ROUTINE_sgemm, "names_plain"},
        {{"names_plain"}, NULL, NULL, LAVA_ROUTINE_scipy_dgemm_, NULL},
        {{"names_plain", "names_numpy"}, NULL, NULL, LAVA_ROUTINE_scipy_dgemm_64_, "names_numpy"},
        {{"names_numpy", "names_scipy"}, NULL, NULL, LAVA_ROUTINE_scipy_cblas_cgemm, "names_scipy"},
        {{"lp64"}, "names_plain", NULL, LAVA_ROUTINE_sgemm_, "names_plain"},
        {{"names_plain", "half"}, NULL, NULL, LAVA_ROUTINE_cblas_hgemm, "names_plain"},
        {{"lp64", "half"}, NULL, NULL, LAVA_ROUTINE_cblas_hgemm, "half"},
        {{"lp64", "names_fortran"}, NULL, NULL, LAVA_ROUTINE_dgemm_, "names_fortran"},
        {{"names_plain"}, NULL, NULL, LAVA_ROUTINE_lavablas_hgemm, NULL},
        /* only plain names come from the fallbacks, if the CPU BLAS has none and was not requested */
        {{"names_numpy"}, NULL, "lp64", LAVA_ROUTINE_cblas_sgemm, "lp64"},
        {{"names_numpy"}, NULL, "lp64", LAVA_ROUTINE_dgemm_, NULL},
        {{"names_numpy"}, NULL, "names_ilp64", LAVA_ROUTINE_sgemm_64_, NULL},
        {{NULL}, "names_numpy", "lp64", LAVA_ROUTINE_sgemm_, NULL},
        {{"cblas_only"}, NULL, "lp64", LAVA_ROUTINE_sgemm_, NULL},
        /* never 64-bit integers behind a plain name, nor a library that may forward to this one */
        {{"ilp64", "names_numpy"}, NULL, NULL, LAVA_ROUTINE_sgemm_, NULL},
        {{"trampoline", "switch"}, NULL, NULL, LAVA_ROUTINE_cblas_sgemm, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *fallbacks[] = {cases[i].fallback ? stub(cases[i].fallback) : NULL, NULL};
        const struct lava_find_sources sources = {cases[i].requested ? stub(cases[i].requested) : NULL,
                                                  fallbacks};
        void *loaded[2] = {NULL};
        for (int j = 0; j < 2 && cases[i].loaded[j]; j++) {
            loaded[j] = dlopen(stub(cases[i].loaded[j]), RTLD_NOW | RTLD_LOCAL);
            assert_non_null(loaded[j]);
        }
        /* each case runs in its own process, because libraries stay loaded */
        pid_t child = fork();
        if (child == 0)
            _exit(is_found(&sources, cases[i].routine, cases[i].expected) ? 0 : 1);
        int status = -1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        for (int j = 0; j < 2 && loaded[j]; j++)
            dlclose(loaded[j]);
    }
}

/* Half precision: whether the chosen library has such routines, not one that was rejected. */
static void half_precision_where_there_is_some(void **state) {
    struct lava_cpu_blas blas;
    struct capture capture;
    (void)state;
    void *handle = find(&(struct search){.requested = "half", .expected = "half"}, &blas, &capture);
    double rate = lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32];
    assert_true(blas.has_half[LAVA_TYPE_FP16] && blas.has_half[LAVA_TYPE_BF16]);
    assert_true(lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_BF16] >= rate);
    void *other = find(&(struct search){.requested = "lp64", .expected = "lp64"}, &blas, &capture);
    assert_true(!blas.has_half[LAVA_TYPE_FP16] && !blas.has_half[LAVA_TYPE_BF16]);
    rate = lava_cpu_blas_figures(&blas).flops_per_s[LAVA_TYPE_FP32];
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++) {
        double share = lava_cpu_blas_figures(&blas).flops_per_s[type] / rate;
        assert_true(share > 0.5 && share < 1);
    }
    dlclose(other);
    dlclose(handle);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches),
        cmocka_unit_test(requested_library),
        cmocka_unit_test(complaints_say_why),
        cmocka_unit_test(products_are_the_library_s),
        cmocka_unit_test(no_type_but_fp32),
        cmocka_unit_test(routines_by_name),
        cmocka_unit_test(half_precision_where_there_is_some),
    };
    if (count < 2) {
        fprintf(stderr, "usage: %s FOLDER_OF_STUBS\n", arguments[0]);
        return 2;
    }
    stub_folder = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
