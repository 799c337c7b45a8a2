/* Complains about invalid arguments. Called by the families' files, after lib/abi/validate has found the
 * first invalid one. */
#include "lib/abi/xerbla.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/abi/validate.h"
#include "lib/base/log.h"

/* The reference pads its names to this length. */
#define FORTRAN_NAME_LENGTH 6
#define NAME_BYTES          40

/* Fortran's own error routine, if the program or one of its libraries has one. */
extern void xerbla_(const char *routine, const int *argument, size_t routine_length) __attribute__((weak));

static bool is_fortran(enum lava_routine routine) {
    return lava_routine_row(routine)->convention == LAVA_CONVENTION_FORTRAN;
}

static void write_name(enum lava_routine routine, char name[NAME_BYTES]) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    if (!is_fortran(routine)) {
        const char *prefix = row->convention == LAVA_CONVENTION_CBLAS ? "cblas_" : row->prefix;
        snprintf(name, NAME_BYTES, "%s%s", prefix, row->routine);
        return;
    }
    snprintf(name, NAME_BYTES, "%-*s", FORTRAN_NAME_LENGTH, row->routine);
    for (char *letter = name; *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
}

void lava_xerbla(enum lava_routine routine, int argument) {
    /* An xerbla_ of a BLAS with 64-bit integers reads more than an int. */
    union {
        int64_t wide;
        int narrow[2];
    } number = {.wide = argument}; /* its first half is the int: the library is for little-endian machines */
    char name[NAME_BYTES];
    write_name(routine, name);
    if (xerbla_)
        xerbla_(name, number.narrow, strlen(name));
    else
        lava_log_always("on entry to %s parameter number %d had an illegal value", name, argument);
}

void lava_xerbla_counted(enum lava_routine routine, int wrong) {
    int layout = is_fortran(routine) ? 0 : 1; /* CBLAS's list begins with it */
    lava_xerbla(routine, wrong == LAVA_VALIDATE_LAYOUT ? 1 : wrong + layout);
}
