/* Reasons and plans as text. Called by lib/offload for the log and the statistics, and by `lavablas explain`.
 * Invariant: a description never exceeds the caller's buffer. */
#include <stdarg.h>
#include <stdio.h>

#include "dispatch/policy.h"
#include "dispatch/residue_choice.h"

// clang-format off
static const char *const reasons[LAVA_REASON_COUNT] = {
    [LAVA_REASON_INVALID]      = "invalid arguments",
    [LAVA_REASON_TRIVIAL]      = "nothing to multiply",
    [LAVA_REASON_CUTOFF]       = "below the cut-off",
    [LAVA_REASON_MODE_CPU]     = "the mode is cpu",
    [LAVA_REASON_OFF]          = "the routine is switched off",
    [LAVA_REASON_EARLY]        = "too little multiplied so far to prepare a device",
    [LAVA_REASON_STARTING]     = "the device is still being prepared",
    [LAVA_REASON_MEANWHILE]    = "the device took over from the CPU when it was ready",
    [LAVA_REASON_NO_DEVICE]    = "no usable device",
    [LAVA_REASON_NO_KERNEL]    = "the device has no kernel for this type",
    [LAVA_REASON_FAILED]       = "the device failed earlier",
    [LAVA_REASON_FORKED]       = "a forked child does not own its parent's device",
    [LAVA_REASON_INSIDE]       = "called in the middle of a product of the same thread",
    [LAVA_REASON_ROUNDING]     = "the rounding mode is not to nearest",
    [LAVA_REASON_TRAPS]        = "floating-point exceptions are enabled as traps",
    [LAVA_REASON_OVERLAP]      = "C overlaps A or B",
    [LAVA_REASON_WIDE]         = "the program's LAPACK has 64-bit integers behind this name",
    [LAVA_REASON_UNPROFITABLE] = "the CPU is estimated to be faster",
    [LAVA_REASON_ABSENT]       = "the matrix is not on the device",
    [LAVA_REASON_MEMORY]       = "not even the smallest block fits the memory",
    [LAVA_REASON_HALVES]       = "in halves of K, which need less memory",
    [LAVA_REASON_NOT_DEFINITE] = "the matrix is not positive definite",
    [LAVA_REASON_SINGULAR]     = "the matrix is singular",
    [LAVA_REASON_SCALED]       = "the matrix or the right-hand sides are scaled by LAPACK",
    [LAVA_REASON_LEFT]         = "the numbers need fp64 arithmetic, which the device does not have",
    [LAVA_REASON_UNDERFLOW]    = "numbers are near underflow, and the device flushes subnormals",
    [LAVA_REASON_FAULT]        = "the device failed during the product",
    [LAVA_REASON_PROFITABLE]   = "the GPU is estimated to be faster",
    [LAVA_REASON_FORCED]       = "the mode is gpu",
    [LAVA_REASON_PRODUCTS]     = "its large products are on the GPU, the rest on the CPU",
    [LAVA_REASON_LEARNT_CPU]   = "by earlier products of about this size, the CPU is faster",
    [LAVA_REASON_LEARNT_GPU]   = "by earlier products of about this size, the GPU is faster",
    [LAVA_REASON_TRIAL]        = "a trial, whether what earlier products said still holds",
};
// clang-format on

const char *lava_reason_text(enum lava_reason reason) {
    return (unsigned)reason < LAVA_REASON_COUNT ? reasons[reason] : "unknown";
}

