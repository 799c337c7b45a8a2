/* What stub_half.c saw of the last call, and how often it was called. */
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
