/* Triangles and factors that stay on the device between calls, as LAVABLAS_RESIDENT=check stores them: the
 * result of each solve has the bits of the same solve with a matrix in other memory, which has no copy. The
 * library is linked in, so that its copies can be counted. */
#include "tests/robustness/cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/fault.h"
#include "lib/engine/residents.h"
#include "lib/offload/context.h"
#include "tests/robustness/layer.h"

enum { N = 520, LD = 522, SIDES = 9, CALLS = 4 };
/* The largest type's; matrices begin within pages. */
#define BYTES  ((size_t)LD * N * 2 * sizeof(double))
#define SKEW   1008
#define PLACES 4096
#define SPACE  (BYTES + 64 * PLACES + 2 * 4096)

#define TRSM(name, type)                                                                                     \
    extern void name(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, \
                     const int *n, const type *alpha, const void *a, const int *lda, void *b,                \
                     const int *ldb)
TRSM(strsm_, float);
TRSM(dtrsm_, double);
TRSM(ztrsm_, double);
extern void sgetrf_(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
extern void sgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda,
                    const int *ipiv, void *b, const int *ldb, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda,
                    const int *ipiv, void *b, const int *ldb, int *info);
extern void spotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
extern void spotrs_(const char *uplo, const int *n, const int *nrhs, const void *a, const int *lda, void *b,
                    const int *ldb, int *info);
extern void strtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
                    const void *a, const int *lda, void *b, const int *ldb, int *info);
extern void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const float *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                   const float *beta, void *c, const int *ldc);

static unsigned seed = 1;
static const int order = N, ld = LD, sides = SIDES;
static const float one = 1;
static const double factor[2] = {0.7, -0.3};
static int pivots[N], info;

static void *map(void) {
    char *space = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return CASE_CHECK(space != MAP_FAILED) ? space + SKEW : NULL;
}

static void unmap(void *matrix) {
    munmap((char *)matrix - SKEW, SPACE);
}

