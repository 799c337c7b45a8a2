/* lavablas info: everything that decides where this machine's products run, on one page. */
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/base/config.h"
#include "lib/base/json.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/figures_file.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/page_watch.h"
#include "lib/offload/program_history.h"
#include "lib/vk/gpu.h"
#include "tools/beside.h"
#include "tools/choice.h"
#include "tools/chosen_device.h"
#include "tools/command.h"
#include "tools/cpu_advice.h"
#include "tools/explain.h"
#include "tools/machine.h"

#define ORDER 4096

static const char usage[] =
    "usage: lavablas info [--json]\n"
    "Prints the library, Vulkan's loader and drivers, the devices, the kernels that would be chosen, the "
    "CPU\n"
    "BLAS and LAPACK, the files in the cache, and the settings with where each comes from. Exit status 1: "
    "there is no usable device.\n";

/* Everything that is printed. */
struct facts {
    char library[4200], loader[512], version[512], lapack[512], lapack_version[32];
    bool has_library, has_loader, has_device;
    const char *why;       /* no device */
    const char *unwatched; /* why no matrix can stay on a device; NULL: the kernel tells what is written */
    struct machine machine;
    struct lava_selection_entry entries[MACHINE_MAX];
    uint32_t entry_count;
    struct lava_capabilities device;
    struct device_set set;
    bool has_advice; /* on the CPU BLAS */
    struct cpu_advice advice;
};

/* OpenBLAS, oneMKL and BLIS tell their version by functions of their own. */
static void find_version(const char *path, char *text, size_t size) {
    static const char *const configurations[] = {"openblas_get_config", "scipy_openblas_get_config",
                                                 "openblas_get_config64_", "scipy_openblas_get_config64_",
                                                 "bli_info_get_version_str"};
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *address = NULL;
    const char *(*tell)(void);
    void (*tell_mkl)(char *text, int length);
    *text = '\0';
    for (size_t i = 0; handle && !address && i < sizeof configurations / sizeof configurations[0]; i++)
        address = dlsym(handle, configurations[i]);
    if (address) {
        memcpy(&tell, &address, sizeof tell);
        snprintf(text, size, "%s", tell());
    } else if (handle && (address = dlsym(handle, "mkl_get_version_string"))) {
        memcpy(&tell_mkl, &address, sizeof tell_mkl);
        tell_mkl(text, (int)size);
    }
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
        text[length - 1] = '\0';
    if (handle)
        dlclose(handle);
}

static void find_lapack(char *path, size_t size) {
    lava_function *function = lava_cpu_blas_routine(LAVA_ROUTINE_dgetrf_);
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    *path = '\0';
    if (function && dladdr(address, &info) && info.dli_fname)
        snprintf(path, size, "%s", info.dli_fname);
}

/* LAPACK's own version, which is not OpenBLAS's. Integers of either width fit in. */
static void find_lapack_version(const char *path, char *text, size_t size) {
    static const char *const names[] = {"ilaver_", "scipy_ilaver_", "ilaver_64_", "scipy_ilaver_64_"};
    void *handle = *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL, *address = NULL;
    void (*tell)(int64_t * major, int64_t * minor, int64_t * patch);
    int64_t major = 0, minor = 0, patch = 0;
    *text = '\0';
    for (size_t i = 0; handle && !address && i < sizeof names / sizeof names[0]; i++)
        address = dlsym(handle, names[i]);
    if (address) {
        memcpy(&tell, &address, sizeof tell);
        tell(&major, &minor, &patch);
        snprintf(text, size, "%d.%d.%d", (int)major, (int)minor, (int)patch);
    }
    if (handle)
        dlclose(handle);
}

