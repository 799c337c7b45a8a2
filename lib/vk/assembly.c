/* Reads a pipeline's assembly through VK_KHR_pipeline_executable_properties. Called by perf/tune. */
#include "lib/vk/assembly.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REPRESENTATIONS 32

/* Drivers list their intermediate forms in the order in which they are made, and the assembly last. */
static const VkPipelineExecutableInternalRepresentationKHR *
last_text(const VkPipelineExecutableInternalRepresentationKHR *representations, uint32_t count) {
    const VkPipelineExecutableInternalRepresentationKHR *last = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (representations[i].isText && representations[i].dataSize > 0)
            last = &representations[i];
    return last;
}

static VkResult ask(const struct lava_device *device, const struct lava_pipeline *pipeline, uint32_t *count,
                    VkPipelineExecutableInternalRepresentationKHR *representations) {
    const VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline->handle};
    return device->vk.GetPipelineExecutableInternalRepresentationsKHR(device->handle, &info, count,
                                                                      representations);
}

char *lava_assembly_read(struct lava_device *device, const struct lava_pipeline *pipeline) {
    VkPipelineExecutableInternalRepresentationKHR representations[MAX_REPRESENTATIONS];
    uint32_t count = MAX_REPRESENTATIONS;
    char *text = NULL;
    if (!device->captures_assembly || !device->vk.GetPipelineExecutableInternalRepresentationsKHR)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        representations[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    if (ask(device, pipeline, &count, representations))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        representations[i].pData = calloc(1, representations[i].dataSize + 1);
    const VkPipelineExecutableInternalRepresentationKHR *last = last_text(representations, count);
    if (!ask(device, pipeline, &count, representations) && last && last->pData)
        text = strdup(last->pData);
    for (uint32_t i = 0; i < count; i++)
        free(representations[i].pData);
    return text;
}
