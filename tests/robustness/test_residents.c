/* Matrices that stay on the device between calls, as LAVABLAS_RESIDENT=check stores them: whatever the
 * program does to them between the calls, the result is that of what they hold then. The library is linked
 * in, so that its copies can be counted. */
#include "tests/robustness/resident_calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "tests/robustness/layer.h"

static int stays(void) {
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, CALLS);
    CASE_CHECK(resident_sums().stored == 1);
    CASE_CHECK(resident_sums().used == CALLS - 2);
    CASE_CHECK(resident_sums().refreshed == 0);
    const struct resident_shape transposed = {.transpose = true, .rows = M, .columns = K, .lda = LD, .n = N};
    resident_calls(&transposed, a, CALLS);
    CASE_CHECK(resident_sums().stored == 1);
    CASE_CHECK(resident_sums().used == 2 * CALLS - 2);
    CASE_CHECK(resident_sums().refreshed == 0);
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* The ends of the matrix, of its first and last pages, and of columns. */
static int changed_elements(void) {
    float *a = resident_matrix();
    const size_t page = 4096 / sizeof(float), head = page - 250,
                 tail = ((size_t)K * LD + 250) / page * page - 250;
    const size_t places[] = {0,
                             head - 1,
                             head,
                             head + 1,
                             head + page,
                             M - 1,
                             LD,
                             LD + M - 1,
                             300 * LD,
                             300 * LD + 200,
                             tail - 1,
                             tail,
                             (K - 1) * LD,
                             (K - 1) * (size_t)LD + M - 1};
    resident_calls(&resident_whole, a, 3);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint64_t refreshed = resident_sums().refreshed;
        a[places[i]] += 1;
        resident_calls(&resident_whole, a, 1);
        CASE_CHECK(resident_sums().refreshed == refreshed + 1);
        resident_calls(&resident_whole, a, 1);
        CASE_CHECK(resident_sums().refreshed == refreshed + 1);
    }
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().differences == 0);
    CASE_CHECK(resident_sums().refreshed_bytes < 2 * BYTES);
    return case_result();
}

/* The kernel writes, too. */
static int written_by_the_kernel(void) {
    float *a = resident_matrix();
    int zeros = open("/dev/zero", O_RDONLY);
    resident_calls(&resident_whole, a, 3);
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(read(zeros, a + 100 * LD + 77 * i, 400) == 400);
        resident_calls(&resident_whole, a, 1);
    }
    char *inside = (char *)a - 1000 + 8 * 4096;
    CASE_CHECK(madvise(inside, 4 * 4096, MADV_DONTNEED) == 0);
    resident_calls(&resident_whole, a, 1);
    resident_calls(&resident_whole, a, 1);
    CASE_CHECK(resident_sums().differences == 0);
    close(zeros);
    return case_result();
}

/* What one call has written is the next one's A. */
static int result_as_operand(void) {
    float *a = resident_matrix(), *c = resident_matrix(), *b = calloc((size_t)K * K, sizeof(float));
    const struct resident_shape product = {.rows = M, .columns = K, .lda = LD, .n = K};
    const struct resident_shape next = {.rows = M, .columns = K, .lda = M, .n = N};
    if (!CASE_CHECK(b != NULL))
        return case_result();
    for (size_t i = 0; i < K; i++)
        b[i * K + (i + 1) % K] = 1; /* moves columns */
    for (int i = 0; i < 6; i++) {
        a[i * 1000] += 1;
        resident_multiply(&product, a, b, K, c);
        resident_calls(&next, c, i < 3 ? 1 : 3);
    }
    CASE_CHECK(resident_sums().differences == 0);
    free(b);
    return case_result();
}

static int alternating(void) {
    float *a = resident_matrix(), *one = resident_matrix(), *two = resident_matrix();
    for (int i = 0; i < 12; i++) {
        memcpy(a, i % 2 ? one : two, BYTES);
        resident_calls(&resident_whole, a, i / 4 + 1);
    }
    CASE_CHECK(resident_sums().stored > 0 && resident_sums().forgotten > 0 &&
               resident_sums().differences == 0);
    return case_result();
}

