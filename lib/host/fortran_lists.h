/* Fortran's argument lists of routines of any type, for who times them (lib/calibrate/own_routines.c,
 * perf/side_times.c). Integers are passed as int64_t: a routine whose integers are int reads or writes the
 * lower half, which comes first. The lengths of the characters come last. */
#ifndef LAVA_HOST_FORTRAN_LISTS_H
#define LAVA_HOST_FORTRAN_LISTS_H

#include <stddef.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of an integer comes first");

typedef const int64_t lava_fortran_integer;
/* clang-format off */
#define INTEGER lava_fortran_integer *
/* ?symm, ?syr2k */
typedef void lava_fortran_two(const char *, const char *, INTEGER, INTEGER, const void *, const void *, INTEGER,
                              const void *, INTEGER, const void *, void *, INTEGER, size_t, size_t);
typedef void lava_fortran_syrk(const char *, const char *, INTEGER, INTEGER, const void *, const void *, INTEGER,
                               const void *, void *, INTEGER, size_t, size_t);
/* ?trmm, ?trsm */
typedef void lava_fortran_triangle(const char *, const char *, const char *, const char *, INTEGER, INTEGER,
                                   const void *, const void *, INTEGER, void *, INTEGER, size_t, size_t, size_t,
                                   size_t);
/* ?potrf, ?potri; the last pointer of these is info */
typedef void lava_fortran_potrf(const char *, INTEGER, void *, INTEGER, int64_t *, size_t);
typedef void lava_fortran_getrf(INTEGER, INTEGER, void *, INTEGER, void *, int64_t *);
typedef void lava_fortran_geqrf(INTEGER, INTEGER, void *, INTEGER, void *, void *, INTEGER, int64_t *);
typedef void lava_fortran_getri(INTEGER, void *, INTEGER, const void *, void *, INTEGER, int64_t *);
/* D, E, tau, work */
typedef void lava_fortran_sytrd(const char *, INTEGER, void *, INTEGER, void *, void *, void *, void *, INTEGER, int64_t *,
                                size_t);
#undef INTEGER
/* clang-format on */

#endif
