/* The ways of computing sgemm by planes that accuracy compares, and the matrix units that it emulates. The
 * first schemes are the library's own, made from the rows of dispatch/schemes.c; the others are what
 * doc/numerics.md compares them with. It derives their error bounds, and names the sources of the units.
 * Constant data. */
#ifndef PERF_ACCURACY_SCHEME_H
#define PERF_ACCURACY_SCHEME_H

#include <stdbool.h>
#include <stddef.h>

#include "dispatch/schemes.h"

#define MAX_PLANES   3
#define MAX_PRODUCTS 9

/* What a scheme promises; accuracy fails where it is not kept. */
enum listed {
    LISTED_NOT,
    LISTED_SCREENED, /* to meet every criterion on what the tests of planes of fp16 accept: see screen.h */
    LISTED_ALONE,    /* to meet them on any data, but for what exponents screen out */
};

struct scheme {
    const char *name;
    enum listed listed;
    enum lava_scheme row; /* of the library's table; LAVA_SCHEME_NONE: not the library's */
    int planes;
    int bits;    /* of a plane's significand, the hidden one included */
    int quantum; /* exponent of the smallest subnormal number of a plane */
    bool scaled; /* rows of A and columns of B, by powers of two, so that the largest element of each is about
                    2^14 */
    bool apart;  /* all products but that of the first planes have an accumulator of their own */
    int shift; /* a plane is multiplied by so many powers of two more than the one before; only where apart */
    int products; /* in the order in which they are added: higher levels first */
    int pair[MAX_PRODUCTS][2];
};

/* Adds `length` products to the accumulator at once: every term is cut off `fraction` bits below the largest
 * exponent, the sum is exact, the result is cut off to fp32. fraction 0: one multiply-add after another, each
 * rounded to nearest (through fp64, so twice). */
struct unit {
    const char *name;
    int length;
    int fraction;
};

/* The rows, ended by the count. */
const struct scheme *scheme_table(size_t *count);

extern const struct unit units[];
extern const size_t unit_count;

/* The library's; not LAVA_SCHEME_NONE. */
const struct scheme *scheme_find_row(enum lava_scheme row);
/* NULL, and a line on stderr, where there is none. `length` characters of the name. */
const struct scheme *scheme_find(const char *name, size_t length);
const struct unit *scheme_find_unit(const char *name);

#endif
