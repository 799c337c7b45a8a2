/* Where the parts of a packed operand lie: one buffer, in this order.
 *
 *     the packed elements, or fragments of all planes
 *     where tiles may be screened out:
 *       panels: the elements as they are, for the fallback row
 *       exponents: of each panel, words for LAVA_PACK_BLOCK_MATRIX elements each way
 *       arguments: those of the fallback's indirect dispatch
 *
 * shaders/interface.h describes each. Pure arithmetic. */
#ifndef LAVA_DISPATCH_PACKED_H
#define LAVA_DISPATCH_PACKED_H

#include "dispatch/kernels.h"

struct lava_packed {
    uint64_t element_bytes;                /* of the first part, for each element of the operand */
    uint64_t panels, exponents, arguments; /* bytes from the first part's begin; 0: there are none */
    uint64_t exponent_words;               /* of a panel */
    uint64_t bytes;                        /* of all */
};

/* An operand of width_padded x k_padded elements in panels of `panel`. */
struct lava_packed lava_packed_layout(const struct lava_kernel *kernel, uint32_t panel, uint64_t width_padded,
                                      uint64_t k_padded);

#endif
