/* Makes one call of a ?gemm, ?gemmt, ?syrk or ?herk by the table of routines and prints the name that it was
 * called by. Run by test_explain.sh. A and B are zeros, the leading dimensions the least.
 *
 *   routine_call ROUTINE TRANSA TRANSB M N K          of ?gemm
 *   routine_call ROUTINE UPLO TRANSA TRANSB N K       of ?gemmt
 *   routine_call ROUTINE UPLO TRANS N K               of ?syrk and ?herk */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/families.h"
#include "tests/library/naive.h"
#include "tests/library/names.h"

struct numbers {
    int uplo, transa, transb; /* CBLAS's enumerators */
    int64_t m, n, k, lda, ldb;
};

static int enumerator(const char *word) {
    return *word == 'U' ? 121 : *word == 'L' ? 122 : *word == 'N' ? 111 : *word == 'T' ? 112 : 113;
}

/* The words after the routine's name. */
static int words_of(enum lava_family family) {
    return family == LAVA_FAMILY_SYRK ? 4 : 5;
}

static struct numbers read_numbers(enum lava_family family, char **words) {
    struct numbers x = {.uplo = family == LAVA_FAMILY_GEMM ? 0 : enumerator(*words++)};
    x.transa = x.transb = enumerator(*words++);
    if (family != LAVA_FAMILY_SYRK)
        x.transb = enumerator(*words++);
    x.m = x.n = atoll(*words++);
    if (family == LAVA_FAMILY_GEMM)
        x.n = atoll(*words++);
    x.k = atoll(*words);
    x.lda = x.transa == 111 ? x.m : x.k;
    x.ldb = x.transb == 111 ? x.k : x.n;
    return x;
}

static void write_one(enum lava_type type, void *scalar) {
    const uint16_t half = type == LAVA_TYPE_FP16 ? 0x3c00 : 0x3f80;
    if (lava_type_is_half(type))
        memcpy(scalar, &half, sizeof half);
    else
        naive_write(type, scalar, 0, (struct naive_number){1, 0});
}

static void call(enum lava_routine routine, const struct numbers *x) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    double alpha[2] = {0}, beta[2] = {0};
    const size_t bytes = lava_type_bytes(row->type), elements = (size_t)(x->m * x->n) + 1;
    void *a = calloc((size_t)(x->m * x->k) + 1, bytes), *b = calloc((size_t)(x->k * x->n) + 1, bytes);
    void *c = calloc(elements, lava_type_bytes(row->type_c));
    if (!a || !b || !c)
        abort();
    write_one(row->scalar, alpha);
    if (row->family == LAVA_FAMILY_GEMM)
        names_call[routine](&(struct names_arguments){
            102, x->transa, x->transb, x->m, x->n, x->k, x->lda, x->ldb, x->m, alpha, beta, a, b, c, {1, 1}});
    else
        families_call[routine](&(struct families_arguments){.layout = 102,
                                                            .uplo = x->uplo,
                                                            .transa = {x->transa},
                                                            .transb = {x->transb},
                                                            .n = {x->n},
                                                            .k = {x->k},
                                                            .lda = {x->lda},
                                                            .ldb = {x->ldb},
                                                            .ldc = {x->n},
                                                            .alpha = alpha,
                                                            .beta = beta,
                                                            .a = a,
                                                            .b = b,
                                                            .c = c});
    free(a);
    free(b);
    free(c);
}

int main(int count, char **arguments) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT && count > 1; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (strcmp(row->routine, arguments[1]) || !lava_routine_is_plain((enum lava_routine)i) ||
            count != 2 + words_of(row->family))
            continue;
        const struct numbers x = read_numbers(row->family, arguments + 2);
        call((enum lava_routine)i, &x);
        puts(row->name);
        return 0;
    }
    return 2;
}
