/* Counts calls per routine, place and reason, and prints them at exit. lib/offload/offload calls it for each
 * call that is not forwarded at once. Counting is lock-free; a line of the summary is consistent once the
 * calls it counts have returned. */
#include "lib/base/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/config.h"
#include "lib/base/log.h"

struct counter {
    atomic_ullong calls;
    atomic_ullong elapsed_ns;
    _Atomic double flops;
};

static struct counter counters[LAVA_ROUTINE_COUNT][LAVA_PLACE_COUNT][LAVA_REASON_COUNT];

/* This is more than all lines that the table can fill. */
#define LINE_BYTES    160
#define SUMMARY_BYTES (LAVA_ROUTINE_COUNT * LAVA_PLACE_COUNT * LAVA_REASON_COUNT * LINE_BYTES)

static const char *const place_names[LAVA_PLACE_COUNT] = {
    [LAVA_PLACE_CPU] = "cpu",
    [LAVA_PLACE_GPU] = "gpu",
};

void lava_stats_count(enum lava_routine routine, const struct lava_operation *operation, int64_t products,
                      enum lava_place place, enum lava_reason reason, uint64_t elapsed_ns) {
    struct counter *counter = &counters[routine][place][reason];
    /* an invalid call has no operation */
    double flops = reason == LAVA_REASON_INVALID ? 0 : lava_operation_flops(operation);
    if (products > 1)
        flops *= (double)products;
    double sum = atomic_load_explicit(&counter->flops, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counter->flops, &sum, sum + flops, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&counter->elapsed_ns, elapsed_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter->calls, 1, memory_order_relaxed);
}

/* Returns the room left at text + length, for snprintf. */
static size_t room(size_t size, size_t length) {
    return length < size ? size - length : 0;
}

static size_t format_counter(char *text, size_t size, int routine, int place, int reason) {
    struct counter *counter = &counters[routine][place][reason];
    unsigned long long calls = atomic_load_explicit(&counter->calls, memory_order_relaxed);
    if (calls == 0)
        return 0;
    int length = snprintf(text, size, "lavablas: %s %s %llu calls, %.6f s, %.1f GFLOP: %s\n",
                          lava_routine_name((enum lava_routine)routine), place_names[place], calls,
                          (double)atomic_load_explicit(&counter->elapsed_ns, memory_order_relaxed) * 1e-9,
                          atomic_load_explicit(&counter->flops, memory_order_relaxed) * 1e-9,
                          lava_reason_text((enum lava_reason)reason));
    return length > 0 ? (size_t)length : 0;
}

size_t lava_stats_format(char *text, size_t size) {
    size_t length = 0;
    if (size)
        *text = '\0';
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++)
            for (int reason = 0; reason < LAVA_REASON_COUNT; reason++) {
                size_t left = room(size, length);
                length += format_counter(left ? text + length : NULL, left, routine, place, reason);
            }
    return length;
}

/* A child of fork() prints only its own calls; its parent prints the others. */
static void reset_in_child(void) {
    for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++)
            for (int reason = 0; reason < LAVA_REASON_COUNT; reason++) {
                struct counter *counter = &counters[routine][place][reason];
                atomic_store_explicit(&counter->calls, 0, memory_order_relaxed);
                atomic_store_explicit(&counter->elapsed_ns, 0, memory_order_relaxed);
                atomic_store_explicit(&counter->flops, 0, memory_order_relaxed);
            }
}

/* Writes everything at once, so that processes that share a file through O_APPEND do not mix their lines. */
static bool write_all(int file, const char *text, size_t length) {
    ssize_t written;
    do
        written = write(file, text, length);
    while (written < 0 && errno == EINTR);
    return written == (ssize_t)length;
}

void lava_stats_print(void) {
    static char text[SUMMARY_BYTES];
    const char *path = lava_config_get()->stats;
    size_t length = path ? lava_stats_format(text, sizeof text) : 0;
    if (length == 0)
        return;
    if (length >= sizeof text)
        length = sizeof text - 1;
    if (!*path) {
        write_all(STDERR_FILENO, text, length);
        return;
    }
    /* O_NONBLOCK, because a FIFO that nobody reads must not keep the program from ending. */
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    bool written = file >= 0 && write_all(file, text, length);
    if (!written)
        lava_log_always("LAVABLAS_STATS: %s cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
}

void lava_stats_install(void) {
    if (!lava_config_get()->stats)
        return;
    pthread_atfork(NULL, NULL, reset_in_child);
    atexit(lava_stats_print);
}
