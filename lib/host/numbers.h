/* Elements of any type but half precision, one at a time, for loops whose time does not matter. */
#ifndef LAVA_HOST_NUMBERS_H
#define LAVA_HOST_NUMBERS_H

#include <math.h>

#include "dispatch/operation.h"

/* imaginary is 0 for real types. */
struct lava_number {
    double real, imaginary;
};

static inline struct lava_number lava_number_read(enum lava_type type, const void *element) {
    switch (type) {
    case LAVA_TYPE_FP32:
        return (struct lava_number){*(const float *)element, 0};
    case LAVA_TYPE_FP64:
        return (struct lava_number){*(const double *)element, 0};
    case LAVA_TYPE_CFP32:
        return (struct lava_number){((const float *)element)[0], ((const float *)element)[1]};
    default:
        return (struct lava_number){((const double *)element)[0], ((const double *)element)[1]};
    }
}

static inline void lava_number_write(enum lava_type type, void *element, struct lava_number number) {
    switch (type) {
    case LAVA_TYPE_FP32:
        *(float *)element = (float)number.real;
        break;
    case LAVA_TYPE_FP64:
        *(double *)element = number.real;
        break;
    case LAVA_TYPE_CFP32:
        ((float *)element)[0] = (float)number.real;
        ((float *)element)[1] = (float)number.imaginary;
        break;
    default:
        ((double *)element)[0] = number.real;
        ((double *)element)[1] = number.imaginary;
    }
}

/* Element `at` of a vector of a real type. */
static inline double lava_number_real_at(enum lava_type type, const void *vector, int64_t at) {
    return type == LAVA_TYPE_FP32 ? (double)((const float *)vector)[at] : ((const double *)vector)[at];
}
static inline void lava_number_set_real(enum lava_type type, void *vector, int64_t at, double number) {
    if (type == LAVA_TYPE_FP32)
        ((float *)vector)[at] = (float)number;
    else
        ((double *)vector)[at] = number;
}

static inline struct lava_number lava_number_times(struct lava_number a, struct lava_number b) {
    return (struct lava_number){a.real * b.real - a.imaginary * b.imaginary,
                                a.real * b.imaginary + a.imaginary * b.real};
}

/* Divides by the larger part first, so that nothing overflows early (Smith 1962). */
static inline struct lava_number lava_number_divided(struct lava_number x, struct lava_number by) {
    if (by.imaginary == 0)
        return (struct lava_number){x.real / by.real, x.imaginary / by.real};
    bool is_real = fabs(by.real) >= fabs(by.imaginary);
    double ratio = is_real ? by.imaginary / by.real : by.real / by.imaginary;
    double whole = is_real ? by.real + by.imaginary * ratio : by.imaginary + by.real * ratio;
    if (is_real)
        return (struct lava_number){(x.real + x.imaginary * ratio) / whole,
                                    (x.imaginary - x.real * ratio) / whole};
    return (struct lava_number){(x.real * ratio + x.imaginary) / whole,
                                (x.imaginary * ratio - x.real) / whole};
}

#endif
