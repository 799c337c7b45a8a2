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
/* Processes and threads have numbers below this one: it is the most that Linux lets kernel.pid_max be. In a
 * container they may be as small as 1. */
#define IDS_MAX (1 << 22)
/* Tracks of a device: those of its lanes' queues, then that of threads that work for the device. The numbers
 * differ also among devices, because Perfetto knows threads by their number. */
#define QUEUES      (LAVA_TRACE_TRACKS - 1)
#define HOST_TRACK  (LAVA_CONFIG_LANES_MAX * QUEUES)
#define TRACKS_EACH (HOST_TRACK + 1)
/* The text includes a thread's or a program's name. */
#define NAME_BYTES 64

_Atomic bool lava_trace_is_on;

/* Where a span is shown. */
struct place {
    unsigned device; /* 0: with the program's threads */
    int track;
};

struct kept {
    struct lava_trace_span span;
    struct place place;
};

/* Where the calling thread's spans go; track 0: that is not chosen yet. */
static _Thread_local struct {
    struct place place;
    bool is_named;
} own;

static struct {
    pthread_mutex_t lock;
    int file;
    off_t end; /* where the next line goes */
    int process;
    size_t count;
    struct kept spans[SPANS_KEPT];
    char text[64 * LINE_BYTES];
    size_t length;
    bool is_named[LAVA_CONFIG_DEVICES_MAX], has_host_track[LAVA_CONFIG_DEVICES_MAX];
    bool has_queues[LAVA_CONFIG_DEVICES_MAX][LAVA_CONFIG_LANES_MAX];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static const char *const track_names[LAVA_TRACE_TRACKS] = {
    [LAVA_TRACE_COMPUTE] = "GPU, compute queue",
    [LAVA_TRACE_UPLOAD] = "GPU, upload queue",
    [LAVA_TRACE_DOWNLOAD] = "GPU, download queue",
};

/* Writes the text and the bracket that ends the array. Stops the record if the file cannot be written. */
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

static int track_of_device(unsigned device, unsigned number) {
    return IDS_MAX + (int)(device * TRACKS_EACH + number);
}

static struct place queue_place(const struct lava_trace_span *span) {
    unsigned number = span->lane * QUEUES + (unsigned)span->track - 1;
    return (struct place){span->device, track_of_device(span->device, number)};
}

/* The first device's tracks stand beside the program's threads. Each further device counts as a process of
 * its own, with a number that no process has. */
static int process_of(unsigned device) {
    return trace.process + (int)device * IDS_MAX;
}

/* A program may choose names with any bytes. */
static void make_plain(char *name) {
    for (; *name; name++)
        if (*name < ' ' || *name > '~' || *name == '"' || *name == '\\')
            *name = '?';
}

static void put_name(const char *of, struct place place, const char *name) {
    advance(snprintf(line_place(), LINE_BYTES,
                     "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", of,
                     process_of(place.device), place.track, name));
}

/* Names what stands for a process, once. */
static void name_device(unsigned device) {
    char name[NAME_BYTES + 48], more[24] = "";
    if (trace.is_named[device])
        return;
    if (device > 0)
        snprintf(more, sizeof more, ", device %u", device);
    snprintf(name, sizeof name, "%.*s (%d)%s", NAME_BYTES, program_invocation_short_name, trace.process,
             more);
    make_plain(name);
    put_name("process_name", (struct place){device, process_of(device)}, name);
    trace.is_named[device] = true;
}

/* Names the lane's tracks, once. */
static void name_queues(unsigned device, unsigned lane) {
    name_device(device);
    for (int track = LAVA_TRACE_COMPUTE; track < LAVA_TRACE_TRACKS && !trace.has_queues[device][lane];
         track++) {
        const struct lava_trace_span span = {
            .track = (enum lava_trace_track)track, .device = device, .lane = lane};
        char name[NAME_BYTES], which[24] = "";
        if (lane > 0)
            snprintf(which, sizeof which, ", lane %u", lane + 1);
        snprintf(name, sizeof name, "%s%s", track_names[track], which);
        put_name("thread_name", queue_place(&span), name);
    }
    trace.has_queues[device][lane] = true;
}

/* Gives the calling thread its track, with the name that it has now. A thread in a name space of its own may
 * have the number of another one, which is a track of both then. */
static void name_thread(void) {
    char name[NAME_BYTES] = "";
    bool of_device = own.place.track != 0, *has_track = &trace.has_host_track[own.place.device];
    own.is_named = true;
    if (of_device && *has_track)
        return;
    if (of_device)
        *has_track = true;
    else
        own.place.track = (int)gettid();
    name_device(own.place.device);
    pthread_getname_np(pthread_self(), name, sizeof name);
    make_plain(name);
    put_name("thread_name", own.place, name);
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
    if (span->track != LAVA_TRACE_THREAD)
        name_queues(span->device, span->lane);
    char *line = line_place();
    int length = snprintf(line, LINE_BYTES,
                          "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64 ".%03" PRIu64
                          ",\"dur\":%" PRIu64 ".%03" PRIu64 ",\"args\":{",
                          span->name, process_of(kept->place.device), kept->place.track,
                          span->begin_ns / 1000, span->begin_ns % 1000, duration / 1000, duration % 1000);
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
    name_queues(0, 0);
    write_text();
    pthread_atfork(NULL, NULL, stop_in_child);
    atexit(write_at_exit);
    atomic_store_explicit(&lava_trace_is_on, true, memory_order_relaxed);
}

void lava_trace_add(const struct lava_trace_span *span) {
    if (!lava_trace_on())
        return;
    bool of_queue = span->track != LAVA_TRACE_THREAD;
    pthread_mutex_lock(&trace.lock);
    if (!of_queue && !own.is_named)
        name_thread();
    if (trace.count == SPANS_KEPT)
        write_kept();
    trace.spans[trace.count++] =
        (struct kept){.span = *span, .place = of_queue ? queue_place(span) : own.place};
    pthread_mutex_unlock(&trace.lock);
}

void lava_trace_add_work(const char *name, uint64_t begin_ns, uint64_t bytes) {
    if (!lava_trace_on() || begin_ns == 0)
        return;
    const struct lava_trace_span span = {.name = name,
                                         .begin_ns = begin_ns,
                                         .end_ns = lava_trace_now(),
                                         .labels = {bytes > 0 ? "bytes" : NULL},
                                         .numbers = {(int64_t)bytes}};
    lava_trace_add(&span);
}

void lava_trace_follow_device(unsigned device) {
    own.place = (struct place){device, track_of_device(device, HOST_TRACK)};
    own.is_named = false;
}

uint64_t lava_trace_now(void) {
    return lava_trace_on() ? lava_clock_now_ns() : 0;
}
