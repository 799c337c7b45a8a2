/* Makes one call of a routine of level 3 or of LAPACK by the table of routines and prints the name that it
 * was called by. Run by test_explain.sh. A and B are zeros, what is factored is a unit matrix, and its
 * factors are; the leading dimensions are the least.
 *
 *   routine_call ROUTINE ARGUMENT...          the arguments of "lavablas explain", in its order */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/called_families.h"
#include "tests/library/naive.h"
#include "tests/library/names.h"

struct numbers {
    int side, uplo, transa, transb, diag; /* CBLAS's enumerators */
    int64_t m, n, k, itype;
    char job, range; /* range is the second job of ?gesvd */
};

/* The words after the routine's name, a letter each: the problem's type (i), job, ?gesvd's second job (v),
 * side, uplo, transa (t), transb (u), diag, m, n, k. Right-hand sides are k. */
static const char *words_of(enum lava_family family) {
    static const char *const words[] = {[LAVA_FAMILY_GEMM] = "tumnk",  [LAVA_FAMILY_GEMMT] = "ptunk",
                                        [LAVA_FAMILY_SYRK] = "ptnk",   [LAVA_FAMILY_SYMM] = "spmn",
                                        [LAVA_FAMILY_HEMM] = "spmn",   [LAVA_FAMILY_SYR2K] = "ptnk",
                                        [LAVA_FAMILY_TRMM] = "sptdmn", [LAVA_FAMILY_TRSM] = "sptdmn",
                                        [LAVA_FAMILY_POTRF] = "pn",    [LAVA_FAMILY_GETRF] = "mn",
                                        [LAVA_FAMILY_POTRS] = "pnk",   [LAVA_FAMILY_POSV] = "pnk",
                                        [LAVA_FAMILY_GETRS] = "tnk",   [LAVA_FAMILY_GESV] = "nk",
                                        [LAVA_FAMILY_GEQRF] = "mn",    [LAVA_FAMILY_ORGQR] = "mnk",
                                        [LAVA_FAMILY_ORMQR] = "stmnk", [LAVA_FAMILY_GELS] = "tmnk",
                                        [LAVA_FAMILY_TRTRS] = "ptdnk", [LAVA_FAMILY_SYTRD] = "pn",
                                        [LAVA_FAMILY_SYEV] = "jpn",    [LAVA_FAMILY_HEEV] = "jpn",
                                        [LAVA_FAMILY_SYEVD] = "jpn",   [LAVA_FAMILY_HEEVD] = "jpn",
                                        [LAVA_FAMILY_SYEVR] = "jpn",   [LAVA_FAMILY_HEEVR] = "jpn",
                                        [LAVA_FAMILY_SYEVX] = "jpn",   [LAVA_FAMILY_HEEVX] = "jpn",
                                        [LAVA_FAMILY_SYGV] = "ijpn",   [LAVA_FAMILY_HEGV] = "ijpn",
                                        [LAVA_FAMILY_SYGVD] = "ijpn",  [LAVA_FAMILY_HEGVD] = "ijpn",
                                        [LAVA_FAMILY_SYGVX] = "ijpn",  [LAVA_FAMILY_HEGVX] = "ijpn",
                                        [LAVA_FAMILY_STEDC] = "jn",    [LAVA_FAMILY_STEDC_COMPLEX] = "jn",
                                        [LAVA_FAMILY_GEQP3] = "mn",    [LAVA_FAMILY_CGEQP3] = "mn",
                                        [LAVA_FAMILY_GESDD] = "jmn",   [LAVA_FAMILY_GESDD_COMPLEX] = "jmn",
                                        [LAVA_FAMILY_GESVD] = "jvmn",  [LAVA_FAMILY_GESVD_COMPLEX] = "jvmn",
                                        [LAVA_FAMILY_GELSD] = "mnk",   [LAVA_FAMILY_GELSD_COMPLEX] = "mnk",
                                        [LAVA_FAMILY_GELSS] = "mnk",   [LAVA_FAMILY_GELSS_COMPLEX] = "mnk",
                                        [LAVA_FAMILY_GEBRD] = "mn",    [LAVA_FAMILY_ORGBR] = "jmnk",
                                        [LAVA_FAMILY_ORMBR] = "jstmnk"};
    return (size_t)family < sizeof words / sizeof words[0] && words[family] ? words[family] : "-";
}

static int trans_of(const char *word) {
    return *word == 'N' ? 111 : *word == 'T' ? 112 : 113;
}