/* Triangles and factors whose solves lose nothing. doubles: elements are of fp64. */
static void fill(void *matrix, bool doubles) {
    for (size_t i = 0; i < BYTES / (doubles ? sizeof(double) : sizeof(float)); i++) {
        double value = (rand_r(&seed) / (double)RAND_MAX - 0.5) / 100 + (i % (LD + 1) == 0 ? 2 : 0);
        if (doubles)
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
}

static float *new_matrix(void) {
    float *a = map();
    for (int i = 0; i < N; i++)
        pivots[i] = i + 1 + i % 5 * (i < N - 5);
    if (a)
        fill(a, false);
    return a;
}

static struct lava_residents_sums sums(void) {
    struct lava_engine *engine = lava_context_engine();
    struct lava_residents *residents = engine ? engine->device->shared->residents : NULL;
    return residents ? lava_residents_sums(residents) : (struct lava_residents_sums){0};
}

static void by_strsm(const void *a, void *b) {
    strsm_("L", "L", "N", "N", &order, &sides, &one, a, &ld, b, &order);
}
static void by_strsm_right(const void *a, void *b) {
    strsm_("R", "U", "T", "N", &sides, &order, &one, a, &ld, b, &sides);
}
static void by_strsm_unit(const void *a, void *b) {
    strsm_("L", "U", "T", "U", &order, &sides, &one, a, &ld, b, &order);
}
static void by_dtrsm(const void *a, void *b) {
    dtrsm_("L", "U", "N", "N", &order, &sides, factor, a, &ld, b, &order);
}
static void by_ztrsm(const void *a, void *b) {
    ztrsm_("L", "L", "C", "N", &order, &sides, factor, a, &ld, b, &order);
}
static void by_sgetrs(const void *a, void *b) {
    sgetrs_("N", &order, &sides, a, &ld, pivots, b, &order, &info);
}
static void by_sgetrs_transposed(const void *a, void *b) {
    sgetrs_("T", &order, &sides, a, &ld, pivots, b, &order, &info);
}
static void by_dgetrs(const void *a, void *b) {
    dgetrs_("N", &order, &sides, a, &ld, pivots, b, &order, &info);
}
static void by_spotrs(const void *a, void *b) {
    spotrs_("L", &order, &sides, a, &ld, b, &order, &info);
}
static void by_spotrs_upper(const void *a, void *b) {
    spotrs_("U", &order, &sides, a, &ld, b, &order, &info);
}
static void by_strtrs(const void *a, void *b) {
    strtrs_("U", "N", "N", &order, &sides, a, &ld, b, &order, &info);
}
/* Few right-hand sides are vectors. */
static const int few = 3, single = 1;
static void by_sgetrs_few(const void *a, void *b) {
    sgetrs_("N", &order, &few, a, &ld, pivots, b, &order, &info);
}
static void by_dgetrs_single(const void *a, void *b) {
    dgetrs_("T", &order, &single, a, &ld, pivots, b, &order, &info);
}
static void by_spotrs_few(const void *a, void *b) {
    spotrs_("U", &order, &few, a, &ld, b, &order, &info);
}
static void by_spotrs_single(const void *a, void *b) {
    spotrs_("L", &order, &single, a, &ld, b, &order, &info);
}
static void by_strtrs_single(const void *a, void *b) {
    strtrs_("L", "T", "U", &order, &single, a, &ld, b, &order, &info);
}
/* B is read, and the product takes its place. */
static void by_sgemm(const void *a, void *b) {
    static float c[N * SIDES];
    const float zero = 0;
    sgemm_("N", "N", &order, &sides, &order, &one, a, &ld, b, &order, &zero, c, &order);
    memcpy(b, c, sizeof c);
}

typedef void solver(const void *a, void *b);
#define B_BYTES ((size_t)N * SIDES * 2 * sizeof(double))
static bool may_fail; /* calls, on the device */
static bool doubles;  /* the elements are of fp64 */

/* Solves with the matrix, and with one where none has been before, for the same right-hand sides. */
static bool call(solver *solve, const void *a) {
    static atomic_uint places;
    char *space = map(),
         *copy = space ? space + (size_t)(1 + atomic_fetch_add(&places, 1) % PLACES) * 64 : NULL;
    void *b = malloc(B_BYTES), *other = malloc(B_BYTES);
    bool is_good = copy && b && other;
    for (size_t i = 0; is_good && i < B_BYTES / (doubles ? sizeof(double) : sizeof(float)); i++) {
        double value = rand_r(&seed) / (double)RAND_MAX - 0.5;
        if (doubles)
            ((double *)b)[i] = value;
        else
            ((float *)b)[i] = (float)value;
    }
    if (is_good) {
        memcpy(other, b, B_BYTES);
        memcpy(copy, a, doubles ? BYTES : BYTES / 4);
        solve(a, b);
        bool is_there = !strcmp(case_place(NULL), "gpu");
        if (!may_fail) {
            solve(copy, other);
            is_good = is_there && memcmp(b, other, B_BYTES) == 0;
        }
    }
    if (space)
        unmap(space);
    free(b);
    free(other);
    return CASE_CHECK(is_good);
}

static void calls(solver *solve, const void *a, int count) {
    for (int i = 0; i < count; i++)
        call(solve, a);
}

static const struct {
    const char *name;
    solver *solve;
    bool doubles;
} routines[] = {{"strsm", by_strsm, false},
                {"strsm, right", by_strsm_right, false},
                {"strsm, unit", by_strsm_unit, false},
                {"dtrsm", by_dtrsm, true},
                {"ztrsm", by_ztrsm, true},
                {"sgetrs", by_sgetrs, false},
                {"sgetrs, transposed", by_sgetrs_transposed, false},
                {"dgetrs", by_dgetrs, true},
                {"spotrs", by_spotrs, false},
                {"spotrs, upper", by_spotrs_upper, false},
                {"strtrs", by_strtrs, false},
                {"sgetrs, few", by_sgetrs_few, false},
                {"dgetrs, one", by_dgetrs_single, true},
                {"spotrs, few", by_spotrs_few, false},
                {"spotrs, one", by_spotrs_single, false},
                {"strtrs, one", by_strtrs_single, false}};
#define ROUTINES (sizeof routines / sizeof routines[0])

static int stay(void) {
    for (size_t i = 0; i < ROUTINES && !case_result(); i++) {
        void *a = new_matrix();
        const struct lava_residents_sums before = sums();
        doubles = routines[i].doubles;
        if (doubles)
            fill(a, true);
        calls(routines[i].solve, a, CALLS);
        if (!CASE_CHECK(sums().used == before.used + CALLS - 2 && sums().refreshed == before.refreshed))
            fprintf(stderr, "%s: the matrix does not stay\n", routines[i].name);
    }
    CASE_CHECK(sums().differences == 0);
    return case_result();
}

/* One copy serves all kinds, and blocks of it. */
static int kinds_share(void) {
    float *a = new_matrix();
    calls(by_sgetrs, a, 3);
    uint64_t stored = sums().stored, used = sums().used;
    calls(by_strsm, a, 2);
    calls(by_strsm_right, a, 2);
    calls(by_sgemm, a, 2);
    calls(by_spotrs, a, 2);
    calls(by_sgetrs_few, a, 1);
    calls(by_spotrs_few, a, 1);
    calls(by_strtrs_single, a, 1);
    used += 3;
    CASE_CHECK(sums().stored == stored && sums().used == used + 8);
    const int part = N - 6; /* 1 MiB or more */
    float b[2][N * SIDES];
    for (int i = 0; i < N * SIDES; i++)
        b[0][i] = b[1][i] = (float)(i % 17) - 8;
    float *copy = map();
    if (copy)
        memcpy(copy, a, BYTES);
    for (int i = 0; i < 2 && copy; i++)
        strsm_("L", "L", "N", "N", &part, &sides, &one, (i ? copy : a) + 4 * LD + 4, &ld, b[i], &order);
    CASE_CHECK(memcmp(b[0], b[1], sizeof b[0]) == 0);
    CASE_CHECK(sums().used == used + 9 && sums().differences == 0);
    return case_result();
}

/* The ends of the matrix and of its whole pages, its diagonal, and both triangles. */
static int changed_elements(void) {
    float *a = new_matrix();
    const size_t places[] = {0,
                             1,
                             (4096 - SKEW) / sizeof(float) - 1,
                             (4096 - SKEW) / sizeof(float),
                             N - 1,
                             260 * (LD + 1),
                             260 * LD + 17,
                             17 * LD + 260,
                             (N - 1) * (size_t)LD,
                             (N - 1) * (size_t)(LD + 1)};
    static solver *const solvers[] = {by_sgetrs, by_spotrs, by_strsm_right, by_sgetrs_few, by_spotrs_single};
    for (size_t j = 0; j < sizeof solvers / sizeof solvers[0]; j++) {
        calls(solvers[j], a, 3);
        for (size_t i = j; i < sizeof places / sizeof places[0]; i += j ? 3 : 1) {
            uint64_t refreshed = sums().refreshed;
            a[places[i]] += 0.25f;
            call(solvers[j], a);
            CASE_CHECK(sums().refreshed == refreshed + 1);
            call(solvers[j], a);
            CASE_CHECK(sums().refreshed == refreshed + 1);
            a[places[i]] -= 0.25f;
        }
    }
    CASE_CHECK(sums().stored == 1 && sums().differences == 0);
    return case_result();
}

static bool factor_anew(float *a) {
    sgetrf_(&order, &order, a, &ld, pivots, &info);
    return CASE_CHECK(info == 0 && (may_fail || !strcmp(case_place(NULL), "gpu")));
}

/* The device has a copy of the second factors when the call ends, without an upload. */
static int factored_anew(void) {
    float *a = new_matrix();
    for (int round = 0; round < 4; round++) {
        fill(a, false);
        factor_anew(a);
        const struct lava_residents_sums before = sums();
        calls(round % 2 ? by_sgetrs_transposed : by_sgetrs, a, 3);
        call(by_strsm, a);
        call(by_sgemm, a);
        if (round == 0)
            continue;
        CASE_CHECK(before.stored == (uint64_t)round + 1 && sums().stored == before.stored);
        CASE_CHECK(sums().used == before.used + 5 && sums().refreshed == before.refreshed);
        a[round * 50000 + 5] += 0.125f;
        call(by_sgetrs, a);
        CASE_CHECK(sums().refreshed == before.refreshed + 1);
    }
    factor_anew(a); /* nothing was written since */
    call(by_sgetrs, a);
    CASE_CHECK(sums().differences == 0);
    return case_result();
}

/* The same if few right-hand sides are all that is solved for. */
static int factored_for_few(void) {
    float *a = new_matrix();
    for (int round = 0; round < 4; round++) {
        fill(a, false);
        factor_anew(a);
        const struct lava_residents_sums before = sums();
        calls(by_sgetrs_few, a, 2);
        if (round > 0)
            CASE_CHECK(before.stored == (uint64_t)round + 1 && sums().stored == before.stored &&
                       sums().used == before.used + 2 && sums().refreshed == before.refreshed);
    }
    CASE_CHECK(sums().differences == 0);
    return case_result();
}

/* The copy of a Cholesky factor has one triangle. Who reads another one, or all, does without. */
static int one_triangle(void) {
    float *a = new_matrix();
    for (int round = 0; round < 4; round++) {
        const char *triangle = round % 2 ? "U" : "L";
        solver *solve = round % 2 ? by_spotrs_upper : by_spotrs,
               *other = round % 2 ? by_spotrs : by_spotrs_upper;
        fill(a, false);
        spotrf_(triangle, &order, a, &ld, &info);
        CASE_CHECK(info == 0 && !strcmp(case_place(NULL), "gpu"));
        const struct lava_residents_sums before = sums();
        call(solve, a);
        call(round % 2 ? by_spotrs_few : by_spotrs_single, a);
        if (round > 0)
            CASE_CHECK(sums().used == before.used + 2 && sums().refreshed == before.refreshed);
        calls(other, a, 2);
        calls(by_sgemm, a, 2);
        calls(round % 2 ? by_strsm_right : by_strsm, a, 2);
        CASE_CHECK(sums().used >= before.used + 4);
        a[17 * LD + 260] += 0.125f;
        a[260 * LD + 17] += 0.125f;
        call(solve, a);
        call(by_sgemm, a);
    }
    fill(a, false);
    a[300 * (LD + 1)] = -5; /* it is not definite */
    spotrf_("L", &order, a, &ld, &info);
    CASE_CHECK(info == 301);
    calls(by_strsm, a, 3);
    CASE_CHECK(sums().differences == 0);
    return case_result();
}

/* As the estimates have it. */
static int automatic(void) {
    float *a = new_matrix();
    for (int round = 0; round < 6; round++) {
        fill(a, false);
        factor_anew(a);
        calls(by_sgetrs, a, 5);
    }
    CASE_CHECK(sums().stored > 0 && sums().used > 10);
    return case_result();
}

static int failing_factors(void) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "allocate", "download"};
    float *a = new_matrix();
    factor_anew(a);
    call(by_sgetrs, a);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 7; passage++) {
            char text[32];
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            fill(a, false);
            may_fail = true;
            CASE_CHECK(lava_fault_set(text));
            factor_anew(a);
            call(by_sgetrs, a);
            CASE_CHECK(lava_fault_set(NULL));
            may_fail = false;
            calls(by_sgetrs, a, 2);
        }
    CASE_CHECK(sums().stored > 1 && sums().differences == 0);
    return case_result();
