/* ?copy under every name, and copies that are shared among threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>

#include "lib/base/random.h"
#include "lib/base/routines.h"
#include "lib/host/team.h"
#include "lib/host/vector_copy.h"

#include "lavablas.h"

#define THREADS 4
#define GUARD   64 /* bytes before and after y */

static unsigned seed;

static int64_t between(int64_t least, int64_t most) {
    return least + rand_r(&seed) % (most - least + 1);
}

/* Two vectors with random bytes, everything between their elements included. */
struct vectors {
    struct lava_vector_copy copy;
    size_t x_bytes, y_bytes;
    unsigned char *x, *y, *want;
};

static size_t span(int64_t n, int64_t increment, size_t bytes) {
    size_t distance = (size_t)(increment < 0 ? -increment : increment);
    return n < 1 ? 0 : ((size_t)(n - 1) * distance + 1) * bytes;
}

static unsigned char *random_bytes(size_t bytes) {
    unsigned char *all = malloc(bytes + sizeof(uint64_t));
    uint64_t random = (uint64_t)rand_r(&seed);
    assert_non_null(all);
    for (size_t i = 0; i < bytes; i += sizeof random) {
        lava_random_next(&random);
        const uint64_t mixed = random ^ random >> 32;
        memcpy(all + i, &mixed, sizeof mixed);
    }
    return all;
}

/* Element i of a vector in Fortran's sense: a negative increment begins at the end. */
static size_t place(int64_t i, int64_t n, int64_t increment, size_t bytes) {
    return (size_t)(increment < 0 ? (i - n + 1) * increment : i * increment) * bytes;
}

static struct vectors new_vectors(int64_t n, int64_t x_increment, int64_t y_increment, size_t bytes) {
    struct vectors v = {.x_bytes = span(n, x_increment, bytes) + 1,
                        .y_bytes = span(n, y_increment, bytes) + 2 * GUARD};
    v.x = random_bytes(v.x_bytes);
    v.y = random_bytes(v.y_bytes);
    v.want = malloc(v.y_bytes);
    assert_non_null(v.want);
    memcpy(v.want, v.y, v.y_bytes);
    for (int64_t i = 0; i < n; i++)
        memcpy(v.want + GUARD + place(i, n, y_increment, bytes), v.x + place(i, n, x_increment, bytes),
               bytes);
    v.copy = (struct lava_vector_copy){.n = n,
                                       .x = v.x,
                                       .x_increment = x_increment,
                                       .y = v.y + GUARD,
                                       .y_increment = y_increment,
                                       .element_bytes = bytes};
    return v;
}

static void check_and_free(struct vectors *v) {
    assert_memory_equal(v->y, v->want, v->y_bytes);
    free(v->x);
    free(v->y);
    free(v->want);
}

static void copy(struct lava_vector_copy *x) {
    if (!lava_vector_copy_begin(x)) {
        lava_vector_copy_alone(x);
        lava_vector_copy_end(x);
    }
}

static void call(const struct lava_routine_row *row, const struct lava_vector_copy *x) {
    void *address = dlsym(RTLD_DEFAULT, row->name);
    int n = (int)x->n, incx = (int)x->x_increment, incy = (int)x->y_increment;
    assert_non_null(address);
    if (row->convention == LAVA_CONVENTION_CBLAS && row->is_ilp64) {
        void (*function)(int64_t, const void *, int64_t, void *, int64_t);
        memcpy(&function, &address, sizeof function);
        function(x->n, x->x, x->x_increment, x->y, x->y_increment);
    } else if (row->convention == LAVA_CONVENTION_CBLAS) {
        void (*function)(int, const void *, int, void *, int);
        memcpy(&function, &address, sizeof function);
        function(n, x->x, incx, x->y, incy);
    } else {
        void (*function)(const void *, const void *, const void *, void *, const void *);
        memcpy(&function, &address, sizeof function);
        if (row->is_ilp64)
            function(&x->n, x->x, &x->x_increment, x->y, &x->y_increment);
        else
            function(&n, x->x, &incx, x->y, &incy);
    }
}

/* Also with what BLAS allows and nobody expects: no elements, and increments that are negative. */
static void every_name(void **state) {
    static const int64_t sizes[] = {-1, 0, 1, 7, LAVA_VECTOR_COPY_LEAST - 1, LAVA_VECTOR_COPY_LEAST, 1200};
    static const int64_t increments[][2] = {{1, 1}, {3, 1}, {1, 260}, {-2, 1}, {1, -3}, {-260, -260}};
    (void)state;
    for (int i = LAVA_ROUTINE_COUNT; i < LAVA_ROUTINE_ALL; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
            for (size_t step = 0; step < sizeof increments / sizeof increments[0]; step++) {
                struct vectors v = new_vectors(sizes[size], increments[step][0], increments[step][1],
                                               lava_type_bytes(row->type));
                call(row, &v.copy);
                check_and_free(&v);
            }
    }
}

/* Rows of calls as a transposition makes them. Of each row some calls are shared, whatever the times; but on
 * a busy machine a row may end early. */
static void rows(void **state) {
    static const size_t bytes[] = {4, 8, 16};
    (void)state;
    lava_vector_copy_allow(THREADS, 0);
    for (int times = 0; times < 200; times++) {
        size_t each = bytes[between(0, 2)];
        int64_t n = between(LAVA_VECTOR_COPY_LEAST, 1200), far = 1024 / (int64_t)each + between(0, 20),
                near = between(1, 3);
        bool gathers = between(0, 1);
        struct vectors v = new_vectors(n, gathers ? far : near, gathers ? near : far, each);
        unsigned char *before = malloc(v.y_bytes);
        assert_non_null(before);
        memcpy(before, v.y, v.y_bytes);
        for (int i = 0; i < 20; i++) {
            memcpy(v.y, before, v.y_bytes);
            copy(&v.copy);
            assert_memory_equal(v.y, v.want, v.y_bytes);
        }
        free(before);
        check_and_free(&v);
    }
    assert_true(lava_vector_copy_shared() >= 200);
}

