/* Opening and clock. Called by bench.c, callers.c and sweep.c. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool library_open(struct blas *blas, const char *path) {
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
    if (path && !handle) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    void *wait = dlsym(handle, "lavablas_wait"), *last = dlsym(handle, "lavablas_last_call");
    *blas = (struct blas){.path = path ? path : "preloaded", .handle = handle};
    memcpy(&blas->wait, &wait, sizeof wait);
    memcpy(&blas->last_call, &last, sizeof last);
    return true;
}

void *library_find(const struct blas *blas, const char *routine) {
    void *function = dlsym(blas->handle, routine);
    if (!function)
        fprintf(stderr, "%s has no %s\n", blas->path, routine);
    return function;
}

double library_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
