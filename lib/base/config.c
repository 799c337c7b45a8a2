/* Reads the configuration from the machine's file and the environment, once. This is the only file that calls
 * getenv. Everyone calls lava_config_get; tests call lava_config_parse with variables of their own.
 *
 * Invariant: a value that is not understood is reported once and changes nothing. An empty value counts as
 * none. A secure (setuid) program gets the defaults and mode CPU, and neither file nor environment is read.
 */
#include "lib/base/config.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/launcher.h"
#include "lib/base/near_name.h"
#include "lib/base/places.h"
#include "lib/base/routines.h"
#include "lib/base/setting_value.h"

#define LINE_BYTES           256
#define DEFAULT_PINNED_BYTES ((uint64_t)256 << 20)
#define NS_PER_SECOND        1000000000u
#define DEFAULT_IDLE_NS      ((uint64_t)10 * NS_PER_SECOND)

static const struct lava_setting_word mode_words[] = {
    {"auto", LAVA_MODE_AUTO}, {"cpu", LAVA_MODE_CPU}, {"gpu", LAVA_MODE_GPU}, {NULL, 0}};
static const struct lava_setting_word init_words[] = {{"async", false}, {"sync", true}, {NULL, 0}};
static const struct lava_setting_word log_words[] = {{"none", LAVA_LOG_NONE},
                                                     {"error", LAVA_LOG_ERROR},
                                                     {"warn", LAVA_LOG_WARN},
                                                     {"info", LAVA_LOG_INFO},
                                                     {"calls", LAVA_LOG_CALLS},
                                                     {"debug", LAVA_LOG_DEBUG},
                                                     {NULL, 0}};
static const struct lava_setting_word precision_words[] = {{"ieee", LAVA_PRECISION_IEEE},
                                                           {"standard", LAVA_PRECISION_STANDARD},
                                                           {"fast", LAVA_PRECISION_FAST},
                                                           {NULL, 0}};
static const struct lava_setting_word switch_words[] = {{"0", false}, {"1", true}, {NULL, 0}};
static const struct lava_setting_word calibrate_words[] = {{"off", false}, {"auto", true}, {NULL, 0}};
static const struct lava_setting_word learn_words[] = {{"off", false}, {"on", true}, {NULL, 0}};
static const struct lava_setting_word resident_words[] = {
    {"off", LAVA_RESIDENT_OFF}, {"auto", LAVA_RESIDENT_AUTO}, {"check", LAVA_RESIDENT_CHECK}, {NULL, 0}};
static const struct lava_setting_word residue_words[] = {
    {"auto", LAVA_RESIDUE_AUTO}, {"off", LAVA_RESIDUE_OFF}, {"on", LAVA_RESIDUE_ON}, {NULL, 0}};
static const struct lava_setting_word history_words[] = {
    {"off", LAVA_HISTORY_OFF}, {"read", LAVA_HISTORY_READ}, {"on", LAVA_HISTORY_ON}, {NULL, 0}};

/* These limit the threads of a CPU BLAS; the more specific one comes first. */
static const char *const thread_names[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};

/* The state that the parsers of one run share. */
struct parser {
    struct lava_config *config;
    struct lava_config_storage *storage;
    lava_config_getter *get;
    lava_config_complain *complain;
    void *context;
    bool init_set;
};

struct variable;
/* Parses the value of one variable. Returns false, and changes nothing, if it is not understood. */
typedef bool parse_value(struct parser *parser, const struct variable *variable, const char *value);

struct variable {
    const char *name;
    parse_value *parse;
    const char *expected;
    const char *unset;                     /* what it is if nobody sets it, in words */
    const struct lava_setting_word *words; /* parse_word, parse_switch */
    size_t place;                          /* of the member of struct lava_config */
    size_t storage, storage_bytes;         /* parse_text */
};

static void *place_of(const struct parser *parser, const struct variable *variable) {
    return (char *)parser->config + variable->place;
}

/* The member is an enumerator. */
static bool parse_word(struct parser *parser, const struct variable *variable, const char *value) {
    int found;
    bool is_word = lava_setting_value_read_word(variable->words, value, &found);
    if (is_word)
        memcpy(place_of(parser, variable), &found, sizeof found);
    return is_word;
}

static bool parse_switch(struct parser *parser, const struct variable *variable, const char *value) {
    int found;
    bool is_word = lava_setting_value_read_word(variable->words, value, &found);
    if (is_word)
        *(bool *)place_of(parser, variable) = found;
    return is_word;
}

