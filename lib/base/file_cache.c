/* Reads and writes the files of the cache. Called by lib/vk/pipelines and lib/calibrate.
 *
 * Invariant: whatever is returned has passed every check, because a driver parses it.
 *
 * A file holds a struct header, the key and the payload. */
#include "lib/base/file_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/log.h"

#define MAGIC "LAVACACH"

struct header {
    char magic[8];
    uint32_t version; /* of the library: each version may change the format and the content */
    uint32_t header_bytes;
    uint64_t key_bytes;
    uint64_t payload_bytes;
    uint64_t checksum; /* covers the payload */
};

/* The file's owner and mode keep attackers out. */
static uint64_t hash(const void *data, size_t bytes) {
    return lava_hash_add(LAVA_HASH_BEGIN, data, bytes);
}

static struct header make_header(const struct lava_file_cache_place *place, const void *data, size_t bytes) {
    struct header header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, MAGIC, sizeof header.magic);
    header.version = (uint32_t)hash(LAVA_VERSION, sizeof LAVA_VERSION);
    header.header_bytes = sizeof header;
    header.key_bytes = place->key_bytes;
    header.payload_bytes = bytes;
    header.checksum = hash(data, bytes);
    return header;
}

void lava_file_cache_place_init(struct lava_file_cache_place *place, const char *home, const char *name,
                                const void *key, size_t key_bytes) {
    memset(place, 0, sizeof *place);
    if (!home || home[0] != '/' || strlen(home) > 1000 || strlen(name) > LAVA_FILE_CACHE_MAX_NAME ||
        key_bytes > sizeof place->key)
        return;
    memcpy(place->key, key, key_bytes);
    place->key_bytes = key_bytes;
    snprintf(place->folder, sizeof place->folder, "%s/lavablas", home);
    snprintf(place->path, sizeof place->path, "%s/%s-%016llx", place->folder, name,
             (unsigned long long)hash(key, key_bytes));
}

/* Returns true if the file belongs to this user, or in a shared place to root, and nobody else may write it.
 */
