/* Capabilities of a device, read once by lib/vk and passed to dispatch as plain numbers. Tests make up their
 * own. */
#ifndef LAVA_DISPATCH_CAPABILITIES_H
#define LAVA_DISPATCH_CAPABILITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/operation.h"

enum lava_device_kind { LAVA_DEVICE_DISCRETE, LAVA_DEVICE_INTEGRATED, LAVA_DEVICE_VIRTUAL, LAVA_DEVICE_CPU };

/* A cooperative matrix shape with subgroup scope: A m x k and B k x n of the type, sums m x n in fp32. */
struct lava_matrix_shape {
    enum lava_type type;
    uint32_t m, n, k;
    bool narrow; /* the device also has m x n matrices of sums in the type itself */
};
#define LAVA_CAPABILITIES_MAX_SHAPES 16

/* Whether fp64 products are computed by residues (residue_choice.h): if that is estimated to be faster,
 * never, or wherever they can. */
enum lava_residue_use { LAVA_RESIDUE_AUTO, LAVA_RESIDUE_OFF, LAVA_RESIDUE_ON };

/* Cooperative matrices of int8 of a subgroup, summed in int32. */
struct lava_integer_shape {
    uint32_t m, n, k; /* 0: there are none */
};

struct lava_capabilities {
    char name[256];
    char label[320];  /* in lines of the log: its index, name and UUID */
    char driver[514]; /* its name and version, as the driver has them; "": not known */
    uint32_t vendor_id, device_id, driver_version;
    enum lava_device_kind kind;
    /* Powers of two. lava_kernel_subgroup_size says which of them a row has. */
    uint32_t simt_subgroup_size, matrix_subgroup_size;
    uint32_t max_shared_bytes;
    uint32_t max_workgroup_invocations;
    uint32_t max_workgroup_subgroups; /* 0: any number */
    uint32_t max_workgroups;          /* in dimension x */
    uint32_t multiprocessors;         /* 0: not reported by the driver */
    /* Workgroups of one dispatch that run at the same time, whatever else the device does. 1: the device
     * promises nothing. 0: nor can one work alone, as it needs arithmetic and shuffles of
     * subgroups. */
    uint32_t resident_groups;
    uint32_t resident_polls; /* reads after which one no longer waits for another: an estimated second */
    bool group_exchange;     /* workgroups may exchange words of 64 bits while they run */
    uint64_t memory_bytes; /* device memory this library may use in total (LAVABLAS_MEMORY already applied) */
    uint64_t max_buffer_bytes;  /* largest single allocation */
    uint64_t slot_bytes;        /* of a staging slot, which the engine chooses; 0: not known */
    bool unified_memory;        /* the device reads host memory at its own speed: no copy before pack */
    uint64_t import_page_bytes; /* the host's page, if the driver imports such pages; 0: it does not */
    bool denorm_preserve_fp32;  /* shaders may request that fp32 subnormals are kept */
    bool special_preserve_fp32; /* shaders may request IEEE treatment of Inf, NaN and -0 */
    /* A shape is listed only if the device also has everything else that the kernels of its type need. */
    uint32_t shape_count;
    struct lava_matrix_shape shapes[LAVA_CAPABILITIES_MAX_SHAPES];
    bool fp64; /* shaders may compute in fp64 */
    /* What multiplies int8. It is looked for if residues are used. A workgroup may have one matrix of any
     * size (VK_NV_cooperative_matrix2; a subgroup on a software device), and products of four bytes with
     * four. */
    enum lava_residue_use residues; /* LAVABLAS_RESIDUES */
    struct lava_integer_shape integer_shape;
    bool whole_matrices, integer_products;
    bool denorm_preserve_fp64, special_preserve_fp64;
    float timestamp_period_ns; /* 0: no timestamps */
    /* Bit i: row i of the kernel table must not be used, because it failed its test or is not tested yet.
     * Bits change while products run. */
    _Atomic uint64_t refused_kernels;
};

#endif
