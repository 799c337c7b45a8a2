/* Decides whether several engines share one product. Each engine takes the next block of C when it gets there
 * (program.h). C is cut into column blocks, and into row blocks only if memory wants that, a triangle into
 * strips; a batch has blocks of several products as it is. A solve is cut into a part of the right-hand sides
 * for each engine. Results have the same bits as those of one engine: the kernel, the tiles, and the slices
 * and panels of K are those of the plan for one (but see lava_sharing_reconsider). A pure function; any
 * thread. */
#ifndef LAVA_DISPATCH_SHARING_H
#define LAVA_DISPATCH_SHARING_H

#include "dispatch/policy.h"

/* Most blocks of a product that is shared; a batch may have more. */
#define LAVA_SHARING_BLOCKS_MAX 256

/* Looks for a plan by which 2 to `engines` engines of the device's kind share the product, which is to be
 * computed by the plan `one` otherwise. Returns false if one engine is as good, or the product cannot be
 * shared. plan->engines says how many engines gain; fewer may share it, too. */
bool lava_sharing_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_figures *figures, const struct lava_plan *one, uint32_t engines,
                       struct lava_plan *plan);
/* A product by residues is computed by one engine. Where `engines` of them that share the plain product are
 * faster, changes the plan that the policy chose to the plain one, unless residues are forced. The bits may
 * be others than those of one engine. */
void lava_sharing_reconsider(const struct lava_plan_request *asked, enum lava_mode mode, uint32_t engines,
                             struct lava_plan *plan);
/* What the rows of kinds have for this: of a product or a batch of them, and of a solve. */
lava_kind_share lava_sharing_product, lava_sharing_solve;

/* The parts of a solve that is shared: plan->chunks.part right-hand sides each, the last one perhaps fewer.
 */
uint32_t lava_sharing_parts(const struct lava_operation *solve, const struct lava_plan *plan);
struct lava_operation lava_sharing_part(const struct lava_operation *solve, const struct lava_plan *plan,
                                        uint32_t index);

#endif
