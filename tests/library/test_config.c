/* The configuration: every variable with valid and invalid values, without changing the environment. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/config.h"
#include "lib/base/routines.h"

struct source {
    const char *pairs[14]; /* name, value, ..., NULL */
    int complaints;
    const char *complained_about;
};

static const char *get(const char *name, void *context) {
    const struct source *source = context;
    for (size_t i = 0; source->pairs[i]; i += 2) {
        if (strcmp(source->pairs[i], name) == 0)
            return source->pairs[i + 1];
    }
    return NULL;
}

static char about[256];

static void complain(const char *name, const char *value, const char *expected, void *context) {
    struct source *source = context;
    assert_non_null(value);
    assert_non_null(expected);
    source->complaints++;
    snprintf(about, sizeof about, "%s", name); /* that of a line is gone after the call */
    source->complained_about = about;
}

static struct lava_config_storage storage;

static struct lava_config parse(struct source *source, bool secure) {
    struct lava_config config;
    memset(&config, 0xa5, sizeof config);
    lava_config_parse(&config, &storage, secure, NULL, get, complain, source);
    return config;
}

static void assert_defaults(const struct lava_config *config) {
    assert_false(config->init_sync);
    assert_null(config->device);
    assert_int_equal(config->local_rank, -1);
    assert_null(config->cpu_blas);
    assert_int_equal(config->precision, LAVA_PRECISION_STANDARD);
    assert_int_equal(config->memory_bytes, 0);
    assert_int_equal(config->pinned_bytes, 256 << 20);
    assert_int_equal(config->lanes, 0);
    assert_int_equal(config->idle_ns, 10000000000);
    assert_null(config->stats);
    assert_int_equal(config->log_level, LAVA_LOG_NONE);
    assert_null(config->cache_home);
    assert_true(config->cache);
    assert_true(config->calibrate);
    assert_int_equal(config->history, config->secure ? LAVA_HISTORY_OFF : LAVA_HISTORY_ON);
    assert_true(config->learn);
    assert_int_equal(config->resident, config->secure ? LAVA_RESIDENT_OFF : LAVA_RESIDENT_AUTO);
    assert_null(config->fault);
}

static void keep_meant(const char *name, const char *value, const char *expected, void *context) {
    char *text = context;
    snprintf(text + strlen(text), 256 - strlen(text), "%s=%s:%s ", name, value, expected);
}

static void mistyped_names(void **state) {
    char *const environment[] = {"LAVABLAS_MOD=gpu",
                                 "LAVABLAS_MODE=gpu",
                                 "LAVABLAS_PRECISON=fast",
                                 "LAVABLAS_LOGLEVEL=1",
                                 "LAVABLAS_SHADERS=folder",
                                 "HOME=/",
                                 "LAVABLAS_DEVICES=0,1",
                                 "LAVABLAS_",
                                 NULL};
    char text[256] = "";
    (void)state;
    lava_config_find_mistyped(environment, keep_meant, text);
    assert_string_equal(text, "LAVABLAS_MOD=gpu:LAVABLAS_MODE LAVABLAS_PRECISON=fast:LAVABLAS_PRECISION "
                              "LAVABLAS_LOGLEVEL=1:LAVABLAS_LOG LAVABLAS_DEVICES=0,1:LAVABLAS_DEVICE ");
}

static void rank_of_the_job(void **state) {
    struct source source = {{"SLURM_LOCALID", "1", "SLURM_PROCID", "9", NULL}, 0, NULL};
    struct source alone = {{"SLURM_PROCID", "9", NULL}, 0, NULL};
    (void)state;
    assert_int_equal(parse(&source, false).rank, 9);
    assert_int_equal(parse(&alone, false).rank, -1);
}

static void nothing_set(void **state) {
    struct source source = {{NULL}, 0, NULL};
    struct lava_config config = parse(&source, false);
    (void)state;
    assert_int_equal(config.mode, LAVA_MODE_AUTO);
    assert_false(config.secure);
    assert_defaults(&config);
    assert_int_equal(source.complaints, 0);
}

