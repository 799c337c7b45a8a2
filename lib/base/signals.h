/* Puts the program's signal handlers off while its thread is with the device. A handler that leaves by
 * siglongjmp, as those of interactive programs do, would leave the device to nobody: no other call could have
 * it. Handlers run when the call is over; signals without a handler that end or stop the process do so at
 * once. */
#ifndef LAVA_BASE_SIGNALS_H
#define LAVA_BASE_SIGNALS_H

/* The calling thread's. Has no effect where they are held already. */
void lava_signals_hold(void);
/* Handlers of signals that came meanwhile run before it returns, and may not return. Has no effect where
 * nothing is held. */
void lava_signals_release(void);

#endif
