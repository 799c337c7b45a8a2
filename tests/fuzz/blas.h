/* What targets need that make the same call of the library and of the library that LAVABLAS_FUZZ_BLAS names:
 * routines of both, elements of any type, matrices that begin anywhere, and complaints, which are counted.
 * Included once by each such target. */
#ifndef LAVA_TESTS_FUZZ_BLAS_H
#define LAVA_TESTS_FUZZ_BLAS_H

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "lavablas.h"
#include "tests/fuzz/input.h"

typedef void fuzz_function(void);

struct fuzz_routine {
    const char *name; /* as exported */
    int family;
    char letter; /* s, d, c or z */
    fuzz_function *ours, *theirs;
};

/* What a call is made of. A few bytes are followed by others that depend on all of them: calls take long, so
 * that there is no time to find each argument's values one after the other. */
struct fuzz_bytes {
    uint8_t bytes[256];
};

static inline struct fuzz_bytes fuzz_lengthen(const uint8_t *bytes, size_t length) {
    struct fuzz_bytes longer = {{0}};
    uint32_t state = 2166136261u;
    for (size_t i = 0; i < length; i++)
        state = (state ^ bytes[i]) * 16777619u;
    for (size_t i = 0; i < sizeof longer.bytes; i++) {
        state = state * 1664525u + 1013904223u;
        longer.bytes[i] = i < length ? bytes[i] : (uint8_t)(state >> 24);
    }
    return longer;
}

/* A part is a real number, of which a complex one has two. */
static inline bool fuzz_is_wide(char letter) {
    return letter == 'd' || letter == 'z';
}

static inline bool fuzz_is_complex(char letter) {
    return letter == 'c' || letter == 'z';
}

static inline size_t fuzz_part_bytes(char letter) {
    return fuzz_is_wide(letter) ? sizeof(double) : sizeof(float);
}

static inline void fuzz_put(char letter, void *memory, size_t at, double value) {
    if (fuzz_is_wide(letter))
        ((double *)memory)[at] = value;
    else
        ((float *)memory)[at] = (float)value;
}

static inline double fuzz_part(char letter, const void *memory, size_t at) {
    return fuzz_is_wide(letter) ? ((const double *)memory)[at] : (double)((const float *)memory)[at];
}

static inline void *fuzz_allocate(size_t bytes) {
    void *memory = malloc(bytes);
    fuzz_require(memory, "no memory");
    return memory;
}

/* The numbers of a matrix, and some before it, so that it begins at any multiple of an element. It ends with
 * the allocated memory. */
struct fuzz_block {
    char *memory, *first;
    size_t bytes; /* of all */
};

/* The numbers before the matrix are 1; those of the matrix are the caller's to write. */
static inline struct fuzz_block fuzz_block_new(char letter, size_t parts, int elements_before) {
    size_t before = (size_t)elements_before << fuzz_is_complex(letter), size = fuzz_part_bytes(letter);
    char *memory = (char *)fuzz_allocate((before + parts) * size);
    for (size_t i = 0; i < before; i++)
        fuzz_put(letter, memory, i, 1);
    return (struct fuzz_block){memory, memory + before * size, (before + parts) * size};
}

static inline struct fuzz_block fuzz_block_copy(const struct fuzz_block *block) {
    char *memory = (char *)fuzz_allocate(block->bytes);
    memcpy(memory, block->memory, block->bytes);
    return (struct fuzz_block){memory, memory + (block->first - block->memory), block->bytes};
}

/* At least one element's parts, and no more than runs that are ld apart need: the last one ends with its
 * elements. An ld that is too small is not read by. */
static inline size_t fuzz_parts(char letter, int length, int runs, int ld) {
    size_t distance = (size_t)(ld > length ? ld : length);
    size_t elements = length > 0 && runs > 0 ? distance * (size_t)(runs - 1) + (size_t)length : 1;
    return elements << fuzz_is_complex(letter);
}

/* One in sixteen is too small by one. */
static inline int fuzz_leading_dimension(struct fuzz_input *input, int length) {
    int more = fuzz_below(input, 16);
    return (length > 1 ? length : 1) + (more == 15 ? -1 : more / 4);
}

/* The number of complaints, and the last one's routine and argument. */
struct fuzz_complaints {
    int calls, argument;
    char name[24];
};
static struct fuzz_complaints fuzz_complaints;

__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    size_t most = sizeof fuzz_complaints.name - 1, bytes = length < most ? length : most;
    fuzz_complaints.calls++;
    fuzz_complaints.argument = *argument;
    memset(fuzz_complaints.name, 0, sizeof fuzz_complaints.name);
    memcpy(fuzz_complaints.name, routine, bytes);
    return 0;
}

/* Returns the complaints since the last time, and forgets them. */
static inline struct fuzz_complaints fuzz_take_complaints(void) {
    struct fuzz_complaints taken = fuzz_complaints;
    memset(&fuzz_complaints, 0, sizeof fuzz_complaints);
    return taken;
}

static inline bool fuzz_are_alike(const struct fuzz_complaints *one, const struct fuzz_complaints *other) {
    return one->calls == other->calls && one->argument == other->argument &&
           strcmp(one->name, other->name) == 0;
}

/* Finds the other library's routines, and has the library remember each call. Ends the program if a
 * routine is missing. */
static inline void fuzz_open(struct fuzz_routine *routines, int count) {
    const char *path = getenv("LAVABLAS_FUZZ_BLAS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (int i = 0; i < count; i++) {
        void *address = library ? dlsym(library, routines[i].name) : NULL;
        if (!address) {
            fprintf(stderr, "LAVABLAS_FUZZ_BLAS names no library with %s\n", routines[i].name);
            exit(2);
        }
        memcpy(&routines[i].theirs, &address, sizeof address);
    }
    setenv("LAVABLAS_STATS", "/dev/null", 0);
}

/* Requires that the library's last call was this routine's and, in mode gpu, the device's. */
static inline void fuzz_require_device(const struct fuzz_routine *routine) {
    const char *mode = getenv("LAVABLAS_MODE");
    struct lavablas_call last = {.size = sizeof last};
    bool is_known = lavablas_last_call(&last) == 0 && strcmp(last.routine, routine->name) == 0;
    if (!mode || strcmp(mode, "gpu") != 0 || (is_known && strcmp(last.place, "gpu") == 0))
        return;
    fprintf(stderr, "%s was not computed on the device: %s\n", routine->name,
            is_known ? last.reason : "it is not the last call that is remembered");
    abort();
}

#endif
