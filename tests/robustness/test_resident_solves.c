/* Triangles and factors that stay on the device between calls, as LAVABLAS_RESIDENT=check stores them: the
 * result of each solve has the bits of the same solve with a matrix in other memory, which has no copy. The
 * library is linked in, so that its copies can be counted. */
#include "tests/robustness/resident_solves.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/robustness/layer.h"

static const struct {
    const char *name;
    solves_with *solve;
    bool doubles;
} routines[] = {{"strsm", solves_by_strsm, false},
                {"strsm, right", solves_by_strsm_right, false},
                {"strsm, unit", solves_by_strsm_unit, false},
                {"dtrsm", solves_by_dtrsm, true},
                {"ztrsm", solves_by_ztrsm, true},
                {"sgetrs", solves_by_sgetrs, false},
                {"sgetrs, transposed", solves_by_sgetrs_transposed, false},
                {"dgetrs", solves_by_dgetrs, true},
                {"spotrs", solves_by_spotrs, false},
                {"spotrs, upper", solves_by_spotrs_upper, false},
                {"strtrs", solves_by_strtrs, false},
                {"sgetrs, few", solves_by_sgetrs_few, false},
                {"dgetrs, one", solves_by_dgetrs_single, true},
                {"spotrs, few", solves_by_spotrs_few, false},
                {"spotrs, one", solves_by_spotrs_single, false},
                {"strtrs, one", solves_by_strtrs_single, false}};
#define ROUTINES (sizeof routines / sizeof routines[0])

