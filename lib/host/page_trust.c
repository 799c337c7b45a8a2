/* Reads maps, status and fd in /proc/thread-self: those in /proc/self are empty once the first thread ended.
 * Called by page_watch.c. */
#include "lib/host/page_trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host/page_ranges.h"

/* Parts of the names of mappings and of open files. */
static const struct {
    const char *name, *refusal;
} writers[] = {
    {"/dev/infiniband/", "RDMA is in use"},
    {"anon_inode:[io_uring]", "io_uring is in use"},
    {"/[aio]", "asynchronous I/O (aio) is in use"},
    {"/dev/vfio/", "a device of the process (vfio) is in use"},
    {"anon_inode:[vfio", "a device of the process (vfio) is in use"},
    {"/dev/video", "a camera's device is in use"}, /* V4L2 fills buffers of the program (USERPTR) */
    {"/libOpenCL.so", "OpenCL is loaded"},
    {"/libnvidia-opencl", "OpenCL is loaded"},
    {"/libcuda.so", "CUDA is loaded"},
    {"/libcudart", "CUDA is loaded"},
    {"/libamdhip64", "ROCm is loaded"},
    {"/libhsa-runtime64", "ROCm is loaded"},
};

#ifndef AF_XDP
#    define AF_XDP 44
#endif

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
    uint64_t inode;
    const char *name; /* "": anonymous */
};

static bool open_mappings(struct mappings *mappings) {
    *mappings = (struct mappings){.file = fopen("/proc/thread-self/maps", "re")};
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
    for (int skipped = 0; skipped < 3; skipped++)
        at += 1 + strcspn(at + 1, " ");
    mapping->inode = strtoull(at, &at, 10);
    mapping->name = at + strspn(at, " ");
    return true;
}

static const char *pinned(void) {
    FILE *status = fopen("/proc/thread-self/status", "re");
    char line[256];
    uint64_t kib = 0;
    bool is_told = false;
    if (!status)
        return "/proc/thread-self/status cannot be opened";
    while (!is_told && fgets(line, sizeof line, status))
        is_told = sscanf(line, "VmPin: %" SCNu64, &kib) == 1;
    fclose(status);
    return !is_told  ? "the kernel does not tell how much memory is pinned"
           : kib > 0 ? "memory is pinned"
                     : NULL;
}

static const char *find_writer(const char *name) {
    for (size_t i = 0; i < WRITERS; i++)
        if (strstr(name, writers[i].name))
            return writers[i].refusal;
    return NULL;
}

/* A library has several mappings in a row, of one name. Sockets are mapped for AF_XDP, and for packets. */
static const char *mapped(void) {
    const char *refusal = NULL;
    char last[256] = "";
    struct mappings mappings;
    struct mapping mapping;
    if (!open_mappings(&mappings))
        return "/proc/thread-self/maps cannot be opened";
    while (!refusal && read_mapping(&mappings, &mapping)) {
        if (mapping.inode == 0 || strcmp(mapping.name, last) == 0)
            continue;
        refusal = strncmp(mapping.name, "socket:[", 8) == 0 ? "the network's memory is mapped"
                                                            : find_writer(mapping.name);
        size_t length = strlen(mapping.name);
        last[0] = 0;
        if (length < sizeof last)
            memcpy(last, mapping.name, length + 1);
    }
    if (!refusal && !are_all_read(&mappings))
        refusal = "/proc/thread-self/maps cannot be read";
    close_mappings(&mappings);
    return refusal;
}

/* A pipe's O_DIRECT means packets. A file that is closed meanwhile has ended its transfers. */
static const char *find_file(int folder, const char *name) {
    char path[256];
    struct stat about;
    int file = (int)strtol(name, NULL, 10), domain = 0, flags = fcntl(file, F_GETFL);
    socklen_t bytes = sizeof domain;
    ssize_t length = readlinkat(folder, name, path, sizeof path - 1);
    if (flags < 0 || length < 0)
        return NULL;
    path[length] = 0;
    if (flags & O_DIRECT && fstat(file, &about) == 0 && !S_ISFIFO(about.st_mode))
        return "a file is open with O_DIRECT";
    if (getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0 && domain == AF_XDP)
        return "AF_XDP is in use";
    return find_writer(path);
}

static const char *opened(void) {
    const char *refusal = NULL;
    DIR *folder = opendir("/proc/thread-self/fd");
    if (!folder)
        return "/proc/thread-self/fd cannot be opened";
    errno = 0;
    for (const struct dirent *entry; !refusal && (entry = readdir(folder)); errno = 0)
        refusal = entry->d_name[0] == '.' ? NULL : find_file(dirfd(folder), entry->d_name);
    if (!refusal && errno != 0)
        refusal = "/proc/thread-self/fd cannot be read";
    closedir(folder);
    return refusal;
}

const char *lava_page_trust_check(void) {
    const char *refusal = pinned();
    if (!refusal)
        refusal = mapped();
    return refusal ? refusal : opened();
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

const char *lava_page_trust_mappings(struct lava_page_range pages, lava_page_range_visitor *visit,
                                     void *context) {
    struct mappings mappings;
    struct mapping mapping;
    const char *refusal = open_mappings(&mappings) ? NULL : "/proc/thread-self/maps cannot be opened";
    uint64_t at = pages.first, end = pages.first + pages.bytes;
    while (!refusal && at < end && read_mapping(&mappings, &mapping)) {
        if (lava_page_ranges_common(mapping.range, pages).bytes == 0)
            continue;
        refusal = mapping.range.first > at ? "a part is not mapped" : refuse_kind(&mapping);
        if (!refusal)
            visit(context, mapping.range);
        at = mapping.range.first + mapping.range.bytes;
    }
    close_mappings(&mappings);
    return refusal ? refusal : at < end ? "a part is not mapped" : NULL;
}

bool lava_page_trust_walk(struct lava_page_range pages, lava_page_range_visitor *visit, void *context) {
    struct mappings mappings;
    struct mapping mapping;
    bool is_open = open_mappings(&mappings);
    while (is_open && read_mapping(&mappings, &mapping))
        if (lava_page_ranges_common(mapping.range, pages).bytes > 0)
            visit(context, mapping.range);
    close_mappings(&mappings);
    return is_open;
}
