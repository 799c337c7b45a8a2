/* Reads the limits on memory of control groups, of both versions (Linux,
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst). Called by room.c.
 *
 * Invariant: a file that is missing, or that says something else than a number, limits nothing. In a
 * container the process's path may be that of the host; then the container's own group is the root. */
#include "lib/base/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct version {
    const char *controllers; /* as in /proc/self/cgroup */
    const char *folder, *limit, *used;
    const char *files[2]; /* in memory.stat: bytes of files, which the kernel takes back */
};

static const struct version versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {"memory",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}},
};

static FILE *open_file(const char *folder, const char *name) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "re");
}

static uint64_t read_number(const char *folder, const char *name, uint64_t otherwise) {
    unsigned long long number;
    FILE *file = open_file(folder, name);
    bool is_number = file && fscanf(file, "%llu", &number) == 1;
    if (file)
        fclose(file);
    return is_number ? number : otherwise;
}

static uint64_t bytes_of_files(const struct version *version, const char *folder) {
    char name[64];
    unsigned long long number;
    uint64_t bytes = 0;
    FILE *file = open_file(folder, "memory.stat");
    while (file && fscanf(file, "%63s %llu", name, &number) == 2)
        if (!strcmp(name, version->files[0]) || !strcmp(name, version->files[1]))
            bytes += number;
    if (file)
        fclose(file);
    return bytes;
}

static uint64_t left_in(const struct version *version, const char *folder) {
    uint64_t limit = read_number(folder, version->limit, UINT64_MAX);
    if (limit == UINT64_MAX)
        return UINT64_MAX;
    uint64_t used = read_number(folder, version->used, 0), files = bytes_of_files(version, folder);
    used -= files < used ? files : used;
    return limit > used ? limit - used : 0;
}

/* Goes from the group up to the root. */
static uint64_t left_above(const struct version *version, const char *root, const char *group) {
    char folder[PATH_MAX];
    uint64_t least = UINT64_MAX;
    int length = snprintf(folder, sizeof folder, "%s%s", root, version->folder);
    if (length < 0 || (size_t)length + strlen(group) >= sizeof folder)
        return least;
    memcpy(folder + length, group, strlen(group) + 1);
    if (strcmp(group, "/") == 0)
        folder[length] = 0;
    for (;;) {
        uint64_t left = left_in(version, folder);
        least = left < least ? left : least;
        if (!folder[length])
            return least;
        *strrchr(folder, '/') = 0;
    }
}

/* A line is NUMBER:CONTROLLERS:GROUP. A group begins with a slash. */
static const struct version *parse(char *line, const char **group) {
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/')
        return NULL;
    *path = 0;
    path[1 + strcspn(path + 1, "\n")] = 0;
    *group = path + 1;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (!strcmp(controllers + 1, versions[i].controllers))
            return &versions[i];
    return NULL;
}

uint64_t lava_cgroup_left(const char *root) {
    char line[PATH_MAX];
    uint64_t least = UINT64_MAX;
    FILE *file = open_file(root, "proc/self/cgroup");
    while (file && fgets(line, sizeof line, file)) {
        const char *group;
        const struct version *version = parse(line, &group);
        uint64_t left = version ? left_above(version, root, group) : UINT64_MAX;
        least = left < least ? left : least;
    }
    if (file)
        fclose(file);
    return least;
}
