/* Times sgemm of any BLAS, loaded by path, several libraries alternately in one run, and checks what they
 * compute. Started by hand and by the scripts of perf/.
 *
 *   bench --library PATH [--library PATH ...] [--routine cblas_sgemm|sgemm_] [--sizes 8,64,512x512x64]
 *         [--ops NN|NT|TN|TT] [--seconds S] [--warmup S] [--csv]
 *
 * PATH may be a name for dlopen, and "preloaded" (or nothing) for what the program's own scope has, to
 * measure LD_PRELOAD. Libraries are opened RTLD_LOCAL, so none takes another's symbols; not RTLD_DEEPBIND,
 * with which sanitizers do not work. LavaBLAS picks as its CPU BLAS what LAVABLAS_CPU_BLAS says, else the
 * first BLAS of the list: all are opened before the first call.
 *
 * Invariants: the first call of a library and of a size is never timed; a library whose sampled elements miss
 * sgemm's error bound makes the program print FAIL and exit with 1. */
#include <dlfcn.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"

#define MAX_LIBRARIES 8
#define MAX_SAMPLES   20000
/* A sample is at least this long: two clock reads, 50 ns, are then 0.25% of it. */
#define SAMPLE_SECONDS 20e-6
/* A library keeps its turn this long, so that a GPU's clock does not fall between its calls. */
#define SLICE_SECONDS    0.1
#define CHECKED_ELEMENTS 200

