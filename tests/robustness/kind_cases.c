#include "tests/robustness/kind_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dispatch/vector_plan.h"
#include "tests/library/names.h"
#include "tests/library/poison.h"

#define BLOCK 64 /* of a workspace: columns */

// clang-format off
#define ROW(family, kind) LAVA_FAMILY_##family, LAVA_OPERATION_##kind
#define GENERAL(size)     {size, KIND_GENERAL}
#define POSITIVE(size)    {size, KIND_POSITIVE}
#define DOMINANT(size)    {size, KIND_DOMINANT}
#define REVERSED(size)    {size, KIND_REVERSED}
#define REFLECTIONS(size) {size, KIND_REFLECTIONS}
#define NONE              {"", KIND_NONE}
#define WORK              {"", KIND_WORK}
#define COLUMNS(size)     {size, KIND_COLUMNS}

const struct kind_case kind_cases[] = {
    /*                                A                  B              C */
    {ROW(GEMM, PRODUCT),              GENERAL("mk"),     GENERAL("kn"), GENERAL("mn"),     .explained = "tumnk"},
    {ROW(GEMMT, PRODUCT),             GENERAL("nk"),     GENERAL("kn"), POSITIVE("nn"),    .explained = "ptunk"},
    {ROW(SYRK, PRODUCT),              GENERAL("nk"),     NONE,          POSITIVE("nn"),    .explained = "ptnk"},
    {ROW(SYMM, PRODUCT),              POSITIVE("mm"),    GENERAL("mn"), GENERAL("mn"),     .explained = "spmn"},
    {ROW(HEMM, PRODUCT),              POSITIVE("mm"),    GENERAL("mn"), GENERAL("mn"),     .explained = "spmn"},
    {ROW(SYR2K, PRODUCT),             GENERAL("nk"),     GENERAL("nk"), POSITIVE("nn"),    .explained = "ptnk"},
    {ROW(TRMM, PRODUCT),              POSITIVE("mm"),    NONE,          GENERAL("mn"),     .trans = "NT", .explained = "sptdmn"},
    {ROW(TRSM, SOLVE),                POSITIVE("mm"),    NONE,          GENERAL("mn"),     .trans = "NT", .explained = "sptdmn"},
    {ROW(GEMV, MATRIX_VECTOR),        GENERAL("mn"),     GENERAL("1n"), GENERAL("1m"),     .explained = "tmn"},
    {ROW(SYMV, MATRIX_VECTOR),        POSITIVE("nn"),    GENERAL("1n"), GENERAL("1n"),     .explained = "pn"},
    {ROW(HEMV, MATRIX_VECTOR),        POSITIVE("nn"),    GENERAL("1n"), GENERAL("1n"),     .explained = "pn"},
    {ROW(TRMV, TRIANGLE_VECTOR),      POSITIVE("nn"),    NONE,          GENERAL("1n"),     .trans = "NT", .explained = "ptdn"},
    {ROW(TRSV, SOLVE_VECTOR),         POSITIVE("nn"),    NONE,          GENERAL("1n"),     .trans = "NT", .explained = "ptdn"},
    {ROW(BATCH, PRODUCT),             GENERAL("mk"),     GENERAL("kn"), GENERAL("mn"),     .members = 3},
    {ROW(STRIDED, PRODUCT),           GENERAL("mk"),     GENERAL("kn"), GENERAL("mn"),     .members = 4},
    {ROW(SYRK_BATCH, PRODUCT),        GENERAL("nk"),     NONE,          POSITIVE("nn"),    .members = 2},
    {ROW(SYRK_STRIDED, PRODUCT),      GENERAL("nk"),     NONE,          POSITIVE("nn"),    .members = 3},
    {ROW(TRSM_BATCH, SOLVE),          POSITIVE("mm"),    NONE,          GENERAL("mn"),     .members = 3},
    {ROW(TRSM_STRIDED, SOLVE),        POSITIVE("mm"),    NONE,          GENERAL("mn"),     .members = 2},
    {ROW(POTRF, CHOLESKY),            NONE,              NONE,          POSITIVE("nn"),    .explained = "pn"},
    {ROW(POTRS, CHOLESKY),            NONE,              GENERAL("nk"), POSITIVE("nn"),    .explained = "pnk"},
    {ROW(POTRS, FACTORS_VECTOR),      NONE,              GENERAL("nk"), POSITIVE("nn"),    .explained = "pnk"},
    {ROW(POSV, CHOLESKY),             NONE,              GENERAL("nk"), POSITIVE("nn"),    .explained = "pnk"},
    {ROW(GETRF, LU),                  NONE,              NONE,          REVERSED("mn"),    KIND_PIVOTS_OUT, .explained = "mn"},
    {ROW(GETRS, LU),                  NONE,              GENERAL("nk"), DOMINANT("nn"),    KIND_PIVOTS_IN, .trans = "NT", .explained = "tnk"},
    {ROW(GETRS, FACTORS_VECTOR),      NONE,              GENERAL("nk"), DOMINANT("nn"),    KIND_PIVOTS_IN, .trans = "NT", .explained = "tnk"},
    {ROW(GESV, LU),                   NONE,              GENERAL("nk"), REVERSED("nn"),    KIND_PIVOTS_OUT, .explained = "nk"},
    {ROW(GEQRF, QR),                  NONE,              WORK,          REVERSED("mn"),    KIND_TAU_OUT, .explained = "mn"},
    {ROW(ORGQR, QR_FORM),             NONE,              WORK,          REFLECTIONS("mn"), KIND_TAU_IN, .explained = "mnk"},
    {ROW(ORMQR, QR_LEFT),             REFLECTIONS("mk"), WORK,          GENERAL("mn"),     KIND_TAU_IN, .trans = "NA", .explained = "stmnk"},
    {ROW(ORMQR, QR_RIGHT),            REFLECTIONS("nk"), WORK,          GENERAL("mn"),     KIND_TAU_IN, .on_right = true, .trans = "NA", .explained = "stmnk"},
    {ROW(GELS, QR),                   NONE,              GENERAL("mk"), REVERSED("mn"),    KIND_WORK_VECTOR, .explained = "tmnk"},
    {ROW(TRTRS, SOLVE),               NONE,              GENERAL("nk"), POSITIVE("nn"),    .trans = "NT", .explained = "ptdnk"},
    {ROW(TRTRS, SOLVE_VECTOR),        NONE,              GENERAL("nk"), POSITIVE("nn"),    .trans = "NT", .explained = "ptdnk"},
    {ROW(TRTRI, INVERT_TRIANGLE),     NONE,              NONE,          POSITIVE("nn"),    .explained = "pdn"},
    {ROW(LAUUM, SQUARE_TRIANGLE),     NONE,              NONE,          POSITIVE("nn"),    .explained = "pn"},
    {ROW(POTRI, INVERT_CHOLESKY),     NONE,              NONE,          POSITIVE("nn"),    .explained = "pn"},
    {ROW(SYTRD, TRIDIAGONAL),         NONE,              WORK,          POSITIVE("nn"),    KIND_TAU_OUT, .explained = "pn"},
    {ROW(GEBRD, BIDIAGONAL),          NONE,              WORK,          GENERAL("mn"),     KIND_TAU_OUT, .explained = "mn"},
    {ROW(ORGBR, QR_FORM),             NONE,              WORK,          REFLECTIONS("mn"), KIND_TAU_IN, .job = 'Q', .explained = "jmnk"},
    {ROW(ORGBR, QR_FORM),             NONE,              WORK,          REFLECTIONS("nn"), KIND_TAU_IN, .job = 'P', .explained = "jmnk"},
    {ROW(ORMBR, QR_LEFT),             REFLECTIONS("mk"), WORK,          GENERAL("mn"),     KIND_TAU_IN, .job = 'Q', .trans = "NA", .explained = "jstmnk"},
    {ROW(ORMBR, QR_RIGHT),            REFLECTIONS("nn"), WORK,          GENERAL("mn"),     KIND_TAU_IN, .on_right = true, .job = 'P', .trans = "NA", .explained = "jstmnk"},
    {ROW(SYEV, EIGENVALUES),          NONE,              NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'N', .explained = "jpn"},
    {ROW(HEEV, EIGENVECTORS),         NONE,              NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'V', .explained = "jpn"},
    {ROW(SYEVD, EIGENVECTORS),        NONE,              NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'V', .explained = "jpn"},
    {ROW(HEEVD, EIGENVALUES),         NONE,              NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'N', .explained = "jpn"},
    {ROW(SYEVR, EIGENVECTORS),        GENERAL("nn"),     NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'V', .explained = "jpn"},
    {ROW(HEEVR, EIGENVECTORS),        GENERAL("nn"),     NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'V', .explained = "jpn"},
    {ROW(SYEVX, EIGENVALUES),         GENERAL("nn"),     NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'N', .explained = "jpn"},
    {ROW(HEEVX, EIGENVECTORS),        GENERAL("nn"),     NONE,          POSITIVE("nn"),    KIND_TAU_OUT, .job = 'V', .explained = "jpn"},
    {ROW(SYGV, GENERALIZED_VECTORS),  NONE,              POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'V', .explained = "ijpn"},
    {ROW(HEGV, GENERALIZED_VALUES),   NONE,              POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'N', .explained = "ijpn"},
    {ROW(SYGVD, GENERALIZED_VALUES),  NONE,              POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'N', .explained = "ijpn"},
    {ROW(HEGVD, GENERALIZED_VECTORS), NONE,              POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'V', .explained = "ijpn"},
    {ROW(SYGVX, GENERALIZED_VECTORS), GENERAL("nn"),     POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'V', .explained = "ijpn"},
    {ROW(HEGVX, GENERALIZED_VECTORS), GENERAL("nn"),     POSITIVE("nn"), POSITIVE("nn"),   KIND_TAU_OUT, .job = 'V', .explained = "ijpn"},
    {ROW(STEDC, DIVIDE_VALUES),       NONE,              NONE,          NONE,              KIND_D_AND_E, .job = 'N', .explained = "jn"},
    {ROW(STEDC, DIVIDE_VECTORS),      NONE,              NONE,          GENERAL("nn"),     KIND_D_AND_E, .job = 'I', .explained = "jn"},
    {ROW(STEDC, DIVIDE_TIMES),        NONE,              NONE,          GENERAL("nn"),     KIND_D_AND_E, .job = 'V', .explained = "jn"},
    {ROW(STEDC_COMPLEX, DIVIDE_VECTORS), NONE,           NONE,          GENERAL("nn"),     KIND_D_AND_E, .job = 'I', .explained = "jn"},
    {ROW(STEDC_COMPLEX, DIVIDE_TIMES), NONE,             NONE,          GENERAL("nn"),     KIND_D_AND_E, .job = 'V', .explained = "jn"},
    {ROW(GEQP3, PIVOTED_QR),          COLUMNS("1n"),     WORK,          GENERAL("mn"),     KIND_TAU_OUT, .explained = "mn"},
    {ROW(CGEQP3, PIVOTED_QR),         COLUMNS("1n"),     WORK,          GENERAL("mn"),     KIND_TAU_OUT, .explained = "mn"},
    {ROW(GESDD, SINGULAR_VECTORS),    GENERAL("mn"),     GENERAL("nn"), GENERAL("mn"),     KIND_TAU_OUT, .job = 'S', .explained = "jmn"},
    {ROW(GESDD_COMPLEX, SINGULAR_VALUES), NONE,          NONE,          GENERAL("mn"),     KIND_TAU_OUT, .job = 'N', .explained = "jmn"},
    {ROW(GESVD, SINGULAR_VALUES),     NONE,              NONE,          GENERAL("mn"),     KIND_TAU_OUT, .job = 'N', .explained = "jjmn"},
    {ROW(GESVD_COMPLEX, SINGULAR_VECTORS), GENERAL("mm"), GENERAL("nn"), GENERAL("mn"),    KIND_TAU_OUT, .job = 'A', .explained = "jjmn"},
    {ROW(GELSD, SINGULAR_VECTORS),    GENERAL("mk"),     NONE,          GENERAL("mn"),     KIND_TAU_OUT, .job = 'L', .explained = "mnk"},
    {ROW(GELSD_COMPLEX, SINGULAR_VECTORS), GENERAL("mk"), NONE,         GENERAL("mn"),     KIND_TAU_OUT, .job = 'L', .explained = "mnk"},
    {ROW(GELSS, SINGULAR_VECTORS),    GENERAL("mk"),     NONE,          GENERAL("mn"),     KIND_TAU_OUT, .job = 'L', .explained = "mnk"},
    {ROW(GELSS_COMPLEX, SINGULAR_VECTORS), GENERAL("mk"), NONE,         GENERAL("mn"),     KIND_TAU_OUT, .job = 'L', .explained = "mnk"},
    {ROW(GETRI, INVERT_LU),           NONE,              WORK,          DOMINANT("nn"),    KIND_PIVOTS_IN, .explained = "n"},
};
// clang-format on
const int kind_cases_count = sizeof kind_cases / sizeof kind_cases[0];