static void read_word(char name, const char *word, struct numbers *x) {
    switch (name) {
    case 'i':
        x->itype = atoll(word);
        break;
    case 'j':
        x->job = *word;
        break;
    case 'v':
        x->range = *word;
        break;
    case 's':
        x->side = *word == 'L' ? 141 : 142;
        break;
    case 'p':
        x->uplo = *word == 'U' ? 121 : 122;
        break;
    case 't':
        x->transa = trans_of(word);
        break;
    case 'u':
        x->transb = trans_of(word);
        break;
    case 'd':
        x->diag = *word == 'N' ? 131 : 132;
        break;
    case 'm':
        x->m = atoll(word);
        break;
    case 'n':
        x->n = atoll(word);
        break;
    default:
        x->k = atoll(word);
    }
}

static struct numbers read_numbers(enum lava_family family, char **words) {
    const char *names = words_of(family);
    struct numbers x = {.transa = 111, .range = 'A'};
    for (int i = 0; names[i]; i++)
        read_word(names[i], words[i], &x);
    if (!strchr(names, 'm'))
        x.m = x.n;
    if (!strchr(names, 'k'))
        x.k = x.side == 141 ? x.m : x.n;
    if (!strchr(names, 'u'))
        x.transb = x.transa; /* of ?syr2k: B is stored as A is */
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
    int64_t info;
    bool is_square = x->side != 0 || lava_routine_is_lapack(routine),
         is_update = row->family == LAVA_FAMILY_SYR2K;
    int64_t lda = is_square || x->transa != 111 ? x->k : x->m;
    if (row->family == LAVA_FAMILY_ORMQR || row->family == LAVA_FAMILY_ORMBR)
        lda = x->side == 141 ? x->m : x->n;
    int64_t ldb = is_square ? (x->m > x->n ? x->m : x->n) : is_update ? lda : x->transb == 111 ? x->k : x->n;
    const size_t bytes = lava_type_bytes(row->type), elements = (size_t)(x->m * x->n) + 1;
    const size_t most = (size_t)(x->m > x->n ? x->m : x->n) * (size_t)(x->k > x->n ? x->k : x->n) + 1;
    void *a = calloc(most, bytes), *b = calloc(most, bytes);
    void *c = calloc(elements, lava_type_bytes(row->type_c));
    /* of eigenvalues and singular values: everything else, which no routine needs more of */
    bool is_singular = row->family >= LAVA_FAMILY_GESDD;
    const size_t longer = (size_t)(x->m > x->n ? x->m : x->n), each = 64 + longer * (10 * longer + 400);
    char *more = calloc(each, 8 * 16);
    if (!a || !b || !c || !more)
        abort();
    write_one(is_update ? row->type : row->scalar, alpha);
    for (int64_t i = 0; i < x->n && lava_routine_is_lapack(routine) && i < x->m; i++) {
        naive_write(row->type, c, i * (x->m + 1), (struct naive_number){1, 0});
        if (x->itype > 0)
            naive_write(row->type, a, i * (x->m + 1), (struct naive_number){1, 0});
        else
            ((int *)a)[i] = (int)i + 1;
    }
    if (row->family == LAVA_FAMILY_GEMM)
        names_call[routine](&(struct names_arguments){
            102, x->transa, x->transb, x->m, x->n, x->k, lda, ldb, x->m, alpha, beta, a, b, c, {1, 1}});
    else
        families_call[routine](
            &(struct families_arguments){.layout = 102,
                                         .side = x->side,
                                         .uplo = x->uplo,
                                         .diag = x->diag,
                                         .transa = {x->transa},
                                         .transb = {x->transb},
                                         .m = {x->m},
                                         .n = {x->n},
                                         .k = {x->k},
                                         .lda = {is_singular ? (int64_t)longer : lda},
                                         .ldb = {is_singular ? (int64_t)longer : ldb},
                                         .ldc = {x->m},
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = a,
                                         .b = x->job || is_singular ? more + each * 96 : b,
                                         .c = c,
                                         .ipiv = a,
                                         .size = {x->job || is_singular ? (int64_t)each : x->m + x->n + x->k},
                                         .info = &info,
                                         .count = x->itype,
                                         .job = x->job,
                                         .range = x->range,
                                         .w = more,
                                         .z = more + each * 16,
                                         .found = more + each * 32,
                                         .support = more + each * 48,
                                         .rwork = more + each * 64,
                                         .iwork = more + each * 80,
                                         .rsize = (int64_t)each,
                                         .isize = (int64_t)each});
    free(a);
    free(b);
    free(c);
    free(more);
}

int main(int count, char **arguments) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT && count > 1; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (strcmp(row->routine, arguments[1]) || !lava_routine_is_plain((enum lava_routine)i) ||
            count != 2 + (int)strlen(words_of(row->family)))
            continue;
        const struct numbers x = read_numbers(row->family, arguments + 2);
        call((enum lava_routine)i, &x);
        puts(row->name);
        return 0;
    }
    return 2;
}
