/* Watches matrices by their pages, their ends and a sample. Called by lib/engine/residents.c.
 *
 * Invariant: the copies of the ends and of the sample are taken after the kernel was asked. So whatever is
 * written after a copy was taken is either told by the kernel the next time, or found by comparing. */
#include "lib/host/matrix_watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 64
/* A line of each 64 KiB, and no more than 1024: they are compared in some ten microseconds. */
#define PART_BYTES 65536
#define LINES_MOST 1024
/* An eighth of the lines moves with each question. */
#define TURNS 8
/* Lines that are fetched ahead: they are in no cache. */
#define AHEAD 12
/* Ranges of pages that the first question answers with, at most, and further ones, of which there are few. */
#define WRITTEN_MOST 50
#define AGAIN_MOST   6
#define AGAIN        2
/* At least one in this many of the bytes between the first and last element must belong to the matrix. */
#define SPARSEST 2

uint64_t lava_matrix_watch_bytes(const struct lava_host_matrix *matrix) {
    return ((uint64_t)(matrix->columns - 1) * (uint64_t)matrix->ld + (uint64_t)matrix->rows) *
           matrix->element_bytes;
}

static uint64_t first_of(const struct lava_matrix_watch *watch) {
    return (uint64_t)(uintptr_t)watch->matrix.first;
}

static const unsigned char *at(uint64_t address) {
    return (const unsigned char *)(uintptr_t)address;
}

static uint64_t end_of(const struct lava_page_range *pages) {
    return pages->first + pages->bytes;
}

/* The sample reads whatever is in the pages, so none of them may be somebody else's alone: it may not be
 * readable. */
static const char *find_pages(struct lava_matrix_watch *watch) {
    const struct lava_host_matrix *matrix = &watch->matrix;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), span = lava_matrix_watch_bytes(matrix);
    uint64_t first = first_of(watch), end = first + span;
    uint64_t gap = (uint64_t)(matrix->ld - matrix->rows) * matrix->element_bytes;
    uint64_t own = (uint64_t)matrix->rows * (uint64_t)matrix->columns * matrix->element_bytes;
    watch->pages.first = (first + page - 1) / page * page;
    if (end / page * page < watch->pages.first + PART_BYTES)
        return "it is too small";
    if (matrix->columns > 1 && gap >= page)
        return "there are pages between its columns";
    if (own < span / SPARSEST)
        return "most of its pages' bytes are not its own";
    watch->pages.bytes = end / page * page - watch->pages.first;
    watch->head_bytes = watch->pages.first - first;
    watch->tail_bytes = end - end_of(&watch->pages);
    return NULL;
}

static uint64_t place_of(const struct lava_matrix_watch *watch, uint32_t line) {
    return watch->pages.first + line * watch->part_bytes + (uint64_t)watch->places[line] * LINE_BYTES;
}

static void take_line(struct lava_matrix_watch *watch, uint32_t line) {
    memcpy(watch->sample + (size_t)line * LINE_BYTES, at(place_of(watch, line)), LINE_BYTES);
}

