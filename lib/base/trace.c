/* The trace file. Called by lib/offload for calls and by lib/engine for what they do. Spans are kept in
 * memory and written when there are many, and at exit.
 *
 * Invariant: the file is a complete JSON array after each write. The bracket that ends it is overwritten by
 * the next. */
#include "lib/base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"

/* Writing takes half a microsecond a span, so this many take 2 ms, once in some hundred large products. */
#define SPANS_KEPT 4096
/* A span's line is shorter. */
#define LINE_BYTES 512
/* Numbers of the tracks of queues, which no thread has. */
#define FIRST_QUEUE_TRACK 1

_Atomic bool lava_trace_is_on;

struct kept {
    struct lava_trace_span span;
    int thread;
};

static struct {
    pthread_mutex_t lock;
    int file;
    off_t end; /* where the next line goes */
    int process;
    size_t count;
    struct kept spans[SPANS_KEPT];
    char text[64 * LINE_BYTES];
    size_t length;
    bool is_named[LAVA_CONFIG_DEVICES_MAX][LAVA_CONFIG_LANES_MAX];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static const char *const track_names[LAVA_TRACE_TRACKS] = {
    [LAVA_TRACE_COMPUTE] = "GPU, compute queue",
    [LAVA_TRACE_UPLOAD] = "GPU, upload queue",
    [LAVA_TRACE_DOWNLOAD] = "GPU, download queue",
};

/* With the bracket that ends the array. Stops the record where the file cannot be written. */
static void write_text(void) {
    size_t lines = trace.length;
    if (lines == 0)
        return;
    memcpy(trace.text + lines, "\n]\n", 3);
    ssize_t written = pwrite(trace.file, trace.text, lines + 3, trace.end);
    if (written != (ssize_t)(lines + 3))
        atomic_store_explicit(&lava_trace_is_on, false, memory_order_relaxed);
    trace.end += (off_t)lines;
    trace.length = 0;
}

/* The room for one more line; its end is told by advance. */
static char *line_place(void) {
    if (trace.length + 2 * LINE_BYTES > sizeof trace.text)
        write_text();
    const char *before = trace.end == 0 && trace.length == 0 ? "[\n" : ",\n";
    memcpy(trace.text + trace.length, before, 2);
    trace.length += 2;
    return trace.text + trace.length;
}

static void advance(int length) {
    trace.length += length > 0 && length < LINE_BYTES ? (size_t)length : 0;
}

static int queue_track(enum lava_trace_track track, unsigned lane) {
    return FIRST_QUEUE_TRACK + (int)(lane * (LAVA_TRACE_TRACKS - 1)) + (int)track - 1;
}

/* The first device's tracks stand beside the program's threads. Each further device counts as a process of
 * its own, with a number that no process has. */
#define PROCESSES_MAX (1 << 22)
static int process_of(unsigned device) {
    return trace.process + (int)device * PROCESSES_MAX;
}

static void put_process_name(unsigned device) {
    if (device > 0)
        advance(snprintf(line_place(), LINE_BYTES,
                         "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"device %u "
                         "of the process\"}}",
                         process_of(device), device));
}

/* Names the lane's tracks, once. */
static void put_track_names(unsigned device, unsigned lane) {
    bool *is_named = &trace.is_named[device][lane];
    if (!*is_named && lane == 0)
        put_process_name(device);
    for (int track = LAVA_TRACE_COMPUTE; track < LAVA_TRACE_TRACKS && !*is_named; track++) {
        char *line = line_place(), which[24] = "";
        if (lane > 0)
            snprintf(which, sizeof which, ", lane %u", lane + 1);
        advance(snprintf(
            line, LINE_BYTES,
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s%s\"}}",
            process_of(device), queue_track((enum lava_trace_track)track, lane), track_names[track], which));
    }
    *is_named = true;
}

/* Returns what snprintf would have written; the buffer is large enough for every span there is. */
static int format_arguments(const struct lava_trace_span *span, char *text, size_t size) {
    int length = 0;
    const char *comma = "";
    if (span->where) {
        length = snprintf(text, size, "\"where\":\"%s\",\"why\":\"%s\"", span->where, span->why);
        comma = ",";
    }
    for (int i = 0; i < LAVA_TRACE_NUMBERS && span->labels[i]; i++) {
        length += snprintf(text + length, size - (size_t)length, "%s\"%s\":%" PRId64, comma, span->labels[i],
                           span->numbers[i]);
        comma = ",";
    }
    return length;
}

static void put_span(const struct kept *kept) {
    const struct lava_trace_span *span = &kept->span;
    uint64_t duration = span->end_ns > span->begin_ns ? span->end_ns - span->begin_ns : 0;
    bool of_queue = span->track != LAVA_TRACE_THREAD;
    int track = of_queue ? queue_track(span->track, span->lane) : kept->thread;
    if (of_queue)
        put_track_names(span->device, span->lane);
    char *line = line_place();
    int length = snprintf(line, LINE_BYTES,
                          "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64
                          ",\"dur\":%" PRIu64 ".%03" PRIu64 ",\"args\":{",
                          span->name, process_of(of_queue ? span->device : 0), track, span->begin_ns / 1000,
                          span->begin_ns % 1000, duration / 1000, duration % 1000);
    length += format_arguments(span, line + length, LINE_BYTES - (size_t)length);
    length += snprintf(line + length, LINE_BYTES - (size_t)length, "}}");
    advance(length);
}

/* Under the lock. */
static void write_kept(void) {
    for (size_t i = 0; i < trace.count; i++)
        put_span(&trace.spans[i]);
    trace.count = 0;
    write_text();
}

/* A thread that exit() interrupts while it holds the lock would be waited for without end; its spans are lost
 * then. */
static void write_at_exit(void) {
    const struct timespec deadline = lava_clock_deadline(UINT64_C(1000000000));
    if (!lava_trace_on() || pthread_mutex_timedlock(&trace.lock, &deadline))
        return;
    write_kept();
    pthread_mutex_unlock(&trace.lock);
}

/* The file is the parent's. */
static void stop_in_child(void) {
    atomic_store_explicit(&lava_trace_is_on, false, memory_order_relaxed);
}

void lava_trace_install(void) {
    const char *path = lava_config_get()->trace;
    if (!path)
        return;
    trace.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (trace.file < 0) {
        lava_log_always("LAVABLAS_TRACE: %s cannot be written: %s", path, strerror(errno));
        return;
    }
    trace.process = (int)getpid();
    put_track_names(0, 0);
    write_text();
    pthread_atfork(NULL, NULL, stop_in_child);
    atexit(write_at_exit);
    atomic_store_explicit(&lava_trace_is_on, true, memory_order_relaxed);
}

void lava_trace_add(const struct lava_trace_span *span) {
    static _Thread_local int thread;
    if (!lava_trace_on())
        return;
    if (thread == 0)
        thread = (int)gettid();
    pthread_mutex_lock(&trace.lock);
    if (trace.count == SPANS_KEPT)
        write_kept();
    trace.spans[trace.count++] = (struct kept){.span = *span, .thread = thread};
    pthread_mutex_unlock(&trace.lock);
}

void lava_trace_add_work(const char *name, uint64_t begin_ns, uint64_t bytes) {
    if (!lava_trace_on() || begin_ns == 0)
        return;
    const struct lava_trace_span span = {.name = name,
                                         .begin_ns = begin_ns,
                                         .end_ns = lava_trace_now(),
                                         .labels = {"bytes"},
                                         .numbers = {(int64_t)bytes}};
    lava_trace_add(&span);
}

uint64_t lava_trace_now(void) {
    return lava_trace_on() ? lava_clock_now_ns() : 0;
}
