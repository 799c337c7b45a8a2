/* Times a product routine of one BLAS over many shapes, each briefly. This is one side of the map that
 * perf/crossover draws; crossover runs sweep once for each side.
 *
 *   sweep --library PATH [--routine NAME] [--shapes FILE] [--largest N] [--seconds S] [--warmup S]
 *         [--max-seconds S] [--once] [--check]
 *   sweep --list [--shapes FILE] [--largest N]       only the shapes
 *
 * A process times only one library, because OpenBLAS's threads spin for tens of milliseconds after each
 * product and slow down anything that another library does meanwhile. The shapes are sorted by work. OpenBLAS
 * computes the small ones with one thread, so its other threads are then still asleep. On a device each shape
 * follows some larger products, because an idle GPU lowers its clock within moments.
 *
 * --once: no warming up; the reported time is that of the single call. --check: one call before is checked;
 * after a wrong result the program prints FAIL and exits with 1.
 *
 * FILE has one shape per line: "m n k", further words ignored, # for comments. Prints
 * "m,n,k,best_us,median_us,place,reason". place and reason come from LavaBLAS; another library gives "-" and
 * nothing.
 *
 * Invariants: except with --once, the first call of a shape is never timed. A shape whose first call takes
 * longer than --max-seconds is left out, and so is every shape with more work. */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "library.h"
#include "routine.h"

#define MAX_SAMPLES   4096
#define LEAST_SAMPLES 3
/* A sample is at least this long. Two clock reads, 50 ns, are then 0.25% of it. */
#define SAMPLE_SECONDS 20e-6
/* The work (m n k) of the products that keep a device busy, half a millisecond each on an H200. */
#define HEATER_WORK (1024.0 * 1024.0 * 1024.0)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct shape {
    int m, n, k;
};

struct shapes {
    struct shape *list;
    size_t count, room;
};

struct library {
    struct blas blas;
    void *function; /* the routine */
    bool has_device;
};

struct options {
    const char *library, *shapes_file;
    const struct routine *routine;
    int largest;
    double seconds, warmup_seconds, max_seconds;
    bool once, check, list;
};

struct timing {
    double first_seconds, best_seconds, median_seconds;
};

/* The shapes */

static double work_of(const struct shape *shape) {
    return (double)shape->m * shape->n * shape->k;
}

static void add(struct shapes *shapes, int m, int n, int k) {
    if (shapes->count == shapes->room) {
        shapes->room = 2 * shapes->room + 64;
        shapes->list = realloc(shapes->list, shapes->room * sizeof *shapes->list);
        if (!shapes->list)
            abort();
    }
    shapes->list[shapes->count++] = (struct shape){m, n, k};
}

/* Three planes of shapes with two equal sizes each. Their diagonals are the squares, which have smaller
 * steps, the finest where CPU and GPU are about equal. Plus a few shapes with three different sizes. */
