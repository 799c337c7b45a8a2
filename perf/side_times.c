/* Times calls of many routines of one BLAS and LAPACK, each briefly: one side of what perf/crossover
 * compares.
 *
 *   side_times --library PATH [--seconds S] [--max-seconds S] [--budget S] < CALLS
 *
 * CALLS has one call in each line, in the words of `lavablas explain`: dpotrf L 4096. Prints
 * "call,best_us,median_us,calls,place,reason" for each, flushed; place and reason come from LavaBLAS.
 *
 * Matrices are in Fortran's order. What a call overwrites is copied back before each, which is not timed. The
 * first call is not timed, unless it takes longer than --max-seconds: then it is the only one. If --budget
 * is used up, the calls that remain are left out, with a line on stderr.
 *
 * A process times only one library (sweep.c says why). */
#include <dlfcn.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "library.h"
#include "side_call.h"

#define MOST_WORDS    8
#define MOST_SAMPLES  1000
#define LEAST_SAMPLES 3
#define WARM_SECONDS  0.02
#define WORK_COLUMNS  64
#define COUNT(array)  (sizeof(array) / sizeof(array)[0])

static const double one_fp64[2] = {1, 0}, zero_fp64[2] = {0, 0};
static const float one_fp32[2] = {1, 0}, zero_fp32[2] = {0, 0};

static const void *one(const struct call *x) {
    return x->is_single ? (const void *)one_fp32 : one_fp64;
}

static const void *zero(const struct call *x) {
    return x->is_single ? (const void *)zero_fp32 : zero_fp64;
}

typedef void gemm_function(const char *, const char *, integer *, integer *, integer *, const void *,
                           const void *, integer *, const void *, integer *, const void *, void *, integer *,
                           size_t, size_t);
typedef void strided_function(const char *, const char *, integer *, integer *, integer *, const void *,
                              const void *, integer *, integer *, const void *, integer *, integer *,
                              const void *, void *, integer *, integer *, integer *, size_t, size_t);
typedef void potrs_function(const char *, integer *, integer *, void *, integer *, void *, integer *,
                            int64_t *, size_t);
typedef void getrs_function(const char *, integer *, integer *, const void *, integer *, const int64_t *,
                            void *, integer *, int64_t *, size_t);
typedef void gesv_function(integer *, integer *, void *, integer *, int64_t *, void *, integer *, int64_t *);
typedef void gels_function(const char *, integer *, integer *, integer *, void *, integer *, void *,
                           integer *, void *, integer *, int64_t *, size_t);

static int64_t lda_of(const struct call *x) {
    return x->letters[0][0] == 'N' ? x->m : x->k;
}

static int64_t ldb_of(const struct call *x) {
    return x->letters[1][0] == 'N' ? x->k : x->n;
}

static void call_gemm(struct call *x) {
    const int64_t lda = lda_of(x), ldb = ldb_of(x);
    ((gemm_function *)x->routine)(x->letters[0], x->letters[1], &x->m, &x->n, &x->k, one(x), x->general, &lda,
                                  x->second, &ldb, zero(x), x->c, &x->m, 1, 1);
}

/* Without such a routine it is the products one by one. */
static void call_batch(struct call *x) {
    const int64_t lda = lda_of(x), ldb = ldb_of(x), a = x->m * x->k, b = x->k * x->n, c = x->m * x->n;
    if (!x->is_loop)
        ((strided_function *)x->routine)(x->letters[0], x->letters[1], &x->m, &x->n, &x->k, one(x),
                                         x->general, &lda, &a, x->second, &ldb, &b, zero(x), x->c, &x->m, &c,
                                         &x->other, 1, 1);
    for (int64_t i = 0; x->is_loop && i < x->other; i++)
        ((gemm_function *)x->routine)(x->letters[0], x->letters[1], &x->m, &x->n, &x->k, one(x),
                                      (char *)x->general + (size_t)(i * a) * x->element, &lda,
                                      (char *)x->second + (size_t)(i * b) * x->element, &ldb, zero(x),
                                      (char *)x->c + (size_t)(i * c) * x->element, &x->m, 1, 1);
}

static void call_syrk(struct call *x) {
    const int64_t lda = x->letters[1][0] == 'N' ? x->n : x->k;
    ((lava_fortran_syrk *)x->routine)(x->letters[0], x->letters[1], &x->n, &x->k, one(x), x->general, &lda,
                                      zero(x), x->c, &x->n, 1, 1);
}

static void call_syr2k(struct call *x) {
    const int64_t lda = x->letters[1][0] == 'N' ? x->n : x->k;
    ((lava_fortran_two *)x->routine)(x->letters[0], x->letters[1], &x->n, &x->k, one(x), x->general, &lda,
                                     x->second, &lda, zero(x), x->c, &x->n, 1, 1);
}

