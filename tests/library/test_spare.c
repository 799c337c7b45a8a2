/* Processors are left to a preparation: OpenBLAS's number of threads is lowered during a call and restored
 * after it, and no other number is touched. OpenBLAS's functions are stood in for, and found in the real one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <string.h>

#include "lib/host/cpu_blas.h"
#include "lib/host/processor.h"
#include "lib/host/spare.h"

static int threads, changes;

static int get_threads(void) {
    return threads;
}

static void set_threads(int count) {
    threads = count;
    changes++;
}

static const struct lava_openblas openblas = {
    .get_threads = get_threads, .set_threads = set_threads, .has_own_threads = true};

static void one_fewer(void **state) {
    (void)state;
    for (int processors = 4; processors <= 64; processors *= 2) {
        struct lava_spare spare = {0};
        threads = processors;
        assert_true(lava_spare_lower(&openblas, processors, &spare));
        assert_int_equal(threads, processors - 1);
        lava_spare_restore(&spare);
        assert_int_equal(threads, processors);
    }
}

/* As many fewer as threads ask for, a quarter of the processors at most; a thread that has ended asks for
 * nothing. */
static void as_asked(void **state) {
    const struct {
        int processors, asks, left;
    } cases[] = {{16, 0, 1}, {16, 1, 1}, {16, 3, 3}, {16, 4, 4}, {16, 16, 4}, {4, 4, 1}, {64, 20, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lava_spare spare = {0};
        threads = cases[i].processors;
        lava_spare_ask(cases[i].asks);
        assert_true(lava_spare_lower(&openblas, cases[i].processors, &spare));
        lava_spare_ask(-cases[i].asks);
        assert_int_equal(threads, cases[i].processors - cases[i].left);
        lava_spare_restore(&spare);
        assert_int_equal(threads, cases[i].processors);
    }
}

/* Threads of a preparation have all processors where the program makes no calls, else their share. */
static void room(void **state) {
    struct lava_spare spare = {0};
    int processors = lava_processor_count();
    (void)state;
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    assert_int_equal(lava_spare_room(), processors);
    lava_spare_take(LAVA_ROUTINE_dgemm_, &spare);
    assert_true(lava_spare_room() <= lava_spare_share(processors));
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    assert_true(lava_spare_room() <= lava_spare_share(processors)); /* the call goes on */
    lava_spare_return(&spare);
    assert_int_equal(lava_spare_room(), lava_spare_share(processors));
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    assert_int_equal(lava_spare_room(), processors);
    assert_int_equal(lava_spare_share(1), 1);
    assert_int_equal(lava_spare_share(7), 1);
    assert_int_equal(lava_spare_share(16), 4);
}

/* On few processors, and where the program has chosen fewer threads. */
static void left_alone(void **state) {
    const struct { int processors, threads; } cases[] = {{1, 1}, {2, 2}, {3, 3}, {4, 3}, {16, 1}, {16, 15}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lava_spare spare = {0};
        threads = cases[i].threads;
        changes = 0;
        assert_false(lava_spare_lower(&openblas, cases[i].processors, &spare));
        assert_int_equal(changes, 0);
    }
}

/* A number that the program sets meanwhile stays. */
static void changed_meanwhile(void **state) {
    struct lava_spare spare = {0};
    (void)state;
    threads = 8;
    assert_true(lava_spare_lower(&openblas, 8, &spare));
    threads = 2;
    lava_spare_restore(&spare);
    assert_int_equal(threads, 2);
}

/* In the CPU BLAS itself, as calls do it. */
static void in_the_library(void **state) {
    struct lava_openblas real;
    struct lava_spare spare, second;
    (void)state;
    if (!lava_openblas_find(lava_cpu_blas_get()->path, &real))
        skip();
    int (*get_parallel)(void) = NULL; /* 1: threads of its own */
    void *handle = dlopen(lava_cpu_blas_get()->path, RTLD_LAZY | RTLD_NOLOAD),
         *address = handle ? dlsym(handle, "openblas_get_parallel") : NULL;
    memcpy(&get_parallel, &address, sizeof address);
    if (get_parallel) /* without the suffixes that some builds have */
        assert_int_equal(real.has_own_threads, get_parallel() == 1);
    if (handle)
        dlclose(handle);
    int before = real.get_threads();
    bool lowers = real.has_own_threads && lava_processor_count() >= 4 && before >= lava_processor_count();
    lava_spare_take(LAVA_ROUTINE_dgemm_, &spare);
    assert_int_equal(real.get_threads(), before - lowers);
    assert_int_equal(lava_spare_threads(&real), before);
    lava_spare_take(LAVA_ROUTINE_dgemm_, &second);
    assert_int_equal(real.get_threads(), before - lowers);
    lava_spare_return(&second);
    assert_int_equal(real.get_threads(), before - lowers);
    lava_spare_return(&spare);
    assert_int_equal(real.get_threads(), before);
}

/* The rate by cores ends at that of the fastest machine measured. */
static void rate_saturates(void **state) {
    (void)state;
    assert_true(lava_processor_guess(150e9, 16) == 16 * 150e9);
    assert_true(lava_processor_guess(150e9, 64) == 64 * 150e9);
    assert_true(lava_processor_guess(150e9, 128) == lava_processor_guess(150e9, 1024));
    assert_true(2 * 4096.0 * 4096 * 4096 / lava_processor_guess(150e9, 128) > 12e-3);
}

/* Allowed processors, all of the machine, ranks. A launcher may have bound a rank to fewer already. */
static void shares_of_ranks(void **state) {
    static const struct {
        int allowed, online, ranks, share;
    } cases[] = {{64, 64, 0, 64}, {64, 64, 1, 64}, {64, 64, 4, 16}, {16, 64, 4, 16}, {1, 64, 4, 1},
                 {20, 64, 4, 16}, {64, 64, 3, 21}, {4, 4, 16, 1},   {16, 64, 0, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(lava_processor_share_of(cases[i].allowed, cases[i].online, cases[i].ranks),
                         cases[i].share);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_fewer),
                                       cmocka_unit_test(as_asked),
                                       cmocka_unit_test(room),
                                       cmocka_unit_test(left_alone),
                                       cmocka_unit_test(changed_meanwhile),
                                       cmocka_unit_test(in_the_library),
                                       cmocka_unit_test(rate_saturates),
                                       cmocka_unit_test(shares_of_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
