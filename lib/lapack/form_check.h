/* Checks what reflections have left beside a matrix: tau, and the diagonals of its new form. Any thread may
 * call this function. */
#ifndef LAVA_LAPACK_FORM_CHECK_H
#define LAVA_LAPACK_FORM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/types.h"
#include "lib/base/status.h"

/* Numbers of a form that follow each other; count may be less than 0: there are none. */
struct lava_form_part {
    int64_t first, count;
    bool is_tau;
};

/* Returns LAVA_ERROR_SCALED if a number is not finite. Else returns LAVA_ERROR_UNDERFLOW if a reflection's
 * norm is too small for a device that flushes subnormals. The form is in host memory. */
enum lava_status lava_form_check(enum lava_type type, const void *form, const struct lava_form_part *parts,
                                 size_t count);

#endif
