/* Fuzzes matrices that stay on the device (LAVABLAS_RESIDENT=check): between products of the same few
 * matrices, which overlap, their memory is written in all ways that a program has, and each product is
 * compared with one that is computed here. Elements are small integers, so that sums are exact. A difference
 * that the library finds by itself is a finding, too, and so is a write that the kernel did not tell.
 *
 * tests/fuzz/random_input.c makes a test of it that needs no libFuzzer. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lavablas.h"
#include "lib/engine/residents.h"
#include "lib/offload/context.h"
#include "tests/fuzz/input.h"

#ifndef MADV_COLLAPSE
#    define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

extern void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                   const float *beta, float *c, const int *ldc);

/* Spaces follow each other, each a huge page if the kernel likes. */
#define SPACES      2
#define SPACE_BYTES ((size_t)2 << 20)
#define PAGE        ((size_t)4096)
#define SIDES       3
#define ACTIONS     48

/* What is written: from each of two patterns as much as all spaces have, and a start within the first half of
 * one. */
#define PATTERN_BYTES  (SPACES * SPACE_BYTES)
#define PATTERNS_BYTES (2 * PATTERN_BYTES + SPACE_BYTES / 2)

static char *spaces, *patterns[2];
static int pattern_file;
static pid_t child; /* has the pages, too; 0: none */
static char story[ACTIONS * 80];

/* Column-major matrices in a space. */
static const struct shape {
    size_t first; /* elements before it */
    int rows, columns, ld;
} shapes[] = {
    {250, 509, 650, 512},            /* begins and ends within pages */
    {250 + 20 * 512, 509, 600, 512}, /* a block of it */
    {254, 504, 640, 512},            /* others, at rows that pack can read */
    {253, 500, 650, 512},            /* and not */
    {0, 512, 640, 512},              /* whole pages */
    {1024, 1000, 300, 1024},         /* as wide as a page */
    {3, 100001, 3, 100004},          /* few columns */
    {131072, 333, 800, 333},         /* without gaps; overlaps others in its first half */
};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

static float *matrix(int space, const struct shape *shape) {
    return (float *)(void *)(spaces + (size_t)space * SPACE_BYTES) + shape->first;
}

static void tell(const char *what, size_t first, size_t bytes) {
    size_t length = strlen(story);
    snprintf(story + length, sizeof story - length, "  %s %zu %zu\n", what, first, bytes);
}

static struct lava_residents_sums sums(void) {
    struct lava_engine *engine = lava_context_engine();
    struct lava_residents *residents = engine ? engine->device->shared->residents : NULL;
    return residents ? lava_residents_sums(residents) : (struct lava_residents_sums){0};
}

static void require(bool condition, const char *what) {
    if (!condition)
        fprintf(stderr, "%s", story);
    fuzz_require(condition, what);
}

/* C = op(A) B, of m x SIDES; all columns of A are read once. */
static void multiply_here(const struct shape *shape, bool transpose, const float *a, const float *b,
                          float *c) {
    int m = transpose ? shape->columns : shape->rows, k = transpose ? shape->rows : shape->columns;
    memset(c, 0, sizeof(float) * (size_t)m * SIDES);
    for (int side = 0; side < SIDES; side++)
        for (int column = 0; column < shape->columns; column++) {
            const float *restrict from = a + (size_t)column * (size_t)shape->ld;
            const float *restrict sides = b + (size_t)side * (size_t)k;
            float *restrict to = c + (size_t)side * (size_t)m, sum = 0;
            for (int row = 0; row < shape->rows; row++)
                if (transpose)
                    sum += from[row] * sides[row];
                else
                    to[row] += from[row] * sides[column];
            if (transpose)
                to[column] = sum;
        }
}

enum { MOST = 100004 };
static float operand[MOST * SIDES], ours[MOST * SIDES], expected[MOST * SIDES];

