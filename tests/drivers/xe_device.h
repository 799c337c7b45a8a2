/* A GPU of Intel's that is not there, as Linux' xe driver would present it. It executes nothing: whatever is
 * submitted is done at once. Called by xe_shim.c; any thread may call. */
#ifndef LAVA_TESTS_DRIVERS_XE_DEVICE_H
#define LAVA_TESTS_DRIVERS_XE_DEVICE_H

#include <stdint.h>
#include <sys/types.h>

#define XE_VENDOR_ID 0x8086
/* The device's file, in which buffers have their memory: no more than is written takes any. */
#define XE_FILE_BYTES ((off_t)1 << 42)

/* Chooses the device by the PCI device id in the environment variable XE_SHIM_ID, in hexadecimal. Returns 0
 * if the shim does not know it. */
uint32_t xe_device_id(void);

/* Answers an ioctl call as the kernel would: returns 0, or -1 with errno set. file is that of the device. */
int xe_device_call(int file, uint32_t number, void *argument);

#endif
