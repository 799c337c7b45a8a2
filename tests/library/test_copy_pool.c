/* The copy pool: shapes, leading dimensions and numbers of threads, with guards around the target; when its
 * threads exist and what they look like; a child of fork(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cpu/copy_pool.h"

#define CANARY 12345.0f

static float source_value(int64_t row, int64_t column) {
    return (float)((row * 7 + column * 13) % 1001 - 500);
}

static float target_value(int64_t row, int64_t column) {
    return (float)((row * 5 + column * 3) % 101 - 50);
}

struct shape {
    int64_t rows, columns, source_pad, target_pad;
};

/* beta < 0: copy; else merge with beta (0: the target is NaN and must not be read). */
static void check(struct lava_copy_pool *pool, const struct shape *shape, float beta) {
    int64_t source_ld = shape->rows + shape->source_pad, target_ld = shape->rows + shape->target_pad;
    float *source = malloc((size_t)(source_ld * shape->columns + 1) * sizeof *source);
    float *target = malloc((size_t)(target_ld * shape->columns + 1) * sizeof *target);
    assert_true(source && target);
    for (int64_t j = 0; j < shape->columns; j++) {
        for (int64_t i = 0; i < source_ld; i++)
            source[i + j * source_ld] = i < shape->rows ? source_value(i, j) : NAN;
        for (int64_t i = 0; i < target_ld; i++)
            target[i + j * target_ld] = i >= shape->rows ? CANARY : beta > 0 ? target_value(i, j) : NAN;
    }
    target[target_ld * shape->columns] = CANARY;
    const struct lava_copy copy = {source, source_ld, target, target_ld, shape->rows, shape->columns};
    if (beta < 0)
        lava_copy_pool_copy(pool, &copy);
    else
        lava_copy_pool_merge(pool, &copy, beta);
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < target_ld; i++) {
            float expected = i >= shape->rows ? CANARY
                             : beta > 0       ? source_value(i, j) + beta * target_value(i, j)
                                              : source_value(i, j);
            if (target[i + j * target_ld] != expected)
                fail_msg("%ld x %ld + %ld, beta %g: (%ld, %ld) is %g, not %g", (long)shape->rows,
                         (long)shape->columns, (long)shape->target_pad, (double)beta, (long)i, (long)j,
                         (double)target[i + j * target_ld], (double)expected);
        }
    assert_true(target[target_ld * shape->columns] == CANARY);
    free(source);
    free(target);
}

static void every_shape(void **state) {
    static const struct shape shapes[] = {
        {1, 1, 0, 0},       {0, 5, 3, 3},      {5, 0, 0, 0},        {3, 100000, 0, 0}, {3, 100000, 1, 2},
        {100003, 1, 0, 0},  {300007, 1, 5, 9}, {300007, 2, 0, 3},   {1, 300007, 0, 0}, {1, 300007, 3, 0},
        {513, 511, 0, 0},   {513, 511, 7, 0},  {513, 511, 0, 7},    {4096, 16, 0, 0},  {65536, 1, 0, 0},
        {65537, 3, 64, 64}, {17, 17001, 0, 0}, {1000, 1001, 24, 8},
    };
    static const float betas[] = {-1, 0, 1, 0.5f};
    static const unsigned threads[] = {0, 1, 2, 3, 8};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads[t]);
        assert_non_null(pool);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (size_t b = 0; b < sizeof betas / sizeof betas[0]; b++)
                check(pool, &shapes[s], betas[b]);
        lava_copy_pool_destroy(pool);
    }
}

static void minus_zero_does_not_read(void **state) {
    float source[2] = {1, 2}, target[2] = {NAN, NAN};
    const struct lava_copy copy = {source, 2, target, 2, 2, 1};
    struct lava_copy_pool *pool = lava_copy_pool_create(1);
    (void)state;
    lava_copy_pool_merge(pool, &copy, -0.0f);
    assert_true(target[0] == 1 && target[1] == 2);
    lava_copy_pool_destroy(pool);
}

static void repeated_jobs(void **state) {
    static const struct shape shape = {257, 300, 3, 5};
    struct lava_copy_pool *pool = lava_copy_pool_create(4);
    (void)state;
    for (int i = 0; i < 500; i++)
        check(pool, &shape, i & 1 ? 0.5f : -1);
    lava_copy_pool_destroy(pool);
}

/* Counts threads named lavablas-copy; fails where one does not block every signal that can be blocked. */
static int count_copy_threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[600], name[64] = "", line[256];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        unsigned long long blocked = 0;
        while (file && fgets(line, sizeof line, file)) {
            sscanf(line, "Name: %63s", name);
            sscanf(line, "SigBlk: %llx", &blocked);
        }
        if (file)
            fclose(file);
        if (strcmp(name, "lavablas-copy") != 0)
            continue;
        count++;
        assert_true(blocked & (1ull << (SIGALRM - 1)));
        assert_true(blocked & (1ull << (SIGINT - 1)));
        assert_true(blocked & (1ull << (SIGTERM - 1)));
        assert_true(blocked & (1ull << (SIGUSR1 - 1)));
    }
    closedir(tasks);
    return count;
}

/* A thread names itself when it begins to run, and is listed a moment longer than it can be joined. */
static void wait_for_threads(int expected) {
    for (int i = 0; i < 5000 && count_copy_threads() != expected; i++)
        usleep(1000);
    assert_int_equal(count_copy_threads(), expected);
}

static void threads_exist_only_when_needed(void **state) {
    static const struct shape small = {100, 100, 0, 0}, large = {1000, 1000, 1, 1};
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_false(sigismember(&before, SIGUSR1)); /* or an earlier test's pool has left it so */
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    assert_int_equal(count_copy_threads(), 0);
    check(pool, &small, -1);
    assert_int_equal(count_copy_threads(), 0);
    check(pool, &large, -1);
    wait_for_threads(2);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 65; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    lava_copy_pool_destroy(pool);
    wait_for_threads(0);
    lava_copy_pool_destroy(NULL);
}

static void child_of_fork_copies_alone(void **state) {
    static const struct shape large = {1000, 1000, 1, 1};
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    (void)state;
    check(pool, &large, -1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(10);
        check(pool, &large, 0.5f);
        lava_copy_pool_destroy(pool);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check(pool, &large, 1);
    lava_copy_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
        cmocka_unit_test(minus_zero_does_not_read),
        cmocka_unit_test(repeated_jobs),
        cmocka_unit_test(threads_exist_only_when_needed),
        cmocka_unit_test(child_of_fork_copies_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