static void call_symm(struct call *x) {
    ((lava_fortran_two *)x->routine)(x->letters[0], x->letters[1], &x->m, &x->n, one(x), x->factor, &x->k,
                                     x->second, &x->m, zero(x), x->c, &x->m, 1, 1);
}

static void call_triangle(struct call *x) {
    ((lava_fortran_triangle *)x->routine)(x->letters[0], x->letters[1], x->letters[2], x->letters[3], &x->m,
                                          &x->n, one(x), x->factor, &x->k, x->c, &x->m, 1, 1, 1, 1);
}

static void call_potrf(struct call *x) { /* ?potri too */
    int64_t info = 0;
    ((lava_fortran_potrf *)x->routine)(x->letters[0], &x->n, x->c, &x->n, &info, 1);
}

static void call_getrf(struct call *x) {
    int64_t info = 0;
    ((lava_fortran_getrf *)x->routine)(&x->m, &x->n, x->c, &x->m, x->pivots, &info);
}

static void call_geqrf(struct call *x) {
    const int64_t work_elements = WORK_COLUMNS * x->n;
    int64_t info = 0;
    ((lava_fortran_geqrf *)x->routine)(&x->m, &x->n, x->c, &x->m, x->second, x->work, &work_elements, &info);
}

static void call_potrs(struct call *x) {
    int64_t info = 0;
    ((potrs_function *)x->routine)(x->letters[0], &x->n, &x->other, x->factor, &x->n, x->c, &x->n, &info, 1);
}

static void call_posv(struct call *x) {
    int64_t info = 0;
    ((potrs_function *)x->routine)(x->letters[0], &x->n, &x->other, x->c, &x->n, x->sides, &x->n, &info, 1);
}

static void call_getrs(struct call *x) {
    int64_t info = 0;
    ((getrs_function *)x->routine)(x->letters[0], &x->n, &x->other, x->factor, &x->n, x->pivots, x->c, &x->n,
                                   &info, 1);
}

static void call_gesv(struct call *x) {
    int64_t info = 0;
    ((gesv_function *)x->routine)(&x->n, &x->other, x->c, &x->n, x->pivots, x->sides, &x->n, &info);
}

static void call_getri(struct call *x) {
    const int64_t work_elements = WORK_COLUMNS * x->n;
    int64_t info = 0;
    ((lava_fortran_getri *)x->routine)(&x->n, x->c, &x->n, x->pivots, x->work, &work_elements, &info);
}

static void call_gels(struct call *x) {
    const int64_t largest = x->m > x->n ? x->m : x->n, work_elements = WORK_COLUMNS * largest;
    int64_t info = 0;
    ((gels_function *)x->routine)(x->letters[0], &x->m, &x->n, &x->other, x->c, &x->m, x->sides, &largest,
                                  x->work, &work_elements, &info, 1);
}

static const struct family families[] = {
    {"gemm", 2, "mnk", SOURCE_NONE, call_gemm},
    {"gemm_batch_strided", 2, "mnko", SOURCE_NONE, call_batch},
    {"syrk", 2, "nk", SOURCE_NONE, call_syrk},
    {"syr2k", 2, "nk", SOURCE_NONE, call_syr2k},
    {"symm", 2, "mn", SOURCE_NONE, call_symm},
    {"trmm", 4, "mn", SOURCE_GENERAL, call_triangle},
    {"trsm", 4, "mn", SOURCE_GENERAL, call_triangle},
    {"potrf", 1, "n", SOURCE_FACTOR, call_potrf},
    {"potri", 1, "n", SOURCE_FACTOR, call_potrf},
    {"getrf", 0, "mn", SOURCE_GENERAL, call_getrf},
    {"geqrf", 0, "mn", SOURCE_GENERAL, call_geqrf},
    {"potrs", 1, "no", SOURCE_GENERAL, call_potrs},
    {"posv", 1, "no", SOURCE_FACTOR, call_posv},
    {"getrs", 1, "no", SOURCE_GENERAL, call_getrs},
    {"gesv", 0, "no", SOURCE_GENERAL, call_gesv},
    {"getri", 0, "n", SOURCE_FACTOR, call_getri},
    {"gels", 1, "mno", SOURCE_GENERAL, call_gels},
};

static bool is_family(const struct call *x, const char *name) {
    return strcmp(x->family->name, name) == 0;
}

