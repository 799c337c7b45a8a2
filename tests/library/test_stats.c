/* The statistics: counting from threads, the text, and the summary at exit. For the latter this program runs
 * itself again with LAVABLAS_STATS set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/report.h"
#include "lib/base/sizes.h"
#include "lib/base/stats.h"
#include "tests/library/capture.h"
#include "tests/library/summary.h"

static const struct lava_operation operation = {.type = LAVA_TYPE_FP32, .m = 1000, .n = 500, .k = 100};

/* Child programs: each does this before it exits. */
static void count_one(void) {
    lava_stats_count(LAVA_ROUTINE_sgemm_, &operation, 0, LAVA_PLACE_CPU, LAVA_REASON_STARTING, 1000);
}

static void install_and_count(void) {
    lava_report_install();
    count_one();
}

static void fork_child_exits(void) {
    static const double estimates_ns[LAVA_PLACE_COUNT] = {1, 1};
    install_and_count();
    lava_stats_estimated(LAVA_PLACE_CPU, estimates_ns, 1);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(0); /* counted nothing, so it prints nothing */
    waitpid(child, NULL, 0);
}

static void fork_child_counts(void) {
    install_and_count();
    pid_t child = fork();
    if (child == 0) {
        lava_stats_count(LAVA_ROUTINE_cblas_sgemm, &operation, 0, LAVA_PLACE_CPU, LAVA_REASON_FORKED, 1000);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void install_only(void) {
    lava_report_install();
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {{"install-and-count", install_and_count},
                {"install-only", install_only},
                {"fork-child-exits", fork_child_exits},
                {"fork-child-counts", fork_child_counts},
                {NULL, NULL}};

/* Runs this program under the given name. Returns the number of lines on its stderr. */
static int run_program(const char *name, const char *setting, struct capture *capture) {
    capture_begin(capture);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        if (setting)
            setenv("LAVABLAS_STATS", setting, 1);
        else
            unsetenv("LAVABLAS_STATS");
        execl("/proc/self/exe", "test_stats", name, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int lines = capture_end(capture);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return lines;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void nothing_counted_is_nothing_said(void **state) {
    struct capture capture;
    char text[16] = "x";
    (void)state;
    summary_read(text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(run_program("install-only", "1", &capture), 0);
    assert_int_equal(run_program("install-and-count", NULL, &capture), 0);
    assert_int_equal(run_program("install-and-count", "0", &capture), 0);
}

static void summary_on_stderr(void **state) {
    struct capture capture;
    char expected[256];
    (void)state;
    assert_int_equal(run_program("install-and-count", "1", &capture), 1);
    snprintf(expected, sizeof expected, "lavablas: sgemm_ cpu 1 calls, 0.000001 s, 0.1 GFLOP: %s\n",
             lava_reason_text(LAVA_REASON_STARTING));
    assert_string_equal(capture.text, expected);
}

static void children_of_fork_tell_their_own(void **state) {
    struct capture capture;
    (void)state;
    assert_int_equal(run_program("fork-child-exits", "1", &capture), 2);
    assert_int_equal(run_program("fork-child-counts", "1", &capture), 2);
    assert_int_equal(count_of(capture.text, " sgemm_ cpu 1 calls"), 1);
    assert_int_equal(count_of(capture.text, " cblas_sgemm cpu 1 calls"), 1);
}

static void summary_in_a_file(void **state) {
    struct capture capture;
    char folder[] = "/tmp/lavablas-stats-XXXXXX", path[64], text[1024];
    struct stat status;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/stats", folder);
    assert_int_equal(run_program("install-only", path, &capture), 0);
    assert_int_equal(access(path, F_OK), -1);
    for (int i = 0; i < 2; i++) /* the second is appended */
        assert_int_equal(run_program("install-and-count", path, &capture), 0);
    int file = open(path, O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    assert_true(length > 0);
    text[length] = '\0';
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    close(file);
    assert_int_equal(count_of(text, "lavablas: sgemm_ cpu 1 calls"), 2);
    unlink(path);
    /* a FIFO without a reader does not keep the program from exiting */
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(run_program("install-and-count", path, &capture), 1);
    unlink(path);
    rmdir(folder);
    assert_int_equal(run_program("install-and-count", path, &capture), 1);
    assert_non_null(strstr(capture.text, "LAVABLAS_STATS"));
}

static void *count_many(void *argument) {
    (void)argument;
    for (int i = 0; i < 10000; i++)
        lava_stats_count(LAVA_ROUTINE_cblas_sgemm, &operation, 0, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE,
                         100);
    return NULL;
}

static void threads_lose_nothing(void **state) {
    pthread_t threads[4];
    char text[4096], expected[256];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    /* the operation of an invalid call is not accessed */
    lava_stats_count(LAVA_ROUTINE_sgemm_, NULL, 0, LAVA_PLACE_CPU, LAVA_REASON_INVALID, 0);
    summary_read(text, sizeof text);
    snprintf(expected, sizeof expected,
             "lavablas: sgemm_ cpu 1 calls, 0.000000 s, 0.0 GFLOP: %s\n"
             "lavablas: cblas_sgemm gpu 40000 calls, 0.004000 s, 4000.0 GFLOP: %s\n",
             lava_reason_text(LAVA_REASON_INVALID), lava_reason_text(LAVA_REASON_PROFITABLE));
    assert_string_equal(text, expected);
}

static void lanes_are_counted(void **state) {
    char text[4096];
    (void)state;
    lava_stats_lanes(1);
    summary_read(text, sizeof text);
    assert_null(strstr(text, "at a time"));
    lava_stats_lanes(3);
    lava_stats_lanes(2);
    summary_read(text, sizeof text);
    assert_non_null(strstr(text, "lavablas: at most 3 products on the device at a time\n"));
}

static void devices_are_counted(void **state) {
    char text[4096];
    (void)state;
    lava_stats_device(0);
    lava_stats_device(0);
    summary_read(text, sizeof text);
    assert_null(strstr(text, "lavablas: device")); /* there is one */
    lava_stats_device(2);
    summary_read(text, sizeof text);
    assert_non_null(strstr(text, "lavablas: device 0 of the process: 2 products\n"
                                 "lavablas: device 1 of the process: 0 products\n"
                                 "lavablas: device 2 of the process: 1 products\n"));
    assert_null(strstr(text, "shared"));
    lava_stats_shared();
    summary_read(text, sizeof text);
    assert_non_null(strstr(text, "lavablas: several devices shared 1 products\n"));
    assert_true(lava_stats_of_device(2) == 1 && lava_stats_of_shared() == 1);
}

static void tell_copies(struct lava_stats_copies *copies) {
    *copies = (struct lava_stats_copies){
        .stored = 3, .used = 9, .refreshed = 4, .refreshed_bytes = 250000000, .forgotten = 2, .count = 2};
    copies->matrices[0] = (struct lava_stats_matrix){
        .first = (void *)0x1000, .rows = 10, .columns = 20, .bytes = 1600, .why = "of its size"};
    copies->matrices[1] = (struct lava_stats_matrix){.first = (void *)0x2000,
                                                     .rows = 1000,
                                                     .columns = 2000,
                                                     .bytes = 16 << 20,
                                                     .uses = 9,
                                                     .saved_ns = 2.5e6};
}

static void tell_why_not(struct lava_stats_copies *copies) {
    copies->why = "the kernel is old";
}

static void copies_are_told(void **state) {
    char text[4096];
    (void)state;
    summary_read(text, sizeof text);
    assert_null(strstr(text, "stay"));
    lava_stats_ask_copies(tell_copies);
    lava_stats_stayed(1500000000);
    summary_read(text, sizeof text);
    assert_non_null(strstr(
        text,
        "lavablas: matrices that stayed on the device: 1 uses, 1.5 GB that need not have gone up\n"
        "lavablas: their copies: 3 stored, 9 used, 4 uploaded anew by 0.2 GB, 2 forgotten, 0 evicted, 0 "
        "differences\n"
        "lavablas: the matrix at 0x2000, 1000 x 2000, 16.0 MiB: stays, 9 uses, 2.5 ms saved\n"
        "lavablas: the matrix at 0x1000, 10 x 20, 0.0 MiB: does not stay: of its size; 0 uses, 0.0 ms "
        "saved\n"));
    lava_stats_ask_copies(tell_why_not);
    summary_read(text, sizeof text);
    assert_non_null(strstr(text, "lavablas: no matrix stays on the device: the kernel is old\n"));
    lava_stats_reset(); /* a child of fork() has none */
    summary_read(text, sizeof text);
    assert_null(strstr(text, "stay"));
}

static void estimates_are_compared(void **state) {
    static const double estimates_ns[LAVA_PLACE_COUNT] = {[LAVA_PLACE_CPU] = 2e9, [LAVA_PLACE_GPU] = 1e9};
    char text[4096];
    (void)state;
    lava_stats_estimated(LAVA_PLACE_GPU, estimates_ns, 1500000000);
    lava_stats_estimated(LAVA_PLACE_GPU, estimates_ns, 2250000000);
    lava_stats_estimated(LAVA_PLACE_CPU, estimates_ns, 500000000);
    summary_read(text, sizeof text);
    const char *line = strstr(text, "lavablas: estimates: ");
    assert_non_null(line);
    assert_string_equal(
        line, "lavablas: estimates: gpu 2 calls, 2.000000 s estimated, 3.750000 s measured; cpu 1 "
              "calls, 2.000000 s estimated, 0.500000 s measured; 1 calls on the GPU took 0.250000 s "
              "longer than the CPU's estimate, 0 calls on the CPU took 0.000000 s longer than the "
              "GPU's\n");
}

/* The classes of sizes end at powers of two, by the work: a thin product counts as the cube of its work. */
static void sizes_have_classes(void **state) {
    static const struct {
        int64_t m, n, k, least_order;
    } products[] = {{1, 1, 1, 0},
                    {63, 63, 63, 0},
                    {64, 64, 64, 64},
                    {127, 127, 127, 64},
                    {128, 128, 128, 128},
                    {4096, 4096, 1, 256},
                    {512, 512, 512, 512},
                    {16384, 16384, 16384, 16384},
                    {16383, 16383, 16383, 8192},
                    {1 << 20, 1 << 20, 1 << 20, 16384}};
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        const struct lava_operation product = {.type = LAVA_TYPE_FP64,
                                               .c.type = LAVA_TYPE_FP64,
                                               .m = products[i].m,
                                               .n = products[i].n,
                                               .k = products[i].k};
        int size = 0;
        lava_stats_reset();
        lava_stats_count_shape(LAVA_ROUTINE_dgemm_, &product, 2, LAVA_PLACE_GPU, 30, 70);
        while (size < LAVA_SIZES && !lava_stats_shape(LAVA_ROUTINE_dgemm_, LAVA_PLACE_GPU, size).calls)
            size++;
        assert_true(size < LAVA_SIZES);
        assert_int_equal(lava_sizes_least_order(size), products[i].least_order);
        const struct lava_stats_shape shape = lava_stats_shape(LAVA_ROUTINE_dgemm_, LAVA_PLACE_GPU, size);
        double m = (double)product.m, n = (double)product.n, k = (double)product.k;
        assert_true(shape.calls == 1 && shape.elapsed_ns == 30 && shape.cpu_ns == 70 && shape.lost_ns == 0);
        assert_true(shape.flops == 4 * m * n * k && shape.bytes == 16 * (m * k + k * n + m * n));
        assert_true(lava_stats_shape(LAVA_ROUTINE_dgemm_, LAVA_PLACE_CPU, size).calls == 0);
        lava_stats_count_shape(LAVA_ROUTINE_dgemm_, &product, 1, LAVA_PLACE_GPU, 90, 70); /* loses 20 */
        lava_stats_count_shape(LAVA_ROUTINE_dgemm_, &product, 1, LAVA_PLACE_GPU, 90, 0);  /* unknown */
        const struct lava_stats_shape later = lava_stats_shape(LAVA_ROUTINE_dgemm_, LAVA_PLACE_GPU, size);
        assert_true(later.calls == 3 && later.elapsed_ns == 210 && later.cpu_ns == 140 &&
                    later.lost_ns == 20);
    }
    lava_stats_reset();
}

/* A path that ends in .json: one line, with the quotation marks of names escaped. */
static void report_in_a_file(void **state) {
    struct capture capture;
    char folder[] = "/tmp/lavablas-stats-XXXXXX", path[64], text[65536];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/stats.json", folder);
    assert_int_equal(run_program("fork-child-counts", path, &capture), 0);
    int file = open(path, O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    assert_true(length > 0);
    text[length] = '\0';
    close(file);
    assert_int_equal(count_of(text, "\n"), 2);
    assert_int_equal(count_of(text, "{\"lavablas\":\""), 2);
    assert_int_equal(count_of(text, "\"routine\":\"sgemm_\",\"place\":\"cpu\""), 1);
    assert_int_equal(count_of(text, "\"routine\":\"cblas_sgemm\",\"place\":\"cpu\""), 1);
    assert_int_equal(count_of(text, "\"calls\":1,\"ns\":1000,\"flop\":100000000}"), 2);
    assert_true(count_of(text, "\"objects\":[\"/") == 2);
    unlink(path);
    rmdir(folder);
}

static void routines_have_names(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_type type = lava_routine_type((enum lava_routine)i);
        enum lava_type type_c = lava_routine_type_c((enum lava_routine)i);
        assert_non_null(lava_routine_name((enum lava_routine)i));
        assert_true(type_c == type || (lava_type_is_half(type) && type_c == LAVA_TYPE_FP32));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(lava_routine_name((enum lava_routine)i),
                                    lava_routine_name((enum lava_routine)j));
    }
}

static void the_clock_runs(void **state) {
    uint64_t start = lava_clock_now_ns();
    (void)state;
    usleep(2000);
    uint64_t elapsed = lava_clock_now_ns() - start;
    assert_true(elapsed >= 2000000 && elapsed < 60000000000u);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_counted_is_nothing_said),
        cmocka_unit_test(summary_on_stderr),
        cmocka_unit_test(children_of_fork_tell_their_own),
        cmocka_unit_test(summary_in_a_file),
        cmocka_unit_test(report_in_a_file),
        cmocka_unit_test(sizes_have_classes),
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(copies_are_told),
        cmocka_unit_test(estimates_are_compared),
        cmocka_unit_test(lanes_are_counted),
        cmocka_unit_test(devices_are_counted),
        cmocka_unit_test(routines_have_names),
        cmocka_unit_test(the_clock_runs),
    };
    for (size_t i = 0; count > 1 && programs[i].name; i++) {
        if (strcmp(programs[i].name, arguments[1]) == 0) {
            programs[i].run();
            return 0;
        }
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