/* The matrix stands left, or transposed on the right: C' = B' op(A)'. */
static void call_once(struct fuzz_input *input, int space, const struct shape *shape) {
    const float one = 1, zero = 0, *a = matrix(space, shape);
    const int sides = SIDES, how = fuzz_below(input, 4);
    bool transpose = how % 2, is_right = how / 2;
    int m = transpose ? shape->columns : shape->rows, k = transpose ? shape->rows : shape->columns;
    unsigned seed = fuzz_byte(input);
    for (int i = 0; i < k * SIDES; i++)
        operand[i] = (float)(rand_r(&seed) % 5 - 2);
    multiply_here(shape, transpose, a, operand, expected);
    if (is_right)
        sgemm_("T", transpose ? "N" : "T", &sides, &m, &k, &one, operand, &k, a, &shape->ld, &zero, ours,
               &sides);
    else
        sgemm_(transpose ? "T" : "N", "N", &m, &sides, &k, &one, a, &shape->ld, operand, &k, &zero, ours, &m);
    for (int i = 0; i < m; i++)
        for (int side = 0; side < SIDES; side++) {
            float is = is_right ? ours[i * SIDES + side] : ours[side * m + i];
            require(is == expected[side * m + i], "another result");
        }
}

/* A' A: both operands are one matrix. */
static void call_square(int space) {
    const struct shape *shape = &shapes[6];
    const float one = 1, zero = 0, *a = matrix(space, shape);
    const int n = shape->columns, k = shape->rows;
    multiply_here(shape, true, a, a, expected); /* B's columns are not at A's leading dimension */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)a[i * shape->ld + l] * (double)a[j * shape->ld + l];
            expected[j * n + i] = (float)sum;
        }
    sgemm_("T", "N", &n, &n, &k, &one, a, &shape->ld, a, &shape->ld, &zero, ours, &n);
    require(memcmp(ours, expected, sizeof(float) * (size_t)(n * n)) == 0, "another square");
}

/* What one call writes is the next one's operand: the columns of one space's matrix, moved by one, in the
 * other. */
static void call_into(int space) {
    static float moves[650 * 650];
    const struct shape *shape = &shapes[0];
    const float one = 1, zero = 0, *a = matrix(space, shape);
    float *c = matrix(1 - space, shape);
    for (int i = 0; i < 650; i++)
        moves[i * 650 + (i + 1) % 650] = 1;
    sgemm_("N", "N", &shape->rows, &shape->columns, &shape->columns, &one, a, &shape->ld, moves,
           &shape->columns, &zero, c, &shape->ld);
    for (int i = 0; i < shape->columns; i++)
        require(memcmp(c + i * shape->ld, a + (i + 1) % 650 * shape->ld,
                       sizeof(float) * (size_t)shape->rows) == 0,
                "another result as operand");
}

/* Bytes of both spaces. */
struct range {
    size_t first, bytes;
};

/* Near the ends of a matrix, at a page's or anywhere; of one element, some, pages, or a whole matrix. */
static struct range range_of(struct fuzz_input *input) {
    const struct shape *shape = &shapes[fuzz_below(input, SHAPES)];
    size_t space = (size_t)fuzz_below(input, SPACES) * SPACE_BYTES, all = SPACES * SPACE_BYTES;
    size_t first = space + 4 * shape->first,
           end = first + 4 * ((size_t)(shape->columns - 1) * (size_t)shape->ld + (size_t)shape->rows);
    size_t anywhere = 4 * (((size_t)fuzz_byte(input) << 8 | fuzz_byte(input)) % ((end - first) / 4));
    struct range range = {first + anywhere, 4};
    switch (fuzz_below(input, 6)) {
    case 0:
        range.first = first + anywhere % 64;
        break;
    case 1:
        range.first = end - 4 - anywhere % 64;
        break;
    case 2:
        range.first = range.first / PAGE * PAGE - 4 * (anywhere % 2);
        break;
    default:
        range.first = first + (size_t)fuzz_byte(input) * ((end - first) / 1024) * 4 + anywhere % 4096;
        break;
    }
    switch (fuzz_below(input, 6)) {
    case 0:
        range.bytes = 4 * (1 + anywhere % 40);
        break;
    case 1:
        range.bytes = 4096 + anywhere % 9000;
        break;
    case 2:
        range.bytes = 4 * anywhere;
        break;
    case 3:
        range = (struct range){first, end - first};
        break;
    default:
        break;
    }
    range.first = range.first < all - 4 ? range.first / 4 * 4 : 0;
    range.bytes = range.bytes < 4 ? 4 : range.bytes / 4 * 4;
    if (range.bytes > all - range.first)
        range.bytes = all - range.first;
    return range;
}

static struct range pages_of(struct range range) {
    size_t first = range.first / PAGE * PAGE, end = (range.first + range.bytes + PAGE - 1) / PAGE * PAGE;
    return (struct range){first, end - first};
}

/* Source of what is written to the range. */
static const char *pattern_of(unsigned which, struct range range) {
    return patterns[which % 2] + range.first % SPACE_BYTES / 2 / 4 * 4;
}

