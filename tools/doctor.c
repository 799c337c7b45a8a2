/* lavablas doctor: goes through everything that can keep products from the GPU, in the order in which the
 * library meets it, and names the remedy of each.
 *
 * A finding is good, worth knowing, or bad: bad ones keep the GPU from being used. After a bad one the checks
 * go on as far as they can tell something. */
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/json.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/vk/gpu.h"
#include "tools/beside.h"
#include "tools/choice.h"
#include "tools/chosen_device.h"
#include "tools/command.h"
#include "tools/cpu_advice.h"
#include "tools/machine.h"
#include "tools/nvidia.h"
#include "tools/preloaded_program.h"

static const char usage[] =
    "usage: lavablas doctor [--json] [--root FOLDER] [PROGRAM]\n"
    "Checks whether the GPU can be used, and by this program; names what is wrong and its remedy.\n"
    "  --json         one JSON object\n"
    "  --root FOLDER  looks for device nodes, PCI devices and drivers' manifests in this folder, as in that "
    "of\n"
    "                 a container\n"
    "Exit status: 0: large products will run on a GPU; 1: they will not.\n";

/* Less memory than this holds two blocks of order 2048 in fp64, hardly worth the way. */
#define LITTLE_MEMORY_BYTES (256ull << 20)
#define FINDINGS_MAX        64
#define NVIDIA              0x10de /* on the PCI bus */

enum level { GOOD, KNOW, BAD };

static const char *const level_names[] = {[GOOD] = "good", [KNOW] = "note", [BAD] = "bad"};

static struct finding {
    enum level level;
    char what[768];
    const char *remedy; /* NULL: none is needed */
} findings[FINDINGS_MAX];
static size_t count;
static char remedies[FINDINGS_MAX][512]; /* those that name something of this machine */

__attribute__((format(printf, 3, 4))) static void add(enum level level, const char *remedy, const char *what,
                                                      ...) {
    va_list arguments;
    if (count == FINDINGS_MAX)
        return;
    findings[count].level = level;
    findings[count].remedy = remedy;
    va_start(arguments, what);
    vsnprintf(findings[count++].what, sizeof findings[0].what, what, arguments);
    va_end(arguments);
}

/* Returns a remedy that lasts. */
__attribute__((format(printf, 1, 2))) static const char *remedy(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remedies[count % FINDINGS_MAX], sizeof remedies[0], format, arguments);
    va_end(arguments);
    return remedies[count % FINDINGS_MAX];
}

static void add_mistyped(const char *name, const char *value, const char *meant, void *context) {
    (void)context;
    add(KNOW, remedy("set %s instead", meant), "setting: %s=%.64s is no setting and changes nothing", name,
        value);
}

static void check_settings(void) {
    const struct lava_config *config = lava_config_get();
    lava_config_find_mistyped(NULL, add_mistyped, NULL);
    if (config->mode == LAVA_MODE_CPU)
        add(BAD, "unset LAVABLAS_MODE, or set it to auto",
            "LAVABLAS_MODE=cpu keeps every product on the CPU");
    if (config->mode == LAVA_MODE_GPU)
        add(KNOW, "unset LAVABLAS_MODE, or set it to auto, but for tests",
            "LAVABLAS_MODE=gpu sends every product to the device, also those that the CPU computes sooner");
}

static void check_library(void) {
    char path[4200];
    if (beside_find(path, sizeof path))
        add(GOOD, NULL, "library: %s", path);
    else
        add(BAD, "install LavaBLAS again: the command and the library belong together",
            "there is no liblavablas.so.0 beside this command");
}

/* Also without a GPU the CPU BLAS may be slower than it need be. */
static void check_cpu_blas(void) {
    const char *path = lava_cpu_blas_get()->path;
    struct cpu_advice advice;
    if (path[0] != '/')
        add(KNOW, "install OpenBLAS (Debian, Ubuntu: libopenblas0-pthread)",
            "CPU BLAS: there is none: a plain loop of this library computes");
    else if (cpu_advice_find(path, &advice))
        add(KNOW, remedy("%s", advice.remedy), "CPU BLAS: %s: %s", path, advice.what);
    else
        add(GOOD, NULL, "CPU BLAS: %s", path);
}