static int stay(void) {
    for (size_t i = 0; i < ROUTINES && !case_result(); i++) {
        void *a = solves_new();
        const struct lava_residents_sums before = solves_sums();
        solves_doubles = routines[i].doubles;
        if (solves_doubles)
            solves_fill(a, true);
        solves_calls(routines[i].solve, a, CALLS);
        if (!CASE_CHECK(solves_sums().used == before.used + CALLS - 2 &&
                        solves_sums().refreshed == before.refreshed))
            fprintf(stderr, "%s: the matrix does not stay\n", routines[i].name);
    }
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* One copy serves all kinds, and blocks of it. */
static int kinds_share(void) {
    float *a = solves_new();
    solves_calls(solves_by_sgetrs, a, 3);
    uint64_t stored = solves_sums().stored, used = solves_sums().used;
    solves_calls(solves_by_strsm, a, 2);
    solves_calls(solves_by_strsm_right, a, 2);
    solves_calls(solves_by_sgemm, a, 2);
    solves_calls(solves_by_spotrs, a, 2);
    solves_call(solves_by_sgetrs_few, a);
    solves_call(solves_by_spotrs_few, a);
    solves_call(solves_by_strtrs_single, a);
    used += 3;
    CASE_CHECK(solves_sums().stored == stored && solves_sums().used == used + 8);
    const int part = N - 6; /* 1 MiB or more */
    float b[2][N * SIDES];
    for (int i = 0; i < N * SIDES; i++)
        b[0][i] = b[1][i] = (float)(i % 17) - 8;
    float *copy = solves_map();
    if (copy)
        memcpy(copy, a, BYTES);
    for (int i = 0; i < 2 && copy; i++)
        strsm_("L", "L", "N", "N", &part, &solves_sides, &solves_one, (i ? copy : a) + 4 * LD + 4, &solves_ld,
               b[i], &solves_order);
    CASE_CHECK(memcmp(b[0], b[1], sizeof b[0]) == 0);
    CASE_CHECK(solves_sums().used == used + 9 && solves_sums().differences == 0);
    return case_result();
}

/* The ends of the matrix and of its whole pages, its diagonal, and both triangles. */
static int changed_elements(void) {
    float *a = solves_new();
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
    static solves_with *const solvers[] = {solves_by_sgetrs, solves_by_spotrs, solves_by_strsm_right,
                                           solves_by_sgetrs_few, solves_by_spotrs_single};
    for (size_t j = 0; j < sizeof solvers / sizeof solvers[0]; j++) {
        solves_calls(solvers[j], a, 3);
        for (size_t i = j; i < sizeof places / sizeof places[0]; i += j ? 3 : 1) {
            uint64_t refreshed = solves_sums().refreshed;
            a[places[i]] += 0.25f;
            solves_call(solvers[j], a);
            CASE_CHECK(solves_sums().refreshed == refreshed + 1);
            solves_call(solvers[j], a);
            CASE_CHECK(solves_sums().refreshed == refreshed + 1);
            a[places[i]] -= 0.25f;
        }
    }
    CASE_CHECK(solves_sums().stored == 1 && solves_sums().differences == 0);
    return case_result();
}

/* The device has a copy of the second factors when the call ends, without an upload. */
static int factored_anew(void) {
    float *a = solves_new();
    for (int round = 0; round < 4; round++) {
        solves_fill(a, false);
        solves_factor(a);
        const struct lava_residents_sums before = solves_sums();
        solves_calls(round % 2 ? solves_by_sgetrs_transposed : solves_by_sgetrs, a, 3);
        solves_call(solves_by_strsm, a);
        solves_call(solves_by_sgemm, a);
        if (round == 0)
            continue;
        CASE_CHECK(before.stored == (uint64_t)round + 1 && solves_sums().stored == before.stored);
        CASE_CHECK(solves_sums().used == before.used + 5 && solves_sums().refreshed == before.refreshed);
        a[round * 50000 + 5] += 0.125f;
        solves_call(solves_by_sgetrs, a);
        CASE_CHECK(solves_sums().refreshed == before.refreshed + 1);
    }
    solves_factor(a); /* nothing was written since */
    solves_call(solves_by_sgetrs, a);
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* The same if few right-hand sides are all that is solved for. */
static int factored_for_few(void) {
    float *a = solves_new();
    for (int round = 0; round < 4; round++) {
        solves_fill(a, false);
        solves_factor(a);
        const struct lava_residents_sums before = solves_sums();
        solves_calls(solves_by_sgetrs_few, a, 2);
        if (round > 0)
            CASE_CHECK(before.stored == (uint64_t)round + 1 && solves_sums().stored == before.stored &&
                       solves_sums().used == before.used + 2 && solves_sums().refreshed == before.refreshed);
    }
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* The copy of a Cholesky factor has one triangle. Who reads another one, or all, does without. */
static int one_triangle(void) {
    float *a = solves_new();
    for (int round = 0; round < 4; round++) {
        const char *triangle = round % 2 ? "U" : "L";
        solves_with *solve = round % 2 ? solves_by_spotrs_upper : solves_by_spotrs,
                    *other = round % 2 ? solves_by_spotrs : solves_by_spotrs_upper;
        solves_fill(a, false);
        spotrf_(triangle, &solves_order, a, &solves_ld, &solves_info);
        CASE_CHECK(solves_info == 0 && !strcmp(case_place(NULL), "gpu"));
        const struct lava_residents_sums before = solves_sums();
        solves_call(solve, a);
        solves_call(round % 2 ? solves_by_spotrs_few : solves_by_spotrs_single, a);
        if (round > 0)
            CASE_CHECK(solves_sums().used == before.used + 2 && solves_sums().refreshed == before.refreshed);
        solves_calls(other, a, 2);
        solves_calls(solves_by_sgemm, a, 2);
        solves_calls(round % 2 ? solves_by_strsm_right : solves_by_strsm, a, 2);
        CASE_CHECK(solves_sums().used >= before.used + 4);
        a[17 * LD + 260] += 0.125f;
        a[260 * LD + 17] += 0.125f;
        solves_call(solve, a);
        solves_call(solves_by_sgemm, a);
    }
    solves_fill(a, false);
    a[300 * (LD + 1)] = -5; /* it is not definite */
    spotrf_("L", &solves_order, a, &solves_ld, &solves_info);
    CASE_CHECK(solves_info == 301);
    solves_calls(solves_by_strsm, a, 3);
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* As the estimates have it. */
static int automatic(void) {
    float *a = solves_new();
    for (int round = 0; round < 6; round++) {
        solves_fill(a, false);
        solves_factor(a);
        solves_calls(solves_by_sgetrs, a, 5);
    }
    CASE_CHECK(solves_sums().stored > 0 && solves_sums().used > 10);
    return case_result();
}

static void fill_anew(float *a, int passage) {
    (void)passage;
    solves_fill(a, false);
}

static void factor_and_solve(float *a, int passage) {
    (void)passage;
    solves_factor(a);
    solves_call(solves_by_sgetrs, a);
}

static int failing_factors(void) {
    static solves_with *const solvers[] = {solves_by_sgetrs, solves_by_sgetrs};
    return solves_fail(fill_anew, factor_and_solve, solvers);
}

/* A program that only factors has no copies. */
static int never_read(void) {
    float *a = solves_new();
    for (int round = 0; round < 5; round++) {
        solves_fill(a, false);
        solves_factor(a);
    }
    CASE_CHECK(solves_sums().stored == 0);
    return case_result();
}

/* Threads have one copy. Nothing is written meanwhile. Few right-hand sides would go to the CPU while another
 * thread brings the copy up to date. */
static const float *shared;
static void *solve_often(void *solve) {
    for (int i = 0; i < 5; i++)
        solves_call(*(solves_with **)solve, shared);
    return NULL;
}

static int threads(void) {
    solves_with *solvers[] = {solves_by_sgetrs, solves_by_sgetrs, solves_by_strsm, solves_by_sgetrs};
    float *a = solves_new();
    shared = a;
    for (int turn = 0; turn < 3; turn++) {
        pthread_t thread[2];
        a[turn * 777] += 0.125f;
        for (int i = 0; i < 2; i++)
            CASE_CHECK(pthread_create(&thread[i], NULL, solve_often, &solvers[turn + i]) == 0);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    CASE_CHECK(solves_sums().used > 12 && solves_sums().differences == 0);
    return case_result();
}

/* A copy that a failed call was filling is no copy. */
static solves_with *const failing_solvers[] = {solves_by_sgetrs_few, solves_by_strsm};
static void do_nothing(float *a, int passage) {
    (void)a;
    (void)passage;
}

static void call_twice(float *a, int passage) {
    solves_calls(failing_solvers[passage % 2 == 0], a, 2);
}

static int failing(void) {
    return solves_fail(do_nothing, call_twice, failing_solvers);
}

/* Little memory: copies go for others, and for the solves' own. */
static int evicted(void) {
    float *matrices[4];
    for (int i = 0; i < 4; i++)
        matrices[i] = solves_new();
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 4; i++) {
            matrices[i][turn * 2000 + i] += 0.125f;
            solves_calls(turn % 2 ? solves_by_strsm : solves_by_sgetrs, matrices[i], 3);
        }
    CASE_CHECK(solves_sums().evicted > 0 && solves_sums().differences == 0);
    return case_result();
}

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
