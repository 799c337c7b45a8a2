/* Checks the numbers of a form. Called by device_bidiagonal.c, device_tridiagonal.c and device_pivoted_qr.c.
 */
#include "lib/lapack/form_check.h"

#include <math.h>

#include "lib/host/numbers.h"

/* The sign of shaders/reflection.glsl. */
#define TOO_SMALL (-2)

enum lava_status lava_form_check(enum lava_type type, const void *form, const struct lava_form_part *parts,
                                 size_t count) {
    bool is_small = false;
    for (const struct lava_form_part *part = parts; part < parts + count; part++)
        for (int64_t i = part->first; i < part->first + part->count; i++) {
            const struct lava_number number =
                lava_number_read(type, lava_operation_element((void *)(uintptr_t)form, type, i, 0, 1));
            if (!isfinite(number.real) || !isfinite(number.imaginary))
                return LAVA_ERROR_SCALED;
            is_small = is_small || (part->is_tau && number.real == TOO_SMALL && number.imaginary == 0);
        }
    return is_small ? LAVA_ERROR_UNDERFLOW : LAVA_OK;
}
