/* The pipeline cache's file: $XDG_CACHE_HOME/lavablas/ (0700), one file (0600) per device and driver. What is
 * read is believed only if it is a regular file of this user that nobody else may write, not a link, not too
 * large, with the right version, key, length and checksum; anything else is ignored and later replaced.
 * Written to a temporary name and renamed, so a reader sees a whole file or none. Knows no Vulkan: tested
 * without a device. */
#ifndef LAVA_VK_CACHE_H
#define LAVA_VK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lava_cache_key {
    uint32_t vendor_id, device_id, driver_version;
    uint8_t uuid[16];
};

struct lava_cache_place {
    char folder[1100]; /* "": no cache */
    char path[1200];
    struct lava_cache_key key;
};

#define LAVA_CACHE_MAX_BYTES (64u << 20)

/* home: an absolute path, or NULL for no cache. Touches no file. */
void lava_cache_place_init(struct lava_cache_place *place, const char *home,
                           const struct lava_cache_key *key);
/* The payload, to be freed, or NULL. */
void *lava_cache_load(const struct lava_cache_place *place, size_t *bytes);
/* False where it could not be written; a log line at level info says why. */
bool lava_cache_store(const struct lava_cache_place *place, const void *data, size_t bytes);

#endif