/* The words of a line. Sizes that a call has not are those of the others. */
static bool parse(char *line, struct call *x) {
    char *words[MOST_WORDS], *rest = line;
    int count = 0;
    for (char *word; count < MOST_WORDS && (word = strsep(&rest, " ")) && *word;)
        words[count++] = word;
    for (size_t i = 0; count > 0 && i < COUNT(families); i++)
        if (strchr("sdcz", words[0][0]) && strcmp(words[0] + 1, families[i].name) == 0)
            x->family = &families[i];
    if (count > 0 && !x->family && strchr("sdcz", words[0][0]))
        x->family = side_values_find(words[0] + 1);
    if (!x->family || count != 1 + x->family->letters + (int)strlen(x->family->sizes))
        return false;
    for (int i = 0; i < x->family->letters; i++)
        x->letters[i][0] = words[1 + i][0];
    for (int i = 0; x->family->sizes[i]; i++) {
        int64_t size = strtoll(words[1 + x->family->letters + i], NULL, 10);
        char name = x->family->sizes[i];
        *(name == 'm' ? &x->m : name == 'n' ? &x->n : name == 'k' ? &x->k : &x->other) = size;
        if (size < 1 || size > INT32_MAX)
            return false;
    }
    x->m = x->m ? x->m : x->n;
    if (!x->k) /* the order of the square matrix */
        x->k = x->letters[0][0] == 'R' ? x->n : x->m;
    x->is_single = words[0][0] == 's' || words[0][0] == 'c';
    x->is_complex = words[0][0] == 'c' || words[0][0] == 'z';
    x->element = (x->is_single ? 4u : 8u) * (x->is_complex ? 2u : 1u);
    return true;
}

/* Finds the routine under the first of Fortran's names that the library has. */
static bool find_routine(const struct blas *blas, const char *name, struct call *x) {
    static const struct {
        const char *prefix, *suffix;
        bool is_wide;
    } forms[] = {{"", "_", false}, {"scipy_", "_", false}, {"", "_64_", true}, {"scipy_", "_64_", true}};
    char full[160];
    for (size_t i = 0; i < COUNT(forms); i++) {
        snprintf(full, sizeof full, "%s%s%s", forms[i].prefix, name, forms[i].suffix);
        void *found = dlsym(blas->handle, full);
        if (!found)
            continue;
        memcpy(&x->routine, &found, sizeof found);
        x->is_wide = forms[i].is_wide;
        return true;
    }
    return false;
}

/* Elements between -1 and 1. In a factor they are divided by the order, and the diagonal is 2: it is well
 * conditioned as a triangle, as L and U, and as a positive definite matrix. */
static void *fill(const struct call *x, int64_t elements, int64_t order) {
    const int64_t parts = x->is_complex ? 2 : 1, step = parts * (order + 1);
    void *matrix = malloc((size_t)elements * x->element);
    uint64_t state = (uint64_t)elements;
    for (int64_t i = 0; matrix && i < elements * parts; i++) {
        double value = lava_random_signed(&state);
        if (order)
            value = i % step == 0 ? 2 : parts == 2 && i % step == 1 ? 0 : value / (double)order;
        if (x->is_single)
            ((float *)matrix)[i] = (float)value;
        else
            ((double *)matrix)[i] = value;
    }
    return matrix;
}

static int64_t largest_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Returns false if there is no memory. */
static bool place(struct call *x) {
    const int64_t count = is_family(x, "gemm_batch_strided") ? x->other : 1;
    const int64_t largest = largest_of(x->m, x->n), sides = count > 1 ? 1 : largest_of(x->other, 1);
    const bool solves = is_family(x, "potrs") || is_family(x, "getrs");
    const bool has_factor = x->family->source == SOURCE_FACTOR || solves || x->family->call == call_symm ||
                            x->family->call == call_triangle || side_values_has_factor(x);
    const int64_t c_columns = solves ? x->other : x->n + side_values_columns(x);
    const bool has_product = x->family->source == SOURCE_NONE;
    x->c_bytes = (size_t)(x->m * c_columns * count) * x->element;
    x->factor = has_factor ? fill(x, x->k * x->k, x->k) : NULL;
    x->general = x->family->source == SOURCE_FACTOR ? NULL
                 : has_product                      ? fill(x, largest_of(x->m * x->k, x->n * x->k) * count, 0)
                                                    : fill(x, x->m * c_columns, 0);
    x->second = fill(x, has_product ? largest_of(x->k * x->n, x->m * x->n) * count : largest, 0);
    x->c = malloc(x->c_bytes);
    x->sides = fill(x, largest * sides, 0);
    x->work = malloc((size_t)(WORK_COLUMNS * largest) * x->element);
    x->pivots = malloc((size_t)largest * sizeof *x->pivots);
    for (int64_t i = 0; x->pivots && i < largest; i++)
        if (x->is_wide)
            x->pivots[i] = i + 1;
        else
            ((int32_t *)x->pivots)[i] = (int32_t)(i + 1);
    x->source = x->family->source == SOURCE_FACTOR    ? x->factor
                : x->family->source == SOURCE_GENERAL ? x->general
                                                      : NULL;
    bool complete = x->c && x->second && x->sides && x->work && x->pivots && (x->factor || !has_factor) &&
                    (x->general || x->family->source == SOURCE_FACTOR);
    if (!complete)
        return false;
    memset(x->c, 0, x->c_bytes);
    if (side_values_has_factor(x))
        memcpy((char *)x->general + (size_t)(x->n * x->n) * x->element, x->factor,
               (size_t)(x->n * x->n) * x->element);
    return side_values_place(x);
}

