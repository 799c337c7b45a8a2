/* What has to be in place before the first call of the process: the report, the trace, what happens at fork()
 * and exit(), and where new figures go. */
#ifndef LAVA_OFFLOAD_OPENING_H
#define LAVA_OFFLOAD_OPENING_H

/* Called once, by one thread. Takes some microseconds. */
void lava_opening_connect(void);
/* Called at the beginning of main(), by its thread. Prepares the device in a program that won by it before,
 * and does nothing in any other. */
void lava_opening_prepare_early(void);

#endif
