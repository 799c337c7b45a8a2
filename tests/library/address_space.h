/* Limits the address space of a process, so that allocations fail. For processes of their own. */
#ifndef LAVA_TESTS_LIBRARY_ADDRESS_SPACE_H
#define LAVA_TESTS_LIBRARY_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A sanitizer needs terabytes, and its malloc would end the process. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define ADDRESS_SPACE_HAS_LIMITS 0
#else
#    define ADDRESS_SPACE_HAS_LIMITS 1
#endif

/* The process gets this many bytes more than it has, until it is limited anew or set free. Returns false if
 * it cannot be limited. */
static inline bool address_space_limit(size_t more) {
    long pages = 0;
    if (!ADDRESS_SPACE_HAS_LIMITS)
        return false;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        abort();
    fclose(file);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit))
        abort();
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static inline void address_space_free(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit))
        abort();
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

#endif
