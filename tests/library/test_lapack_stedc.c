/* ?stedc under every exported name.
 *
 *     test_lapack_stedc forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_stedc compute LIBRARY cpu|counted|gpu
 *                                     values, of LIBRARY's own routines or made of its ?gemm, on the CPU, and
 *                                     in mode gpu (lavapipe)
 *
 * LAVA_TEST_TELL=1 prints errors beside OpenBLAS's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/divide_check.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"
#include "tests/library/values_tests.h"

static double problem_uniform(double low, double high) {
    return low + (high - low) * poison_random(1 << 20) / (1 << 20);
}

#include "tests/robustness/tridiagonal_kinds.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Errors in units of the type for the root of each row (divide_check.h), if OpenBLAS's are smaller: it may
 * have half of them. */
#define MOST_ERROR 3

static bool is_ours(int routine) {
    enum lava_family family = lava_routine_row((enum lava_routine)routine)->family;
    return family == LAVA_FAMILY_STEDC || family == LAVA_FAMILY_STEDC_COMPLEX;
}

static bool is_complex(enum lava_routine routine) {
    return lava_type_is_complex(lava_routine_type(routine));
}

static void arguments_arrive_untouched(void **state) {
    (void)state;
    check_values_forwarded(is_ours, "NIVX", "A");
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i))
            check_lengths(lava_routine_row((enum lava_routine)i), is_complex((enum lava_routine)i) ? 13 : 11);
}

/* A call with its results, with guards; T is D and then E, each of n elements of 8 bytes. */
struct call {
    enum lava_type type;
    int64_t n, ld, info;
    size_t bytes;
    char *before, *now, *t, *t_now;
};

static struct call new_call(enum lava_type type, enum kinds_kind kind, int64_t n) {
    struct call x = {.type = type, .n = n, .ld = n + 1 + poison_random(4), .info = UNTOUCHED};
    enum lava_type real = lava_type_real(type);
    struct kinds_problem problem = kinds_new(real, kind, n);
    x.bytes = (size_t)(x.ld * n) * lava_type_bytes(type);
    x.before = poison_new(x.bytes + 1);
    x.now = poison_new(x.bytes + 1);
    x.t = poison_new((size_t)(2 * n + 1) * 8);
    x.t_now = poison_new((size_t)(2 * n + 1) * 8);
    memcpy(x.t, problem.d, (size_t)n * lava_type_bytes(real));
    memcpy(x.t + 8 * n, problem.e, (size_t)(n > 0 ? n - 1 : 0) * lava_type_bytes(real));
    for (int64_t at = 0; at < n * n; at++)
        naive_write(type, x.before, at % n + at / n * x.ld,
                    (struct naive_number){problem_uniform(-1, 1), problem_uniform(-1, 1)});
    kinds_free(&problem);
    return x;
}

static void free_call(struct call *x) {
    free(x->before);
    free(x->now);
    free(x->t);
    free(x->t_now);
}

/* Z is NaN if it is not read. */
static void reset(struct call *x, char compz) {
    memcpy(x->t_now, x->t, (size_t)(2 * x->n + 1) * 8);
    if (compz == 'V')
        memcpy(x->now, x->before, x->bytes + 1);
    else
        memset(x->now, POISON, x->bytes + 1);
}

/* What no routine needs more of, in elements of 8 bytes. */
static int64_t work_elements(int64_t n) {
    return 60 + 120 * n + 4 * n * n;
}

static void run(enum lava_routine routine, struct call *x, char compz) {
    int64_t elements = work_elements(x->n);
    char *work = malloc((size_t)elements * 32);
    reset(x, compz);
    limit_memory();
    families_call[routine](&(struct families_arguments){.job = compz,
                                                        .n = {x->n},
                                                        .ldc = {x->ld},
                                                        .size = {elements},
                                                        .rsize = elements,
                                                        .isize = elements,
                                                        .b = work,
                                                        .c = x->now,
                                                        .w = x->t_now,
                                                        .rwork = work + elements * 16,
                                                        .iwork = work + elements * 24,
                                                        .info = &x->info});
    free(work);
}

typedef void real_stedc(const char *, const int *, void *, void *, void *, const int *, void *, const int *,
                        void *, const int *, int *, size_t);
typedef void complex_stedc(const char *, const int *, void *, void *, void *, const int *, void *,
                           const int *, void *, const int *, void *, const int *, int *, size_t);

