/* Solves with matrices that may stay. Called by test_resident_solves.c and test_resident_inverses.c. */
#include "tests/robustness/resident_solves.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/fault.h"
#include "lib/offload/context.h"

#define PLACES 4096
#define SPACE  (BYTES + 64 * PLACES + 2 * 4096)

#define TRSM(name, type)                                                                                     \
    extern void name(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, \
                     const int *n, const type *alpha, const void *a, const int *lda, void *b,                \
                     const int *ldb)
TRSM(dtrsm_, double);
TRSM(ztrsm_, double);
extern void sgetrf_(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
extern void sgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda,
                    const int *ipiv, void *b, const int *ldb, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda,
                    const int *ipiv, void *b, const int *ldb, int *info);
extern void spotrs_(const char *uplo, const int *n, const int *nrhs, const void *a, const int *lda, void *b,
                    const int *ldb, int *info);
extern void strtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
                    const void *a, const int *lda, void *b, const int *ldb, int *info);
extern void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const float *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                   const float *beta, void *c, const int *ldc);

static unsigned seed = 1;
const float solves_one = 1;
const int solves_order = N, solves_ld = LD, solves_sides = SIDES;
static const double factor[2] = {0.7, -0.3};
int solves_pivots[N], solves_info;

void *solves_map(void) {
    char *space = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return CASE_CHECK(space != MAP_FAILED) ? space + SKEW : NULL;
}

void solves_unmap(void *matrix) {
    munmap((char *)matrix - SKEW, SPACE);
}

