/* Messages on stderr. Called by everyone; each message is one line and one write, so lines of threads and
 * processes do not mix, and neither stdio nor the caller's errno is touched. */
#include "lib/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_BYTES 1024

static const char *const level_words[] = {
    [LAVA_LOG_NONE] = "", [LAVA_LOG_ERROR] = "error: ", [LAVA_LOG_WARN] = "warning: ",
    [LAVA_LOG_INFO] = "", [LAVA_LOG_DEBUG] = "debug: ",
};

__attribute__((format(printf, 2, 0))) static void write_line(const char *word, const char *format,
                                                             va_list arguments) {
    char line[LINE_BYTES];
    int saved_errno = errno;
    int head = snprintf(line, sizeof line, "lavablas: %s", word);
    size_t length = head > 0 ? (size_t)head : 0;
    int body = vsnprintf(line + length, sizeof line - length, format, arguments);
    length += body > 0 ? (size_t)body : 0;
    if (length > sizeof line - 1)
        length = sizeof line - 1; /* cut: the newline below replaces the terminator */
    line[length++] = '\n';
    ssize_t written;
    do
        written = write(STDERR_FILENO, line, length);
    while (written < 0 && errno == EINTR);
    errno = saved_errno;
}

bool lava_log_enabled(enum lava_log_level level) {
    return level <= lava_config_get()->log_level;
}

void lava_log_write(enum lava_log_level level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(level_words[level], format, arguments);
    va_end(arguments);
}

void lava_log_always(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line("", format, arguments);
    va_end(arguments);
}