/* What a program passes to OpenBLAS's own routine. */
struct reference {
    int n, ld, size, rsize, isize, info;
    void *d, *e, *z, *work, *rwork, *iwork;
};

/* Returns false if it is not there. */
static bool call_openblas(enum lava_type type, char compz, struct reference *x) {
    const char *names[] = {"sstedc_", "dstedc_", "cstedc_", "zstedc_"};
    bool has_rwork = lava_type_is_complex(type);
    void *openblas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found =
        openblas ? dlsym(openblas, names[2 * has_rwork + (lava_type_real(type) == LAVA_TYPE_FP64)]) : NULL;
    real_stedc *of_real;
    complex_stedc *of_complex;
    memcpy(&of_real, &found, sizeof found);
    memcpy(&of_complex, &found, sizeof found);
    if (found && has_rwork)
        of_complex(&compz, &x->n, x->d, x->e, x->z, &x->ld, x->work, &x->size, x->rwork, &x->rsize, x->iwork,
                   &x->isize, &x->info, 1);
    else if (found)
        of_real(&compz, &x->n, x->d, x->e, x->z, &x->ld, x->work, &x->size, x->iwork, &x->isize, &x->info, 1);
    return found;
}

/* Runs that instead. */
static bool run_openblas(struct call *x, char compz) {
    int elements = (int)work_elements(x->n);
    char *work = malloc((size_t)elements * 32);
    reset(x, compz);
    struct reference reference = {.n = (int)x->n,
                                  .ld = (int)x->ld,
                                  .size = elements,
                                  .rsize = elements,
                                  .isize = elements,
                                  .d = x->t_now,
                                  .e = x->t_now + 8 * x->n,
                                  .z = x->now,
                                  .work = work,
                                  .rwork = work + elements * 16,
                                  .iwork = work + elements * 24};
    bool is_there = call_openblas(x->type, compz, &reference);
    free(work);
    return is_there && reference.info == 0;
}

static struct eigen_errors errors_of(const struct call *x, char compz) {
    const struct divided result = {.type = x->type,
                                   .n = x->n,
                                   .ld = x->ld,
                                   .d = x->t,
                                   .e = x->t + 8 * x->n,
                                   .before = compz == 'V' && x->n > 1 ? x->before : NULL,
                                   .values = x->t_now,
                                   .after = compz == 'N' ? NULL : x->now};
    return divide_errors_of(&result);
}

/* What lies around the results is as it was, and so is Z if it is not wanted. OpenBLAS 0.3.21's ?stedc of
 * complex types writes between Z's columns. */
static void check_rest_is_untouched(enum lava_routine routine, const struct call *x, char compz) {
    size_t element = lava_type_bytes(x->type);
    if (is_complex(routine) && dlsym(library, lava_routine_name(routine)))
        return;
    for (int64_t at = 0; at < x->ld * x->n; at++)
        for (size_t byte = 0; byte < element && (at % x->ld >= x->n || compz == 'N'); byte++)
            assert_int_equal(x->now[(size_t)at * element + byte], (char)POISON);
    assert_int_equal(x->now[x->bytes], (char)POISON);
    assert_int_equal(x->t_now[16 * x->n], (char)POISON);
}

static void judge(const struct call *x, const char *what, const struct eigen_errors *ours,
                  const struct eigen_errors *theirs) {
    double most = MOST_ERROR * sqrt((double)(x->n > 8 ? x->n : 8));
    if (getenv("LAVA_TEST_TELL"))
        printf("%s: residual %.2f (%.2f), orthogonality %.2f (%.2f), values %.2f (%.2f)\n", what,
               ours->residual, theirs->residual, ours->orthogonality, theirs->orthogonality, ours->values,
               theirs->values);
    if (!(ours->residual <= fmax(most, 2 * theirs->residual) &&
          ours->orthogonality <= fmax(most, 2 * theirs->orthogonality) &&
          ours->values <= fmax(most, 2 * theirs->values)))
        fail_msg("%s: residual %g (%g), orthogonality %g (%g), values %g (%g) units", what, ours->residual,
                 theirs->residual, ours->orthogonality, theirs->orthogonality, ours->values, theirs->values);
}

/* All three results, beside OpenBLAS's. LAPACK scales the largest and the smallest matrices; they and those
 * of one row need no device. */
