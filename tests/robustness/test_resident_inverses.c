/* Matrices that stay and are inverted in place, as LAVABLAS_RESIDENT=check stores them: each inverse has the
 * bits of that of a matrix in other memory, and what stood there before is never read again. */
#include "tests/robustness/resident_solves.h"

#include <stdio.h>
#include <string.h>

#include "tests/robustness/layer.h"

extern void sgetri_(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork,
                    int *info);
extern void zgetri_(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork,
                    int *info);
extern void spotri_(const char *uplo, const int *n, void *a, const int *lda, int *info);
extern void strtri_(const char *uplo, const char *diag, const int *n, void *a, const int *lda, int *info);
extern void slauum_(const char *uplo, const int *n, void *a, const int *lda, int *info);
extern void sgesv_(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv, void *b, const int *ldb,
                   int *info);
extern void sposv_(const char *uplo, const int *n, const int *nrhs, void *a, const int *lda, void *b,
                   const int *ldb, int *info);

static double work[N * 2];
static const int work_size = N;
static void by_sgetri(void *a) {
    sgetri_(&solves_order, a, &solves_ld, solves_pivots, work, &work_size, &solves_info);
}
static void by_zgetri(void *a) {
    zgetri_(&solves_order, a, &solves_ld, solves_pivots, work, &work_size, &solves_info);
}
static void by_spotri(void *a) {
    spotri_("L", &solves_order, a, &solves_ld, &solves_info);
}
static void by_spotri_upper(void *a) {
    spotri_("U", &solves_order, a, &solves_ld, &solves_info);
}
static void by_strtri(void *a) {
    strtri_("U", "N", &solves_order, a, &solves_ld, &solves_info);
}
static void by_strtri_unit(void *a) {
    strtri_("L", "U", &solves_order, a, &solves_ld, &solves_info);
}
static void by_slauum(void *a) {
    slauum_("L", &solves_order, a, &solves_ld, &solves_info);
}

typedef void inverter(void *a);
static const struct {
    const char *name;
    inverter *invert;
    solves_with *solve; /* reads the same matrix before and after */
    bool doubles;
} inverters[] = {{"sgetri", by_sgetri, solves_by_sgetrs, false},
                 {"zgetri", by_zgetri, solves_by_ztrsm, true},
                 {"spotri", by_spotri, solves_by_spotrs, false},
                 {"spotri, upper", by_spotri_upper, solves_by_spotrs_upper, false},
                 {"strtri", by_strtri, solves_by_strtrs, false},
                 {"strtri, unit", by_strtri_unit, solves_by_sgetrs, false},
                 {"slauum", by_slauum, solves_by_strsm, false}};
#define INVERTERS (sizeof inverters / sizeof inverters[0])

/* Inverts the matrix, and one where none has been before. */
static void invert(size_t i, void *a) {
    void *other = solves_map();
    if (!other)
        return;
    memcpy(other, a, BYTES);
    inverters[i].invert(a);
    bool is_there = solves_info == 0 && (solves_may_fail || !strcmp(case_place(NULL), "gpu"));
    inverters[i].invert(other);
    CASE_CHECK(is_there && solves_info == 0 && (solves_may_fail || memcmp(a, other, BYTES) == 0));
    solves_unmap(other);
}

/* An inverse takes the place of the matrix that stays: the device has that already, and its copy goes before
 * pages are written. */
static int inverses(void) {
    for (size_t i = 0; i < INVERTERS && !case_result(); i++) {
        float *a = solves_new();
        solves_doubles = inverters[i].doubles;
        solves_fill(a, solves_doubles);
        for (int round = 0; round < 2; round++) {
            solves_calls(inverters[i].solve, a, 3);
            const struct lava_residents_sums before = solves_sums();
            a[round * 7000] *= 1.25f; /* what was written since goes up */
            invert(i, a);
            bool is_read =
                solves_sums().used == before.used + 1 && solves_sums().refreshed == before.refreshed + 1;
            if (!CASE_CHECK(is_read && solves_sums().forgotten == before.forgotten))
                fprintf(stderr, "%s: the matrix is not read where it stays\n", inverters[i].name);
            solves_call(inverters[i].solve, a);
            CASE_CHECK(solves_sums().used == before.used + 1 && solves_sums().forgotten == before.forgotten);
            solves_fill(a, solves_doubles);
        }
        solves_unmap(a);
    }
    CASE_CHECK(solves_sums().differences == 0 && solves_sums().stored == 2 * INVERTERS);
    return case_result();
}

