/* Times products of one matrix with vectors, host to host, as programs call them. Run by hand.
 *
 *   vector_calls [--library PATH]... [--routine cblas_dgemv] [--trans] [--seconds S] [--warm N] [--rewrite] N
 * ...
 *
 * Routines: cblas_?gemv, and cblas_?symv or cblas_?hemv. PATH is as for bench; several libraries alternate,
 * each for so many seconds for a size. The matrix is N x N and stays the same; --rewrite: one of its elements
 * is written before each call. N calls come first that are not timed (20), in which a library may keep the
 * matrix elsewhere. Prints the best and the median of a call, the bytes of the matrix that is read for each
 * second, and where the last call ran. The first result of each library, and the last, are compared with sums
 * in a wider type; a wrong one is FAIL, and the program exits with 1. */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "library.h"

#define LIBRARIES_MAX  4
#define SAMPLES_MAX    100000
#define SAMPLE_SECONDS 2e-6 /* several short calls are one sample */
#define TURNS          5

enum { COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, UPPER = 121 };

typedef void sgemv(int layout, int trans, int m, int n, float alpha, const void *a, int lda, const void *x,
                   int incx, float beta, void *y, int incy);
typedef void dgemv(int layout, int trans, int m, int n, double alpha, const void *a, int lda, const void *x,
                   int incx, double beta, void *y, int incy);
typedef void zgemv(int layout, int trans, int m, int n, const void *alpha, const void *a, int lda,
                   const void *x, int incx, const void *beta, void *y, int incy);
typedef void ssymv(int layout, int uplo, int n, float alpha, const void *a, int lda, const void *x, int incx,
                   float beta, void *y, int incy);
typedef void dsymv(int layout, int uplo, int n, double alpha, const void *a, int lda, const void *x, int incx,
                   double beta, void *y, int incy);
typedef void zhemv(int layout, int uplo, int n, const void *alpha, const void *a, int lda, const void *x,
                   int incx, const void *beta, void *y, int incy);

struct vectors {
    char type; /* s, d, c or z */
    bool is_structured, rewrites;
    int trans, n, warm;
    void *a, *x, *y;
};

struct side {
    struct blas blas;
    union {
        void *any;
        sgemv *sgemv;
        dgemv *dgemv;
        zgemv *zgemv;
        ssymv *ssymv;
        dsymv *dsymv;
        zhemv *zhemv;
    } routine;
    double *samples;
    int count;
    long calls; /* of a sample */
    bool wrong;
};

static bool is_double(const struct vectors *v) {
    return v->type == 'd' || v->type == 'z';
}

static size_t parts_of(const struct vectors *v) {
    return v->type == 'c' || v->type == 'z' ? 2 : 1;
}

static size_t bytes_of(const struct vectors *v) {
    return parts_of(v) * (is_double(v) ? sizeof(double) : sizeof(float));
}

static double part_at(const struct vectors *v, const void *numbers, size_t index) {
    return is_double(v) ? ((const double *)numbers)[index] : (double)((const float *)numbers)[index];
}

static void *new_numbers(const struct vectors *v, size_t count, uint64_t seed) {
    void *numbers = malloc(count * bytes_of(v));
    if (!numbers) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    for (size_t i = 0; i < count * parts_of(v); i++) {
        double value = lava_random_signed(&seed);
        if (is_double(v))
            ((double *)numbers)[i] = value;
        else
            ((float *)numbers)[i] = (float)value;
    }
    return numbers;
}

