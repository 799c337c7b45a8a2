/* What stub_names.c saw of the last call of any of its routines. */
#ifndef LAVA_TESTS_STUB_NAMES_H
#define LAVA_TESTS_STUB_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Of CBLAS's list layout, transa and transb, sizes and leading dimensions are values, as wide as they came;
 * of Fortran's everything is a pointer. */
struct stub_names_call {
    int calls;
    const char *name;
    int64_t options[3], sizes[6];      /* m, n, k, lda, ldb, ldc */
    unsigned char alpha[16], beta[16]; /* CBLAS: the argument's bytes, be it a number or a pointer */
    const void *matrices[3];           /* CBLAS: a, b, c */
    const void *pointers[13];          /* Fortran: all arguments */
    size_t lengths[2];
};

#endif
