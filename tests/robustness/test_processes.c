/* fork, exit and everything else that ends or duplicates a process, with products before, during and
 * after. */
#include "tests/robustness/cases.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lavablas_cblas.h"
#include "lavablas_lapack.h"

#define CHILD_S 10

/* A kernel takes seconds to compile, and a sanitizer doubles them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define COMPILATIONS 2
#else
#    define COMPILATIONS 4
#endif

static struct product product = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};
static struct product other = {
    .transpose_a = true, .m = 130, .n = 260, .k = 90, .alpha = -1.0f, .beta = 1.0f};
static atomic_bool stopped;
static atomic_int products; /* computed by the threads */

/* The thread sanitizer calls atexit's functions itself, after those of on_exit. The order that the library
 * relies on is lost. */
#if defined(__SANITIZE_THREAD__)
#    define EXIT_IS_REORDERED 1
#else
#    define EXIT_IS_REORDERED 0
#endif

/* Returns the status of a child that runs this function. */
static int status_of(int child(void)) {
    int status = -1;
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        alarm(CHILD_S);
        exit(child());
    }
    if (waitpid(id, &status, 0) != id || (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM))
        fprintf(stderr, "a child ended with status 0x%x\n", (unsigned)status);
    return status;
}

static int multiply_forked(void) {
    const char *reason;
    case_multiply(&product, "cpu");
    case_place(&reason);
    CASE_CHECK(strstr(reason, "forked") != NULL);
    return case_result() ? 1 : 7;
}

static int fork_again(void) {
    CASE_CHECK(status_of(multiply_forked) == 7 << 8);
    return multiply_forked();
}

static int nothing(void) {
    return 7;
}

static int fork_after_products(void) {
    if (EXIT_IS_REORDERED)
        return CASE_SKIPPED;
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(status_of(multiply_forked) == 7 << 8);
        CASE_CHECK(status_of(fork_again) == 7 << 8);
        CASE_CHECK(status_of(nothing) == 7 << 8);
        case_multiply(&product, "gpu");
    }
    product_free(&product);
    return case_result();
}

/* Without its cache the driver compiles and writes it in threads, more than when it finds everything. */
static int fork_without_caches(void) {
    char folder[] = "/tmp/lavablas-fork-XXXXXX", command[64];
    if (!mkdtemp(folder))
        return CASE_SKIPPED;
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("MESA_SHADER_CACHE_DIR", folder, 1);
    int result = fork_after_products();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : result;
}

/* Output that a child has printed but not flushed is not lost. */
static FILE *printed;
static int print_some(void) {
    fputs("some", printed);
    return multiply_forked();
}

static int fork_child_prints(void) {
    if (EXIT_IS_REORDERED)
        return CASE_SKIPPED;
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    printed = tmpfile();
    if (!CASE_CHECK(printed != NULL))
        return 1;
    CASE_CHECK(status_of(print_some) == 7 << 8);
    fseek(printed, 0, SEEK_END);
    CASE_CHECK(ftell(printed) == 4);
    fclose(printed);
    product_free(&product);
    return case_result();
}

/* A product in the child, computed anywhere: nothing was started in the parent. */
static int multiply_anywhere(void) {
    case_multiply(&product, NULL);
    return case_result() ? 1 : 7;
}

static int fork_before_products(void) {
    product_make(&product, 1);
    CASE_CHECK(status_of(multiply_anywhere) == 7 << 8);
    case_multiply(&product, "gpu");
    product_free(&product);
    return case_result();
}

static void *multiply_until_stopped(void *which) {
    while (!stopped) {
        case_multiply(which, NULL);
        products++;
    }
    return NULL;
}

static void wait_for_products(int count) {
    for (int start = products; products < start + count && !case_result();)
        case_sleep(0.0005);
}

static int fork_during_products(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    pthread_t threads[2];
    product_make(&product, 1);
    product_make(&other, 2);
    case_multiply(&product, "gpu");
    pthread_create(&threads[0], NULL, multiply_until_stopped, &other);
    pthread_create(&threads[1], NULL, multiply_until_stopped, &product);
    wait_for_products(2);
    for (int i = 0; i < 20 && !case_result(); i++) {
        case_sleep(0.0007 * i);
        CASE_CHECK(status_of(i % 4 ? multiply_forked : nothing) == 7 << 8);
    }
    stopped = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    case_multiply(&product, "gpu");
    product_free(&product);
    product_free(&other);
    return case_result();
}