static void check_program(const char *name) {
    struct program program;
    if (!name)
        return;
    if (!program_judge(name, &program))
        add(BAD, "give the program's path", "%s: there is no such program", name);
    else if (program.refusal)
        add(BAD, program.remedy, "%s: %s (%s)", program.path, program.refusal, program.routine);
    else
        add(GOOD, NULL, "program: %s takes preloaded libraries", program.path);
}

static void check_bus(const struct machine *machine) {
    for (size_t i = 0; i < machine->gpu_count; i++) {
        const struct machine_gpu *gpu = &machine->gpus[i];
        const char *vendor = machine_vendor(gpu->vendor_id);
        add(GOOD, NULL, "hardware: %s %04x:%04x at %s", vendor ? vendor : "a display controller of vendor",
            gpu->vendor_id, gpu->device_id, gpu->address);
        if (gpu->vendor_id == NVIDIA && nvidia_find_persistence(gpu->address) == NVIDIA_TRANSIENT)
            add(KNOW, "sudo nvidia-smi -pm 1, or the service nvidia-persistenced, which lasts",
                "driver: the GPU at %s has persistence mode off: the driver initializes it anew for each "
                "program that finds no other one using it, for a second or more",
                gpu->address);
    }
    if (machine->gpu_count == 0 && machine->node_count == 0)
        add(BAD, "put a GPU in; if this is a virtual machine or a container, pass one to it",
            "hardware: there is no GPU here: the library forwards every call to the CPU BLAS");
    else if (machine->gpu_count == 0)
        add(KNOW, "if this is a virtual machine, pass a GPU through to it",
            "hardware: no display controller is on the PCI bus (GPUs of Arm's boards are on none)");
}

/* Nodes are made by the kernel's driver; a container has only those that it was given. */
static void check_nodes(const struct machine *machine) {
    bool any = false;
    for (size_t i = 0; i < machine->node_count; i++) {
        const struct machine_node *node = &machine->nodes[i];
        any |= node->usable;
        if (node->usable)
            add(GOOD, NULL, "device node: %s can be read and written", node->path);
        else if (!node->helps_to_join)
            add(KNOW,
                "this is unusual: udev gives such nodes to the group render or video, with mode 0660. Reload "
                "its "
                "rules (sudo udevadm control --reload; sudo udevadm trigger), or correct the rule; in a "
                "container, pass the host's node with its own group. Do not join the group of root",
                "device node: no permission to read and write %s, which its group, %s, does not give either",
                node->path, node->group);
        else
            add(KNOW,
                remedy("join the node's group and log in again: sudo usermod -aG %s $USER; in a container, "
                       "start it "
                       "with --group-add of the group's number",
                       node->group),
                "device node: no permission to read and write %s, which is of the group %s", node->path,
                node->group);
    }
    if (any)
        return;
    if (machine->node_count > 0)
        findings[count - 1].level = BAD;
    else
        add(machine->gpu_count ? BAD : KNOW,
            "in a container: start it with --device /dev/dri (AMD, Intel) or --gpus all (NVIDIA); else load "
            "the "
            "kernel's driver: amdgpu, i915, xe, nouveau or nvidia",
            "device node: there is neither a /dev/dri/renderD* nor a /dev/nvidia*");
}

/* Without a GPU nothing that serves one is missed. */
static enum level missing_level(const struct machine *machine) {
    return machine->gpu_count == 0 && machine->node_count == 0 ? KNOW : BAD;
}

static bool check_loader(const struct machine *machine) {
    char text[512];
    if (machine_find_loader(text, sizeof text)) {
        add(GOOD, NULL, "Vulkan loader: %s", text);
        return true;
    }
    add(missing_level(machine),
        "install it (Debian, Ubuntu: libvulkan1; Fedora: vulkan-loader; Arch: vulkan-icd-loader)",
        "Vulkan loader: none: %s", text);
    return false;
}

static const char *driver_remedy(const struct machine *machine) {
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (machine_remedy(machine->gpus[i].vendor_id))
            return machine_remedy(machine->gpus[i].vendor_id);
    return "install the GPU's Vulkan driver (Debian, Ubuntu, Fedora: mesa-vulkan-drivers, or NVIDIA's "
           "driver)";
}

