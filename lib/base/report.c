/* Tells the statistics of the process at exit. Called by lib/offload, and by the library's destructor.
 *
 * The report has one line for each process. Numbers are integers, because a program's locale may have another
 * decimal point:
 *
 *     {"lavablas": VERSION, "pid": ..., "parent": ..., "program": PATH, "cpu_blas": PATH,
 *      "device": NAME, "driver": NAME ... "unfinished": true, "objects": [PATH ...],
 *      "calls": [{"routine": ..., "place": ..., "reason": ..., "calls": ..., "ns": ...,
 *                 "flop": ...} ...],
 *      "shapes": [{"routine": ..., "place": ..., "order": ..., "calls": ..., "ns": ..., "flop": ...,
 *                  "bytes": ..., "cpu_ns": ..., "lost_ns": ...} ...],
 *      "under": [{"outer": ..., "routine": ..., "place": ..., "calls": ..., "ns": ..., "flop": ...,
 *                 "cpu_ns": ...} ...],
 *      "small": {"calls": ..., "timed": ...},
 *      "estimates": [{"place": ..., "calls": ..., "ns": ..., "measured_ns": ..., "longer_calls": ...,
 *                     "longer_ns": ...} ...],
 *      "transfers": {"up_bytes": ..., "up_ns": ..., "down_bytes": ..., "down_ns": ..., "stayed_uses": ...,
 *                    "stayed_bytes": ...},
 *      "copies": {"why": ..., "stored": ..., "used": ..., "refreshed": ..., "refreshed_bytes": ...,
 *                 "forgotten": ..., "evicted": ..., "differences": ...,
 *                 "matrices": [{"address": ..., "rows": ..., "columns": ..., "bytes": ..., "uses": ...,
 *                               "saved_ns": ..., "why": ...} ...]}}
 *
 * A fact that is not known is left out; so is why, if there is no reason why not. A process is unfinished if
 * it did not write its line itself, and its counters were found (counters.h). */
#include "lib/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/config.h"
#include "lib/base/counters.h"
#include "lib/base/json.h"
#include "lib/base/log.h"
#include "lib/base/sizes.h"
#include "lib/base/stats.h"
#include "lib/base/tally.h"

static const char *const fact_names[LAVA_REPORT_FACTS] = {
    [LAVA_REPORT_CPU_BLAS] = "cpu_blas", [LAVA_REPORT_DEVICE] = "device",
    [LAVA_REPORT_DRIVER] = "driver",     [LAVA_REPORT_NO_DEVICE] = "no_device",
    [LAVA_REPORT_FIGURES] = "figures",   [LAVA_REPORT_HISTORY] = "history",
};
static _Atomic bool told; /* the report: there is one for each process */

/* Writes everything at once, so that processes that share a file through O_APPEND do not mix their lines. */
static bool write_all(int file, const char *text, size_t length) {
    ssize_t written;
    do
        written = write(file, text, length);
    while (written < 0 && errno == EINTR);
    return written == (ssize_t)length;
}

/* O_NONBLOCK, because a FIFO that nobody reads must not keep the program from ending. */
static void append(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    bool written = file >= 0 && write_all(file, text, length);
    if (!written)
        lava_log_always("LAVABLAS_STATS: %s cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
}

static void put_process(FILE *stream, const struct lava_counters *counters) {
    fprintf(stream, "{\"lavablas\":\"%s\",\"pid\":%" PRId64 ",\"parent\":%" PRId64, LAVA_VERSION,
            counters->pid, counters->parent);
    if (counters->program[0])
        lava_json_put_member(stream, "program", counters->program);
    for (int fact = 0; fact < LAVA_REPORT_FACTS; fact++)
        if (counters->facts[fact][0])
            lava_json_put_member(stream, fact_names[fact], counters->facts[fact]);
}

/* The program itself has no name here, and the kernel's own object no file. */
static int put_object(struct dl_phdr_info *info, size_t size, void *context) {
    FILE *stream = context;
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] == '/') {
        lava_json_put(stream, info->dlpi_name);
        fputc(',', stream);
    }
    return 0;
}

/* Returns what comes before an element: nothing for the first one. */
static const char *separator(bool *any) {
    const char *text = *any ? "," : "";
    *any = true;
    return text;
}