/* xorshift64*, Vigna 2016 */
static uint64_t random_of(struct lava_matrix_watch *watch) {
    watch->random ^= watch->random >> 12;
    watch->random ^= watch->random << 25;
    watch->random ^= watch->random >> 27;
    return (watch->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32;
}

static void move_line(struct lava_matrix_watch *watch, uint32_t line) {
    watch->places[line] = (uint32_t)(random_of(watch) % (watch->part_bytes / LINE_BYTES));
    take_line(watch, line);
}

static void take_ends(struct lava_matrix_watch *watch) {
    memcpy(watch->ends, watch->matrix.first, watch->head_bytes);
    memcpy(watch->ends + watch->head_bytes, at(end_of(&watch->pages)), watch->tail_bytes);
}

static void give_up(struct lava_matrix_watch *watch) {
    free(watch->ends);
    free(watch->sample);
    free(watch->places);
    *watch = (struct lava_matrix_watch){0};
}

const char *lava_matrix_watch_begin(struct lava_matrix_watch *watch, const struct lava_host_matrix *matrix) {
    *watch = (struct lava_matrix_watch){.matrix = *matrix, .random = (uint64_t)(uintptr_t)matrix->first | 1};
    const char *why = find_pages(watch);
    if (why) {
        give_up(watch);
        return why;
    }
    uint64_t lines = watch->pages.bytes / PART_BYTES;
    watch->lines = (uint32_t)(lines < LINES_MOST ? lines : LINES_MOST);
    watch->part_bytes = watch->pages.bytes / watch->lines / LINE_BYTES * LINE_BYTES;
    watch->ends = malloc(watch->head_bytes + watch->tail_bytes + 1);
    watch->sample = malloc((size_t)watch->lines * LINE_BYTES);
    watch->places = malloc(watch->lines * sizeof *watch->places);
    why = "there is no memory for its sample";
    if (watch->ends && watch->sample && watch->places)
        watch->kernel = lava_page_watch_begin(&watch->pages, &why);
    if (!watch->kernel) {
        give_up(watch);
        return why;
    }
    take_ends(watch);
    for (uint32_t line = 0; line < watch->lines; line++)
        move_line(watch, line);
    return NULL;
}

void lava_matrix_watch_end(struct lava_matrix_watch *watch) {
    lava_page_watch_end(watch->kernel);
    give_up(watch);
}

/* A question: what may be read, and what was written. */
struct question {
    uint64_t from, to;
    bool has_sample; /* lines within that may be read */
    struct lava_page_range written[LAVA_MATRIX_WATCH_SPANS];
    int count;
};

static struct question question_of(const struct lava_host_matrix *part) {
    uint64_t first = (uint64_t)(uintptr_t)part->first;
    uint64_t gap = (uint64_t)(part->ld - part->rows) * part->element_bytes;
    return (struct question){.from = first,
                             .to = first + lava_matrix_watch_bytes(part),
                             .has_sample = gap < (uint64_t)sysconf(_SC_PAGESIZE)};
}

/* Returns whether the line may be read, wherever in its part of the pages it is. */
static bool may_read(const struct lava_matrix_watch *watch, const struct question *question, uint32_t line) {
    uint64_t first = watch->pages.first + line * watch->part_bytes;
    return question->has_sample && question->from <= first && first + watch->part_bytes <= question->to;
}

/* Returns whether the line has a byte in the ranges from `from` on. */
static bool was_written(const struct lava_matrix_watch *watch, const struct question *question, int from,
                        uint32_t line) {
    uint64_t place = place_of(watch, line);
    for (int i = from; i < question->count; i++)
        if (question->written[i].first < place + LINE_BYTES && place < end_of(&question->written[i]))
            return true;
    return false;
}

/* Asks the kernel, and adds its answer. Returns false if it knows nothing any more. */
static bool ask_kernel(const struct lava_matrix_watch *watch, struct question *question, int most) {
    int count = lava_page_watch_ask(watch->kernel, question->written + question->count, most);
    if (count < 0)
        return false;
    question->count += count;
    return true;
}

/* The lines that are told as written are taken again; where they must not be read, they are there no more. */
static void take_written(struct lava_matrix_watch *watch, const struct question *question, int from) {
    for (uint32_t line = 0; line < watch->lines && from < question->count; line++) {
        if (watch->places[line] == LAVA_MATRIX_WATCH_NOWHERE || !was_written(watch, question, from, line))
            continue;
        if (may_read(watch, question, line))
            take_line(watch, line);
        else
            watch->places[line] = LAVA_MATRIX_WATCH_NOWHERE;
    }
}

/* Returns the first line that differs although it is not told as written, or the number of lines. */
static uint32_t find_difference(const struct lava_matrix_watch *watch, const struct question *question) {
    for (uint32_t line = 0; line < watch->lines; line++) {
        uint32_t next = line + AHEAD;
        if (next < watch->lines && watch->places[next] != LAVA_MATRIX_WATCH_NOWHERE)
            __builtin_prefetch(at(place_of(watch, next)));
        if (watch->places[line] == LAVA_MATRIX_WATCH_NOWHERE || !may_read(watch, question, line))
            continue;
        const unsigned char *copy = watch->sample + (size_t)line * LINE_BYTES;
        if (memcmp(copy, at(place_of(watch, line)), LINE_BYTES) != 0 &&
            !was_written(watch, question, 0, line))
            return line;
    }
    return watch->lines;
}

/* A line that differs may have been written since the kernel was asked, by a thread that has no part in the
 * call: the kernel is asked again, and if it knows nothing of it then, it lies. */
static int compare_sample(struct lava_matrix_watch *watch, struct question *question) {
    uint32_t line = find_difference(watch, question);
    take_written(watch, question, 0);
    for (int again = 0; line < watch->lines; again++) {
        int before = question->count;
        if (again == AGAIN || !ask_kernel(watch, question, AGAIN_MOST))
            return LAVA_MATRIX_WATCH_LOST;
        if (!was_written(watch, question, before, line))
            return LAVA_MATRIX_WATCH_LIES;
        line = find_difference(watch, question);
        take_written(watch, question, before);
    }
    return 0;
}

static void move_some(struct lava_matrix_watch *watch, const struct question *question) {
    for (uint32_t line = 0; line < watch->lines; line++)
        if ((line % TURNS == watch->turn || watch->places[line] == LAVA_MATRIX_WATCH_NOWHERE) &&
            may_read(watch, question, line))
            move_line(watch, line);
    watch->turn = (watch->turn + 1) % TURNS;
}

/* Adds what of an end is in the question's part, if it differs. */
static void compare_end(unsigned char *copy, uint64_t address, size_t bytes, struct question *question) {
    uint64_t from = address > question->from ? address : question->from;
    uint64_t to = address + bytes < question->to ? address + bytes : question->to;
    if (from >= to || memcmp(copy + (from - address), at(from), to - from) == 0)
        return;
    memcpy(copy + (from - address), at(from), to - from);
    question->written[question->count++] = (struct lava_page_range){.first = from, .bytes = to - from};
}

/* Sets *span to the columns that have bytes in the range. Returns false if there are none. */
static bool find_columns(const struct lava_matrix_watch *watch, const struct lava_page_range *range,
                         struct lava_column_span *span) {
    const struct lava_host_matrix *matrix = &watch->matrix;
    uint64_t pitch = (uint64_t)matrix->ld * matrix->element_bytes;
    uint64_t own = (uint64_t)matrix->rows * matrix->element_bytes;
    uint64_t from = range->first - first_of(watch), last = from + range->bytes - 1;
    span->first = (int64_t)(from / pitch + (from % pitch >= own));
    span->end = (int64_t)(last / pitch) + 1;
    if (span->end > matrix->columns)
        span->end = matrix->columns;
    return span->first < span->end;
}

int lava_matrix_watch_ask(struct lava_matrix_watch *watch, const struct lava_host_matrix *part,
                          struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS], uint64_t *written_bytes) {
    struct question question = question_of(part);
    int count = 0;
    *written_bytes = 0;
    if (!ask_kernel(watch, &question, WRITTEN_MOST))
        return LAVA_MATRIX_WATCH_LOST;
    int failure = compare_sample(watch, &question);
    if (failure)
        return failure;
    compare_end(watch->ends, first_of(watch), watch->head_bytes, &question);
    compare_end(watch->ends + watch->head_bytes, end_of(&watch->pages), watch->tail_bytes, &question);
    move_some(watch, &question);
    for (int i = 0; i < question.count; i++) {
        *written_bytes += question.written[i].bytes;
        count += find_columns(watch, &question.written[i], &spans[count]);
    }
    return count;
}
