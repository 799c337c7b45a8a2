/* A round of multisection: the interval of each eigenvalue of a real tridiagonal matrix becomes a part of itself. fp32,
 * fp64 (-DLAVA_FP64).
 *
 *   workgroup    LAVA_BISECTION_VALUES eigenvalues
 *   invocation   one of the LAVA_BISECTION_POINTS points that divide an eigenvalue's interval
 *
 * How many eigenvalues are less than a point x is how many pivots of T - x I are negative (Sturm; Kahan, "Accurate
 * eigenvalues of a symmetric tri-diagonal matrix", 1966): t <- d - x - e^2 / t. A pivot that is too small for the division
 * becomes -LEAST, as in LAPACK's ?stebz: the norm is about 1, so that changes T by far less than rounding. Signs are told
 * by the bits: Mesa's compiler for Maxwell and Pascal panics if a constant double is compared (26.1).
 *
 * All invocations read the same elements of D and E at the same time; four of each are on their way at once. */
#version 460
#define LAVA_SHADER_BISECTION
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_BISECTION_VALUES * LAVA_BISECTION_POINTS) in;

layout(buffer_reference, std430, buffer_reference_align = LAVA_WIDTH / 8) buffer Numbers { NUMBER number; };

#ifdef LAVA_FP64
const uint BYTES = 8, LEAST_EXPONENT = 1023 - 900;
bool is_negative(NUMBER number) { return (unpackDouble2x32(number).y & 0x80000000) != 0; }
uint exponent_of(NUMBER number) { return unpackDouble2x32(number).y >> 20 & 0x7ff; }
NUMBER minus_least() { return packDouble2x32(uvec2(0, 0x80000000 | LEAST_EXPONENT << 20)); }
#else
const uint BYTES = 4, LEAST_EXPONENT = 127 - 100;
bool is_negative(NUMBER number) { return (floatBitsToUint(number) & 0x80000000) != 0; }
uint exponent_of(NUMBER number) { return floatBitsToUint(number) >> 23 & 0xff; }
NUMBER minus_least() { return uintBitsToFloat(0x80000000 | LEAST_EXPONENT << 23); }
#endif

shared uint counts[LAVA_BISECTION_VALUES * LAVA_BISECTION_POINTS];

Numbers at(uint64_t vector, uint i) { return Numbers(vector + uint64_t(i) * BYTES); }

/* A step of the count: t is the last pivot. */
void count_pivot(NUMBER diagonal, NUMBER square, NUMBER x, inout NUMBER t, inout uint count)
{
    t = diagonal - x - square / t;
    if (exponent_of(t) < LEAST_EXPONENT)
        t = minus_least();
    count += is_negative(t) ? 1 : 0;
}

uint count_below(NUMBER x)
{
    NUMBER t = NUMBER(1);
    uint count = 0, i = 0;
    for (; i + 4 <= constants.order; i += 4) {
        NUMBER diagonal[4], square[4];
        [[unroll]] for (uint k = 0; k < 4; k++) {
            diagonal[k] = at(constants.diagonal, i + k).number;
            square[k] = at(constants.squares, i + k).number;
        }
        [[unroll]] for (uint k = 0; k < 4; k++)
            count_pivot(diagonal[k], square[k], x, t, count);
    }
    for (; i < constants.order; i++)
        count_pivot(at(constants.diagonal, i).number, at(constants.squares, i).number, x, t, count);
    return count;
}

void main()
{
    uint own = gl_LocalInvocationIndex / LAVA_BISECTION_POINTS, point = gl_LocalInvocationIndex % LAVA_BISECTION_POINTS;
    uint value = gl_WorkGroupID.x * LAVA_BISECTION_VALUES + own;
    bool is_there = value < constants.count;
    NUMBER low = NUMBER(0), step_ = NUMBER(0);
    if (is_there) {
        low = at(constants.low, value).number;
        step_ = (at(constants.high, value).number - low) * (NUMBER(1) / NUMBER(LAVA_BISECTION_POINTS + 1));
        counts[gl_LocalInvocationIndex] = count_below(low + NUMBER(point + 1) * step_);
    }
    barrier();
    /* the part ends at the first point below which there is the eigenvalue */
    if (is_there && point == 0) {
        uint part = 0;
        while (part < LAVA_BISECTION_POINTS && counts[gl_LocalInvocationIndex + part] <= constants.first + value)
            part++;
        if (part < LAVA_BISECTION_POINTS)
            at(constants.high, value).number = low + NUMBER(part + 1) * step_;
        at(constants.low, value).number = low + NUMBER(part) * step_;
    }
}