static void check(enum lava_routine routine, enum kinds_kind kind, int64_t n) {
    struct call x = new_call(lava_routine_type(routine), kind, n);
    bool is_for_cpu = kind == KINDS_HUGE || kind == KINDS_TINY || kind == KINDS_SUBNORMAL;
    char what[100];
    for (const char *compz = "NIV"; *compz; compz++) {
        if (!run_openblas(&x, *compz))
            skip();
        const struct eigen_errors theirs = errors_of(&x, *compz);
        x.info = UNTOUCHED;
        run(routine, &x, *compz);
        snprintf(what, sizeof what, "%s %c %d, %s", lava_routine_name(routine), *compz, (int)n,
                 kinds_name(kind));
        if (read_info(routine, x.info) != 0)
            fail_msg("%s: info %d", what, (int)read_info(routine, x.info));
        check_rest_is_untouched(routine, &x, *compz);
        const struct eigen_errors ours = errors_of(&x, *compz);
        judge(&x, what, &ours, &theirs);
        if (counted && n > 0 && !is_for_cpu)
            check_last_call(lava_routine_row(routine), on_device ? "gpu" : "cpu");
    }
    free_call(&x);
}

/* Each run has a part of the orders and of the special matrices, by chance. */
static void results(void **state) {
    static const int64_t orders[] = {0, 1, 2, 3, 25, 26, 63, 64, 65, 130, 200};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        bool is_plain = lava_routine_is_plain((enum lava_routine)i);
        if (is_ours(i))
            check((enum lava_routine)i, KINDS_RANDOM, is_plain ? 4 + poison_random(150) : poison_random(8));
        for (size_t j = 0; j < COUNT(orders) && is_ours(i) && is_plain && !family_leaves_out(); j++)
            if (poison_random(6) == 0)
                check((enum lava_routine)i, KINDS_RANDOM, orders[j]);
    }
}

static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int kind = KINDS_RANDOM; kind < KINDS; kind++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i) && poison_random(6) == 0 &&
                !family_leaves_out())
                check((enum lava_routine)i, (enum kinds_kind)kind, 20 + poison_random(60));
}

/* The matrix is left to the CPU's routine, which may do as it likes with it. */
static void not_a_number(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT && on_device; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i) || !lava_routine_is_plain(routine))
            continue;
        struct call x = new_call(lava_routine_type(routine), KINDS_RANDOM, 30);
        naive_write(lava_type_real(x.type), x.t + (poison_random(2) ? 8 * x.n : 0), 8,
                    (struct naive_number){NAN, 0});
        run(routine, &x, "NIV"[poison_random(3)]);
        check_last_call(lava_routine_row(routine), "cpu");
        free_call(&x);
    }
}

/* One of the sizes is -1: they are told as OpenBLAS tells them, and nothing else happens. */
static void queries(void **state) {
    double work[2], rwork[2], t[2] = {42, 42}, z[2] = {42, 42};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 100; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 100);
        int64_t n = i % 100 < 35 ? i % 100 : i % 100 < 60 ? 1 << (i % 100 - 35) / 2 : 1 + poison_random(9000);
        if (!is_ours((int)routine) || n > 9000)
            continue;
        int which = poison_random(is_complex(routine) ? 3 : 2);
        char compz = "NIV"[poison_random(3)];
        int64_t iwork = UNTOUCHED, info = UNTOUCHED;
        double told[2], rtold[2];
        int itold = -1;
        struct reference reference = {.n = (int)n,
                                      .ld = (int)n + 1,
                                      .size = which == 0 ? -1 : 1,
                                      .rsize = which == 2 ? -1 : 1,
                                      .isize = which == 1 ? -1 : 1,
                                      .d = t,
                                      .e = t,
                                      .z = z,
                                      .work = told,
                                      .rwork = rtold,
                                      .iwork = &itold};
        if (!call_openblas(lava_routine_type(routine), compz, &reference))
            skip();
        families_call[routine](&(struct families_arguments){.job = compz,
                                                            .n = {n},
                                                            .ldc = {n + 1},
                                                            .size = {which == 0 ? -1 : 1},
                                                            .rsize = which == 2 ? -1 : 1,
                                                            .isize = which == 1 ? -1 : 1,
                                                            .b = work,
                                                            .c = z,
                                                            .w = t,
                                                            .rwork = rwork,
                                                            .iwork = &iwork,
                                                            .info = &info});
        enum lava_type type = lava_routine_type(routine), real = lava_type_real(type);
        assert_int_equal(read_info(routine, info), 0);
        assert_int_equal(read_info(routine, iwork), itold);
        /* a later LAPACK rounds what fp32 cannot tell up, an earlier one as it comes */
        long double size = naive_read(type, work, 0).real, least = naive_read(type, told, 0).real;
        assert_true(size >= least && size <= least * (1 + 0x1p-23L));
        if (is_complex(routine)) {
            size = naive_read(real, rwork, 0).real, least = naive_read(real, rtold, 0).real;
            assert_true(size >= least && size <= least * (1 + 0x1p-23L));
        }
        assert_true(t[0] == 42 && t[1] == 42 && z[0] == 42);
    }
}