/* A block of a matrix that stays is inverted: the rest of the copy holds. */
static int inverse_of_a_block(void) {
    const int part = N - 6; /* 1 MiB or more */
    float *a = solves_new(), *other = solves_map();
    if (!other)
        return 1;
    solves_calls(solves_by_sgetrs, a, 3);
    const struct lava_residents_sums before = solves_sums();
    memcpy(other, a, BYTES);
    spotri_("L", &part, a + 4 * LD + 4, &solves_ld, &solves_info);
    CASE_CHECK(solves_info == 0 && solves_sums().used == before.used + 1);
    spotri_("L", &part, other + 4 * LD + 4, &solves_ld, &solves_info);
    CASE_CHECK(memcmp(a, other, BYTES) == 0);
    solves_calls(solves_by_sgetrs, a, 3);
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* From the third round on the factors do not go up to be inverted. */
static int factored_and_inverted(void) {
    float *a = solves_new(), *other = solves_map();
    for (int round = 0; round < 4 && other; round++) {
        solves_fill(a, false);
        bool is_cholesky = round % 2;
        const struct lava_residents_sums before = solves_sums();
        if (is_cholesky)
            spotrf_("L", &solves_order, a, &solves_ld, &solves_info);
        else
            solves_factor(a);
        CASE_CHECK(solves_info == 0 && solves_sums().stored == before.stored + (round > 0));
        memcpy(other, a, BYTES);
        invert(is_cholesky ? 2 : 0, a);
        CASE_CHECK(solves_sums().used == before.used + (round > 0) &&
                   solves_sums().refreshed == before.refreshed);
        CASE_CHECK(solves_sums().forgotten == 0);
    }
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* What ?gesv and ?posv leave is read as what ?getrf and ?potrf leave. */
static int solved_and_solved_again(void) {
    static float b[N * SIDES];
    float *a = solves_new();
    for (int round = 0; round < 4; round++) {
        bool is_cholesky = round % 2;
        solves_fill(a, false);
        if (is_cholesky)
            sposv_("L", &solves_order, &solves_sides, a, &solves_ld, b, &solves_order, &solves_info);
        else
            sgesv_(&solves_order, &solves_sides, a, &solves_ld, solves_pivots, b, &solves_order,
                   &solves_info);
        CASE_CHECK(solves_info == 0 && !strcmp(case_place(NULL), "gpu"));
        const struct lava_residents_sums before = solves_sums();
        solves_calls(is_cholesky ? solves_by_spotrs : solves_by_sgetrs, a, 2);
        CASE_CHECK(round == 0 || solves_sums().used == before.used + 2);
        CASE_CHECK(solves_sums().refreshed == 0);
    }
    CASE_CHECK(solves_sums().differences == 0);
    return case_result();
}

/* ?getri or ?trtri. */
static size_t inverter_of(int passage) {
    return passage % 2 ? 0 : 4;
}

static void store(float *a, int passage) {
    solves_fill(a, false);
    solves_calls(inverters[inverter_of(passage)].solve, a, 3);
}

static void invert_one(float *a, int passage) {
    invert(inverter_of(passage), a);
}

static int failing_inverses(void) {
    static solves_with *const solvers[] = {solves_by_sgetrs, solves_by_strtrs};
    return solves_fail(store, invert_one, solvers);
}

static const struct test_case cases[] = {
    {"inverses", inverses, .variables = {CHECK}},
    {"inverse_of_a_block", inverse_of_a_block, .variables = {CHECK}},
    {"factored_and_inverted", factored_and_inverted, .variables = {CHECK}},
    {"solved_and_solved_again", solved_and_solved_again, .variables = {CHECK}},
    {"failing_inverses", failing_inverses, .lines = -1, .variables = {CHECK}},
    {"discrete_inverses", inverses, .variables = {CHECK, DISCRETE}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return cases_main(argument_count, arguments, cases);
}
