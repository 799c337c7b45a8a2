/* The precision of fp32 products, set by the environment and by each thread: what the API reports, that it
 * reaches the product and the thread's remembered plan, and that results meet the chosen precision. The
 * library is linked in, so that its own record of a call can be read.
 *
 *     test_precision LAVABLAS cpu|device VALUE      VALUE of LAVABLAS_PRECISION; "": not set
 *
 * On the device the figures in the cache decide. This test writes them: later schemes in the table are
 * faster, so each precision gets the last scheme that it admits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lavablas.h"
#include "lavablas_cblas.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/figures_file.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/vk/gpu.h"
#include "tests/library/capture.h"

#define M 131
#define N 70
#define K 300 /* no scheme requires more */

static bool on_device;
static enum lavablas_precision expected_default = LAVABLAS_PRECISION_STANDARD;
static const enum lavablas_precision choices[] = {LAVABLAS_PRECISION_IEEE, LAVABLAS_PRECISION_STANDARD,
                                                  LAVABLAS_PRECISION_FAST, LAVABLAS_PRECISION_DEFAULT};
static char home[256];
static const char *tool; /* the command */

static float a[M * K], b[K * N];
static double sums[M * N], magnitudes[M * N];

static enum lava_precision internal(enum lavablas_precision precision) {
    if (precision == LAVABLAS_PRECISION_DEFAULT)
        precision = expected_default;
    return precision == LAVABLAS_PRECISION_IEEE   ? LAVA_PRECISION_IEEE
           : precision == LAVABLAS_PRECISION_FAST ? LAVA_PRECISION_FAST
                                                  : LAVA_PRECISION_STANDARD;
}

static void make_operands(void) {
    uint32_t state = 12345;
    for (int i = 0; i < M * K + K * N; i++) {
        state = state * 1664525u + 1013904223u;
        *(i < M * K ? &a[i] : &b[i - M * K]) = (float)(int32_t)(state & ~0x7fu) * 0x1p-31f;
    }
    for (int i = 0; i < M * N; i++)
        for (int l = 0; l < K; l++) {
            double product = (double)a[i % M + l * M] * (double)b[l + i / M * K];
            sums[i] += product;
            magnitudes[i] += fabs(product);
        }
}

/* The largest |C - R| / G, in u. */
static double error_of(const float *c) {
    double largest = 0;
    for (int i = 0; i < M * N; i++)
        largest = fmax(largest, isnan(c[i]) ? INFINITY : fabs((double)c[i] - sums[i]) / magnitudes[i]);
    return largest * 0x1p24;
}

/* One product by the calling thread. Returns NULL or what is wrong: another reason, another scheme ... */
static const char *multiply(enum lava_precision precision, const char *scheme) {
    float c[M * N];
    struct lavablas_call told = {.size = sizeof told};
    struct lava_call call;
    uint64_t elapsed_ns;
    for (int i = 0; i < M * N; i++)
        c[i] = NAN;
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1, a, M, b, K, 0, c, M);
    double error = error_of(c), bound = 4 * sqrt(K + 2.0);
    if (lavablas_last_call(&told) || !lava_offload_last_call(&call, &elapsed_ns))
        return "the call is not remembered";
    if (call.operation.precision != precision)
        return "the product had another precision";
    if (strcmp(told.place, on_device ? "gpu" : "cpu"))
        return told.reason;
    if (strcmp(told.scheme, scheme))
        return told.scheme;
    if (precision == LAVA_PRECISION_FAST && strcmp(scheme, "fp32"))
        bound += 0x1.01p16; /* two factors, each rounded to eight bits */
    return error <= bound ? NULL : "the error is beyond its bound";
}

/* The rate that the figures give to a row. */
static double rate_of(const struct lava_kernel *kernel) {
    return 1e8 * pow(100, (double)kernel->scheme);
}

/* The scheme that a product gets: the fastest, by far, of the rows of the device's profile that it may
 * use. */
static const char *expected_scheme(enum lava_precision precision) {
    const struct lava_capabilities *device = lava_context_capabilities();
    const struct lava_operation operation = {
        .type = LAVA_TYPE_FP32, .m = M, .n = N, .k = K, .precision = precision};
    enum lava_scheme best = LAVA_SCHEME_NONE;
    if (!on_device)
        return "fp32";
    const struct lava_profile *profile = lava_profiles_find(device);
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (lava_kernel_serves(kernel, &operation) && lava_kernel_fits(kernel, device, NULL) &&
            kernel->scheme > best)
            best = kernel->scheme;
    }
    return lava_scheme(best)->name;
}