/* A's square: both operands are one matrix. */
static int both_operands(void) {
    enum { SIZE = 520 };
    float *a = resident_matrix(), *c = malloc(sizeof(float) * SIZE * SIZE);
    const struct resident_shape square = {.rows = SIZE, .columns = SIZE, .lda = SIZE, .n = SIZE};
    for (int i = 0; i < 6 && CASE_CHECK(c != NULL); i++) {
        if (i > 2)
            a[i * 700] += 1;
        resident_multiply(&square, a, a, SIZE, c);
        CASE_CHECK(resident_is_right(&square, a, a, SIZE, c));
    }
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().differences == 0);
    free(c);
    return case_result();
}

/* Blocks of one matrix, at rows where pack can and cannot read its copy. */
static int views(void) {
    float *a = resident_matrix();
    const struct {
        size_t row, column;
        int rows, columns;
    } blocks[] = {
        {0, 0, M, K}, {0, 10, M, K - 10}, {4, 0, M - 4, K}, {3, 5, M - 3, K - 9}, {100, 50, 400, 590}};
    for (int turn = 0; turn < 4; turn++)
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            const struct resident_shape block = {.transpose = turn % 2,
                                                 .rows = blocks[i].rows,
                                                 .columns = blocks[i].columns,
                                                 .lda = LD,
                                                 .n = N};
            const float *first = a + blocks[i].column * LD + blocks[i].row;
            resident_calls(&block, first, 2);
            a[(size_t)(turn * 150 + 20) * LD + 30 * i] += 1;
            resident_calls(&block, first, 2);
        }
    CASE_CHECK(resident_sums().stored > 0 && resident_sums().used > resident_sums().stored &&
               resident_sums().differences == 0);
    return case_result();
}

/* A and B in one matrix that has a copy. Of B, which is too small to be looked at, the copy may be stale. */
static int both_in_one(void) {
    float *a = resident_matrix(), *b = a + (size_t)(K - N) * LD, c[530 * N];
    const struct resident_shape left = {.transpose = true, .rows = M, .columns = 530, .lda = LD, .n = N};
    resident_calls(&resident_whole, a, CALLS);
    for (int i = 0; i < 3; i++) {
        b[(size_t)i * LD + 7] += 1;
        resident_multiply(&left, a, b, LD, c);
        CASE_CHECK(resident_is_right(&left, a, b, LD, c));
    }
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().used > CALLS - 2 &&
               resident_sums().differences == 0);
    return case_result();
}

/* Columns that are longer than a chunk of an upload. */
static int tall(void) {
    float *a = resident_matrix();
    const struct resident_shape shape = {.rows = 100001, .columns = 3, .lda = 100004, .n = 2};
    for (int i = 0; i < 8; i++) {
        a[i * 40007] += 1;
        resident_calls(&shape, a, i < 2 ? 3 : 1);
    }
    CASE_CHECK(resident_sums().stored > 0 && resident_sums().used > 4 && resident_sums().differences == 0);
    return case_result();
}

