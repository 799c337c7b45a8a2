/* Calls routines of all families and types from many threads for a given time, and checks every result. In a
 * build with fault injection, steps fail at random meanwhile, and near the end of each round the device is
 * lost. Tells what was wrong, lost or hung, how many faults came, and how memory and descriptors grew.
 *
 *   soak [--seconds S] [--rounds N] [--threads N] [--order N] [--seed N] [--faults] [--patience S]
 *        [--growth MIB] [--device] [--residents]
 *
 * Each round is a process of its own, in a share of the time; it prints its memory after each fifth. --order:
 * of the largest matrices. --patience: a call that takes longer hangs. --growth: of the memory after the
 * first fifth of a round, at most. --device: fails unless every family had calls on the device. Without
 * LAVABLAS_MODE=gpu the library chooses where a call runs. --residents: matrices stay on the device, and each
 * copy is compared in each call (LAVABLAS_RESIDENT=check). Before some calls a byte of A is stored anew as it
 * is, which makes its page a written one. Only matrices of 1 MiB or more stay: --order 400 for double.
 *
 * Invariant: the exit status is 0 only if nothing was wrong, lost, hung or grew too much, with --faults only
 * if faults came, with --residents only if copies were used and none differed. */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lavablas.h"
#include "lib/base/fault.h"
#include "lib/engine/engine.h"
#include "lib/engine/residents.h"
#include "lib/offload/context.h"
#include "perf/soak/soak_problem.h"
#include "tests/robustness/descriptors.h"

#define MOST_THREADS 256
#define PROBLEMS     3 /* of each routine */
#define FIFTHS       5

struct options {
    double seconds, patience_s, growth_mib;
    int rounds, threads, order;
    unsigned seed;
    bool faults, device, residents;
};

/* The threads' counters, read by the parent. */
static struct shared {
    atomic_long calls[SOAK_FAMILIES], on_device[SOAK_FAMILIES], wrong, lost;
    atomic_long faults_set, faults_came;
    atomic_long begun_ms[MOST_THREADS]; /* when a thread's call began; 0: none is under way */
    _Atomic(const struct soak_routine *) routine[MOST_THREADS];
    atomic_long growth_kib, descriptors;              /* of the round that grew most */
    atomic_long stored, used, refreshed, differences; /* copies of matrices */
} * shared;

static struct options options;
static struct soak_problem **problems;
static int problem_count;
static atomic_bool stopping;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_s(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static void make_problems(unsigned *seed) {
    problem_count = soak_routine_count * PROBLEMS;
    problems = calloc((size_t)problem_count, sizeof(void *));
    for (int i = 0; problems && i < problem_count; i++)
        problems[i] = soak_problem_new(&soak_routines[i % soak_routine_count], options.order, seed);
    if (!problems)
        exit(2);
}

static void make_call(int thread, const struct soak_problem *problem, struct soak_room *room) {
    struct lavablas_call last = {.size = sizeof last};
    enum soak_family family = problem->routine->family;
    shared->routine[thread] = problem->routine;
    shared->begun_ms[thread] = (long)(1e3 * now());
    int info = soak_call(problem, room);
    shared->begun_ms[thread] = 0;
    shared->calls[family]++;
    if (lavablas_last_call(&last) == 0 && strcmp(last.place, "gpu") == 0)
        shared->on_device[family]++;
    enum soak_outcome outcome = soak_check(problem, room, info);
    shared->wrong += outcome == SOAK_WRONG;
    shared->lost += outcome == SOAK_LOST;
}

static void *call_until_stopped(void *argument) {
    int thread = (int)(size_t)argument;
    unsigned seed = options.seed * 1000 + (unsigned)thread;
    struct soak_room room;
    if (!soak_room_init(&room, problems, problem_count))
        exit(2);
    while (!stopping) {
        const struct soak_problem *problem = problems[rand_r(&seed) % problem_count];
        if (options.residents && rand_r(&seed) % 4 == 0)
            __atomic_fetch_add((unsigned char *)problem->a + (size_t)rand_r(&seed) % problem->a_bytes, 0,
                               __ATOMIC_RELAXED);
        make_call(thread, problem, &room);
    }
    soak_room_finish(&room);
    return NULL;
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A fault that the device survives, at one of the next passages; `final`: one that it does not. */
static void inject(bool final, unsigned *seed) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "download", "allocate"};
    static const char *const final_points[] = {"wait", "device_lost", "vk"};
    char text[64];
    if (final)
        snprintf(text, sizeof text, "%s:%d:0", final_points[rand_r(seed) % 3], 1 + rand_r(seed) % 20);
    else
        snprintf(text, sizeof text, "%s:%d:%d", points[rand_r(seed) % 4], 1 + rand_r(seed) % 20,
                 1 + rand_r(seed) % 3);
    lava_fault_set(text);
    shared->faults_set++;
#else
    (void) final, (void)seed;
#endif
}

