/* Holds a queue by a semaphore that a thread signals. The semaphores are left to the process's end. */
#define VK_NO_PROTOTYPES
#include "tests/layer/slow.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct hold {
    struct layer_slow slow;
    VkSemaphore semaphore;
};

static void *let_go(void *data) {
    struct hold *hold = data;
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = hold->semaphore, .value = 1};
    const struct timespec time = {.tv_sec = hold->slow.ms / 1000,
                                  .tv_nsec = (long)(hold->slow.ms % 1000) * 1000000};
    nanosleep(&time, NULL);
    hold->slow.SignalSemaphore(hold->slow.device, &info);
    free(hold);
    return NULL;
}

static VkResult submit_wait(const struct hold *hold, VkQueue queue) {
    const VkSemaphoreSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                        .semaphore = hold->semaphore,
                                        .value = 1,
                                        .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .waitSemaphoreInfoCount = 1, .pWaitSemaphoreInfos = &wait};
    return hold->slow.QueueSubmit2(queue, 1, &info, VK_NULL_HANDLE);
}

VkResult layer_slow_hold(const struct layer_slow *slow, VkQueue queue) {
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    struct hold *hold = malloc(sizeof *hold);
    pthread_t thread;
    VkResult result;
    if (!hold)
        abort();
    hold->slow = *slow;
    if ((result = slow->CreateSemaphore(slow->device, &info, NULL, &hold->semaphore)) ||
        (result = submit_wait(hold, queue))) {
        free(hold);
        return result;
    }
    if (pthread_create(&thread, NULL, let_go, hold))
        abort();
    pthread_detach(thread);
    return VK_SUCCESS;
}
