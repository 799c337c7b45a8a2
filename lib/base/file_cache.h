/* Files that outlive the process: one file (0600) for each kind of content and key, in
 * $XDG_CACHE_HOME/lavablas/ (0700). The pipelines and the calibration keep their data here. A shared place is
 * for all users (0644, 0755): its files may also be root's.
 *
 * The key is a string of bytes that says what the content is good for, such as a device and its driver. A
 * file is believed only if it is a regular file of this user, not a link, not writable by others, not too
 * large, and has the right version, key, length and checksum. Any other file is ignored and later replaced. A
 * file is written under a temporary name and renamed, so a reader sees a whole file or none.
 *
 * A place may be used by one thread at a time; different places by any threads. */
#ifndef LAVA_BASE_FILE_CACHE_H
#define LAVA_BASE_FILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAVA_FILE_CACHE_MAX_BYTES     (64u << 20)
#define LAVA_FILE_CACHE_MAX_KEY_BYTES 1500
#define LAVA_FILE_CACHE_MAX_NAME      64

struct lava_file_cache_place {
    char folder[1100]; /* "": there is no cache */
    char path[1200];
    bool is_shared; /* for all users; the caller sets it after init */
    size_t key_bytes;
    unsigned char key[LAVA_FILE_CACHE_MAX_KEY_BYTES];
};

/* Sets the place for a key; touches no file. home is an absolute path, or NULL for no cache. The file's name
 * is `name` and a hash of the key. A name of more than LAVA_FILE_CACHE_MAX_NAME characters, or a key of more
 * than LAVA_FILE_CACHE_MAX_KEY_BYTES, means no cache. */
void lava_file_cache_place_init(struct lava_file_cache_place *place, const char *home, const char *name,
                                const void *key, size_t key_bytes);
/* Creates the folder if it is missing. Returns false if nothing can be stored there. */
bool lava_file_cache_prepare(const struct lava_file_cache_place *place);
/* Returns when the file was written, in seconds since 1970; -1: there is none. */
double lava_file_cache_written_s(const struct lava_file_cache_place *place);
/* Returns the payload, which the caller frees, or NULL. */
void *lava_file_cache_load(const struct lava_file_cache_place *place, size_t *bytes);
/* Returns false if the file could not be written; a log line at level info says why. */
bool lava_file_cache_store(const struct lava_file_cache_place *place, const void *data, size_t bytes);

/* Calls `each` for every file of this content in a home that is valid in itself, whatever its key. */
typedef void lava_file_cache_visit(void *context, const void *key, size_t key_bytes, const void *data,
                                   size_t bytes);
void lava_file_cache_each(const char *home, const char *name, lava_file_cache_visit *each, void *context);
/* Deletes the files of this content that were written longest ago, until at most `most` are left. */
void lava_file_cache_keep(const char *home, const char *name, unsigned most);

#endif
