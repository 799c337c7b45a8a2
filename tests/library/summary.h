/* Reads the summary of the statistics into a buffer. */
#ifndef LAVA_TESTS_SUMMARY_H
#define LAVA_TESTS_SUMMARY_H

#include <stdio.h>

#include "lib/base/stats.h"

/* A summary that is longer is cut off. */
static inline void summary_read(char *text, size_t size) {
    FILE *stream = fmemopen(text, size, "w");
    text[0] = '\0';
    if (!stream)
        return;
    lava_stats_print(stream);
    fclose(stream);
    text[size - 1] = '\0';
}

#endif