/* Calls of a triangular solve, a factorization and a batch. The elements are small integers, so that results
 * are exact wherever they are computed. */
enum { ORDER = 80, AREA = ORDER * ORDER, BATCH = 30, EACH = 20, BATCH_AREA = BATCH * EACH * EACH };
static float factor[AREA], given[AREA], multiplied[AREA], squared[AREA];
static float batch_a[BATCH_AREA], batch_b[BATCH_AREA], batch_c[BATCH_AREA];

/* factor: lower, with 2 on its diagonal. multiplied: it times `given`; squared: times its transpose. */
static void make_calls(void) {
    for (int i = 0; i < AREA; i++) {
        int row = i % ORDER, column = i / ORDER;
        factor[i] = row == column ? 2 : row > column ? (float)((row * 7 + column * 5) % 3 - 1) : 0;
        given[i] = (float)((row * 3 + column * 11) % 7 - 3);
    }
    for (int i = 0; i < AREA; i++)
        for (int k = 0; k < ORDER; k++) {
            multiplied[i] += factor[i % ORDER + k * ORDER] * given[k + i / ORDER * ORDER];
            squared[i] += factor[i % ORDER + k * ORDER] * factor[i / ORDER + k * ORDER];
        }
    for (int i = 0; i < BATCH_AREA; i++) {
        batch_a[i] = (float)(i % 7 - 3);
        batch_b[i] = (float)(i % 5 - 2);
    }
    for (int i = 0; i < BATCH_AREA; i++) {
        int first = i / (EACH * EACH) * EACH * EACH, row = i % EACH, column = i / EACH % EACH;
        for (int k = 0; k < EACH; k++)
            batch_c[i] += batch_a[first + row + k * EACH] * batch_b[first + k + column * EACH];
    }
}

static void solve(void) {
    float x[AREA];
    memcpy(x, multiplied, sizeof x);
    cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, ORDER, ORDER, 1, factor,
                ORDER, x, ORDER);
    bool is_right = true;
    for (int i = 0; i < AREA; i++)
        is_right = is_right && fabsf(x[i] - given[i]) <= 0;
    CASE_CHECK(is_right);
}

static void factorize(void) {
    float x[AREA];
    int n = ORDER, info = -1;
    memcpy(x, squared, sizeof x);
    spotrf_("L", &n, x, &n, &info, 1);
    bool is_right = info == 0;
    for (int i = 0; i < AREA; i++)
        is_right = is_right && fabsf(x[i] - (i % ORDER < i / ORDER ? squared[i] : factor[i])) <= 0;
    CASE_CHECK(is_right);
}

static void multiply_batch(void) {
    float c[BATCH_AREA];
    memset(c, -1, sizeof c);
    cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, EACH, EACH, EACH, 1, batch_a, EACH,
                              EACH * EACH, batch_b, EACH, EACH * EACH, 0, c, EACH, EACH * EACH, BATCH);
    bool is_right = true;
    for (int i = 0; i < BATCH_AREA; i++)
        is_right = is_right && fabsf(c[i] - batch_c[i]) <= 0;
    CASE_CHECK(is_right);
}

static void (*const calls[])(void) = {solve, factorize, multiply_batch};
#define CALLS (int)(sizeof calls / sizeof calls[0])

static void call_each(const char *place) {
    for (int i = 0; i < CALLS; i++) {
        calls[i]();
        CASE_CHECK(!strcmp(case_place(NULL), place));
    }
}

/* first: which of the calls is the first; each thread begins with another one. */
static void *call_until_stopped(void *first) {
    for (int i = *(const int *)first; !stopped && !case_result(); i++) {
        calls[i % CALLS]();
        products++;
    }
    return NULL;
}

static void start_calls(pthread_t *threads) {
    static const int firsts[] = {0, 1};
    make_calls();
    call_each("gpu");
    for (int i = 0; i < 2; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_until_stopped, (void *)(intptr_t)&firsts[i]) == 0);
    wait_for_products(2 * CALLS);
}

static int call_forked(void) {
    call_each("cpu");
    return case_result() ? 1 : 7;
}