/* Ways to write. They have the range, and what it is to hold. */
static void by_stores(struct range range, const char *from) {
    for (size_t i = 0; i < range.bytes; i += 4)
        memcpy(spaces + range.first + i, from + i, 4);
}

static void by_memset(struct range range, const char *from) {
    (void)from;
    memset(spaces + range.first, 0, range.bytes);
}

static void by_memcpy(struct range range, const char *from) {
    memcpy(spaces + range.first, from, range.bytes);
}

/* The file holds both patterns. */
static void by_read(struct range range, const char *from) {
    off_t offset = from - patterns[0];
    require(pread(pattern_file, spaces + range.first, range.bytes, offset) == (ssize_t)range.bytes,
            "read(2)");
}

static void by_vm_writev(struct range range, const char *from) {
    struct iovec local = {(void *)(uintptr_t)from, range.bytes}, remote = {spaces + range.first, range.bytes};
    if (process_vm_writev(getpid(), &local, 1, &remote, 1, 0) < 0)
        by_memcpy(range, from);
}

static void by_memory_file(struct range range, const char *from) {
    int file = open("/proc/self/mem", O_RDWR);
    require(pwrite(file, from, range.bytes, (off_t)(uintptr_t)(spaces + range.first)) == (ssize_t)range.bytes,
            "/proc/self/mem");
    close(file);
}

static struct {
    struct range range;
    const char *from;
} of_thread;

static void *write_there(void *unused) {
    by_memcpy(of_thread.range, of_thread.from);
    return unused;
}