/* NumPy's matrix and its transposed copy may lie side by side. */
static void neighbours(void **state) {
    enum { N = 1100, DISTANCE = 600 };
    double *x = malloc((N * DISTANCE + N) * sizeof *x), *y = x + N * DISTANCE;
    uint64_t before = lava_vector_copy_shared();
    (void)state;
    assert_non_null(x);
    for (int i = 0; i < N * DISTANCE; i++)
        x[i] = i;
    for (int column = 0; column < DISTANCE; column++) {
        struct lava_vector_copy one = {
            .n = N, .x = x + column, .x_increment = DISTANCE, .y = y, .y_increment = 1, .element_bytes = 8};
        copy(&one);
        for (int i = 0; i < N; i++)
            assert_true(y[i] == x[column + i * DISTANCE]);
    }
    assert_true(lava_vector_copy_shared() > before);
    free(x);
}

/* Increments that are zero or negative, vectors that overlap, and vectors of close elements: never shared. */
static void left_alone(void **state) {
    static unsigned char memory[2400 * 8];
    static const int64_t increments[][2] = {{0, 300}, {-300, 1}, {1, -300}, {1, 1}, {2, 3}};
    uint64_t before = lava_vector_copy_shared();
    (void)state;
    for (size_t step = 0; step < sizeof increments / sizeof increments[0]; step++)
        for (int i = 0; i < 20; i++) {
            struct vectors v = new_vectors(1100, increments[step][0], increments[step][1], 8);
            copy(&v.copy);
            check_and_free(&v);
        }
    for (int i = 0; i < 20; i++) {
        struct lava_vector_copy forwards = {.n = 1100,
                                            .x = memory,
                                            .x_increment = 1,
                                            .y = memory + 8,
                                            .y_increment = INT64_MAX / 4,
                                            .element_bytes = 8};
        assert_false(lava_vector_copy_begin(&forwards));
        lava_vector_copy_end(&forwards);
        forwards.y_increment = 200;
        assert_false(lava_vector_copy_begin(&forwards));
        lava_vector_copy_end(&forwards);
    }
    assert_int_equal(lava_vector_copy_shared(), before);
}

static void *many_rows(void *argument) {
    (void)argument;
    unsigned char *x = calloc(1100 * 300, 8), *y = malloc(1100 * 8);
    for (int i = 0; x && y && i < 1000; i++) {
        struct lava_vector_copy mine = {
            .n = 1100, .x = x, .x_increment = 300, .y = y, .y_increment = 1, .element_bytes = 8};
        memset(y, 1, 1100 * 8);
        copy(&mine);
        for (int j = 0; j < 1100 * 8; j++)
            if (y[j] != 0)
                abort();
    }
    free(x);
    free(y);
    return NULL;
}

/* If a call takes little time alone, no row is shared. The limit stays, so a child sets it. */
static void fast_rows(void **state) {
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        lava_vector_copy_allow(THREADS, UINT64_MAX);
        lava_vector_copy_allow(THREADS, 0);
        many_rows(NULL);
        _exit(lava_vector_copy_shared() > 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void several_callers(void **state) {
    pthread_t threads[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_rows, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* The threads do not exist in a child, whose calls are right all the same. */
static void child(void **state) {
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        many_rows(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

struct job {
    _Atomic int calls[LAVA_TEAM_MAX];
    _Atomic unsigned parts;
    int number;
    int64_t sleeper;
};

static void count_part(const void *context, unsigned part, unsigned parts) {
    struct job *job = (struct job *)(uintptr_t)context;
    job->calls[part]++;
    job->parts = parts;
    if (job->sleeper == (int64_t)part)
        usleep(200);
}

/* Every part is run once, also if a thread sleeps between two jobs or in the midst of a part. */
static void team_parts(void **state) {
    /* Not on the stack: the address sanitizer's own stacks are not aligned to a cache line. */
    static struct lava_team team = {.name = "test", .threads = THREADS, .spins = 100};
    static struct lava_team alone = {.name = "test", .threads = 1, .spins = 100};
    (void)state;
    lava_team_open(&team);
    for (int number = 0; number < 5000; number++) {
        struct job job = {.number = number, .sleeper = between(0, 100)};
        assert_true(lava_team_run(&team, count_part, &job));
        for (int part = 0; part < LAVA_TEAM_MAX; part++)
            assert_int_equal(job.calls[part], part < THREADS ? 1 : 0);
        assert_int_equal(job.parts, THREADS);
        if (between(0, 100) == 0)
            usleep(500);
    }
    assert_int_equal(team.parts, THREADS);
    lava_team_end(&team);
    assert_int_equal(team.parts, 0); /* its threads have ended */
    lava_team_open(&alone);
    assert_false(lava_team_run(&alone, count_part, NULL));
    lava_team_end(&alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_name), cmocka_unit_test(fast_rows),
                                       cmocka_unit_test(rows),       cmocka_unit_test(neighbours),
                                       cmocka_unit_test(left_alone), cmocka_unit_test(several_callers),
                                       cmocka_unit_test(child),      cmocka_unit_test(team_parts)};
    seed = (unsigned)time(NULL);
    printf("%s, seed: %u\n", lavablas_version(), seed); /* so the library is loaded */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
