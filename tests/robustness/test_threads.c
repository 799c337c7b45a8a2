/* Many threads, threads that end, are cancelled or interrupted, and callers with their own floating-point
 * environment: the bits are those of a single thread, and the caller's state is unchanged. */
#include "tests/robustness/cases.h"

#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__x86_64__)
#    include <xmmintrin.h>
#endif

#define SHAPES  6
#define THREADS 40
#define CALLS   6

#define MIXED         8
#define MIXED_THREADS 6
#define MIXED_CALLS   16

static struct product products[SHAPES] = {
    {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f},
    {.transpose_a = true, .m = 33, .n = 260, .k = 90, .alpha = -1.0f, .beta = 1.0f},
    {.transpose_b = true, .m = 257, .n = 31, .k = 17, .alpha = 0.5f, .beta = -2.0f},
    {.transpose_a = true, .transpose_b = true, .m = 96, .n = 96, .k = 300, .alpha = 1.0f, .beta = 0.0f},
    {.m = 1, .n = 500, .k = 65, .alpha = 2.0f, .beta = 1.0f},
    {.m = 64, .n = 64, .k = 1, .alpha = -0.25f, .beta = 0.75f},
};
static float *alone[SHAPES]; /* C as a single thread computes it */

static void make_products(void) {
    for (int i = 0; i < SHAPES; i++) {
        product_make(&products[i], (unsigned)i + 1);
        alone[i] = product_new_c(&products[i]);
        case_call(&products[i], alone[i]);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        CASE_CHECK(product_check(&products[i], alone[i], "alone"));
    }
}

static void free_products(void) {
    for (int i = 0; i < SHAPES; i++) {
        product_free(&products[i]);
        free(alone[i]);
    }
}

/* Computes one product and compares its bits. */
static void repeat(int shape) {
    float *c = product_new_c(&products[shape]);
    case_call(&products[shape], c);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    CASE_CHECK(!memcmp(c, alone[shape], product_c_bytes(&products[shape])));
    free(c);
}

static void *call_all(void *first) {
    for (int i = 0; i < CALLS; i++)
        repeat((int)((size_t)first + (size_t)(i * 5)) % SHAPES);
    return NULL;
}

static int storm(void) {
    pthread_t threads[THREADS];
    make_products();
    for (size_t i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_all, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free_products();
    return case_result();
}

/* Products of every type, operation and layout. */
static struct product mixed[MIXED] = {
    {.m = 300, .n = 170, .k = 80, .alpha = 1.25f, .beta = 0.5f},
    {.type = LAVA_TYPE_FP16, .transpose_a = true, .m = 150, .n = 210, .k = 90, .alpha = -1.0f, .beta = 1.0f},
    {.transpose_a = true, .transpose_b = true, .m = 65, .n = 400, .k = 33, .alpha = 1.0f, .beta = 0.0f},
    {.type = LAVA_TYPE_FP16,
     .type_c = LAVA_TYPE_FP16,
     .transpose_b = true,
     .m = 260,
     .n = 100,
     .k = 70,
     .alpha = 0.5f,
     .beta = -2.0f},
    {.row_major = true, .transpose_b = true, .m = 31, .n = 257, .k = 300, .alpha = 0.5f, .beta = -2.0f},
    {.type = LAVA_TYPE_BF16, .row_major = true, .m = 97, .n = 330, .k = 40, .alpha = 2.0f, .beta = 0.0f},
    {.transpose_a = true, .m = 500, .n = 20, .k = 128, .alpha = -0.25f, .beta = 1.0f},
    {.type = LAVA_TYPE_BF16,
     .type_c = LAVA_TYPE_BF16,
     .transpose_a = true,
     .transpose_b = true,
     .m = 130,
     .n = 140,
     .k = 150,
     .alpha = 1.0f,
     .beta = 0.75f},
};
static const char *mixed_place[MIXED]; /* the CPU if the device has no kernel of the type */

static void *call_mixed(void *first) {
    for (size_t i = 0; i < MIXED_CALLS; i++) {
        size_t which = ((size_t)first + i * (2 * (size_t)first + 1)) % MIXED;
        case_multiply(&mixed[which], mixed_place[which]);
    }
    return NULL;
}

static int mixed_types(void) {
    pthread_t threads[MIXED_THREADS];
    for (unsigned i = 0; i < MIXED; i++) {
        product_make(&mixed[i], i + 1);
        case_multiply(&mixed[i], NULL);
        mixed_place[i] = case_place(NULL);
    }
    CASE_CHECK(!strcmp(mixed_place[0], "gpu"));
    for (size_t i = 0; i < MIXED_THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_mixed, (void *)i) == 0);
    for (size_t i = 0; i < MIXED_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < MIXED; i++)
        product_free(&mixed[i]);
    return case_result();
}

/* The first products of a process run at once: there is one preparation, and every product completes. */
static void *call_first(void *unused) {
    case_multiply(&products[0], NULL);
    return unused;
}

