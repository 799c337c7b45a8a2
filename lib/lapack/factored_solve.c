/* Leads the parts of a solve to the device or to the CPU, one after the other: the factorization, and two
 * solves with triangular matrices. The rows of B are swapped on the CPU. If no device takes the first part,
 * nothing was written and the CPU's own routine gets the call; the later ones are computed where it is worth
 * it. */
#include "lib/lapack/factored_solve.h"

#include "lib/blas/parts.h"
#include "lib/host/cholesky.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/lu.h"

/* B <- the X with op(T) X = B, for a triangle T of the factors. */
static struct lava_operation triangle_of(const struct lava_factored_solve *solve, enum lava_region stored,
                                         enum lava_op op, bool conjugate) {
    const struct lava_operation *factors = &solve->factorization;
    bool is_lu = factors->kind == LAVA_OPERATION_LU;
    return (struct lava_operation){.kind = LAVA_OPERATION_SOLVE,
                                   .type = factors->type,
                                   .m = factors->n,
                                   .n = solve->sides,
                                   .k = factors->n,
                                   .a = {.first = factors->c.first,
                                         .ld = factors->c.ld,
                                         .op = op,
                                         .conjugate = conjugate,
                                         .structure = LAVA_STRUCTURE_TRIANGULAR,
                                         .stored = stored,
                                         .unit_diagonal = is_lu && stored == LAVA_REGION_LOWER},
                                   .b = {.first = solve->b, .ld = solve->ldb},
                                   .c = {.first = solve->b, .ld = solve->ldb, .type = factors->type},
                                   .alpha.real = 1};
}

/* The two solves, in order: with L and then U for LU, with U' and then L' if A is transposed; with L and then
 * L', or with U' and then U, for Cholesky. */
static void make_solves(const struct lava_factored_solve *solve, struct lava_operation solves[2]) {
    enum lava_type type = solve->factorization.type;
    bool is_lu = solve->factorization.kind == LAVA_OPERATION_LU, is_complex = lava_type_is_complex(type);
    enum lava_region stored = solve->factorization.c.region;
    if (is_lu) {
        bool is_n = solve->op == LAVA_OP_N;
        solves[0] =
            triangle_of(solve, is_n ? LAVA_REGION_LOWER : LAVA_REGION_UPPER, solve->op, solve->conjugate);
        solves[1] =
            triangle_of(solve, is_n ? LAVA_REGION_UPPER : LAVA_REGION_LOWER, solve->op, solve->conjugate);
    } else {
        int plain = stored == LAVA_REGION_LOWER ? 0 : 1;
        solves[plain] = triangle_of(solve, stored, LAVA_OP_N, false);
        solves[1 - plain] = triangle_of(solve, stored, LAVA_OP_T, is_complex);
    }
}

/* P comes before L, and its inverse after L'. */
static void swap_rows(const struct lava_factored_solve *solve, bool before_solves, bool undo) {
    const struct lava_operation *factors = &solve->factorization;
    bool is_n = solve->op == LAVA_OP_N;
    const struct lava_swaps swaps = {.type = factors->type,
                                     .matrix = solve->b,
                                     .ld = solve->ldb,
                                     .columns = solve->sides,
                                     .pivots = factors->pivots,
                                     .end = factors->n,
                                     .backwards = is_n == undo};
    if (factors->kind == LAVA_OPERATION_LU && is_n == before_solves)
        lava_lu_swap_rows(&swaps);
}

static bool try_part(struct lava_call *call, const struct lava_operation *operation, int64_t *info) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *operation};
    bool finished = lava_parts_try(call, &part);
    *info = part.info;
    return finished;
}

/* On the device, or on the CPU. */
static void run(struct lava_call *call, const struct lava_operation *operation) {
    int64_t unused;
    if (!try_part(call, operation, &unused))
        lava_cpu_blas_run(lava_cpu_blas_get(), operation);
}

/* B's rows are where L needs them. */
static void finish(struct lava_call *call, const struct lava_factored_solve *solve,
                   const struct lava_operation solves[2], int first) {
    for (int i = first; i < 2; i++)
        run(call, &solves[i]);
    swap_rows(solve, false, false);
}

bool lava_factored_solve_begin(struct lava_call *call, const struct lava_factored_solve *solve) {
    struct lava_operation solves[2];
    if (!call->valid)
        return lava_offload_begin(call); /* which says so */
    make_solves(solve, solves);
    call->operation = solve->factors ? solve->factorization : solves[0];
    if (solve->factors && !try_part(call, &solve->factorization, &call->info))
        return false;
    if (solve->factors && (call->info || solve->sides == 0))
        return true;
    swap_rows(solve, true, false);
    if (!solve->factors && !try_part(call, &solves[0], &call->info)) {
        swap_rows(solve, true, true);
        return false;
    }
    finish(call, solve, solves, solve->factors ? 0 : 1);
    return true;
}

int64_t lava_factored_solve_run(const struct lava_factored_solve *solve) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    const struct lava_operation *factorization = &solve->factorization;
    struct lava_operation solves[2];
    int64_t info = 0;
    if (solve->factors)
        info = factorization->kind == LAVA_OPERATION_LU
                   ? lava_lu_run(blas, factorization, 0, factorization->pivots)
                   : lava_cholesky_run(blas, factorization, 0);
    if (info || solve->sides == 0)
        return info;
    make_solves(solve, solves);
    swap_rows(solve, true, false);
    for (int i = 0; i < 2; i++)
        lava_cpu_blas_run(blas, &solves[i]);
    swap_rows(solve, false, false);
    return 0;
}