static bool parse_init(struct parser *parser, const struct variable *variable, const char *value) {
    bool is_word = parse_switch(parser, variable, value);
    parser->init_set = parser->init_set || is_word;
    return is_word;
}

bool lava_config_find_precision(const char *name, enum lava_precision *precision) {
    int found;
    if (!lava_setting_value_read_word(precision_words, name, &found))
        return false;
    *precision = (enum lava_precision)found;
    return true;
}

bool lava_config_is_mode(const char *name) {
    int unused;
    return lava_setting_value_read_word(mode_words, name, &unused);
}

static bool parse_size(struct parser *parser, const struct variable *variable, const char *value) {
    return lava_setting_value_read_bytes(value, place_of(parser, variable));
}

static bool parse_lanes(struct parser *parser, const struct variable *variable, const char *value) {
    if (value[0] < '1' || value[0] > '0' + LAVA_CONFIG_LANES_MAX || value[1])
        return false;
    *(int *)place_of(parser, variable) = value[0] - '0';
    return true;
}

static bool parse_seconds(struct parser *parser, const struct variable *variable, const char *value) {
    return lava_setting_value_read_ns(value, place_of(parser, variable));
}

static bool parse_text(struct parser *parser, const struct variable *variable, const char *value) {
    char *storage = (char *)parser->storage + variable->storage;
    size_t length = strlen(value);
    if (length >= variable->storage_bytes)
        return false;
    memcpy(storage, value, length + 1);
    *(const char **)place_of(parser, variable) = storage;
    return true;
}

static bool parse_stats(struct parser *parser, const struct variable *variable, const char *value) {
    if (strcmp(value, "0") == 0) {
        *(const char **)place_of(parser, variable) = NULL;
        return true;
    }
    return parse_text(parser, variable, strcmp(value, "1") == 0 ? "" : value);
}

static bool parse_off(struct parser *parser, const struct variable *variable, const char *value) {
    return lava_routine_knows_list(value) && parse_text(parser, variable, value);
}

/* It names the file, which is read before. */
static bool parse_file(struct parser *parser, const struct variable *variable, const char *value) {
    (void)parser, (void)variable, (void)value;
    return true;
}

/* A relative path would depend on the working folder. */
static bool parse_state(struct parser *parser, const struct variable *variable, const char *value) {
    if (!strcmp(value, "none")) {
        *(const char **)place_of(parser, variable) = NULL;
        return true;
    }
    return *value == '/' && parse_text(parser, variable, value);
}

/* clang-format off */
#define IN(member)    .place = offsetof(struct lava_config, member)
#define KEPT(member)  IN(member), .storage = offsetof(struct lava_config_storage, member), \
                      .storage_bytes = sizeof((struct lava_config_storage *)0)->member
static const struct variable variables[] = {
    {"LAVABLAS_CONFIG",     parse_file,    "the path of a file, or none", "the machine's file", .place = 0},
    {"LAVABLAS_MODE",       parse_word,    "auto, cpu or gpu", "auto", mode_words, IN(mode)},
    {"LAVABLAS_DEVICE",     parse_text,    "all, an index or a list of them, a part of a device's name, cpu or cpu:all", "the best GPUs", KEPT(device)},
    {"LAVABLAS_CPU_BLAS",   parse_text,    "the path of a library", "the one in the process, else OpenBLAS", KEPT(cpu_blas)},
    {"LAVABLAS_INIT",       parse_init,    "async or sync", "async; sync with mode gpu", init_words, IN(init_sync)},
    {"LAVABLAS_PRECISION",  parse_word,    "ieee, standard or fast", "standard", precision_words, IN(precision)},
    {"LAVABLAS_MEMORY",     parse_size,    "a size such as 2G", "80% of what is free", IN(memory_bytes)},
    {"LAVABLAS_PINNED",     parse_size,    "a size such as 128M", "256M", IN(pinned_bytes)},
    {"LAVABLAS_LANES",      parse_lanes,   "1 to 4", "2; 1 on a software device", IN(lanes)},
    {"LAVABLAS_IDLE",       parse_seconds, "a number of seconds, 0: never", "10", IN(idle_ns)},
    {"LAVABLAS_STATS",      parse_stats,   "1 or the path of a file", "0", KEPT(stats)},
    {"LAVABLAS_TRACE",      parse_text,    "the path of a file", "none", KEPT(trace)},
    {"LAVABLAS_LOG",        parse_word,    "error, warn, info, calls or debug", "none", log_words, IN(log_level)},
    {"LAVABLAS_LOG_FILE",   parse_text,    "the path of a file", "standard error", KEPT(log_file)},
    {"LAVABLAS_OFF",        parse_off,     "routines with commas between them, such as dsyrk,zgemm", "none", KEPT(off)},
    {"LAVABLAS_CACHE",      parse_switch,  "0 or 1", "1", switch_words, IN(cache)},
    {"LAVABLAS_STATE",      parse_state,   "an absolute path, or none", "the machine's folder", KEPT(state_home)},
    {"LAVABLAS_CALIBRATE",  parse_switch,  "auto or off", "auto", calibrate_words, IN(calibrate)},
    {"LAVABLAS_LEARN",      parse_switch,  "on or off", "on", learn_words, IN(learn)},
    {"LAVABLAS_RESIDUES",   parse_word,    "off, auto or on", "auto", residue_words, IN(residues)},
    {"LAVABLAS_HISTORY",    parse_word,    "off, read or on", "on", history_words, IN(history)},
    {"LAVABLAS_RESIDENT",   parse_word,    "off, auto or check", "auto", resident_words, IN(resident)},
#ifdef LAVA_FAULT_INJECTION
    {"LAVABLAS_FAULT",      parse_text,    "POINT[:N[:COUNT]]", "none", KEPT(fault)},
#endif
};
#undef IN
#undef KEPT
/* clang-format on */