const struct kind_case *kind_cases_find(enum lava_family family) {
    for (int i = 0; i < kind_cases_count; i++)
        if (kind_cases[i].family == family)
            return &kind_cases[i];
    return NULL;
}

static bool is_called(enum lava_routine routine) {
    return families_call[routine] || names_call[routine];
}

enum lava_routine kind_case_routine(const struct kind_case *row, int type, bool is_plain) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    enum lava_routine found[LAVA_ROUTINE_COUNT];
    int count = 0;
    for (int turn = 0; turn < 4 && count == 0; turn++)
        for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
            const struct lava_routine_row *routine = lava_routine_row((enum lava_routine)i);
            bool is_named = !is_plain || (lava_routine_is_plain((enum lava_routine)i) &&
                                          routine->convention == LAVA_CONVENTION_FORTRAN);
            if (routine->family == row->family && routine->type == types[(type + turn) % 4] &&
                routine->type_c == routine->type && is_named && is_called((enum lava_routine)i))
                found[count++] = (enum lava_routine)i;
        }
    if (count == 0)
        abort();
    return found[poison_random(count)];
}

static void *shared(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* Memory for what there is before, now, and is expected. */
static void allocate(struct kind_matrix *x, size_t bytes) {
    x->bytes = bytes;
    x->before = poison_new(bytes);
    x->now = poison_new(bytes);
    x->expected = shared(bytes);
}

static struct naive_number random_number(double most) {
    return (struct naive_number){most * (poison_random(2001) - 1000) / 1000.0,
                                 most * (poison_random(2001) - 1000) / 1000.0};
}

/* Element (i, j), and whether it is stored. */
static bool element(const struct kind_matrix *x, bool is_lower, int64_t i, int64_t j,
                    struct naive_number *value) {
    int64_t row = x->fill == KIND_REVERSED ? x->rows - 1 - i : i;
    bool is_small = x->fill != KIND_GENERAL && x->fill != KIND_REFLECTIONS;
    *value = random_number(is_small ? 1.0 / (double)x->rows : 1);
    if (is_small && row == j)
        *value = (struct naive_number){
            (2 + value->real) * (x->fill == KIND_POSITIVE || poison_random(2) ? 1 : -1), 0};
    return x->fill != KIND_POSITIVE || (is_lower ? i >= j : i <= j);
}

static void fill(struct kind_matrix *x, enum lava_type type, bool is_lower, int members) {
    size_t bytes = (size_t)(x->ld * x->columns) * lava_type_bytes(type);
    allocate(x, bytes * (size_t)members);
    for (int member = 0; member < members; member++) {
        char *from = (char *)x->before + bytes * (size_t)member;
        x->members[member] = (char *)x->now + bytes * (size_t)member;
        for (int64_t at = 0; at < x->ld * x->columns; at++) {
            struct naive_number value;
            if (at % x->ld < x->rows && element(x, is_lower, at % x->ld, at / x->ld, &value))
                naive_write(type, from, at, value);
        }
    }
}

/* Whether the operand of a product is stored transposed. Others are square, or hold reflections. */
static bool is_turned(const struct kind_call *call, const struct kind_matrix *x) {
    enum lava_family family = call->row->family;
    bool by_b = x == &call->b && family != LAVA_FAMILY_SYR2K;
    return call->row->kind == LAVA_OPERATION_PRODUCT && x->fill == KIND_GENERAL && x != &call->c &&
           family != LAVA_FAMILY_SYMM && family != LAVA_FAMILY_HEMM &&
           (by_b ? call->x.transb : call->x.transa)[0] != 111;
}

static void make_matrix(struct kind_call *call, struct kind_matrix *x, const char *size,
                        enum kind_fill fills) {
    const struct families_arguments *to = &call->x;
    enum lava_type type = lava_routine_type(call->routine);
    int64_t sizes[2] = {0};
    x->fill = fills;
    if (fills == KIND_NONE)
        return;
    if (fills == KIND_WORK) {
        allocate(x, (size_t)((to->m[0] + to->n[0]) * BLOCK) * lava_type_bytes(type));
        return;
    }
    if (fills == KIND_COLUMNS) {
        allocate(x, (size_t)to->n[0] * sizeof(int64_t));
        memset(x->before, 0, x->bytes);
        return;
    }
    for (int i = 0; i < 2; i++)
        sizes[i] = size[i] == '1' ? 1 : size[i] == 'm' ? to->m[0] : size[i] == 'n' ? to->n[0] : to->k[0];
    if (is_turned(call, x))
        sizes[0] = sizes[1], sizes[1] = size[0] == 'm' ? to->m[0] : size[0] == 'n' ? to->n[0] : to->k[0];
    if (!strcmp(size, "mm") && to->side == 142)
        sizes[0] = sizes[1] = to->n[0];
    x->rows = sizes[0];
    x->columns = sizes[1];
    x->ld = x->rows + 3;
    fill(x, type, to->uplo == 122, call->row->members ? call->row->members : 1);
}

/* tau = 2 / ||v||^2, so that a reflection is unitary. Those of P are rows, and begin beside the diagonal. */
static void fill_tau(struct kind_call *call, const struct kind_matrix *v) {
    enum lava_type type = lava_routine_type(call->routine);
    bool by_rows = call->row->job == 'P';
    for (int64_t j = 0; j < call->x.k[0]; j++) {
        long double square = 1;
        for (int64_t i = j + 1 + by_rows; i < (by_rows ? v->columns : v->rows); i++) {
            const struct naive_number value =
                naive_read(type, v->before, by_rows ? j + i * v->ld : i + j * v->ld);
            square += value.real * value.real + value.imaginary * value.imaginary;
        }
        naive_write(type, call->vector.before, j, (struct naive_number){2 / square, 0});
    }
}

/* Real numbers, each with 8 bytes, but for those of fp32, which are nearer (called_families.c). */
static void fill_d_and_e(struct kind_call *call) {
    enum lava_type real = lava_type_real(lava_routine_type(call->routine));
    int64_t n = call->x.n[0];
    for (int64_t i = 0; i < 2 * n - 1; i++)
        naive_write(real, (char *)call->vector.before + (i < n ? 0 : 8 * n), i % n, random_number(1));
}

/* Pivots are counted from 1. */
static void make_vector(struct kind_call *call) {
    bool is_wide = lava_routine_row(call->routine)->is_ilp64;
    int64_t n = call->x.n[0];
    call->vector.fill = call->row->vector == KIND_WORK_VECTOR ? KIND_WORK : KIND_GENERAL;
    if (call->row->vector == KIND_NO_VECTOR)
        return;
    allocate(&call->vector,
             (size_t)((call->x.m[0] + 2 * n) * (call->vector.fill == KIND_WORK ? BLOCK : 1)) * 16);
    if (call->row->vector == KIND_D_AND_E)
        fill_d_and_e(call);
    if (call->row->vector == KIND_TAU_IN)
        fill_tau(call, call->row->a.fill == KIND_REFLECTIONS ? &call->a : &call->c);
    for (int64_t i = 0; i < n && call->row->vector == KIND_PIVOTS_IN; i++) {
        int64_t pivot = i + 1 + poison_random((int)(n - i));
        if (is_wide)
            ((int64_t *)call->vector.before)[i] = pivot;
        else
            ((int *)call->vector.before)[i] = (int)pivot;
    }
}

static void set_scalar(enum lava_type type, double *scalar, double value, double imaginary) {
    naive_write(lava_type_real(type) == LAVA_TYPE_FP32 ? LAVA_TYPE_CFP32 : LAVA_TYPE_CFP64, scalar, 0,
                (struct naive_number){value, imaginary});
}

/* What is asked for, but for matrices. */
static void choose_options(struct kind_call *call, int order) {
    const struct kind_case *row = call->row;
    const char *trans = row->trans ? row->trans : "N";
    struct families_arguments *x = &call->x;
    bool is_complex = lava_type_is_complex(lava_routine_type(call->routine));
    char op = trans[poison_random((int)strlen(trans))];
    x->layout = 102;
    x->side = row->on_right ? 142 : 141;
    x->uplo = 121 + poison_random(2);
    x->diag = 131 + poison_random(2);
    x->count = lava_kinds[row->kind].has_second ? 1 + poison_random(3) : 1;
    for (int i = 0; i < FAMILIES_MOST_GROUPS; i++) {
        x->transa[i] = op == 'N' ? 111 : op == 'A' && is_complex ? 113 : 112;
        x->transb[i] = 111;
        x->n[i] = order;
        x->m[i] = row->family == LAVA_FAMILY_ORGBR && row->job == 'P' ? order : order + 10;
        x->k[i] = row->family == LAVA_FAMILY_ORMQR || row->family == LAVA_FAMILY_ORGBR ||
                          row->family == LAVA_FAMILY_ORMBR
                      ? order
                  : lava_kinds[row->kind].is_vector ? 1 + poison_random(LAVA_VECTOR_PLAN_SIDES)
                                                    : order / 4 + 1;
    }
    if (strchr("SGBT", 0) && row->members) /* members are smaller */
        x->m[0] = order / 2 + 10, x->n[0] = order / 2;
    set_scalar(lava_routine_type(call->routine), call->alpha, 1.5, poison_random(2) ? 0.5 : 0);
    set_scalar(lava_routine_type(call->routine), call->beta, 0.5, 0);
}

static void write_explained(struct kind_call *call) {
    const struct families_arguments *x = &call->x;
    char *to = call->explained;
    to += sprintf(to, "%s", lava_routine_row(call->routine)->routine);
    for (const char *word = call->row->explained; word && *word; word++) {
        int option = *word == 's'   ? x->side
                     : *word == 'p' ? x->uplo
                     : *word == 't' ? x->transa[0]
                     : *word == 'u' ? x->transb[0]
                                    : x->diag;
        if (*word == 'j')
            to += sprintf(to, " %c", call->row->job);
        else if (*word == 'i')
            to += sprintf(to, " %d", (int)x->count);
        else if (strchr("mnk", *word))
            to += sprintf(to, " %d", (int)(*word == 'm' ? x->m[0] : *word == 'n' ? x->n[0] : x->k[0]));
        else
            to += sprintf(to, " %c", families_letter(option));
    }
}

static struct kind_call *begin(const struct kind_case *row, enum lava_routine routine) {
    struct kind_call *call = calloc(1, sizeof *call);
    if (!call)
        abort();
    call->row = row;
    call->routine = routine;
    call->expected_info = shared(sizeof *call->expected_info);
    return call;
}

static struct kind_call *make(struct kind_call *call) {
    const struct kind_case *row = call->row;
    make_matrix(call, &call->a, row->a.size, row->a.fill);
    make_matrix(call, &call->b, row->b.size, row->b.fill);
    make_matrix(call, &call->c, row->c.size, row->c.fill);
    make_vector(call);
    write_explained(call);
    return call;
}

struct kind_call *kind_call_new(const struct kind_case *row, enum lava_routine routine, int order) {
    struct kind_call *call = begin(row, routine);
    choose_options(call, order);
    return make(call);
}

static enum lava_routine routine_named(const char *name) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (!strcmp(lava_routine_name((enum lava_routine)i), name))
            return (enum lava_routine)i;
    abort();
}