static void empty_values_are_none(void **state) {
    struct source source = {{"LAVABLAS_MODE", "", "LAVABLAS_STATS", "", "LAVABLAS_MEMORY", "",
                             "LAVABLAS_DEVICE", "", "LAVABLAS_CPU_BLAS", "", "LAVABLAS_PRECISION", "", NULL},
                            0,
                            NULL};
    struct lava_config config = parse(&source, false);
    (void)state;
    assert_int_equal(config.mode, LAVA_MODE_AUTO);
    assert_defaults(&config);
    assert_int_equal(source.complaints, 0);
}

/* Writes the text into a file and parses that, and the environment. */
static struct lava_config parse_text(const char *text, mode_t mode, struct lava_config_file *file,
                                     struct source *source, bool secure) {
    static char path[] = "/tmp/lavablas-test-config-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int descriptor = mkstemp(path);
    struct lava_config config;
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(descriptor, mode), 0);
    assert_int_equal(close(descriptor), 0);
    assert_int_equal(lava_config_file_read(file, path), 0);
    assert_int_equal(unlink(path), 0);
    memset(&config, 0xa5, sizeof config);
    lava_config_parse(&config, &storage, secure, file, get, complain, source);
    return config;
}

/* The environment comes before the file, value by value; what is not understood changes nothing. */
static void file_of_the_machine(void **state) {
    static struct lava_config_file file;
    static const char text[] =
        "# a comment\n\n LAVABLAS_MODE = cpu \r\nLAVABLAS_IDLE=3\nLAVABLAS_DEVICE=H200, left\n"
        "LAVABLAS_LANES=3\nLAVABLAS_LANES=9\nnonsense\nLAVABLAS_NOSUCH=1\n"
        "LAVABLAS_CONFIG=/x\nLAVABLAS_LOG=\nLAVABLAS_STATS=1\nLAVABLAS_INIT=sync";
    struct source none = {{NULL}, 0, NULL};
    struct source some = {
        {"LAVABLAS_MODE", "gpu", "LAVABLAS_IDLE", "never", "LAVABLAS_STATS", "0", NULL}, 0, NULL};
    struct lava_config config = parse_text(text, 0644, &file, &none, false);
    (void)state;
    assert_int_equal(config.mode, LAVA_MODE_CPU);
    assert_int_equal(config.idle_ns, 3000000000);
    assert_string_equal(config.device, "H200, left");
    assert_int_equal(config.lanes, 3);
    assert_string_equal(config.stats, "");
    assert_true(config.init_sync);
    assert_int_equal(none.complaints, 4); /* lines 7 to 10 */
    assert_non_null(strstr(none.complained_about, ":10: LAVABLAS_CONFIG"));
    config = parse_text(text, 0600, &file, &some, false);
    assert_int_equal(config.mode, LAVA_MODE_GPU);
    assert_int_equal(config.idle_ns, 3000000000);
    assert_null(config.stats);
    assert_int_equal(some.complaints, 5);
    none.complaints = 0;
    config = parse_text(text, 0644, &file, &none, true);
    assert_int_equal(config.mode, LAVA_MODE_CPU);
    assert_defaults(&config);
    assert_int_equal(none.complaints, 0);
}

static void files_that_are_ignored(void **state) {
    static struct lava_config_file file;
    static char text[LAVA_CONFIG_FILE_BYTES + 1];
    struct source source = {{NULL}, 0, NULL};
    (void)state;
    assert_int_equal(parse_text("LAVABLAS_MODE=gpu\n", 0646, &file, &source, false).mode, LAVA_MODE_AUTO);
    assert_string_equal(file.refusal, "everybody may write it");
    for (int i = 0; i <= LAVA_CONFIG_FILE_LINES; i++)
        strcat(text, "LAVABLAS_MODE=gpu\n");
    assert_int_equal(parse_text(text, 0644, &file, &source, false).mode, LAVA_MODE_AUTO);
    assert_string_equal(file.refusal, "it has too many lines");
    memset(text, '#', LAVA_CONFIG_FILE_BYTES);
    parse_text(text, 0644, &file, &source, false);
    assert_string_equal(file.refusal, "it is too long");
    assert_int_equal(lava_config_file_read(&file, "/"), 0);
    assert_string_equal(file.refusal, "it is no regular file");
    assert_int_equal(lava_config_file_read(&file, "/nonexistent/file"), ENOENT);
    assert_int_equal(file.count, 0);
    assert_int_equal(source.complaints, 0);
    text[LAVA_CONFIG_FILE_BYTES - 1] = '\0';
    parse_text(text, 0644, &file, &source, false);
    assert_null(file.refusal);
}

