/* Which program a process runs, so that what was learnt of it can be found again: the executable's path, and,
 * if that runs programs of many kinds (Python, R, Octave ...), the path of the script or the name of the
 * module. No other argument, no data, and not the working folder, belong to it.
 *
 * What cannot be told apart has no key: text on the command line (-c, -e), standard input, and an interactive
 * session. Any thread may call these functions. */
#ifndef LAVA_BASE_PROGRAM_KEY_H
#define LAVA_BASE_PROGRAM_KEY_H

#include <stdbool.h>
#include <stddef.h>

struct lava_program_key {
    char text[1400]; /* what is compared; its length counts without the 0 */
    char name[64];   /* the last parts of the paths, for people */
};

/* Returns false if the program has no key. executable: an absolute path. arguments: `count` of them, the
 * first is the program's name. A relative path of a script is taken from the working folder. */
bool lava_program_key_make(const char *executable, const char *const *arguments, size_t count,
                           struct lava_program_key *key);
/* The same for this process, as the kernel knows it. */
bool lava_program_key_find(struct lava_program_key *key);

#endif
