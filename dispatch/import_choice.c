/* Which operands are imported: what their memory must be like, and what has to be faster. Called by policy.c
 * for its estimates and by lib/transport/imports.c, so both decide alike. */
#include "dispatch/import_choice.h"

#include "dispatch/arithmetic.h"

/* Pack reads words of this size. Columns must begin at multiples of it. Complex elements are read part by
 * part. */
#define WORD_BYTES 16
/* At least one in this many of the bytes between a matrix's first and last element must belong to it. The
 * driver's work is in proportion to the pages, the copy's to the elements. */
#define SPARSEST 2
/* An import must be estimated to take less than this share of the copy's time. If both are about as fast,
 * the copy is safer: it depends on no driver. */
#define IMPORT_SHARE 0.9

/* A stored operand in bytes. */
struct extent {
    uint64_t first, column_bytes, columns, pitch; /* pitch: from one column to the next */
    uint64_t word_bytes;
};

static struct extent extent_of(const struct lava_operation *operation, bool is_b) {
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    int64_t rows = is_b ? lava_operation_rows_b(operation) : lava_operation_rows_a(operation);
    int64_t columns = is_b ? lava_operation_columns_b(operation) : lava_operation_columns_a(operation);
    uint64_t element_bytes = lava_type_bytes(operation->type);
    bool is_complex = lava_type_is_complex(operation->type);
    return (struct extent){.first = (uint64_t)(uintptr_t)operand->first,
                           .column_bytes = (uint64_t)rows * element_bytes,
                           .columns = (uint64_t)columns,
                           .pitch = (uint64_t)operand->ld * element_bytes,
                           .word_bytes = is_complex ? element_bytes / 2 : WORD_BYTES};
}

/* Sizes are at least 1. */
static uint64_t span_bytes(const struct extent *extent) {
    return (extent->columns - 1) * extent->pitch + extent->column_bytes;
}

static struct lava_import_pages pages_of(const struct extent *extent, uint64_t page) {
    uint64_t first = extent->first / page * page;
    uint64_t end = (extent->first + span_bytes(extent) + page - 1) / page * page;
    return (struct lava_import_pages){first, end - first};
}

const char *lava_imports_obstacle(const struct lava_operation *operation, bool is_b,
                                  const struct lava_capabilities *device, struct lava_import_pages *pages) {
    uint64_t page = device->import_page_bytes;
    if (page == 0)
        return "the device imports no host memory";
    const struct extent extent = extent_of(operation, is_b);
    const struct lava_import_pages whole = pages_of(&extent, page);
    uint64_t used = extent.columns * extent.column_bytes;
    uint64_t gap = extent.columns > 1 ? extent.pitch - extent.column_bytes : 0;
    bool is_aligned = extent.first % extent.word_bytes == 0 &&
                      (extent.columns == 1 || extent.pitch % extent.word_bytes == 0);
    const struct {
        bool holds;
        const char *why;
    } obstacles[] = {
        {!device->unified_memory, "the device has memory of its own"},
        {operation->on_device, "it is on the device"},
        {operation->series != NULL, "it is one of a batch"},
        {lava_operation_structured(operation) != NULL, "one triangle of A or B is stored"},
        {operation->twice, "it is packed twice"},
        {!is_aligned, "its columns do not begin at multiples of 16 bytes"},
        /* such a page may not exist */
        {gap >= page, "there are pages between its columns"},
        {used < span_bytes(&extent) / SPARSEST, "most of its pages' bytes are not its own"},
        {whole.bytes > device->max_buffer_bytes, "it is larger than a buffer may be"},
    };
    for (size_t i = 0; i < sizeof obstacles / sizeof obstacles[0]; i++)
        if (obstacles[i].holds)
            return obstacles[i].why;
    *pages = whole;
    return NULL;
}

bool lava_imports_pay(const struct lava_device_figures *figures, uint64_t bytes) {
    if (!(figures->import_ns > 0 && figures->import_bytes_per_s > 0 && figures->copy_bytes_per_s > 0))
        return false;
    double import_ns = figures->import_ns + 1e9 * (double)bytes / figures->import_bytes_per_s;
    return import_ns < IMPORT_SHARE * 1e9 * (double)bytes / figures->copy_bytes_per_s;
}

bool lava_imports_choose(const struct lava_operation *operation, bool is_b,
                         const struct lava_capabilities *device, const struct lava_device_figures *figures,
                         enum lava_imports imports, struct lava_import_pages *pages, const char **why) {
    *why = "imports are switched off";
    if (imports == LAVA_IMPORTS_NEVER)
        return false;
    *why = lava_imports_obstacle(operation, is_b, device, pages);
    if (*why || imports == LAVA_IMPORTS_ALWAYS)
        return !*why;
    *why = figures->import_ns > 0 ? "copying is faster" : "the times of imports were not measured";
    return lava_imports_pay(figures, pages->bytes);
}

/* Imports are what A and B cost in full: the device reads the pages when it packs them, which the estimates
 * count in any case. */
double lava_imports_upload_rate(const struct lava_operation *operation,
                                const struct lava_capabilities *device,
                                const struct lava_device_figures *figures, enum lava_imports imports,
                                double copied_bytes_per_s) {
    double bytes = 0, seconds = 0;
    bool imported = false;
    if (!device->unified_memory || imports == LAVA_IMPORTS_NEVER || !(figures->import_ns > 0))
        return copied_bytes_per_s;
    for (int is_b = 0; is_b < (operation->b_is_a ? 1 : 2); is_b++) {
        struct lava_import_pages pages;
        const char *why;
        const struct extent extent = extent_of(operation, is_b);
        double own = (double)extent.columns * (double)extent.column_bytes;
        bytes += own;
        if (lava_imports_choose(operation, is_b, device, figures, imports, &pages, &why)) {
            imported = true;
            seconds += figures->import_ns * 1e-9 + (double)pages.bytes / figures->import_bytes_per_s;
        } else {
            seconds += own / copied_bytes_per_s;
        }
    }
    return imported ? bytes / seconds : copied_bytes_per_s;
}