static void gather(struct facts *facts) {
    const char *unused;
    facts->has_library = beside_find(facts->library, sizeof facts->library);
    facts->has_loader = machine_find_loader(facts->loader, sizeof facts->loader);
    machine_read("", &facts->machine);
    find_version(lava_cpu_blas_get()->path, facts->version, sizeof facts->version);
    facts->has_advice = cpu_advice_find(lava_cpu_blas_get()->path, &facts->advice);
    find_lapack(facts->lapack, sizeof facts->lapack);
    find_lapack_version(facts->lapack, facts->lapack_version, sizeof facts->lapack_version);
    facts->entry_count = MACHINE_MAX;
    lava_gpu_list(lava_config_get(), facts->entries, &facts->entry_count, &unused);
    facts->has_device = device_read(&facts->device, &facts->set, &facts->why);
    facts->unwatched = lava_page_watch_open();
    if (facts->has_device)
        lava_calibration_load(&facts->device);
}

/* Returns the age of a file in seconds; negative: there is no such file. */
static double age_of(const char *path) {
    struct stat status;
    return stat(path, &status) ? -1 : difftime(time(NULL), status.st_mtime);
}

static void print_age(double age) {
    if (age >= 2 * 86400)
        printf(", %.0f days old", age / 86400);
    else if (age >= 0)
        printf(", %.1f hours old", age / 3600);
    printf("\n");
}

static void print_vulkan(const struct facts *facts) {
    printf("Vulkan loader: %s%s\n", facts->has_loader ? "" : "none: ", facts->loader);
    for (size_t i = 0; i < facts->machine.manifest_count; i++) {
        const struct machine_manifest *manifest = &facts->machine.manifests[i];
        printf("driver: %s: %s%s\n", manifest->path, manifest->is_read ? manifest->library : "cannot be read",
               manifest->is_read && !manifest->has_library ? " (missing)" : "");
    }
    for (uint32_t i = 0; i < facts->entry_count; i++) {
        const struct lava_selection_entry *entry = &facts->entries[i];
        printf("device %u: %s (%s, Vulkan %u.%u, %s)%s%s%s\n", i, entry->name, device_kind(entry->kind),
               entry->vulkan_major, entry->vulkan_minor,
               entry->driver[0] ? entry->driver : "driver not known", entry->missing ? ": lacks " : "",
               entry->missing ? entry->missing : "",
               entry->wanted ? "" : ": not what LAVABLAS_DEVICE allows");
    }
}

static void print_choices(const struct lava_capabilities *device) {
    const struct lava_figures *figures = lava_calibration_figures();
    for (int i = 0; i < LAVA_TYPE_COUNT; i++) {
        enum lava_type type = (enum lava_type)i;
        struct lava_plan plan;
        choice_plan(device, type, ORDER, LAVA_MODE_GPU, &plan);
        int64_t least = choice_break_even(device, type);
        printf("  kernel for %-9s ", lava_type_name(type));
        if (!plan.kernel) {
            printf("none: %s\n", lava_reason_text(plan.reason));
            continue;
        }
        bool measured = lava_figures_flops_per_s(&figures->device, plan.kernel) > 0;
        printf("%s at order %d: %.0f GFLOP/s, %s; chosen among %d rows that fit; ", plan.kernel->name, ORDER,
               plan.flops_per_s * 1e-9, measured ? "measured" : "starting value", choice_rows(device, type));
        if (least)
            printf("used from order %lld on\n", (long long)least);
        else
            printf("the CPU is estimated to be faster up to order 16384\n");
    }
}

static void print_program(void *unused, const struct lava_program_history_entry *entry) {
    const struct lava_history *history = &entry->history;
    (void)unused;
    printf("  %-32s %u runs: %u won, %u did not; %s\n", entry->name, history->runs, history->won,
           history->lost, lava_history_text(lava_history_rule(history)));
}

static void put_program(void *before, const struct lava_program_history_entry *entry) {
    const char **separator = before;
    const struct lava_history *history = &entry->history;
    printf("%s{\"name\":", *separator);
    lava_json_put(stdout, entry->name);
    printf(",\"runs\":%u,\"won\":%u,\"not_won\":%u,\"gain_s\":%.3f,\"written\":%lld", history->runs,
           history->won, history->lost, history->gain_ns * 1e-9, (long long)entry->written_s);
    lava_json_put_member(stdout, "next", lava_history_text(lava_history_rule(history)));
    printf("}");
    *separator = ",";
}