static int fork_during_calls(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    pthread_t threads[2];
    start_calls(threads);
    for (int i = 0; i < 20 && !case_result(); i++) {
        case_sleep(0.0007 * i);
        CASE_CHECK(status_of(i % 4 ? call_forked : nothing) == 7 << 8);
    }
    stopped = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    call_each("gpu");
    return case_result();
}

/* Multiplies until this has started the preparation. At its end this thread waits for it. */
static void start_preparation(void) {
    const int size = 1000;
    const char *reason = "";
    struct product large = {
        .m = size, .n = size, .k = size, .lda = size, .ldb = size, .ldc = size, .alpha = 1};
    float *zeros = calloc((size_t)size * (size_t)size * 3, sizeof *zeros);
    large.a = zeros;
    large.b = zeros + (size_t)size * (size_t)size;
    product_make(&product, 1);
    for (int i = 0; i < 1000 && !strstr(reason, "prepared"); i++) {
        case_call(&large, zeros + 2 * (size_t)size * (size_t)size);
        case_place(&reason);
    }
    CASE_CHECK(strstr(reason, "prepared") != NULL);
    free(zeros);
}

/* Forks while the device is being prepared. */
static int fork_during_preparation(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    start_preparation();
    for (int i = 0; i < 10; i++) {
        CASE_CHECK(status_of(i % 2 ? multiply_forked : nothing) == 7 << 8);
        case_sleep(0.005);
    }
    case_multiply(&product, NULL);
    product_free(&product);
    return case_result();
}

/* Forks at moments around the release of memory. The child has no thread for that and no lock to wait for. */
static int fork_when_idle(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    for (int i = 0; i < 20; i++) {
        case_sleep(0.0005 * i);
        CASE_CHECK(status_of(i % 2 ? multiply_forked : nothing) == 7 << 8);
        if (i % 3 == 0)
            case_multiply(&product, "gpu");
    }
    product_free(&product);
    return case_result();
}

static int multiply_and_hang_about(void) {
    case_multiply(&product, "cpu");
    kill(getpid(), SIGTERM);
    return 1;
}

static int fork_child_is_killed(void) {
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    CASE_CHECK(status_of(multiply_and_hang_about) == SIGTERM);
    case_multiply(&product, "gpu");
    product_free(&product);
    return case_result();
}

/* Products in flight in two threads, at a different moment each time. */
static void start_products(void) {
    pthread_t thread;
    product_make(&product, 1);
    product_make(&other, 2);
    pthread_create(&thread, NULL, multiply_until_stopped, &product);
    pthread_create(&thread, NULL, multiply_until_stopped, &other);
    wait_for_products(2);
    case_sleep((double)(getpid() % 16) * 0.0005);
    case_ends();
}

static int end_by_return(void) {
    start_products();
    return 3;
}

static int end_by_exit(void) {
    start_products();
    exit(3);
}

static int end_by__exit(void) {
    start_products();
    _exit(3);
}

/* Calls in flight, at a different moment each time. */
static void start_ending_calls(void) {
    pthread_t threads[2];
    start_calls(threads);
    case_sleep((double)(getpid() % 16) * 0.0005);
    if (case_result())
        _exit(1);
    case_ends();
}

static int end_calls_by_exit(void) {
    start_ending_calls();
    exit(3);
}

static int end_calls_by_kill(void) {
    start_ending_calls();
    kill(getpid(), SIGTERM);
    return 1;
}

static int end_by_quick_exit(void) {
    start_products();
    quick_exit(3);
}

static int end_by_abort(void) {
    signal(SIGABRT, SIG_DFL);
    start_products();
    abort();
}

/* One product that takes far longer than exit waits. */
static void *multiply_long(void *unused) {
    const int size = 4000;
    (void)unused;
    struct product large = {.m = size, .n = size, .k = size, .lda = size, .ldb = size, .ldc = size};
    large.a = calloc((size_t)size * (size_t)size, sizeof(float));
    large.b = calloc((size_t)size * (size_t)size, sizeof(float));
    large.alpha = 1;
    float *c = calloc((size_t)size * (size_t)size, sizeof(float));
    case_call(&large, c);
    return NULL;
}

static int end_during_long_product(void) {
    pthread_t thread;
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    pthread_create(&thread, NULL, multiply_long, NULL);
    case_sleep(0.2);
    case_ends();
    exit(3);
}