static int mapped_anew(void) {
    float *a = resident_matrix();
    void *space = (char *)a - 1000;
    resident_calls(&resident_whole, a, 3);
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(munmap(space, SPACE) == 0);
        CASE_CHECK(mmap(space, SPACE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == space);
        resident_fill(a, (size_t)K * LD);
        resident_calls(&resident_whole, a, 3);
    }
    /* in a part */
    CASE_CHECK(mmap((char *)space + 40960, 8192, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    resident_calls(&resident_whole, a, 3);
    CASE_CHECK(resident_sums().stored > 1 && resident_sums().differences == 0);
    return case_result();
}

static int reallocated(void) {
    float *a = malloc(BYTES);
    for (int i = 0; i < 4 && CASE_CHECK(a != NULL); i++) {
        resident_fill(a, (size_t)K * LD);
        resident_calls(&resident_whole, a, 3);
        const struct resident_shape part = {.rows = M, .columns = K - 1 - i, .lda = LD, .n = N};
        a = realloc(a, BYTES - (size_t)(1 + i) * LD * sizeof(float));
        if (CASE_CHECK(a != NULL))
            resident_calls(&part, a, 3);
        a = realloc(a, 2 * BYTES);
        if (CASE_CHECK(a != NULL)) {
            memset(a + (size_t)(K - 1 - i) * LD, 0, (size_t)(1 + i) * LD * sizeof(float));
            resident_calls(&resident_whole, a, 3);
        }
    }
    CASE_CHECK(resident_sums().differences == 0);
    free(a);
    return case_result();
}

static int rewritten(void) {
    float *a = resident_matrix();
    for (int i = 0; i < 20; i++) {
        resident_fill(a, (size_t)K * LD);
        resident_calls(&resident_whole, a, 1);
    }
    CASE_CHECK(resident_sums().stored == 0 && resident_bytes() == 0);
    return case_result();
}

/* As the estimates have it: a copy to staging memory is saved. */
static int automatic(void) {
    float *a = resident_matrix();
    for (int i = 0; i < 40; i++) {
        if (i % 8 == 7)
            a[rand_r(&resident_seed) % (K * LD)] += 1;
        resident_calls(&resident_whole, a, 1);
    }
    CASE_CHECK(resident_sums().stored > 0 && resident_sums().used > 10);
    return case_result();
}

static int off(void) {
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, 4);
    CASE_CHECK(lava_context_engine()->device->shared->residents == NULL);
    return case_result();
}

/* Little memory: copies go for others, and for the products' own. */
static int evicted(void) {
    float *matrices[5];
    for (int i = 0; i < 5; i++)
        matrices[i] = resident_matrix();
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 5; i++) {
            matrices[i][turn * 2000 + i] += 1;
            resident_calls(&resident_whole, matrices[i], 3);
        }
    CASE_CHECK(resident_sums().evicted > 0 && resident_sums().differences == 0);
    return case_result();
}

static int given_back(void) {
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, 3);
    CASE_CHECK(resident_bytes() > 0 || resident_sums().evicted > 0);
    double end = case_now() + 20;
    while (resident_bytes() > 0 && case_now() < end)
        case_sleep(0.02);
    CASE_CHECK(resident_bytes() == 0);
    a[5] += 1;
    resident_calls(&resident_whole, a, 3);
    CASE_CHECK(resident_sums().stored == 2 && resident_sums().differences == 0);
    return case_result();
}

static float *shared_a;
static void *call_often(void *unused) {
    (void)unused;
    resident_calls(&resident_whole, shared_a, 6);
    return NULL;
}

static int threads(void) {
    shared_a = resident_matrix();
    for (int turn = 0; turn < 3; turn++) {
        pthread_t thread[3];
        shared_a[turn * 777] += 1;
        for (int i = 0; i < 3; i++)
            CASE_CHECK(pthread_create(&thread[i], NULL, call_often, NULL) == 0);
        for (int i = 0; i < 3; i++)
            pthread_join(thread[i], NULL);
    }
    CASE_CHECK(resident_sums().used > 12 && resident_sums().differences == 0);
    return case_result();
}

/* A thread writes columns while calls multiply them by 0: whatever they hold then, the result is the same.
 * When it has ended, they count. */
static struct {
    atomic_bool goes_on;
    float *columns;
    int count;
} writer;

static void *write_columns(void *unused) {
    for (unsigned random = 1; writer.goes_on; random++)
        writer.columns[rand_r(&random) % writer.count] = (float)(random % 5) - 2;
    return unused;
}

