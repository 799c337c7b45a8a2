/* What makes a symbol visible outside the library: everything is compiled with -fvisibility=hidden, and only
 * the functions of lib/abi are marked. tests/library/test_symbols checks the result. */
#ifndef LAVA_ABI_EXPORT_H
#define LAVA_ABI_EXPORT_H

#define LAVA_EXPORT __attribute__((visibility("default")))

/* Forwarding costs a few nanoseconds as long as the fast path is a comparison and a jump: what follows the
 * comparison must stay out of line. */
#define LAVA_SLOW_PATH __attribute__((noinline, cold))

#endif
