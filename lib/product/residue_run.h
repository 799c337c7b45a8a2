/* Runs a product by residues from host memory to host memory: panels of K go up while earlier ones are
 * multiplied, and columns of C are downloaded while later ones are. Private to lib/product. */
#ifndef LAVA_PRODUCT_RESIDUE_RUN_H
#define LAVA_PRODUCT_RESIDUE_RUN_H

#include "lib/product/run.h"

/* Takes memory for the matrices of a plan by residues, in the run; gives it back, when the stream is closed.
 */
enum lava_status lava_residue_run_take(struct lava_run *run);
void lava_residue_run_return(struct lava_run *run);
/* Computes all of C, whose downloads are finished then. On failure run->started and run->blocks say what was
 * started, as for a program's tasks. */
enum lava_status lava_residue_run(struct lava_run *run);

#endif
