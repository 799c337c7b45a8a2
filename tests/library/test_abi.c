/* Compares the exported symbols with OpenBLAS called directly: the same bits in C, the same complaints. This
 * program has its own xerbla_, as Fortran programs do. OpenBLAS must reach it in both cases.
 *
 * Without an argument most calls are forwarded by the threshold. With the argument "counted" statistics are
 * on and every call takes the slow path. Both run in mode cpu, with LAVABLAS_CPU_BLAS naming this library
 * itself, which must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lavablas.h"
#include "lavablas_cblas.h"
#include "tests/library/capture.h"

typedef void cblas_function(int layout, int transa, int transb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void fortran_function(const char *transa, const char *transb, const int *m, const int *n,
                              const int *k, const float *alpha, const float *a, const int *lda,
                              const float *b, const int *ldb, const float *beta, float *c, const int *ldc,
                              size_t transa_length, size_t transb_length);

static cblas_function *open_cblas;
static fortran_function *open_fortran;

/* Recorded by the program's own error routine. */
static char xerbla_routine[64];
static int xerbla_argument, xerbla_calls;
__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    snprintf(xerbla_routine, sizeof xerbla_routine, "%.*s", (int)(length < 60 ? length : 60), routine);
    xerbla_argument = *argument;
    xerbla_calls++;
    return 0;
}

#define MAX_ELEMENTS (300 * 300)
static float a[MAX_ELEMENTS], b[MAX_ELEMENTS], c_direct[MAX_ELEMENTS], c_through[MAX_ELEMENTS];

static void fill(float *x, unsigned seed) {
    for (int i = 0; i < MAX_ELEMENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(int)(seed >> 8) * 0x1p-23f - 1.0f;
    }
}

static void reset(void) {
    fill(c_direct, 3);
    memcpy(c_through, c_direct, sizeof c_through);
    xerbla_calls = 0;
    xerbla_argument = -1;
    strcpy(xerbla_routine, "none");
}

struct arguments {
    int layout; /* 0: Fortran */
    int transa, transb, m, n, k, lda, ldb, ldc;
    float alpha, beta;
};

static void call(const struct arguments *x, int direct, float *c) {
    if (x->layout == 0) {
        char transa = (char)x->transa, transb = (char)x->transb;
        fortran_function *function = direct ? open_fortran : sgemm_;
        function(&transa, &transb, &x->m, &x->n, &x->k, &x->alpha, a, &x->lda, b, &x->ldb, &x->beta, c,
                 &x->ldc, 1, 1);
    } else if (direct) {
        open_cblas(x->layout, x->transa, x->transb, x->m, x->n, x->k, x->alpha, a, x->lda, b, x->ldb, x->beta,
                   c, x->ldc);
    } else {
        cblas_sgemm((CBLAS_LAYOUT)x->layout, (CBLAS_TRANSPOSE)x->transa, (CBLAS_TRANSPOSE)x->transb, x->m,
                    x->n, x->k, x->alpha, a, x->lda, b, x->ldb, x->beta, c, x->ldc);
    }
}

/* Calls LavaBLAS and OpenBLAS, and compares C and the reports to xerbla_. Returns the number of
 * complaints. */
static int compare(const struct arguments *x) {
    char routine[64];
    reset();
    call(x, 1, c_direct);
    int calls = xerbla_calls, argument = xerbla_argument;
    strcpy(routine, xerbla_routine);
    xerbla_calls = 0;
    xerbla_argument = -1;
    strcpy(xerbla_routine, "none");
    call(x, 0, c_through);
    assert_int_equal(xerbla_calls, calls);
    assert_int_equal(xerbla_argument, argument);
    assert_string_equal(xerbla_routine, routine);
    if (memcmp(c_direct, c_through, sizeof c_direct) != 0)
        fail_msg("layout %d, m %d n %d k %d: C differs", x->layout, x->m, x->n, x->k);
    return calls;
}

