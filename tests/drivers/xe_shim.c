/* A preload that shows Mesa's Vulkan driver for Intel a render node of the xe driver. With it the driver
 * creates a device and compiles for it, without the hardware. Mesa has such shims for other drivers (Debian:
 * mesa-drm-shim), but none for this one.
 *
 *   XE_SHIM_ID=e20b INTEL_FORCE_PROBE='*' LD_PRELOAD=libxe_shim.so VK_DRIVER_FILES=.../intel_icd.json COMMAND
 *
 * Mesa finds devices by libdrm's drmGetDevices2, opens their node and calls ioctl. These functions are
 * replaced, and the others that see the node. The node is a file in memory, so that mmap works. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/drivers/xe_device.h"
#include "tests/drivers/xe_interface.h"

#define VISIBLE     __attribute__((visibility("default")))
#define NODE        "/dev/dri/renderD128"
#define NODE_NUMBER makedev(226, 128)

/* As libdrm lays out what it says of a device on the PCI bus. */
enum { NODE_PRIMARY, NODE_CONTROL, NODE_RENDER, NODE_COUNT };
enum { BUS_PCI };
struct drm_pci_place {
    uint16_t domain;
    uint8_t bus, device, function;
};
struct drm_pci_ids {
    uint16_t vendor, device, subvendor, subdevice;
    uint8_t revision;
};
struct drm_device {
    char **nodes;
    int available_nodes; /* bit i: node i */
    int bus;
    struct drm_pci_place *place;
    struct drm_pci_ids *ids;
};

/* One block, so that one call of free frees it. */
struct device_block {
    struct drm_device device;
    char *nodes[NODE_COUNT];
    struct drm_pci_place place;
    struct drm_pci_ids ids;
    char render[sizeof NODE], none[1];
};

/* A conversion of dlsym's object pointer that is defined. */
union symbol {
    void *object;
    int (*open)(const char *, int, ...);
    int (*stat)(const char *, struct stat *);
    int (*ioctl)(int, unsigned long, ...);
};

static union symbol next(const char *name) {
    return (union symbol){.object = dlsym(RTLD_NEXT, name)};
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int node = -1;

static void make_node(void) {
    node = memfd_create("xe_shim", MFD_CLOEXEC);
    if (node >= 0 && ftruncate(node, XE_FILE_BYTES)) {
        close(node);
        node = -1;
    }
}

static int open_node(void) {
    pthread_once(&once, make_node);
    return node < 0 ? -1 : fcntl(node, F_DUPFD_CLOEXEC, 0);
}

/* Duplicates of the node's descriptor are the node, too. */
static bool is_node(int file) {
    struct stat ours, its;
    return node >= 0 && !fstat(node, &ours) && !fstat(file, &its) && ours.st_dev == its.st_dev &&
           ours.st_ino == its.st_ino;
}

VISIBLE int open(const char *path, int flags, ...);
int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return !strcmp(path, NODE) ? open_node() : next("open").open(path, flags, mode);
}

VISIBLE int open64(const char *path, int flags, ...);
int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return !strcmp(path, NODE) ? open_node() : next("open64").open(path, flags, mode);
}

/* On 64-bit systems stat64 is the same function. */
VISIBLE int stat(const char *restrict path, struct stat *restrict result) {
    if (strcmp(path, NODE))
        return next("stat").stat(path, result);
    *result = (struct stat){.st_mode = S_IFCHR | 0666, .st_rdev = NODE_NUMBER};
    return 0;
}

VISIBLE int stat64(const char *restrict path, struct stat64 *restrict result);
int stat64(const char *restrict path, struct stat64 *restrict result) {
    _Static_assert(sizeof(struct stat64) == sizeof(struct stat), "a 64-bit system");
    return stat(path, (struct stat *)result);
}

VISIBLE int ioctl(int file, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (_IOC_TYPE(request) == XE_CALL_TYPE && is_node(file))
        return xe_device_call(node, _IOC_NR(request), argument);
    return next("ioctl").ioctl(file, request, argument);
}

static struct drm_device *make_device(void) {
    struct device_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    memcpy(block->render, NODE, sizeof NODE);
    block->nodes[NODE_PRIMARY] = block->nodes[NODE_CONTROL] = block->none;
    block->nodes[NODE_RENDER] = block->render;
    block->place.bus = 3;
    block->ids = (struct drm_pci_ids){.vendor = XE_VENDOR_ID,
                                      .device = (uint16_t)xe_device_id(),
                                      .subvendor = XE_VENDOR_ID,
                                      .subdevice = 1};
    block->device = (struct drm_device){.nodes = block->nodes,
                                        .available_nodes = 1 << NODE_RENDER,
                                        .bus = BUS_PCI,
                                        .place = &block->place,
                                        .ids = &block->ids};
    return &block->device;
}

VISIBLE int drmGetDevices2(uint32_t flags, struct drm_device **devices, int count);
int drmGetDevices2(uint32_t flags, struct drm_device **devices, int count) {
    (void)flags;
    if (xe_device_id() == 0)
        return 0;
    if (devices && count > 0 && !(devices[0] = make_device()))
        return -ENOMEM;
    return 1;
}

VISIBLE int drmGetDevice2(int file, uint32_t flags, struct drm_device **device);
int drmGetDevice2(int file, uint32_t flags, struct drm_device **device) {
    (void)flags;
    if (!is_node(file))
        return -ENODEV;
    *device = make_device();
    return *device ? 0 : -ENOMEM;
}

VISIBLE void drmFreeDevice(struct drm_device **device);
void drmFreeDevice(struct drm_device **device) {
    if (device) {
        free(*device);
        *device = NULL;
    }
}

VISIBLE void drmFreeDevices(struct drm_device **devices, int count);
void drmFreeDevices(struct drm_device **devices, int count) {
    for (int i = 0; i < count; i++)
        drmFreeDevice(&devices[i]);
}
