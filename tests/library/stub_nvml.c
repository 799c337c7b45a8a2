/* Stands for NVIDIA's management library: one GPU at 0000:02:00.0, whose persistence mode is off. */
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int nvmlInit_v2(void);
VISIBLE int nvmlShutdown(void);
VISIBLE int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device);
VISIBLE int nvmlDeviceGetPersistenceMode(const void *device, int *is_on);

static int users;

int nvmlInit_v2(void) {
    users++;
    return 0;
}

int nvmlShutdown(void) {
    return --users;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device) {
    *device = &users;
    return users == 1 && strcmp(address, "0000:02:00.0") == 0 ? 0 : 6; /* NVML_ERROR_NOT_FOUND */
}

int nvmlDeviceGetPersistenceMode(const void *device, int *is_on) {
    *is_on = 0;
    return device == &users ? 0 : 2; /* NVML_ERROR_INVALID_ARGUMENT */
}
