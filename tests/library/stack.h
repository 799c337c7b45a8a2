/* Calls a Fortran routine without passing lengths. The place of the lengths on the stack then belongs to the
 * caller and must not be written. Only on x86-64 without a sanitizer; STACK_IS_OURS says so. */
#ifndef LAVA_TESTS_STACK_H
#define LAVA_TESTS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define STACK_IS_OURS 1
#else
#    define STACK_IS_OURS 0
#endif

#if STACK_IS_OURS

#    define STACK_BYTES ((size_t)1 << 20)
#    define STACK_PAGE  4096
/* Value at the beginning of the last page. */
#    define STACK_LENGTH 77

/* Calls on a stack of its own whose last page cannot be written. Six arguments travel in registers, the
 * others on the stack; the first length would follow them. The stack has to be aligned to 16 bytes: if the
 * others are odd in number, the first length lies before that page, and false says that it was written; else
 * it begins the page. */
static inline bool stack_call(void *function, const void *const *arguments, int count, char *last_page) {
    const void *const mark = "the caller's own";
    bool is_odd = (count - 6) % 2;
    const void **stack = (const void **)(void *)last_page - (count - 6 + is_odd);
    for (int i = 6; i < count; i++)
        stack[i - 6] = arguments[i];
    if (is_odd)
        stack[count - 6] = mark;
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[stack], %%rsp\n\t"
                     "movq 0(%[arguments]), %%rdi\n\t"
                     "movq 8(%[arguments]), %%rsi\n\t"
                     "movq 16(%[arguments]), %%rdx\n\t"
                     "movq 24(%[arguments]), %%rcx\n\t"
                     "movq 32(%[arguments]), %%r8\n\t"
                     "movq 40(%[arguments]), %%r9\n\t"
                     "call *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     :
                     : [stack] "r"(stack), [arguments] "r"(arguments), [function] "r"(function)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
    return !is_odd || stack[count - 6] == mark;
}

/* Creates the stack and returns the page that cannot be written. */
static inline char *stack_new(void) {
    char *stack =
        mmap(NULL, STACK_BYTES + STACK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const size_t length = STACK_LENGTH;
    if (stack == MAP_FAILED)
        abort();
    memcpy(stack + STACK_BYTES, &length, sizeof length);
    if (mprotect(stack + STACK_BYTES, STACK_PAGE, PROT_READ) != 0)
        abort();
    return stack + STACK_BYTES;
}

static inline void stack_free(char *last_page) {
    munmap(last_page - STACK_BYTES, STACK_BYTES + STACK_PAGE);
}

#endif

#endif
