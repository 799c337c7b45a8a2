/* Frees the engines' memory, on the device and for staging, once nobody has used the device for
 * LAVABLAS_IDLE. The next product allocates it again. */
#ifndef LAVA_OFFLOAD_IDLE_H
#define LAVA_OFFLOAD_IDLE_H

/* Notes that the device has been used until now, so that its memory is kept for as long again. The caller
 * used the device and still holds its lane, or all of it. This takes tens of nanoseconds, or the creation of
 * a thread if none waits yet; if that fails, the memory is kept until the next use. */
void lava_idle_touch(void);
/* The same, and lava_context_unlock. */
void lava_idle_unlock(int cancel_state);

#endif