static void check_manifests(const struct machine *machine) {
    bool any = false;
    for (size_t i = 0; i < machine->manifest_count; i++) {
        const struct machine_manifest *manifest = &machine->manifests[i];
        any |= manifest->has_library;
        if (!manifest->is_read)
            add(KNOW,
                machine->manifests_are_set ? "unset VK_DRIVER_FILES and VK_ICD_FILENAMES"
                                           : driver_remedy(machine),
                "driver: %s is not a manifest that can be read", manifest->path);
        else if (!manifest->has_library)
            add(KNOW,
                "in a container, the driver's files of the host are missing; else install the driver again",
                "driver: %s names %s, which cannot be loaded", manifest->path, manifest->library);
        else
            add(GOOD, NULL, "driver: %s in %s", manifest->library, manifest->path);
    }
    if (!any)
        add(machine->manifests_are_set ? BAD : missing_level(machine),
            machine->manifests_are_set ? "unset VK_DRIVER_FILES and VK_ICD_FILENAMES"
                                       : driver_remedy(machine),
            "driver: there is no Vulkan driver%s",
            machine->manifests_are_set ? " where VK_DRIVER_FILES or VK_ICD_FILENAMES says"
                                       : " in any of the folders");
}

static void check_entry(uint32_t index, const struct lava_selection_entry *entry) {
    if (entry->missing)
        add(KNOW, "install a newer driver, if there is one for this device",
            "device %u: %s lacks %s, which the kernels need", index, entry->name, entry->missing);
    else if (!entry->wanted && !lava_config_get()->device)
        add(KNOW, "LAVABLAS_DEVICE=cpu allows it, for tests",
            "device %u: %s is software: the CPU itself is faster", index, entry->name);
    else if (!entry->wanted)
        add(KNOW, "change or unset LAVABLAS_DEVICE", "device %u: %s is not what LAVABLAS_DEVICE=%s asks for",
            index, entry->name, lava_config_get()->device);
    else
        add(GOOD, NULL, "device %u: %s, %s, Vulkan %u.%u, %s", index, entry->name, device_kind(entry->kind),
            entry->vulkan_major, entry->vulkan_minor, entry->driver);
}

static bool check_devices(const struct machine *machine) {
    struct lava_selection_entry entries[MACHINE_MAX];
    uint32_t entry_count = MACHINE_MAX, usable = 0, software = 0;
    const char *why;
    if (lava_gpu_list(lava_config_get(), entries, &entry_count, &why)) {
        add(missing_level(machine), driver_remedy(machine), "Vulkan: %s", why);
        return false;
    }
    for (uint32_t i = 0; i < entry_count; i++) {
        check_entry(i, &entries[i]);
        usable += !entries[i].missing && entries[i].wanted;
        software += entries[i].kind == LAVA_DEVICE_CPU;
    }
    if (usable > 0)
        return true;
    if (software == entry_count)
        add(missing_level(machine), driver_remedy(machine), "device: there is only a software device");
    else
        add(BAD, "see the devices above", "device: none can be used");
    return false;
}

/* Prepares the device as the library does, with the tests of its kernels. */
static bool check_tests(struct lava_capabilities *device) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};
    const char *why;
    bool works = true;
    uint64_t begin_ns = lava_clock_now_ns();
    if (!device_read(device, NULL, &why)) {
        add(BAD, "LAVABLAS_LOG=info says which call of Vulkan failed", "device: it cannot be opened: %s",
            why);
        return false;
    }
    add(GOOD, NULL, "start: the device opens in %.0f ms once the driver's files are in memory",
        (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    if (device->memory_bytes < LITTLE_MEMORY_BYTES)
        add(KNOW, "end other programs that use the GPU; raise LAVABLAS_MEMORY if it is set",
            "memory: only %.0f MiB may be used: products run in many small blocks",
            (double)device->memory_bytes / 0x1p20);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        enum lava_reason reason;
        command_progress((int)i, (int)(sizeof types / sizeof types[0]), "testing", lava_type_name(types[i]));
        bool ready = lava_prepare_may_multiply(types[i], true, &reason);
        command_progress(0, 0, NULL, NULL);
        if (ready)
            add(GOOD, NULL, "test: kernels of %s compute right results", lava_type_name(types[i]));
        else
            add(types[i] == LAVA_TYPE_FP32 ? BAD : KNOW,
                "update the GPU's driver; `lavablas verify` names the kernels and their errors",
                "test: %s: %s (%s)", lava_type_name(types[i]), lava_reason_text(reason),
                lava_readiness_explanation());
        works &= ready || types[i] != LAVA_TYPE_FP32;
    }
    return works;
}

