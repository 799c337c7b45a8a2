/* The options of level 3, from characters or enumerators. Called by the families' files. Invariant: what is
 * valid here, the reference BLAS accepts too. */
#include "lib/abi/letters.h"

#include <string.h>

bool lava_options_is_fortran(enum lava_routine routine) {
    return lava_routine_row(routine)->convention == LAVA_CONVENTION_FORTRAN;
}

/* The enumerators are `first` and those after it, one for each of the letters. */
static int read_option(enum lava_routine routine, int option, const char *letters, int first) {
    int count = (int)strlen(letters);
    if (!lava_options_is_fortran(routine))
        return option >= first && option < first + count ? option : 0;
    for (int i = 0; i < count; i++)
        if (((unsigned char)option | 0x20) == letters[i]) /* to lower case */
            return first + i;
    return 0;
}

int lava_options_read_trans(enum lava_routine routine, int trans) {
    return read_option(routine, trans, "ntc", LAVA_TRANS_NO);
}

int lava_options_read_uplo(enum lava_routine routine, int uplo) {
    return read_option(routine, uplo, "ul", LAVA_UPLO_UPPER);
}

int lava_options_read_diag(enum lava_routine routine, int diag) {
    return read_option(routine, diag, "nu", LAVA_DIAG_NON_UNIT);
}

int lava_options_read_side(enum lava_routine routine, int side) {
    return read_option(routine, side, "lr", LAVA_SIDE_LEFT);
}

bool lava_options_has_adjoint(enum lava_routine routine, int trans) {
    int read = lava_options_read_trans(routine, trans);
    bool is_complex = lava_type_is_complex(lava_routine_type(routine));
    return read == LAVA_TRANS_NO || read == (is_complex ? LAVA_TRANS_CONJUGATE : LAVA_TRANS_YES);
}

bool lava_options_is_hermitian_update(enum lava_routine routine) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    return lava_type_is_complex(row->type) && !lava_type_is_complex(row->scalar);
}

int lava_options_read_update_trans(enum lava_routine routine, int trans) {
    int read = lava_options_read_trans(routine, trans);
    if (read == LAVA_TRANS_NO || read == 0)
        return read;
    if (!lava_type_is_complex(lava_routine_type(routine)))
        return LAVA_TRANS_YES;
    return read == (lava_options_is_hermitian_update(routine) ? LAVA_TRANS_CONJUGATE : LAVA_TRANS_YES) ? read
                                                                                                       : 0;
}

bool lava_options_is_by_rows(enum lava_routine routine, int layout) {
    return !lava_options_is_fortran(routine) && layout == LAVA_LAYOUT_ROWS;
}

bool lava_options_is_wrong_layout(enum lava_routine routine, int layout) {
    return !lava_options_is_fortran(routine) && layout != LAVA_LAYOUT_ROWS && layout != LAVA_LAYOUT_COLUMNS;
}

bool lava_options_is_short(int64_t leading_dimension, int64_t elements) {
    return leading_dimension < (elements > 1 ? elements : 1);
}