static int written_during_calls(void) {
    enum { FIRST = 300, COLUMNS = 100 };
    float *a = resident_matrix(), b[K * N], c[M * N];
    resident_calls(&resident_whole, a, 40);
    CASE_CHECK(resident_sums().stored > 0);
    writer.columns = a + FIRST * LD;
    writer.count = COLUMNS * LD;
    for (int turn = 0; turn < 4; turn++) {
        pthread_t thread;
        resident_fill(b, K * N);
        for (int i = 0; i < N; i++)
            memset(b + i * K + FIRST, 0, sizeof(float) * COLUMNS);
        writer.goes_on = true;
        CASE_CHECK(pthread_create(&thread, NULL, write_columns, NULL) == 0);
        for (int i = 0; i < 4; i++) {
            resident_multiply(&resident_whole, a, b, K, c);
            CASE_CHECK(resident_is_right(&resident_whole, a, b, K, c));
        }
        writer.goes_on = false;
        pthread_join(thread, NULL);
        resident_calls(&resident_whole, a, 2);
    }
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* A matrix of a page is not looked at, wherever it is. */
static int one_page(void) {
    const struct resident_shape shape = {.rows = 64, .columns = 16, .lda = 64, .n = N};
    float *a = resident_matrix() - OFFSET;
    resident_fill(a, OFFSET);
    for (int i = 0; i < 4; i++) {
        a[i * 200] += 1;
        resident_calls(&shape, a, 2);
        resident_calls(&shape, a + 777, 2);
    }
    CASE_CHECK(resident_sums().stored == 0 && resident_sums().used == 0);
    return case_result();
}

/* A is a block of B, which is written elsewhere. */
static int block_beside_whole(void) {
    enum { SIZE = 520 };
    float *a = resident_matrix(), *c = malloc(sizeof(float) * SIZE * SIZE);
    const struct resident_shape square = {.rows = SIZE, .columns = SIZE, .lda = SIZE, .n = SIZE};
    const struct resident_shape left = {
        .transpose = true, .rows = SIZE, .columns = 505, .lda = SIZE, .n = SIZE};
    resident_calls(&square, a, CALLS);
    for (int i = 0; i < 4 && CASE_CHECK(c != NULL); i++) {
        a[(size_t)(510 + i) * SIZE + 8] += 1;
        resident_multiply(&left, a, a, SIZE, c);
        CASE_CHECK(resident_is_right(&left, a, a, SIZE, c));
    }
    CASE_CHECK(resident_sums().used > CALLS && resident_sums().differences == 0);
    free(c);
    return case_result();
}

/* A copy that a failed call was filling is no copy. */
static int failing(void) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "allocate", "download"};
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, 1);
    resident_may_fail = true;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 7; passage++) {
            char text[32];
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            a[(size_t)passage * 5000 + i] += 1;
            CASE_CHECK(lava_fault_set(text));
            resident_calls(&resident_whole, a, 1);
            resident_calls(&resident_whole, a, 1);
            CASE_CHECK(lava_fault_set(NULL));
            resident_calls(&resident_whole, a, 2);
        }
    CASE_CHECK(resident_sums().stored > 1 && resident_sums().differences == 0);
    return case_result();
#else
    return CASE_SKIPPED;
#endif
}

#ifdef LAVA_FAULT_INJECTION
extern void dgemmt_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
                    const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                    const double *beta, double *c, const int *ldc);

enum { ORDER = 370 };

/* Adds A B to the upper triangle of C, whose elements were all 1. Returns whether C is right. */
static bool add_upper(const double *a, const double *b, double *c, const double *sums) {
    static const int order = ORDER;
    static const double one = 1;
    for (int i = 0; i < ORDER * ORDER; i++)
        c[i] = 1;
    dgemmt_("U", "N", "N", &order, &order, &one, a, &order, b, &order, &one, c, &order);
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++)
            if (c[j * ORDER + i] != 1 + (i <= j ? sums[j * ORDER + i] : 0))
                return false;
    return true;
}
#endif

