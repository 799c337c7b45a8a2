/* What this machine has for Vulkan: GPUs on the bus, device nodes, drivers' manifests. No driver is loaded to
 * find these out, but one whose library is named without a path. For one thread only. */
#ifndef LAVA_TOOLS_MACHINE_H
#define LAVA_TOOLS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_MAX 32

struct machine_gpu {
    unsigned vendor_id, device_id;
    char address[32]; /* on the PCI bus */
};

struct machine_node {
    char path[256], group[64]; /* group: that the node belongs to */
    bool usable;               /* may be read and written */
    bool helps_to_join;        /* the group, which is not that of root, may read and write it */
};

struct machine_manifest {
    char path[512], library[512];
    bool is_read;     /* it is a manifest and can be read */
    bool has_library; /* the driver's library is there, too */
};

/* A list of one of these; more than MACHINE_MAX are left out. */
struct machine {
    struct machine_gpu gpus[MACHINE_MAX];
    struct machine_node nodes[MACHINE_MAX];
    struct machine_manifest manifests[MACHINE_MAX];
    size_t gpu_count, node_count, manifest_count;
    bool manifests_are_set; /* by VK_DRIVER_FILES or VK_ICD_FILENAMES: the folders are not searched */
};

/* root: the folder where /dev, /sys and the manifests are looked for; "" for those of this machine. */
void machine_read(const char *root, struct machine *machine);
/* Writes the path of libvulkan.so.1. Returns false if the loader finds none; the reason is in the text. */
bool machine_find_loader(char *text, size_t size);
/* A vendor's name, and what brings its driver; NULL if the vendor is not known. */
const char *machine_vendor(unsigned vendor_id);
const char *machine_remedy(unsigned vendor_id);

#endif
