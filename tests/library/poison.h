/* Matrices of small integers, whose products are exact in every type, in memory whose other bytes are all
 * part of NaNs. */
#ifndef LAVA_TESTS_POISON_H
#define LAVA_TESTS_POISON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/naive.h"

/* A byte that makes every float and double a NaN. */
#define POISON 0xff

static unsigned poison_seed = 1;

static inline int poison_random(int below) {
    poison_seed = poison_seed * 1664525u + 1013904223u;
    /* its low bits repeat after few numbers */
    unsigned mixed = (poison_seed ^ poison_seed >> 15) * 0x2c1b3c6du;
    return (int)((mixed ^ mixed >> 16) % (unsigned)below);
}

/* OpenBLAS 0.3.21's ?gemv reads, and does not use, up to four columns behind a matrix. At the end of the heap
 * that is a fault, so there is room for it, bytes. */
#define POISON_BEHIND 65536

static inline void *poison_new(size_t bytes) {
    void *memory = malloc(bytes + POISON_BEHIND);
    if (!memory)
        abort();
    memset(memory, POISON, bytes);
    return memory;
}

/* Fills rows x columns elements, columns ld apart, with numbers that are exact in bf16 too. */
static inline void poison_fill(enum lava_type type, void *matrix, int64_t rows, int64_t columns, int64_t ld) {
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const struct naive_number number = {poison_random(7) - 3, poison_random(5) - 2};
            if (type == LAVA_TYPE_BF16) {
                const float value = (float)number.real;
                uint32_t bits;
                memcpy(&bits, &value, sizeof bits);
                ((uint16_t *)matrix)[i + j * ld] = (uint16_t)(bits >> 16);
            } else {
                naive_write(type, matrix, i + j * ld, number);
            }
        }
}

/* The test's seed: of the environment, or the usual one. */
static inline void poison_begin(unsigned usual) {
    const char *given = getenv("LAVA_TEST_SEED");
    poison_seed = given ? (unsigned)strtoul(given, NULL, 0) : usual;
    printf("LAVA_TEST_SEED=%u\n", poison_seed);
}

/* Tests of cmocka, one for each region, which the test finds at *state. */
#define POISON_REGION_TEST(name, test, region)                                                               \
    {                                                                                                        \
        name, test, NULL, NULL, &(enum lava_region) {                                                        \
            region                                                                                           \
        }                                                                                                    \
    }
#define POISON_REGION_TESTS(test)                                                                            \
    POISON_REGION_TEST("all", test, LAVA_REGION_ALL), POISON_REGION_TEST("lower", test, LAVA_REGION_LOWER),  \
        POISON_REGION_TEST("upper", test, LAVA_REGION_UPPER)

#endif