static void check_product(enum lavablas_precision precision) {
    const char *scheme = expected_scheme(internal(precision));
    const char *wrong = multiply(internal(precision), scheme);
    if (wrong)
        fail_msg("precision %d, scheme %s: %s", (int)precision, scheme, wrong);
}

static void values(void **state) {
    static const int unknown[] = {-1, 4, 1000};
    (void)state;
    assert_int_equal(lavablas_precision(), expected_default);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        enum lavablas_precision now =
            choices[i] == LAVABLAS_PRECISION_DEFAULT ? expected_default : choices[i];
        assert_int_equal(lavablas_set_precision(choices[i]), 0);
        assert_int_equal(lavablas_precision(), now);
        for (size_t j = 0; j < sizeof unknown / sizeof unknown[0]; j++) {
            assert_int_equal(lavablas_set_precision((enum lavablas_precision)unknown[j]), -1);
            assert_int_equal(lavablas_precision(), now);
        }
    }
}

/* The same sizes repeatedly: a plan made for one precision must not be used for the next. */
static void products(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
            assert_int_equal(lavablas_set_precision(choices[i]), 0);
            check_product(choices[i]);
        }
    assert_string_equal(expected_scheme(LAVA_PRECISION_IEEE), "fp32");
    print_message("standard: %s, fast: %s\n", expected_scheme(LAVA_PRECISION_STANDARD),
                  expected_scheme(LAVA_PRECISION_FAST));
    if (on_device && strcmp(expected_scheme(LAVA_PRECISION_FAST), "fp32") == 0)
        print_message("the device's profile has one scheme: that a precision changes it is not tested\n");
}

struct worker {
    enum lavablas_precision precision;
    pthread_barrier_t *barrier;
    const char *wrong;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    const char *scheme = expected_scheme(internal(worker->precision));
    if (lavablas_precision() != expected_default)
        worker->wrong = "a new thread has another's precision";
    if (lavablas_set_precision(worker->precision))
        worker->wrong = "not set";
    pthread_barrier_wait(worker->barrier); /* both threads have chosen */
    for (int i = 0; i < 3 && !worker->wrong; i++)
        worker->wrong = lavablas_precision() == worker->precision
                            ? multiply(internal(worker->precision), scheme)
                            : "another thread's choice";
    return NULL;
}

static void threads(void **state) {
    pthread_barrier_t barrier;
    pthread_t ids[2];
    struct worker workers[2] = {{LAVABLAS_PRECISION_IEEE, &barrier, NULL},
                                {LAVABLAS_PRECISION_FAST, &barrier, NULL}};
    (void)state;
    /* differs from the default and from the threads' choices, unless set by the environment */
    enum lavablas_precision own = expected_default == LAVABLAS_PRECISION_STANDARD
                                      ? LAVABLAS_PRECISION_FAST
                                      : LAVABLAS_PRECISION_STANDARD;
    assert_int_equal(lavablas_set_precision(own), 0);
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < 2; i++)
        if (workers[i].wrong)
            fail_msg("precision %d: %s", (int)workers[i].precision, workers[i].wrong);
    assert_int_equal(lavablas_precision(), own);
    check_product(own);
}

/* `lavablas explain --precision` tells of the scheme that the product gets. */
static void explained(void **state) {
    static const char *const names[] = {"ieee", "standard", "fast"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum lava_precision precision;
        char command[600], answer[600] = "", expected[200];
        assert_true(lava_config_find_precision(names[i], &precision));
        const char *scheme = expected_scheme(precision);
        bool plain = strcmp(scheme, "fp32") == 0;
        snprintf(command, sizeof command, "'%s' explain --plan --precision %s %d %d %d", tool, names[i], M, N,
                 K);
        snprintf(expected, sizeof expected, "fp32%s%s NN m %d n %d k %d: %s (", plain ? "" : " by ",
                 plain ? "" : scheme, M, N, K, on_device ? "GPU" : "CPU");
        FILE *output = popen(command, "r");
        assert_non_null(output);
        for (int line = 0; line < 2; line++) /* the second one is the plan's */
            assert_non_null(fgets(answer, sizeof answer, output));
        while (fgetc(output) != EOF)
            ;
        assert_int_equal(pclose(output), 0);
        answer[strlen(expected)] = 0;
        assert_string_equal(answer, expected);
    }
}