/* OpenMP allows a list, one number for each nested level; the first one counts. Wrong values are not
 * reported, because these variables belong to others. */
static int find_cpu_threads(const struct parser *parser) {
    for (size_t i = 0; i < sizeof thread_names / sizeof thread_names[0]; i++) {
        const char *value = parser->get(thread_names[i], parser->context);
        long threads = value ? strtol(value, NULL, 10) : 0;
        if (threads > 0)
            return threads < INT_MAX ? (int)threads : INT_MAX;
    }
    return 0;
}

/* The XDG specification says to ignore a relative path: it would make the cache depend on the working
 * directory. */
static const char *make_cache_home(const char *xdg, const char *home, char *text, size_t size) {
    int length = -1;
    if (xdg && *xdg == '/')
        length = snprintf(text, size, "%s", xdg);
    else if (home && *home == '/')
        length = snprintf(text, size, "%s/.cache", home);
    return length > 0 && (size_t)length < size ? text : NULL;
}

static const char *find_cache_home(const struct parser *parser) {
    return make_cache_home(parser->get("XDG_CACHE_HOME", parser->context),
                           parser->get("HOME", parser->context), parser->storage->cache_home,
                           sizeof parser->storage->cache_home);
}

const char *lava_config_find_cache_home(char *text, size_t size) {
    bool is_secure = getauxval(AT_SECURE) != 0;
    return is_secure ? NULL : make_cache_home(getenv("XDG_CACHE_HOME"), getenv("HOME"), text, size);
}

#define VARIABLES (sizeof variables / sizeof variables[0])
_Static_assert(VARIABLES <= LAVA_CONFIG_SETTINGS_MAX, "storage has an origin for each");

static const struct variable *find_variable(const char *name) {
    for (size_t i = 0; i < VARIABLES; i++)
        if (!strcmp(variables[i].name, name))
            return &variables[i];
    return NULL;
}

const char *lava_config_word(const char *name, int value) {
    return lava_setting_value_word(find_variable(name)->words, value);
}

/* A complaint's name has the line before it. */
static void parse_lines(struct parser *parser, const struct lava_config_file *file) {
    for (int i = 0; i < file->count; i++) {
        const struct lava_config_line *line = &file->lines[i];
        const struct variable *variable = find_variable(line->name);
        bool is_setting = variable && variable->parse != parse_file;
        char place[LINE_BYTES];
        if (is_setting && (!*line->value || variable->parse(parser, variable, line->value))) {
            if (*line->value)
                parser->storage->origins[variable - variables] = line->number;
            continue;
        }
        snprintf(place, sizeof place, "%s:%d: %.64s", file->path, line->number, line->name);
        parser->complain(place, line->value,
                         is_setting    ? variable->expected
                         : *line->name ? "a setting's name"
                                       : "NAME=VALUE",
                         parser->context);
    }
}

