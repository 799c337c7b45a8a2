/* Loads the library named by its argument, computes one large product and prints where it ran. Run by
 * test_preload.sh with and without the set-user-ID bit. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "lavablas.h"

#define SIZE 300

int main(int count, char **arguments) {
    static float a[SIZE * SIZE], c[SIZE * SIZE];
    struct lavablas_call last = {.size = sizeof last};
    void (*gemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                 int);
    int (*last_call)(struct lavablas_call *);
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library)
        return 2;
    void *gemm_address = dlsym(library, "cblas_sgemm"), *last_address = dlsym(library, "lavablas_last_call");
    if (!gemm_address || !last_address)
        return 2;
    memcpy(&gemm, &gemm_address, sizeof gemm);
    memcpy(&last_call, &last_address, sizeof last_call);
    for (int i = 0; i < SIZE; i++)
        a[i * SIZE + i] = 1;
    gemm(102, 111, 111, SIZE, SIZE, SIZE, 2, a, SIZE, a, SIZE, 0, c, SIZE);
    if (c[0] != 2 || c[1] != 0 || c[SIZE * SIZE - 1] != 2)
        return 3;
    if (last_call(&last) != 0)
        return 4;
    printf("%s %s: %s\n", getauxval(AT_SECURE) ? "secure" : "plain", last.place, last.reason);
    return 0;
}