static void print_setting(const char *name, const char *value, const char *origin, void *unused) {
    (void)unused;
    printf("  %-20s %-34s %s\n", name, value, origin);
}

static void put_setting(const char *name, const char *value, const char *origin, void *before) {
    const char **separator = before;
    printf("%s{\"name\":\"%s\"", *separator, name);
    lava_json_put_member(stdout, "value", value);
    lava_json_put_member(stdout, "from", origin);
    printf("}");
    *separator = ",";
}

static void print_cache(void) {
    const struct lava_config *config = lava_config_get();
    char pattern[4200];
    glob_t files = {0};
    if (!config->cache || !config->cache_home) {
        printf("cache: none (%s)\n", config->cache ? "no home folder" : "LAVABLAS_CACHE=0");
        return;
    }
    snprintf(pattern, sizeof pattern, "%s/lavablas/*", config->cache_home);
    bool any = glob(pattern, 0, NULL, &files) == 0;
    printf("cache: %s/lavablas%s\n", config->cache_home, any ? "" : " (empty)");
    for (size_t i = 0; any && i < files.gl_pathc; i++) {
        if (strstr(files.gl_pathv[i], "/lavablas/history-"))
            continue;
        printf("  %s", files.gl_pathv[i]);
        print_age(age_of(files.gl_pathv[i]));
    }
    globfree(&files);
    printf("programs with a history (LAVABLAS_HISTORY):\n");
    lava_program_history_each(config->cache_home, print_program, NULL);
}

static void print(const struct facts *facts) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    printf("LavaBLAS %s: %s\n", LAVA_VERSION, facts->has_library ? facts->library : "no library");
    device_print_cpu();
    printf("  version              %s\n", facts->version[0] ? facts->version : "it tells none");
    printf("  threads              %d\n", lava_figures_file_threads(blas));
    if (facts->has_advice)
        printf("  slow                 %s\n  remedy               %s\n", facts->advice.what,
               facts->advice.remedy);
    printf("LAPACK: %s\n", facts->lapack[0] ? facts->lapack : "none");
    if (facts->lapack[0])
        printf("  version              %s\n",
               facts->lapack_version[0] ? facts->lapack_version : "it tells none");
    print_vulkan(facts);
    if (facts->has_device) {
        device_print(&facts->device, &facts->set);
        if (lava_calibration_is_stored()) {
            printf("  figures' file        ");
            printf("%s", lava_calibration_source());
            print_age(age_of(lava_calibration_source()));
        }
        print_choices(&facts->device);
    } else {
        printf("device: none (%s); `lavablas doctor` says what to do\n", facts->why);
    }
    printf("matrices that stay: LAVABLAS_RESIDENT=%s; %s%s\n",
           lava_config_word("LAVABLAS_RESIDENT", lava_config_get()->resident),
           facts->unwatched ? "they cannot: " : "the kernel tells what is written",
           facts->unwatched ? facts->unwatched : "");
    print_cache();
    printf("settings (doc/settings.md), and where each comes from; the machine's file %s:\n",
           lava_config_file_path() ? "was read" : "was not read");
    lava_config_each(print_setting, NULL);
}

