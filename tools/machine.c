/* Looks for GPUs, device nodes and Vulkan's manifests. Called by info.c and doctor.c.
 *
 * Manifests are looked for where the loader looks ("Driver Discovery" in Khronos's document of the loader's
 * interface). */
#include "tools/machine.h"

#include <dlfcn.h>
#include <glob.h>
#include <grp.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/config.h"
#include "tools/json_reader.h"

static const struct {
    unsigned id;
    const char *name, *remedy;
} vendors[] = {
    {0x10de, "NVIDIA",
     "install NVIDIA's driver with its Vulkan files (Debian: nvidia-vulkan-icd); in a container, start it "
     "with "
     "--gpus all and NVIDIA_DRIVER_CAPABILITIES=all"},
    {0x1002, "AMD",
     "install Mesa's Vulkan drivers (Debian, Ubuntu, Fedora: mesa-vulkan-drivers; Arch: vulkan-radeon)"},
    {0x8086, "Intel",
     "install Mesa's Vulkan drivers (Debian, Ubuntu, Fedora: mesa-vulkan-drivers; Arch: vulkan-intel)"},
};

const char *machine_vendor(unsigned vendor_id) {
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (vendors[i].id == vendor_id)
            return vendors[i].name;
    return NULL;
}

const char *machine_remedy(unsigned vendor_id) {
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (vendors[i].id == vendor_id)
            return vendors[i].remedy;
    return NULL;
}

/* Calls add for each file that matches root and pattern. */
static void each(const char *root, const char *pattern, struct machine *machine,
                 void (*add)(struct machine *machine, const char *path)) {
    char whole[1024];
    glob_t found;
    if ((size_t)snprintf(whole, sizeof whole, "%s%s", root, pattern) >= sizeof whole)
        return;
    if (glob(whole, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add(machine, found.gl_pathv[i]);
    globfree(&found);
}

static unsigned read_number(const char *folder, const char *name) {
    char path[1024], line[32] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    return (unsigned)strtoul(line, NULL, 0);
}

/* Classes of PCI: display controllers are 03, accelerators without a display often 0302. */
static void add_gpu(struct machine *machine, const char *path) {
    const char *slash = strrchr(path, '/');
    if (read_number(path, "class") >> 16 != 3 || machine->gpu_count == MACHINE_MAX)
        return;
    struct machine_gpu *gpu = &machine->gpus[machine->gpu_count++];
    gpu->vendor_id = read_number(path, "vendor");
    gpu->device_id = read_number(path, "device");
    snprintf(gpu->address, sizeof gpu->address, "%s", slash ? slash + 1 : path);
}

static void add_node(struct machine *machine, const char *path) {
    struct stat status;
    if (machine->node_count == MACHINE_MAX || stat(path, &status))
        return;
    struct machine_node *node = &machine->nodes[machine->node_count++];
    const struct group *group = getgrgid(status.st_gid);
    snprintf(node->path, sizeof node->path, "%s", path);
    if (group)
        snprintf(node->group, sizeof node->group, "%s", group->gr_name);
    else
        snprintf(node->group, sizeof node->group, "%u", (unsigned)status.st_gid);
    node->helps_to_join = status.st_gid != 0 && (status.st_mode & 060) == 060;
    node->usable = access(path, R_OK | W_OK) == 0;
}

static bool has_library(const struct machine_manifest *manifest) {
    char path[1024];
    const char *name = manifest->library, *slash = strrchr(manifest->path, '/');
    if (!strchr(name, '/')) {
        void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL); /* never closed: drivers do not survive that */
        return handle != NULL;
    }
    if (name[0] == '/' || !slash)
        return access(name, R_OK) == 0;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - manifest->path), manifest->path, name);
    return access(path, R_OK) == 0;
}

static void add_manifest(struct machine *machine, const char *path) {
    if (machine->manifest_count == MACHINE_MAX)
        return;
    struct machine_manifest *manifest = &machine->manifests[machine->manifest_count++];
    char *text = json_read_file(path);
    struct json *content = text ? json_parse(text) : NULL;
    const char *library = json_text(json_member(content, "ICD"), "library_path", NULL);
    snprintf(manifest->path, sizeof manifest->path, "%s", path);
    snprintf(manifest->library, sizeof manifest->library, "%s", library ? library : "");
    manifest->is_read = library != NULL;
    manifest->has_library = library && has_library(manifest);
    json_free(content);
    free(text);
}

static void add_below(struct machine *machine, const char *root, const char *folder, const char *below) {
    char pattern[1024];
    int written = snprintf(pattern, sizeof pattern, "%s%s/vulkan/icd.d/*.json", folder, below);
    if (written > 0 && (size_t)written < sizeof pattern)
        each(root, pattern, machine, add_manifest);
}

/* A list of folders, separated by colons. */
static void add_list(struct machine *machine, const char *root, const char *list) {
    while (*list) {
        size_t length = strcspn(list, ":");
        char folder[1024];
        snprintf(folder, sizeof folder, "%.*s", (int)length, list);
        if (length > 0)
            add_below(machine, root, folder, "");
        list += length + (list[length] == ':');
    }
}

/* A list of files, or of folders with them. */
static void add_set(struct machine *machine, const char *list) {
    while (*list) {
        size_t length = strcspn(list, ":");
        char path[1024];
        struct stat status;
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        list += length + (list[length] == ':');
        if (!stat(path, &status) && S_ISDIR(status.st_mode))
            each(path, "/*.json", machine, add_manifest);
        else if (length > 0)
            add_manifest(machine, path);
    }
}

static const char *variable(const char *name, const char *otherwise) {
    const char *value = lava_config_environment(name);
    return value && *value ? value : otherwise;
}

static void find_manifests(const char *root, struct machine *machine) {
    const char *set = variable("VK_DRIVER_FILES", variable("VK_ICD_FILENAMES", NULL));
    const char *home = variable("HOME", "/nonexistent");
    machine->manifests_are_set = set && !*root;
    if (machine->manifests_are_set) {
        add_set(machine, set);
        return;
    }
    const char *config = variable("XDG_CONFIG_HOME", NULL), *data = variable("XDG_DATA_HOME", NULL);
    add_below(machine, root, config ? config : home, config ? "" : "/.config");
    add_list(machine, root, variable("XDG_CONFIG_DIRS", "/etc/xdg"));
    add_list(machine, root, "/usr/local/etc:/etc");
    add_below(machine, root, data ? data : home, data ? "" : "/.local/share");
    add_list(machine, root, variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    if (!*root)
        add_set(machine, variable("VK_ADD_DRIVER_FILES", ""));
}

void machine_read(const char *root, struct machine *machine) {
    memset(machine, 0, sizeof *machine);
    each(root, "/sys/bus/pci/devices/*", machine, add_gpu);
    each(root, "/dev/dri/renderD*", machine, add_node);
    each(root, "/dev/nvidia[0-9]*", machine, add_node);
    each(root, "/dev/nvidiactl", machine, add_node);
    find_manifests(root, machine);
}

bool machine_find_loader(char *text, size_t size) {
    void *handle = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    struct link_map *map = NULL;
    if (!handle) {
        snprintf(text, size, "%s", dlerror());
        return false;
    }
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    snprintf(text, size, "%s", map && map->l_name ? map->l_name : "libvulkan.so.1");
    return true;
}
