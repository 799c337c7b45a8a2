/* Finds the library that belongs to this command. */
#ifndef LAVA_TOOLS_BESIDE_H
#define LAVA_TOOLS_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of liblavablas.so: in the build folder that this command is in, else if both are
 * installed. Returns false, with a line on stderr, if it is in neither. */
bool beside_find(char *path, size_t size);
/* The same as a value of LD_PRELOAD, before what that has already. The loader takes no path with a space or a
 * colon: then there is a line on stderr, too. */
bool beside_find_preload(char *value, size_t size);

#endif