static void put_vulkan(const struct facts *facts) {
    printf(",\"vulkan\":{\"loader\":");
    lava_json_put(stdout, facts->has_loader ? facts->loader : NULL);
    printf(",\"drivers\":[");
    for (size_t i = 0; i < facts->machine.manifest_count; i++) {
        const struct machine_manifest *manifest = &facts->machine.manifests[i];
        printf("%s{\"manifest\":", i ? "," : "");
        lava_json_put(stdout, manifest->path);
        lava_json_put_member(stdout, "library", manifest->library);
        printf(",\"has_library\":%s}", manifest->has_library ? "true" : "false");
    }
    printf("],\"devices\":[");
    for (uint32_t i = 0; i < facts->entry_count; i++) {
        const struct lava_selection_entry *entry = &facts->entries[i];
        printf("%s{\"name\":", i ? "," : "");
        lava_json_put(stdout, entry->name);
        lava_json_put_member(stdout, "kind", device_kind(entry->kind));
        lava_json_put_member(stdout, "driver", entry->driver);
        lava_json_put_member(stdout, "lacks", entry->missing);
        printf(",\"allowed\":%s}", entry->wanted ? "true" : "false");
    }
    printf("]}");
}

static void put_choices(const struct lava_capabilities *device) {
    const char *before = "";
    printf(",\"kernels\":[");
    for (int i = 0; i < LAVA_TYPE_COUNT; i++) {
        struct lava_plan plan;
        choice_plan(device, (enum lava_type)i, ORDER, LAVA_MODE_GPU, &plan);
        printf("%s{\"type\":\"%s\"", before, lava_type_name((enum lava_type)i));
        lava_json_put_member(stdout, "kernel", plan.kernel ? plan.kernel->name : NULL);
        printf(",\"flops_per_s\":%.0f,\"rows\":%d,\"least_order\":%lld}", plan.flops_per_s,
               choice_rows(device, (enum lava_type)i),
               (long long)choice_break_even(device, (enum lava_type)i));
        before = ",";
    }
    printf("]");
}

static void put(const struct facts *facts) {
    const struct lava_config *config = lava_config_get();
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    printf("{\"version\":\"%s\"", LAVA_VERSION);
    lava_json_put_member(stdout, "library", facts->has_library ? facts->library : NULL);
    printf(",\"cpu_blas\":{\"path\":");
    lava_json_put(stdout, blas->path);
    lava_json_put_member(stdout, "version", facts->version[0] ? facts->version : NULL);
    lava_json_put_member(stdout, "slow", facts->has_advice ? facts->advice.what : NULL);
    lava_json_put_member(stdout, "remedy", facts->has_advice ? facts->advice.remedy : NULL);
    printf(",\"threads\":%d}", lava_figures_file_threads(blas));
    lava_json_put_member(stdout, "lapack", facts->lapack[0] ? facts->lapack : NULL);
    lava_json_put_member(stdout, "lapack_version", facts->lapack_version[0] ? facts->lapack_version : NULL);
    put_vulkan(facts);
    printf(",\"device\":");
    if (facts->has_device) {
        double age = age_of(lava_calibration_source());
        device_put(&facts->device);
        put_choices(&facts->device);
        printf(",\"figures\":{\"measured\":%s", lava_calibration_is_stored() ? "true" : "false");
        lava_json_put_member(stdout, "path", lava_calibration_source());
        printf(",\"age_s\":%.0f}", lava_calibration_is_stored() ? age : -1);
    } else {
        printf("null");
        lava_json_put_member(stdout, "why", facts->why);
    }
    lava_json_put_member(stdout, "resident", lava_config_word("LAVABLAS_RESIDENT", config->resident));
    lava_json_put_member(stdout, "unwatched", facts->unwatched);
    lava_json_put_member(stdout, "cache", config->cache ? config->cache_home : NULL);
    const char *separator = "";
    printf(",\"programs\":[");
    if (config->cache && config->cache_home)
        lava_program_history_each(config->cache_home, put_program, &separator);
    printf("]");
    lava_json_put_member(stdout, "config", lava_config_file_path());
    separator = "";
    printf(",\"settings\":[");
    lava_config_each(put_setting, &separator);
    printf("]}\n");
}

int command_info(int argc, char **argv) {
    static struct facts facts;
    bool json;
    int status = command_read_json(argc, argv, usage, &json);
    if (status >= 0)
        return status;
    gather(&facts);
    if (json)
        put(&facts);
    else
        print(&facts);
    return facts.has_device ? COMMAND_DONE : COMMAND_NO;
}