static bool is_ours(const struct lava_file_cache_place *place, const struct stat *info, mode_t type) {
    bool is_owner = info->st_uid == geteuid() || (place->is_shared && info->st_uid == 0);
    return (info->st_mode & S_IFMT) == type && is_owner && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static bool read_all(int file, void *data, size_t bytes) {
    char *to = data;
    while (bytes > 0) {
        ssize_t got = read(file, to, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t bytes) {
    const char *from = data;
    while (bytes > 0) {
        ssize_t put = write(file, from, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        from += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* Reads the key from the file and returns whether it is the expected one. */
static bool read_key(const struct lava_file_cache_place *place, int file) {
    unsigned char key[sizeof place->key];
    return read_all(file, key, place->key_bytes) && !memcmp(key, place->key, place->key_bytes);
}

static void *load_payload(const struct lava_file_cache_place *place, int file, size_t *bytes) {
    struct stat info;
    struct header header;
    off_t before = (off_t)(sizeof header + place->key_bytes);
    if (fstat(file, &info) || !is_ours(place, &info, S_IFREG) || info.st_size < before ||
        info.st_size > before + (off_t)LAVA_FILE_CACHE_MAX_BYTES || !read_all(file, &header, sizeof header) ||
        !read_key(place, file))
        return NULL;
    size_t payload = (size_t)(info.st_size - before);
    void *data = payload > 0 ? malloc(payload) : NULL;
    if (data && read_all(file, data, payload)) {
        struct header expected = make_header(place, data, payload);
        if (!memcmp(&header, &expected, sizeof header)) {
            *bytes = payload;
            return data;
        }
    }
    free(data);
    return NULL;
}

void *lava_file_cache_load(const struct lava_file_cache_place *place, size_t *bytes) {
    *bytes = 0;
    if (!place->folder[0])
        return NULL;
    /* O_NONBLOCK: a FIFO put in the file's place must not hang the program */
    int file = open(place->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    void *data = load_payload(place, file, bytes);
    close(file);
    if (!data)
        LAVA_LOG(INFO, "%s: not of this version and its key; ignored", place->path);
    return data;
}

double lava_file_cache_written_s(const struct lava_file_cache_place *place) {
    struct stat info;
    bool is_there = place->folder[0] && !lstat(place->path, &info);
    return is_there ? (double)info.st_mtim.tv_sec + (double)info.st_mtim.tv_nsec * 1e-9 : -1;
}

/* All folders above may be missing where an installation has its own. */
static void make_parents(const char *folder) {
    char path[sizeof((struct lava_file_cache_place *)0)->folder];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!mkdir(path, 0755))
            (void)chmod(path, 0755); /* whatever the umask says */
        *slash = '/';
    }
}

static bool make_folder(const struct lava_file_cache_place *place) {
    char home[sizeof place->folder];
    mode_t mode = place->is_shared ? 0755 : 0700;
    snprintf(home, sizeof home, "%s", place->folder);
    *strrchr(home, '/') = 0;
    if (place->is_shared)
        make_parents(place->folder);
    else
        (void)mkdir(home, mode); /* ~/.cache may be missing; its parent has to exist */
    struct stat info;
    if (mkdir(place->folder, mode) ? errno != EEXIST : place->is_shared && chmod(place->folder, mode))
        return false;
    return !lstat(place->folder, &info) && is_ours(place, &info, S_IFDIR);
}

bool lava_file_cache_prepare(const struct lava_file_cache_place *place) {
    if (!place->folder[0])
        return false;
    bool made = make_folder(place) && !faccessat(AT_FDCWD, place->folder, W_OK | X_OK, AT_EACCESS);
    if (!made)
        LAVA_LOG(INFO, "%s: not a folder to store anything in", place->folder);
    return made;
}

/* Writes the whole file. A write beyond the limit on the size of files (RLIMIT_FSIZE) fails as on a full
 * disk: its signal, which would end the program, is held back and taken. */
static bool write_file(const struct lava_file_cache_place *place, int file, const void *data, size_t bytes) {
    const struct timespec none = {0};
    const struct header header = make_header(place, data, bytes);
    sigset_t signals, before, pending;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    bool written = write_all(file, &header, sizeof header) && write_all(file, place->key, place->key_bytes) &&
                   write_all(file, data, bytes);
    int error = errno;
    if (!written && error == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&signals, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

bool lava_file_cache_store(const struct lava_file_cache_place *place, const void *data, size_t bytes) {
    char temporary[sizeof place->path + 32];
    if (!place->folder[0] || bytes == 0 || bytes > LAVA_FILE_CACHE_MAX_BYTES)
        return false;
    if (!lava_file_cache_prepare(place))
        return false;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", place->path);
    int file = mkostemp(temporary, O_CLOEXEC); /* 0600, O_EXCL */
    if (file < 0) {
        LAVA_LOG(INFO, "%s: %s", temporary, strerror(errno));
        return false;
    }
    bool written = write_file(place, file, data, bytes);
    written = written && (!place->is_shared || !fchmod(file, 0644));
    written = close(file) == 0 && written && rename(temporary, place->path) == 0;
    if (!written) {
        LAVA_LOG(INFO, "%s: %s", place->path, strerror(errno));
        unlink(temporary);
    }
    return written;
}

/* "name-" and 16 hexadecimal digits: no temporary file, and no other content. */
static bool is_called(const char *entry, const char *name) {
    size_t length = strlen(name);
    return !strncmp(entry, name, length) && entry[length] == '-' && strlen(entry + length + 1) == 16 &&
           strspn(entry + length + 1, "0123456789abcdef") == 16;
}

/* Calls `visit` with the path of each such file. */
static void visit_paths(const char *home, const char *name, void (*visit)(void *context, const char *path),
                        void *context) {
    struct lava_file_cache_place place;
    char path[sizeof place.folder + NAME_MAX + 2];
    lava_file_cache_place_init(&place, home, name, "", 0);
    DIR *folder = place.folder[0] ? opendir(place.folder) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!is_called(entry->d_name, name))
            continue;
        snprintf(path, sizeof path, "%s/%s", place.folder, entry->d_name);
        visit(context, path);
    }
    if (folder)
        closedir(folder);
}

struct visitor {
    const char *home, *name;
    lava_file_cache_visit *each;
    void *context;
};

/* The key is the file's own; load checks everything else, and the name by it. */
static void visit_content(void *context, const char *path) {
    const struct visitor *visitor = context;
    struct lava_file_cache_place place;
    struct header header;
    unsigned char key[sizeof place.key];
    size_t bytes;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool has_key = file >= 0 && read_all(file, &header, sizeof header) && header.key_bytes <= sizeof key &&
                   read_all(file, key, header.key_bytes);
    if (file >= 0)
        close(file);
    if (!has_key)
        return;
    lava_file_cache_place_init(&place, visitor->home, visitor->name, key, header.key_bytes);
    void *data = strcmp(place.path, path) ? NULL : lava_file_cache_load(&place, &bytes);
    if (data)
        visitor->each(visitor->context, key, header.key_bytes, data, bytes);
    free(data);
}

void lava_file_cache_each(const char *home, const char *name, lava_file_cache_visit *each, void *context) {
    struct visitor visitor = {home, name, each, context};
    visit_paths(home, name, visit_content, &visitor);
}

struct oldest {
    unsigned count;
    struct timespec when;
    char path[1200 + NAME_MAX];
};

static void find_oldest(void *context, const char *path) {
    struct oldest *oldest = context;
    struct stat info;
    if (lstat(path, &info))
        return;
    bool is_older = info.st_mtim.tv_sec != oldest->when.tv_sec ? info.st_mtim.tv_sec < oldest->when.tv_sec
                                                               : info.st_mtim.tv_nsec < oldest->when.tv_nsec;
    if (oldest->count++ > 0 && !is_older)
        return;
    oldest->when = info.st_mtim;
    snprintf(oldest->path, sizeof oldest->path, "%s", path);
}

/* A new file is one too many at a time, and several processes may do this at once. */
void lava_file_cache_keep(const char *home, const char *name, unsigned most) {
    for (int tries = 0; tries < 16; tries++) {
        struct oldest oldest = {0};
        visit_paths(home, name, find_oldest, &oldest);
        if (oldest.count <= most || unlink(oldest.path))
            return;
    }
}
