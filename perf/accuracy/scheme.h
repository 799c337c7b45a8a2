/* The schemes for sgemm by planes that accuracy compares, and the matrix units that it emulates. The first
 * schemes are the library's own, built from the rows of dispatch/schemes.c. doc/numerics.md compares the
 * others with them, derives the error bounds, and names the sources of the units. Constant data. */
#ifndef PERF_ACCURACY_SCHEME_H
#define PERF_ACCURACY_SCHEME_H

#include <stdbool.h>
#include <stddef.h>

#include "dispatch/schemes.h"

#define MAX_PLANES   3
#define MAX_PRODUCTS 9

/* What a scheme must meet; otherwise accuracy fails. */
enum listed {
    LISTED_NOT,
    LISTED_SCREENED, /* every criterion, on data that the tests of fp16 planes accept: see screen.h */
    LISTED_ALONE,    /* every criterion, on any data that exponents do not screen out */
};

struct scheme {
    const char *name;
    enum listed listed;
    enum lava_scheme row; /* in the library's table; LAVA_SCHEME_NONE: not in it */
    int planes;
    int bits;    /* in a plane's significand, including the hidden one */
    int quantum; /* exponent of the smallest subnormal number of a plane */
    /* rows of A and columns of B are scaled by powers of two, so that the largest element of each is about
     * 2^14 */
    bool scaled;
    bool apart;   /* all products except that of the first planes have their own accumulator */
    int shift;    /* each plane is scaled by 2^shift relative to the one before; only with apart */
    int products; /* in the order of addition: higher levels first */
    int pair[MAX_PRODUCTS][2];
};

/* A unit adds `length` products to the accumulator at once. Every term is truncated `fraction` bits below the
 * largest exponent, the sum is exact, and the result is truncated to fp32. fraction 0: one multiply-add after
 * another, each rounded to nearest (through fp64, so twice). */
struct unit {
    const char *name;
    int length;
    int fraction;
};

/* Returns the rows and stores their number. */
const struct scheme *scheme_table(size_t *count);

extern const struct unit units[];
extern const size_t unit_count;

/* The scheme of a row of the library, other than LAVA_SCHEME_NONE. */
const struct scheme *scheme_find_row(enum lava_scheme row);
/* Returns NULL, with a line on stderr, if there is none. `length` is the length of the name. */
const struct scheme *scheme_find(const char *name, size_t length);
const struct unit *scheme_find_unit(const char *name);

#endif