static void read_option(struct families_arguments *x, char word, char letter) {
    if (word == 's')
        x->side = letter == 'L' ? 141 : 142;
    else if (word == 'p')
        x->uplo = letter == 'U' ? 121 : 122;
    else if (word == 'd')
        x->diag = letter == 'N' ? 131 : 132;
    else
        (word == 't' ? x->transa : x->transb)[0] = letter == 'N' ? 111 : letter == 'T' ? 112 : 113;
}

struct kind_call *kind_call_chosen(const struct kind_choice *choice) {
    enum lava_routine routine = routine_named(choice->routine);
    enum lava_family family = lava_routine_row(routine)->family;
    struct kind_call *call = begin(kind_cases_find(family), routine);
    choose_options(call, choice->n);
    call->x.m[0] = choice->m, call->x.k[0] = choice->k;
    for (int i = 0; choice->options[i]; i++)
        read_option(&call->x, call->row->explained[i], choice->options[i]);
    set_scalar(lava_routine_type(routine), call->alpha, choice->alpha, choice->alpha_imaginary);
    set_scalar(lava_routine_type(routine), call->beta, choice->beta, 0);
    make(call);
    if (choice->beta == 0 && family != LAVA_FAMILY_TRMM && family != LAVA_FAMILY_TRSM)
        memset(call->c.before, POISON, call->c.bytes);
    return call;
}