static void call(const struct side *side, const struct vectors *v) {
    static const float one_c[2] = {1, 0}, zero_c[2] = {0, 0};
    static const double one_z[2] = {1, 0}, zero_z[2] = {0, 0};
    const void *one = v->type == 'c' ? (const void *)one_c : one_z;
    const void *zero = v->type == 'c' ? (const void *)zero_c : zero_z;
    int n = v->n;
    if (v->is_structured && v->type == 's')
        side->routine.ssymv(COLUMN_MAJOR, UPPER, n, 1, v->a, n, v->x, 1, 0, v->y, 1);
    else if (v->is_structured && v->type == 'd')
        side->routine.dsymv(COLUMN_MAJOR, UPPER, n, 1, v->a, n, v->x, 1, 0, v->y, 1);
    else if (v->is_structured)
        side->routine.zhemv(COLUMN_MAJOR, UPPER, n, one, v->a, n, v->x, 1, zero, v->y, 1);
    else if (v->type == 's')
        side->routine.sgemv(COLUMN_MAJOR, v->trans, n, n, 1, v->a, n, v->x, 1, 0, v->y, 1);
    else if (v->type == 'd')
        side->routine.dgemv(COLUMN_MAJOR, v->trans, n, n, 1, v->a, n, v->x, 1, 0, v->y, 1);
    else
        side->routine.zgemv(COLUMN_MAJOR, v->trans, n, n, one, v->a, n, v->x, 1, zero, v->y, 1);
}

/* Part p of the stored element (i, j), or of the one in its place: of a Hermitian diagonal 0 for p = 1. */
static double element(const struct vectors *v, size_t i, size_t j, size_t p) {
    bool is_turned = v->is_structured ? i > j : v->trans == TRANS;
    size_t n = (size_t)v->n, at = is_turned ? j + i * n : i + j * n;
    double value = part_at(v, v->a, at * parts_of(v) + p);
    if (v->is_structured && p == 1)
        return i == j ? 0 : is_turned ? -value : value;
    return value;
}

static bool is_right(const struct vectors *v) {
    size_t n = (size_t)v->n, parts = parts_of(v), step = n / 64 + 1;
    for (size_t i = 0; i < n; i += step) {
        long double sums[2] = {0, 0}, bound = 0;
        for (size_t j = 0; j < n; j++)
            for (size_t p = 0; p < parts; p++)
                for (size_t q = 0; q < parts; q++) {
                    long double term =
                        (long double)element(v, i, j, p) * (long double)part_at(v, v->x, j * parts + q);
                    sums[(p + q) % 2] += p && q ? -term : term;
                    bound += fabsl(term);
                }
        for (size_t p = 0; p < parts; p++) {
            double error = fabs(part_at(v, v->y, i * parts + p) - (double)sums[p]);
            if (!(error <= (double)(n + 2) * (is_double(v) ? 0x1p-53 : 0x1p-24) * (double)bound))
                return false;
        }
    }
    return true;
}

/* A write that changes nothing, but that the kernel sees. */
static void touch(const struct vectors *v) {
    volatile char *byte = v->a;
    if (v->rewrites)
        *byte = *byte;
}

static double time_sample(const struct side *side, const struct vectors *v) {
    double begin = library_now();
    for (long i = 0; i < side->calls; i++) {
        touch(v);
        call(side, v);
    }
    return (library_now() - begin) / (double)side->calls;
}

static void check(struct side *side, const struct vectors *v) {
    memset(v->y, 0xff, (size_t)v->n * bytes_of(v));
    call(side, v);
    side->wrong = side->wrong || !is_right(v);
}

static void prepare(struct side *side, const struct vectors *v) {
    side->count = 0;
    side->calls = 1;
    side->wrong = false;
    check(side, v);
    for (int i = 0; i < v->warm; i++)
        call(side, v);
    while (time_sample(side, v) * (double)side->calls < SAMPLE_SECONDS)
        side->calls *= 2;
}

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void print(struct side *side, const struct vectors *v) {
    struct lavablas_call last = {.size = sizeof last};
    double elements = (double)v->n * (double)v->n * (v->is_structured ? 0.5 : 1);
    check(side, v);
    bool knows = side->blas.last_call && side->blas.last_call(&last) == 0;
    qsort(side->samples, (size_t)side->count, sizeof *side->samples, by_value);
    double median = side->samples[side->count / 2];
    printf("%6d %12.4f us best %12.4f median %8.1f GB/s  %s %s %s\n", v->n, 1e6 * side->samples[0],
           1e6 * median, 1e-9 * elements * (double)bytes_of(v) / median, side->blas.path,
           knows ? last.place : "", side->wrong ? "FAIL" : "ok");
    fflush(stdout);
}

