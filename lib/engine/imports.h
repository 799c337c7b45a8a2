/* Imports A and B of a product in host memory, so that pack reads them where the program has them and no copy
 * is made. An import lasts until the stream is closed, at the latest. One user at a time. */
#ifndef LAVA_ENGINE_IMPORTS_H
#define LAVA_ENGINE_IMPORTS_H

#include "dispatch/imports.h"
#include "lib/vk/memory.h"

struct lava_engine;
struct lava_operation;
struct lava_stream;

/* An operand of the stream's product. Belongs to a stream, which zeroes it. */
struct lava_import {
    enum { LAVA_IMPORT_UNTRIED, LAVA_IMPORT_MADE, LAVA_IMPORT_DECLINED } state;
    struct lava_import_pages pages; /* of the operand */
    struct lava_buffer buffer;      /* empty where the other operand's import has the pages */
    uint64_t address;               /* of the first page, on the device */
};

/* Returns the address on the device of the operand's element at host address `at`. Imports the operand when
 * it is asked for the first time. Returns 0 if it is to be copied. The operation is as the caller passed it,
 * and always the same for a stream. */
uint64_t lava_imports_address(struct lava_stream *stream, const struct lava_operation *operation,
                              enum lava_imports imports, bool is_b, const void *at);

/* Releases the pages, after waiting until the device reads them no more. A device that does not answer keeps
 * them. */
void lava_imports_release(struct lava_stream *stream);

#endif
