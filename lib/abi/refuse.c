/* Complaints about wrong arguments. Called by the families' files for what no routine of the CPU BLAS checks.
 */
#include "lib/abi/refuse.h"

#include <ctype.h>
#include <stdio.h>

#include "lib/host/complain.h"

void lava_refuse(enum lava_routine routine, int argument) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    char name[40];
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    snprintf(name, sizeof name, "%s%s", fortran ? "" : "cblas_", row->routine);
    for (char *letter = name; fortran && *letter; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    lava_complain(name, argument);
}

int lava_refuse_find(enum lava_routine routine, int layout, int transa, int transb,
                     const struct lava_problem *numbers) {
    if (lava_routine_row(routine)->convention == LAVA_CONVENTION_FORTRAN)
        return lava_complain_find_fortran((char)transa, (char)transb, numbers);
    int number = lava_complain_find_cblas(layout, transa, transb, numbers);
    return number == 1 ? LAVA_REFUSE_LAYOUT : number ? number - 1 : 0;
}