static bool measure(struct side *sides, int count, struct vectors *v, double seconds) {
    bool right = true;
    size_t n = (size_t)v->n;
    v->a = new_numbers(v, n * n, 1);
    v->x = new_numbers(v, n, 2);
    v->y = new_numbers(v, n, 3);
    for (int i = 0; i < count; i++)
        prepare(&sides[i], v);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < count; i++) {
            struct side *side = &sides[i];
            double end = library_now() + seconds / TURNS;
            do
                if (side->count < SAMPLES_MAX)
                    side->samples[side->count++] = time_sample(side, v);
            while (library_now() < end);
        }
    for (int i = 0; i < count; i++) {
        print(&sides[i], v);
        right = right && !sides[i].wrong;
    }
    free(v->a);
    free(v->x);
    free(v->y);
    return right;
}

static bool open_side(struct side *side, const char *path, const char *routine) {
    const char *why = "";
    if (!library_open(&side->blas, strcmp(path, "preloaded") ? path : NULL))
        return false;
    side->routine.any = library_find(&side->blas, routine);
    side->samples = malloc(SAMPLES_MAX * sizeof *side->samples);
    if (side->blas.wait && side->blas.wait(&why) != 0)
        fprintf(stderr, "%s uses the CPU: %s\n", path, why);
    return side->routine.any && side->samples;
}

static bool read_routine(const char *routine, struct vectors *v) {
    const char *name = strncmp(routine, "cblas_", 6) == 0 ? routine + 6 : "?";
    v->type = name[0];
    bool is_complex = v->type == 'c' || v->type == 'z', is_real = v->type == 's' || v->type == 'd';
    v->is_structured = strcmp(name + 1, is_complex ? "hemv" : "symv") == 0;
    return (is_real || is_complex) && (v->is_structured || strcmp(name + 1, "gemv") == 0);
}

int main(int argc, char **argv) {
    static const struct option known[] = {{"library", required_argument, NULL, 'l'},
                                          {"routine", required_argument, NULL, 'r'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"warm", required_argument, NULL, 'w'},
                                          {"trans", no_argument, NULL, 't'},
                                          {"rewrite", no_argument, NULL, 'e'},
                                          {NULL, 0, NULL, 0}};
    const char *paths[LIBRARIES_MAX] = {"preloaded"}, *routine = "cblas_dgemv";
    struct vectors v = {.trans = NO_TRANS, .warm = 20};
    struct side sides[LIBRARIES_MAX];
    int count = 0;
    double seconds = 1;
    bool right = true;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'l' && count < LIBRARIES_MAX)
            paths[count++] = optarg;
        else if (option == 'r')
            routine = optarg;
        else if (option == 's')
            seconds = atof(optarg);
        else if (option == 'w')
            v.warm = atoi(optarg);
        else if (option == 't')
            v.trans = TRANS;
        else if (option == 'e')
            v.rewrites = true;
        else
            return 2;
    }
    if (!read_routine(routine, &v)) {
        fprintf(stderr, "%s is not a routine that can be timed\n", routine);
        return 2;
    }
    count = count ? count : 1;
    for (int i = 0; i < count; i++)
        if (!open_side(&sides[i], paths[i], routine))
            return 2;
    for (int i = optind; i < argc; i++) {
        v.n = atoi(argv[i]);
        right = v.n > 0 && measure(sides, count, &v, seconds) && right;
    }
    return right ? 0 : 1;
}
