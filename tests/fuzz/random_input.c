/* Feeds a fuzz target with random bytes, where there is no libFuzzer:
 *
 *   fuzz_TARGET_random SECONDS [SEED] */
#include <time.h>

#include "tests/fuzz/input.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments) {
    double end = now() + (count > 1 ? atof(arguments[1]) : 5);
    unsigned first = count > 2 ? (unsigned)atoi(arguments[2]) : 1, seed = first;
    uint8_t bytes[512];
    LLVMFuzzerInitialize(&count, &arguments);
    do {
        unsigned state = seed;
        fprintf(stderr, "seed %u\r", seed);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(rand_r(&state) >> 8);
        LLVMFuzzerTestOneInput(bytes, sizeof bytes);
        seed++;
    } while (now() < end);
    printf("%u inputs, seeds from %u\n", seed - first, first);
    return 0;
}
