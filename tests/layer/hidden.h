/* The features that the layer can hide, as they are reported and as a program enables them. */
#ifndef LAVA_TESTS_LAYER_HIDDEN_H
#define LAVA_TESTS_LAYER_HIDDEN_H

/* members of VkPhysicalDeviceFeatures, VkPhysicalDeviceVulkan12Features, VkPhysicalDeviceVulkan13Features */
#define LAYER_FEATURES(X)                                                                                    \
    X(shaderInt64)                                                                                           \
    X(shaderInt16)                                                                                           \
    X(shaderFloat64)
#define LAYER_FEATURES12(X)                                                                                  \
    X(bufferDeviceAddress)                                                                                   \
    X(timelineSemaphore)                                                                                     \
    X(scalarBlockLayout)                                                                                     \
    X(shaderBufferInt64Atomics)                                                                              \
    X(vulkanMemoryModel)                                                                                     \
    X(hostQueryReset)                                                                                        \
    X(shaderFloat16)
#define LAYER_FEATURES13(X)                                                                                  \
    X(subgroupSizeControl)                                                                                   \
    X(computeFullSubgroups)                                                                                  \
    X(synchronization2)                                                                                      \
    X(maintenance4)

#endif
