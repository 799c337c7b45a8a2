/* Types of the level 3 routines by Fortran's names, for any type of elements, with the lengths of strings. */
#ifndef LAVA_TESTS_LIBRARY_LEVEL3_FUNCTIONS_H
#define LAVA_TESTS_LIBRARY_LEVEL3_FUNCTIONS_H

#include <stddef.h>

typedef void gemm_function(const char *, const char *, const int *, const int *, const int *, const void *,
                           const void *, const int *, const void *, const int *, const void *, void *,
                           const int *, size_t, size_t);
typedef void symm_function(const char *, const char *, const int *, const int *, const void *, const void *,
                           const int *, const void *, const int *, const void *, void *, const int *, size_t,
                           size_t);
typedef void syrk_function(const char *, const char *, const int *, const int *, const void *, const void *,
                           const int *, const void *, void *, const int *, size_t, size_t);
typedef void syr2k_function(const char *, const char *, const int *, const int *, const void *, const void *,
                            const int *, const void *, const int *, const void *, void *, const int *, size_t,
                            size_t);
typedef void triangular_function(const char *, const char *, const char *, const char *, const int *,
                                 const int *, const void *, const void *, const int *, void *, const int *,
                                 size_t, size_t, size_t, size_t);

#endif