static void free_matrix(struct kind_matrix *x) {
    free(x->before);
    free(x->now);
    if (x->expected)
        munmap(x->expected, x->bytes);
}

void kind_call_free(struct kind_call *call) {
    free_matrix(&call->a);
    free_matrix(&call->b);
    free_matrix(&call->c);
    free_matrix(&call->vector);
    munmap(call->expected_info, sizeof *call->expected_info);
    free(call);
}

void kind_call_make_singular(struct kind_call *call) {
    int64_t at = poison_random((int)call->c.columns);
    naive_write(lava_routine_type(call->routine), call->c.before, at * (call->c.ld + 1),
                (struct naive_number){0, 0});
}

static void reset(struct kind_matrix *x) {
    if (x->bytes)
        memcpy(x->now, x->before, x->bytes);
}

/* Batches have arrays of the members' addresses, except for those a stride apart. */
static void *address(const struct kind_call *call, struct kind_matrix *x) {
    const struct lava_routine_row *row = lava_routine_row(call->routine);
    return call->row->members && !strstr(row->routine, "strided") ? (void *)x->members : x->now;
}

/* The vector has W, and B is the second matrix. The workspaces are what no routine needs more of, and stay.
 */
static void set_eigen(struct kind_call *call) {
    static char memory[8][1 << 25]; /* enough for the vectors of order 1110 */
    struct families_arguments *x = &call->x;
    bool is_singular = lava_kinds[call->row->kind].is_singular;
    x->range = is_singular ? x->job : 'A';
    x->w = call->vector.now, x->z = call->a.now;
    x->found = memory[0], x->support = is_singular ? call->b.now : memory[1], x->iwork = memory[2];
    x->ldc[0] = x->ldc[0] ? x->ldc[0] : 1;
    x->lda[0] = x->lda[0] ? x->lda[0] : 1, x->ldb[0] = x->ldb[0] ? x->ldb[0] : 1;
    naive_write(lava_type_real(lava_routine_type(call->routine)), call->rcond, 0,
                (struct naive_number){-1, 0});
    x->alpha = is_singular ? call->rcond : x->alpha;
    x->rwork = memory[3], x->a = is_singular ? memory[4] : call->b.now, x->b = memory[5];
    x->isize = (int64_t)sizeof memory[0] / 8;
    x->rsize = (int64_t)(2 * sizeof memory[0]) / 8;
    x->size[0] = (int64_t)(3 * sizeof memory[0]) / 16;
}

