/* A record of what happened when, for Perfetto and Chrome's tracing pages: LAVABLAS_TRACE=FILE. Every call
 * past the offload threshold is a span on its thread; what an engine does for it are spans on that thread, on
 * threads of the library and on the device's queues, all on CLOCK_MONOTONIC. Each track has a name: a
 * thread's is the one that it has at its first span.
 *
 * The file is JSON (the "JSON Array Format" of Google's document "Trace Event Format") and complete after
 * each write, so also when the program ends by exit() in the middle of a call. A child of fork() records
 * nothing. Any thread may call these functions. If tracing is off, the check costs one load. */
#ifndef LAVA_BASE_TRACE_H
#define LAVA_BASE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Spans of the calling thread, or of a queue of the device. */
enum lava_trace_track {
    LAVA_TRACE_THREAD,
    LAVA_TRACE_COMPUTE,
    LAVA_TRACE_UPLOAD,
    LAVA_TRACE_DOWNLOAD,
    LAVA_TRACE_TRACKS
};

#define LAVA_TRACE_NUMBERS 4

struct lava_trace_span {
    const char *name; /* static storage, as are all strings here */
    enum lava_trace_track track;
    /* The queue's: below LAVA_CONFIG_DEVICES_MAX and LAVA_CONFIG_LANES_MAX. Spans of a track do not overlap.
     */
    unsigned device, lane;
    uint64_t begin_ns, end_ns;
    const char *where, *why;                /* of a call; NULL: not shown */
    const char *labels[LAVA_TRACE_NUMBERS]; /* of the numbers; NULL: no more */
    int64_t numbers[LAVA_TRACE_NUMBERS];
};

extern _Atomic bool lava_trace_is_on;
static inline bool lava_trace_on(void) {
    return atomic_load_explicit(&lava_trace_is_on, memory_order_relaxed);
}

/* Starts the record if the configuration asks for one. Called once, by lib/offload. A file that cannot be
 * written is reported, and nothing is recorded. */
void lava_trace_install(void);
/* Does nothing if tracing is off. */
void lava_trace_add(const struct lava_trace_span *span);
/* Adds a span of the calling thread that ends now, with a number of bytes (0: none); begin_ns is from
 * lava_trace_now. */
void lava_trace_add_work(const char *name, uint64_t begin_ns, uint64_t bytes);
/* The calling thread's spans are from now on a track of the device, below LAVA_CONFIG_DEVICES_MAX, with the
 * thread's name: for threads that work for a device for one product. One thread of a device at a time. */
void lava_trace_follow_device(unsigned device);
/* CLOCK_MONOTONIC if tracing is on, else 0 without a look at the clock. */
uint64_t lava_trace_now(void);

#endif
