/* Reports invalid arguments in the way the reference BLAS does. Called by lib/abi. */
#include "lib/host/complain.h"

#include <ctype.h>
#include <string.h>

#include "lib/base/log.h"

/* The reference pads its names to the first length; the second is the longest name. */
#define FORTRAN_NAME_LENGTH 6
#define LONGEST_NAME_LENGTH 15

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, CONJ_TRANS = 113 };

/* Fortran's error routine, if the program or one of its libraries defines it. */
extern void xerbla_(const char *routine, const int *argument, size_t routine_length) __attribute__((weak));

void lava_complain(const char *routine, int argument) {
    if (xerbla_)
        xerbla_(routine, &argument, strlen(routine));
    else
        lava_log_always("on entry to %s parameter number %d had an illegal value", routine, argument);
}

/* The arguments to check, and the lower bounds of the leading dimensions. */
struct arguments {
    bool transa_known, transb_known;
    const struct lava_problem *numbers;
    int64_t rows_a, rows_b, rows_c;
};

/* Returns Fortran's number of the first wrong argument, or 0. */
static int first_wrong(const struct arguments *arguments) {
    const struct lava_problem *numbers = arguments->numbers;
    const struct {
        int number;
        bool wrong;
    } checks[] = {
        {1, !arguments->transa_known},
        {2, !arguments->transb_known},
        {3, numbers->m < 0},
        {4, numbers->n < 0},
        {5, numbers->k < 0},
        {8, numbers->lda < (arguments->rows_a > 1 ? arguments->rows_a : 1)},
        {10, numbers->ldb < (arguments->rows_b > 1 ? arguments->rows_b : 1)},
        {13, numbers->ldc < (arguments->rows_c > 1 ? arguments->rows_c : 1)},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (checks[i].wrong)
            return checks[i].number;
    }
    return 0;
}

static void fortran_name(const char *routine, char name[LONGEST_NAME_LENGTH + 1]) {
    size_t length = strcspn(routine, "_"), i = 0;
    for (; i < length && i < LONGEST_NAME_LENGTH; i++)
        name[i] = (char)toupper((unsigned char)routine[i]);
    for (; i < FORTRAN_NAME_LENGTH; i++)
        name[i] = ' ';
    name[i] = '\0';
}

int lava_complain_find_fortran(char transa, char transb, const struct lava_problem *numbers) {
    bool a_is_n = (transa | 0x20) == 'n', b_is_n = (transb | 0x20) == 'n';
    const struct arguments arguments = {
        .transa_known = transa && strchr("NnTtCc", transa),
        .transb_known = transb && strchr("NnTtCc", transb),
        .numbers = numbers,
        .rows_a = a_is_n ? numbers->m : numbers->k,
        .rows_b = b_is_n ? numbers->k : numbers->n,
        .rows_c = numbers->m,
    };
    return first_wrong(&arguments);
}

void lava_complain_fortran(const char *routine, char transa, char transb,
                           const struct lava_problem *numbers) {
    char name[LONGEST_NAME_LENGTH + 1];
    fortran_name(routine, name);
    lava_complain(name, lava_complain_find_fortran(transa, transb, numbers));
}

int lava_complain_find_cblas(int layout, int transa, int transb, const struct lava_problem *numbers) {
    bool by_rows = layout == ROW_MAJOR;
    bool a_is_n = transa == NO_TRANS, b_is_n = transb == NO_TRANS;
    const struct arguments arguments = {
        .transa_known = transa >= NO_TRANS && transa <= CONJ_TRANS,
        .transb_known = transb >= NO_TRANS && transb <= CONJ_TRANS,
        .numbers = numbers,
        .rows_a = a_is_n == by_rows ? numbers->k : numbers->m,
        .rows_b = b_is_n == by_rows ? numbers->n : numbers->k,
        .rows_c = by_rows ? numbers->n : numbers->m,
    };
    if (!by_rows && layout != COLUMN_MAJOR)
        return 1;
    int number = first_wrong(&arguments);
    return number ? number + 1 : 0;
}

void lava_complain_cblas(const char *routine, int layout, int transa, int transb,
                         const struct lava_problem *numbers) {
    lava_complain(routine, lava_complain_find_cblas(layout, transa, transb, numbers));
}