static void secure_ignores_everything(void **state) {
    struct source source = {{"LAVABLAS_MODE", "gpu", "LAVABLAS_STATS", "/tmp/x", "LAVABLAS_CPU_BLAS",
                             "/tmp/y", "HOME", "/root", "LAVABLAS_PRECISION", "fast", "LAVABLAS_LOG",
                             "nonsense", NULL},
                            0,
                            NULL};
    struct lava_config config = parse(&source, true);
    (void)state;
    assert_true(config.secure);
    assert_int_equal(config.mode, LAVA_MODE_CPU);
    assert_defaults(&config);
    assert_int_equal(source.complaints, 0);
}

static void words(void **state) {
    static const struct {
        const char *mode, *init;
        enum lava_mode expected;
        bool sync;
    } cases[] = {
        {"auto", NULL, LAVA_MODE_AUTO, false}, {"cpu", NULL, LAVA_MODE_CPU, false},
        {"GPU", NULL, LAVA_MODE_GPU, true},    {"gpu", "async", LAVA_MODE_GPU, false},
        {"gpu", "sync", LAVA_MODE_GPU, true},  {"auto", "sync", LAVA_MODE_AUTO, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {
            {"LAVABLAS_MODE", cases[i].mode, cases[i].init ? "LAVABLAS_INIT" : NULL, cases[i].init, NULL},
            0,
            NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(config.mode, cases[i].expected);
        assert_int_equal(config.init_sync, cases[i].sync);
        assert_int_equal(source.complaints, 0);
    }
}

static void unknown_values_are_reported_once(void **state) {
    static const char *const cases[][2] = {
        {"LAVABLAS_MODE", "gpus"},       {"LAVABLAS_INIT", "1"},        {"LAVABLAS_LOG", "loud"},
        {"LAVABLAS_CACHE", "yes"},       {"LAVABLAS_MEMORY", "2 G"},    {"LAVABLAS_MEMORY", "0"},
        {"LAVABLAS_MEMORY", "-1"},       {"LAVABLAS_PINNED", "G"},      {"LAVABLAS_PINNED", "1.2.3M"},
        {"LAVABLAS_PINNED", "1e9"},      {"LAVABLAS_PINNED", "9999T9"}, {"LAVABLAS_MEMORY", "99999999999G"},
        {"LAVABLAS_PINNED", "256MM"},    {"LAVABLAS_IDLE", "-1"},       {"LAVABLAS_IDLE", "never"},
        {"LAVABLAS_IDLE", "10s"},        {"LAVABLAS_IDLE", "."},        {"LAVABLAS_IDLE", "1e1"},
        {"LAVABLAS_IDLE", "1000000001"}, {"LAVABLAS_CALIBRATE", "0"},   {"LAVABLAS_CALIBRATE", "on"},
        {"LAVABLAS_PRECISION", "fp32"},  {"LAVABLAS_PRECISION", "0"},   {"LAVABLAS_PRECISION", "ieee "},
        {"LAVABLAS_HISTORY", "1"},       {"LAVABLAS_HISTORY", "write"}, {"LAVABLAS_LEARN", "0"},
        {"LAVABLAS_LEARN", "auto"},      {"LAVABLAS_LANES", "0"},       {"LAVABLAS_LANES", "5"},
        {"LAVABLAS_LANES", "2 "},        {"LAVABLAS_LANES", "12"},      {"LAVABLAS_RESIDENT", "on"},
        {"LAVABLAS_RESIDUES", "1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{cases[i][0], cases[i][1], NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(source.complaints, 1);
        assert_string_equal(source.complained_about, cases[i][0]);
        assert_int_equal(config.mode, LAVA_MODE_AUTO);
        assert_defaults(&config);
    }
    /* an unknown INIT counts as unset: mode gpu waits */
    struct source source = {{"LAVABLAS_MODE", "gpu", "LAVABLAS_INIT", "later", NULL}, 0, NULL};
    assert_true(parse(&source, false).init_sync);
    assert_int_equal(source.complaints, 1);
}

static void precisions(void **state) {
    static const struct {
        const char *text;
        enum lava_precision expected;
    } cases[] = {{"ieee", LAVA_PRECISION_IEEE},
                 {"IEEE", LAVA_PRECISION_IEEE},
                 {"standard", LAVA_PRECISION_STANDARD},
                 {"fast", LAVA_PRECISION_FAST}};
    enum lava_precision precision = LAVA_PRECISION_FAST;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{"LAVABLAS_PRECISION", cases[i].text, NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).precision, cases[i].expected);
        assert_int_equal(source.complaints, 0);
    }
    assert_false(lava_config_find_precision("exact", &precision));
    assert_int_equal(precision, LAVA_PRECISION_FAST);
    assert_true(lava_config_find_precision("ieee", &precision));
    assert_int_equal(precision, LAVA_PRECISION_IEEE);
}

static void sizes(void **state) {
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"256M", (uint64_t)256 << 20},
        {"2G", (uint64_t)2 << 30},
        {"1.5G", (uint64_t)3 << 29},
        {"1048576", 1048576},
        {"64k", 65536},
        {"64KiB", 65536},
        {"1T", (uint64_t)1 << 40},
        {"2gb", (uint64_t)2 << 30},
        {"512B", 512},
        {"0.5M", 524288},
        {"140737488355328", (uint64_t)1 << 47},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {
            {"LAVABLAS_MEMORY", cases[i].text, "LAVABLAS_PINNED", cases[i].text, NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(config.memory_bytes, cases[i].bytes);
        assert_int_equal(config.pinned_bytes, cases[i].bytes);
        assert_int_equal(source.complaints, 0);
    }
}

static void seconds(void **state) {
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {{"0", 0},
                 {"10", 10000000000},
                 {"0.25", 250000000},
                 {".5", 500000000},
                 {"1000000000", 1000000000000000000},
                 {"0.0", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{"LAVABLAS_IDLE", cases[i].text, NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).idle_ns, cases[i].ns);
        assert_int_equal(source.complaints, 0);
    }
}

static void statistics(void **state) {
    static const char *const cases[][2] = {{"1", ""}, {"0", NULL}, {"/tmp/stats", "/tmp/stats"}, {"2", "2"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{"LAVABLAS_STATS", cases[i][0], NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(source.complaints, 0);
        if (cases[i][1])
            assert_string_equal(config.stats, cases[i][1]);
        else
            assert_null(config.stats);
    }
}

static void log_and_cache(void **state) {
    static const char *const levels[] = {"none", "error", "warn", "info", "calls", "debug"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct source source = {
            {"LAVABLAS_LOG", levels[i], "LAVABLAS_CACHE", i & 1 ? "1" : "0", NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(config.log_level, i);
        assert_int_equal(config.cache, i & 1);
        assert_int_equal(source.complaints, 0);
    }
}

/* A list with a name that is none counts as no list. */
static void routines_that_are_off(void **state) {
    static const struct {
        const char *value;
        bool is_right;
    } cases[] = {{"dgemm", true},         {"dsyrk,cblas_zgemm", true},
                 {"dgemm,", false},       {"", false},
                 {"dsyrk,nosuch", false}, {"DGEMM", false},
                 {"dgemm_", true},        {"dge", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{"LAVABLAS_OFF", cases[i].value, NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        assert_int_equal(source.complaints, !cases[i].is_right && cases[i].value[0]);
        assert_int_equal(config.off != NULL, cases[i].is_right);
    }
    assert_true(lava_routine_is_listed(LAVA_ROUTINE_dgemm_, "zgemm,dgemm"));
    assert_true(lava_routine_is_listed(LAVA_ROUTINE_cblas_dgemm, "dgemm"));
    assert_false(lava_routine_is_listed(LAVA_ROUTINE_dgemm_, "dgemmt,cblas_dgemm"));
}

static void calibration(void **state) {
    static const char *const texts[] = {"off", "auto", "OFF"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct source source = {{"LAVABLAS_CALIBRATE", texts[i], NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).calibrate, i == 1);
        assert_int_equal(source.complaints, 0);
    }
}

static void learning(void **state) {
    static const char *const texts[] = {"off", "on", "OFF"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct source source = {{"LAVABLAS_LEARN", texts[i], NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).learn, i == 1);
        assert_int_equal(source.complaints, 0);
    }
}

static void history(void **state) {
    static const char *const texts[] = {"off", "read", "ON"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct source source = {{"LAVABLAS_HISTORY", texts[i], NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).history, LAVA_HISTORY_OFF + i);
        assert_int_equal(source.complaints, 0);
    }
}

static void residue_use(void **state) {
    static const char *const texts[] = {"auto", "Off", "on"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct source source = {{"LAVABLAS_RESIDUES", texts[i], NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).residues, LAVA_RESIDUE_AUTO + i);
        assert_int_equal(source.complaints, 0);
    }
}

static void resident(void **state) {
    static const char *const texts[] = {"off", "auto", "Check"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct source source = {{"LAVABLAS_RESIDENT", texts[i], NULL}, 0, NULL};
        assert_int_equal(parse(&source, false).resident, LAVA_RESIDENT_OFF + i);
        assert_int_equal(source.complaints, 0);
    }
}

/* A program may change or free the string that getenv returned. */
static void values_are_copied(void **state) {
    char device[] = "H200", library[] = "/lib/x.so", stats[] = "/tmp/s", home[] = "/home/me";
    struct source source = {{"LAVABLAS_DEVICE", device, "LAVABLAS_CPU_BLAS", library, "LAVABLAS_STATS", stats,
                             "HOME", home, NULL},
                            0,
                            NULL};
    struct lava_config config = parse(&source, false);
    (void)state;
    device[0] = library[0] = stats[0] = home[0] = '!';
    assert_string_equal(config.device, "H200");
    assert_string_equal(config.cpu_blas, "/lib/x.so");
    assert_string_equal(config.stats, "/tmp/s");
    assert_string_equal(config.cache_home, "/home/me/.cache");
}

static void too_long_is_not_understood(void **state) {
    static char long_text[8192];
    struct source source = {{"LAVABLAS_CPU_BLAS", long_text, "XDG_CACHE_HOME", long_text, NULL}, 0, NULL};
    (void)state;
    memset(long_text, '/', sizeof long_text - 1);
    struct lava_config config = parse(&source, false);
    assert_null(config.cpu_blas);
    assert_null(config.cache_home);
    assert_int_equal(source.complaints, 1);
    long_text[sizeof storage.cpu_blas] = '\0'; /* no room for the terminator */
    assert_null(parse(&source, false).cpu_blas);
    long_text[sizeof storage.cpu_blas - 1] = '\0';
    assert_string_equal(parse(&source, false).cpu_blas, long_text);
}

static void cache_home(void **state) {
    static const char *const cases[][3] = {
        {"/x/cache", "/home/me", "/x/cache"},
        {"relative", "/home/me", "/home/me/.cache"},
        {"", "/home/me", "/home/me/.cache"},
        {"relative", "also", NULL},
        {"", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{"XDG_CACHE_HOME", cases[i][0], "HOME", cases[i][1], NULL}, 0, NULL};
        struct lava_config config = parse(&source, false);
        if (cases[i][2])
            assert_string_equal(config.cache_home, cases[i][2]);
        else
            assert_null(config.cache_home);
        assert_int_equal(source.complaints, 0);
    }
}

static void local_ranks(void **state) {
    static const struct {
        const char *pairs[5];
        int rank;
    } cases[] = {
        {{"OMPI_COMM_WORLD_LOCAL_RANK", "3", NULL}, 3},
        {{"MV2_COMM_WORLD_LOCAL_RANK", "0", NULL}, 0},
        {{"MPI_LOCALRANKID", "12", NULL}, 12},
        {{"SLURM_LOCALID", "7", NULL}, 7},
        {{"PMI_LOCAL_RANK", "1", NULL}, 1},
        {{"SLURM_LOCALID", "7", "OMPI_COMM_WORLD_LOCAL_RANK", "2", NULL}, 2},
        {{"OMPI_COMM_WORLD_LOCAL_RANK", "x", "SLURM_LOCALID", "4", NULL}, 4},
        {{"SLURM_LOCALID", "-1", NULL}, -1},
        {{"SLURM_LOCALID", "99999999999", NULL}, -1},
        {{"SLURM_LOCALID", "", NULL}, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{NULL}, 0, NULL};
        memcpy(source.pairs, cases[i].pairs, sizeof cases[i].pairs);
        assert_int_equal(parse(&source, false).local_rank, cases[i].rank);
        assert_int_equal(source.complaints, 0);
    }
}

static void local_sizes(void **state) {
    static const struct {
        const char *pairs[5];
        int size;
    } cases[] = {
        {{"OMPI_COMM_WORLD_LOCAL_RANK", "3", "OMPI_COMM_WORLD_LOCAL_SIZE", "4", NULL}, 4},
        {{"MV2_COMM_WORLD_LOCAL_RANK", "3", "MV2_COMM_WORLD_LOCAL_SIZE", "5", NULL}, 5},
        {{"MPI_LOCALRANKID", "0", "MPI_LOCALNRANKS", "2", NULL}, 2},
        {{"SLURM_LOCALID", "1", "SLURM_STEP_TASKS_PER_NODE", "8", NULL}, 8},
        {{"SLURM_LOCALID", "1", "SLURM_STEP_TASKS_PER_NODE", "8(x3)", NULL}, 8},
        {{"SLURM_LOCALID", "1", "SLURM_STEP_TASKS_PER_NODE", "8(x3),2", NULL}, 0},
        {{"SLURM_LOCALID", "1", "SLURM_STEP_TASKS_PER_NODE", "8(x3", NULL}, 0},
        {{"SLURM_LOCALID", "1", "SLURM_STEP_TASKS_PER_NODE", "8(x)", NULL}, 0},
        {{"PMI_LOCAL_RANK", "0", "PMI_LOCAL_SIZE", "6", NULL}, 6},
        {{"PMI_LOCAL_RANK", "0", "PMI_LOCAL_SIZE", "six", NULL}, 0},
        {{"PMI_LOCAL_RANK", "0", "OMPI_COMM_WORLD_LOCAL_SIZE", "4", NULL}, 0}, /* another launcher's */
        {{"OMPI_COMM_WORLD_LOCAL_SIZE", "4", NULL}, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{NULL}, 0, NULL};
        memcpy(source.pairs, cases[i].pairs, sizeof cases[i].pairs);
        assert_int_equal(parse(&source, false).local_size, cases[i].size);
        assert_int_equal(source.complaints, 0);
    }
}

static void cpu_threads(void **state) {
    static const struct {
        const char *pairs[5];
        int threads;
    } cases[] = {
        {{NULL}, 0},
        {{"OMP_NUM_THREADS", "4", NULL}, 4},
        {{"OMP_NUM_THREADS", "4,2", NULL}, 4},
        {{"OPENBLAS_NUM_THREADS", "1", NULL}, 1},
        {{"OMP_NUM_THREADS", "4", "OPENBLAS_NUM_THREADS", "2", NULL}, 2},
        {{"OMP_NUM_THREADS", "0", NULL}, 0},
        {{"OMP_NUM_THREADS", "-3", NULL}, 0},
        {{"OMP_NUM_THREADS", "many", NULL}, 0},
        {{"OMP_NUM_THREADS", "99999999999", NULL}, INT_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source source = {{NULL}, 0, NULL};
        memcpy(source.pairs, cases[i].pairs, sizeof cases[i].pairs);
        assert_int_equal(parse(&source, false).cpu_threads, cases[i].threads);
        assert_int_equal(source.complaints, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistyped_names),
        cmocka_unit_test(rank_of_the_job),
        cmocka_unit_test(nothing_set),
        cmocka_unit_test(empty_values_are_none),
        cmocka_unit_test(file_of_the_machine),
        cmocka_unit_test(files_that_are_ignored),
        cmocka_unit_test(secure_ignores_everything),
        cmocka_unit_test(words),
        cmocka_unit_test(unknown_values_are_reported_once),
        cmocka_unit_test(precisions),
        cmocka_unit_test(sizes),
        cmocka_unit_test(seconds),
        cmocka_unit_test(statistics),
        cmocka_unit_test(log_and_cache),
        cmocka_unit_test(routines_that_are_off),
        cmocka_unit_test(calibration),
        cmocka_unit_test(learning),
        cmocka_unit_test(history),
        cmocka_unit_test(residue_use),
        cmocka_unit_test(resident),
        cmocka_unit_test(values_are_copied),
        cmocka_unit_test(too_long_is_not_understood),
        cmocka_unit_test(cache_home),
        cmocka_unit_test(local_ranks),
        cmocka_unit_test(local_sizes),
        cmocka_unit_test(cpu_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