static void same_bits(void **state) {
    static const int sizes[][3] = {{1, 1, 1},      {2, 3, 4},       {17, 9, 33}, {64, 64, 64}, {100, 1, 50},
                                   {200, 150, 90}, {256, 256, 256}, {0, 5, 5},   {5, 5, 0}};
    static const int layouts[] = {0, CblasRowMajor, CblasColMajor};
    static const int fortran_ops[] = {'N', 't', 'C'},
                     cblas_ops[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    static const float factors[][2] = {{1, 0}, {1.5f, -0.5f}, {0, 2}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int way = 0; way < 3 * 9 * 3; way++) {
            int layout = layouts[way % 3], op_a = way / 3 % 3, op_b = way / 9 % 3;
            const float *factor = factors[way / 27];
            const struct arguments x = {
                .layout = layout,
                .transa = layout ? cblas_ops[op_a] : fortran_ops[op_a],
                .transb = layout ? cblas_ops[op_b] : fortran_ops[op_b],
                .m = sizes[s][0],
                .n = sizes[s][1],
                .k = sizes[s][2],
                .lda = 280,
                .ldb = 281,
                .ldc = 282,
                .alpha = factor[0],
                .beta = factor[1],
            };
            assert_int_equal(compare(&x), 0);
        }
}

static void same_complaints(void **state) {
    const struct arguments good[] = {
        {0, 'N', 'T', 200, 150, 160, 256, 256, 256, 1, 1},
        {CblasColMajor, CblasNoTrans, CblasTrans, 200, 150, 160, 256, 256, 256, 1, 1},
        {CblasRowMajor, CblasTrans, CblasNoTrans, 200, 150, 160, 256, 256, 256, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct arguments x[12];
        for (int j = 0; j < 12; j++)
            x[j] = good[i];
        x[0].transa = good[i].layout ? 115 : 'X';
        x[1].transb = good[i].layout ? 110 : '1';
        x[2].m = -1;
        x[3].n = -1;
        x[4].k = -1;
        x[5].lda = 100;
        x[6].ldb = 100;
        x[7].ldc = 100;
        x[8].m = x[8].n = -200; /* the product of the sizes is positive: passes the threshold */
        x[9].lda = x[9].ldb = x[9].ldc = 0;
        x[10].lda = -256;
        x[11].layout = good[i].layout ? 100 : 0;
        for (int j = 0; j < 11; j++)
            assert_int_equal(compare(&x[j]), 1);
        compare(&x[11]);
    }
}

static void nan_in_c_is_overwritten(void **state) {
    const struct arguments x = {CblasColMajor, CblasNoTrans, CblasNoTrans, 200, 200, 200,
                                256,           256,          256,          1,   0};
    (void)state;
    reset();
    for (int i = 0; i < MAX_ELEMENTS; i++)
        c_through[i] = NAN;
    call(&x, 0, c_through);
    for (int j = 0; j < 200; j++)
        for (int i = 0; i < 256 && i + j * 256 < MAX_ELEMENTS; i++)
            assert_int_equal(isnan(c_through[i + j * 256]) != 0, i >= 200);
}

static void *first_call_of_a_thread(void *answer) {
    struct lavablas_call last = {.size = sizeof last};
    *(int *)answer = lavablas_last_call(&last);
    return NULL;
}

static void own_api(void **state) {
    const char *why = NULL;
    struct lavablas_call last = {.size = sizeof last};
    char version[32];
    pthread_t thread;
    int answer = 0;
    (void)state;
    snprintf(version, sizeof version, "%d.%d.%d", LAVABLAS_VERSION_MAJOR, LAVABLAS_VERSION_MINOR,
             LAVABLAS_VERSION_PATCH);
    assert_memory_equal(LAVABLAS_VERSION_STRING, version, strlen(version));
    assert_string_equal(lavablas_version(), LAVABLAS_VERSION_STRING);
    assert_int_equal(lavablas_wait(&why), -1);
    assert_non_null(why);
    assert_true(strlen(why) > 0);
    assert_int_equal(lavablas_wait(NULL), -1);
    /* the first call of the process, in main, passed the threshold */
    assert_int_equal(lavablas_last_call(&last), 0);
    assert_string_equal(last.routine, "cblas_sgemm");
    assert_string_equal(last.place, "cpu");
    assert_string_equal(last.scheme, "fp32");
    assert_true(strlen(last.reason) > 0);
    assert_true(last.m == 201 && last.n == 202 && last.k == 203);
    assert_true(last.seconds > 0 && last.seconds < 100);
    assert_int_equal(pthread_create(&thread, NULL, first_call_of_a_thread, &answer), 0);
    pthread_join(thread, NULL);
    assert_int_equal(answer, -1);
}

/* The texts are cut where the room ends, and their length is told as by snprintf. */
static void own_texts(void **state) {
    size_t (*const functions[])(char *, size_t) = {lavablas_report, lavablas_settings};
    const char *const members[] = {"\"calls\":[{\"routine\":", "\"mode\":\"cpu\""};
    const char *why;
    (void)state;
    assert_int_equal(lavablas_state(&why), LAVABLAS_STATE_NEVER);
    assert_true(strlen(why) > 0);
    assert_int_equal(lavablas_state(NULL), LAVABLAS_STATE_NEVER);
    assert_int_equal(lavablas_wait_for(0, NULL), LAVABLAS_STATE_NEVER);
    lavablas_count_calls();
    lavablas_count_calls();
    for (int i = 0; i < 2; i++) {
        char whole[1 << 16], part[32];
        size_t length = functions[i](NULL, 0);
        assert_true(length > 0 && length < sizeof whole - 100);
        size_t again = functions[i](whole, sizeof whole);
        assert_int_equal(strlen(whole), again);
        assert_true(whole[0] == '{' && whole[again - 1] == '}' && strstr(whole, members[i]));
        memset(part, '#', sizeof part);
        assert_true(functions[i](part, 20) > 20);
        assert_int_equal(strlen(part), 19);
        assert_memory_equal(part, whole, 19);
        assert_true(part[20] == '#');
        assert_true(functions[i](part, 1) > 20 && part[0] == '\0' && part[1] == whole[1]);
    }
}

static void struct_of_another_version(void **state) {
    struct {
        struct lavablas_call known;
        char later[16];
    } call = {.known = {.size = sizeof call}};
    (void)state;
    memset(call.later, '#', sizeof call.later);
    assert_int_equal(lavablas_last_call(&call.known), 0);
    assert_int_equal(call.known.size, sizeof call);
    for (size_t i = 0; i < sizeof call.later; i++)
        assert_true(call.later[i] == 0);
    struct lavablas_call small = {.size = 16, .routine = "untouched"};
    assert_int_equal(lavablas_last_call(&small), -1);
    assert_string_equal(small.routine, "untouched");
}

static int prepare(bool counted) {
    struct capture capture;
    Dl_info info;
    const struct arguments first = {CblasColMajor, CblasNoTrans, CblasNoTrans, 201, 202, 203,
                                    256,           256,          256,          1,   0};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || !dladdr((void *)(uintptr_t)lavablas_version, &info))
        return 77;
    void *cblas = dlsym(library, "cblas_sgemm"), *fortran = dlsym(library, "sgemm_");
    memcpy(&open_cblas, &cblas, sizeof cblas);
    memcpy(&open_fortran, &fortran, sizeof fortran);
    setenv("LAVABLAS_STATS", counted ? "/dev/null" : "0", 1);
    unsetenv("LAVABLAS_LOG");
    setenv("LAVABLAS_MODE", "cpu", 1);
    setenv("LAVABLAS_CPU_BLAS", info.dli_fname, 1);
    fill(a, 1);
    fill(b, 2);
    capture_begin(&capture);
    call(&first, 0, c_through);
    if (capture_end(&capture) != 1 || !strstr(capture.text, "LAVABLAS_CPU_BLAS")) {
        fprintf(stderr, "expected one complaint about LAVABLAS_CPU_BLAS, got: %s\n", capture.text);
        return 1;
    }
    return 0;
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_api),
        cmocka_unit_test(own_texts),
        cmocka_unit_test(struct_of_another_version),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(same_complaints),
        cmocka_unit_test(nan_in_c_is_overwritten),
    };
    int status = prepare(count > 1 && strcmp(arguments[1], "counted") == 0);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
