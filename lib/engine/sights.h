/* Some bytes of a matrix that is seen again and again, to find out cheaply whether the program writes it. */
#ifndef LAVA_ENGINE_SIGHTS_H
#define LAVA_ENGINE_SIGHTS_H

#include "lib/host/matrix_watch.h"

#define LAVA_SIGHTS       16
#define LAVA_SIGHTS_BYTES 64 /* of each */

struct lava_sights {
    unsigned char bytes[LAVA_SIGHTS][LAVA_SIGHTS_BYTES];
};

/* Compares some bytes of the matrix, spread over its columns, with those of the last time, and keeps them.
 * Nothing but its elements is read. Returns whether they are the same. */
bool lava_sights_compare(struct lava_sights *sights, const struct lava_host_matrix *matrix);

#endif
