/* A column of the reduction of a Hermitian matrix to tridiagonal form: finishes the reflection of the column before, and
 * brings this one up to date (tridiagonal.glsl). fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    ROWS rows
 *   invocation   a row, and every PARTS-th of what is summed up for it
 *
 * Every workgroup finds w in row c by itself, in the same order of sums, and w^H v. */
#version 460
#define LAVA_SHADER_TRIDIAGONAL
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_TRIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "tridiagonal.glsl"

const uint ROWS = LAVA_TRIDIAGONAL_ROWS, PARTS = INVOCATIONS / ROWS;
/* Loads that are on their way at a time. */
const uint BATCH = 4;

shared ELEMENT sums[INVOCATIONS], losses[INVOCATIONS];
shared NUMBER numbers[INVOCATIONS];
shared ELEMENT times_v[PANEL], times_w[PANEL], row_v[PANEL], row_w[PANEL]; /* the last two conjugated */
shared uint largest;

NUMBER square_of(ELEMENT z) { return REAL(z) * REAL(z) + IMAGINARY(z) * IMAGINARY(z); }

/* What every row needs of the reflection: w in row c, and what w loses as a multiple of v. */
struct shared_part {
    ELEMENT w;
    NUMBER half_;
};

/* Coefficients of the earlier columns, and their part of row c and of w^H v. */
void multiply_earlier(found h, uint own, uint earlier, inout ELEMENT sum, inout NUMBER form)
{
    if (own < PANEL)
        times_v[own] = times_w[own] = row_v[own] = row_w[own] = ELEMENT(0); /* multiply_row reads all of a batch */
    if (own >= earlier)
        return;
    uint c = constants.column;
    ELEMENT v = v_at(c, own).element, w = v_at(c, PANEL + own).element;
    ELEMENT v_x = dot_at(own).element - CONJUGATE(v) * h.scaled_beta;
    ELEMENT w_x = dot_at(PANEL + own).element - CONJUGATE(w) * h.scaled_beta;
    v_x = add_product(v_x, h.reciprocal, ELEMENT(0));
    w_x = add_product(w_x, h.reciprocal, ELEMENT(0));
    times_v[own] = w_x;
    times_w[own] = v_x;
    row_v[own] = CONJUGATE(v);
    row_w[own] = CONJUGATE(w);
    sum = add_product(-v, w_x, add_product(-w, v_x, sum));
    form -= 2 * (REAL(v_x) * REAL(w_x) + IMAGINARY(v_x) * IMAGINARY(w_x));
}

/* Adds up what all invocations have. */
void add_up(uint own, inout ELEMENT sum, inout NUMBER form)
{
    const uint LINE = 16;
    sums[own] = sum;
    numbers[own] = form;
    barrier();
    if (own < LINE) {
        [[unroll]] for (uint i = 1; i < INVOCATIONS / LINE; i++) {
            sum += sums[own + i * LINE];
            form += numbers[own + i * LINE];
        }
        losses[own] = sum;
        numbers[own] = form;
    }
    barrier();
    sum = losses[0];
    form = numbers[0];
    [[unroll]] for (uint i = 1; i < LINE; i++) {
        sum += losses[i];
        form += numbers[i];
    }
    barrier();
}

shared_part find_shared(found h, uint own, ELEMENT sum, NUMBER form)
{
    uint c = constants.column, first = c / TILE, count = blocks() - first;
    NUMBER square = square_of(h.reciprocal);
    for (uint k = own; k < count; k += INVOCATIONS) {
        ELEMENT product = product_at(first + k, c).element;
        sum = add_product(h.reciprocal, product, sum);
        form -= 2 * square * h.scaled_beta * REAL(product);
    }
    uint tiles = count * (count + 1) / 2;
    for (uint k = own; k < tiles; k += BATCH * INVOCATIONS) {
        NUMBER all = NUMBER(0);
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            all += k + i * INVOCATIONS < tiles ? form_at(k + i * INVOCATIONS).number : NUMBER(0);
        form += square * all;
    }
    add_up(own, sum, form);
    sum = add_product(h.tau, sum - h.reciprocal * (h.scaled_beta * h.corner), ELEMENT(0));
    form += square * h.scaled_beta * h.scaled_beta * h.corner;
    NUMBER half_ = NUMBER(-0.5) * square_of(h.tau) * form;
    return shared_part(sum + FROM_REAL(half_), half_);
}

