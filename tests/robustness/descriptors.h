/* Counts the process's open descriptors, for tests that look for lost ones. */
#ifndef LAVA_TESTS_ROBUSTNESS_DESCRIPTORS_H
#define LAVA_TESTS_ROBUSTNESS_DESCRIPTORS_H

#include <dirent.h>
#include <stddef.h>

/* Also counts a constant number of entries that are no descriptors: compare it with an earlier result. */
static inline long descriptors_count(void) {
    long count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

#endif
