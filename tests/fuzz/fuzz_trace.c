/* Fuzzes what `lavablas replay` and `lavablas run` read: JSON, and the calls of a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/input.h"
#include "tools/json_reader.h"
#include "tools/shapes.h"

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct shapes shapes = {NULL, 0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    struct json *trace = json_parse(text);
    if (trace && shapes_read(&shapes, trace))
        for (size_t i = 0; i < shapes.count; i++) {
            const struct shape *shape = &shapes.list[i];
            if (shape->m < 1 || shape->n < 1 || shape->k < 1 || shape->calls < 1 || !shape->name)
                abort();
        }
    free(shapes.list);
    json_free(trace);
    free(text);
    return 0;
}
