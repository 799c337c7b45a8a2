/* Chooses the chunks of a solve, and estimates its time. The blocks on the diagonal have a kernel of their
 * own (lib/lapack/device_solve.h), everything else are products on the device, which are planned like any
 * other. Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/solve.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/bands.h"
#include "dispatch/cost.h"
#include "shaders/interface.h"

/* Time of a block on the diagonal and of the product that follows it, five dispatches with their barriers, as
 * measured on an H200, with LAVA_SOLVE_PASSES: fp32, order 8192, 4.4 ms for 64 right-hand sides, 7.2 for
 * 2048, 14.9 for 8192. For fp64 the estimate is 10% low there: 39.3 ms. */
#define LEAF_NS 68e3
/* The same without products, for few right-hand sides: it depends on the bytes of an element, not on their
 * number. On an H200 solves by steps were faster up to this many bytes of B and of one of its rows (order
 * 1024 to 8192 with 8 to 512 sides, fp32, fp64, cfp64; doc/notes/solves.md). */
#define STEP_NS(type)  (lava_type_bytes(type) > 4 ? 46e3 : 38e3)
#define STEP_ROW_BYTES ((int64_t)2048)
#define STEP_BYTES     ((int64_t)16 << 20)
/* No smaller chunks are tried if memory suffices: their products have too few tiles to fill a device. A
 * starting value. */
#define LEAST_SIDES 512
/* Bands have multiples of this many unknowns, as the transfer of a band's last columns adds to its time. A
 * starting value. */
#define LEAST_BAND 512
/* Chunks have multiples of this many right-hand sides, except for the last. */
#define SIDES_ALIGN 64
/* No chunk has more. An index on the device has 32 bits. */
#define MOST_SIDES ((int64_t)1 << 20)
/* Columns on the device begin at multiples of this. */
#define COLUMN_BYTES 64
/* Chunks that are simulated. They represent the rest. */
#define STEPS_MAX 200

/* What all candidates for a solve share. */
struct request {
    const struct lava_operation *operation;
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    struct lava_overrides overrides; /* memory_bytes is the limit for everything */
    struct lava_solve_sizes sizes;
    lava_kind_product *plan_product;
    struct lava_rates rates;
    struct lava_solve_frame frame;
};

struct lava_solve_sizes lava_solve_sizes(const struct lava_operation *operation) {
    bool on_right = lava_operation_structured(operation) == &operation->b;
    return (struct lava_solve_sizes){
        .on_right = on_right, .order = operation->k, .sides = on_right ? operation->m : operation->n};
}

struct lava_overrides lava_solve_overrides(const struct lava_solve_chunks *chunks, bool on_right) {
    return (struct lava_overrides){.memory_bytes = chunks->product_bytes,
                                   .as_m = on_right ? chunks->as_sides : 0,
                                   .as_n = on_right ? 0 : chunks->as_sides,
                                   .as_bytes = chunks->as_bytes};
}

int64_t lava_trapezoid_count(int64_t columns) {
    return (columns + LAVA_SOLVE_TRAPEZOID - 1) / LAVA_SOLVE_TRAPEZOID;
}

struct lava_trapezoid lava_trapezoid_at(int64_t rows, int64_t columns, enum lava_region stored,
                                        int64_t index) {
    struct lava_trapezoid part = {.column = index * LAVA_SOLVE_TRAPEZOID, .rows = rows};
    part.columns = lava_minimum(LAVA_SOLVE_TRAPEZOID, columns - part.column);
    if (stored == LAVA_REGION_UPPER)
        part.rows = part.column + part.columns;
    if (stored == LAVA_REGION_LOWER) {
        part.row = part.column;
        part.rows = rows - part.row;
    }
    return part;
}

bool lava_solve_fits(const struct lava_capabilities *device, enum lava_type type) {
    return !lava_type_is_half(type) && (lava_type_real(type) != LAVA_TYPE_FP64 || device->fp64) &&
           device->max_shared_bytes >= LAVA_SOLVE_SHARED_BYTES &&
           device->max_workgroup_invocations >= LAVA_SOLVE_INVOCATIONS;
}