static void finish(struct call *x) {
    side_values_free(x);
    free(x->factor);
    free(x->general);
    free(x->second);
    free(x->c);
    free(x->sides);
    free(x->work);
    free(x->pivots);
}

static double time_call(struct call *x) {
    if (x->source)
        memcpy(x->c, x->source, x->c_bytes);
    double start = library_now();
    x->family->call(x);
    return library_now() - start;
}

static int compare_doubles(const void *left, const void *right) {
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static void time_and_print(const struct blas *blas, const char *words, struct call *x, double seconds,
                           double max_seconds) {
    static double samples[MOST_SAMPLES];
    struct lavablas_call last = {.size = sizeof last};
    double start = library_now();
    int taken = 0;
    samples[taken++] = time_call(x);
    if (samples[0] > max_seconds && blas->wait) /* the device's kernels were prepared meanwhile */
        samples[0] = time_call(x);
    if (samples[0] <= max_seconds) {
        while (library_now() - start < WARM_SECONDS)
            time_call(x);
        start = library_now();
        for (taken = 0; taken < MOST_SAMPLES && (taken < LEAST_SAMPLES ? library_now() - start < max_seconds
                                                                       : library_now() - start < seconds);)
            samples[taken++] = time_call(x);
    }
    qsort(samples, (size_t)taken, sizeof *samples, compare_doubles);
    bool seen = blas->last_call && blas->last_call(&last) == 0;
    printf("%s,%.3f,%.3f,%d,%s,%s\n", words, samples[0] * 1e6, samples[taken / 2] * 1e6, taken,
           seen ? last.place : "-", seen ? last.reason : "");
    fflush(stdout);
}

static bool run_line(const struct blas *blas, char *line, double seconds, double max_seconds) {
    struct call call = {0};
    char words[128], product[8] = {line[0], 'g', 'e', 'm', 'm', 0};
    snprintf(words, sizeof words, "%s", line);
    if (!parse(line, &call)) {
        fprintf(stderr, "not a call: %s\n", words);
        return false;
    }
    if (!find_routine(blas, line, &call)) {
        call.is_loop = is_family(&call, "gemm_batch_strided") && find_routine(blas, product, &call);
        if (!call.is_loop) {
            fprintf(stderr, "%s: left out: %s has no such routine\n", words, blas->path);
            return true;
        }
    }
    if (place(&call))
        time_and_print(blas, words, &call, seconds, max_seconds);
    else
        fprintf(stderr, "%s: left out: no memory\n", words);
    finish(&call);
    return true;
}

int main(int count, char **arguments) {
    static const struct option known[] = {{"library", required_argument, NULL, 'l'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"max-seconds", required_argument, NULL, 'm'},
                                          {"budget", required_argument, NULL, 'b'},
                                          {NULL, 0, NULL, 0}};
    const char *path = NULL, *why = "";
    double seconds = 0.03, max_seconds = 1, budget = 1e9;
    char line[128];
    struct blas blas;
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        if (option == 'l')
            path = optarg;
        else if (option == 's')
            seconds = atof(optarg);
        else if (option == 'm')
            max_seconds = atof(optarg);
        else if (option == 'b')
            budget = atof(optarg);
        else
            path = "";
    }
    if (!path || !*path || optind != count) {
        fprintf(stderr,
                "usage: side_times --library PATH [--seconds S] [--max-seconds S] [--budget S] < CALLS\n");
        return 2;
    }
    if (!library_open(&blas, path))
        return 1;
    if (blas.wait && blas.wait(&why))
        fprintf(stderr, "%s uses the CPU: %s\n", path, why);
    printf("call,best_us,median_us,calls,place,reason\n");
    double start = library_now();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (library_now() - start > budget)
            fprintf(stderr, "%s: left out: no time\n", line);
        else if (line[0] && !run_line(&blas, line, seconds, max_seconds))
            return 1;
    }
    return 0;
}