static void by_thread(struct range range, const char *from) {
    pthread_t thread;
    of_thread.range = range;
    of_thread.from = from;
    require(pthread_create(&thread, NULL, write_there, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
}

/* The kernel may drop the pages until they are written: one element of each is. */
static void by_free(struct range range, const char *from) {
    struct range pages = pages_of(range);
    (void)from;
    madvise(spaces + pages.first, pages.bytes, MADV_FREE);
    for (size_t at = 0; at < pages.bytes; at += PAGE)
        memset(spaces + pages.first + at, 0, 4);
}

static void by_drop(struct range range, const char *from) {
    struct range pages = pages_of(range);
    (void)from;
    require(madvise(spaces + pages.first, pages.bytes, MADV_DONTNEED) == 0, "MADV_DONTNEED");
}

static char *map_at(char *place, size_t bytes) {
    char *memory = (char *)mmap(place, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);
    require(memory != MAP_FAILED, "mmap");
    return memory;
}

static void by_mapping(struct range range, const char *from) {
    struct range pages = pages_of(range);
    require(munmap(spaces + pages.first, pages.bytes) == 0, "munmap");
    map_at(spaces + pages.first, pages.bytes);
    by_memcpy(range, from);
}

/* Without a gap in time. */
static void by_mapping_over(struct range range, const char *from) {
    struct range pages = pages_of(range);
    map_at(spaces + pages.first, pages.bytes);
    by_memcpy(range, from);
}

/* If the pages are not of one mapping, some may have been moved before it fails: then all become zero. */
static void move_pages(char *from, char *to, size_t bytes) {
    if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
        return;
    munmap(from, bytes);
    map_at(to, bytes);
}

static void by_moving_in(struct range range, const char *from) {
    struct range pages = pages_of(range);
    char *other = map_at(NULL, pages.bytes);
    memcpy(other, spaces + pages.first, pages.bytes);
    memcpy(other + (range.first - pages.first), from, range.bytes);
    move_pages(other, spaces + pages.first, pages.bytes);
}

/* Written while they are elsewhere. */
static void by_moving_away(struct range range, const char *from) {
    struct range pages = pages_of(range);
    char *other = map_at(NULL, pages.bytes);
    move_pages(spaces + pages.first, other, pages.bytes);
    memcpy(other + (range.first - pages.first), from, range.bytes);
    move_pages(other, spaces + pages.first, pages.bytes);
}

/* The other space's pages come here, and copies of these go there. */
static void by_exchange(struct range range, const char *from) {
    struct range pages = pages_of(range);
    size_t other = (pages.first + SPACE_BYTES) % (SPACES * SPACE_BYTES);
    (void)from;
    if (pages.first / SPACE_BYTES != (pages.first + pages.bytes - 1) / SPACE_BYTES)
        return;
    char *copy = map_at(NULL, pages.bytes);
    memcpy(copy, spaces + pages.first, pages.bytes);
    move_pages(spaces + other, spaces + pages.first, pages.bytes);
    move_pages(copy, spaces + other, pages.bytes);
}

static void end_child(void) {
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    child = 0;
}

/* The child writes its own pages, and stays until the next one comes. */
static void beside_child(struct range range, const char *from) {
    end_child();
    child = fork();
    if (child == 0) {
        memset(spaces + range.first, 1, range.bytes);
        for (;;)
            pause();
    }
    require(child > 0, "fork");
    by_memcpy(range, from);
}

static void by_child(struct range range, const char *from) {
    struct iovec local = {(void *)(uintptr_t)from, range.bytes}, remote = {spaces + range.first, range.bytes};
    int status;
    pid_t writer = fork();
    if (writer == 0)
        _exit(process_vm_writev(getppid(), &local, 1, &remote, 1, 0) != (ssize_t)range.bytes);
    require(writer > 0 && waitpid(writer, &status, 0) == writer, "fork");
    if (status != 0) /* not permitted */
        by_memcpy(range, from);
}

/* An element, as a debugger does it. */
static void by_debugger(struct range range, const char *from) {
    long word = 0, is_poked = 0;
    char *place = spaces + range.first / sizeof word * sizeof word;
    memcpy(&word, from, sizeof word);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pid_t debugger = fork();
    if (debugger == 0) {
        pid_t parent = getppid();
        if (ptrace(PTRACE_ATTACH, parent, NULL, NULL) == 0) {
            waitpid(parent, NULL, __WALL);
            is_poked = ptrace(PTRACE_POKEDATA, parent, place, word) == 0;
            ptrace(PTRACE_DETACH, parent, NULL, NULL);
        }
        _exit(!is_poked);
    }
    int status = 1;
    require(debugger > 0, "fork");
    while (waitpid(debugger, &status, 0) < 0) /* it was stopped */
        ;
    if (status != 0) /* not permitted */
        memcpy(place, &word, sizeof word);
}

/* What changes pages, and no byte of them; some are written afterwards. */
static void advise(struct range range, int advice, const char *from) {
    struct range pages = pages_of(range);
    madvise(spaces + pages.first, pages.bytes, advice);
    if (range.bytes % 8)
        by_memcpy((struct range){range.first, 4}, from);
}

static void by_pageout(struct range range, const char *from) {
    advise(range, MADV_PAGEOUT, from);
}

static void by_collapse(struct range range, const char *from) {
    madvise(spaces, SPACES * SPACE_BYTES, MADV_HUGEPAGE);
    advise((struct range){range.first / SPACE_BYTES * SPACE_BYTES, SPACE_BYTES}, MADV_COLLAPSE, from);
}

static void by_small_pages(struct range range, const char *from) {
    madvise(spaces, SPACES * SPACE_BYTES, MADV_NOHUGEPAGE);
    by_memcpy(range, from);
}

static void by_merging(struct range range, const char *from) {
    advise(range, MADV_MERGEABLE, from);
    advise(range, MADV_UNMERGEABLE, from);
}

static void by_protection(struct range range, const char *from) {
    struct range pages = pages_of(range);
    require(mprotect(spaces + pages.first, pages.bytes, PROT_READ) == 0, "mprotect");
    require(mprotect(spaces + pages.first, pages.bytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
    if (range.bytes % 8)
        by_memcpy(range, from);
}

static void by_no_protection(struct range range, const char *from) {
    struct range pages = pages_of(range);
    require(mprotect(spaces + pages.first, pages.bytes, PROT_NONE) == 0, "mprotect");
    by_memory_file(range, from);
    require(mprotect(spaces + pages.first, pages.bytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
}

static const struct {
    const char *name;
    void (*write)(struct range range, const char *from);
} ways[] = {{"stores", by_stores},
            {"memset", by_memset},
            {"memcpy", by_memcpy},
            {"read", by_read},
            {"process_vm_writev", by_vm_writev},
            {"/proc/self/mem", by_memory_file},
            {"thread", by_thread},
            {"MADV_FREE", by_free},
            {"MADV_DONTNEED", by_drop},
            {"munmap and mmap", by_mapping},
            {"mmap", by_mapping_over},
            {"mremap to there", by_moving_in},
            {"mremap away and back", by_moving_away},
            {"mremap from the other", by_exchange},
            {"beside a child", beside_child},
            {"process_vm_writev of a child", by_child},
            {"PTRACE_POKEDATA", by_debugger},
            {"MADV_PAGEOUT", by_pageout},
            {"MADV_COLLAPSE", by_collapse},
            {"MADV_NOHUGEPAGE", by_small_pages},
            {"MADV_MERGEABLE", by_merging},
            {"mprotect", by_protection},
            {"mprotect, /proc/self/mem", by_no_protection}};
#define WAYS ((int)(sizeof ways / sizeof ways[0]))

static void call(struct fuzz_input *input) {
    int which = fuzz_below(input, 4 * SHAPES + 3), space = fuzz_below(input, SPACES);
    int count = 1 + fuzz_below(input, 3);
    tell("calls", (size_t)which, (size_t)space);
    if (which == 4 * SHAPES) /* takes longer than others */
        call_into(space);
    for (int i = 0; i < count && which != 4 * SHAPES; i++)
        if (which < 4 * SHAPES)
            call_once(input, space, &shapes[which % SHAPES]);
        else
            call_square(space);
}

static void write_range(struct fuzz_input *input) {
    int way = fuzz_below(input, WAYS);
    struct range range = range_of(input);
    tell(ways[way].name, range.first, range.bytes);
    ways[way].write(range, pattern_of(fuzz_byte(input), range));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct fuzz_input input = {bytes, size};
    story[0] = '\0';
    for (int i = 0; i < ACTIONS && input.left > 0; i++) {
        if (fuzz_below(&input, 5) < 2)
            write_range(&input);
        else
            call(&input);
        require(sums().differences == 0, "a copy differs");
    }
    end_child();
    return 0;
}

/* Each way once: within the matrix, and at its ends, while a copy is there. */
static void each_way(void) {
    const size_t first = 4 * shapes[0].first, end = first + 4 * (649 * 512 + 509);
    const struct range ranges[] = {{first + 100 * PAGE + 2000, 3000}, {first, 8}, {end - 8, 8}};
    const uint8_t plain[4] = {0};
    for (int way = 0; way < WAYS; way++)
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
            tell(ways[way].name, ranges[i].first, ranges[i].bytes);
            for (int before = 0; before < 2; before++)
                call_once(&(struct fuzz_input){plain, 4}, 0, &shapes[0]);
            ways[way].write(ranges[i], pattern_of((unsigned)(way + 1), ranges[i]) + 4 * i);
            call_once(&(struct fuzz_input){plain, 4}, 0, &shapes[0]);
            require(sums().differences == 0, "a copy differs");
            story[0] = '\0';
        }
    end_child();
}

static void print_sums(void) {
    struct lava_residents_sums all = sums();
    fprintf(stderr, "copies: stored %llu, used %llu, refreshed %llu, forgotten %llu, evicted %llu\n",
            (unsigned long long)all.stored, (unsigned long long)all.used, (unsigned long long)all.refreshed,
            (unsigned long long)all.forgotten, (unsigned long long)all.evicted);
}

/* Copies must be made, or nothing is tested. */
int LLVMFuzzerInitialize(int *count, char ***arguments) {
    unsigned seed = 1;
    const uint8_t calls[] = {4, 0, 0, 2, 0, 1, 0, 1, 0, 1};
    (void)count, (void)arguments;
    char *mapped = (char *)map_at(NULL, (SPACES + 1) * SPACE_BYTES);
    spaces = mapped + (SPACE_BYTES - (uintptr_t)mapped % SPACE_BYTES) % SPACE_BYTES;
    patterns[0] = map_at(NULL, PATTERNS_BYTES);
    patterns[1] = patterns[0] + PATTERN_BYTES;
    for (size_t i = 0; i < PATTERNS_BYTES / 4; i++)
        ((float *)(void *)patterns[0])[i] = (float)(rand_r(&seed) % 5 - 2);
    pattern_file = memfd_create("patterns", MFD_CLOEXEC);
    require(write(pattern_file, patterns[0], PATTERNS_BYTES) == (ssize_t)PATTERNS_BYTES, "memfd_create");
    memcpy(spaces, patterns[0], SPACES * SPACE_BYTES);
    lavablas_wait(NULL);
    LLVMFuzzerTestOneInput(calls, sizeof calls);
    require(sums().stored == 1 || lava_page_watch_open(), "no matrix stays");
    each_way();
    require(sums().used > WAYS || lava_page_watch_open(), "matrices hardly stay");
    atexit(print_sums);
    return 0;
}
