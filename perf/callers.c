/* Compares threads that multiply at the same time with one thread that makes the same calls one after
 * another. Shows what it costs a program that several of its threads use the device at once. Run by hand.
 *
 *   callers [--library PATH] [--routine NAME] [--sizes 256,1024] [--threads 1,2,4,8] [--seconds S]
 *
 * PATH is as for bench. Without one the program's own scope is used, to measure LD_PRELOAD. The matrices are
 * square, and every thread has its own; the single thread uses them in turn. Both ways alternate, and the
 * best round of each counts. If the library is LavaBLAS, the last columns show how the threads' calls were
 * shared between the device and the CPU. This turns its statistics on, which adds 0.1 us to a small call.
 * Half precision needs LAVABLAS_INIT=sync, as for bench.
 *
 * Invariants: no call is timed before every thread has had a correct result while the others multiplied.
 * After a wrong one the program prints FAIL and exits with 1. */
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "library.h"
#include "routine.h"

#define MAX_THREADS 64
#define ROUNDS      3

struct options {
    const char *path, *sizes, *threads;
    const struct routine *routine;
    struct blas blas;
    void *function; /* the routine */
    double seconds;
};

struct caller {
    pthread_t thread;
    pthread_barrier_t *start;
    const struct options *options;
    struct product product;
    long calls;
    long on_device, on_cpu; /* number of its calls */
    bool right;
};

static void call(struct caller *caller) {
    struct lavablas_call last = {.size = sizeof last};
    const struct options *options = caller->options;
    routine_call(options->function, &caller->product);
    if (!options->blas.last_call || options->blas.last_call(&last))
        return;
    if (strcmp(last.place, "gpu") == 0)
        caller->on_device++;
    else
        caller->on_cpu++;
}

static void *check(void *argument) {
    struct caller *caller = argument;
    pthread_barrier_wait(caller->start);
    caller->right = routine_check(caller->options->function, &caller->product, caller->options->blas.path);
    return NULL;
}

static void *call_often(void *argument) {
    struct caller *caller = argument;
    pthread_barrier_wait(caller->start);
    for (long i = 0; i < caller->calls; i++)
        call(caller);
    return NULL;
}

/* Seconds from the time when all threads are ready to the end of the last. */
static double run_together(struct caller *callers, int count, void *(*function)(void *)) {
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++) {
        callers[i].start = &start;
        if (pthread_create(&callers[i].thread, NULL, function, &callers[i]) != 0) {
            fprintf(stderr, "no more threads\n");
            exit(1);
        }
    }
    pthread_barrier_wait(&start);
    double begin = library_now();
    for (int i = 0; i < count; i++)
        pthread_join(callers[i].thread, NULL);
    double elapsed = library_now() - begin;
    pthread_barrier_destroy(&start);
    return elapsed;
}

/* Makes the same calls in this thread. */
static double run_alone(struct caller *callers, int count) {
    double begin = library_now();
    for (long j = 0; j < callers[0].calls; j++)
        for (int i = 0; i < count; i++)
            call(&callers[i]);
    return library_now() - begin;
}

/* Sets the calls per thread so that a round takes a third of the requested time. */
static void set_calls(struct caller *callers, int count, double seconds) {
    double begin = library_now(), elapsed;
    long rounds = 0;
    callers[0].calls = 1;
    do {
        run_alone(callers, count);
        rounds++;
        elapsed = library_now() - begin;
    } while (elapsed < seconds / ROUNDS);
    for (int i = 0; i < count; i++)
        callers[i].calls = rounds;
}

