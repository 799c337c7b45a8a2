/* Products that stay where they were computed, as LAVABLAS_RESIDENT=check compares them: later calls read
 * them there, and never what was there before. */
#include "tests/robustness/resident_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lavablas.h"
#include "lib/base/fault.h"
#include "tests/robustness/layer.h"

#define GEMM(name, type)                                                                                     \
    extern void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,       \
                     const type *alpha, const void *a, const int *lda, const void *b, const int *ldb,        \
                     const type *beta, void *c, const int *ldc)
GEMM(sgemm_, float);
GEMM(dgemm_, double);
GEMM(zgemm_, double);
GEMM(shgemm_, float);
extern void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha,
                   const void *a, const int *lda, const void *b, const int *ldb, const float *beta, void *c,
                   const int *ldc);
extern void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                   const int *n, const float *alpha, const void *a, const int *lda, void *b, const int *ldb);

extern void sgemm_batch_strided_(const char *transa, const char *transb, const int *m, const int *n,
                                 const int *k, const float *alpha, const void *a, const int *lda,
                                 const int *stridea, const void *b, const int *ldb, const int *strideb,
                                 const float *beta, void *c, const int *ldc, const int *stridec,
                                 const int *batch_size);

/* Factors of any type; the calls' results are exact. */
enum { MOST_DEPTH = 3000 };
static char left[(size_t)LD * MOST_DEPTH * sizeof(float)], right[(size_t)MOST_DEPTH * K * sizeof(float)];
static const int m = M, k = K, ld = LD, n = N, depth = 40, most_depth = MOST_DEPTH;
static const float one = 1, zero = 0;
static const double done[2] = {1, 0}, dzero[2] = {0, 0};

static void fill(void) {
    resident_fill((float *)(void *)left, sizeof left / sizeof(float));
    resident_fill((float *)(void *)right, sizeof right / sizeof(float));
}

static void by_sgemm(float *c) {
    sgemm_("N", "N", &m, &k, &depth, &one, left, &ld, right, &depth, &zero, c, &ld);
}
static void by_panels(float *c) {
    sgemm_("T", "N", &m, &k, &most_depth, &one, left, &most_depth, right, &most_depth, &zero, c, &ld);
}
static void by_ssymm(float *c) {
    ssymm_("L", "U", &m, &k, &one, left, &ld, right, &ld, &zero, c, &ld);
}
/* The triangle has ones on its diagonal and twos above it, so C stays small. */
static void by_strmm(float *c) {
    static float triangle[M * M];
    by_sgemm(c);
    for (int i = 0; i < M; i++)
        triangle[i * (M + 1) + (i > 0 ? -1 : 0)] = 2;
    strmm_("L", "U", "N", "U", &m, &k, &one, triangle, &m, c, &ld);
}
static void by_beta(float *c) {
    resident_fill(c, (size_t)K * LD);
    sgemm_("N", "N", &m, &k, &depth, &one, left, &ld, right, &depth, &one, c, &ld);
}

typedef void maker(float *c);

/* Makes a result and reads it. The reads are compared with products of what the host has. */
static void make_and_read(maker *make, float *c, int reads) {
    fill();
    make(c);
    CASE_CHECK(resident_may_fail || !strcmp(case_place(NULL), "gpu"));
    resident_calls(&resident_whole, c, reads);
}

/* From the second one on, the result is on the device when the call ends. */
static int results_stay(void) {
    static maker *const makers[] = {by_sgemm, by_panels, by_ssymm, by_strmm};
    for (size_t i = 0; i < sizeof makers / sizeof makers[0] && !case_result(); i++) {
        float *c = resident_matrix();
        for (int round = 0; round < 4; round++) {
            const struct lava_residents_sums before = resident_sums();
            make_and_read(makers[i], c, 2);
            if (round == 0)
                continue;
            bool is_read = resident_sums().used == before.used + 2 && resident_sums().stored > before.stored;
            if (!CASE_CHECK(is_read && resident_sums().refreshed == 0))
                fprintf(stderr, "way %zu, round %d: the result does not stay\n", i, round);
        }
    }
    CASE_CHECK(resident_sums().forgotten == 0 && resident_sums().differences == 0);
    return case_result();
}

/* To what C held something is added on the CPU. */
static int sums_do_not(void) {
    float *c = resident_matrix();
    for (int round = 0; round < 3; round++) {
        const struct lava_residents_sums before = resident_sums();
        make_and_read(by_beta, c, 1);
        CASE_CHECK(resident_sums().used == before.used);
    }
    CASE_CHECK(resident_sums().stored == 0 && resident_sums().differences == 0);
    return case_result();
}