/* A line that is being written. It is truncated to the buffer's size. */
struct line {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...) {
    if (line->length + 1 >= line->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line->text + line->length, line->size - line->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        line->length += (size_t)written;
}

static void append_ms(struct line *line, const char *label, double ns) {
    if (ns > 0)
        append(line, ", %s %.3f ms", label, ns / 1e6);
}

/* Appends "fp32", or "fp16 -> fp32" with C's type if the type allows a choice. */
static void append_types(struct line *line, const struct lava_operation *operation) {
    append(line, "%s", lava_type_name(operation->type));
    if (lava_type_is_half(operation->type))
        append(line, " -> %s", lava_type_name(operation->c.type));
}

static const char *const regions[] = {
    [LAVA_REGION_ALL] = "", [LAVA_REGION_LOWER] = "lower ", [LAVA_REGION_UPPER] = "upper "};

static const char *const structures[] = {[LAVA_STRUCTURE_GENERAL] = "",
                                         [LAVA_STRUCTURE_SYMMETRIC] = "symmetric ",
                                         [LAVA_STRUCTURE_HERMITIAN] = "Hermitian ",
                                         [LAVA_STRUCTURE_TRIANGULAR] = "triangular "};

/* Appends "QR ", "LU and solve 5 sides ", "solve 5 sides by Cholesky " or the like; nothing for a product. */
static void append_kind(struct line *line, const struct lava_operation *operation) {
    const struct lava_kind *kind = lava_operation_row(operation);
    long long sides = (long long)operation->sides.count;
    bool is_wide = kind->wide_text && sides > 0 && operation->m < operation->n;
    const char *name = is_wide ? kind->wide_text : kind->text;
    if (operation->sides.factored)
        append(line, "solve %lld sides by %s ", sides, name);
    else if (sides > 0)
        append(line, "%s and solve %lld sides ", name, sides);
    else
        append(line, "%s%s", name, name[0] ? " " : "");
}

/* Appends the operands that need not go up. */
static void append_stays(struct line *line, const struct lava_operation *operation) {
    bool a = operation->a.is_resident, b = operation->b.is_resident;
    double bytes = lava_operation_operand_bytes(operation) - lava_operation_upload_bytes(operation);
    if (a || b)
        append(line, ", %s: %.1f MiB need not go up",
               a && b ? "A and B stay"
               : a    ? "A stays"
                      : "B stays",
               bytes / 0x1p20);
}

/* Appends "solve upper triangular left " or the like; nothing if all of A and B is stored. */
static void append_structure(struct line *line, const struct lava_operation *operation) {
    const struct lava_operand *structured = lava_operation_structured(operation);
    append_kind(line, operation);
    if (structured)
        append(line, "%s%s%s ", regions[structured->stored], structures[structured->structure],
               structured == &operation->a ? "left" : "right");
    if (operation->twice)
        append(line, "twice ");
}

static void append_sizes(struct line *line, const struct lava_operation *operation) {
    const struct lava_right_sides *sides = &operation->sides;
    bool has_adjoint = sides->op == LAVA_OP_T || (sides->count > 0 && operation->adjoint);
    append(line, "%s%c%c m %lld n %lld k %lld", regions[operation->c.region],
           operation->a.op == LAVA_OP_N && !has_adjoint ? 'N' : 'T', operation->b.op == LAVA_OP_N ? 'N' : 'T',
           (long long)operation->m, (long long)operation->n, (long long)operation->k);
}

static void append_blocks(struct line *line, const struct lava_blocking *blocking) {
    if (blocking->by_strips) {
        append(line, ", %lld strips of %lld", (long long)blocking->blocks_n, (long long)blocking->piece_m);
    } else {
        append(line, ", %lld x %lld x %lld blocks of %lld x %lld", (long long)blocking->blocks_m,
               (long long)blocking->blocks_n, (long long)blocking->blocks_k, (long long)blocking->block_m,
               (long long)blocking->block_n);
        if (blocking->later_n != blocking->block_n)
            append(line, " (then %lld)", (long long)blocking->later_n);
    }
    append(line, " x %lld, split K %u%s, %.1f MiB", (long long)blocking->block_k, blocking->split_k,
           blocking->epilogue ? ", epilogue" : "", (double)blocking->total_bytes / 0x1p20);
}

void lava_policy_describe(const struct lava_operation *operation, const struct lava_plan *plan, char *text,
                          size_t size) {
    struct line line = {.text = text, .size = size};
    if (size)
        text[0] = '\0';
    append_types(&line, operation);
    if (plan->kernel && plan->kernel->scheme != LAVA_SCHEME_NONE)
        append(&line, " by %s", lava_scheme(plan->kernel->scheme)->name);
    if (plan->residues)
        append(&line,
               plan->leaves_tiles ? " by residues (%s, the CPU has what they leave)" : " by residues (%s)",
               plan->residues->name);
    append(&line, " ");
    append_structure(&line, operation);
    append_sizes(&line, operation);
    bool on_gpu = plan->place == LAVA_PLACE_GPU || plan->reason == LAVA_REASON_HALVES;
    append(&line, ": %s (%s)", on_gpu ? "GPU" : "CPU", lava_reason_text(plan->reason));
    append_stays(&line, operation);
    append_ms(&line, "CPU", plan->cpu_ns);
    append_ms(&line, "GPU", plan->gpu_ns);
    if (plan->engines > 1)
        append(&line, " on %u devices, %.3f ms on one", plan->engines, plan->one_ns / 1e6);
    if (!plan->kernel)
        return;
    append(&line, ", profile %s, kernel %s", plan->profile ? plan->profile->label : "none",
           plan->kernel->name);
    if (plan->shape.m)
        append(&line, " of %ux%ux%u", plan->shape.m, plan->shape.n, plan->shape.k);
    append(&line, ", %s, ", lava_tile_order_name(plan->order));
    if (plan->persistent)
        append(&line, "%u persistent workgroups", plan->resident_workgroups);
    else
        append(&line, "a workgroup per tile");
    if (plan->columns.width > 0)
        append(&line, ", by block columns of %lld", (long long)plan->columns.width);
    if (plan->chunks.band > 0)
        append(&line, ", bands of %lld", (long long)plan->chunks.band);
    if (plan->chunks.sides > 0)
        append(&line, ", chunks of %lld, %.1f MiB", (long long)plan->chunks.sides,
               (double)plan->blocking.total_bytes / 0x1p20);
    else
        append_blocks(&line, &plan->blocking);
}