double lava_solve_least(const struct lava_capabilities *device, enum lava_type type) {
    bool is_fp64 = lava_type_real(type) == LAVA_TYPE_FP64;
    bool keeps = is_fp64 ? device->special_preserve_fp64 && device->denorm_preserve_fp64
                         : device->special_preserve_fp32 && device->denorm_preserve_fp32;
    return keeps ? 0 : ldexp(1, is_fp64 ? -LAVA_LEAST_EXPONENT_FP64 : -LAVA_LEAST_EXPONENT);
}

uint64_t lava_solve_matrix_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                                 int64_t columns) {
    uint64_t element_bytes = lava_type_bytes(type), bytes;
    uint64_t ld = (uint64_t)lava_blocking_padded(rows, (uint32_t)(COLUMN_BYTES / element_bytes));
    if (__builtin_mul_overflow(ld * element_bytes, (uint64_t)columns, &bytes))
        return UINT64_MAX;
    return bytes > device->max_buffer_bytes ? UINT64_MAX : bytes;
}

static uint64_t matrix_bytes(const struct request *request, int64_t rows, int64_t columns) {
    return lava_solve_matrix_bytes(request->device, request->operation->type, rows, columns);
}

int64_t lava_solve_blocks(int64_t order) {
    return (order + LAVA_SOLVE_ORDER - 1) / LAVA_SOLVE_ORDER;
}

double lava_solve_blocks_ns(int64_t order) {
    return (double)lava_solve_blocks(order) * LEAF_NS;
}

bool lava_solve_goes_by_steps(enum lava_type type, int64_t order, int64_t sides) {
    int64_t row_bytes = (int64_t)lava_type_bytes(type) * lava_minimum(sides, STEP_ROW_BYTES + 1);
    return order > LAVA_SOLVE_ORDER && row_bytes <= STEP_ROW_BYTES && order <= STEP_BYTES / row_bytes;
}

int64_t lava_solve_most_rows(const struct lava_capabilities *device, enum lava_type type) {
    uint64_t slot = device->slot_bytes;
    if (slot == 0 || slot > LAVA_BLOCKING_DOWN_BYTES)
        slot = LAVA_BLOCKING_DOWN_BYTES;
    uint32_t group = LAVA_BLOCKING_RESULT_GROUP;
    return (int64_t)(slot / lava_type_bytes(type)) / group * group;
}

static int64_t chunks_of(const struct request *request, int64_t sides_each) {
    return (request->sizes.sides + sides_each - 1) / sides_each;
}

/* Returns the bytes of all matrices of a solve in chunks, UINT64_MAX if one does not fit a buffer. */
static uint64_t all_matrices_bytes(const struct request *request, const struct lava_solve_chunks *chunks) {
    const struct lava_solve_sizes *sizes = &request->sizes;
    uint64_t a = matrix_bytes(request, sizes->order, sizes->order);
    uint64_t each = sizes->on_right ? matrix_bytes(request, chunks->sides, sizes->order)
                                    : matrix_bytes(request, sizes->order, chunks->sides);
    bool fits = a != UINT64_MAX && each <= (UINT64_MAX - a) / chunks->held;
    return fits ? a + each * chunks->held : UINT64_MAX;
}

/* Returns the most right-hand sides of a chunk. After a failure the CPU goes on with whole columns of a
 * chunk. 0: no column fits. */
static int64_t most_sides(const struct request *request) {
    int64_t rows = lava_solve_most_rows(request->device, request->operation->type);
    if (!request->sizes.on_right)
        return request->sizes.order <= rows ? MOST_SIDES : 0;
    return lava_minimum(rows / SIDES_ALIGN * SIDES_ALIGN, MOST_SIDES);
}