static void put_calls(FILE *stream) {
    bool any = false;
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++)
            for (int reason = 0; reason < LAVA_REASON_COUNT; reason++) {
                const struct lava_stats_sum sum = lava_stats_sum(
                    (enum lava_routine)routine, (enum lava_place)place, (enum lava_reason)reason);
                if (sum.calls == 0)
                    continue;
                fprintf(stream, "%s{\"routine\":\"%s\",\"place\":\"%s\",\"reason\":", separator(&any),
                        lava_routine_name((enum lava_routine)routine),
                        lava_stats_place((enum lava_place)place));
                lava_json_put(stream, lava_stats_reason((enum lava_reason)reason));
                fprintf(stream, ",\"calls\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"flop\":%.0f}", sum.calls,
                        sum.elapsed_ns, sum.flops);
            }
}

static void put_shapes(FILE *stream) {
    bool any = false;
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++)
            for (int size = 0; size < LAVA_SIZES; size++) {
                const struct lava_stats_shape shape =
                    lava_stats_shape((enum lava_routine)routine, (enum lava_place)place, size);
                if (shape.calls == 0)
                    continue;
                fprintf(stream,
                        "%s{\"routine\":\"%s\",\"place\":\"%s\",\"order\":%" PRId64 ",\"calls\":%" PRIu64
                        ",\"ns\":%" PRIu64 ",\"flop\":%.0f,\"bytes\":%.0f,\"cpu_ns\":%" PRIu64
                        ",\"lost_ns\":%" PRIu64 "}",
                        separator(&any), lava_routine_name((enum lava_routine)routine),
                        lava_stats_place((enum lava_place)place), lava_sizes_least_order(size), shape.calls,
                        shape.elapsed_ns, shape.flops, shape.bytes, shape.cpu_ns, shape.lost_ns);
            }
}

/* Calls that other calls have made, whose times and work are parts of theirs. */
static void put_under(FILE *stream) {
    struct lava_tally_under under;
    const struct lava_stats_samples samples = lava_stats_samples();
    bool any = false;
    size_t index = 0;
    fputs("\"under\":[", stream);
    while (lava_tally_next_under(&index, &under))
        fprintf(stream,
                "%s{\"outer\":\"%s\",\"routine\":\"%s\",\"place\":\"%s\",\"calls\":%" PRIu64
                ",\"ns\":%" PRIu64 ",\"flop\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 "}",
                separator(&any), lava_routine_name(under.outer), lava_routine_name(under.routine),
                lava_stats_place(under.place), under.calls, under.elapsed_ns, under.flops, under.cpu_ns);
    fprintf(stream, "],\"small\":{\"calls\":%" PRIu64 ",\"timed\":%" PRIu64 "}", samples.calls,
            samples.timed);
}

static void put_estimates(FILE *stream) {
    for (int place = 0; place < LAVA_PLACE_COUNT; place++) {
        const struct lava_stats_estimates sum = lava_stats_estimates((enum lava_place)place);
        fprintf(stream,
                "%s{\"place\":\"%s\",\"calls\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"measured_ns\":%" PRIu64
                ",\"longer_calls\":%" PRIu64 ",\"longer_ns\":%" PRIu64 "}",
                place ? "," : "", lava_stats_place((enum lava_place)place), sum.calls, sum.estimated_ns,
                sum.measured_ns, sum.lost_calls, sum.lost_ns);
    }
}

static void put_transfers(FILE *stream) {
    const struct lava_stats_transfer up = lava_stats_transfer(LAVA_TRANSFER_UP),
                                     down = lava_stats_transfer(LAVA_TRANSFER_DOWN);
    const struct lava_stats_stays stays = lava_stats_stays();
    fprintf(stream,
            "\"up_bytes\":%" PRIu64 ",\"up_ns\":%" PRIu64 ",\"down_bytes\":%" PRIu64 ",\"down_ns\":%" PRIu64,
            up.bytes, up.ns, down.bytes, down.ns);
    fprintf(stream, ",\"stayed_uses\":%" PRIu64 ",\"stayed_bytes\":%" PRIu64, stays.uses, stays.bytes);
}