#else
    return CASE_SKIPPED;
#endif
}

/* A program that only factors has no copies. */
static int never_read(void) {
    float *a = new_matrix();
    for (int round = 0; round < 5; round++) {
        fill(a, false);
        factor_anew(a);
    }
    CASE_CHECK(sums().stored == 0);
    return case_result();
}

/* Threads have one copy. Nothing is written meanwhile. */
static const float *shared;
static void *solve_often(void *solve) {
    for (int i = 0; i < 5; i++)
        call(*(solver **)solve, shared);
    return NULL;
}

static int threads(void) {
    solver *solvers[] = {by_sgetrs_few, by_sgetrs, by_strsm, by_sgetrs_few};
    float *a = new_matrix();
    shared = a;
    for (int turn = 0; turn < 3; turn++) {
        pthread_t thread[2];
        a[turn * 777] += 0.125f;
        for (int i = 0; i < 2; i++)
            CASE_CHECK(pthread_create(&thread[i], NULL, solve_often, &solvers[turn + i]) == 0);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    CASE_CHECK(sums().used > 12 && sums().differences == 0);
    return case_result();
}

/* A copy that a failed call was filling is no copy. */
static int failing(void) {
#ifdef LAVA_FAULT_INJECTION
    static const char *const points[] = {"upload", "submit", "allocate", "download"};
    static solver *const solvers[] = {by_sgetrs, by_strsm, by_sgetrs_few};
    float *a = new_matrix();
    call(by_sgetrs, a);
    call(by_sgetrs_few, a); /* has another preparation */
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        for (int passage = 1; passage < 7; passage++) {
            solver *solve = solvers[passage % 3];
            char text[32];
            snprintf(text, sizeof text, "%s:%d", points[i], passage);
            a[(size_t)passage * 5000 + i] += 0.125f;
            may_fail = true;
            CASE_CHECK(lava_fault_set(text));
            calls(solve, a, 2);
            CASE_CHECK(lava_fault_set(NULL));
            may_fail = false;
            calls(solve, a, 2);
        }
    CASE_CHECK(sums().stored > 1 && sums().differences == 0);
    return case_result();
#else
    return CASE_SKIPPED;
#endif
}

/* Little memory: copies go for others, and for the solves' own. */
static int evicted(void) {
    float *matrices[4];
    for (int i = 0; i < 4; i++)
        matrices[i] = new_matrix();
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 4; i++) {
            matrices[i][turn * 2000 + i] += 0.125f;
            calls(turn % 2 ? by_strsm : by_sgetrs, matrices[i], 3);
        }
    CASE_CHECK(sums().evicted > 0 && sums().differences == 0);
    return case_result();
}

