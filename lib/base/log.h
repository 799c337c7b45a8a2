/* Messages on stderr, each one line and one write. Any thread. */
#ifndef LAVA_BASE_LOG_H
#define LAVA_BASE_LOG_H

#include "lib/base/config.h"

bool lava_log_enabled(enum lava_log_level level);
void lava_log_write(enum lava_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Printed whatever the level is: for the two things a user must be told (an unknown setting, no BLAS at all).
 */
void lava_log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define LAVA_LOG(level, ...)                                                                                 \
    do {                                                                                                     \
        if (lava_log_enabled(LAVA_LOG_##level))                                                              \
            lava_log_write(LAVA_LOG_##level, __VA_ARGS__);                                                   \
    } while (0)

#endif
