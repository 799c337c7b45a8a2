/* The kernels of products by residues, which are not part of the library. Used by perf/residues_device.c, by
 * tests/drivers and by tests/library/test_residues.c. */
#ifndef PERF_RESIDUES_KERNELS_H
#define PERF_RESIDUES_KERNELS_H

#include "lib/vk/pipelines.h"

#include "shaders/residue_names.h"

enum residue_module {
#define RESIDUE_ENUMERATOR(name, is_fp64) LAVA_##name,
    LAVA_RESIDUE_MODULES(RESIDUE_ENUMERATOR)
#undef RESIDUE_ENUMERATOR
        LAVA_RESIDUE_COUNT
};

/* As lava_pipelines_get; LAVA_ERROR_DRIVER, too, if the build has left the module out. */
enum lava_status residues_get(struct lava_device *device, enum residue_module module,
                              const uint32_t constants[LAVA_CONSTANT_COUNT],
                              const struct lava_pipeline **pipeline);

#endif
