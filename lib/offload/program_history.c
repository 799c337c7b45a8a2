/* Keeps the file of a program's history. lib/abi looks at it when the library is loaded, opening.c ends it.
 *
 * Invariant: a file is only the history. One that is damaged, of another version or of somebody else is as
 * none; of two processes that end at once, one is forgotten. */
#include "lib/offload/program_history.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/report.h"

#define NAME       "history"
#define HOST_BYTES 65

static struct {
    bool has_key;
    enum lava_history_use use; /* set at the first call; OFF: no key, or the settings ask for none */
    struct lava_program_key key;
    struct lava_file_cache_place place;
    char home[sizeof((struct lava_config_storage *)0)->cache_home];
    struct lava_history before;
    uint64_t started_ns, settings; /* when the program was started */
    pid_t process;                 /* that was started */
    bool has_changed;              /* the settings, before the first call */
    _Atomic bool early;
    _Atomic uint64_t needs;
    _Atomic int64_t saved_ns, missed_ns, cpu_ns, expected_ns;
    double copies_ns;
} own;

/* If another setting decides when a device is prepared, a history would tell nothing. */
static enum lava_history_use use_of(const struct lava_config *config) {
    bool decides = config->mode == LAVA_MODE_AUTO && !config->init_sync && config->learn && config->cache;
    return decides && config->cache_home ? config->history : LAVA_HISTORY_OFF;
}

static bool is_sound(const struct lava_program_history_entry *entry, size_t bytes) {
    return bytes == sizeof *entry && entry->history.quiet <= LAVA_HISTORY_QUIET_MOST &&
           isfinite(entry->history.gain_ns) && isfinite(entry->history.copies_ns) &&
           entry->history.lost_ns >= 0 && entry->history.cpu_factor >= 0 && entry->history.cpu_factor < 1e3 &&
           memchr(entry->name, 0, sizeof entry->name);
}

static struct lava_history read_file(void) {
    struct lava_history history = {0};
    size_t bytes;
    struct lava_program_history_entry *entry = lava_file_cache_load(&own.place, &bytes);
    if (entry && is_sound(entry, bytes))
        history = entry->history;
    free(entry);
    return history;
}

void lava_program_history_place(const char *cache_home, const struct lava_program_key *key,
                                struct lava_file_cache_place *place) {
    char text[sizeof key->text + HOST_BYTES] = "";
    gethostname(text, HOST_BYTES - 1);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", key->text);
    lava_file_cache_place_init(place, cache_home, NAME, text, strlen(text));
}

void lava_program_history_look(void) {
    own.started_ns = lava_clock_now_ns();
    if (!lava_config_find_cache_home(own.home, sizeof own.home) || !lava_program_key_find(&own.key))
        return;
    own.has_key = true;
    lava_program_history_place(own.home, &own.key, &own.place);
    own.before = read_file();
    own.process = getpid();
    own.settings = lava_config_fingerprint();
    if (own.before.runs > 0 && use_of(lava_config_get()) == LAVA_HISTORY_OFF)
        own.before.runs = 0; /* as if there were none */
}

void lava_program_history_open(void) {
    own.use = own.has_key ? use_of(lava_config_get()) : LAVA_HISTORY_OFF;
    own.has_changed = own.use != LAVA_HISTORY_OFF && lava_config_fingerprint() != own.settings;
    if (own.has_changed && own.early)
        lava_log_always(
            "the program has changed settings after its start, when they were read already: they count from "
            "its next run on");
}

enum lava_history_rule lava_program_history_rule(void) {
    return lava_history_rule(&own.before);
}

static double lasted_ns(void) {
    return (double)(lava_clock_now_ns() - own.started_ns);
}

double lava_program_history_patience(void) {
    return lava_history_patience(&own.before, own.before.quiet > 0 ? lasted_ns() : 0);
}

uint64_t lava_program_history_needs(void) {
    return own.before.needs;
}

void lava_program_history_set_early(void) {
    own.early = true;
}

bool lava_program_history_is_kept(void) {
    return own.use != LAVA_HISTORY_OFF;
}

/* Nothing could have been won before the device can be ready. */
void lava_program_history_count(uint64_t needs, double saved_ns, double missed_ns) {
    double since_ns = lasted_ns() - LAVA_HISTORY_READY_NS;
    missed_ns = missed_ns < since_ns ? missed_ns : since_ns;
    if (!(saved_ns > 0) && !(missed_ns > 0))
        return;
    own.needs |= needs;
    own.saved_ns += (int64_t)saved_ns;
    own.missed_ns += missed_ns > 0 ? (int64_t)missed_ns : 0;
}

void lava_program_history_count_cpu(double elapsed_ns, double expected_ns) {
    own.cpu_ns += (int64_t)elapsed_ns;
    own.expected_ns += (int64_t)expected_ns;
}

double lava_program_history_cpu_factor(void) {
    return own.before.cpu_factor > 0 ? own.before.cpu_factor : 1;
}

void lava_program_history_note_copies(double earned_ns) {
    own.copies_ns = earned_ns;
}

bool lava_program_history_have_copies_won(void) {
    return own.before.runs > 0 && own.before.copies_ns > 0;
}

void lava_program_history_end(bool prepared, bool has_device) {
    const struct lava_history_run run = {.lasted_ns = lasted_ns(),
                                         .prepared = prepared || own.early,
                                         .needs = own.needs,
                                         .saved_ns = (double)own.saved_ns,
                                         .missed_ns = has_device ? (double)own.missed_ns : 0,
                                         .cpu_ns = (double)own.cpu_ns,
                                         .expected_ns = (double)own.expected_ns,
                                         .copies_ns = own.copies_ns};
    if (own.early)
        own.use = use_of(lava_config_get()); /* there may have been no call */
    if (own.use != LAVA_HISTORY_ON || own.process != getpid())
        return;
    if (own.has_changed)
        unlink(own.place.path);
    if (own.has_changed || !lava_history_is_telling(&own.before, &run))
        return;
    struct lava_program_history_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.history = read_file(); /* another process of the program may have ended meanwhile */
    bool is_new = entry.history.runs == 0;
    lava_history_add(&entry.history, &run);
    entry.written_s = (int64_t)time(NULL);
    memcpy(entry.name, own.key.name, sizeof entry.name);
    if (lava_file_cache_store(&own.place, &entry, sizeof entry) && is_new)
        lava_file_cache_keep(own.home, NAME, LAVA_PROGRAM_HISTORY_FILES);
}

struct visitor {
    lava_program_history_show *show;
    void *context;
};

static void visit(void *context, const void *key, size_t key_bytes, const void *data, size_t bytes) {
    const struct visitor *visitor = context;
    (void)key, (void)key_bytes;
    if (bytes == sizeof(struct lava_program_history_entry) && is_sound(data, bytes))
        visitor->show(visitor->context, data);
}

void lava_program_history_each(const char *cache_home, lava_program_history_show *show, void *context) {
    struct visitor visitor = {show, context};
    lava_file_cache_each(cache_home, NAME, visit, &visitor);
}
