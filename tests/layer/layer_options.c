/* Reads what the layer is to do. */
#include "tests/layer/layer_options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_LOST (-4)

/* The words with texts, and those with numbers. */
static const struct {
    const char *name;
    size_t offset, bytes;
} texts[] = {
#define TEXT(name)                                                                                           \
    { #name, offsetof(struct layer_options, name), sizeof((struct layer_options *)0)->name }
    TEXT(hang), TEXT(late), TEXT(without), TEXT(hide), TEXT(kind), TEXT(memory), TEXT(count)};
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
#define NUMBER(name)                                                                                         \
    { #name, offsetof(struct layer_options, name) }
    NUMBER(linger),      NUMBER(slow),   NUMBER(shared), NUMBER(range),
    NUMBER(invocations), NUMBER(queues), NUMBER(heap)};

static void set_text(struct layer_options *options, size_t which, const char *value) {
    snprintf((char *)options + texts[which].offset, texts[which].bytes, "%s", value);
}

static bool set(struct layer_options *options, const char *name, const char *value) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strcmp(texts[i].name, name)) {
            set_text(options, i, value);
            return true;
        }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!strcmp(numbers[i].name, name)) {
            *(uint64_t *)(void *)((char *)options + numbers[i].offset) = strtoull(value, NULL, 10);
            return true;
        }
    if (!strcmp(name, "ms"))
        options->hang_ms = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(name, "fail"))
        options->fail_at = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(name, "result"))
        options->result = atoi(value);
    else
        return false;
    return true;
}

void layer_options_read(struct layer_options *options) {
    char text[1024], *rest = text;
    const char *given = getenv("LAVABLAS_TEST_LAYER");
    *options = (struct layer_options){.hang_at = 1, .result = DEVICE_LOST};
    snprintf(text, sizeof text, "%s", given ? given : "");
    for (char *word; (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = 0;
        if (*word && !(value && set(options, word, value))) {
            fprintf(stderr, "LAVABLAS_TEST_LAYER: unknown word: %s\n", word);
            abort();
        }
    }
    char *at = strchr(options->hang, '@');
    if (at) {
        options->hang_at = (unsigned)strtoul(at + 1, NULL, 10);
        *at = 0;
    }
}

bool layer_options_lists(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
            return true;
    return false;
}