static void parse_environment(struct parser *parser) {
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *value = parser->get(variables[i].name, parser->context);
        if (!value || !*value)
            continue;
        if (variables[i].parse(parser, &variables[i], value))
            parser->storage->origins[i] = LAVA_CONFIG_ENVIRONMENT;
        else
            parser->complain(variables[i].name, value, variables[i].expected, parser->context);
    }
}

void lava_config_parse(struct lava_config *config, struct lava_config_storage *storage, bool secure,
                       const struct lava_config_file *file, lava_config_getter *get,
                       lava_config_complain *complain, void *context) {
    struct parser parser = {
        .config = config, .storage = storage, .get = get, .complain = complain, .context = context};
    *config = (struct lava_config){
        .mode = secure ? LAVA_MODE_CPU : LAVA_MODE_AUTO,
        .secure = secure,
        .local_rank = -1,
        .rank = -1,
        .precision = LAVA_PRECISION_STANDARD,
        .pinned_bytes = DEFAULT_PINNED_BYTES,
        .idle_ns = DEFAULT_IDLE_NS,
        .log_level = LAVA_LOG_NONE,
        .state_home = secure ? NULL : lava_places_state(),
        .cache = true,
        .calibrate = true,
        .learn = true,
        .resident = secure ? LAVA_RESIDENT_OFF : LAVA_RESIDENT_AUTO,
        .history = secure ? LAVA_HISTORY_OFF : LAVA_HISTORY_ON,
    };
    memset(storage->origins, 0, sizeof storage->origins);
    if (secure)
        return;
    if (file && !file->refusal)
        parse_lines(&parser, file);
    parse_environment(&parser);
    if (!parser.init_set)
        config->init_sync = config->mode == LAVA_MODE_GPU;
    const struct lava_launcher launcher = lava_launcher_find(get, context);
    config->local_rank = launcher.local_rank;
    config->local_size = launcher.local_size;
    config->rank = launcher.rank;
    config->cpu_threads = find_cpu_threads(&parser);
    config->cache_home = find_cache_home(&parser);
}

static struct lava_config process_config;
static struct lava_config_storage process_storage;
static struct lava_config_file process_file; /* its path is NULL: there is none */
static char process_path[4096];              /* if LAVABLAS_CONFIG names it */
static pthread_once_t process_once = PTHREAD_ONCE_INIT;

static const char *get_from_environment(const char *name, void *context) {
    (void)context;
    return getenv(name);
}

static void complain_on_stderr(const char *name, const char *value, const char *expected, void *context) {
    (void)context;
    lava_log_always("%s=%.64s is not understood (expected: %s) and changes nothing", name, value, expected);
}

static const char prefix[] = "LAVABLAS_";
#define PREFIX_LENGTH (sizeof prefix - 1)

/* Returns the setting that a variable of this name is meant to be; NULL: it is one, or none is near. */
static const char *find_meant(const char *name) {
    const char *settings[VARIABLES];
    for (size_t i = 0; i < VARIABLES; i++)
        settings[i] = variables[i].name;
    return lava_near_name_find(name, settings, VARIABLES);
}

void lava_config_find_mistyped(char *const *environment, lava_config_complain *complain, void *context) {
    for (char *const *at = environment ? environment : environ; at && *at; at++) {
        char name[LAVA_NEAR_NAME_BYTES];
        size_t length = strcspn(*at, "=");
        if (strncmp(*at, prefix, PREFIX_LENGTH) != 0 || length >= sizeof name)
            continue;
        memcpy(name, *at, length);
        name[length] = '\0';
        const char *meant = find_meant(name);
        if (meant)
            complain(name, *at + length + ((*at)[length] == '='), meant, context);
    }
}

static void complain_of_name(const char *name, const char *value, const char *expected, void *context) {
    (void)context;
    lava_log_always("%s=%.64s is no setting and changes nothing: is %s meant?", name, value, expected);
}

/* Lines of several ranks come to one terminal. */
static void name_rank(const struct lava_config *config) {
    char host[64] = "", origin[128];
    gethostname(host, sizeof host - 1);
    if (config->rank >= 0 || config->local_rank >= 0) {
        snprintf(origin, sizeof origin, "%s %d on %s: ", config->rank >= 0 ? "rank" : "local rank",
                 config->rank >= 0 ? config->rank : config->local_rank, host);
        lava_log_set_origin(origin);
    }
}

