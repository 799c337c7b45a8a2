/* The arguments of the last call to stub_half.c, and the number of calls. */
#ifndef LAVA_TESTS_STUB_HALF_H
#define LAVA_TESTS_STUB_HALF_H

#include <stddef.h>
#include <stdint.h>

struct stub_half_call {
    int calls;
    const char *routine;
    int layout, transa, transb, m, n, k, lda, ldb, ldc; /* CBLAS */
    float alpha, beta;
    uint16_t alpha_bits, beta_bits;
    const void *a, *b;
    void *c;
    const void *pointers[13]; /* Fortran: all arguments */
    size_t lengths[2];
};

#endif