/* The product that subtracts n known unknowns from others. */
static struct lava_operation product_with(const struct request *request, int64_t sides, int64_t unknowns,
                                          int64_t known) {
    const struct lava_operation *solve = request->operation;
    bool on_right = request->sizes.on_right;
    struct lava_operation product = {.type = solve->type,
                                     .precision = solve->precision,
                                     .m = on_right ? sides : unknowns,
                                     .n = on_right ? unknowns : sides,
                                     .k = known,
                                     .c.type = solve->type,
                                     .c.first = LAVA_PLANNED_C,
                                     .alpha.real = -1,
                                     .beta.real = 1,
                                     .on_device = true};
    struct lava_operand a = {.first = LAVA_PLANNED_A, .ld = request->sizes.order};
    struct lava_operand x = {.first = LAVA_PLANNED_B, .ld = on_right ? sides : request->sizes.order};
    a.op = on_right ? solve->b.op : solve->a.op;
    a.conjugate = on_right ? solve->b.conjugate : solve->a.conjugate;
    product.a = on_right ? x : a;
    product.b = on_right ? a : x;
    product.c.ld = x.ld;
    return product;
}

double lava_trapezoid_bytes(enum lava_type type, int64_t order, enum lava_region stored) {
    double n = (double)order, width = fmin(n, LAVA_SOLVE_TRAPEZOID), bytes = (double)lava_type_bytes(type);
    return stored == LAVA_REGION_ALL ? n * n * bytes : n * (n + width) / 2 * bytes;
}

/* Returns the device's time for `sides` right-hand sides and one triangle. */
static double sides_ns(const struct lava_operation *operation, const struct lava_rates *rates, double sides,
                       double flops_per_s) {
    const struct lava_solve_sizes sizes = lava_solve_sizes(operation);
    double leaves = (double)lava_solve_blocks(sizes.order), all = (double)sizes.sides;
    double flops_ns = 1e9 * lava_operation_flops(operation) * (sides / all) / flops_per_s;
    if (lava_solve_goes_by_steps(operation->type, sizes.order, (int64_t)sides))
        return flops_ns + leaves * STEP_NS(operation->type);
    double bytes = sides * (double)sizes.order * (double)lava_type_bytes(operation->type) *
                   LAVA_SOLVE_PASSES * ceil(log2(leaves));
    return flops_ns + 1e9 * bytes / rates->memory_bytes_per_s + lava_solve_blocks_ns(sizes.order);
}

static double solve_ns(const struct request *request, double sides, double flops_per_s) {
    return sides_ns(request->operation, &request->rates, sides, flops_per_s);
}

double lava_solve_device_ns(const struct lava_operation *solve, const struct lava_rates *rates,
                            double flops_per_s) {
    return sides_ns(solve, rates, (double)lava_solve_sizes(solve).sides, flops_per_s);
}

/* Returns the time from host memory to host memory. Two clocks: the bus's, on which the CPU also records, and
 * the compute queue's. A chunk is uploaded when the download of an earlier one has left its matrix. Factors
 * are downloaded before the first chunk. */
