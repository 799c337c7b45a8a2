/* The element types of matrices, and what the rest of the library has to know of each. A new type gets a row
 * in types.c. Pure data; any thread. */
#ifndef LAVA_DISPATCH_TYPES_H
#define LAVA_DISPATCH_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/* The types that a device multiplies come first: kernels, figures and preparations are indexed by them. A
 * complex product is computed as a real product of its parts. */
enum lava_type {
    LAVA_TYPE_FP32,
    LAVA_TYPE_FP16,
    LAVA_TYPE_BF16,
    LAVA_TYPE_FP64,
    LAVA_TYPE_REAL_COUNT,
    LAVA_TYPE_CFP32 = LAVA_TYPE_REAL_COUNT, /* complex: the real part, then the imaginary part */
    LAVA_TYPE_CFP64,
    LAVA_TYPE_COUNT
};

struct lava_type_facts {
    const char *name;
    size_t bytes; /* of an element */
    bool is_half, is_complex;
    enum lava_type real;         /* of a complex type's parts; else the type itself */
    enum lava_type sums;         /* in which products are summed: FP32 or FP64 */
    enum lava_type complex_type; /* whose parts have the type; the type itself if there is none */
    double unit;                 /* half a unit in the last place of 1 */
};
const struct lava_type_facts *lava_type_facts(enum lava_type type);

/* The facts asked for most. */
size_t lava_type_bytes(enum lava_type type);
const char *lava_type_name(enum lava_type type); /* "fp32", "fp16", "bf16", "fp64", "cfp32", "cfp64" */
bool lava_type_is_half(enum lava_type type);
bool lava_type_is_complex(enum lava_type type);
enum lava_type lava_type_sums(enum lava_type type);
enum lava_type lava_type_real(enum lava_type type);

bool lava_type_from_name(const char *name, enum lava_type *type);

#endif
