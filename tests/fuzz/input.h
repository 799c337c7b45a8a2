/* Takes numbers from the bytes that a fuzzer gives; 0 when they are used up. Included once by each target. */
#ifndef LAVA_TESTS_FUZZ_INPUT_H
#define LAVA_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Ends the run as a finding, with what is wrong, unless the condition holds. */
static inline void fuzz_require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

#endif
