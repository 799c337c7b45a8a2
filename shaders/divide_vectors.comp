/* The vectors of D + rho z z^T from its poles and roots (divide.glsl). z is replaced by the one for which the roots are
 * exact, by Loewner's formula, so the vectors are orthogonal however close the roots are (M. Gu and S. C. Eisenstat, "A
 * divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem", SIAM J. Matrix Anal. Appl. 16, 1995).
 *
 *   workgroup    mode 0: a weight; mode 1: a vector, a column of S, whose rows are in the order of Q2's columns
 *   invocation   every INVOCATIONS-th factor, or element
 *
 * The weights have a common factor, which the vectors' norms take away. Factors to the left of the diagonal are at most 1
 * and those to its right at least 1. Roots interlace with poles, so no product of some of them leaves the type's range. */
#version 460
#define LAVA_SHADER_DIVIDE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_DIVIDE_INVOCATIONS) in;

#include "elements.glsl"
#include "divide.glsl"

shared NUMBER shares[INVOCATIONS];

void find_weight(uint own, merge m, uint j)
{
    NUMBER pole = pole_at(m.first + j), product = NUMBER(1);
    for (uint i = own; i < m.kept; i += INVOCATIONS) {
        NUMBER difference = difference_of(pole, result_at(ORIGINS, m.first + i).element,
                                          result_at(DISTANCES, m.first + i).element);
        product *= i == j ? -difference : difference / (pole - pole_at(m.first + i));
    }
    shares[own] = product;
    for (uint others = INVOCATIONS / 2; others > 0; others /= 2) {
        barrier();
        if (own < others)
            shares[own] *= shares[own + others];
    }
    barrier();
    if (own == 0) {
        NUMBER root = sqrt(abs(shares[0])), weight = weight_at(m.first + j);
        result_at(NEW_WEIGHTS, m.first + j).element = weight < -weight ? -root : root;
    }
    barrier();
}

NUMBER element_of_vector(merge m, uint j, NUMBER origin, NUMBER distance_)
{
    return result_at(NEW_WEIGHTS, m.first + j).element / difference_of(pole_at(m.first + j), origin, distance_);
}

void find_vector(uint own, merge m, uint i)
{
    NUMBER origin = result_at(ORIGINS, m.first + i).element, distance_ = result_at(DISTANCES, m.first + i).element;
    NUMBER square = NUMBER(0);
    for (uint j = own; j < m.kept; j += INVOCATIONS) {
        NUMBER element = element_of_vector(m, j, origin, distance_);
        square += element * element;
    }
    shares[own] = square;
    for (uint others = INVOCATIONS / 2; others > 0; others /= 2) {
        barrier();
        if (own < others)
            shares[own] += shares[own + others];
    }
    barrier();
    NUMBER norm = better_root(shares[0], sqrt(shares[0])), reciprocal = better_reciprocal(norm, 1 / norm);
    for (uint j = own; j < m.kept; j += INVOCATIONS)
        s_at(m.first + place_of(m.first + j), m.first + i).element =
            element_of_vector(m, j, origin, distance_) * reciprocal;
    barrier();
}

void main()
{
    uint own = gl_LocalInvocationIndex, tasks = constants.merges * constants.each;
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        const merge m = merge_at(task / constants.each);
        uint at = task % constants.each;
        if (at >= m.kept)
            continue;
        if (constants.mode == 0)
            find_weight(own, m, at);
        else
            find_vector(own, m, at);
    }
}