static double gpu_ns(const struct request *request, const struct lava_solve_chunks *chunks,
                     double flops_per_s) {
    const struct lava_rates *rates = &request->rates;
    const struct lava_solve_frame *frame = &request->frame;
    int64_t count = chunks_of(request, chunks->sides), steps = lava_minimum(count, STEPS_MAX), carried = 0;
    double side_bytes = (double)request->sizes.order * (double)lava_type_bytes(request->operation->type);
    double start_ns = lava_cost_start_ns(rates), ready_ns[LAVA_SOLVE_HELD];
    double bus_ns = start_ns + 1e9 * frame->upload_bytes / rates->upload_bytes_per_s, begin_ns = bus_ns;
    double factored_ns = bus_ns + frame->factor_ns, compute_ns = factored_ns;
    double factors_ns = 1e9 * frame->factors_bytes / rates->download_bytes_per_s;
    double bytes = (double)lava_minimum(chunks->sides, request->sizes.sides) * side_bytes;
    for (int64_t i = 0; i < steps + LAVA_SOLVE_HELD; i++) {
        if (i == LAVA_SOLVE_HELD && factors_ns > 0)
            bus_ns = fmax(bus_ns, factored_ns) + factors_ns;
        if (i >= LAVA_SOLVE_HELD && carried < steps) {
            bus_ns = fmax(bus_ns, ready_ns[carried++ % LAVA_SOLVE_HELD]) +
                     1e9 * bytes / rates->download_bytes_per_s;
        }
        if (i >= steps)
            continue;
        bus_ns += 1e9 * bytes / rates->upload_bytes_per_s;
        compute_ns =
            fmax(compute_ns, bus_ns) + frame->solves * solve_ns(request, bytes / side_bytes, flops_per_s);
        bus_ns += frame->solves * (double)lava_solve_blocks(request->sizes.order) * LAVA_SOLVE_RECORD_NS;
        compute_ns = ready_ns[i % LAVA_SOLVE_HELD] = fmax(compute_ns, bus_ns);
    }
    /* the last chunk is smaller than the others */
    double share = (double)request->sizes.sides * side_bytes / (bytes * (double)steps);
    double once_ns = frame->factor_ns + factors_ns, chunks_ns = fmax(bus_ns - begin_ns - once_ns, 0);
    double ns = begin_ns + once_ns + chunks_ns * share + lava_cost_last_write_ns(bytes);
    const struct lava_operation parts = lava_operation_of_parts(request->operation);
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

/* Plans the largest product in what the matrices leave, and the solve but for its estimate. */
static enum lava_reason plan_around(const struct request *request, const struct lava_operation *product,
                                    uint64_t matrices_bytes, struct lava_solve_chunks chunks,
                                    struct lava_plan *plan) {
    struct lava_overrides overrides = request->overrides;
    if (matrices_bytes >= overrides.memory_bytes)
        return LAVA_REASON_MEMORY;
    overrides.memory_bytes -= matrices_bytes;
    request->plan_product(product, request->device, request->figures, &overrides, plan);
    if (plan->place != LAVA_PLACE_GPU)
        return plan->reason;
    if (request->sizes.order <= LAVA_SOLVE_ORDER) /* it is one block, without a product */
        plan->blocking = (struct lava_blocking){.products = 1, .split_k = 1};
    chunks.product_bytes = plan->blocking.total_bytes;
    plan->blocking.total_bytes += matrices_bytes;
    plan->chunks = chunks;
    return LAVA_REASON_FORCED;
}

static void keep_faster(const struct lava_plan *plan, struct lava_plan *best) {
    if (!best->kernel || plan->gpu_ns < best->gpu_ns)
        *best = *plan;
}

/* Plans the solve in such chunks. Keeps it in *best if its estimate is lower. Returns FORCED, or why it
 * cannot be. */
static enum lava_reason consider(const struct request *request, int64_t sides_each, struct lava_plan *best) {
    struct lava_solve_chunks chunks = {.sides = sides_each};
    struct lava_plan plan;
    chunks.held = (uint32_t)lava_minimum(chunks_of(request, sides_each), LAVA_SOLVE_HELD);
    /* half of a chunk is updated by the other half */
    int64_t half = lava_blocking_padded((request->sizes.order + 1) / 2, LAVA_SOLVE_ORDER);
    const struct lava_operation product =
        product_with(request, lava_minimum(sides_each, request->sizes.sides), half, half);
    enum lava_reason reason =
        plan_around(request, &product, all_matrices_bytes(request, &chunks), chunks, &plan);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    plan.gpu_ns = gpu_ns(request, &plan.chunks, plan.flops_per_s);
    keep_faster(&plan, best);
    return LAVA_REASON_FORCED;
}

/* Returns the bytes of the bands' matrices, and of X if its rows are collected; UINT64_MAX if they do
 * not fit buffers. */
static uint64_t bands_bytes(const struct request *request, const struct lava_bands *bands) {
    const struct lava_band_block all = lava_band_sides(bands, 0, bands->order, request->sizes.sides);
    uint64_t x = matrix_bytes(request, all.rows, all.columns), a = 0, b = 0, most;
    most = request->device->max_buffer_bytes;
    for (int64_t i = 0; i < lava_bands_count(bands); i++) {
        const struct lava_band band = lava_band_at(bands, i);
        const struct lava_band_block triangle = lava_band_triangle(bands, &band),
                                     sides = lava_band_sides(bands, band.first, band.count, all.columns);
        uint64_t more_a = matrix_bytes(request, triangle.rows, triangle.columns),
                 more_b = bands->on_right ? 0 : matrix_bytes(request, sides.rows, sides.columns);
        if (more_a > most - a || more_b > most - b)
            return UINT64_MAX;
        a += more_a;
        b += more_b;
    }
    return x > most || a > UINT64_MAX - x - b ? UINT64_MAX : x + a + b;
}

/* How often the memory's rate has to pass by the known unknowns that a band's product packs. Estimated from
 * one run: 16 bands of order 8192 packed for 5.2 ms in all, while the solve by halves takes 1.7 (fp32 on an
 * H200, 2026-11-24). */
#define KNOWN_PASSES 9

/* Returns the device's time for a band, with its product. The product packs the known unknowns, and reads and
 * writes the band's; these are copied to X at the end. */
static double band_ns(const struct request *request, const struct lava_bands *bands,
                      const struct lava_band *band, double flops_per_s) {
    double order = (double)bands->order, count = (double)band->count, known = (double)band->known;
    double sides_bytes = (double)request->sizes.sides * (double)lava_type_bytes(request->operation->type);
    double leaves = (double)lava_solve_blocks(band->count),
           share = count * (count + 2 * known) / (order * order);
    double passes = LAVA_SOLVE_PASSES * ceil(log2(leaves)) + (bands->on_right ? 0 : 2) + (known > 0 ? 4 : 0);
    double bytes = sides_bytes * (count * passes + KNOWN_PASSES * known);
    return 1e9 * lava_operation_flops(request->operation) * share / flops_per_s +
           1e9 * bytes / request->rates.memory_bytes_per_s + lava_solve_blocks_ns(band->count);
}

/* The same as gpu_ns, by bands. Uploads come first; a band is solved for when its parts are there, and is
 * downloaded after that and after all uploads. */
static double bands_ns(const struct request *request, const struct lava_bands *bands, double flops_per_s) {
    const struct lava_rates *rates = &request->rates;
    double bytes_each = (double)lava_type_bytes(request->operation->type), ready_ns[LAVA_BANDS_MOST];
    double bus_ns = lava_cost_start_ns(rates), compute_ns = 0, band_bytes = 0;
    bool stays = lava_operation_has_resident(request->operation);
    for (int64_t i = 0; i < lava_bands_count(bands); i++) {
        const struct lava_band band = lava_band_at(bands, i);
        double count = (double)band.count, known = (double)band.known;
        double elements = count * ((double)request->sizes.sides + (stays ? 0 : known + count));
        bus_ns += 1e9 * bytes_each * elements / rates->upload_bytes_per_s;
        bus_ns += (double)lava_solve_blocks(band.count) * LAVA_SOLVE_RECORD_NS;
        compute_ns = fmax(compute_ns, bus_ns) + band_ns(request, bands, &band, flops_per_s);
        ready_ns[i] = compute_ns;
    }
    for (int64_t i = 0; i < lava_bands_count(bands); i++) {
        const struct lava_band band = lava_band_at(bands, i);
        band_bytes = bytes_each * (double)band.count * (double)request->sizes.sides;
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the count is that of the loop before */
        bus_ns = fmax(bus_ns, ready_ns[i]) + 1e9 * band_bytes / rates->download_bytes_per_s;
    }
    const struct lava_operation parts = lava_operation_of_parts(request->operation);
    return fmax(bus_ns + lava_cost_last_write_ns(band_bytes), lava_cost_least_ns(&parts, rates, flops_per_s));
}

/* The same by bands of n unknowns. */
static enum lava_reason consider_bands(const struct request *request, int64_t width, struct lava_plan *best) {
    const struct lava_bands bands = lava_bands_of(request->operation, width);
    const struct lava_solve_chunks chunks = {.sides = request->sizes.sides, .held = 1, .band = width};
    int64_t longest = bands.on_right ? request->sizes.sides : width;
    struct lava_plan plan;
    if (longest > lava_solve_most_rows(request->device, request->operation->type) ||
        request->sizes.sides > MOST_SIDES)
        return LAVA_REASON_MEMORY;
    const struct lava_operation product =
        product_with(request, request->sizes.sides, width, bands.order - width);
    enum lava_reason reason = plan_around(request, &product, bands_bytes(request, &bands), chunks, &plan);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    plan.gpu_ns = bands_ns(request, &bands, plan.flops_per_s);
    keep_faster(&plan, best);
    return LAVA_REASON_FORCED;
}

/* Two to LAVA_BANDS_MOST bands, or as overridden. */
static enum lava_reason try_bands(const struct request *request, struct lava_plan *best) {
    int64_t order = request->sizes.order, asked = request->overrides.band, before = order;
    int64_t least = lava_blocking_padded((order - 1) / LAVA_BANDS_MOST + 1, LAVA_SOLVE_ORDER);
    enum lava_reason reason = LAVA_REASON_MEMORY;
    for (int64_t count = 2; count <= LAVA_BANDS_MOST; count *= 2) {
        int64_t width = lava_blocking_padded((order - 1) / count + 1, LEAST_BAND);
        if (asked > 0)
            width = lava_maximum(least, lava_blocking_padded(asked, LAVA_SOLVE_ORDER));
        if (width < before)
            reason = consider_bands(request, width, best);
        before = width;
    }
    return reason;
}

enum lava_reason lava_solve_plan_within(const struct lava_solve_frame *frame,
                                        const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_overrides *overrides = asked->overrides;
    struct request request = {.operation = asked->operation,
                              .device = asked->device,
                              .figures = asked->figures,
                              .overrides = *overrides,
                              .plan_product = asked->plan_product,
                              .sizes = lava_solve_sizes(asked->operation),
                              .rates =
                                  lava_cost_rates(lava_profiles_find(asked->device), &asked->figures->device),
                              .frame = *frame};
    int64_t most = most_sides(&request), before = 0;
    struct lava_plan best = {.kernel = NULL};
    enum lava_reason reason = LAVA_REASON_MEMORY;
    if (!lava_solve_fits(asked->device, asked->operation->type))
        return LAVA_REASON_NO_KERNEL;
    if (request.overrides.memory_bytes == 0)
        request.overrides.memory_bytes = asked->device->memory_bytes;
    if (frame->has_bands && !overrides->sides_each)
        reason = try_bands(&request, &best);
    for (int64_t chunks = 1; most > 0 && before != SIDES_ALIGN && !overrides->band; chunks *= 2) {
        int64_t sides = lava_blocking_padded((request.sizes.sides - 1) / chunks + 1, SIDES_ALIGN);
        sides = overrides->sides_each ? overrides->sides_each : lava_minimum(sides, most);
        if (best.kernel && before > 0 && (sides < LEAST_SIDES || overrides->sides_each))
            break;
        if (sides != before)
            reason = consider(&request, sides, &best);
        if (reason == LAVA_REASON_NO_KERNEL || overrides->sides_each)
            break;
        before = sides;
    }
    if (!best.kernel)
        return reason;
    best.place = plan->place;
    best.cpu_ns = plan->cpu_ns;
    best.imports = plan->imports;
    *plan = best;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_solve_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation *operation = asked->operation;
    bool stays = lava_operation_has_resident(operation);
    const struct lava_solve_frame alone = {
        .solves = 1,
        .has_bands = true,
        .upload_bytes = stays ? 0 : lava_trapezoid_bytes(operation->type, operation->k, LAVA_REGION_LOWER)};
    return lava_solve_plan_within(&alone, asked, plan);
}