/* Waits until that time of the round, with faults meanwhile. */
static void wait_until(double end, bool final, unsigned *seed) {
    for (double left = end - now(); left > 0; left = end - now()) {
        if (options.faults)
            inject(final, seed);
        pause_s(left < 0.05 ? left : 0.05);
    }
}

struct held {
    long resident_kib, descriptors;
};

/* Waits for the end of a round, with faults meanwhile, at last those that the device does not survive; keeps
 * what the process holds after each fifth. */
static void wait_for_end(double seconds, unsigned *seed, struct held held[FIFTHS]) {
    const double begin = now();
    for (int i = 0; i < FIFTHS; i++) {
        double end = begin + seconds * (i + 1) / FIFTHS;
        if (i == FIFTHS - 1)
            wait_until(end - 0.1 * seconds, false, seed);
        wait_until(end, i == FIFTHS - 1, seed);
        held[i] = (struct held){resident_kib(), descriptors_count()};
    }
}

static void count_copies(void) {
    const struct lava_engine *engine = lava_context_engine();
    if (!engine || !engine->device->shared->residents)
        return;
    const struct lava_residents_sums sums = lava_residents_sums(engine->device->shared->residents);
    shared->stored += (long)sums.stored;
    shared->used += (long)sums.used;
    shared->refreshed += (long)sums.refreshed;
    shared->differences += (long)sums.differences;
}

/* Prints what a round held, and keeps how much it grew. */
static void report_round(int round, const struct held held[FIFTHS]) {
    const struct held *first = &held[0], *last = &held[FIFTHS - 1];
    long growth_kib = last->resident_kib - first->resident_kib,
         descriptors = last->descriptors - first->descriptors, came = 0;
#ifdef LAVA_FAULT_INJECTION
    came = lava_fault_came();
#endif
    printf("round %d: memory after each fifth", round + 1);
    for (int i = 0; i < FIFTHS; i++)
        printf(" %.1f", (double)held[i].resident_kib / 1024);
    printf(" MiB, %ld faults came\n", came);
    shared->faults_came += came;
    shared->growth_kib = growth_kib > shared->growth_kib ? growth_kib : shared->growth_kib;
    shared->descriptors = descriptors > shared->descriptors ? descriptors : shared->descriptors;
}

/* The process of a round. */
static int run_round(int round, double seconds, unsigned seed) {
    pthread_t threads[MOST_THREADS];
    const char *why = "";
    struct soak_room room;
    struct held held[FIFTHS];
    options.seed = seed;
    if (lavablas_wait(&why) != 0)
        printf("the CPU computes: %s\n", why);
    make_problems(&seed);
    if (!soak_room_init(&room, problems, problem_count))
        return 2;
    for (int i = 0; i < problem_count; i++) /* each kernel is prepared */
        make_call(0, problems[i], &room);
    for (int i = 0; i < options.threads; i++)
        if (pthread_create(&threads[i], NULL, call_until_stopped, (void *)(size_t)i) != 0)
            return 2;
    wait_for_end(seconds, &seed, held);
    report_round(round, held);
    stopping = true;
    for (int i = 0; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    count_copies();
    for (int i = 0; i < problem_count; i++)
        soak_problem_free(problems[i]);
    free(problems);
    soak_room_finish(&room);
    return 0;
}

/* Returns the routine of a call that takes too long, or NULL. */
static const struct soak_routine *hanging(void) {
    for (int i = 0; i < MOST_THREADS; i++) {
        long begun_ms = shared->begun_ms[i];
        if (begun_ms > 0 && 1e-3 * (double)begun_ms + options.patience_s < now())
            return shared->routine[i];
    }
    return NULL;
}

/* Returns whether the round ended by itself, with status 0. */
static bool supervise(pid_t child, double seconds, long *hung) {
    double last = now() + seconds + 4 * options.patience_s;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const struct soak_routine *routine = hanging();
        if (routine || now() > last) {
            printf("hung: %s, process %d\n", routine ? routine->name : "outside of a call", (int)child);
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            ++*hung;
            return false;
        }
        pause_s(0.02);
    }
    if (status != 0)
        printf("a round ended with status 0x%x\n", (unsigned)status);
    return status == 0;
}

