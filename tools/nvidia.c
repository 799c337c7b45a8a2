/* Asks NVML, by its stable interface ("NVML API Reference Guide", NVIDIA). */
#include "tools/nvidia.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NVML_SUCCESS 0

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*find)(const char *address, void **device);
    int (*get_mode)(void *device, int *is_on);
};

static bool find_functions(void *library, struct nvml *nvml) {
    const struct {
        void *target;
        const char *name;
    } functions[] = {{&nvml->init, "nvmlInit_v2"},
                     {&nvml->shutdown, "nvmlShutdown"},
                     {&nvml->find, "nvmlDeviceGetHandleByPciBusId_v2"},
                     {&nvml->get_mode, "nvmlDeviceGetPersistenceMode"}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].target, &function, sizeof function);
    }
    return true;
}

enum nvidia_persistence nvidia_find_persistence(const char *address) {
    enum nvidia_persistence result = NVIDIA_UNKNOWN;
    struct nvml nvml;
    void *device;
    int is_on;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library && find_functions(library, &nvml) && nvml.init() == NVML_SUCCESS) {
        if (nvml.find(address, &device) == NVML_SUCCESS && nvml.get_mode(device, &is_on) == NVML_SUCCESS)
            result = is_on ? NVIDIA_PERSISTENT : NVIDIA_TRANSIENT;
        nvml.shutdown();
    }
    if (library)
        dlclose(library);
    return result;
}
