/* How threads of the library wait for each other: they spin, then they sleep on a word until it changes. */
#ifndef LAVA_HOST_WAIT_H
#define LAVA_HOST_WAIT_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One iteration of a spin. */
static inline void lava_wait_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sleeps while the word has the value; may return early. errno stays as it is: the caller of a BLAS routine
 * expects that. */
static inline void lava_wait_sleep(_Atomic uint32_t *word, uint32_t value) {
    int saved_errno = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    errno = saved_errno;
}

/* Wakes at most `count` threads that sleep on the word. */
static inline void lava_wait_wake(_Atomic uint32_t *word, int count) {
    int saved_errno = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
    errno = saved_errno;
}

#endif
