/* Times a product routine of any BLAS, loaded by path. Several libraries alternate in one run. Checks their
 * results. Called by perf/bench's main program and by tools/bench_command.c; tools/replay.c uses its loop.
 *
 * Invariants: the first call of a library and of a size is never timed. If a library's sampled elements miss
 * the routine's error bound, it says FAIL and the answer is 1. */
#include "bench.h"

#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "lib/base/json.h"

#define MAX_SAMPLES 20000
/* A sample is at least this long. Two clock reads, 50 ns, are then 0.25% of it. */
#define SAMPLE_SECONDS 20e-6
/* A library's turn lasts this long, so that a GPU's clock does not drop between its calls. */
#define SLICE_SECONDS 0.1

static double *new_samples(void) {
    double *samples = malloc(MAX_SAMPLES * sizeof *samples);
    if (!samples)
        abort();
    return samples;
}

static double time_sample(const struct bench_library *library, const struct product *p) {
    double start = library_now();
    for (unsigned long i = 0; i < library->calls_per_sample; i++)
        routine_call(library->function, p);
    return library_now() - start;
}

/* Checks, warms up for the given time, and determines how many calls make a sample. */
static void prepare(const struct bench *options, struct bench_library *library, const struct product *p) {
    const char *why = "";
    library->samples_taken = 0;
    library->calls = 0;
    library->timed_seconds = 0;
    library->calls_per_sample = 1;
    library->wrong = !routine_check(library->function, p, library->blas.path);
    if (library->blas.wait && library->blas.wait(&why) != 0 && !library->told) {
        fprintf(stderr, "%s uses the CPU: %s\n", library->blas.path, why);
        library->told = true;
    }
    double end = library_now() + options->warmup_seconds;
    do {
        double elapsed = time_sample(library, p);
        if (elapsed < SAMPLE_SECONDS)
            library->calls_per_sample *= 2;
    } while (library_now() < end);
    /* check again: the first products may have run elsewhere */
    library->wrong = library->wrong || !routine_check(library->function, p, library->blas.path);
}

static void run_slice(struct bench_library *library, const struct product *p) {
    double start = library_now(), elapsed;
    bool first = true;
    do {
        elapsed = time_sample(library, p);
        /* The first sample after another library's turn has cold caches. It is kept only if it is the only
         * one. */
        bool only = library_now() - start >= SLICE_SECONDS;
        if (!first || only) {
            size_t place = library->samples_taken++ % MAX_SAMPLES; /* the newest replaces the oldest */
            library->samples[place] = elapsed / (double)library->calls_per_sample;
            library->timed_seconds += elapsed;
        }
        library->calls += library->calls_per_sample;
        first = false;
    } while (library_now() - start < SLICE_SECONDS);
}

