/* Reads /proc/self/maps and /proc/self/status. Called by page_watch.c. */
#include "lib/host/page_trust.h"

#include <inttypes.h>
#include <stdio.h>
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

struct mapping {
    struct lava_page_range range;
    uint64_t inode;
    char name[256]; /* "": anonymous; a longer one is cut */
};

/* Reads the next line, to its end. */
static bool read_mapping(FILE *maps, struct mapping *mapping) {
    uint64_t first, end;
    int next;
    if (fscanf(maps, "%" SCNx64 "-%" SCNx64 " %*s %*x %*x:%*x %" SCNu64, &first, &end, &mapping->inode) != 3)
        return false;
    size_t length = 0;
    while ((next = fgetc(maps)) != EOF && next != '\n')
        if ((next != ' ' || length > 0) && length + 1 < sizeof mapping->name)
            mapping->name[length++] = (char)next;
    mapping->name[length] = 0;
    mapping->range = (struct lava_page_range){first, end - first};
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

const char *lava_page_trust_check(void) {
    const char *refusal = pinned();
    FILE *maps = refusal ? NULL : fopen("/proc/self/maps", "re");
    struct mapping mapping;
    if (!maps)
        return refusal ? refusal : "/proc/self/maps cannot be opened";
    while (!refusal && read_mapping(maps, &mapping))
        for (size_t i = 0; i < sizeof writers / sizeof writers[0] && mapping.inode != 0; i++)
            if (strstr(mapping.name, writers[i].name))
                refusal = writers[i].refusal;
    fclose(maps);
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
    FILE *maps = fopen("/proc/self/maps", "re");
    const char *refusal = maps ? NULL : "/proc/self/maps cannot be opened";
    struct mapping mapping;
    uint64_t at = pages.first, end = pages.first + pages.bytes;
    while (!refusal && at < end && read_mapping(maps, &mapping)) {
        if (lava_page_ranges_common(mapping.range, pages).bytes == 0)
            continue;
        refusal = mapping.range.first > at ? "a part is not mapped" : refuse_kind(&mapping);
        if (!refusal)
            found(context, mapping.range);
        at = mapping.range.first + mapping.range.bytes;
    }
    if (maps)
        fclose(maps);
    return refusal ? refusal : at < end ? "a part is not mapped" : NULL;
}