/* Whatever fails in a call that stores, or that uses copies, no element gets its sum twice. */
static int failing_upper(void) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "download", "allocate"};
    const size_t bytes = sizeof(double) * ORDER * ORDER;
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), *sums = calloc(1, bytes);
    if (!CASE_CHECK(a && b && c && sums))
        return case_result();
    for (int i = 0; i < ORDER * ORDER; i++) {
        a[i] = rand_r(&resident_seed) % 7 - 3;
        b[i] = rand_r(&resident_seed) % 7 - 3;
    }
    for (int j = 0; j < ORDER; j++)
        for (int l = 0; l < ORDER; l++)
            for (int i = 0; i < ORDER; i++)
                sums[j * ORDER + i] += a[l * ORDER + i] * b[j * ORDER + l];
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 60; passage++) {
            char text[32];
            long came = lava_fault_came();
            for (int j = 0; j < ORDER * ORDER;
                 j++) { /* there are no copies any more, and the sums are the same */
                a[j] = -a[j];
                b[j] = -b[j];
            }
            CASE_CHECK(add_upper(a, b, c, sums));
            uint64_t stored = resident_sums().stored;
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            CASE_CHECK(lava_fault_set(text));
            if (!CASE_CHECK(add_upper(a, b, c, sums)))
                fprintf(stderr, "the call that stores: %s\n", text);
            CASE_CHECK(lava_fault_set(NULL));
            CASE_CHECK(resident_sums().stored > stored || lava_fault_came() > came);
            CASE_CHECK(add_upper(a, b, c, sums));
            if (lava_fault_came() == came)
                break;
        }
    CASE_CHECK(resident_sums().used > 0 && resident_sums().differences == 0);
    return case_result();
#else
    return CASE_SKIPPED;
#endif
}

/* Routines by the matrix A alone. Whatever B and C are, A's copy must lead to the bits that A leads to. */
enum { SIZE = 517 };
extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const double *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                   const double *beta, void *c, const int *ldc);
extern void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const double *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                   const double *beta, void *c, const int *ldc);
extern void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
                   const void *a, const int *lda, const void *b, const int *ldb, const double *beta, void *c,
                   const int *ldc);
extern void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                   const int *n, const double *alpha, const void *a, const int *lda, void *c, const int *ldc);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
                   const void *a, const int *lda, const double *beta, void *c, const int *ldc);

static const int size = SIZE, few = 21;
static const double factor[2] = {0.7, -0.3}, nothing[2];

static void by_dgemm(const void *a, const void *b, void *c) {
    dgemm_("N", "N", &size, &few, &size, factor, a, &size, b, &size, nothing, c, &size);
}
static void by_dgemm_right(const void *a, const void *b, void *c) {
    dgemm_("T", "T", &few, &size, &size, factor, b, &size, a, &size, nothing, c, &few);
}
static void by_zgemm(const void *a, const void *b, void *c) {
    zgemm_("C", "N", &size, &few, &size, factor, a, &size, b, &size, nothing, c, &size);
}
static void by_dsymm(const void *a, const void *b, void *c) {
    dsymm_("L", "U", &size, &few, factor, a, &size, b, &size, nothing, c, &size);
}
static void by_dtrmm(const void *a, const void *b, void *c) {
    memcpy(c, b, sizeof(double) * SIZE * (size_t)few);
    dtrmm_("L", "L", "T", "N", &size, &few, factor, a, &size, c, &size);
}
static void by_dsyrk(const void *a, const void *b, void *c) {
    (void)b;
    dsyrk_("U", "T", &size, &size, factor, a, &size, nothing, c, &size);
}