#define CHECK "LAVABLAS_RESIDENT=check", "LAVABLAS_MODE=gpu"
/* By the layer of tests/layer/. */
#define DISCRETE "VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test", "LAVABLAS_TEST_LAYER=memory=discrete"
static const struct test_case cases[] = {
    {"stay", stay, .variables = {CHECK}},
    {"kinds_share", kinds_share, .variables = {CHECK}},
    {"changed_elements", changed_elements, .variables = {CHECK}},
    {"factored_anew", factored_anew, .variables = {CHECK}},
    {"factored_for_few", factored_for_few, .variables = {CHECK}},
    {"one_triangle", one_triangle, .variables = {CHECK}},
    {"automatic", automatic, .variables = {"LAVABLAS_RESIDENT=auto", "LAVABLAS_MODE=gpu"}},
    {"never_read", never_read, .variables = {CHECK}},
    {"failing_factors", failing_factors, .lines = -1, .variables = {CHECK}},
    {"threads", threads, .variables = {CHECK, "LAVABLAS_LANES=2"}},
    {"failing", failing, .lines = -1, .variables = {CHECK}},
    {"evicted", evicted, .variables = {CHECK, "LAVABLAS_MEMORY=8M"}},
    {"discrete_stay", stay, .variables = {CHECK, DISCRETE}},
    {"discrete_changed_elements", changed_elements, .variables = {CHECK, DISCRETE}},
    {"discrete_factored_anew", factored_anew, .variables = {CHECK, DISCRETE}},
    {"discrete_one_triangle", one_triangle, .variables = {CHECK, DISCRETE}},
    {"discrete_failing", failing, .lines = -1, .variables = {CHECK, DISCRETE}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return cases_main(argument_count, arguments, cases);
}
