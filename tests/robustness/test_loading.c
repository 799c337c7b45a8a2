/* The library is loaded while the program runs, by several threads, closed and loaded again, as Python does.
 *
 *   test_loading LIBRARY */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"

#define SIZE    120
#define ROUNDS  20
#define THREADS 8

typedef void gemm_function(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                           float *, int);
typedef int last_call_function(struct lavablas_call *);

static const char *path;
static atomic_int failures;

/* Returns whether the calling thread's last product was computed by the device. */
static bool ran_on_device(void *library) {
    struct lavablas_call last = {.size = sizeof last};
    last_call_function *tell;
    void *address = dlsym(library, "lavablas_last_call");
    memcpy(&tell, &address, sizeof tell);
    if (address && tell(&last) == 0 && strcmp(last.place, "gpu") == 0)
        return true;
    fprintf(stderr, "computed on the CPU: %s\n", last.reason ? last.reason : "no call is known");
    return false;
}

/* Loads the library, multiplies by twice the identity, and closes it. */
static void *load_and_multiply(void *unused) {
    gemm_function *gemm;
    float *a = calloc(3 * SIZE * SIZE, sizeof *a), *b = a + SIZE * SIZE, *c = b + SIZE * SIZE;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "cblas_sgemm") : NULL;
    if (!a || !address) {
        fprintf(stderr, "%s\n", dlerror());
        failures++;
        return unused;
    }
    memcpy(&gemm, &address, sizeof gemm);
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = i % (SIZE + 1) == 0 ? 2 : 0;
        b[i] = (float)(i % 97);
    }
    gemm(102, 111, 111, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c, SIZE);
    for (int i = 0; i < SIZE * SIZE; i++)
        failures += !(fabsf(c[i] - 2 * b[i]) <= 0); /* NaN too */
    failures += !ran_on_device(library);
    failures += dlclose(library) != 0;
    free(a);
    return unused;
}

/* Loads the library and closes it without a call. */
static void load_alone(void) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    failures += !library || dlclose(library) != 0;
}

static void start(pthread_t *thread) {
    if (pthread_create(thread, NULL, load_and_multiply, NULL)) {
        fprintf(stderr, "no thread\n");
        exit(1);
    }
}

int main(int argument_count, char **arguments) {
    if (argument_count < 2)
        return 2;
    path = arguments[1];
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    setenv("LAVABLAS_MODE", "gpu", 1);
    pthread_t threads[THREADS];
    load_alone();
    for (int i = 0; i < THREADS; i++)
        start(&threads[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        start(&thread);
        pthread_join(thread, NULL);
        load_alone();
        load_and_multiply(NULL);
    }
    printf("%d failures\n", failures);
    return failures > 0;
}