/* What each routine complains of, by the number that it has; the sizes of workspaces are too small by one.
 * lapack.org's and OpenBLAS's are the same. */
static void complaints(void **state) {
    static const struct {
        char compz;
        int64_t n, ldz, less[3]; /* of work, iwork and rwork */
        int numbers[2];          /* of real and of complex types; 0: it is not checked */
    } wrong[] = {{'X', 2, 2, {0}, {1, 1}},           {'I', -1, 2, {0}, {2, 2}},
                 {'V', 2, 1, {0}, {6, 6}},           {'N', 2, 0, {0}, {6, 6}},
                 {'I', 40, 40, {1, 0, 0}, {8, 8}},   {'V', 40, 40, {1, 0, 0}, {8, 8}},
                 {'I', 40, 40, {0, 1, 0}, {10, 12}}, {'V', 40, 40, {0, 1, 0}, {10, 12}},
                 {'I', 40, 40, {0, 0, 1}, {0, 10}},  {'V', 40, 40, {0, 0, 1}, {0, 10}},
                 {'I', 20, 20, {1, 0, 0}, {8, 8}},   {'I', 20, 20, {0, 0, 1}, {0, 10}}};
    static double memory[4000];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * (int)COUNT(wrong); i++) {
        enum lava_routine routine = (enum lava_routine)(i / (int)COUNT(wrong));
        int case_at = i % (int)COUNT(wrong), minus_one = -1;
        if (!is_ours((int)routine) || dlsym(library, lava_routine_name(routine)) ||
            !wrong[case_at].numbers[is_complex(routine)])
            continue;
        double told[2] = {0}, rtold[2] = {0};
        int itold = 0;
        int64_t info = UNTOUCHED, n = wrong[case_at].n;
        enum lava_type type = lava_routine_type(routine);
        struct reference reference = {(int)n, (int)n + 1, minus_one, minus_one, minus_one, 0,
                                      memory, memory,     memory,    told,      rtold,     &itold};
        if (n > 2 && !call_openblas(type, wrong[case_at].compz, &reference))
            skip();
        const struct families_arguments x = {
            .job = wrong[case_at].compz,
            .n = {n},
            .ldc = {wrong[case_at].ldz},
            .size = {n > 2 ? (int64_t)naive_read(type, told, 0).real - wrong[case_at].less[0] : 99},
            .isize = n > 2 ? itold - wrong[case_at].less[1] : 99,
            .rsize = n > 2 ? (int64_t)naive_read(lava_type_real(type), rtold, 0).real - wrong[case_at].less[2]
                           : 99,
            .b = memory,
            .c = memory,
            .w = memory,
            .rwork = memory,
            .iwork = memory,
            .info = &info};
        check_lapack_complaint(routine, &x, wrong[case_at].numbers[is_complex(routine)]);
    }
}

static int64_t call_once(enum lava_routine routine, int64_t n, bool has_vectors) {
    struct call x = new_call(lava_routine_type(routine), KINDS_ZERO, n);
    run(routine, &x, has_vectors ? 'I' : 'N');
    int64_t info = read_info(routine, x.info);
    free_call(&x);
    return info;
}

static struct values_calls calls = {is_ours, call_once, 0, LAVA_ROUTINE_dstedc_, 1500};

FAMILY_GROUPS(cmocka_unit_test_prestate(find_routines, &calls), cmocka_unit_test_prestate(no_memory, &calls),
              cmocka_unit_test(results), cmocka_unit_test(special_matrices), cmocka_unit_test(not_a_number),
              cmocka_unit_test(queries), cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
