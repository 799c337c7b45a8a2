/* Memory that a test watches and others write into. Included by tests/library/test_page_writers.c and
 * tests/library/test_page_watch.c. */
#ifndef PAGE_PLACE_H
#define PAGE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/host/page_watch.h"

#define HUGE_BYTES    ((size_t)2 << 20)
#define PLACE_BYTES   (2 * HUGE_BYTES)
#define PLACE_RANGES  8
#define MAPPED_RWANON MAP_PRIVATE | MAP_ANONYMOUS

struct place {
    char *memory; /* with what is left to align the place */
    char *first;
    char copy[PLACE_BYTES]; /* as it was when the watch began */
    size_t page_bytes;
    struct lava_page_watch *watch;
};

static inline struct lava_page_range range_of(const void *first, size_t bytes) {
    return (struct lava_page_range){(uint64_t)(uintptr_t)first, bytes};
}

/* The page that writers write into, in the second huge page. */
static inline char *target_of(const struct place *place) {
    return place->first + HUGE_BYTES + 5 * place->page_bytes;
}

static inline struct place *place_make(bool is_huge) {
    struct place *place = calloc(1, sizeof *place);
    place->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    place->memory = mmap(NULL, PLACE_BYTES + HUGE_BYTES, PROT_READ | PROT_WRITE, MAPPED_RWANON, -1, 0);
    if (place->memory == MAP_FAILED)
        abort();
    place->first = place->memory + (HUGE_BYTES - (uintptr_t)place->memory % HUGE_BYTES) % HUGE_BYTES;
    madvise(place->memory, PLACE_BYTES + HUGE_BYTES, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PLACE_BYTES; i++)
        place->first[i] = (char)(i * 2654435761u >> 24 | 1); /* no zeros: dropped pages differ */
    memcpy(place->copy, place->first, PLACE_BYTES);
    return place;
}

/* Returns why the place is not watched, or NULL. */
static inline const char *place_watch(struct place *place) {
    const char *refusal;
    struct lava_page_range pages = range_of(place->first, PLACE_BYTES);
    place->watch = lava_page_watch_begin(&pages, &refusal);
    return refusal;
}

static inline void place_free(struct place *place) {
    lava_page_watch_end(place->watch);
    munmap(place->memory, PLACE_BYTES + HUGE_BYTES);
    free(place);
}

static inline int place_ask(struct place *place, struct lava_page_range *written) {
    return lava_page_watch_ask(place->watch, written, PLACE_RANGES);
}

/* Returns whether the question's answer is the target's page alone. */
static inline bool is_target(const struct place *place, const struct lava_page_range *written, int count) {
    return count == 1 && written[0].first == (uint64_t)(uintptr_t)target_of(place) &&
           written[0].bytes == place->page_bytes;
}

#endif
