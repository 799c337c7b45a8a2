/* Reads /proc/self/maps and /proc/self/status. Called by page_watch.c. */
#include "lib/host/page_trust.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/page_ranges.h"

/* Names of mappings, and parts of them. */
static const struct {
    const char *name, *refusal;
} writers[] = {
    {"/dev/infiniband/", "RDMA is in use"},
    {"anon_inode:[io_uring]", "io_uring is in use"},
    {"/[aio]", "asynchronous I/O (aio) is in use"},
    {"/dev/vfio/", "a device of the process (vfio) is in use"},
    {"anon_inode:[vfio", "a device of the process (vfio) is in use"},
    {"/libcuda.so", "CUDA is loaded"},
    {"/libcudart", "CUDA is loaded"},
    {"/libamdhip64", "ROCm is loaded"},
    {"/libhsa-runtime64", "ROCm is loaded"},
};

#define WRITERS (sizeof writers / sizeof writers[0])

/* The mappings of the process, read line by line: with a thousand of them, scanf takes longer than the
 * kernel. */
struct mappings {
    FILE *file;
    char *line;
    size_t capacity, count;
};

struct mapping {
    struct lava_page_range range;
    uint64_t device, inode;
    const char *name; /* "": anonymous */
};

static bool open_mappings(struct mappings *mappings) {
    *mappings = (struct mappings){.file = fopen("/proc/self/maps", "re")};
    return mappings->file;
}

/* Returns whether all lines were read: without memory, getline ends as it does after the last one. */
static bool are_all_read(const struct mappings *mappings) {
    return mappings->count > 0 && feof(mappings->file) && !ferror(mappings->file);
}

static void close_mappings(struct mappings *mappings) {
    if (mappings->file)
        fclose(mappings->file);
    free(mappings->line);
}

/* A line has the addresses, permissions, offset, device, inode and name; the name is valid until the next. */
static bool read_mapping(struct mappings *mappings, struct mapping *mapping) {
    ssize_t length = getline(&mappings->line, &mappings->capacity, mappings->file);
    if (length <= 0)
        return false;
    mappings->count++;
    mappings->line[length - 1] = 0;
    char *at = mappings->line;
    mapping->range.first = strtoull(at, &at, 16);
    mapping->range.bytes = strtoull(at + 1, &at, 16) - mapping->range.first;
    for (int skipped = 0; skipped < 2; skipped++)
        at += 1 + strcspn(at + 1, " ");
    mapping->device = strtoull(at, &at, 16) << 32;
    mapping->device |= strtoull(at + 1, &at, 16);
    mapping->inode = strtoull(at, &at, 10);
    mapping->name = at + strspn(at, " ");
    return true;
}

static const char *pinned(void) {
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kib = 0;
    bool is_told = false;
    if (!status)
        return "/proc/self/status cannot be opened";
    while (!is_told && fgets(line, sizeof line, status))
        is_told = sscanf(line, "VmPin: %" SCNu64, &kib) == 1;
    fclose(status);
    return !is_told  ? "the kernel does not tell how much memory is pinned"
           : kib > 0 ? "memory is pinned"
                     : NULL;
}

/* A library has several mappings in a row, of one file. What has no path may share an inode with others. */
static bool is_same_file(const struct mapping *mapping, const struct mapping *last) {
    return mapping->device == last->device && mapping->inode == last->inode && mapping->name[0] == '/';
}

const char *lava_page_trust_check(void) {
    const char *refusal = pinned();
    struct mappings mappings;
    struct mapping mapping, last = {0};
    if (refusal)
        return refusal;
    if (!open_mappings(&mappings))
        return "/proc/self/maps cannot be opened";
    for (; !refusal && read_mapping(&mappings, &mapping); last = mapping)
        for (size_t i = 0; i < WRITERS && mapping.inode != 0 && !is_same_file(&mapping, &last); i++)
            if (strstr(mapping.name, writers[i].name))
                refusal = writers[i].refusal;
    if (!refusal && !are_all_read(&mappings))
        refusal = "/proc/self/maps cannot be read";
    close_mappings(&mappings);
    return refusal;
}

/* What is shared has an inode, too, if it is of no file. [heap] and [anon:...] are names that Linux and
 * programs give.
 */
static const char *refuse_kind(const struct mapping *mapping) {
    char here;
    uint64_t stack = (uint64_t)(uintptr_t)&here;
    if (mapping->inode != 0)
        return "it is shared, or of a file";
    if (strstr(mapping->name, "stack") || stack - mapping->range.first < mapping->range.bytes)
        return "it is a stack";
    if (mapping->name[0] && strcmp(mapping->name, "[heap]") != 0 && strncmp(mapping->name, "[anon:", 6) != 0)
        return "it is the kernel's";
    return NULL;
}

const char *lava_page_trust_mappings(struct lava_page_range pages, lava_page_kernel_found *found,
                                     void *context) {
    struct mappings mappings;
    struct mapping mapping;
    const char *refusal = open_mappings(&mappings) ? NULL : "/proc/self/maps cannot be opened";
    uint64_t at = pages.first, end = pages.first + pages.bytes;
    while (!refusal && at < end && read_mapping(&mappings, &mapping)) {
        if (lava_page_ranges_common(mapping.range, pages).bytes == 0)
            continue;
        refusal = mapping.range.first > at ? "a part is not mapped" : refuse_kind(&mapping);
        if (!refusal)
            found(context, mapping.range);
        at = mapping.range.first + mapping.range.bytes;
    }
    close_mappings(&mappings);
    return refusal ? refusal : at < end ? "a part is not mapped" : NULL;
}

bool lava_page_trust_walk(struct lava_page_range pages, lava_page_kernel_found *found, void *context) {
    struct mappings mappings;
    struct mapping mapping;
    bool is_open = open_mappings(&mappings);
    while (is_open && read_mapping(&mappings, &mapping))
        if (lava_page_ranges_common(mapping.range, pages).bytes > 0)
            found(context, mapping.range);
    close_mappings(&mappings);
    return is_open;
}