/* The row's part of A [alpha; x], less what V and W take from it; and what this column loses by them. */
void multiply_row(found h, uint row, uint part, uint earlier, out ELEMENT sum, out ELEMENT loss)
{
    ELEMENT product = ELEMENT(0), taken = ELEMENT(0);
    loss = ELEMENT(0);
    for (uint k = constants.column / TILE + part; k < blocks(); k += BATCH * PARTS)
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            product += k + i * PARTS < blocks() ? product_at(k + i * PARTS, row).element : ELEMENT(0);
    for (uint first = part; first < earlier; first += BATCH * PARTS) {
        ELEMENT v[BATCH], w[BATCH];
        [[unroll]] for (uint i = 0; i < BATCH; i++) {
            bool is_there = first + i * PARTS < earlier;
            v[i] = is_there ? v_at(row, first + i * PARTS).element : ELEMENT(0);
            w[i] = is_there ? v_at(row, PANEL + first + i * PARTS).element : ELEMENT(0);
        }
        [[unroll]] for (uint i = 0; i < BATCH; i++) {
            uint s = min(first + i * PARTS, PANEL - 1);
            taken = add_product(v[i], times_v[s], add_product(w[i], times_w[s], taken));
            loss = add_product(v[i], row_w[s], add_product(w[i], row_v[s], loss));
        }
    }
    sum = add_product(h.reciprocal, product, -taken);
}

/* v and w of the row. a is this column's element, and loses what they take. */
void finish(found h, shared_part all, ELEMENT x, uint row, uint r, uint earlier, inout ELEMENT a)
{
    uint c = constants.column;
    ELEMENT sum = sums[r], loss = losses[r], v = ONE, w = all.w;
    [[unroll]] for (uint part = 1; part < PARTS; part++) {
        sum += sums[part * ROWS + r];
        loss += losses[part * ROWS + r];
    }
    if (row > c) {
        v = add_product(x * h.scale, h.reciprocal, ELEMENT(0));
        sum = add_product(-h.reciprocal * h.scaled_beta, a, sum);
        w = add_product(h.tau, sum, v * all.half_);
    }
    v_at(row, earlier).element = v;
    v_at(row, PANEL + earlier).element = w;
    v_at(row, 2 * PANEL + earlier).element = v;
    at(row, c - 1).element = row > c ? v : FROM_REAL(h.beta);
    if (row == c) {
        element_of_vector(constants.tau, c - 1).element = h.tau;
        element_of_vector(constants.tau + uint64_t(constants.order) * ELEMENT_BYTES, c - 1).element = FROM_REAL(h.beta);
    }
    a = add_product(-v, CONJUGATE(all.w), a - loss - w);
}

/* The norm of what is below alpha, by workgroup. */
void measure(uint own, bool is_below, ELEMENT a)
{
    if (own == 0)
        largest = 0;
    barrier();
    if (is_below)
        atomicMax(largest, key_of(a), gl_ScopeWorkgroup, 0, 0);
    barrier();
    ELEMENT scaled = a * power_of_two(scale_exponent(largest));
    if (own < ROWS)
        numbers[own] = is_below ? square_of(scaled) : NUMBER(0);
    barrier();
    if (own > 0)
        return;
    NUMBER sum = numbers[0];
    [[unroll]] for (uint i = 1; i < ROWS; i++)
        sum += numbers[i];
    key_at(gl_WorkGroupID.x).key = largest;
    square_at(gl_WorkGroupID.x).number = sum;
}

void main()
{
    uint own = gl_LocalInvocationIndex, r = own % ROWS, part = own / ROWS, c = constants.column;
    uint row = (c / ROWS + gl_WorkGroupID.x) * ROWS + r;
    bool is_row = row >= c && row < constants.order, is_first = is_row && part == 0;
    ELEMENT a = is_first ? at(row, c).element : ELEMENT(0), x = is_first ? x_at(row).element : ELEMENT(0);
    if (row == c)
        a = FROM_REAL(REAL(a));
    if ((constants.flags & LAVA_TRIDIAGONAL_FINISHES) != 0) {
        uint earlier = c - 1 - constants.panel;
        const found h = read_found();
        ELEMENT sum = ELEMENT(0), row_sum = ELEMENT(0), loss = ELEMENT(0);
        NUMBER form = NUMBER(0);
        multiply_earlier(h, own, earlier, sum, form);
        barrier();
        if (is_row)
            multiply_row(h, row, part, earlier, row_sum, loss);
        const shared_part all = find_shared(h, own, sum, form);
        sums[own] = row_sum;
        losses[own] = loss;
        barrier();
        if (is_first)
            finish(h, all, x, row, r, earlier, a);
        barrier();
    }
    if ((constants.flags & LAVA_TRIDIAGONAL_BEGINS) == 0)
        return;
    if (is_first && row > c)
        x_at(row).element = a;
    if (is_first && row == c) {
        at(c, c).element = FROM_REAL(REAL(a));
        element_of_vector(constants.diagonal, c).element = FROM_REAL(REAL(a));
    }
    measure(own, is_first && row > c + 1, a);
}