static void add_grid(struct shapes *shapes) {
    static const int squares[] = {16,  24,  32,  48,  64,   96,   128,  192,  256,  320,  384,  448,
                                  512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 8192};
    static const int sides[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
    static const struct shape mixed[] = {
        {32, 512, 2048}, {64, 1024, 8192}, {128, 2048, 8192}, {256, 512, 4096}};
    for (size_t i = 0; i < COUNT(squares); i++)
        add(shapes, squares[i], squares[i], squares[i]);
    for (size_t i = 0; i < COUNT(sides); i++)
        for (size_t j = 0; j < COUNT(sides); j++) {
            int wide = sides[i], other = sides[j];
            if (wide == other || (wide < 256 && other < 256)) /* no device wins smaller ones */
                continue;
            add(shapes, wide, wide, other); /* flat or tall */
            if (wide >= 128) {
                add(shapes, wide, other, wide); /* few or many columns */
                add(shapes, other, wide, wide); /* few or many rows */
            }
        }
    for (size_t i = 0; i < COUNT(mixed); i++) {
        const struct shape *s = &mixed[i];
        const int sizes[3] = {s->m, s->n, s->k};
        for (int first = 0; first < 3; first++) {
            int second = (first + 1) % 3, third = (first + 2) % 3;
            add(shapes, sizes[first], sizes[second], sizes[third]);
            add(shapes, sizes[first], sizes[third], sizes[second]);
        }
    }
}

static bool add_file(struct shapes *shapes, const char *path) {
    FILE *file = fopen(path, "r");
    char line[256];
    int m, n, k;
    bool right = true;
    if (!file) {
        perror(path);
        return false;
    }
    while (right && fgets(line, sizeof line, file)) {
        if (line[strspn(line, " \t\n")] == '\0' || line[strspn(line, " \t")] == '#')
            continue;
        right = sscanf(line, "%d %d %d", &m, &n, &k) == 3 && m > 0 && n > 0 && k > 0;
        if (right)
            add(shapes, m, n, k);
        else
            fprintf(stderr, "%s: not a shape: %s", path, line);
    }
    fclose(file);
    return right;
}

static int compare_shapes(const void *left, const void *right) {
    const struct shape *x = left, *y = right;
    double x_work = work_of(x), y_work = work_of(y);
    if (x_work != y_work)
        return x_work > y_work ? 1 : -1;
    if (x->m != y->m)
        return x->m - y->m;
    return x->n - y->n;
}

/* Sorts the shapes and removes duplicates and those that are too large. */
static bool find_shapes(const struct options *options, struct shapes *shapes) {
    size_t kept = 0;
    if (!options->shapes_file)
        add_grid(shapes);
    else if (!add_file(shapes, options->shapes_file))
        return false;
    if (shapes->count > 0)
        qsort(shapes->list, shapes->count, sizeof *shapes->list, compare_shapes);
    for (size_t i = 0; i < shapes->count; i++) {
        struct shape s = shapes->list[i];
        bool again = kept > 0 && compare_shapes(&s, &shapes->list[kept - 1]) == 0;
        if (!again && s.m <= options->largest && s.n <= options->largest && s.k <= options->largest)
            shapes->list[kept++] = s;
    }
    shapes->count = kept;
    if (kept == 0)
        fprintf(stderr, "no shapes\n");
    return kept > 0;
}

/* The products */

static struct product new_product(const struct options *options, const struct shape *shape) {
    return routine_product(options->routine, shape->m, shape->n, shape->k, "NN");
}

/* The shape with the most work up to HEATER_WORK; among equals the most compact. */
static const struct shape *find_heater(const struct shapes *shapes) {
    const struct shape *heater = &shapes->list[0];
    for (size_t i = 1; i < shapes->count; i++) {
        const struct shape *s = &shapes->list[i];
        double work = work_of(s), most = work_of(heater);
        if (work <= HEATER_WORK &&
            (work > most || (work == most && s->m + s->n + s->k < heater->m + heater->n + heater->k)))
            heater = s;
    }
    return heater;
}

static double time_calls(const struct library *library, const struct product *p, unsigned long calls) {
    double start = library_now();
    for (unsigned long i = 0; i < calls; i++)
        routine_call(library->function, p);
    return library_now() - start;
}

static int compare_doubles(const void *left, const void *right) {
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

/* After the first call: warms up for the given time, determines how many calls make a sample, and takes
 * samples. */
static void time_shape(const struct options *options, const struct library *library, const struct product *p,
                       struct timing *timing) {
    static double samples[MAX_SAMPLES];
    size_t taken = 0;
    unsigned long calls = 1;
    double start = library_now(), elapsed;
    while (timing->first_seconds < options->warmup_seconds && library_now() - start < options->warmup_seconds)
        if (time_calls(library, p, calls) < SAMPLE_SECONDS)
            calls *= 2;
    start = library_now();
    do {
        samples[taken++] = time_calls(library, p, calls) / (double)calls;
        elapsed = library_now() - start;
    } while (taken < MAX_SAMPLES &&
             (taken < LEAST_SAMPLES ? elapsed < options->max_seconds : elapsed < options->seconds));
    qsort(samples, taken, sizeof *samples, compare_doubles);
    timing->best_seconds = samples[0];
    timing->median_seconds = samples[taken / 2];
}

static void print_line(const struct library *library, const struct product *p, const struct timing *timing) {
    struct lavablas_call last = {.size = sizeof last};
    const char *place = "-", *reason = "";
    if (library->blas.last_call) {
        /* a product below the offload threshold is not recorded */
        bool seen = library->blas.last_call(&last) == 0 && last.m == p->m && last.n == p->n && last.k == p->k;
        place = seen ? last.place : "cpu";
        reason = seen ? last.reason : "forwarded unseen";
    }
    printf("%d,%d,%d,%.3f,%.3f,%s,%s\n", p->m, p->n, p->k, timing->best_seconds * 1e6,
           timing->median_seconds * 1e6, place, reason);
    fflush(stdout);
}

/* 1: done, 0: left out as too long, -1: wrong. */
static int run_shape(const struct options *options, const struct library *library,
                     const struct product *heater, const struct product *p) {
    struct timing timing;
    for (double start = library_now(); heater && library_now() - start < options->warmup_seconds;)
        routine_call(library->function, heater);
    if (options->check && !routine_check(library->function, p, library->blas.path))
        return -1;
    timing.first_seconds = time_calls(library, p, 1);
    timing.best_seconds = timing.median_seconds = timing.first_seconds;
    if (timing.first_seconds > options->max_seconds)
        return 0;
    if (!options->once)
        time_shape(options, library, p, &timing);
    print_line(library, p, &timing);
    return 1;
}

static bool sweep(const struct options *options, const struct library *library, const struct shapes *shapes) {
    bool heats = library->has_device && !options->once;
    struct product heater = {0};
    int result = 1;
    size_t done = 0;
    if (heats)
        heater = new_product(options, find_heater(shapes));
    printf("m,n,k,best_us,median_us,place,reason\n");
    while (done < shapes->count && result > 0) {
        struct product product = new_product(options, &shapes->list[done]);
        result = run_shape(options, library, heats ? &heater : NULL, &product);
        routine_free(&product);
        done += result > 0;
    }
    if (result == 0)
        fprintf(stderr, "%s: %zu of %zu shapes left out: a call takes more than %g s\n", library->blas.path,
                shapes->count - done, shapes->count, options->max_seconds);
    routine_free(&heater);
    return result >= 0;
}

/* The program */

static bool open_library(const struct options *options, struct library *library) {
    const char *why = "";
    if (!library_open(&library->blas, options->library))
        return false;
    library->function = library_find(&library->blas, options->routine->name);
    if (!library->function)
        return false;
    library->has_device = library->blas.wait && library->blas.wait(&why) == 0;
    if (library->blas.wait && !library->has_device)
        fprintf(stderr, "%s uses the CPU: %s\n", library->blas.path, why);
    return true;
}

static int usage(void) {
    fprintf(stderr,
            "usage: sweep --library PATH [--routine %s]\n"
            "             [--shapes FILE] [--largest N] [--seconds S] [--warmup S] [--max-seconds S]\n"
            "             [--once] [--check]\n"
            "       sweep --list [--shapes FILE] [--largest N]\n",
            routine_names());
    return 2;
}

static bool parse_options(struct options *options, int count, char **arguments) {
    static const struct option known[] = {
        {"library", required_argument, NULL, 'l'},
        {"routine", required_argument, NULL, 'r'},
        {"shapes", required_argument, NULL, 'f'},
        {"largest", required_argument, NULL, 'n'},
        {"seconds", required_argument, NULL, 's'},
        {"warmup", required_argument, NULL, 'w'},
        {"once", no_argument, NULL, 'o'},
        {"max-seconds", required_argument, NULL, 'm'},
        {"check", no_argument, NULL, 'c'},
        {"list", no_argument, NULL, 'L'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1)
        switch (option) {
        case 'l':
            options->library = optarg;
            break;
        case 'r':
            if (!(options->routine = routine_find(optarg)))
                return false;
            break;
        case 'f':
            options->shapes_file = optarg;
            break;
        case 'n':
            options->largest = atoi(optarg);
            break;
        case 's':
            options->seconds = atof(optarg);
            break;
        case 'w':
            options->warmup_seconds = atof(optarg);
            break;
        case 'm':
            options->max_seconds = atof(optarg);
            break;
        case 'o':
            options->once = true;
            break;
        case 'c':
            options->check = true;
            break;
        case 'L':
            options->list = true;
            break;
        default:
            return false;
        }
    return optind == count && (options->library || options->list);
}

int main(int count, char **arguments) {
    struct options options = {.routine = routine_find("sgemm_"),
                              .largest = INT32_MAX,
                              .seconds = 0.03,
                              .warmup_seconds = 0.02,
                              .max_seconds = 2};
    struct shapes shapes = {0};
    struct library library;
    if (!parse_options(&options, count, arguments))
        return usage();
    if (!find_shapes(&options, &shapes))
        return 2;
    bool right = true;
    if (options.list)
        for (size_t i = 0; i < shapes.count; i++)
            printf("%d %d %d\n", shapes.list[i].m, shapes.list[i].n, shapes.list[i].k);
    else
        right = open_library(&options, &library) && sweep(&options, &library, &shapes);
    free(shapes.list);
    return right ? 0 : 1;
}
