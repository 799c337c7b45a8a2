/* Copies of vectors with large increments, shared among threads. NumPy's linear algebra transposes every
 * matrix for LAPACK, and every result back, by a ?copy for each row: at order 8192 that takes one thread 1.5
 * s (Xeon of an H200), most of it waiting for memory, while the GPU solves the system in 0.11 s.
 *
 *     struct lava_vector_copy copy = {...};
 *     if (!lava_vector_copy_begin(&copy)) {
 *         the CPU BLAS's routine;
 *         lava_vector_copy_end(&copy);
 *     }
 *
 * Such calls come in hundreds, alike but for the addresses. The first few of a row of calls are timed alone,
 * the next few shared, and the rest go the faster way. Any thread may call these functions; one of them uses
 * the threads at a time, and the others copy alone. */
#ifndef LAVA_HOST_VECTOR_COPY_H
#define LAVA_HOST_VECTOR_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer elements take less time than threads that wait for each other. Of elements that are closer, of
 * whatever type, the processor fetches the next ones by itself. */
#define LAVA_VECTOR_COPY_LEAST 1024
#define LAVA_VECTOR_COPY_FAR   64
static inline bool lava_vector_copy_is_plain(int64_t n, int64_t x_increment, int64_t y_increment) {
    return n < LAVA_VECTOR_COPY_LEAST ||
           (x_increment < LAVA_VECTOR_COPY_FAR && y_increment < LAVA_VECTOR_COPY_FAR);
}

struct lava_vector_copy {
    int64_t n;
    const void *x;
    int64_t x_increment; /* in elements, as y's */
    void *y;
    int64_t y_increment;
    size_t element_bytes; /* 4, 8 or 16 */
    uint64_t begin_ns;    /* begin's: not 0 if end has to look at the time */
};

/* The number of threads, including the caller, that suits this machine. Calls that take very long alone get
 * twice as many. */
unsigned lava_vector_copy_threads(void);
/* Lets calls be shared among this many threads from now on, in rows of which a call takes at least so long
 * alone; the first numbers stay. Until then all are copied alone. */
#define LAVA_VECTOR_COPY_ALONE_NS 4000
void lava_vector_copy_allow(unsigned threads, uint64_t alone_ns);
/* Returns how many calls were shared so far. For tests. */
uint64_t lava_vector_copy_shared(void);

/* Returns true if y is finished. Else nothing was written, and end has to be called. */
bool lava_vector_copy_begin(struct lava_vector_copy *copy);
void lava_vector_copy_end(const struct lava_vector_copy *copy);

/* The copy by the calling thread, as the reference BLAS defines it. */
void lava_vector_copy_alone(const struct lava_vector_copy *copy);

#endif