static int compare_doubles(const void *left, const void *right) {
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

double bench_median(struct bench_library *library) {
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

static void print_results(struct bench *options, const struct product *p) {
    double flops = routine_flops(p->routine, p->m, p->n, p->k), first_median = 0;
    for (int i = 0; i < options->library_count; i++) {
        struct bench_library *library = &options->libraries[i];
        struct lavablas_call last = {.size = sizeof last};
        double middle = bench_median(library), least = library->samples[0];
        char size[40], least_text[32], median_text[32];
        const char *place = library->blas.last_call && library->blas.last_call(&last) == 0 ? last.place : "-";
        if (i == 0)
            first_median = middle;
        picture_add(&options->picture, i, cbrt((double)p->m * p->n * p->k), flops / middle);
        snprintf(size, sizeof size, "%dx%dx%d", p->m, p->n, p->k);
        if (options->json) {
            printf("%s{\"m\":%d,\"n\":%d,\"k\":%d,\"ops\":\"%s\",\"routine\":\"%s\"",
                   options->printed++ ? ",\n" : "", p->m, p->n, p->k, options->ops, options->routine->name);
            lava_json_put_member(stdout, "library", library->blas.path);
            printf(",\"place\":\"%s\",\"calls\":%llu,\"min_s\":%.10g,\"median_s\":%.10g,\"right\":%s}", place,
                   library->calls, least, middle, library->wrong ? "false" : "true");
        } else if (options->csv)
            printf("%d,%d,%d,%s,%s,%s,%s,%llu,%.10g,%.10g,%.4f,%.2f,%s\n", p->m, p->n, p->k, options->ops,
                   options->routine->name, library->blas.path, place, library->calls, least, middle,
                   middle / first_median, flops / middle * 1e-9, library->wrong ? "FAIL" : "ok");
        else
            printf("%-18s %12s %12s %8.3f %11.2f  %-3s %s %s\n", size, format_time(least, least_text),
                   format_time(middle, median_text), middle / first_median, flops / middle * 1e-9, place,
                   library->wrong ? "FAIL" : "ok  ", library->blas.path);
    }
    fflush(stdout);
}

bool bench_time(struct bench *bench, const struct product *product) {
    bool right = true;
    for (int i = 0; i < bench->library_count; i++)
        prepare(bench, &bench->libraries[i], product);
    int rounds = 0;
    double least_seconds;
    do {
        least_seconds = INFINITY;
        for (int i = 0; i < bench->library_count; i++) {
            run_slice(&bench->libraries[i], product);
            least_seconds = fmin(least_seconds, bench->libraries[i].timed_seconds);
        }
    } while (++rounds < bench->rounds || least_seconds < bench->seconds);
    for (int i = 0; i < bench->library_count; i++)
        right = right && !bench->libraries[i].wrong;
    return right;
}

static bool run_size(struct bench *options, int m, int n, int k) {
    struct product product = routine_product(options->routine, m, n, k, options->ops);
    bool right = bench_time(options, &product);
    if (options->progress)
        options->progress(0, 0, NULL, NULL);
    print_results(options, &product);
    routine_free(&product);
    return right;
}

bool bench_open(struct bench *options, const char *path) {
    bool preloaded = *path == '\0' || strcmp(path, "preloaded") == 0;
    struct bench_library library = {0};
    if (options->library_count == BENCH_MAX_LIBRARIES) {
        fprintf(stderr, "at most %d libraries\n", BENCH_MAX_LIBRARIES);
        return false;
    }
    if (!library_open(&library.blas, preloaded ? NULL : path))
        return false;
    library.samples = new_samples();
    options->libraries[options->library_count++] = library;
    return true;
}

/* Those that lack the routine move behind the others. */
bool bench_find(struct bench *options) {
    int kept = 0;
    for (int i = 0; i < options->library_count; i++) {
        struct bench_library library = options->libraries[i];
        library.function = library_find(&library.blas, options->routine->name);
        options->libraries[i] = library;
        if (library.function) {
            options->libraries[i] = options->libraries[kept];
            options->libraries[kept++] = library;
        }
    }
    options->library_count = kept;
    return kept > 0;
}

void bench_close(struct bench *bench) {
    for (int i = 0; i < BENCH_MAX_LIBRARIES; i++) {
        free(bench->libraries[i].samples);
        bench->libraries[i].samples = NULL;
    }
    bench->library_count = 0;
    picture_close(&bench->picture);
}

static int usage(const struct bench *options, FILE *stream) {
    fprintf(stream,
            "usage: %s [--library PATH ...] [--routine %s]\n"
            "             [--sizes 8,64,512x512x64] [--ops NN|NT|TN|TT] [--seconds S] [--warmup S] [--csv | "
            "--json]\n"
            "             [--png FILE]\n"
            "--png also draws the rates over n, a line for each library; it needs gnuplot.\n"
            "PATH 'preloaded': what LD_PRELOAD put into the program. %s\n",
            options->name, routine_names(), options->note);
    return stream == stdout ? 0 : 2;
}

static bool parse_options(struct bench *options, int count, char **arguments, const char **png) {
    static const struct option known[] = {
        {"library", required_argument, NULL, 'l'},
        {"routine", required_argument, NULL, 'r'},
        {"sizes", required_argument, NULL, 'n'},
        {"ops", required_argument, NULL, 'o'},
        {"seconds", required_argument, NULL, 's'},
        {"warmup", required_argument, NULL, 'w'},
        {"csv", no_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},
        {"png", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    optind = 1;
    while ((option = getopt_long(count, arguments, "h", known, NULL)) != -1) {
        switch (option) {
        case 'l':
            if (!options->is_given)
                bench_close(options); /* those named replace the usual ones */
            options->is_given = true;
            if (!bench_open(options, optarg))
                return false;
            break;
        case 'r':
            if (!(options->routine = routine_find(optarg))) {
                fprintf(stderr, "%s: no routine %s\n", options->name, optarg);
                return false;
            }
            break;
        case 'n':
            options->sizes = optarg;
            break;
        case 'o':
            if (strlen(optarg) != 2 || strspn(optarg, "NT") != 2) {
                fprintf(stderr, "%s: --ops %s: not NN, NT, TN or TT\n", options->name, optarg);
                return false;
            }
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
        case 'j':
            options->json = true;
            break;
        case 'p':
            *png = optarg;
            break;
        case 'h':
            options->asks_help = true;
            return true;
        default:
            return false;
        }
    }
    return optind == count && bench_find(options);
}

/* Parses the next size of "64,512x512x64". Returns false at the end (*text is "" then) or at an invalid
 * size. */
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

static void print_heading(const struct bench *options) {
    if (options->json)
        printf("[");
    else if (options->csv)
        printf("m,n,k,ops,routine,library,place,calls,min_s,median_s,ratio,gflops,result\n");
    else
        printf("%-18s %12s %12s %8s %11s\n", "m x n x k", "min", "median", "ratio", "GFLOP/s");
}

/* Libraries are told by their files' names if these differ. */
static bool draw(struct bench *options) {
    const char *device = options->device ? options->device() : NULL, *labels[BENCH_MAX_LIBRARIES];
    char title[200];
    fflush(stdout);
    for (int i = 0; i < options->library_count; i++) {
        const char *slash = strrchr(options->libraries[i].blas.path, '/');
        labels[i] = slash ? slash + 1 : options->libraries[i].blas.path;
        for (int other = 0; other < i; other++)
            if (!strcmp(labels[other], labels[i]))
                labels[i] = options->libraries[i].blas.path;
    }
    snprintf(title, sizeof title, "%s %s%s%s", options->routine->name, options->ops, device ? ", " : "",
             device ? device : "");
    return picture_draw(&options->picture, options->name, title, labels, options->library_count);
}

int bench(struct bench *options, int count, char **arguments) {
    bool right = true;
    int m, n, k, total = 0, done = 0;
    const char *png = NULL;
    if (!parse_options(options, count, arguments, &png))
        return usage(options, stderr);
    if (options->asks_help)
        return usage(options, stdout);
    const char *sizes = options->sizes;
    while (next_size(&sizes, &m, &n, &k))
        total++;
    if (*sizes) {
        fprintf(stderr, "%s: not a size: %s\n", options->name, sizes);
        return usage(options, stderr);
    }
    if (png && !picture_open(&options->picture, options->name, png))
        return 1;
    print_heading(options);
    for (sizes = options->sizes; next_size(&sizes, &m, &n, &k); done++) {
        char size[40];
        snprintf(size, sizeof size, "%dx%dx%d", m, n, k);
        if (options->progress)
            options->progress(done, total, "timing", size);
        right = run_size(options, m, n, k) && right;
    }
    if (options->json)
        printf("]\n");
    bool drawn = !png || draw(options);
    return right && drawn ? 0 : 1;
}
