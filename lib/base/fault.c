/* Makes the Nth passage of a point fail. lib/vk and lib/engine call lava_fault_hit. Without
 * LAVA_FAULT_INJECTION this file defines nothing, because the header's inline function does. */
#include "lib/base/fault.h"

#ifdef LAVA_FAULT_INJECTION

#    include <limits.h>
#    include <pthread.h>
#    include <stdatomic.h>
#    include <stdlib.h>
#    include <string.h>

#    include "lib/base/config.h"
#    include "lib/base/log.h"

static const char *const point_names[LAVA_FAULT_COUNT] = {
    [LAVA_FAULT_INIT] = "init",
    [LAVA_FAULT_ALLOCATE] = "allocate",
    [LAVA_FAULT_UPLOAD] = "upload",
    [LAVA_FAULT_SUBMIT] = "submit",
    [LAVA_FAULT_WAIT] = "wait",
    [LAVA_FAULT_DEVICE_LOST] = "device_lost",
    [LAVA_FAULT_DOWNLOAD] = "download",
    [LAVA_FAULT_IMPORT] = "import",
    [LAVA_FAULT_VK] = "vk",
};

static atomic_long passages[LAVA_FAULT_COUNT];
/* Passages first..last of each point fail; none fail if first is 0. */
static atomic_long first[LAVA_FAULT_COUNT], last[LAVA_FAULT_COUNT];
static atomic_long came; /* passages that failed, in the whole process */
static atomic_int scope;
static _Thread_local bool is_here; /* the thread has limited the scope */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Reads a decimal number up to the next ':' or the end. */
static bool parse_number(const char **text, long *number) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtol(*text, &end, 10);
    *text = end;
    return *number < LONG_MAX / 2 && (*end == ':' || *end == '\0');
}

static bool parse(const char *text, int *point, long *from, long *count) {
    size_t length = strcspn(text, ":");
    for (*point = 0; *point < LAVA_FAULT_COUNT; ++*point) {
        if (strlen(point_names[*point]) == length && memcmp(point_names[*point], text, length) == 0)
            break;
    }
    if (*point == LAVA_FAULT_COUNT)
        return false;
    text += length;
    *from = 1;
    *count = 1;
    if (*text == ':' && (text++, !parse_number(&text, from)))
        return false;
    if (*text == ':' && (text++, !parse_number(&text, count)))
        return false;
    return *text == '\0' && *from >= 1;
}

static bool apply(const char *specification) {
    int point = 0;
    long from = 0, count = 0;
    if (specification && !parse(specification, &point, &from, &count))
        return false;
    for (int i = 0; i < LAVA_FAULT_COUNT; i++) {
        atomic_store(&first[i], 0);
        atomic_store(&passages[i], 0);
    }
    if (specification) {
        atomic_store(&last[point], count ? from + count - 1 : LONG_MAX);
        atomic_store(&first[point], from);
    }
    return true;
}

static void apply_config(void) {
    const char *specification = lava_config_get()->fault;
    if (!apply(specification))
        lava_log_always("LAVABLAS_FAULT=%s is not understood (expected: POINT[:N[:COUNT]])", specification);
}

bool lava_fault_set(const char *specification) {
    pthread_once(&once, apply_config); /* or the first passage would undo this setting */
    return apply(specification);
}

void lava_fault_limit(enum lava_fault_scope new_scope) {
    is_here = new_scope != LAVA_FAULT_ANYWHERE;
    atomic_store(&scope, new_scope);
}

bool lava_fault_hit(enum lava_fault_point point) {
    int limit = atomic_load(&scope);
    pthread_once(&once, apply_config);
    if (limit != LAVA_FAULT_ANYWHERE && is_here != (limit == LAVA_FAULT_HERE))
        return false;
    long passage = atomic_fetch_add(&passages[point], 1) + 1;
    long from = atomic_load(&first[point]);
    bool fails = from && passage >= from && passage <= atomic_load(&last[point]);
    if (fails)
        atomic_fetch_add(&came, 1);
    return fails;
}

long lava_fault_passages(enum lava_fault_point point) {
    return atomic_load(&passages[point]);
}

long lava_fault_came(void) {
    return atomic_load(&came);
}

#else
typedef int lava_fault_file_is_empty_without_injection;
#endif