static bool measure(struct caller *callers, int count, const struct options *options) {
    bool right = true;
    double alone = INFINITY, together = INFINITY;
    run_together(callers, count, check);
    for (int i = 0; i < count; i++)
        right = right && callers[i].right;
    set_calls(callers, count, options->seconds);
    long on_device = 0, on_cpu = 0;
    for (int round = 0; round < ROUNDS; round++) {
        alone = fmin(alone, run_alone(callers, count));
        for (int i = 0; i < count; i++)
            callers[i].on_device = callers[i].on_cpu = 0;
        together = fmin(together, run_together(callers, count, call_often));
        for (int i = 0; i < count; i++) {
            on_device += callers[i].on_device;
            on_cpu += callers[i].on_cpu;
        }
    }
    long calls = callers[0].calls * count;
    printf("%6d %8d %8ld %14.4f %14.4f %8.3f %8ld %8ld  %s\n", callers[0].product.n, count, calls,
           alone * 1e3 / (double)calls, together * 1e3 / (double)calls, together / alone, on_device, on_cpu,
           right ? "ok" : "FAIL");
    fflush(stdout);
    return right;
}

static bool run(int n, int count, const struct options *options) {
    struct caller callers[MAX_THREADS];
    for (int i = 0; i < count; i++)
        callers[i] =
            (struct caller){.options = options, .product = routine_product(options->routine, n, n, n, "NN")};
    bool right = measure(callers, count, options);
    for (int i = 0; i < count; i++)
        routine_free(&callers[i].product);
    return right;
}

static int usage(void) {
    fprintf(stderr,
            "usage: callers [--library PATH] [--routine %s]\n"
            "               [--sizes 256,1024] [--threads 1,2,4,8] [--seconds S]\n",
            routine_names());
    return 2;
}

static bool open_library(struct options *options) {
    bool preloaded = strcmp(options->path, "preloaded") == 0;
    if (!library_open(&options->blas, preloaded ? NULL : options->path))
        return false;
    options->function = library_find(&options->blas, options->routine->name);
    return options->function;
}

static bool parse_options(struct options *options, int count, char **arguments) {
    static const struct option known[] = {
        {"library", required_argument, NULL, 'l'}, {"routine", required_argument, NULL, 'r'},
        {"sizes", required_argument, NULL, 'n'},   {"threads", required_argument, NULL, 't'},
        {"seconds", required_argument, NULL, 's'}, {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 'l':
            options->path = optarg;
            break;
        case 'r':
            if (!(options->routine = routine_find(optarg)))
                return false;
            break;
        case 'n':
            options->sizes = optarg;
            break;
        case 't':
            options->threads = optarg;
            break;
        case 's':
            options->seconds = atof(optarg);
            break;
        default:
            return false;
        }
    }
    return optind == count;
}

/* Parses the next number of "1,2,4", from 1 to most. Returns false at the end (*text is "" then) or at
 * anything else. */
static bool next_number(const char **text, int most, int *number) {
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text || value < 1 || value > most || (*end != ',' && *end != '\0'))
        return false;
    *number = (int)value;
    *text = end + (*end == ',');
    return true;
}

int main(int count, char **arguments) {
    struct options options = {.path = "preloaded",
                              .sizes = "256,512,1024,2048",
                              .threads = "1,2,4,8",
                              .routine = routine_find("cblas_sgemm"),
                              .seconds = 1};
    const char *why = "";
    bool right = true;
    int n, threads;
    if (!parse_options(&options, count, arguments))
        return usage();
    setenv("LAVABLAS_STATS", "/dev/null", 0); /* every call is recorded */
    if (!open_library(&options))
        return 1;
    if (options.blas.wait && options.blas.wait(&why) != 0)
        fprintf(stderr, "%s uses the CPU: %s\n", options.blas.path, why);
    printf("%6s %8s %8s %14s %14s %8s %8s %8s\n", "n", "threads", "calls", "alone, ms", "together, ms",
           "ratio", "on GPU", "on CPU");
    const char *sizes = options.sizes, *text = "";
    while (!*text && next_number(&sizes, 1 << 15, &n)) {
        text = options.threads;
        while (next_number(&text, MAX_THREADS, &threads))
            right = run(n, threads, &options) && right;
    }
    if (*sizes || *text)
        return usage();
    return right ? 0 : 1;
}
