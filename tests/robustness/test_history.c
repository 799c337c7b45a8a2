/* Programs with a history: each case starts this program again and again with one cache, and looks at what
 * its runs leave there and at what the next one does. The library is linked in, and finds the history as it
 * does when it is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/config.h"
#include "lib/base/file_cache.h"
#include "lib/base/program_key.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/program_history.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/forged.h"

#define SIZE    256
#define CPU_NS  1e9 /* the CPU is said to take that long for a product */
#define CALLS   4
#define LOAD_S  30
#define FILES   300
#define CORRUPT 5

static char home[] = "/tmp/lavablas-history-XXXXXX";

/* What the children do. */

static bool multiply(int calls) {
    struct product product = {.m = SIZE, .n = SIZE, .k = SIZE, .alpha = 1, .beta = 0};
    bool all = true;
    product_make(&product, 1);
    for (int i = 0; i < calls; i++)
        all = CASE_CHECK(case_multiply(&product, NULL)) && all;
    product_free(&product);
    return all;
}

static void claim_fast_device(void) {
    forged_at_once(forged_figures(CPU_NS, 1e4));
}

/* A program without a history whose products win: the device is ready for all of them. */
static int child_wins(void) {
    enum lava_reason reason;
    CASE_CHECK(lava_program_history_rule() != LAVA_HISTORY_WON);
    lava_offload_open();
    if (!CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP32, true, &reason)))
        return 1;
    claim_fast_device();
    multiply(CALLS);
    return case_result();
}

static bool is_preparing(void) {
    return case_threads_named("lava-prepare") > 0 ||
           lava_readiness_in(LAVA_READINESS_IN(COLD)) != LAVA_READINESS_ALL;
}

/* Without any call, and without the CPU BLAS, the device gets ready; then products are right and win again.
 */
static int child_is_early(void) {
    enum lava_reason reason = LAVA_REASON_COUNT;
    CASE_CHECK(lava_program_history_rule() == LAVA_HISTORY_WON);
    CASE_CHECK(is_preparing());
    double until = case_now() + LOAD_S;
    while (!lava_prepare_may_multiply(LAVA_TYPE_FP32, false, &reason) && reason == LAVA_REASON_STARTING &&
           case_now() < until)
        case_sleep(0.01);
    CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP32, false, &reason));
    CASE_CHECK(!lava_context_figures());
    lava_offload_open();
    if (!CASE_CHECK(lava_context_figures()))
        return 1;
    claim_fast_device();
    multiply(CALLS);
    return case_result();
}

/* The first call comes while the device is being opened. */
static int child_calls_at_once(void) {
    CASE_CHECK(lava_program_history_rule() == LAVA_HISTORY_WON);
    multiply(CALLS);
    CASE_CHECK(is_preparing());
    return case_result();
}

static int child_is_idle(void) {
    CASE_CHECK(is_preparing() == (lava_program_history_rule() == LAVA_HISTORY_WON));
    return case_result();
}

static int child_is_quiet(void) {
    CASE_CHECK(lava_program_history_rule() == LAVA_HISTORY_QUIET);
    CASE_CHECK(!is_preparing());
    multiply(1);
    CASE_CHECK(!is_preparing());
    return case_result();
}

static int child_has_none(void) {
    CASE_CHECK(lava_program_history_rule() == LAVA_HISTORY_NONE);
    CASE_CHECK(!is_preparing());
    multiply(1);
    return case_result();
}

/* Nothing is prepared; a device that is ready from the start would have won. */
static int child_misses(void) {
    lava_offload_open();
    case_sleep(2 * (LAVA_HISTORY_READY_NS + LAVA_HISTORY_PREPARATION_NS) / 1e9);
    lava_program_history_count(1, 0, 2 * LAVA_HISTORY_PREPARATION_NS);
    return case_result();
}

static int child_has_no_device(void) {
    enum lava_reason reason;
    CASE_CHECK(lava_program_history_rule() == LAVA_HISTORY_NONE);
    lava_offload_open();
    CASE_CHECK(!lava_prepare_may_multiply(LAVA_TYPE_FP32, true, &reason) && reason == LAVA_REASON_NO_DEVICE);
    return child_misses();
}

/* A child of fork() and a program that is replaced leave the file as it is. */
static int child_forks(void) {
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        exit(multiply(1) ? 0 : 1);
    CASE_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    multiply(CALLS);
    return case_result();
}

static int child_execs(void) {
    CASE_CHECK(is_preparing());
    execl("/bin/true", "true", (char *)NULL);
    return 1;
}

/* A program that chooses its own settings before its first call. */
static int child_sets(void) {
    setenv("LAVABLAS_PRECISION", "ieee", 1);
    return child_wins();
}

/* The parent never calls; what its child wins is not the program's. */
static int child_of_fork_wins(void) {
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        exit(child_wins());
    CASE_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return case_result();
}

