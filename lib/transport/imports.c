/* Imports operands. Called by lib/product/stages.c for the blocks that are packed, by lib/product/runner.c
 * for those that are copied ahead. stream.c releases the pages.
 *
 * Invariant: both ask here, so a block is either read in place or copied, never both. */
#include "lib/transport/imports.h"

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/engine/engine.h"

static bool has_pages(const struct lava_import *import, const struct lava_import_pages *pages) {
    return import->state == LAVA_IMPORT_MADE && import->pages.first <= pages->first &&
           pages->first + pages->bytes <= import->pages.first + import->pages.bytes;
}

/* Uses the other operand's import if that has all pages: A and B are often the same matrix. */
static bool make(struct lava_stream *stream, bool is_b, struct lava_import *import) {
    const struct lava_import *other = &stream->imports[!is_b];
    uint64_t begin_ns = lava_clock_now_ns();
    if (has_pages(other, &import->pages)) {
        import->address = other->address + (import->pages.first - other->pages.first);
        return true;
    }
    enum lava_status status =
        lava_memory_import(stream->device, import->pages.first, import->pages.bytes, &import->buffer);
    import->address = import->buffer.address;
    LAVA_LOG(DEBUG, "import of %c: %.1f MiB, %s, %.3f ms", is_b ? 'B' : 'A',
             (double)import->pages.bytes / 0x1p20, lava_status_name(status),
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    return !status;
}

static void try_import(struct lava_stream *stream, const struct lava_operation *operation,
                       enum lava_imports imports, bool is_b) {
    const struct lava_figures *figures = stream->engine->figures;
    struct lava_import *import = &stream->imports[is_b];
    const char *why;
    if (!lava_imports_choose(operation, is_b, &stream->device->capabilities, &figures->device, imports,
                             &import->pages, &why))
        LAVA_LOG(DEBUG, "%c is copied: %s", is_b ? 'B' : 'A', why);
    else if (make(stream, is_b, import))
        import->state = LAVA_IMPORT_MADE;
    if (import->state == LAVA_IMPORT_UNTRIED)
        import->state = LAVA_IMPORT_DECLINED;
}

uint64_t lava_imports_address(struct lava_stream *stream, const struct lava_operation *operation,
                              enum lava_imports imports, bool is_b, const void *at) {
    struct lava_import *import = &stream->imports[is_b];
    if (import->state == LAVA_IMPORT_UNTRIED)
        try_import(stream, operation, imports, is_b);
    if (import->state != LAVA_IMPORT_MADE)
        return 0;
    return import->address + ((uint64_t)(uintptr_t)at - import->pages.first);
}
