/* Reads the options of level 3 (which triangle, which side ...) as a routine's convention passes them:
 * Fortran's character in either case, or CBLAS's enumerator. Each function returns CBLAS's enumerator, or 0
 * if the option is invalid. Any thread may call them. */
#ifndef LAVA_ABI_LETTERS_H
#define LAVA_ABI_LETTERS_H

#include "lib/base/routines.h"

enum { LAVA_LAYOUT_ROWS = 101, LAVA_LAYOUT_COLUMNS = 102 };
enum { LAVA_TRANS_NO = 111, LAVA_TRANS_YES = 112, LAVA_TRANS_CONJUGATE = 113 };
enum { LAVA_UPLO_UPPER = 121, LAVA_UPLO_LOWER = 122 };
enum { LAVA_DIAG_NON_UNIT = 131, LAVA_DIAG_UNIT = 132 };
enum { LAVA_SIDE_LEFT = 141, LAVA_SIDE_RIGHT = 142 };

int lava_options_read_trans(enum lava_routine routine, int trans);
int lava_options_read_uplo(enum lava_routine routine, int uplo);
int lava_options_read_diag(enum lava_routine routine, int diag);
int lava_options_read_side(enum lava_routine routine, int side);

/* Returns whether LAPACK's QR has that trans: real types have N and T, complex ones N and C. */
bool lava_options_has_adjoint(enum lava_routine routine, int trans);

/* The same as _read_trans for ?syrk, ?herk, ?syr2k and ?her2k: the Hermitian ones have no T, the complex
 * symmetric ones no C. For real types C means T. */
int lava_options_read_update_trans(enum lava_routine routine, int trans);

/* Returns whether the routine updates a Hermitian matrix: ?herk, ?her2k. */
bool lava_options_is_hermitian_update(enum lava_routine routine);

bool lava_options_is_fortran(enum lava_routine routine);
/* Returns whether matrices are stored by rows. */
bool lava_options_is_by_rows(enum lava_routine routine, int layout);
/* Returns whether the layout is invalid. Fortran has none. */
bool lava_options_is_wrong_layout(enum lava_routine routine, int layout);

/* Returns whether a leading dimension is too small for runs of n elements. */
bool lava_options_is_short(int64_t leading_dimension, int64_t elements);

#endif
