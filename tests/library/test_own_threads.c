/* The library's threads: each has its name from its first instruction on, and blocks the program's signals
 * but not its own faults. In the trace, what a thread of a pool copies is a span of that thread, and all
 * spans together have all bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/thread.h"
#include "lib/base/trace.h"
#include "lib/host/copy_pool.h"

/* What a thread found when it began. */
struct found {
    sem_t written;
    char name[64];
    sigset_t blocked;
};

static void *look(void *argument) {
    struct found *found = argument;
    pthread_getname_np(pthread_self(), found->name, sizeof found->name);
    pthread_sigmask(SIG_SETMASK, NULL, &found->blocked);
    sem_post(&found->written);
    return NULL;
}

static void check_found(struct found *found, const char *name) {
    static const int blocked[] = {SIGALRM, SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPROF},
                     open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    while (sem_wait(&found->written))
        assert_int_equal(errno, EINTR);
    assert_string_equal(found->name, name);
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++)
        assert_true(sigismember(&found->blocked, blocked[i]));
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        assert_false(sigismember(&found->blocked, open[i]));
    sem_destroy(&found->written);
}

static void names_and_signals(void **state) {
    static const char *const names[][2] = {{"lava-test", "lava-test"},
                                           {"lava-exactly-15", "lava-exactly-15"},
                                           {"lava-longer-than-15", "lava-longer-tha"}};
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct found found = {.name = ""};
        sem_init(&found.written, 0, 0);
        char name[64];
        strcpy(name, names[i][0]);
        assert_true(lava_thread_start(name, look, &found));
        memset(name, 'x', sizeof name - 1); /* the thread has a copy */
        check_found(&found, names[i][1]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 65; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

enum { TEAM = 5, ROUNDS = 100 };

static void *look_in_team(void *argument) {
    static atomic_uint number;
    return look((struct found *)argument + atomic_fetch_add(&number, 1) % TEAM);
}

/* More threads, one after the other, than may begin at the same time. */
static void team(void **state) {
    struct found found[TEAM];
    pthread_t threads[TEAM];
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TEAM; i++)
            sem_init(&found[i].written, 0, 0);
        assert_int_equal(
            lava_thread_start_team("lava-team", threads, TEAM, LAVA_THREAD_SMALL_STACK, look_in_team, found),
            TEAM);
        for (int i = 0; i < TEAM; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (int i = 0; i < TEAM; i++)
            check_found(&found[i], "lava-team");
    }
}

/* Threads that have returned from their function, and are kept at their end by what a driver might do there.
 */
static pthread_key_t at_end;
static sem_t goes_on;
static atomic_int returned, ended;

static void wait_at_end(void *unused) {
    (void)unused;
    while (sem_wait(&goes_on))
        assert_int_equal(errno, EINTR);
    ended++;
}

static void *return_late(void *argument) {
    pthread_setspecific(at_end, argument);
    returned++;
    return argument;
}

static bool settle_within(uint64_t ms) {
    const struct timespec deadline = lava_clock_deadline(ms * 1000000);
    return lava_thread_settle(&deadline);
}

/* More of them, in all, than can be told apart at once. */
static void settles(void **state) {
    enum { AT_ONCE = 40, TIMES = 4 }; /* later ones find the tracks of earlier ones free again */
    (void)state;
    assert_int_equal(pthread_key_create(&at_end, wait_at_end), 0);
    assert_int_equal(sem_init(&goes_on, 0, 0), 0);
    assert_true(settle_within(10000));
    for (int time = 1; time <= TIMES; time++) {
        for (int i = 0; i < AT_ONCE; i++)
            assert_true(lava_thread_start("lava-late", return_late, &at_end));
        while (returned < time * AT_ONCE)
            sched_yield();
        while (settle_within(20)) /* a thread has returned a moment before it is known to end */
            sched_yield();
        for (int i = 0; i < AT_ONCE; i++)
            sem_post(&goes_on);
        while (ended < time * AT_ONCE)
            assert_true(settle_within(10000));
    }
    assert_true(settle_within(10000));
    pthread_key_delete(at_end);
}

enum { ORDER = 1024, COPIES = 300, SMALL = 64 };

/* Copies of which each is shared, then one that the caller makes alone. Ends the process, so that the trace
 * is written. */
static void copy_and_exit(const char *path) {
    static float source[ORDER * ORDER], target[ORDER * ORDER];
    struct lava_copy copy = {source, ORDER, target, ORDER, ORDER, ORDER};
    setenv("LAVABLAS_TRACE", path, 1);
    lava_trace_install();
    struct lava_copy_pool *pool = lava_copy_pool_create(4);
    for (int i = 0; i < COPIES && pool; i++)
        lava_copy_pool_finish(pool, lava_copy_pool_copy(pool, &copy, sizeof(float)));
    copy.rows = copy.columns = SMALL;
    if (pool)
        lava_copy_pool_finish(pool, lava_copy_pool_copy(pool, &copy, sizeof(float)));
    lava_copy_pool_destroy(pool);
    exit(pool ? 0 : 1);
}

struct totals {
    unsigned long long bytes, bytes_of_pool, least;
    int threads[8], thread_count; /* of the pool */
    int spans;
};

static bool is_of_pool(const struct totals *totals, int thread) {
    for (int i = 0; i < totals->thread_count; i++)
        if (totals->threads[i] == thread)
            return true;
    return false;
}

static void add_line(struct totals *totals, const char *line) {
    int process, thread;
    unsigned long long bytes;
    if (sscanf(line, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,", &process, &thread) ==
            2 &&
        strstr(line, "\"lava-copy\"")) {
        assert_in_range(totals->thread_count, 0, 2);
        totals->threads[totals->thread_count++] = thread;
    }
    const char *text = strstr(line, "\"bytes\":");
    if (sscanf(line, "{\"ph\":\"X\",\"name\":\"copy to staging\",\"pid\":%d,\"tid\":%d,", &process,
               &thread) != 2)
        return;
    assert_non_null(text);
    assert_int_equal(sscanf(text, "\"bytes\":%llu", &bytes), 1);
    totals->spans++;
    totals->bytes += bytes;
    totals->bytes_of_pool += is_of_pool(totals, thread) ? bytes : 0;
    totals->least = totals->least < bytes ? totals->least : bytes;
}

static void spans_of_copies(void **state) {
    char path[] = "/tmp/lavablas-trace-XXXXXX", line[1024];
    int status, file = mkstemp(path);
    struct totals totals = {.least = ORDER * ORDER * sizeof(float)};
    (void)state;
    assert_true(file >= 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        copy_and_exit(path);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    FILE *lines = fdopen(file, "r");
    assert_non_null(lines);
    while (fgets(line, sizeof line, lines))
        add_line(&totals, line);
    fclose(lines);
    unlink(path);
    print_message("%d spans, %.0f%% of the bytes by %d threads of the pool\n", totals.spans,
                  100.0 * (double)totals.bytes_of_pool / (double)totals.bytes, totals.thread_count);
    size_t large = (size_t)ORDER * ORDER * sizeof(float), small = (size_t)SMALL * SMALL * sizeof(float);
    assert_int_equal(totals.bytes, COPIES * large + small);
    assert_int_equal(totals.least, small); /* a span of its own */
    assert_true(totals.thread_count > 0 && totals.bytes_of_pool > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_signals), cmocka_unit_test(team),
                                       cmocka_unit_test(settles), cmocka_unit_test(spans_of_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