static void put_copies(FILE *stream) {
    struct lava_stats_copies copies;
    if (!lava_stats_copies(&copies))
        return;
    fprintf(stream,
            ",\"copies\":{\"stored\":%" PRIu64 ",\"used\":%" PRIu64 ",\"refreshed\":%" PRIu64
            ",\"refreshed_bytes\":%" PRIu64 ",\"forgotten\":%" PRIu64 ",\"evicted\":%" PRIu64
            ",\"differences\":%" PRIu64,
            copies.stored, copies.used, copies.refreshed, copies.refreshed_bytes, copies.forgotten,
            copies.evicted, copies.differences);
    if (copies.why)
        lava_json_put_member(stream, "why", copies.why);
    fputs(",\"matrices\":[", stream);
    for (int i = 0; i < copies.count; i++) {
        const struct lava_stats_matrix *matrix = &copies.matrices[i];
        fprintf(stream,
                "%s{\"address\":\"%p\",\"rows\":%" PRId64 ",\"columns\":%" PRId64 ",\"bytes\":%" PRIu64
                ",\"uses\":%" PRIu64 ",\"saved_ns\":%.0f",
                i ? "," : "", matrix->first, matrix->rows, matrix->columns, matrix->bytes, matrix->uses,
                matrix->saved_ns);
        if (matrix->why)
            lava_json_put_member(stream, "why", matrix->why);
        fputc('}', stream);
    }
    fputs("]}", stream);
}

/* What the counters tell, from the calls on. */
static void put_counts(FILE *stream) {
    fputs("null],\"calls\":[", stream);
    put_calls(stream);
    fputs("],\"shapes\":[", stream);
    put_shapes(stream);
    fputs("],", stream);
    put_under(stream);
    fputs(",\"estimates\":[", stream);
    put_estimates(stream);
    fputs("],\"transfers\":{", stream);
    put_transfers(stream);
    fputc('}', stream);
}

static void put_report(FILE *stream) {
    put_process(stream, lava_counters_get());
    fputs(",\"objects\":[", stream);
    dl_iterate_phdr(put_object, stream);
    put_counts(stream);
    put_copies(stream);
    fputs("}\n", stream);
}

void lava_report_put_counters(FILE *stream, struct lava_counters *counters) {
    lava_counters_use(counters);
    put_process(stream, counters);
    fputs(",\"unfinished\":true,\"objects\":[", stream);
    put_counts(stream);
    fputs("}\n", stream);
}

/* Returns the text that the function writes, NULL if there is no memory. The caller frees it. */
static char *text_of(void (*put)(FILE *stream), size_t *length) {
    char *text = NULL;
    *length = 0;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    put(stream);
    if (!fclose(stream))
        return text;
    free(text);
    return NULL;
}

/* Returns whether there was memory for it. */
static bool tell(const char *path, void (*put)(FILE *stream)) {
    size_t length;
    char *text = text_of(put, &length);
    if (!text)
        return false;
    if (length > 0 && *path)
        append(path, text, length);
    else if (length > 0)
        write_all(STDERR_FILENO, text, length);
    free(text);
    return true;
}

char *lava_report_now(void) {
    size_t length;
    char *text = text_of(put_report, &length);
    if (text && length > 0)
        text[length - 1] = '\0'; /* the end of the line */
    return text;
}

void lava_report_print(void) {
    const char *path = lava_config_get()->stats;
    bool is_report = path && lava_config_is_report(path);
    if (path)
        lava_counters_settle();
    if (path && !(is_report && told))
        told = tell(path, is_report ? put_report : lava_stats_print) && is_report;
    if (told)
        lava_counters_remove();
}

void lava_report_end(void) {
    if (!told && lava_config_wants_report())
        lava_report_print();
}

/* A child of fork() tells only its own calls; its parent tells the others. */
static void reset_in_child(void) {
    lava_stats_reset();
    told = false;
}

static void handle_fork(void) {
    pthread_atfork(NULL, NULL, reset_in_child);
}

void lava_report_keep_quiet(void) {
    told = true;
    lava_counters_keep_alone();
}

void lava_report_install(void) {
    if (!lava_config_get()->stats)
        return;
    handle_fork();
    atexit(lava_report_print);
}

/* A child of fork() drops the counts that it inherited: its parent had not asked for them. */
void lava_report_count_all(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (lava_stats_are_wanted())
        return;
    if (lava_counters_get()->pid != getpid())
        reset_in_child();
    pthread_once(&once, handle_fork);
    lava_stats_want();
}
