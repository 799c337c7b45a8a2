/* The arguments of the last call of any routine in stub_names.c. */
#ifndef LAVA_TESTS_STUB_NAMES_H
#define LAVA_TESTS_STUB_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* For CBLAS, layout, transa, transb, sizes and leading dimensions are values, as wide as passed. For Fortran
 * everything is a pointer. */
struct stub_names_call {
    int calls;
    const char *name;
    int64_t options[3], sizes[6];      /* m, n, k, lda, ldb, ldc */
    unsigned char alpha[16], beta[16]; /* CBLAS: the argument's bytes, a number or a pointer */
    const void *matrices[3];           /* CBLAS: a, b, c */
    const void *pointers[13];          /* Fortran: all arguments */
    size_t lengths[2];
};

#endif
