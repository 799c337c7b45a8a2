/* The loader lists a driver once for each manifest, so it is given copies of the one that VK_DRIVER_FILES
 * names.
 */
#ifndef LAVA_TESTS_ROBUSTNESS_DRIVER_COPIES_H
#define LAVA_TESTS_ROBUSTNESS_DRIVER_COPIES_H

#include <stdbool.h>

#define DRIVER_COPIES_MOST 3

struct driver_copies {
    char folder[32], paths[DRIVER_COPIES_MOST][64];
    int count;
};

/* Makes the copies, which VK_DRIVER_FILES lists from here on. Returns false if there is no manifest; call
 * driver_copies_end in any case. */
bool driver_copies_begin(struct driver_copies *copies, int count);
void driver_copies_end(const struct driver_copies *copies);

#endif