typedef void cblas_function(int layout, int transa, int transb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void fortran_function(const char *transa, const char *transb, const int *m, const int *n,
                              const int *k, const float *alpha, const float *a, const int *lda,
                              const float *b, const int *ldb, const float *beta, float *c, const int *ldc,
                              size_t transa_length, size_t transb_length);

struct library {
    const char *path;
    cblas_function *cblas;
    fortran_function *fortran;
    int (*wait)(const char **);               /* LavaBLAS's own, else NULL */
    int (*last_call)(struct lavablas_call *); /* the same */
    double *samples;                          /* seconds a call, of the current size */
    size_t samples_taken;
    unsigned long calls_per_sample;
    unsigned long long calls;
    double timed_seconds;
    bool wrong;
    bool told; /* that it has no device */
};

struct options {
    struct library libraries[MAX_LIBRARIES];
    int library_count;
    bool fortran, csv;
    const char *sizes;
    char ops[3];
    double seconds, warmup_seconds;
};

struct product {
    int m, n, k, lda, ldb, ldc;
    char transa, transb;
    float *a, *b, *c;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void call(const struct options *options, const struct library *library, const struct product *p) {
    static const float one = 1, zero = 0;
    if (options->fortran)
        library->fortran(&p->transa, &p->transb, &p->m, &p->n, &p->k, &one, p->a, &p->lda, p->b, &p->ldb,
                         &zero, p->c, &p->ldc, 1, 1);
    else
        library->cblas(102, p->transa == 'N' ? 111 : 112, p->transb == 'N' ? 111 : 112, p->m, p->n, p->k, 1,
                       p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
}

/* One element of the product, and the same of the absolute values, in double precision. */
static double reference(const struct product *p, int row, int column, double *magnitude) {
    double sum = 0;
    *magnitude = 0;
    for (ptrdiff_t l = 0; l < p->k; l++) {
        double a = (double)p->a[p->transa == 'N' ? row + l * p->lda : l + (ptrdiff_t)row * p->lda];
        double b = (double)p->b[p->transb == 'N' ? l + (ptrdiff_t)column * p->ldb : column + l * p->ldb];
        sum += a * b;
        *magnitude += fabs(a * b);
    }
    return sum;
}

/* Samples corners and a scatter; the bound is the library's own for sgemm: 4 sqrt(k + 2) u |A||B|. */
static bool check(const struct options *options, const struct library *library, const struct product *p) {
    size_t elements = (size_t)p->ldc * (size_t)p->n;
    double bound = 4 * sqrt(p->k + 2.0) * 0x1p-24;
    uint32_t seed = 12345;
    for (size_t i = 0; i < elements; i++)
        p->c[i] = NAN; /* beta is 0: every element must be written */
    call(options, library, p);
    for (int i = 0; i < CHECKED_ELEMENTS; i++) {
        double magnitude;
        seed = seed * 1664525u + 1013904223u;
        int row = (int)((uint64_t)seed * (uint64_t)p->m >> 32);
        seed = seed * 1664525u + 1013904223u;
        int column = (int)((uint64_t)seed * (uint64_t)p->n >> 32);
        if (i < 4) {
            row = i & 1 ? p->m - 1 : 0;
            column = i & 2 ? p->n - 1 : 0;
        }
        double expected = reference(p, row, column, &magnitude);
        double found = (double)p->c[row + (ptrdiff_t)column * p->ldc];
        if (!(fabs(found - expected) <= bound * magnitude)) {
            fprintf(stderr, "FAIL %s: %d x %d x %d: element (%d, %d) is %.9g, not %.9g (+- %.2g)\n",
                    library->path, p->m, p->n, p->k, row, column, found, expected, bound * magnitude);
            return false;
        }
    }
    for (size_t i = 0; i < elements; i++) {
        if (isnan(p->c[i])) {
            fprintf(stderr, "FAIL %s: %d x %d x %d: element %zu was not written\n", library->path, p->m, p->n,
                    p->k, i);
            return false;
        }
    }
    return true;
}

static double *new_samples(void) {
    double *samples = malloc(MAX_SAMPLES * sizeof *samples);
    if (!samples)
        abort();
    return samples;
}

static double time_sample(const struct options *options, struct library *library, const struct product *p) {
    double start = now();
    for (unsigned long i = 0; i < library->calls_per_sample; i++)
        call(options, library, p);
    return now() - start;
}

/* Checks, warms up by time, and finds how many calls make a sample. */
static void prepare(const struct options *options, struct library *library, const struct product *p) {
    const char *why = "";
    library->samples_taken = 0;
    library->calls = 0;
    library->timed_seconds = 0;
    library->calls_per_sample = 1;
    library->wrong = !check(options, library, p);
    if (library->wait && library->wait(&why) != 0 && !library->told) {
        fprintf(stderr, "%s uses the CPU: %s\n", library->path, why);
        library->told = true;
    }
    double end = now() + options->warmup_seconds;
    do {
        double elapsed = time_sample(options, library, p);
        if (elapsed < SAMPLE_SECONDS)
            library->calls_per_sample *= 2;
    } while (now() < end);
    /* again, where it computes now: the first products may have run elsewhere */
    library->wrong = library->wrong || !check(options, library, p);
}

static void run_slice(const struct options *options, struct library *library, const struct product *p) {
    double start = now(), elapsed;
    bool first = true;
    do {
        elapsed = time_sample(options, library, p);
        /* The first sample after another library's turn finds cold caches; kept where it is the only one. */
        bool only = now() - start >= SLICE_SECONDS;
        if (!first || only) {
            size_t place = library->samples_taken++ % MAX_SAMPLES; /* the newest replace the oldest */
            library->samples[place] = elapsed / (double)library->calls_per_sample;
            library->timed_seconds += elapsed;
        }
        library->calls += library->calls_per_sample;
        first = false;
    } while (now() - start < SLICE_SECONDS);
}

static int compare_doubles(const void *left, const void *right) {
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static double median(struct library *library) {
    size_t count = library->samples_taken < MAX_SAMPLES ? library->samples_taken : MAX_SAMPLES;
    qsort(library->samples, count, sizeof *library->samples, compare_doubles);
    return library->samples[count / 2];
}

static const char *format_time(double seconds, char text[32]) {
    if (seconds < 1e-6)
        snprintf(text, 32, "%.2f ns", seconds * 1e9);
    else if (seconds < 1e-3)
        snprintf(text, 32, "%.3f us", seconds * 1e6);
    else
        snprintf(text, 32, "%.3f ms", seconds * 1e3);
    return text;
}

static void print_results(struct options *options, const struct product *p) {
    double flops = 2.0 * p->m * p->n * p->k, first_median = 0;
    for (int i = 0; i < options->library_count; i++) {
        struct library *library = &options->libraries[i];
        struct lavablas_call last = {.size = sizeof last};
        double middle = median(library), least = library->samples[0];
        char size[40], least_text[32], median_text[32];
        const char *place = library->last_call && library->last_call(&last) == 0 ? last.place : "-";
        if (i == 0)
            first_median = middle;
        snprintf(size, sizeof size, "%dx%dx%d", p->m, p->n, p->k);
        if (options->csv)
            printf("%d,%d,%d,%s,%s,%s,%s,%llu,%.10g,%.10g,%.4f,%.2f,%s\n", p->m, p->n, p->k, options->ops,
                   options->fortran ? "sgemm_" : "cblas_sgemm", library->path, place, library->calls, least,
                   middle, middle / first_median, flops / middle * 1e-9, library->wrong ? "FAIL" : "ok");
        else
            printf("%-18s %12s %12s %8.3f %11.2f  %-3s %s %s\n", size, format_time(least, least_text),
                   format_time(middle, median_text), middle / first_median, flops / middle * 1e-9, place,
                   library->wrong ? "FAIL" : "ok  ", library->path);
    }
    fflush(stdout);
}

static float *new_matrix(size_t elements, uint32_t seed) {
    float *x = NULL;
    if (posix_memalign((void **)&x, 64, elements * sizeof *x + 64) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < elements; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(int)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    return x;
}

static bool run_size(struct options *options, int m, int n, int k) {
    struct product product = {.m = m, .n = n, .k = k, .transa = options->ops[0], .transb = options->ops[1]};
    bool right = true;
    product.lda = product.transa == 'N' ? m : k;
    product.ldb = product.transb == 'N' ? k : n;
    product.ldc = m;
    product.a = new_matrix((size_t)m * (size_t)k, 1);
    product.b = new_matrix((size_t)k * (size_t)n, 2);
    product.c = new_matrix((size_t)m * (size_t)n, 3);
    for (int i = 0; i < options->library_count; i++)
        prepare(options, &options->libraries[i], &product);
    int rounds = 0;
    double least_seconds;
    do {
        least_seconds = INFINITY;
        for (int i = 0; i < options->library_count; i++) {
            run_slice(options, &options->libraries[i], &product);
            least_seconds = fmin(least_seconds, options->libraries[i].timed_seconds);
        }
    } while (++rounds < 3 || least_seconds < options->seconds);
    print_results(options, &product);
    for (int i = 0; i < options->library_count; i++)
        right = right && !options->libraries[i].wrong;
    free(product.a);
    free(product.b);
    free(product.c);
    return right;
}

static bool open_library(struct options *options, const char *path) {
    bool preloaded = *path == '\0' || strcmp(path, "preloaded") == 0;
    if (options->library_count == MAX_LIBRARIES) {
        fprintf(stderr, "at most %d libraries\n", MAX_LIBRARIES);
        return false;
    }
    void *handle = preloaded ? RTLD_DEFAULT : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle && !preloaded) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    struct library *library = &options->libraries[options->library_count++];
    void *cblas = dlsym(handle, "cblas_sgemm"), *fortran = dlsym(handle, "sgemm_");
    void *wait = dlsym(handle, "lavablas_wait"), *last = dlsym(handle, "lavablas_last_call");
    *library = (struct library){.path = preloaded ? "preloaded" : path, .samples = new_samples()};
    memcpy(&library->cblas, &cblas, sizeof cblas);
    memcpy(&library->fortran, &fortran, sizeof fortran);
    memcpy(&library->wait, &wait, sizeof wait);
    memcpy(&library->last_call, &last, sizeof last);
    return true;
}

static bool check_symbols(const struct options *options) {
    for (int i = 0; i < options->library_count; i++) {
        const struct library *library = &options->libraries[i];
        if (options->fortran ? library->fortran != NULL : library->cblas != NULL)
            continue;
        fprintf(stderr, "%s has no %s\n", library->path, options->fortran ? "sgemm_" : "cblas_sgemm");
        return false;
    }
    return options->library_count > 0;
}

static int usage(void) {
    fprintf(stderr, "usage: bench --library PATH [--library PATH ...] [--routine cblas_sgemm|sgemm_]\n"
                    "             [--sizes 8,64,512x512x64] [--ops NN|NT|TN|TT] [--seconds S] [--warmup S] "
                    "[--csv]\n"
                    "PATH 'preloaded': what LD_PRELOAD put into the program.\n");
    return 2;
}

static bool parse_options(struct options *options, int count, char **arguments) {
    static const struct option known[] = {
        {"library", required_argument, NULL, 'l'}, {"routine", required_argument, NULL, 'r'},
        {"sizes", required_argument, NULL, 'n'},   {"ops", required_argument, NULL, 'o'},
        {"seconds", required_argument, NULL, 's'}, {"warmup", required_argument, NULL, 'w'},
        {"csv", no_argument, NULL, 'c'},           {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'l':
            if (!open_library(options, optarg))
                return false;
            break;
        case 'r':
            options->fortran = strcmp(optarg, "sgemm_") == 0;
            if (!options->fortran && strcmp(optarg, "cblas_sgemm") != 0)
                return false;
            break;
        case 'n':
            options->sizes = optarg;
            break;
        case 'o':
            if (strlen(optarg) != 2 || strspn(optarg, "NT") != 2)
                return false;
            strcpy(options->ops, optarg);
            break;
        case 's':
            options->seconds = atof(optarg);
            break;
        case 'w':
            options->warmup_seconds = atof(optarg);
            break;
        case 'c':
            options->csv = true;
            break;
        default:
            return false;
        }
    }
    return optind == count && check_symbols(options);
}

/* The next of "64,512x512x64"; false at the end (*text then "") or at what is no size. */
static bool next_size(const char **text, int *m, int *n, int *k) {
    int length = 0;
    if (sscanf(*text, "%dx%dx%d%n", m, n, k, &length) != 3) {
        if (sscanf(*text, "%d%n", m, &length) != 1)
            return false;
        *n = *k = *m;
    }
    if (*m < 1 || *n < 1 || *k < 1 || ((*text)[length] != ',' && (*text)[length] != '\0'))
        return false;
    *text += length;
    *text += **text == ',';
    return true;
}

int main(int count, char **arguments) {
    struct options options = {
        .sizes = "64,128,256,512,1024,2048", .ops = "NN", .seconds = 1, .warmup_seconds = 0.5};
    bool right = true;
    int m, n, k;
    if (!parse_options(&options, count, arguments))
        return usage();
    if (options.csv)
        printf("m,n,k,ops,routine,library,place,calls,min_s,median_s,ratio,gflops,result\n");
    else
        printf("%-18s %12s %12s %8s %11s\n", "m x n x k", "min", "median", "ratio", "GFLOP/s");
    const char *sizes = options.sizes;
    while (next_size(&sizes, &m, &n, &k))
        right = run_size(&options, m, n, k) && right;
    if (*sizes)
        return usage();
    return right ? 0 : 1;
}
