/* What the layer does, as the environment variable LAVABLAS_TEST_LAYER says: words separated by spaces.
 *
 *   hang=vkCreateDevice        the call does not come back until lavablas_test_layer_release is called; several
 *                              with commas
 *   hang=vkCreateDevice@3      from the third such call on, or once lavablas_test_layer_hang is called
 *   ms=500                     it comes to the driver after this time
 *   late=vkWaitSemaphores      the call comes back from the driver after that time; several with commas, of
 *                              submissions and the calls whose rows are complete in layer.c
 *   slow=3                     the device begins this many milliseconds after a submission, or later
 *   fail=12                    the 12th call that returns a VkResult fails, without reaching the driver
 *   result=-3                  with this result; the default is VK_ERROR_DEVICE_LOST (-4). After it every
 *                              later call of the kind fails, as a driver's do
 *   count=FILE                 at exit the number of such calls is written there
 *   without=shaderInt64        the feature is missing; several with commas
 *   hide=VK_EXT_memory_budget  the extension is missing; several with commas
 *   linger=300                 a thread that has called takes this many milliseconds to end; the process ends
 *                              with status 9 if the layer's exit handler runs meanwhile
 *   shared=32768               bytes of shared memory, at most
 *   range=134217728            maxStorageBufferRange, maxBufferSize and maxMemoryAllocationSize, at most
 *   invocations=256            of a workgroup, at most
 *   queues=1                   of one family
 *   kind=integrated            or discrete
 *   memory=discrete            what the device has cannot be mapped; other memory can
 *   heap=67108864              bytes of each heap
 *
 * What is reported as less is less: rules.h. */
#ifndef LAVA_TESTS_LAYER_LAYER_OPTIONS_H
#define LAVA_TESTS_LAYER_LAYER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct layer_options {
    char hang[128], late[128], without[256], hide[256], kind[16], memory[16], count[256];
    unsigned hang_at, hang_ms; /* 0 ms: for ever */
    unsigned fail_at;
    int result;
    uint64_t linger, slow;                             /* ms */
    uint64_t shared, range, invocations, queues, heap; /* 0: as the driver has it */
};

/* Reads the variable. Ends the process at a word that it does not know: a test must not test nothing. */
void layer_options_read(struct layer_options *options);
/* Returns whether the word is in a list with commas. */
bool layer_options_lists(const char *list, const char *word);

#endif