/* That there is none is no matter, unless somebody has named it. */
static void read_file(void) {
    const char *named = getenv(variables[0].name), *path = lava_places_config();
    bool is_named = named && *named;
    if (is_named && !strcmp(named, "none"))
        return;
    if (is_named) {
        snprintf(process_path, sizeof process_path, "%s", named);
        path = process_path;
    }
    int error = lava_config_file_read(&process_file, path);
    if (process_file.refusal)
        lava_log_always("%s is ignored: %s", path, process_file.refusal);
    else if (error && (is_named || (error != ENOENT && error != ENOTDIR)))
        lava_log_always("%s is ignored: %s", path, strerror(error));
    if (error || process_file.refusal)
        process_file.path = NULL;
}

static void parse_process(void) {
    bool secure = getauxval(AT_SECURE) != 0;
    if (!secure)
        read_file();
    lava_config_parse(&process_config, &process_storage, secure, process_file.path ? &process_file : NULL,
                      get_from_environment, complain_on_stderr, NULL);
    lava_log_set_file(process_config.log_file, process_config.rank);
    lava_log_set_level(process_config.log_level);
    if (process_config.secure)
        return;
    name_rank(&process_config);
    lava_config_find_mistyped(NULL, complain_of_name, NULL);
}

const struct lava_config *lava_config_get(void) {
    pthread_once(&process_once, parse_process);
    return &process_config;
}

const char *lava_config_file_path(void) {
    return process_file.path;
}

/* The last line of a name counts. */
static const char *text_in_file(int number) {
    const char *value = "";
    for (int i = 0; i < process_file.count; i++)
        if (process_file.lines[i].number == number)
            value = process_file.lines[i].value;
    return value;
}

static const char *default_of(const struct variable *variable) {
    if (variable->parse == parse_file)
        return lava_places_config();
    return variable->parse == parse_state ? lava_places_state() : variable->unset;
}

void lava_config_each(lava_config_tell *tell, void *context) {
    (void)lava_config_get();
    for (size_t i = 0; i < VARIABLES; i++) {
        char origin[sizeof process_path + 16];
        int line = process_storage.origins[i];
        const char *value = line == LAVA_CONFIG_ENVIRONMENT ? getenv(variables[i].name) : NULL;
        snprintf(origin, sizeof origin, "%s:%d", process_file.path ? process_file.path : "", line);
        if (line > 0)
            tell(variables[i].name, text_in_file(line), origin, context);
        else
            tell(variables[i].name, value ? value : default_of(&variables[i]),
                 value ? "environment" : "default", context);
    }
}

/* What the row's parser has left there. */
static struct lava_config_value value_of(const struct variable *variable) {
    const void *place = (const char *)&process_config + variable->place;
    struct lava_config_value value = {.name = variable->name};
    if (variable->parse == parse_file)
        value.text = process_file.path;
    else if (variable->words)
        value.text = lava_setting_value_word(
            variable->words, variable->parse == parse_word ? *(const int *)place : *(const bool *)place);
    else if (variable->storage_bytes)
        value.text = *(const char *const *)place;
    else {
        value.is_number = true;
        value.number =
            variable->parse == parse_lanes ? (uint64_t) * (const int *)place : *(const uint64_t *)place;
        value.number /= variable->parse == parse_seconds ? NS_PER_SECOND : 1;
    }
    return value;
}

bool lava_config_next(size_t *index, struct lava_config_value *value) {
    (void)lava_config_get();
    bool is_there = *index < VARIABLES;
    if (is_there)
        *value = value_of(&variables[(*index)++]);
    return is_there;
}

bool lava_config_is_report(const char *stats) {
    static const char end[] = ".json";
    size_t length = strlen(stats), tail = sizeof end - 1;
    return length > tail && strcmp(stats + length - tail, end) == 0;
}

/* Adds a value with the 0 at its end, so that two values do not run together. */
static uint64_t add_variable(uint64_t hash, const char *name) {
    const char *value = getenv(name);
    return lava_hash_add(hash, value ? value : "", value ? strlen(value) + 1 : 1);
}

uint64_t lava_config_fingerprint(void) {
    uint64_t hash = LAVA_HASH_BEGIN;
    for (size_t i = 0; i < VARIABLES; i++)
        hash = add_variable(hash, variables[i].name);
    for (size_t i = 0; i < sizeof thread_names / sizeof thread_names[0]; i++)
        hash = add_variable(hash, thread_names[i]);
    return hash;
}

bool lava_config_wants_report(void) {
    const char *stats = getenv("LAVABLAS_STATS");
    return stats && lava_config_is_report(stats) && getauxval(AT_SECURE) == 0;
}

const char *lava_config_environment(const char *name) {
    return getenv(name);
}
