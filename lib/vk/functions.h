/* Lists every Vulkan function that the library calls. They are found at run time, because nothing is linked
 * to libvulkan. The list makes the members of the table and the code in device.c that fills it. */
#ifndef LAVA_VK_FUNCTIONS_H
#define LAVA_VK_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* Headers before 1.3.255 lack VK_KHR_cooperative_matrix, those before 1.4.304 VK_NV_cooperative_matrix2, and
 * those before 1.4.312 VK_KHR_shader_bfloat16. A driver may have them all the same. The values are those of
 * Vulkan's registry, vk.xml. */
#ifndef VK_KHR_cooperative_matrix
#    define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME                            "VK_KHR_cooperative_matrix"
#    define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR   ((VkStructureType)1000506000)
#    define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR                 ((VkStructureType)1000506001)
#    define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR ((VkStructureType)1000506002)
typedef enum VkComponentTypeKHR {
    VK_COMPONENT_TYPE_FLOAT16_KHR = 0,
    VK_COMPONENT_TYPE_FLOAT32_KHR = 1,
    VK_COMPONENT_TYPE_SINT8_KHR = 3,
    VK_COMPONENT_TYPE_SINT32_KHR = 5,
    VK_COMPONENT_TYPE_MAX_ENUM_KHR = 0x7FFFFFFF
} VkComponentTypeKHR;
typedef enum VkScopeKHR { VK_SCOPE_SUBGROUP_KHR = 3, VK_SCOPE_MAX_ENUM_KHR = 0x7FFFFFFF } VkScopeKHR;
typedef struct VkCooperativeMatrixPropertiesKHR {
    VkStructureType sType;
    void *pNext;
    uint32_t MSize;
    uint32_t NSize;
    uint32_t KSize;
    VkComponentTypeKHR AType;
    VkComponentTypeKHR BType;
    VkComponentTypeKHR CType;
    VkComponentTypeKHR ResultType;
    VkBool32 saturatingAccumulation;
    VkScopeKHR scope;
} VkCooperativeMatrixPropertiesKHR;
typedef struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrix;
    VkBool32 cooperativeMatrixRobustBufferAccess;
} VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
typedef struct VkPhysicalDeviceCooperativeMatrixPropertiesKHR {
    VkStructureType sType;
    void *pNext;
    VkShaderStageFlags cooperativeMatrixSupportedStages;
} VkPhysicalDeviceCooperativeMatrixPropertiesKHR;
typedef VkResult(VKAPI_PTR *PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkCooperativeMatrixPropertiesKHR *pProperties);
#endif
#ifndef VK_KHR_shader_bfloat16
#    define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME                          "VK_KHR_shader_bfloat16"
#    define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR ((VkStructureType)1000141000)
#    define VK_COMPONENT_TYPE_BFLOAT16_KHR                                 ((VkComponentTypeKHR)1000141000)
typedef struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderBFloat16Type;
    VkBool32 shaderBFloat16DotProduct;
    VkBool32 shaderBFloat16CooperativeMatrix;
} VkPhysicalDeviceShaderBfloat16FeaturesKHR;
#endif
#ifndef VK_NV_cooperative_matrix2
#    define VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME                          "VK_NV_cooperative_matrix2"
#    define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV ((VkStructureType)1000593000)
typedef struct VkPhysicalDeviceCooperativeMatrix2FeaturesNV {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrixWorkgroupScope;
    VkBool32 cooperativeMatrixFlexibleDimensions;
    VkBool32 cooperativeMatrixReductions;
    VkBool32 cooperativeMatrixConversions;
    VkBool32 cooperativeMatrixPerElementOperations;
    VkBool32 cooperativeMatrixTensorAddressing;
    VkBool32 cooperativeMatrixBlockLoads;
} VkPhysicalDeviceCooperativeMatrix2FeaturesNV;
#endif

#define LAVA_VK_GLOBAL_FUNCTIONS(X)                                                                          \
    X(CreateInstance)                                                                                        \
    X(EnumerateInstanceVersion)

