/* What NVIDIA's management library (NVML) says of a GPU. It comes with the driver, and is asked if it is
 * there. For one thread only. */
#ifndef LAVA_TOOLS_NVIDIA_H
#define LAVA_TOOLS_NVIDIA_H

enum nvidia_persistence { NVIDIA_UNKNOWN, NVIDIA_TRANSIENT, NVIDIA_PERSISTENT };

/* Whether the driver keeps the GPU initialized while no program uses it. address: on the PCI bus. */
enum nvidia_persistence nvidia_find_persistence(const char *address);

#endif