static void check_figures(const struct lava_capabilities *device) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};
    bool any = false;
    lava_calibration_load(device);
    if (lava_calibration_is_stored())
        add(GOOD, NULL, "figures: measured, %s", lava_calibration_source());
    else
        add(KNOW, "lavablas calibrate",
            "figures: this machine was not measured yet; starting values decide (programs measure in the "
            "background, "
            "unless LAVABLAS_CALIBRATE=off)");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        int64_t order = choice_break_even(device, types[i]);
        any |= order > 0;
        if (order > 0)
            add(GOOD, NULL, "figures: square products of %s run on the device from order %lld on",
                lava_type_name(types[i]), (long long)order);
        else
            add(KNOW, "lavablas calibrate; where the device is slow in this type, nothing helps",
                "figures: the CPU is estimated to be faster in %s at every order up to 16384",
                lava_type_name(types[i]));
    }
    if (!any && lava_config_get()->mode == LAVA_MODE_AUTO)
        add(BAD,
            "lavablas calibrate, with nothing else running; LAVABLAS_MODE=gpu uses the device all the same",
            "figures: by them the CPU is faster than this device");
}

static void examine(const char *root, const char *program) {
    struct machine machine;
    struct lava_capabilities device;
    check_settings();
    check_library();
    check_cpu_blas();
    check_program(program);
    machine_read(root, &machine);
    size_t first = count;
    check_bus(&machine);
    check_nodes(&machine);
    bool has_loader = check_loader(&machine);
    check_manifests(&machine);
    size_t end = count;
    if (lava_config_get()->mode == LAVA_MODE_CPU || !has_loader || !check_devices(&machine))
        return;
    /* a device that is found without what was missed does not need it */
    for (size_t i = first; i < end && !*root; i++)
        if (findings[i].level == BAD)
            findings[i].level = KNOW;
    if (check_tests(&device))
        check_figures(&device);
}

static void print(bool is_well) {
    for (size_t i = 0; i < count; i++) {
        printf("%-5s %s\n", level_names[findings[i].level], findings[i].what);
        if (findings[i].remedy)
            printf("      remedy: %s\n", findings[i].remedy);
    }
    printf("%s\n", is_well ? "The GPU will be used." : "The GPU will not be used: see what is bad above.");
}

static void put(bool is_well) {
    printf("{\"is_used\":%s,\"findings\":[", is_well ? "true" : "false");
    for (size_t i = 0; i < count; i++) {
        printf("%s{\"level\":\"%s\"", i ? "," : "", level_names[findings[i].level]);
        lava_json_put_member(stdout, "what", findings[i].what);
        lava_json_put_member(stdout, "remedy", findings[i].remedy);
        printf("}");
    }
    printf("]}\n");
}

int command_doctor(int argc, char **argv) {
    static const struct option known[] = {{"json", no_argument, NULL, 'j'},
                                          {"root", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *root = "";
    bool json = false, is_well = true;
    int option;
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "+h", known, NULL)) != -1) {
        if (option == 'j')
            json = true;
        else if (option == 'r')
            root = optarg;
        else {
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? COMMAND_DONE : COMMAND_WRONG;
        }
    }
    argv += optind - 1;
    argc -= optind - 1;
    if (argc > 1) {
        fprintf(stderr, "lavablas: too many arguments: %s\n", argv[1]);
        fputs(usage, stderr);
        return COMMAND_WRONG;
    }
    lava_offload_open();
    examine(root, argc == 1 ? argv[0] : NULL);
    for (size_t i = 0; i < count; i++)
        is_well &= findings[i].level != BAD;
    if (json)
        put(is_well);
    else
        print(is_well);
    return is_well ? COMMAND_DONE : COMMAND_NO;
}