/* A program compiled before `scheme` was added. */
static void struct_of_an_older_version(void **state) {
    struct lavablas_call call = {.size = offsetof(struct lavablas_call, scheme), .scheme = "untouched"};
    (void)state;
    assert_int_equal(lavablas_set_precision(LAVABLAS_PRECISION_STANDARD), 0);
    check_product(LAVABLAS_PRECISION_STANDARD);
    assert_int_equal(lavablas_last_call(&call), 0);
    assert_int_equal(call.size, offsetof(struct lavablas_call, scheme));
    assert_true(call.m == M && call.n == N && call.k == K && call.seconds > 0);
    assert_string_equal(call.scheme, "untouched");
    call.size = offsetof(struct lavablas_call, seconds);
    assert_int_equal(lavablas_last_call(&call), -1);
}

/* Calls that do not use the thread's precision: arguments that the CPU BLAS rejects, half types. */
static void other_calls(void **state) {
    struct lavablas_call call = {.size = sizeof call};
    uint16_t x[4] = {0}, y[4];
    float c[4];
    (void)state;
    assert_int_equal(lavablas_set_precision(LAVABLAS_PRECISION_FAST), 0);
    check_product(LAVABLAS_PRECISION_FAST);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 1, b, 2, 0, c, 2); /* lda is 1 */
    assert_int_equal(lavablas_last_call(&call), 0);
    assert_string_equal(call.place, "cpu");
    assert_string_equal(call.scheme, "fp32");
    if (on_device)
        return; /* its half-precision kernels take seconds to prepare; test_half tests them */
    lavablas_hgemm(102, 111, 111, 2, 2, 2, 1, x, 2, x, 2, 0, y, 2);
    assert_int_equal(lavablas_last_call(&call), 0);
    assert_string_equal(call.scheme, "fp16");
    cblas_sbgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, c, 2);
    assert_int_equal(lavablas_last_call(&call), 0);
    assert_string_equal(call.scheme, "bf16");
}

/* A separate cache for this test. Called before the environment is read. */
static bool make_cache(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(home, sizeof home, "%s/lavablas-precision-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(home) && setenv("XDG_CACHE_HOME", home, 1) == 0;
}

static int remove_cache(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return home[0] ? system(command) : 0;
}

/* Returns false if there is no device; another failure is reported on stderr. */
static bool write_figures(void) {
    struct lava_figures figures = {.device.call_latency_ns = 1e5};
    struct lava_file_cache_place place;
    struct lava_device *device;
    size_t count;
    const char *why;
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return false;
    }
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++)
        figures.device.flops_per_s[i] = rate_of(&table[i]);
    lava_figures_file_place(&device->capabilities, home, &place);
    lava_gpu_close(device);
    return lava_figures_file_write(&place, &figures);
}

/* Applies LAVABLAS_PRECISION before any product. Returns false unless an unknown value causes exactly one
 * complaint and a known one none. */
static bool read_environment(const char *value) {
    struct capture capture;
    enum lava_precision precision;
    bool understood = !value[0] || lava_config_find_precision(value, &precision);
    expected_default = strcmp(value, "ieee") == 0   ? LAVABLAS_PRECISION_IEEE
                       : strcmp(value, "fast") == 0 ? LAVABLAS_PRECISION_FAST
                                                    : LAVABLAS_PRECISION_STANDARD;
    setenv("LAVABLAS_PRECISION", value, 1);
    capture_begin(&capture);
    lavablas_precision();
    lavablas_precision();
    int lines = capture_end(&capture);
    fputs(capture.text, stdout);
    return understood ? lines == 0 : lines == 1 && strstr(capture.text, "LAVABLAS_PRECISION");
}

/* Returns main's exit status if there is nothing to test, else 0. */
static int prepare(const char *place, const char *value) {
    on_device = strcmp(place, "device") == 0;
    setenv("LAVABLAS_MODE", on_device ? "gpu" : "cpu", 1);
    setenv("LAVABLAS_CPU_BLAS", "libopenblas.so.0", 1);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    setenv("LAVABLAS_STATS", "/dev/null", 1); /* every call is recorded */
    unsetenv("LAVABLAS_LOG");
    unsetenv("LAVABLAS_CACHE");
    if (!make_cache() || !read_environment(value))
        return 1;
    if (on_device && (!write_figures() || lavablas_wait(NULL) || !lava_calibration_is_stored()))
        return 77;
    return 0;
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),      cmocka_unit_test(products),
        cmocka_unit_test(threads),     cmocka_unit_test(struct_of_an_older_version),
        cmocka_unit_test(other_calls), cmocka_unit_test(explained),
    };
    if (count != 4)
        return 2;
    tool = arguments[1];
    int status = prepare(arguments[2], arguments[3]);
    if (status) {
        remove_cache(NULL);
        return status;
    }
    make_operands();
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
