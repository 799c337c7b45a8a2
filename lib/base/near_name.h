/* Finds the name that a mistyped one is meant to be. Any thread may call this function. */
#ifndef LAVA_BASE_NEAR_NAME_H
#define LAVA_BASE_NEAR_NAME_H

#include <stddef.h>

/* Names fit here with their final zero. */
#define LAVA_NEAR_NAME_BYTES 32

/* Returns the known name that is nearest to this one: few letters differ, or this one begins with it. Returns
 * NULL if the name is known itself, or none is near. */
const char *lava_near_name_find(const char *name, const char *const *known, size_t count);

#endif
