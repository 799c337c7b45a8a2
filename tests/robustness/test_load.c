/* Load and shortage: hundreds of threads, callers with small stacks, a process that has used up its
 * descriptors, and another process on the same device. Results are right, and the device goes on. */
#include "tests/robustness/cases.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS     300
#define SHAPES      3
#define DESCRIPTORS 256
#define ORDER       70

/* A call needs 20 KiB of the caller's stack. OpenBLAS with two threads needs more than 32 KiB. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define SMALL_STACK (512u << 10)
#else
#    define SMALL_STACK (64u << 10)
#endif

/* One for the CPU's own cut-off, two for the device. */
static struct product products[SHAPES] = {
    {.m = 5, .n = 7, .k = 3, .alpha = 1.25f, .beta = 0.5f},
    {.transpose_a = true, .m = 60, .n = 33, .k = 40, .alpha = -1.0f, .beta = 1.0f},
    {.type = LAVA_TYPE_FP64,
     .type_c = LAVA_TYPE_FP64,
     .transpose_b = true,
     .m = 31,
     .n = 64,
     .k = 50,
     .alpha = 0.5f,
     .beta = 0.0f},
};

/* Has their types prepared. */
static void make_products(void) {
    for (int i = 0; i < SHAPES; i++) {
        product_make(&products[i], (unsigned)i + 1);
        case_multiply(&products[i], "gpu");
    }
}

static void free_products(void) {
    for (int i = 0; i < SHAPES; i++)
        product_free(&products[i]);
}

static pthread_barrier_t all_are_there;

static void *multiply_together(void *first) {
    pthread_barrier_wait(&all_are_there);
    for (size_t i = 0; i < 2; i++)
        case_multiply(&products[((size_t)first + i) % SHAPES], "gpu");
    return NULL;
}

/* All exist at the same time. */
static int many_threads(void) {
    static pthread_t threads[THREADS];
    make_products();
    pthread_barrier_init(&all_are_there, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, multiply_together, (void *)i) != 0)
            _exit(case_result() ? 1 : CASE_SKIPPED); /* the others wait for ever */
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_are_there);
    free_products();
    return case_result();
}

/* LAPACK's routine: its name and arguments are as in Fortran. */
void dgesv_(const int *n, const int *sides, double *a, const int *lda, int *pivots, double *b, const int *ldb,
            int *info);

/* A thread with a small stack makes the calls alone: the check needs more. */
static void *results[SHAPES];
static bool is_on_device[SHAPES + 1];
static double matrix[ORDER * ORDER], right_side[ORDER];

static bool was_on_device(void) {
    return !strcmp(case_place(NULL), "gpu");
}

static void *call_each(void *info) {
    static const int order = ORDER, one = 1;
    static int pivots[ORDER];
    for (int i = 0; i < SHAPES; i++) {
        case_call(&products[i], results[i]);
        is_on_device[i] = was_on_device();
    }
    dgesv_(&order, &one, matrix, &order, pivots, right_side, &order, info);
    is_on_device[SHAPES] = was_on_device();
    return NULL;
}

/* 2 on the diagonal, and 4 on the right. */
static void make_system(void) {
    for (int i = 0; i < ORDER * ORDER; i++)
        matrix[i] = i % (ORDER + 1) == 0 ? 2 : 0;
    for (int i = 0; i < ORDER; i++)
        right_side[i] = 4;
}

static void check_calls(int info) {
    for (int i = 0; i < SHAPES; i++)
        CASE_CHECK(product_check(&products[i], results[i], "small stack"));
    for (int i = 0; i <= SHAPES; i++)
        CASE_CHECK(is_on_device[i]);
    CASE_CHECK(info == 0);
    for (int i = 0; i < ORDER; i++)
        CASE_CHECK(right_side[i] > 1.9999 && right_side[i] < 2.0001);
}

/* The first call of the process, with the preparation of the device, and later ones. */
static int small_stacks(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CASE_CHECK(pthread_attr_setstacksize(&attributes, SMALL_STACK) == 0);
    for (int i = 0; i < SHAPES; i++)
        product_make(&products[i], (unsigned)i + 1);
    for (int round = 0; round < 3; round++) {
        int info = -99;
        make_system();
        for (int i = 0; i < SHAPES; i++)
            results[i] = product_new_c(&products[i]);
        CASE_CHECK(pthread_create(&thread, &attributes, call_each, &info) == 0);
        pthread_join(thread, NULL);
        check_calls(info);
        for (int i = 0; i < SHAPES; i++)
            free(results[i]);
    }
    pthread_attr_destroy(&attributes);
    free_products();
    return case_result();
}

/* Whoever opens the next file gets EMFILE. */
static int no_more_descriptors(void) {
    const struct rlimit limit = {DESCRIPTORS, DESCRIPTORS};
    int last = -1, next;
    make_products();
    CASE_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while ((next = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        last = next;
    for (int i = 0; i < 4 * SHAPES; i++)
        case_multiply(&products[i % SHAPES], "gpu");
    if (last >= 0)
        close(last); /* the end of the process may need one */
    free_products();
    return case_result();
}

/* Both compute at the same time, on the same device. */
static int two_processes(void) {
    pthread_barrier_t *both =
        mmap(NULL, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    int status = -1;
    if (both == MAP_FAILED)
        return CASE_SKIPPED;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(both, &shared, 2);
    pid_t child = fork(); /* before the first call, so that the child has a device of its own */
    if (child < 0)
        return CASE_SKIPPED;
    make_products();
    pthread_barrier_wait(both);
    for (int i = 0; i < 20 * SHAPES; i++)
        case_multiply(&products[i % SHAPES], "gpu");
    free_products();
    if (child == 0)
        exit(case_result());
    CASE_CHECK(waitpid(child, &status, 0) == child && status == 0);
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "many_threads", .run = many_threads},
    {.name = "small_stacks", .run = small_stacks, .variables = {"OPENBLAS_NUM_THREADS=1"}},
    {.name = "no_more_descriptors", .run = no_more_descriptors},
    {.name = "two_processes", .run = two_processes},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
