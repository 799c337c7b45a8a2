/* Finds and calls the CPU's own routines. Called by lib/blas/by_products.c for the small parts of large
 * operations, and by lib/calibrate/own_routines.c. */
#include "lib/host/own_routine.h"

#include <stdio.h>
#include <string.h>

#include "lib/host/fortran_lists.h"

lava_function *lava_own_routine_find(const struct lava_cpu_blas *blas, const char *name, bool *is_wide) {
    lava_function *found = NULL;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        const struct lava_routine_row *row = lava_routine_row(routine);
        if (row->convention != LAVA_CONVENTION_FORTRAN || strcmp(row->routine, name) != 0 ||
            (lava_routine_is_plain(routine) && !blas->serves_plain_names))
            continue;
        lava_function *function = lava_cpu_blas_routine(routine);
        bool is_beside = lava_cpu_blas_is_beside(routine);
        if (function && (!found || is_beside)) {
            found = function;
            *is_wide = row->is_ilp64 || lava_cpu_blas_is_wide(routine);
        }
        if (is_beside)
            break;
    }
    return found;
}

/* A routine and what it gets. */
struct task {
    lava_function *function;
    bool is_wide;
    const struct lava_operation *operation;
};

static const char *letter_of(enum lava_region region) {
    return region == LAVA_REGION_LOWER ? "L" : "U";
}

static const char *letter_of_op(const struct lava_operand *operand) {
    return operand->op == LAVA_OP_N ? "N" : operand->conjugate ? "C" : "T";
}

/* ?symm and ?hemm */
static void call_symm(const struct task *task, int64_t *info) {
    const struct lava_operation *x = task->operation;
    bool is_left = x->a.structure != LAVA_STRUCTURE_GENERAL;
    const struct lava_operand *symmetric = is_left ? &x->a : &x->b, *general = is_left ? &x->b : &x->a;
    (void)info;
    ((lava_fortran_two *)task->function)(is_left ? "L" : "R", letter_of(symmetric->stored), &x->m, &x->n,
                                         &x->alpha, symmetric->first, &symmetric->ld, general->first,
                                         &general->ld, &x->beta, x->c.first, &x->c.ld, 1, 1);
}

/* ?trmm and ?trsm */
static void call_triangle(const struct task *task, int64_t *info) {
    const struct lava_operation *x = task->operation;
    bool is_left = x->a.structure != LAVA_STRUCTURE_GENERAL;
    const struct lava_operand *triangle = is_left ? &x->a : &x->b;
    (void)info;
    ((lava_fortran_triangle *)task->function)(is_left ? "L" : "R", letter_of(triangle->stored),
                                              letter_of_op(triangle), triangle->unit_diagonal ? "U" : "N",
                                              &x->m, &x->n, &x->alpha, triangle->first, &triangle->ld,
                                              x->c.first, &x->c.ld, 1, 1, 1, 1);
}

/* ?syrk and ?herk, which has real scalars */
static void call_syrk(const struct task *task, int64_t *info) {
    const struct lava_operation *x = task->operation;
    const char *trans = x->a.op == LAVA_OP_N ? "N" : x->c.real_diagonal ? "C" : "T";
    (void)info;
    ((lava_fortran_syrk *)task->function)(letter_of(x->c.region), trans, &x->n, &x->k, &x->alpha, x->a.first,
                                          &x->a.ld, &x->beta, x->c.first, &x->c.ld, 1, 1);
}

static void call_potrf(const struct task *task, int64_t *info) {
    const struct lava_operation *x = task->operation;
    ((lava_fortran_potrf *)task->function)(letter_of(x->c.region), &x->n, x->c.first, &x->c.ld, info, 1);
}

/* The pivots come as the routine's integers, from 1 on. They lie in the caller's memory, which has room for
 * the wider ones, and are read before they are overwritten. */
static void call_getrf(const struct task *task, int64_t *info) {
    const struct lava_operation *x = task->operation;
    ((lava_fortran_getrf *)task->function)(&x->m, &x->n, x->c.first, &x->c.ld, x->pivots, info);
    for (int64_t i = x->n - 1; i >= 0; i--) {
        int32_t narrow;
        memcpy(&narrow, (const char *)x->pivots + i * (int64_t)sizeof narrow, sizeof narrow);
        x->pivots[i] = (task->is_wide ? x->pivots[i] : narrow) - 1;
    }
}

/* Routines read a structured operand as it is stored, and transposed if it is a triangle. */
static bool is_structured(const struct lava_operation *x, enum lava_structure structure) {
    const struct lava_operand *operand = lava_operation_structured(x);
    return operand && operand->structure == structure && (operand->op == LAVA_OP_T || !operand->conjugate);
}
static bool is_symm(const struct lava_operation *x) {
    return is_structured(x, LAVA_STRUCTURE_SYMMETRIC);
}
static bool is_hemm(const struct lava_operation *x) {
    return is_structured(x, LAVA_STRUCTURE_HERMITIAN);
}
static bool is_trmm(const struct lava_operation *x) {
    return is_structured(x, LAVA_STRUCTURE_TRIANGULAR) && !lava_operation_row(x)->solves;
}
static bool is_trsm(const struct lava_operation *x) {
    return is_structured(x, LAVA_STRUCTURE_TRIANGULAR) && lava_operation_row(x)->solves;
}
static bool is_syrk(const struct lava_operation *x) {
    return lava_operation_is_plain(x) && x->c.region != LAVA_REGION_ALL && x->b_is_a && !x->c.real_diagonal;
}
static bool is_herk(const struct lava_operation *x) {
    return lava_operation_is_plain(x) && x->c.region != LAVA_REGION_ALL && x->b_is_a && x->c.real_diagonal;
}
static bool is_potrf(const struct lava_operation *x) {
    return lava_operation_row(x)->has_factors && !lava_operation_row(x)->pivots;
}
static bool is_getrf(const struct lava_operation *x) {
    return lava_operation_row(x)->has_factors && lava_operation_row(x)->pivots;
}

static const struct {
    const char *name; /* after the letter of the type */
    bool (*suits)(const struct lava_operation *operation);
    void (*call)(const struct task *task, int64_t *info);
} routines[] = {{"symm", is_symm, call_symm},     {"hemm", is_hemm, call_symm},
                {"trmm", is_trmm, call_triangle}, {"trsm", is_trsm, call_triangle},
                {"syrk", is_syrk, call_syrk},     {"herk", is_herk, call_syrk},
                {"potrf", is_potrf, call_potrf},  {"getrf", is_getrf, call_getrf}};

bool lava_own_routine_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                          int64_t *info) {
    struct task task = {.operation = operation};
    char name[8];
    *info = 0;
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
        if (!routines[i].suits(operation))
            continue;
        snprintf(name, sizeof name, "%c%s", operation->type == LAVA_TYPE_FP64 ? 'd' : 'z', routines[i].name);
        task.function = lava_own_routine_find(blas, name, &task.is_wide);
        if (task.function)
            routines[i].call(&task, info);
        return task.function != NULL;
    }
    return false;
}
