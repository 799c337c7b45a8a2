/* Creates threads that work for the library inside a program: copies and conversions. */
#ifndef LAVA_HOST_THREADS_H
#define LAVA_HOST_THREADS_H

#include <pthread.h>
#include <stddef.h>

/* Enough for loops over arrays. */
#define LAVA_THREADS_SMALL_STACK (128 * 1024)

/* Creates up to `count` threads with that name (at most 15 characters) that run function(argument), with
 * stacks of so many bytes if possible (0: the system's default). Returns how many were created. They must not
 * end before it has returned. The program's signals must be handled by the program's threads, so the new ones
 * inherit a mask that blocks all signals except those that a thread raises itself. Those stay unblocked
 * because a program may make its matrices' pages fault on purpose (write barriers, dirty tracking). */
unsigned lava_threads_create(const char *name, pthread_t *threads, unsigned count, size_t stack_bytes,
                             void *(*function)(void *), void *argument);

#endif
