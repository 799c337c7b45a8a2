/* Creates threads that work for the library inside a program: its copies and conversions. */
#ifndef LAVA_HOST_THREADS_H
#define LAVA_HOST_THREADS_H

#include <pthread.h>

/* Creates up to `count` threads of that name (15 characters) that run function(argument), with small stacks
 * where that is possible, and returns how many there are. They have to live until it has returned. The
 * program's signals are for the program's threads: the new ones inherit a mask that blocks all but those a
 * thread raises itself. A program may have made its matrices' pages fault on purpose (write barriers, dirty
 * tracking). */
unsigned lava_threads_create(const char *name, pthread_t *threads, unsigned count, void *(*function)(void *),
                             void *argument);

#endif
