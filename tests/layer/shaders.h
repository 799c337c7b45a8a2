/* What shaders need of a device, read from their SPIR-V: the size of a workgroup, shared memory and features.
 * Called by layer.c, by any thread. */
#ifndef LAVA_TESTS_LAYER_SHADERS_H
#define LAVA_TESTS_LAYER_SHADERS_H

#include <vulkan/vulkan.h>

#include "tests/layer/layer_options.h"

/* VK_SUCCESS if the device, as it is reported, has the module's features. */
VkResult layer_shaders_check_module(const struct layer_options *options,
                                    const VkShaderModuleCreateInfo *info);
/* Keeps the module's code for the pipelines. */
void layer_shaders_add_module(VkShaderModule module, const VkShaderModuleCreateInfo *info);
void layer_shaders_remove_module(VkShaderModule module);
/* VK_SUCCESS if the pipeline's workgroups are no larger than the device allows. */
VkResult layer_shaders_check_pipeline(const struct layer_options *options,
                                      const VkComputePipelineCreateInfo *info);

#endif
