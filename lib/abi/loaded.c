/* What happens when a program begins that this library is preloaded into or linked with. One whose earlier
 * runs won by the device has it prepared from its start on (lib/offload/program_history.h).
 *
 * It is not done by a constructor: a preparation opens libraries, and the dynamic loader runs the
 * constructors of those that the program is linked with without a lock, so that a thread that opens one
 * beside it may run a constructor twice. The first thing that a program does after the loader has finished is
 * to call
 * __libc_start_main, before its own constructors and main(). The definition here comes before libc's. A
 * library that is opened later has no history, nor has one on a processor where that function is another. */
#include <dlfcn.h>
#include <unistd.h>

#include "lib/abi/export.h"
#include "lib/base/log.h"
#include "lib/offload/opening.h"
#include "lib/offload/program_history.h"

typedef int program_main(int, char **, char **);
typedef int start_main(program_main *main, int count, char **arguments, void (*init)(void),
                       void (*fini)(void), void (*loader_fini)(void), void *stack_end);

#if defined(__x86_64__) || defined(__aarch64__)
LAVA_EXPORT start_main __libc_start_main;

int __libc_start_main(program_main *main, int count, char **arguments, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
    start_main *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!next) {
        lava_log_always("libc has no __libc_start_main");
        _exit(127);
    }
    lava_program_history_look();
    lava_opening_prepare_early();
    return next(main, count, arguments, init, fini, loader_fini, stack_end);
}
#endif