/* Each element type; the reads are compared by the library. */
static void by_dgemm(float *c) {
    dgemm_("N", "N", &m, &k, &depth, done, left, &ld, right, &depth, dzero, c, &m);
}
static void reads_dgemm(const float *c, float *d) {
    dgemm_("N", "N", &m, &n, &k, done, c, &m, right, &k, dzero, d, &m);
}
static void by_zgemm(float *c) {
    zgemm_("N", "N", &m, &k, &depth, done, left, &ld, right, &depth, dzero, c, &m);
}
static void reads_zgemm(const float *c, float *d) {
    zgemm_("N", "N", &m, &n, &k, done, c, &m, right, &k, dzero, d, &m);
}
static const int odd = 1011;
static void by_shgemm(float *c) { /* rows that are no whole words */
    shgemm_("N", "N", &odd, &k, &depth, &one, left, &odd, right, &depth, &zero, c, &odd);
}
static void reads_shgemm(const float *c, float *d) {
    sgemm_("N", "N", &odd, &n, &k, &one, c, &odd, right, &k, &zero, d, &odd);
}
static void by_hgemm(float *c) {
    lavablas_hgemm(102, 111, 111, odd, k, depth, 1, (const uint16_t *)(void *)left, odd,
                   (const uint16_t *)(void *)right, depth, 0, (uint16_t *)(void *)c, odd);
}
static void reads_hgemm(const float *c, float *d) {
    shgemm_("N", "N", &odd, &n, &k, &one, c, &odd, right, &k, &zero, d, &odd);
}

static int types_stay(void) {
    static const struct {
        maker *make;
        void (*read)(const float *c, float *d);
    } types[] = {
        {by_dgemm, reads_dgemm}, {by_zgemm, reads_zgemm}, {by_shgemm, reads_shgemm}, {by_hgemm, reads_hgemm}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t bytes = (size_t)M * K * 2 * sizeof(double);
        float *c = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
              *d = malloc((size_t)odd * N * 2 * sizeof(double));
        for (int round = 0; round < 4 && c != MAP_FAILED && d; round++) {
            const struct lava_residents_sums before = resident_sums();
            fill();
            memset(right, 0, sizeof right);
            ((float *)(void *)right)[round] = 1;
            types[i].make(c);
            types[i].read(c, d);
            types[i].read(c, d);
            CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
            if (round > 0 && !CASE_CHECK(resident_sums().used == before.used + 2))
                fprintf(stderr, "type %zu, round %d: the result does not stay\n", i, round);
        }
        free(d);
    }
    CASE_CHECK(resident_sums().refreshed == 0 && resident_sums().differences == 0);
    return case_result();
}

