/* Products of several shapes and types, and threads that compute them again and again, each result checked.
 * One of the threads multiplies batches. For tests of what happens beside them. */
#ifndef LAVA_TESTS_ROBUSTNESS_CROWD_H
#define LAVA_TESTS_ROBUSTNESS_CROWD_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/robustness/cases.h"

#define CROWD_AT_MOST 30.0 /* seconds, on a busy machine, under a sanitizer */
#define CROWD_SHAPES  8
#define CROWD_CALLERS 8 /* the first one multiplies batches */

extern struct product crowd_products[CROWD_SHAPES];
extern atomic_int crowd_finished;       /* products so far, of all threads */
extern const char *_Atomic crowd_place; /* where every product of crowd_start is computed; NULL: anywhere */

/* Makes the products, and has the library prepare their types. */
void crowd_make(void);
void crowd_free(void);

/* Starts the threads and stops them. */
void crowd_start(pthread_t *threads);
void crowd_stop(const pthread_t *threads);

/* The body of a thread that computes one product. */
void *crowd_multiply_once(void *product);
/* Waits until the count has reached the least value, but not longer; returns whether it has. */
bool crowd_wait(const atomic_int *count, int least, double seconds);

#endif
