/* Imports A and B of a product in host memory, so that pack reads them where the program has them and no copy
 * is made. An import lasts until the stream is closed, at the latest. One user at a time. */
#ifndef LAVA_TRANSPORT_IMPORTS_H
#define LAVA_TRANSPORT_IMPORTS_H

#include "lib/transport/stream.h"

/* Returns the address on the device of the operand's element at host address `at`. Imports the operand when
 * it is asked for the first time. Returns 0 if it is to be copied. The operation is as the caller passed it,
 * and always the same for a stream. */
uint64_t lava_imports_address(struct lava_stream *stream, const struct lava_operation *operation,
                              enum lava_imports imports, bool is_b, const void *at);

#endif