#define LAVA_VK_INSTANCE_FUNCTIONS(X)                                                                        \
    X(DestroyInstance)                                                                                       \
    X(EnumeratePhysicalDevices)                                                                              \
    X(GetPhysicalDeviceProperties2)                                                                          \
    X(GetPhysicalDeviceFeatures2)                                                                            \
    X(GetPhysicalDeviceMemoryProperties2)                                                                    \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                                \
    X(GetPhysicalDeviceExternalBufferProperties)                                                             \
    X(EnumerateDeviceExtensionProperties)                                                                    \
    X(CreateDevice)                                                                                          \
    X(GetDeviceProcAddr)

#define LAVA_VK_DEVICE_FUNCTIONS(X)                                                                          \
    X(DestroyDevice)                                                                                         \
    X(DeviceWaitIdle)                                                                                        \
    X(GetDeviceQueue)                                                                                        \
    X(CreateSemaphore)                                                                                       \
    X(DestroySemaphore)                                                                                      \
    X(GetSemaphoreCounterValue)                                                                              \
    X(WaitSemaphores)                                                                                        \
    X(CreateCommandPool)                                                                                     \
    X(DestroyCommandPool)                                                                                    \
    X(AllocateCommandBuffers)                                                                                \
    X(BeginCommandBuffer)                                                                                    \
    X(EndCommandBuffer)                                                                                      \
    X(QueueSubmit2)                                                                                          \
    X(CmdPipelineBarrier2)                                                                                   \
    X(CmdCopyBuffer)                                                                                         \
    X(CmdUpdateBuffer)                                                                                       \
    X(CmdFillBuffer)                                                                                         \
    X(CmdBindPipeline)                                                                                       \
    X(CmdPushConstants)                                                                                      \
    X(CmdDispatch)                                                                                           \
    X(CmdDispatchIndirect)                                                                                   \
    X(CmdResetQueryPool)                                                                                     \
    X(CmdWriteTimestamp2)                                                                                    \
    X(CreateQueryPool)                                                                                       \
    X(DestroyQueryPool)                                                                                      \
    X(ResetQueryPool)                                                                                        \
    X(GetQueryPoolResults)                                                                                   \
    X(CreateBuffer)                                                                                          \
    X(DestroyBuffer)                                                                                         \
    X(GetBufferMemoryRequirements)                                                                           \
    X(GetBufferDeviceAddress)                                                                                \
    X(AllocateMemory)                                                                                        \
    X(FreeMemory)                                                                                            \
    X(BindBufferMemory)                                                                                      \
    X(MapMemory)                                                                                             \
    X(CreateShaderModule)                                                                                    \
    X(DestroyShaderModule)                                                                                   \
    X(CreatePipelineLayout)                                                                                  \
    X(DestroyPipelineLayout)                                                                                 \
    X(CreatePipelineCache)                                                                                   \
    X(DestroyPipelineCache)                                                                                  \
    X(GetPipelineCacheData)                                                                                  \
    X(CreateComputePipelines)                                                                                \
    X(DestroyPipeline)

#define LAVA_VK_MEMBER(name) PFN_vk##name name;
struct lava_vk_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    LAVA_VK_GLOBAL_FUNCTIONS(LAVA_VK_MEMBER)
    LAVA_VK_INSTANCE_FUNCTIONS(LAVA_VK_MEMBER)
    LAVA_VK_DEVICE_FUNCTIONS(LAVA_VK_MEMBER)
    /* VK_KHR_cooperative_matrix, NULL if no driver has it */
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
    /* VK_KHR_pipeline_executable_properties, NULL if absent: what the driver's compiler made of a kernel
     */
    PFN_vkGetPipelineExecutableStatisticsKHR GetPipelineExecutableStatisticsKHR;
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR GetPipelineExecutableInternalRepresentationsKHR;
    /* VK_EXT_external_memory_host, NULL if absent */
    PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT;
};
#undef LAVA_VK_MEMBER

#endif
