/* Compute pipelines: a module and its specialization constants, created at first use (by the background
 * thread, where it is known what will be used) and kept. The driver's compiled code is cached on disk
 * (cache.h). */
#ifndef LAVA_VK_PIPELINES_H
#define LAVA_VK_PIPELINES_H

#include "dispatch/kernels.h"
#include "lib/vk/device.h"
#include "shaders/interface.h"

struct lava_pipeline_specification {
    enum lava_module module;
    uint32_t constants[LAVA_CONSTANT_COUNT]; /* by LAVA_CONSTANT_*; those a module does not use are 0 */
};

struct lava_pipeline {
    struct lava_pipeline_specification specification;
    VkPipeline handle;
};

enum lava_status lava_pipelines_create(struct lava_device *device, const struct lava_config *config);
void lava_pipelines_destroy(struct lava_device *device);
/* Writes the cache to disk if pipelines were created since it was read. */
void lava_pipelines_save(struct lava_device *device);

enum lava_status lava_pipelines_get(struct lava_device *device,
                                    const struct lava_pipeline_specification *specification,
                                    const struct lava_pipeline **pipeline);
VkPipelineLayout lava_pipelines_layout(const struct lava_device *device);

enum lava_pipeline_operand { LAVA_PIPELINE_A, LAVA_PIPELINE_B }; /* as LAVA_CONSTANT_OPERAND has them */

/* The specifications of the kernels of a product, for a row that fits the device. narrow: what multiply
 * leaves has the type of A and B; else fp32, for finish or for C. */
struct lava_pipeline_specification lava_pipelines_multiply(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities,
                                                           bool narrow);
struct lava_pipeline_specification lava_pipelines_pack(const struct lava_kernel *kernel,
                                                       const struct lava_capabilities *capabilities,
                                                       enum lava_pipeline_operand operand, bool transpose);
/* Where the row screens tiles out: what gathers the exponents of panels, and the row's fallback; of no use
 * for a row that does not. */
struct lava_pipeline_specification lava_pipelines_screen(void);
struct lava_pipeline_specification lava_pipelines_fallback(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities);
struct lava_pipeline_specification lava_pipelines_epilogue(enum lava_type result_type);
/* What splits an operand of a complex type into parts. */
struct lava_pipeline_specification lava_pipelines_split(enum lava_type type);

/* What the driver's compiler says of a pipeline (registers, spills, shared memory), one line; "" where it
 * does not. */
void lava_pipelines_report(struct lava_device *device, const struct lava_pipeline *pipeline, char *text,
                           size_t size);

/* The same in numbers; what the driver does not tell is 0. */
struct lava_pipeline_figures {
    uint32_t registers; /* of an invocation */
    uint32_t spilled;   /* not 0: some did not fit; in bytes or registers, as the driver counts */
    uint32_t shared_bytes;
};
/* False where the driver says nothing, or config->inspect was not set when the device was created. */
bool lava_pipelines_figures(struct lava_device *device, const struct lava_pipeline *pipeline,
                            struct lava_pipeline_figures *figures);

#endif