void kind_call_run(struct kind_call *call) {
    struct families_arguments *x = &call->x;
    const int sides[FAMILIES_MOST_GROUPS] = {x->side}, uplos[FAMILIES_MOST_GROUPS] = {x->uplo},
              diags[FAMILIES_MOST_GROUPS] = {x->diag};
    int64_t lwork = (x->m[0] + x->n[0]) * BLOCK;
    reset(&call->a);
    reset(&call->b);
    reset(&call->c);
    reset(&call->vector);
    call->info = -1;
    x->sides = sides, x->uplos = uplos, x->diags = diags;
    x->alpha = call->alpha, x->beta = call->beta;
    x->a = address(call, &call->a), x->b = address(call, &call->b), x->c = address(call, &call->c);
    x->lda[0] = call->a.ld, x->ldb[0] = call->b.ld, x->ldc[0] = call->c.ld;
    x->stride_a = call->a.ld * call->a.columns;
    x->stride_b = call->b.ld * call->b.columns;
    x->stride_c = call->c.ld * call->c.columns;
    x->ipiv = call->vector.now;
    x->info = &call->info;
    x->size[0] = call->row->members ? call->row->members : lwork;
    if (call->row->family == LAVA_FAMILY_GETRI)
        x->k[0] = lwork;
    x->job = call->row->job;
    if (lava_kinds[call->row->kind].has_values)
        set_eigen(call);
    if (call->row->a.fill == KIND_COLUMNS) { /* norms of complex numbers are behind tau */
        x->support = call->a.now;
        x->rwork = (char *)call->vector.now + x->m[0] * 16;
    }
    if (families_call[call->routine])
        families_call[call->routine](x);
    else
        names_call[call->routine](&(struct names_arguments){x->layout,
                                                            x->transa[0],
                                                            x->transb[0],
                                                            x->m[0],
                                                            x->n[0],
                                                            x->k[0],
                                                            x->lda[0],
                                                            x->ldb[0],
                                                            x->ldc[0],
                                                            x->alpha,
                                                            x->beta,
                                                            x->a,
                                                            x->b,
                                                            x->c,
                                                            {1, 1}});
}
