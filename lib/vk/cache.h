/* Files that outlive the process: $XDG_CACHE_HOME/lavablas/ (0700), one file (0600) for each kind of content
 * and key. The key says what the content is good for (a device and its driver ...), in whatever bytes. What
 * is read is believed only if it is a regular file of this user that nobody else may write, not a link, not
 * too large, with the right version, key, length and checksum; anything else is ignored and later replaced.
 * Written to a temporary name and renamed, so a reader sees a whole file or none. Knows no Vulkan: tested
 * without a device. */
#ifndef LAVA_VK_CACHE_H
#define LAVA_VK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAVA_CACHE_MAX_BYTES     (64u << 20)
#define LAVA_CACHE_MAX_KEY_BYTES 1500
#define LAVA_CACHE_MAX_NAME      64

struct lava_cache_place {
    char folder[1100]; /* "": no cache */
    char path[1200];
    size_t key_bytes;
    unsigned char key[LAVA_CACHE_MAX_KEY_BYTES];
};

/* home: an absolute path, or NULL for no cache. The file is called by `name`, of at most LAVA_CACHE_MAX_NAME
 * characters, and a hash of the key; a longer one, or a longer key, means no cache. Touches no file. */
void lava_cache_place_init(struct lava_cache_place *place, const char *home, const char *name,
                           const void *key, size_t key_bytes);
/* Makes the folder if need be. False: nothing could be stored there. */
bool lava_cache_prepare(const struct lava_cache_place *place);
/* The payload, to be freed, or NULL. */
void *lava_cache_load(const struct lava_cache_place *place, size_t *bytes);
/* False where it could not be written; a log line at level info says why. */
bool lava_cache_store(const struct lava_cache_place *place, const void *data, size_t bytes);

#endif