/* By the estimates a copy may have to save many uploads. */
#define MOST_CALLS 200
static int same_bits(void) {
    static const struct {
        const char *name;
        void (*call)(const void *a, const void *b, void *c);
    } routines[] = {{"dgemm", by_dgemm}, {"dgemm, right", by_dgemm_right},
                    {"zgemm", by_zgemm}, {"dsymm", by_dsymm},
                    {"dtrmm", by_dtrmm}, {"dsyrk", by_dsyrk}};
    size_t bytes = 2 * sizeof(double) * SIZE * SIZE, c_bytes = 2 * bytes;
    double *b = malloc(bytes);
    char *c = calloc(1, c_bytes), *other = calloc(1, c_bytes);
    for (size_t i = 0; i < 2 * SIZE * SIZE && CASE_CHECK(b && c && other); i++)
        b[i] = rand_r(&resident_seed) / (double)RAND_MAX - 0.5;
    for (size_t i = 0; i < sizeof routines / sizeof routines[0] && !case_result(); i++) {
        void *a[2];
        uint64_t used = resident_sums().used;
        for (int j = 0; j < 2; j++) {
            a[j] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            for (size_t l = 0; l < 2 * SIZE * SIZE && CASE_CHECK(a[j] != MAP_FAILED); l++)
                ((double *)a[j])[l] = b[(l * 7 + 5) % (2 * SIZE * SIZE)];
        }
        for (int j = 0; j < 4 || (resident_sums().used <= used + 1 && j < MOST_CALLS); j++)
            routines[i].call(a[0], b, c);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        if (!CASE_CHECK(resident_sums().used > used + 1))
            fprintf(stderr, "%s: A does not stay\n", routines[i].name);
        routines[i].call(a[1], b, other);
        if (!CASE_CHECK(memcmp(c, other, c_bytes) == 0))
            fprintf(stderr, "%s: other bits\n", routines[i].name);
    }
    CASE_CHECK(resident_sums().differences == 0);
    free(b);
    free(c);
    free(other);
    return case_result();
}

static const struct test_case cases[] = {
    {"stays", stays, .variables = {CHECK}},
    {"changed_elements", changed_elements, .variables = {CHECK}},
    {"written_by_the_kernel", written_by_the_kernel, .variables = {CHECK}},
    {"result_as_operand", result_as_operand, .variables = {CHECK}},
    {"alternating", alternating, .variables = {CHECK}},
    {"both_operands", both_operands, .variables = {CHECK}},
    {"views", views, .variables = {CHECK}},
    {"both_in_one", both_in_one, .variables = {CHECK}},
    {"tall", tall, .variables = {CHECK, "LAVABLAS_PINNED=1M"}},
    {"mapped_anew", mapped_anew, .variables = {CHECK}},
    {"reallocated", reallocated, .variables = {CHECK}},
    {"rewritten", rewritten, .variables = {CHECK}},
    {"automatic", automatic, .variables = {"LAVABLAS_RESIDENT=auto", "LAVABLAS_MODE=gpu"}},
    {"same_bits", same_bits, .variables = {CHECK}},
    {"same_bits_automatic", same_bits, .variables = {"LAVABLAS_RESIDENT=auto", "LAVABLAS_MODE=gpu"}},
    {"off", off, .variables = {"LAVABLAS_RESIDENT=off", "LAVABLAS_MODE=gpu"}},
    {"evicted", evicted, .variables = {CHECK, "LAVABLAS_MEMORY=8M"}},
    {"given_back", given_back, .variables = {CHECK, "LAVABLAS_IDLE=0.2"}},
    {"threads", threads, .variables = {CHECK, "LAVABLAS_LANES=2"}},
    {"written_during_calls", written_during_calls,
     .variables = {"LAVABLAS_RESIDENT=auto", "LAVABLAS_MODE=gpu"}},
    {"written_during_checked_calls", written_during_calls, .variables = {CHECK}},
    {"one_page", one_page, .variables = {CHECK}},
    {"block_beside_whole", block_beside_whole, .variables = {CHECK}},
    {"failing", failing, .lines = -1, .variables = {CHECK}},
    {"discrete_failing", failing, .lines = -1, .variables = {CHECK, DISCRETE}},
    {"failing_upper", failing_upper, .lines = -1, .variables = {CHECK}},
    {"discrete_failing_upper", failing_upper, .lines = -1, .variables = {CHECK, DISCRETE}},
    {"discrete_changed_elements", changed_elements, .variables = {CHECK, DISCRETE}},
    {"discrete_views", views, .variables = {CHECK, DISCRETE}},
    {"discrete_tall", tall, .variables = {CHECK, DISCRETE}},
    {"discrete_threads", threads, .variables = {CHECK, DISCRETE}},
    {"discrete_same_bits", same_bits, .variables = {CHECK, DISCRETE}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return cases_main(argument_count, arguments, cases);
}