static int end_during_preparation(void) {
    start_preparation();
    case_sleep((double)(getpid() % 16) * 0.004);
    case_ends();
    exit(case_result() ? 1 : 3);
}

/* The device's compiler works for seconds if nothing is cached. Its own exit handlers must not run
 * meanwhile. */
static int end_during_compilation(void) {
    start_preparation();
    case_sleep(0.1 + (double)(getpid() % 16) * 0.05);
    case_ends();
    exit(case_result() ? 1 : 3);
}

/* A program whose own handler, registered before the library's, waits for its threads. */
static pthread_t worker;
static void join_worker(void) {
    stopped = true;
    pthread_join(worker, NULL);
}

static int end_joins_threads(void) {
    atexit(join_worker);
    product_make(&product, 1);
    product_make(&other, 2);
    case_multiply(&product, "gpu");
    pthread_create(&worker, NULL, multiply_until_stopped, &other);
    wait_for_products(1);
    case_ends();
    exit(3);
}

/* Products in the program's own exit handlers, before and after the library's. */
static void multiply_at_exit(void) {
    if (!case_multiply(&product, NULL))
        _exit(1);
}

static int end_with_products(void) {
    atexit(multiply_at_exit);
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    atexit(multiply_at_exit);
    case_ends();
    exit(3);
}

/* Exits at moments around the release of memory, with hardly any delay. This handler runs after the
 * library's. */
static double ended_s;
static void check_delay(void) {
    if (case_now() - ended_s > 0.5)
        _exit(4);
}

static int end_when_idle(void) {
    atexit(check_delay);
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    case_sleep((double)(getpid() % 16) * 0.001);
    case_ends();
    ended_s = case_now();
    exit(case_result() ? 1 : 3);
}

static const struct test_case cases[] = {
    {.name = "fork_after_products", .run = fork_after_products},
    {.name = "fork_without_caches",
     .run = fork_without_caches,
     .variables = {"GALLIVM_PERF=nopt"}}, /* half the time */
    {.name = "fork_child_prints", .run = fork_child_prints},
    {.name = "fork_before_products", .run = fork_before_products},
    {.name = "fork_during_products", .run = fork_during_products, .repeats = 3},
    {.name = "fork_during_calls", .run = fork_during_calls},
    {.name = "fork_during_preparation", .run = fork_during_preparation, .variables = {"LAVABLAS_INIT=async"}},
    {.name = "fork_when_idle", .run = fork_when_idle, .variables = {"LAVABLAS_IDLE=0.005"}},
    {.name = "fork_child_is_killed", .run = fork_child_is_killed},
    {.name = "end_by_return", .run = end_by_return, .repeats = 3, .status = 3 << 8},
    {.name = "end_by_exit", .run = end_by_exit, .repeats = 4, .status = 3 << 8},
    {.name = "end_by__exit", .run = end_by__exit, .repeats = 3, .status = 3 << 8},
    {.name = "end_calls_by_exit", .run = end_calls_by_exit, .repeats = 2, .status = 3 << 8},
    {.name = "end_calls_by_kill", .run = end_calls_by_kill, .status = SIGTERM},
    {.name = "end_by_quick_exit", .run = end_by_quick_exit, .repeats = 3, .status = 3 << 8},
    {.name = "end_by_abort", .run = end_by_abort, .repeats = 3, .status = SIGABRT, .lines = -1},
    {.name = "end_during_long_product", .run = end_during_long_product, .status = 3 << 8},
    {.name = "end_during_preparation",
     .run = end_during_preparation,
     .repeats = 5,
     .status = 3 << 8,
     .variables = {"LAVABLAS_INIT=async"}},
    {.name = "end_during_compilation",
     .run = end_during_compilation,
     .repeats = COMPILATIONS,
     .status = 3 << 8,
     .end_s = 30,
     .variables = {"LAVABLAS_INIT=async", "LAVABLAS_CACHE=0", "MESA_SHADER_CACHE_DISABLE=true"}},
    {.name = "end_when_idle",
     .run = end_when_idle,
     .repeats = 5,
     .status = 3 << 8,
     .variables = {"LAVABLAS_IDLE=0.008"}},
    {.name = "end_joins_threads", .run = end_joins_threads, .repeats = 3, .status = 3 << 8},
    {.name = "end_with_products", .run = end_with_products, .status = 3 << 8},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
