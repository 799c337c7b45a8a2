/* Gives the engine's memory back, on the device and for staging, once nobody has used the device for
 * LAVABLAS_IDLE; the next product allocates it again. */
#ifndef LAVA_OFFLOAD_IDLE_H
#define LAVA_OFFLOAD_IDLE_H

/* The device has been used until now: its memory is kept for as long again. Called by whoever had the
 * engine's lock and used the device, before the lock is given up. Takes tens of nanoseconds, and where
 * nothing waits for the memory yet, the creation of a thread; where that fails the memory is kept until the
 * next use. */
void lava_idle_touch(void);

#endif
