/* The ways of computing sgemm by planes that accuracy compares, and the matrix units that it emulates.
 * doc/numerics.md derives the error bounds of the schemes and names the sources of the units. Constant data.
 */
#ifndef PERF_ACCURACY_SCHEME_H
#define PERF_ACCURACY_SCHEME_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_PLANES   3
#define MAX_PRODUCTS 9
#define NOT_SCALED   999

/* What a scheme promises; accuracy fails where it is not kept. */
enum listed {
    LISTED_NOT,
    LISTED_SCREENED, /* to meet every criterion on what screen.h accepts */
    LISTED_ALONE,    /* to meet them on any data */
};

struct scheme {
    const char *name;
    enum listed listed;
    int planes;
    int bits;     /* of a plane's significand, the hidden one included */
    int quantum;  /* exponent of the smallest subnormal number of a plane */
    int top;      /* exponent that the largest element of a row of A or a column of B gets, or NOT_SCALED */
    bool nearest; /* planes are rounded to nearest; else cut off */
    bool apart;   /* all products but that of the first planes have an accumulator of their own */
    int lower_shift; /* planes after the first are multiplied by 2^lower_shift; two planes only, and apart */
    int products;    /* in the order in which they are added */
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

extern const struct scheme schemes[];
extern const size_t scheme_count;
extern const struct unit units[];
extern const size_t unit_count;

/* NULL, and a line on stderr, where there is none. `length` characters of the name. */
const struct scheme *scheme_find(const char *name, size_t length);
const struct unit *scheme_find_unit(const char *name);

#endif
