/* The library's own API, include/lavablas.h. Called by programs that know they run on LavaBLAS: tests, tools,
 * benchmarks. */
#include "lavablas.h"

#include <stdlib.h>
#include <string.h>

#include "lib/abi/export.h"
#include "lib/base/report.h"
#include "lib/base/settings.h"
#include "lib/offload/offload.h"
#include "lib/offload/state.h"

LAVA_EXPORT const char *lavablas_version(void) {
    return LAVA_VERSION;
}

LAVA_EXPORT int lavablas_wait(const char **why) {
    return lavablas_wait_for(-1, why) == LAVABLAS_STATE_READY ? 0 : -1;
}

static const enum lavablas_state states[] = {[LAVA_STATE_READY] = LAVABLAS_STATE_READY,
                                             [LAVA_STATE_NEVER] = LAVABLAS_STATE_NEVER,
                                             [LAVA_STATE_STARTING] = LAVABLAS_STATE_STARTING,
                                             [LAVA_STATE_UNUSED] = LAVABLAS_STATE_UNUSED};

LAVA_EXPORT enum lavablas_state lavablas_state(const char **why) {
    const char *unused;
    return states[lava_state_ask(why ? why : &unused)];
}

LAVA_EXPORT enum lavablas_state lavablas_wait_for(double seconds, const char **why) {
    const char *unused;
    return states[lava_state_await(seconds, why ? why : &unused)];
}

LAVA_EXPORT void lavablas_count_calls(void) {
    lava_state_count_calls();
}

/* Copies as much as there is room for. Returns the length of the whole text; 0: there is none. Frees it. */
static size_t give(char *whole, char *text, size_t size) {
    size_t length = whole ? strlen(whole) : 0, fits = length < size ? length : size - 1;
    if (size > 0) {
        if (whole)
            memcpy(text, whole, fits);
        text[fits] = '\0';
    }
    free(whole);
    return length;
}

LAVA_EXPORT size_t lavablas_report(char *text, size_t size) {
    lava_offload_open();
    return give(lava_report_now(), text, size);
}

LAVA_EXPORT size_t lavablas_settings(char *text, size_t size) {
    char *whole = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&whole, &length);
    if (!stream)
        return give(NULL, text, size);
    lava_settings_put(stream, lava_offload_precision());
    if (fclose(stream)) {
        free(whole);
        whole = NULL;
    }
    return give(whole, text, size);
}

/* LAVA_PRECISION_COUNT: the thread has chosen none. */
static const enum lavablas_precision exported[LAVA_PRECISION_COUNT + 1] = {
    [LAVA_PRECISION_STANDARD] = LAVABLAS_PRECISION_STANDARD,
    [LAVA_PRECISION_IEEE] = LAVABLAS_PRECISION_IEEE,
    [LAVA_PRECISION_FAST] = LAVABLAS_PRECISION_FAST,
    [LAVA_PRECISION_COUNT] = LAVABLAS_PRECISION_DEFAULT};

LAVA_EXPORT int lavablas_set_precision(enum lavablas_precision precision) {
    for (int i = 0; i <= LAVA_PRECISION_COUNT; i++)
        if (exported[i] == precision) {
            lava_offload_set_precision((enum lava_precision)i);
            return 0;
        }
    return -1;
}

LAVA_EXPORT enum lavablas_precision lavablas_precision(void) {
    return exported[lava_offload_precision()];
}

/* Elements as they are have the name of their type. */
static const char *scheme_of(const struct lava_call *call) {
    return call->scheme == LAVA_SCHEME_NONE ? lava_type_name(lava_routine_type(call->routine))
                                            : lava_scheme(call->scheme)->name;
}

LAVA_EXPORT int lavablas_last_call(struct lavablas_call *call) {
    struct lava_call last;
    uint64_t elapsed_ns;
    size_t size = call->size;
    struct lavablas_call answer = {.size = size};
    if (size < offsetof(struct lavablas_call, seconds) + sizeof call->seconds)
        return -1;
    if (!lava_offload_last_call(&last, &elapsed_ns))
        return -1;
    answer.routine = lava_routine_name(last.routine);
    answer.place = last.place == LAVA_PLACE_GPU ? "gpu" : "cpu";
    answer.reason = lava_reason_text(last.reason);
    if (last.valid) {
        answer.m = last.operation.m;
        answer.n = last.operation.n;
        answer.k = last.operation.k;
    }
    answer.seconds = (double)elapsed_ns * 1e-9;
    answer.scheme = scheme_of(&last);
    /* A program compiled with a later header has fields that this library does not know: they become 0. */
    memset(call, 0, size);
    memcpy(call, &answer, size < sizeof answer ? size : sizeof answer);
    return 0;
}

/* A constructor would run in every program that the library is preloaded into, this in every one that ends by
 * exit(): it looks for one variable. */
__attribute__((destructor)) static void end(void) {
    lava_report_end();
}
