/* Times what a device without fp64 leaves to the CPU of a call that is cut into products
 * (lib/blas/by_products.c): lib/host composes the operation, each product is timed, and so is each part that
 * the CPU's own routine computes.
 *
 *   cut_calls [--type fp64|cfp64] [--calls N] ORDER ...
 *
 * For each operation it prints the best time of the CPU's own routine, ms, and those of the best cut call:
 * all of it, its products, own parts and the rest, which is loops and swaps. A device that multiplies S times
 * as fast would take products / S, and copies besides. LAVABLAS_CPU_BLAS chooses the library, else libraries
 * of the process do, preloaded ones too. What is computed is not checked; tests/robustness does that. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/cpu_families.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "lib/blas/by_products.h"
#include "lib/host/cpu_help.h"
#include "lib/host/own_routine.h"
#include "lib/offload/ways.h"

struct parts {
    struct lava_cpu_help base; /* the first member */
    const struct lava_operation *whole;
    uint64_t products_ns, own_ns;
    int products, own;
};

static bool takes(const struct lava_cpu_help *base, const struct lava_operation *operation, int64_t *info) {
    struct parts *parts = (struct parts *)(uintptr_t)base;
    uint64_t begin_ns = lava_clock_now_ns();
    if (lava_operation_is_plain(operation) && operation->c.region == LAVA_REGION_ALL) {
        lava_cpu_blas_run(lava_cpu_blas_get(), operation);
        parts->products_ns += lava_clock_now_ns() - begin_ns;
        parts->products++;
        return true;
    }
    if (!lava_by_products_is_small(operation, parts->whole) ||
        !lava_own_routine_run(lava_cpu_blas_get(), operation, info))
        return false;
    parts->own_ns += lava_clock_now_ns() - begin_ns;
    parts->own++;
    return true;
}

struct matrices {
    size_t bytes;
    void *factor, *general, *c; /* the first is dominated by its diagonal */
    int64_t *pivots;
};

static bool make(struct matrices *x, enum lava_type type, int64_t n) {
    int64_t each = lava_type_is_complex(type) ? 2 : 1;
    uint64_t seed = 1;
    x->bytes = (size_t)(n * n * each) * sizeof(double);
    x->factor = malloc(x->bytes);
    x->general = malloc(x->bytes);
    x->c = malloc(x->bytes);
    x->pivots = calloc((size_t)n, sizeof *x->pivots);
    for (int64_t i = 0; x->factor && x->general && i < n * n * each; i++) {
        ((double *)x->general)[i] = lava_random_signed(&seed);
        ((double *)x->factor)[i] = lava_random_signed(&seed) / (double)n;
    }
    for (int64_t i = 0; x->factor && i < n; i++)
        ((double *)x->factor)[i * (n + 1) * each] = 2;
    return x->factor && x->general && x->c && x->pivots;
}

static void free_all(const struct matrices *x) {
    free(x->factor);
    free(x->general);
    free(x->c);
    free(x->pivots);
}

/* Cut, or by the CPU's own routine if parts is NULL. Returns ns. */
static uint64_t run(const struct matrices *x, struct lava_operation operation, struct parts *parts) {
    bool is_positive = operation.kind == LAVA_OPERATION_CHOLESKY;
    struct lava_cpu_blas blas = *lava_cpu_blas_get();
    int64_t info;
    memcpy(x->c, is_positive ? x->factor : x->general, x->bytes);
    uint64_t begin_ns = lava_clock_now_ns();
    lava_cpu_finish *finish = lava_ways_of(&operation)->finish;
    blas.help = parts ? &parts->base : NULL;
    if (!parts)
        lava_own_routine_run(&blas, &operation, &info);
    else if (finish)
        finish(&blas, &operation, (struct lava_cpu_done){0});
    else
        lava_cpu_blas_run(&blas, &operation);
    return lava_clock_now_ns() - begin_ns;
}

static void time_calls(const struct matrices *x, struct lava_operation operation, const char *name,
                       int calls) {
    uint64_t own_ns = UINT64_MAX, cut_ns = UINT64_MAX;
    struct parts best = {0};
    operation.c.first = x->c;
    operation.pivots = operation.kind == LAVA_OPERATION_LU ? x->pivots : NULL;
    operation.a.first = operation.c.region == LAVA_REGION_ALL ? x->factor : x->general;
    operation.b.first = operation.in_place ? x->c : x->general;
    for (int i = 0; i < calls; i++) {
        struct parts parts = {.base.takes = takes, .whole = &operation};
        uint64_t own = run(x, operation, NULL), ns = run(x, operation, &parts);
        own_ns = own < own_ns ? own : own_ns;
        if (ns < cut_ns) {
            cut_ns = ns;
            best = parts;
        }
    }
    printf("%-6s %6lld %10.1f %10.1f %10.1f (%3d) %10.1f (%3d) %10.1f\n", name, (long long)operation.n,
           1e-6 * (double)own_ns, 1e-6 * (double)cut_ns, 1e-6 * (double)best.products_ns, best.products,
           1e-6 * (double)best.own_ns, best.own, 1e-6 * (double)(cut_ns - best.products_ns - best.own_ns));
}

static int usage(void) {
    fputs("usage: cut_calls [--type fp64|cfp64] [--calls N] ORDER ...\n", stderr);
    return 2;
}

/* Returns false if there is no memory. */
static bool time_order(enum lava_type type, int64_t n, int calls) {
    static const enum lava_cpu_family families[] = {LAVA_CPU_FAMILY_SYRK,  LAVA_CPU_FAMILY_SYMM,
                                                    LAVA_CPU_FAMILY_TRMM,  LAVA_CPU_FAMILY_TRSM,
                                                    LAVA_CPU_FAMILY_POTRF, LAVA_CPU_FAMILY_GETRF};
    struct matrices x;
    bool made = make(&x, type, n);
    for (size_t i = 0; made && i < sizeof families / sizeof families[0]; i++) {
        char name[8];
        snprintf(name, sizeof name, "%c%s", type == LAVA_TYPE_FP64 ? 'd' : 'z',
                 lava_families_name(families[i], 1) + 1);
        time_calls(&x, lava_families_square(families[i], type, n), name, calls);
    }
    free_all(&x);
    return made;
}

int main(int count, char **arguments) {
    static const struct option options[] = {
        {"type", required_argument, NULL, 't'}, {"calls", required_argument, NULL, 'c'}, {0}};
    enum lava_type type = LAVA_TYPE_FP64;
    int calls = 3, option;
    while ((option = getopt_long(count, arguments, "", options, NULL)) != -1) {
        if (option == 't' && (!strcmp(optarg, "fp64") || !strcmp(optarg, "cfp64")))
            type = optarg[0] == 'c' ? LAVA_TYPE_CFP64 : LAVA_TYPE_FP64;
        else if (option != 'c' || (calls = atoi(optarg)) < 1)
            return usage();
    }
    if (optind == count)
        return usage();
    printf("CPU BLAS: %s\n       order        own        cut   products (  n)  own parts (  n)       rest\n",
           lava_cpu_blas_get()->path);
    for (int i = optind; i < count; i++) {
        int64_t n = atoll(arguments[i]);
        if (n < 1 || n > 1 << 20)
            return usage();
        if (!time_order(type, n, calls)) {
            fputs("cut_calls: no memory\n", stderr);
            return 1;
        }
    }
    return 0;
}
