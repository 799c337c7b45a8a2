/* Compute pipelines. Each is a module with its specialization constants, created at its first use and kept.
 * The preparation of a type creates those that its products will use. The driver's compiled code is cached on
 * disk (lib/base/file_cache.h). Several threads may get pipelines at a time. */
#ifndef LAVA_VK_PIPELINES_H
#define LAVA_VK_PIPELINES_H

#include "dispatch/kernels.h"
#include "dispatch/panels.h"
#include "lib/base/config.h"
#include "lib/vk/device.h"
#include "lib/vk/modules.h"
#include "shaders/interface.h"

#include "shaders/residues.h"

struct lava_pipeline_specification {
    const struct lava_code *code; /* used instead of the module's; static storage. NULL in the library */
    enum lava_module module;
    uint32_t constants[LAVA_CONSTANT_COUNT]; /* by LAVA_CONSTANT_*; 0 if the module does not use one */
};

struct lava_pipeline {
    struct lava_pipeline_specification specification;
    VkPipeline handle;
};

/* Makes device->pipelines, an empty set. */
enum lava_status lava_pipelines_create(struct lava_device *device, const struct lava_config *config);
void lava_pipelines_destroy(struct lava_device *device);
/* While they are held, saving does nothing: pipelines are being created by other threads. Each who holds them
 * releases them once. */
void lava_pipelines_hold(struct lava_device *device, bool held);
/* Writes the driver's code to disk if pipelines were created since it was read or written. */
void lava_pipelines_save(struct lava_device *device);

/* Finds the pipeline, or creates it. *pipeline lives as long as the device. */
enum lava_status lava_pipelines_get(struct lava_device *device,
                                    const struct lava_pipeline_specification *specification,
                                    const struct lava_pipeline **pipeline);
/* The same for the specification lava_pipelines_of(module). */
enum lava_status lava_pipelines_get_module(struct lava_device *device, enum lava_module module,
                                           const struct lava_pipeline **pipeline);
bool lava_pipelines_are_same(const struct lava_pipeline_specification *a,
                             const struct lava_pipeline_specification *b);
VkPipelineLayout lava_pipelines_layout(const struct lava_device *device);

enum lava_pipeline_operand { LAVA_PIPELINE_A, LAVA_PIPELINE_B }; /* the values of LAVA_CONSTANT_OPERAND */

/* The specifications of a product's kernels, for a row of the kernel table that fits the device. narrow: the
 * multiply kernel writes the type of A and B; else it writes fp32, for the epilogue or for C. */
struct lava_pipeline_specification lava_pipelines_multiply(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities,
                                                           bool narrow);
/* The same, or the row's fallback, for products with a triangular operand. */
struct lava_pipeline_specification lava_pipelines_triangular(struct lava_pipeline_specification general);
struct lava_pipeline_specification lava_pipelines_pack(const struct lava_kernel *kernel,
                                                       const struct lava_capabilities *capabilities,
                                                       enum lava_pipeline_operand operand, bool transpose);
/* The fallback of a row that screens tiles out. */
struct lava_pipeline_specification lava_pipelines_fallback(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities);
/* This kernel takes a step of a panel's factorization, or factors the whole panel, as the form says; with so
 * many invocations in a workgroup. Half precision has none. */
struct lava_pipeline_specification lava_pipelines_panel(enum lava_panel_kind kind, enum lava_type type,
                                                        enum lava_panel_form form, uint32_t invocations);
/* A kernel that has one form: modules of a type (dispatch/types.h), and others. */
static inline struct lava_pipeline_specification lava_pipelines_of(enum lava_module module) {
    return (struct lava_pipeline_specification){.module = module};
}

/* Writes a line with what the driver's compiler says about a pipeline (registers, spills, shared memory), or
 * "" if it says nothing. */
void lava_pipelines_report(struct lava_device *device, const struct lava_pipeline *pipeline, char *text,
                           size_t size);

/* The same in numbers; a number that the driver does not report is 0. */
struct lava_pipeline_figures {
    uint32_t registers; /* for each invocation */
    uint32_t spilled;   /* to memory: bytes, registers or instructions, as the driver counts */
    uint32_t shared_bytes;
    uint32_t subgroups; /* resident on a SIMD (RADV) or a multiprocessor (NVK), as the registers allow */
    uint32_t cycles;    /* the driver's own estimate; only to compare rows of one driver */
};
/* Takes a driver's statistic into account, by the name that the driver gives it. */
void lava_pipelines_add_figure(const char *name, uint64_t statistic, struct lava_pipeline_figures *figures);
/* Returns false if the driver reports nothing, or if config->inspect was not set when the device was
 * opened. */
bool lava_pipelines_figures(struct lava_device *device, const struct lava_pipeline *pipeline,
                            struct lava_pipeline_figures *figures);

#endif
