/* Captures what a test writes to stderr. One capture at a time, one thread. */
#ifndef LAVA_TESTS_CAPTURE_H
#define LAVA_TESTS_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct capture {
    int saved, file;
    char text[8192];
};

static inline void capture_begin(struct capture *capture) {
    fflush(stderr);
    capture->saved = dup(STDERR_FILENO);
    capture->file = memfd_create("stderr", MFD_CLOEXEC);
    if (capture->saved < 0 || capture->file < 0 || dup2(capture->file, STDERR_FILENO) < 0)
        abort();
}

/* Returns the number of lines; the text is in capture->text. */
static inline int capture_end(struct capture *capture) {
    int lines = 0;
    fflush(stderr);
    dup2(capture->saved, STDERR_FILENO);
    ssize_t length = pread(capture->file, capture->text, sizeof capture->text - 1, 0);
    capture->text[length > 0 ? length : 0] = '\0';
    close(capture->saved);
    close(capture->file);
    for (const char *c = capture->text; *c; c++)
        lines += *c == '\n';
    return lines;
}

#endif
