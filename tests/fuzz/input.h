/* Takes numbers from the bytes that a fuzzer gives; 0 when they are used up. Included once by each target. */
#ifndef LAVA_TESTS_FUZZ_INPUT_H
#define LAVA_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

static inline unsigned fuzz_byte(struct fuzz_input *input) {
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

/* From 0 to count - 1. */
static inline int fuzz_below(struct fuzz_input *input, int count) {
    return (int)(fuzz_byte(input) % (unsigned)count);
}

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

#endif