static const struct {
    const char *name;
    int (*run)(void);
} children[] = {
    {"wins", child_wins},
    {"early", child_is_early},
    {"at-once", child_calls_at_once},
    {"idle", child_is_idle},
    {"quiet", child_is_quiet},
    {"none", child_has_none},
    {"misses", child_misses},
    {"no-device", child_has_no_device},
    {"forks", child_forks},
    {"execs", child_execs},
    {"sets", child_sets},
    {"fork-wins", child_of_fork_wins},
};

/* The cases. */

static bool runs(const char *name, const char *use) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        setenv("LAVABLAS_HISTORY", use, 1);
        execl("/proc/self/exe", "test_history", "--child", name, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

struct kept {
    struct lava_history history;
    int count;
};

static void keep_entry(void *context, const struct lava_program_history_entry *entry) {
    struct kept *kept = context;
    kept->history = entry->history;
    kept->count++;
}

/* Returns the only entry; `runs` is 0 if there is none. */
static struct lava_history entry_of(void) {
    struct kept kept = {.count = 0};
    lava_program_history_each(home, keep_entry, &kept);
    CASE_CHECK(kept.count <= 1);
    return kept.history;
}

static bool open_home(void) {
    return CASE_CHECK(mkdtemp(home) && !setenv("XDG_CACHE_HOME", home, 1) && !unsetenv("LAVABLAS_MODE"));
}

static int close_home(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", home);
    CASE_CHECK(system(command) == 0);
    return case_result();
}

static int early_in_later_starts(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("none", "on"));
    CASE_CHECK(entry_of().runs == 0); /* it prepared nothing: no file */
    CASE_CHECK(runs("wins", "on"));
    struct lava_history history = entry_of();
    CASE_CHECK(history.runs == 1 && history.won == 1 && history.gain_ns > 0 && history.needs != 0);
    CASE_CHECK(runs("early", "on"));
    CASE_CHECK(entry_of().won == 2);
    return close_home();
}

static int settings(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("wins", "on"));
    CASE_CHECK(runs("early", "read"));
    CASE_CHECK(runs("none", "off"));
    CASE_CHECK(entry_of().runs == 1);
    return close_home();
}

static int settings_of_the_program(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("sets", "on"));
    CASE_CHECK(entry_of().runs == 0);
    if (!CASE_FORK_IS_UNSAFE) {
        CASE_CHECK(runs("fork-wins", "on"));
        CASE_CHECK(entry_of().runs == 0);
    }
    CASE_CHECK(runs("wins", "on"));
    CASE_CHECK(entry_of().runs == 1);
    runs("sets", "on"); /* it is early now, and its settings come too late, which is told */
    CASE_CHECK(entry_of().runs == 0);
    return close_home();
}

static int call_during_the_load(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("wins", "on"));
    CASE_CHECK(runs("at-once", "on"));
    CASE_CHECK(entry_of().runs == 2);
    return close_home();
}

static int without_a_device(void) {
    const char *device = getenv("LAVABLAS_DEVICE");
    char before[100];
    if (!open_home())
        return 1;
    snprintf(before, sizeof before, "%s", device ? device : "");
    setenv("LAVABLAS_DEVICE", "no such device", 1);
    CASE_CHECK(runs("no-device", "on"));
    CASE_CHECK(entry_of().runs == 0); /* what a device would have won is nothing where there is none */
    CASE_CHECK(runs("no-device", "on"));
    setenv("LAVABLAS_DEVICE", before, 1);
    CASE_CHECK(runs("misses", "on"));
    CASE_CHECK(entry_of().won == 1);
    return close_home();
}

/* What does not use the device loses the rule for some runs. */
static int quiet_after_a_loss(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("wins", "on"));
    CASE_CHECK(runs("idle", "on"));
    struct lava_history history = entry_of();
    CASE_CHECK(history.runs == 2 && history.lost == 1 && history.quiet > 0);
    CASE_CHECK(history.lost_ns > 0);
    uint32_t quiet = history.quiet;
    CASE_CHECK(runs("quiet", "on"));
    history = entry_of();
    CASE_CHECK(history.runs == 3 && history.lost == 1 && history.quiet == quiet - 1);
    return close_home();
}

/* fork() and exec while the driver is loading. */
static int processes_of_the_program(void) {
    if (!open_home())
        return 1;
    CASE_CHECK(runs("wins", "on"));
    if (!CASE_FORK_IS_UNSAFE) {
        CASE_CHECK(runs("forks", "read"));
        CASE_CHECK(entry_of().runs == 1);
    }
    CASE_CHECK(runs("execs", "on"));
    CASE_CHECK(entry_of().runs == 1);
    return close_home();
}