static long print_calls(bool *everywhere) {
    long all = 0, all_device = 0;
    printf("%-8s %12s %12s %12s\n", "family", "calls", "device", "CPU");
    for (int i = 0; i < SOAK_FAMILIES; i++) {
        long calls = shared->calls[i], device = shared->on_device[i];
        printf("%-8s %12ld %12ld %12ld\n", soak_family_names[i], calls, device, calls - device);
        *everywhere = *everywhere && device > 0;
        all += calls;
        all_device += device;
    }
    printf("%-8s %12ld %12ld %12ld\n", "all", all, all_device, all - all_device);
    return all;
}

static int summarize(bool ended, long hung) {
    bool everywhere = true;
    long calls = print_calls(&everywhere);
    printf("wrong %ld, lost %ld, hung %ld; faults asked for %ld, came %ld; memory grew by %.1f MiB, "
           "descriptors by %ld\n",
           shared->wrong, shared->lost, hung, shared->faults_set, shared->faults_came,
           (double)shared->growth_kib / 1024, shared->descriptors);
    bool stay = !options.residents || (shared->used > 0 && shared->differences == 0);
    if (options.residents)
        printf("copies of matrices: %ld stored, %ld used, %ld uploaded anew in part, %ld differed\n",
               shared->stored, shared->used, shared->refreshed, shared->differences);
    if (options.faults && shared->faults_came == 0)
        printf("no fault came, although faults were asked for\n");
    if (options.device && !everywhere)
        printf("a family had no call on the device\n");
    return !(ended && calls > 0 && stay && shared->wrong == 0 && shared->lost == 0 && hung == 0 &&
             (double)shared->growth_kib <= 1024 * options.growth_mib && shared->descriptors <= 0 &&
             (everywhere || !options.device) && (shared->faults_came > 0 || !options.faults));
}

static int usage(void) {
    fprintf(stderr, "usage: soak [--seconds S] [--rounds N] [--threads N] [--order N] [--seed N] [--faults]\n"
                    "            [--patience S] [--growth MIB] [--device] [--residents]\n");
    return 2;
}

static bool parse_options(int count, char **arguments) {
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"order", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 'x'},
                                          {"faults", no_argument, NULL, 'f'},
                                          {"patience", required_argument, NULL, 'p'},
                                          {"growth", required_argument, NULL, 'g'},
                                          {"device", no_argument, NULL, 'd'},
                                          {"residents", no_argument, NULL, 'k'},
                                          {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        double value = optarg ? atof(optarg) : 0;
        switch (option) {
        case 's':
            options.seconds = value;
            break;
        case 'r':
            options.rounds = (int)value;
            break;
        case 't':
            options.threads = (int)value;
            break;
        case 'n':
            options.order = (int)value;
            break;
        case 'x':
            options.seed = (unsigned)value;
            break;
        case 'p':
            options.patience_s = value;
            break;
        case 'g':
            options.growth_mib = value;
            break;
        case 'f':
            options.faults = true;
            break;
        case 'd':
            options.device = true;
            break;
        case 'k':
            options.residents = true;
            break;
        default:
            return false;
        }
    }
    return optind == count && options.seconds > 0 && options.rounds > 0 && options.threads > 0 &&
           options.threads <= MOST_THREADS && options.order > 0 && options.order <= 4096 &&
           options.patience_s > 0;
}

int main(int count, char **arguments) {
    options = (struct options){.seconds = 60,
                               .patience_s = 60,
                               .growth_mib = 64,
                               .rounds = 1,
                               .threads = 8,
                               .order = 200,
                               .seed = (unsigned)time(NULL) % 1000000};
    if (!parse_options(count, arguments))
        return usage();
#ifndef LAVA_FAULT_INJECTION
    if (options.faults) {
        fprintf(stderr, "soak: --faults needs a build with -Dfault_injection=true\n");
        return 2;
    }
#endif
    setenv("LAVABLAS_STATS", "/dev/null", 0); /* every call is recorded */
    if (options.residents)
        setenv("LAVABLAS_RESIDENT", "check", 1);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    printf("soak: seed %u, %g s in %d rounds, %d threads, orders up to %d%s\n", options.seed, options.seconds,
           options.rounds, options.threads, options.order, options.faults ? ", with faults" : "");
    bool ended = true;
    long hung = 0;
    for (int round = 0; round < options.rounds; round++) {
        double seconds = options.seconds / options.rounds;
        fflush(NULL);
        memset((void *)shared->begun_ms, 0, sizeof shared->begun_ms);
        pid_t child = fork();
        if (child == 0)
            exit(run_round(round, seconds, options.seed + (unsigned)round));
        ended = child > 0 && supervise(child, seconds, &hung) && ended;
    }
    return summarize(ended, hung);
}
