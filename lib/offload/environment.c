/* Asks the processor how it rounds and which exceptions trap. Called by lib/offload/offload.c once a call
 * that is not forwarded at once.
 *
 * The registers are read as they are: <fenv.h> of x86-64 asks x87, which a program that sets MXCSR alone
 * leaves as it was. */
#include "lib/offload/environment.h"

#include <stdbool.h>

static enum lava_environment environment_of(bool is_to_nearest, bool traps) {
    return !is_to_nearest ? LAVA_ENVIRONMENT_DIRECTED
           : traps        ? LAVA_ENVIRONMENT_TRAPS
                          : LAVA_ENVIRONMENT_USUAL;
}

#if defined(__x86_64__)
#    define MXCSR_ROUNDING 0x6000u /* 0: to nearest */
#    define MXCSR_MASKS    0x1f80u /* a set bit keeps an exception from trapping */

enum lava_environment lava_environment_read(void) {
    uint32_t mxcsr = __builtin_ia32_stmxcsr();
    return environment_of((mxcsr & MXCSR_ROUNDING) == 0, (mxcsr & MXCSR_MASKS) != MXCSR_MASKS);
}

struct lava_environment_held lava_environment_hold(void) {
    const struct lava_environment_held callers = {__builtin_ia32_stmxcsr()};
    __builtin_ia32_ldmxcsr(MXCSR_MASKS);
    return callers;
}

void lava_environment_return(struct lava_environment_held callers) {
    __builtin_ia32_ldmxcsr(callers.mxcsr);
}
#elif defined(__aarch64__)
#    define FPCR_ROUNDING 0xc00000u /* 0: to nearest */
#    define FPCR_TRAPS    0x9f00u

enum lava_environment lava_environment_read(void) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return environment_of((fpcr & FPCR_ROUNDING) == 0, (fpcr & FPCR_TRAPS) != 0);
}
#else
enum lava_environment lava_environment_read(void) {
    return environment_of(fegetround() == FE_TONEAREST, fegetexcept() != 0);
}
#endif

#if !defined(__x86_64__)
struct lava_environment_held lava_environment_hold(void) {
    struct lava_environment_held callers;
    fegetenv(&callers.all);
    fesetenv(FE_DFL_ENV);
    return callers;
}

void lava_environment_return(struct lava_environment_held callers) {
    fesetenv(&callers.all);
}
#endif