static int first_calls(void) {
    pthread_t threads[THREADS];
    product_make(&products[0], 1);
    for (int i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_first, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    case_multiply(&products[0], NULL);
    product_free(&products[0]);
    return case_result();
}

static int short_threads(void) {
    make_products();
    for (size_t i = 0; i < 100; i++) {
        pthread_t thread;
        CASE_CHECK(pthread_create(&thread, NULL, call_all, (void *)i) == 0);
        pthread_join(thread, NULL);
    }
    free_products();
    return case_result();
}

static void *call_until_cancelled(void *memory) {
    for (;;) {
        case_call(&products[0], memory);
        pthread_testcancel();
    }
    return NULL;
}

static int cancel(void) {
    make_products();
    float *memory[2] = {product_new_c(&products[0]), product_new_c(&products[0])};
    for (int i = 0; i < 40; i++) {
        pthread_t threads[2];
        for (int j = 0; j < 2; j++)
            CASE_CHECK(pthread_create(&threads[j], NULL, call_until_cancelled, memory[j]) == 0);
        case_sleep(0.0003 * (i % 20));
        for (int j = 0; j < 2; j++)
            pthread_cancel(threads[j]);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
        repeat(i % SHAPES);
    }
    for (int j = 0; j < 2; j++)
        free(memory[j]);
    free_products();
    return case_result();
}

static atomic_int alarms, strangers; /* signals taken by this thread, by any other */
static pid_t main_thread;

static void take_alarm(int number) {
    (void)number;
    alarms++;
    strangers += syscall(SYS_gettid) != main_thread;
}

/* Counts the threads of this process, except the main one, that do not block SIGALRM. */
static int threads_with_signals(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], line[200];
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        bool other = entry->d_name[0] != '.' && atoi(entry->d_name) != main_thread;
        FILE *file = other ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        while (fgets(line, sizeof line, file))
            sscanf(line, "SigBlk: %llx", &blocked);
        count += !(blocked & 1ull << (SIGALRM - 1));
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return count;
}

static int interrupted(void) {
    const struct sigaction action = {.sa_handler = take_alarm}; /* no SA_RESTART */
    const struct itimerval every_ms = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}};
    const struct itimerval never = {.it_interval = {.tv_usec = 0}};
    main_thread = (pid_t)syscall(SYS_gettid);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every_ms, NULL);
    make_products(); /* includes the preparation */
    for (int i = 0; i < 200; i++)
        repeat(i % SHAPES);
    setitimer(ITIMER_REAL, &never, NULL);
    CASE_CHECK(alarms > 20);
    CASE_CHECK(strangers == 0);
    /* OpenBLAS has no threads here: every other thread is the library's or the driver's */
    CASE_CHECK(threads_with_signals() == 0);
    free_products();
    return case_result();
}

static int errno_unchanged(void) {
    product_make(&products[0], 1);
    float *c = product_new_c(&products[0]);
    for (int i = 0; i < 3; i++) {
        errno = 4711;
        case_call(&products[0], c);
        CASE_CHECK(errno == 4711);
    }
    free(c);
    product_free(&products[0]);
    return case_result();
}

/* The caller's floating-point environment, flags included, as one number. */
static unsigned environment(void) {
    unsigned state = (unsigned)fegetround() | (unsigned)fetestexcept(FE_ALL_EXCEPT) << 16;
#if defined(__x86_64__)
    state ^= _mm_getcsr();
#endif
    return state;
}

/* Flushes subnormals, and has flags raised. With directed rounding, or exceptions that trap, the CPU BLAS
 * computes (tests/library/test_near_underflow.c). */
static void set_environment(void) {
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

/* Returns C of the first product of a process whose environment is `strange` from the start. */
static float *first_c(bool strange) {
    product_make(&products[0], 1);
    /* a subnormal that a flushing write-back would lose, and a NaN */
    products[0].c0[0] = 0x1p-140f;
    products[0].c0[1] = (float)NAN;
    float *c = product_new_c(&products[0]);
    if (strange)
        set_environment();
    unsigned before = environment();
    case_call(&products[0], c);
    unsigned after = environment();
    fesetenv(FE_DFL_ENV);
    CASE_CHECK(before == after);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    return c;
}

static int floating_point(void) {
    float *strange = first_c(true);
    size_t bytes = product_c_bytes(&products[0]);
    float *usual = first_c(false);
    CASE_CHECK(!memcmp(strange, usual, bytes));
    /* both ways once more, after all threads were started in the other environment */
    float *again = first_c(true);
    CASE_CHECK(!memcmp(again, usual, bytes));
    free(strange);
    free(usual);
    free(again);
    return case_result();
}

#define ALIKE 12

/* Products of the same sizes after each other: the previous plan is used if it may be, and only then. */
static int alike(void) {
    static const enum lava_type types[][2] = {
        {LAVA_TYPE_FP32, LAVA_TYPE_FP32}, {LAVA_TYPE_FP16, LAVA_TYPE_FP32}, {LAVA_TYPE_FP16, LAVA_TYPE_FP16}};
    struct product all[ALIKE];
    for (int i = 0; i < ALIKE; i++) {
        all[i] = (struct product){.type = types[i % 3][0],
                                  .type_c = types[i % 3][1],
                                  .transpose_a = i / 3 % 2,
                                  .m = 96,
                                  .n = 130,
                                  .k = 70,
                                  .alpha = 1.5f,
                                  .beta = i / 6 ? 0.5f : 0.0f};
        product_make(&all[i], (unsigned)i);
    }
    for (int i = 0; i < ALIKE; i++)
        for (int j = 0; j < ALIKE; j++) {
            case_multiply(&all[i], NULL);
            case_multiply(&all[j], NULL);
        }
    for (int i = 0; i < ALIKE; i++)
        product_free(&all[i]);
    return case_result();
}

/* LAPACK's routines: names and arguments as in Fortran. */
void dgesv_(const int *n, const int *sides, double *a, const int *lda, int *pivots, double *b, const int *ldb,
            int *info);
void dposv_(const char *uplo, const int *n, const int *sides, double *a, const int *lda, double *b,
            const int *ldb, int *info, size_t length);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);

