/* Messages on stderr, or in a file, each one line and one write. Any thread may call these functions.
 *
 * The log knows nothing of the configuration: lib/base/config sets its level once the environment is read. */
#ifndef LAVA_BASE_LOG_H
#define LAVA_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum lava_log_level {
    LAVA_LOG_NONE,
    LAVA_LOG_ERROR,
    LAVA_LOG_WARN,
    LAVA_LOG_INFO,
    LAVA_LOG_CALLS,
    LAVA_LOG_DEBUG
};

/* Messages up to this level are printed from now on. The level is LAVA_LOG_NONE until it is set. */
void lava_log_set_level(enum lava_log_level level);

/* All lines begin with this text, after the library's name, from now on: the rank and host of a process of
 * MPI. Called once, before there is anything to say beside it. */
void lava_log_set_origin(const char *text);

/* Lines are added to this file from now on, or to stderr if it cannot be written. %p in the name is the
 * number of the process that writes, %r the rank. The text must stay. */
void lava_log_set_file(const char *name, int rank);

bool lava_log_enabled(enum lava_log_level level);
void lava_log_write(enum lava_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints at every level: what somebody should act on, as an unknown setting or that there is no BLAS. */
void lava_log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints, at level debug, how long a part of the device's preparation took. Returns the time: where the next
 * part begins. */
uint64_t lava_log_part(const char *part, uint64_t begin_ns);

#define LAVA_LOG(level, ...)                                                                                 \
    do {                                                                                                     \
        if (lava_log_enabled(LAVA_LOG_##level))                                                              \
            lava_log_write(LAVA_LOG_##level, __VA_ARGS__);                                                   \
    } while (0)

#endif
