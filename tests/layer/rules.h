/* Holds a program to what the layer reports, as a strict driver would. A call that breaks a limit is refused,
 * and it is a violation: a line on stderr, and status 9 of the process. Only the sum of a heap's allocations
 * may be tried. Called by layer.c, by any thread. */
#ifndef LAVA_TESTS_LAYER_RULES_H
#define LAVA_TESTS_LAYER_RULES_H

#include <vulkan/vulkan.h>

#include "tests/layer/layer_options.h"

/* Notes a violation, and returns the result of the call. */
VkResult layer_rules_violate(VkResult result, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool layer_rules_are_violated(void);

/* What is counted: the largest of each, as the options are named. */
enum layer_limit { LAYER_SHARED, LAYER_INVOCATIONS, LAYER_RANGE, LAYER_HEAP, LAYER_LIMIT_COUNT };
/* Notes such a number; the largest one is kept. */
void layer_rules_note(enum layer_limit limit, uint64_t value);
/* Returns the largest one of "shared", "invocations", "range" or "heap". */
uint64_t layer_rules_largest(const char *name);

/* Each returns VK_SUCCESS if the call may go on to the driver. */
VkResult layer_rules_check_device(const struct layer_options *options, const VkDeviceCreateInfo *info);
VkResult layer_rules_check_buffer(const struct layer_options *options, const VkBufferCreateInfo *info);
VkResult layer_rules_check_memory(const struct layer_options *options, const VkMemoryAllocateInfo *info);
VkResult layer_rules_check_map(const struct layer_options *options, VkDeviceMemory memory);

/* What is allocated, and which heap each type of memory belongs to. */
void layer_rules_set_heaps(const VkPhysicalDeviceMemoryProperties *properties);
void layer_rules_add_memory(VkDeviceMemory memory, const VkMemoryAllocateInfo *info);
void layer_rules_remove_memory(VkDeviceMemory memory);

#endif