/* A file that is damaged at any place is as none, and is replaced. */
static int damaged_files(void) {
    struct lava_file_cache_place place;
    struct lava_program_key key;
    if (!open_home() || !CASE_CHECK(lava_program_key_find(&key)))
        return 1;
    lava_program_history_place(home, &key, &place);
    CASE_CHECK(runs("wins", "on"));
    for (int i = 0; i < CORRUPT; i++) {
        FILE *file = fopen(place.path, "r+b");
        if (!CASE_CHECK(file && !fseek(file, 0, SEEK_END)))
            return 1;
        long bytes = ftell(file), at = i * (bytes - 1) / (CORRUPT - 1);
        CASE_CHECK(!fseek(file, at, SEEK_SET) && fputc(0xa5, file) != EOF && !fclose(file));
        CASE_CHECK(runs("none", "on"));
        CASE_CHECK(runs("wins", "on"));
        CASE_CHECK(entry_of().runs == 1);
    }
    /* a number that no run leaves, with a right checksum */
    struct lava_program_history_entry entry = {
        .history = {.runs = 1, .needs = 1, .gain_ns = 1, .quiet = 1000}};
    CASE_CHECK(lava_file_cache_store(&place, &entry, sizeof entry));
    CASE_CHECK(runs("none", "on"));
    return close_home();
}

/* Returns the status of the program that LAVA_TEST_PROGRAM names, with the library preloaded. */
static int status_of_program(const char *seconds) {
    const char *program = getenv("LAVA_TEST_PROGRAM"), *library = getenv("LAVA_TEST_LIBRARY");
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (!program || !library || setenv("LAVABLAS_HISTORY", "on", 1) || setenv("LD_PRELOAD", library, 1))
            _exit(126);
        execl(program, program, seconds, (char *)NULL);
        _exit(127);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In a program without a history the library begins no thread and makes no file, in one that won it begins
 * before any call of BLAS. */
static int preloaded(void) {
    const struct lava_program_history_entry entry = {
        .history = {.runs = 1, .won = 1, .needs = 1, .gain_ns = 1}, .name = "forged"};
    struct lava_file_cache_place place;
    struct lava_program_key key;
    char program[4096];
    if (!getenv("LAVA_TEST_LIBRARY"))
        return CASE_SKIPPED;
    if (!open_home() || !CASE_CHECK(realpath(getenv("LAVA_TEST_PROGRAM"), program)))
        return 1;
    CASE_CHECK(status_of_program("0.2") == 3);
    CASE_CHECK(rmdir(home) == 0 && mkdir(home, 0700) == 0); /* it was empty */
    CASE_CHECK(lava_program_key_make(program, NULL, 0, &key));
    lava_program_history_place(home, &key, &place);
    CASE_CHECK(lava_file_cache_store(&place, &entry, sizeof entry));
    CASE_CHECK(status_of_program("20") == 0);
    struct lava_history history = entry_of();
    CASE_CHECK(history.runs == 2 && history.lost == 1); /* it used nothing */
    CASE_CHECK(status_of_program("0.2") == 3);
    return close_home();
}

static void count_entry(void *context, const struct lava_program_history_entry *entry) {
    (void)entry;
    ++*(int *)context;
}

static int bounded(void) {
    const struct lava_program_history_entry entry = {.history.runs = 1, .name = "another"};
    if (!open_home())
        return 1;
    for (int i = 0; i < FILES; i++) {
        struct lava_file_cache_place place;
        lava_file_cache_place_init(&place, home, "history", &i, sizeof i);
        CASE_CHECK(lava_file_cache_store(&place, &entry, sizeof entry));
    }
    lava_file_cache_keep(home, "history", FILES - CORRUPT);
    int count = 0;
    lava_program_history_each(home, count_entry, &count);
    CASE_CHECK(count == FILES - CORRUPT);
    for (int i = 0; i < FILES; i++) { /* those that came first are gone */
        struct lava_file_cache_place place;
        size_t bytes;
        lava_file_cache_place_init(&place, home, "history", &i, sizeof i);
        void *data = lava_file_cache_load(&place, &bytes);
        CASE_CHECK((data != NULL) == (i >= CORRUPT));
        free(data);
    }
    return close_home();
}

int main(int argument_count, char **arguments) {
    static const struct test_case cases[] = {
        {.name = "early", .run = early_in_later_starts, .lines = -1},
        {.name = "settings", .run = settings, .lines = -1},
        {.name = "own_settings", .run = settings_of_the_program, .lines = -1},
        {.name = "at_once", .run = call_during_the_load, .lines = -1},
        {.name = "no-device", .run = without_a_device, .lines = -1},
        {.name = "quiet", .run = quiet_after_a_loss, .lines = -1},
        {.name = "processes", .run = processes_of_the_program, .lines = -1},
        {.name = "damaged", .run = damaged_files, .lines = -1},
        {.name = "preloaded", .run = preloaded, .lines = -1},
        {.name = "bounded", .run = bounded, .lines = -1},
        {.name = NULL},
    };
    for (size_t i = 0; argument_count == 3 && i < sizeof children / sizeof children[0]; i++)
        if (!strcmp(arguments[2], children[i].name))
            return children[i].run();
    return cases_main(argument_count, arguments, cases);
}
