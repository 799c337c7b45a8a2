/* Offsets of the sections of a packed operand, which is one buffer with this order:
 *
 *     the packed elements, or the fragments of all planes
 *     if tiles may be screened out:
 *       panels: the unchanged elements, for the fallback row
 *       exponents: for each panel, one word per LAVA_PACK_BLOCK_MATRIX x LAVA_PACK_BLOCK_MATRIX elements
 *       arguments: those of the fallback's indirect dispatch
 *
 * shaders/interface.h describes each. Pure arithmetic. */
#ifndef LAVA_DISPATCH_PACKED_H
#define LAVA_DISPATCH_PACKED_H

#include "dispatch/kernels.h"

struct lava_packed {
    uint64_t element_bytes;                /* in the first section, per element of the operand */
    uint64_t panels, exponents, arguments; /* byte offsets from the first section; 0: not present */
    uint64_t exponent_words;               /* per panel */
    uint64_t bytes;                        /* of all sections */
};

/* Layout of an operand of width_padded x k_padded elements in panels of `panel`. */
struct lava_packed lava_packed_layout(const struct lava_kernel *kernel, uint32_t panel, uint64_t width_padded,
                                      uint64_t k_padded);

#endif
