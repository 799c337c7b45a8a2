/* Writes messages to stderr or to a file. Everyone calls it. Each message is one line and one write, so the
 * lines of threads and processes do not mix. Neither stdio nor the caller's errno is touched. */
#include "lib/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"

#define LINE_BYTES 1024

static _Atomic int highest_level = LAVA_LOG_NONE;

static char origin[128];
static const char *file_name; /* NULL: stderr */
static int file_rank;

static const char *const level_prefixes[] = {
    [LAVA_LOG_NONE] = "", [LAVA_LOG_ERROR] = "error: ", [LAVA_LOG_WARN] = "warning: ",
    [LAVA_LOG_INFO] = "", [LAVA_LOG_CALLS] = "",        [LAVA_LOG_DEBUG] = "debug: ",
};

/* Opens the file for one line: a program may close what it does not know, and a child of fork() has another
 * number. Returns -1 if there is none. */
static int open_file(void) {
    char name[4096];
    size_t length = 0;
    for (const char *next = file_name; next && *next && length < sizeof name; next++) {
        if (next[0] == '%' && (next[1] == 'p' || next[1] == 'r')) {
            int digits = snprintf(name + length, sizeof name - length, "%d",
                                  next[1] == 'p' ? (int)getpid() : file_rank);
            length += digits > 0 ? (size_t)digits : 0;
            next++;
        } else {
            name[length++] = *next;
        }
    }
    if (length == 0 || length >= sizeof name)
        return -1;
    name[length] = '\0';
    return open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

__attribute__((format(printf, 2, 0))) static void write_line(const char *prefix, const char *format,
                                                             va_list arguments) {
    char line[LINE_BYTES];
    int saved_errno = errno;
    int head = snprintf(line, sizeof line, "lavablas: %s%s", origin, prefix);
    size_t length = head > 0 ? (size_t)head : 0;
    int body = vsnprintf(line + length, sizeof line - length, format, arguments);
    length += body > 0 ? (size_t)body : 0;
    if (length > sizeof line - 1)
        length = sizeof line - 1; /* a long line is cut: the newline replaces the terminator */
    line[length++] = '\n';
    int file = open_file();
    ssize_t written;
    do
        written = write(file >= 0 ? file : STDERR_FILENO, line, length);
    while (written < 0 && errno == EINTR);
    if (file >= 0)
        close(file);
    errno = saved_errno;
}

void lava_log_set_level(enum lava_log_level level) {
    atomic_store_explicit(&highest_level, (int)level, memory_order_relaxed);
}

void lava_log_set_origin(const char *text) {
    snprintf(origin, sizeof origin, "%s", text);
}

void lava_log_set_file(const char *name, int rank) {
    file_name = name;
    file_rank = rank < 0 ? 0 : rank;
}

bool lava_log_enabled(enum lava_log_level level) {
    return (int)level <= atomic_load_explicit(&highest_level, memory_order_relaxed);
}

void lava_log_write(enum lava_log_level level, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(level_prefixes[level], format, arguments);
    va_end(arguments);
}

uint64_t lava_log_part(const char *part, uint64_t begin_ns) {
    uint64_t now_ns = lava_clock_now_ns();
    LAVA_LOG(DEBUG, "preparation: %s: %.1f ms", part, (double)(now_ns - begin_ns) / 1e6);
    return now_ns;
}

void lava_log_always(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line("", format, arguments);
    va_end(arguments);
}