#define ORDER          70
#define SYSTEM         (ORDER * (ORDER + 1)) /* A and one right-hand side */
#define LAPACK_THREADS 6
static double factored[3][SYSTEM]; /* what a single thread gets of each routine */

/* The diagonal outweighs the rest, so A suits every routine. */
static void make_system(double *system) {
    for (int i = 0; i < SYSTEM; i++)
        system[i] = i % (ORDER + 1) == 0 ? 2 * ORDER : (i / ORDER + i % ORDER) % 7 - 3;
}

/* Returns the floating-point environment right after the call. */
static unsigned call_lapack(int routine, double *system) {
    static const int order = ORDER, one = 1, length = 64 * ORDER;
    double *right = system + ORDER * ORDER, work[64 * ORDER];
    int pivots[ORDER], info = -99;
    if (routine == 0)
        dgesv_(&order, &one, system, &order, pivots, right, &order, &info);
    else if (routine == 1)
        dposv_("L", &order, &one, system, &order, right, &order, &info, 1);
    else
        dgeqrf_(&order, &order, system, &order, right, work, &length, &info);
    int error = errno;
    unsigned after = environment();
    CASE_CHECK(info == 0);
    CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
    errno = error;
    return after;
}

/* The same bits as a single thread's, with products between the calls. */
static void *call_lapack_in_turn(void *first) {
    double system[SYSTEM];
    for (size_t i = (size_t)first; i < (size_t)first + CALLS; i++) {
        make_system(system);
        call_lapack((int)(i % 3), system);
        CASE_CHECK(!memcmp(system, factored[i % 3], sizeof system));
        repeat((int)(i % SHAPES));
    }
    return NULL;
}

static int lapack_storm(void) {
    pthread_t threads[LAPACK_THREADS];
    make_products();
    for (int i = 0; i < 3; i++) {
        make_system(factored[i]);
        call_lapack(i, factored[i]);
    }
    for (size_t i = 0; i < LAPACK_THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_lapack_in_turn, (void *)i) == 0);
    for (size_t i = 0; i < LAPACK_THREADS; i++)
        pthread_join(threads[i], NULL);
    free_products();
    return case_result();
}

/* errno and the floating-point environment, also of a process that begins with an unusual one. The flag for
 * inexact results is left out: the comparison of an order with the cut-off raises it, as any LAPACK does. */
static int lapack_environment(void) {
    const unsigned inexact = FE_INEXACT | FE_INEXACT << 16;
    double system[SYSTEM];
    for (int i = 0; i < 6; i++) {
        make_system(system);
        if (i < 3)
            set_environment();
        unsigned before = environment();
        errno = 4711;
        unsigned after = call_lapack(i % 3, system);
        int error = errno;
        fesetenv(FE_DFL_ENV);
        CASE_CHECK(error == 4711);
        CASE_CHECK((before | inexact) == (after | inexact));
        if (i < 3)
            memcpy(factored[i], system, sizeof system);
        CASE_CHECK(!memcmp(system, factored[i % 3], sizeof system));
    }
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "storm", .run = storm},
    {.name = "alike", .run = alike},
    {.name = "mixed_types", .run = mixed_types},
    {.name = "first_calls_sync", .run = first_calls},
    {.name = "first_calls_async",
     .run = first_calls,
     .variables = {"LAVABLAS_INIT=async", "OPENBLAS_NUM_THREADS=1"}},
    {.name = "short_threads", .run = short_threads},
    {.name = "cancel", .run = cancel},
    {.name = "interrupted", .run = interrupted, .variables = {"OPENBLAS_NUM_THREADS=1"}},
    {.name = "errno_unchanged", .run = errno_unchanged},
    {.name = "floating_point", .run = floating_point},
    {.name = "lapack_storm", .run = lapack_storm},
    {.name = "lapack_environment", .run = lapack_environment},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
