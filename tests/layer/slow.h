/* A device that begins with its work some time after it was submitted. Called by layer.c, by any thread. */
#ifndef LAVA_TESTS_LAYER_SLOW_H
#define LAVA_TESTS_LAYER_SLOW_H

#include <vulkan/vulkan.h>

struct layer_slow {
    VkDevice device;
    unsigned ms;
    PFN_vkCreateSemaphore CreateSemaphore;
    PFN_vkSignalSemaphore SignalSemaphore;
    PFN_vkQueueSubmit2 QueueSubmit2;
};

/* What is submitted to the queue from here on begins n milliseconds from now, or later. */
VkResult layer_slow_hold(const struct layer_slow *slow, VkQueue queue);

#endif
