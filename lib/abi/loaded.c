/* What happens when the library is loaded. A program whose earlier runs won by the device has it prepared
 * from its main() on (lib/offload/program_history.h).
 *
 * Not sooner: a preparation opens libraries, and the dynamic loader runs the constructors of those that the
 * program is linked with without a lock, so that a thread that opens one beside it may run a constructor
 * twice. The first thing that a program does after the loader has finished is to call __libc_start_main, in
 * glibc and in musl; the definition here comes before theirs where this library is preloaded or linked. A
 * library that is opened later has none of this: its process looks at the history at its first large call. */
#include <dlfcn.h>

#include "lib/offload/opening.h"
#include "lib/offload/program_history.h"

typedef int program_main(int, char **, char **);
typedef int start_main(program_main *main, int count, char **arguments, void (*init)(void),
                       void (*fini)(void), void (*loader_fini)(void), void *stack_end);

__attribute__((visibility("default"))) start_main __libc_start_main;

__attribute__((constructor)) static void look(void) {
    lava_program_history_look();
}

int __libc_start_main(program_main *main, int count, char **arguments, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
    start_main *next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    look(); /* where the library is linked into the program itself, its constructors come later */
    lava_opening_prepare_early();
    return next(main, count, arguments, init, fini, loader_fini, stack_end);
}