void solves_fill(void *matrix, bool doubles) {
    for (size_t i = 0; i < BYTES / (doubles ? sizeof(double) : sizeof(float)); i++) {
        double value = (rand_r(&seed) / (double)RAND_MAX - 0.5) / 100 + (i % (LD + 1) == 0 ? 2 : 0);
        if (doubles)
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
}

float *solves_new(void) {
    float *a = solves_map();
    for (int i = 0; i < N; i++)
        solves_pivots[i] = i + 1 + i % 5 * (i < N - 5);
    if (a)
        solves_fill(a, false);
    return a;
}

struct lava_residents_sums solves_sums(void) {
    struct lava_engine *engine = lava_context_engine();
    struct lava_residents *residents = engine ? engine->device->shared->residents : NULL;
    return residents ? lava_residents_sums(residents) : (struct lava_residents_sums){0};
}

void solves_by_strsm(const void *a, void *b) {
    strsm_("L", "L", "N", "N", &solves_order, &solves_sides, &solves_one, a, &solves_ld, b, &solves_order);
}
void solves_by_strsm_right(const void *a, void *b) {
    strsm_("R", "U", "T", "N", &solves_sides, &solves_order, &solves_one, a, &solves_ld, b, &solves_sides);
}
void solves_by_strsm_unit(const void *a, void *b) {
    strsm_("L", "U", "T", "U", &solves_order, &solves_sides, &solves_one, a, &solves_ld, b, &solves_order);
}
void solves_by_dtrsm(const void *a, void *b) {
    dtrsm_("L", "U", "N", "N", &solves_order, &solves_sides, factor, a, &solves_ld, b, &solves_order);
}
void solves_by_ztrsm(const void *a, void *b) {
    ztrsm_("L", "L", "C", "N", &solves_order, &solves_sides, factor, a, &solves_ld, b, &solves_order);
}
void solves_by_sgetrs(const void *a, void *b) {
    sgetrs_("N", &solves_order, &solves_sides, a, &solves_ld, solves_pivots, b, &solves_order, &solves_info);
}
void solves_by_sgetrs_transposed(const void *a, void *b) {
    sgetrs_("T", &solves_order, &solves_sides, a, &solves_ld, solves_pivots, b, &solves_order, &solves_info);
}
void solves_by_dgetrs(const void *a, void *b) {
    dgetrs_("N", &solves_order, &solves_sides, a, &solves_ld, solves_pivots, b, &solves_order, &solves_info);
}
void solves_by_spotrs(const void *a, void *b) {
    spotrs_("L", &solves_order, &solves_sides, a, &solves_ld, b, &solves_order, &solves_info);
}
void solves_by_spotrs_upper(const void *a, void *b) {
    spotrs_("U", &solves_order, &solves_sides, a, &solves_ld, b, &solves_order, &solves_info);
}
void solves_by_strtrs(const void *a, void *b) {
    strtrs_("U", "N", "N", &solves_order, &solves_sides, a, &solves_ld, b, &solves_order, &solves_info);
}
/* Few right-hand sides are vectors. */
static const int few = 3, single = 1;
void solves_by_sgetrs_few(const void *a, void *b) {
    sgetrs_("N", &solves_order, &few, a, &solves_ld, solves_pivots, b, &solves_order, &solves_info);
}
void solves_by_dgetrs_single(const void *a, void *b) {
    dgetrs_("T", &solves_order, &single, a, &solves_ld, solves_pivots, b, &solves_order, &solves_info);
}
void solves_by_spotrs_few(const void *a, void *b) {
    spotrs_("U", &solves_order, &few, a, &solves_ld, b, &solves_order, &solves_info);
}
void solves_by_spotrs_single(const void *a, void *b) {
    spotrs_("L", &solves_order, &single, a, &solves_ld, b, &solves_order, &solves_info);
}
void solves_by_strtrs_single(const void *a, void *b) {
    strtrs_("L", "T", "U", &solves_order, &single, a, &solves_ld, b, &solves_order, &solves_info);
}
/* B is read, and the product takes its place. */
void solves_by_sgemm(const void *a, void *b) {
    static float c[N * SIDES];
    const float zero = 0;
    sgemm_("N", "N", &solves_order, &solves_sides, &solves_order, &solves_one, a, &solves_ld, b,
           &solves_order, &zero, c, &solves_order);
    memcpy(b, c, sizeof c);
}

#define B_BYTES ((size_t)N * SIDES * 2 * sizeof(double))
bool solves_may_fail, solves_doubles;

bool solves_call(solves_with *solve, const void *a) {
    static atomic_uint places;
    char *space = solves_map(),
         *copy = space ? space + (size_t)(1 + atomic_fetch_add(&places, 1) % PLACES) * 64 : NULL;
    void *b = malloc(B_BYTES), *other = malloc(B_BYTES);
    bool is_good = copy && b && other;
    for (size_t i = 0; is_good && i < B_BYTES / (solves_doubles ? sizeof(double) : sizeof(float)); i++) {
        double value = rand_r(&seed) / (double)RAND_MAX - 0.5;
        if (solves_doubles)
            ((double *)b)[i] = value;
        else
            ((float *)b)[i] = (float)value;
    }
    if (is_good) {
        memcpy(other, b, B_BYTES);
        memcpy(copy, a, solves_doubles ? BYTES : BYTES / 4);
        solve(a, b);
        bool is_there = !strcmp(case_place(NULL), "gpu");
        if (!solves_may_fail) {
            solve(copy, other);
            is_good = is_there && memcmp(b, other, B_BYTES) == 0;
        }
    }
    if (space)
        solves_unmap(space);
    free(b);
    free(other);
    return CASE_CHECK(is_good);
}

void solves_calls(solves_with *solve, const void *a, int count) {
    for (int i = 0; i < count; i++)
        solves_call(solve, a);
}

bool solves_factor(float *a) {
    sgetrf_(&solves_order, &solves_order, a, &solves_ld, solves_pivots, &solves_info);
    return CASE_CHECK(solves_info == 0 && (solves_may_fail || !strcmp(case_place(NULL), "gpu")));
}

int solves_fail(solves_step *before, solves_step *failing, solves_with *const solvers[2]) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "allocate", "download"};
    float *a = solves_new();
    solves_call(solvers[0], a); /* the device is ready */
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 7; passage++) {
            char text[32];
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            before(a, passage);
            a[(size_t)passage * 5000 + i] += 0.125f;
            solves_may_fail = true;
            CASE_CHECK(lava_fault_set(text));
            failing(a, passage);
            CASE_CHECK(lava_fault_set(NULL));
            solves_may_fail = false;
            solves_calls(solvers[passage % 2 == 0], a, 2);
        }
    CASE_CHECK(solves_sums().stored > 1 && solves_sums().differences == 0);
    return case_result();
#else
    (void)before;
    (void)failing;
    (void)solvers;
    return CASE_SKIPPED;
#endif
}