/* By residues the CPU multiplies by an alpha that has an imaginary part, so that the device has another C. */
static int scaled_results_do_not(void) {
    static const double alpha[2] = {1, 1};
    static const int deep = 64;
    double *c = mmap(NULL, BYTES * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
           *d = malloc((size_t)M * N * 2 * sizeof(double)), *b = (double *)(void *)right;
    if (!CASE_CHECK(c != MAP_FAILED && d))
        return 1;
    for (int round = 0; round < 4; round++) {
        memset(left, 0, sizeof left);
        memset(right, 0, sizeof right);
        for (int i = 0; i < m; i++)
            ((double *)(void *)left)[2 * i] = i % 100;
        for (int j = 0; j < k; j++)
            b[2 * deep * j] = j == round;
        zgemm_("N", "N", &m, &k, &deep, alpha, left, &m, right, &deep, dzero, c, &m);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        for (int reads = 0; reads < 2; reads++) {
            memset(right, 0, sizeof right);
            b[2 * round] = 1;
            zgemm_("N", "N", &m, &n, &k, done, c, &m, right, &k, dzero, d, &m);
            for (int i = 0; i < m; i++)
                if (!CASE_CHECK(d[2 * i] == i % 100 && d[2 * i + 1] == i % 100))
                    return 1;
        }
    }
    CASE_CHECK(resident_sums().differences == 0);
    free(d);
    return case_result();
}

/* Memory for few columns of C at once. */
static int blocks_stay(void) {
    float *c = resident_matrix();
    for (int round = 0; round < 4; round++) {
        const struct lava_residents_sums before = resident_sums();
        make_and_read(by_sgemm, c, 2);
        CASE_CHECK(round == 0 || resident_sums().used == before.used + 2);
    }
    CASE_CHECK(resident_sums().refreshed == 0 && resident_sums().differences == 0);
    return case_result();
}

static int changed_elements(void) {
    static const size_t places[] = {0, M - 1, 100 * LD + 7, (K - 1) * (size_t)LD,
                                    (K - 1) * (size_t)LD + M - 1};
    float *c = resident_matrix();
    make_and_read(by_sgemm, c, 2);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        make_and_read(by_sgemm, c, 1);
        uint64_t refreshed = resident_sums().refreshed;
        c[places[i]] += 1;
        resident_calls(&resident_whole, c, 2);
        CASE_CHECK(resident_sums().refreshed == refreshed + 1);
    }
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* The members of a batch that are computed one by one read a matrix that all of them share, and each its own
 * block of what an earlier call has left. */
static int batches(void) {
    enum { COUNT = 3, SIDES = 600 };
    static const struct resident_shape shape = {.rows = M, .columns = K, .lda = LD, .n = SIDES};
    static const int sides = SIDES, all = COUNT * SIDES, none = 0, count = COUNT;
    /* with a gap: else they are one product */
    static const int stride_b = K * SIDES, stride_c = M * SIDES + 4, no_gap = M * SIDES;
    static float b[COUNT * K * SIDES], c[COUNT * (M * SIDES + 4)];
    float *a = resident_matrix(),
          *whole = mmap(NULL, sizeof b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CASE_CHECK(whole != MAP_FAILED))
        return 1;
    resident_fill(b, COUNT * K * SIDES);
    for (int turn = 0; turn < 3; turn++) {
        const struct lava_residents_sums before = resident_sums();
        a[turn] += 1;
        sgemm_batch_strided_("N", "N", &m, &sides, &k, &one, a, &ld, &none, b, &k, &stride_b, &zero, c, &m,
                             &stride_c, &count);
        CASE_CHECK(!strcmp(case_place(NULL), "gpu"));
        CASE_CHECK(resident_sums().used >= before.used + (turn == 0 ? 1 : COUNT));
        for (int i = 0; i < COUNT; i++)
            CASE_CHECK(resident_is_right(&shape, a, b + i * stride_b, K, c + i * stride_c));
    }
    const uint64_t used = resident_sums().used; /* one product reads A once */
    sgemm_batch_strided_("N", "N", &m, &sides, &k, &one, a, &ld, &none, b, &k, &stride_b, &zero, c, &m,
                         &no_gap, &count);
    CASE_CHECK(resident_sums().used == used + 1);
    for (int i = 0; i < COUNT; i++)
        CASE_CHECK(resident_is_right(&shape, a, b + i * stride_b, K, c + i * no_gap));
    for (int turn = 0; turn < 4; turn++) { /* `whole` is one result, and B of each member is a block of it */
        const struct lava_residents_sums before = resident_sums();
        resident_fill((float *)(void *)right, (size_t)depth * K * COUNT);
        sgemm_("N", "N", &k, &all, &depth, &one, left, &k, right, &depth, &zero, whole, &k);
        for (int i = 0; i < 2; i++)
            sgemm_batch_strided_("N", "N", &m, &sides, &k, &one, a, &ld, &none, whole, &k, &stride_b, &zero,
                                 c, &m, &stride_c, &count);
        CASE_CHECK(resident_sums().used > before.used);
        for (int i = 0; i < COUNT; i++)
            CASE_CHECK(resident_is_right(&shape, a, whole + i * stride_b, K, c + i * stride_c));
    }
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* A program that reads none of its results has no copies, and neither has one whose memory is not watched. */
static int never_read(void) {
    float *c = resident_matrix();
    for (int round = 0; round < 5; round++) {
        fill();
        by_sgemm(c);
    }
    CASE_CHECK(resident_sums().stored == 0);
    c = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int round = 0; round < 4 && CASE_CHECK(c != MAP_FAILED); round++)
        make_and_read(by_sgemm, c, 2);
    CASE_CHECK(resident_sums().stored == 0 && resident_sums().used == 0);
    return case_result();
}

/* As the estimates have it. */
static int automatic(void) {
    float *c = resident_matrix();
    uint64_t bytes = 0;
    for (int round = 0; round < 30; round++) {
        make_and_read(by_sgemm, c, 3);
        if (round == 28)
            bytes = resident_bytes();
    }
    CASE_CHECK(resident_sums().stored > 0 && resident_sums().used > 10);
    CASE_CHECK(resident_bytes() == bytes); /* the memory is used again */
    return case_result();
}

static int failing(void) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "allocate", "download"};
    float *c = resident_matrix();
    make_and_read(by_sgemm, c, 2);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 7; passage++) {
            char text[32];
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            fill();
            resident_may_fail = true;
            CASE_CHECK(lava_fault_set(text));
            by_sgemm(c);
            resident_calls(&resident_whole, c, 1);
            CASE_CHECK(lava_fault_set(NULL));
            resident_may_fail = false;
            resident_calls(&resident_whole, c, 2);
            make_and_read(by_sgemm, c, 1);
        }
    CASE_CHECK(resident_sums().stored > 1 && resident_sums().differences == 0);
    return case_result();
#else
    return CASE_SKIPPED;
#endif
}

static const struct test_case cases[] = {
    {"results_stay", results_stay, .variables = {CHECK}},
    {"sums_do_not", sums_do_not, .variables = {CHECK}},
    {"types_stay", types_stay, .variables = {CHECK}},
    {"scaled_results_do_not", scaled_results_do_not, .variables = {CHECK, "LAVABLAS_RESIDUES=on"}},
    {"blocks_stay", blocks_stay, .variables = {CHECK, "LAVABLAS_MEMORY=6M"}},
    {"changed_elements", changed_elements, .variables = {CHECK}},
    {"batches", batches, .variables = {CHECK}},
    {"never_read", never_read, .variables = {CHECK}},
    {"automatic", automatic, .variables = {"LAVABLAS_RESIDENT=auto", "LAVABLAS_MODE=gpu"}},
    {"failing", failing, .lines = -1, .variables = {CHECK}},
    {"discrete_results_stay", results_stay, .variables = {CHECK, DISCRETE}},
    {"discrete_failing", failing, .lines = -1, .variables = {CHECK, DISCRETE}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return cases_main(argument_count, arguments, cases);
}
