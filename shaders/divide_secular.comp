/* The roots of 1 / rho + sum z_j^2 / (d_j - x), the eigenvalues of D + rho z z^T (divide.glsl), as LAPACK's ?laed4: R.-C.
 * Li, "Solving secular equations stably and efficiently", LAPACK working note 89, 1994.
 *
 *            |       /|        /      A root lies between its pole i and the next one. Its distance from the nearer of
 *       -----+------+-+-------+--     the two is found. The function's part of the poles up to i, psi, and of the others,
 *           d_i    /  d_i+1  /        phi, are replaced by simple ones with poles at d_i and d_i+1: the root of their sum
 *                                     is the next step. Steps that leave the bracket, or are slow, are replaced by one to
 *                                     its middle, or to its geometric middle.
 *
 *   workgroup    a root
 *   invocation   every INVOCATIONS-th term; all of them take the same decisions
 *
 * The last root has no next pole. A pole of weight zero stands for it, twice as far away as the root can be. */
#version 460
#define LAVA_SHADER_DIVIDE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_DIVIDE_INVOCATIONS) in;

#include "elements.glsl"
#include "divide.glsl"

/* Half a unit in the last place of 1. */
#ifdef LAVA_FP64
NUMBER unit() { return power_of_two(BIAS - 53); }
#else
NUMBER unit() { return power_of_two(BIAS - 24); }
#endif

/* No number is compared with a constant: common.glsl, IS_ZERO. */
bool is_negative(NUMBER number) { return number < -number; }
bool is_positive(NUMBER number) { return number > -number; }

shared NUMBER psi_shares[INVOCATIONS], phi_shares[INVOCATIONS], psi_slopes[INVOCATIONS], phi_slopes[INVOCATIONS];

struct sums {
    NUMBER psi, phi, psi_slope, phi_slope; /* the poles up to i, and those after it; their derivatives */
};

/* A root, and what is known of it. */
struct root {
    uint first, kept, index; /* of the merge; of its poles */
    NUMBER inverse_rho, origin, gap;
    NUMBER square, next_square; /* of the weights of both poles */
    NUMBER low, high;           /* the bracket of the distance */
    bool is_left;               /* the origin is pole i, else the next one */
};

void add_up(uint own, inout sums s)
{
    psi_shares[own] = s.psi;
    phi_shares[own] = s.phi;
    psi_slopes[own] = s.psi_slope;
    phi_slopes[own] = s.phi_slope;
    for (uint others = INVOCATIONS / 2; others > 0; others /= 2) {
        barrier();
        if (own < others) {
            psi_shares[own] += psi_shares[own + others];
            phi_shares[own] += phi_shares[own + others];
            psi_slopes[own] += psi_slopes[own + others];
            phi_slopes[own] += phi_slopes[own + others];
        }
    }
    barrier();
    s = sums(psi_shares[0], phi_shares[0], psi_slopes[0], phi_slopes[0]);
    barrier();
}

/* without: the terms of both near poles are left out. */
sums evaluate(uint own, root r, NUMBER distance_, bool without)
{
    sums s = sums(NUMBER(0), NUMBER(0), NUMBER(0), NUMBER(0));
    for (uint j = own; j < r.kept; j += INVOCATIONS) {
        NUMBER weight = weight_at(r.first + j);
        NUMBER quotient = weight / difference_of(pole_at(r.first + j), r.origin, distance_);
        NUMBER term = weight * quotient, slope = quotient * quotient;
        if (without && (j == r.index || j == r.index + 1))
            term = slope = NUMBER(0);
        if (j <= r.index) {
            s.psi += term;
            s.psi_slope += slope;
        } else {
            s.phi += term;
            s.phi_slope += slope;
        }
    }
    add_up(own, s);
    return s;
}

NUMBER sum_of_squares(uint own, uint first, uint kept)
{
    sums s = sums(NUMBER(0), NUMBER(0), NUMBER(0), NUMBER(0));
    for (uint j = own; j < kept; j += INVOCATIONS)
        s.psi += weight_at(first + j) * weight_at(first + j);
    add_up(own, s);
    return s.psi;
}

/* Differences of the near poles and the root. */
NUMBER to_pole(root r, NUMBER distance_) { return (r.is_left ? NUMBER(0) : -r.gap) - distance_; }
NUMBER to_next(root r, NUMBER distance_) { return (r.is_left ? r.gap : NUMBER(0)) - distance_; }

/* The smaller or larger root of c x^2 - a x + b, as it is needed here, without cancellation. */
NUMBER solve_quadratic(NUMBER a, NUMBER b, NUMBER c)
{
    NUMBER root_ = sqrt(abs(a * a - 4 * b * c));
    return is_positive(a) ? 2 * b / (a + root_) : (a - root_) / (2 * c);
}

/* Chooses the origin by the function's sign in the middle; returns the first distance. */
NUMBER begin(uint own, merge m, uint index, NUMBER rho, out root r)
{
    bool is_last = index + 1 == m.kept;
    NUMBER pole = pole_at(m.first + index), weight = weight_at(m.first + index), next_weight = NUMBER(0);
    r.first = m.first;
    r.kept = m.kept;
    r.index = index;
    r.inverse_rho = 1 / rho;
    r.origin = pole;
    r.is_left = true;
    r.square = weight * weight;
    if (is_last) {
        r.gap = 2 * rho * sum_of_squares(own, m.first, m.kept);
    } else {
        r.gap = pole_at(m.first + index + 1) - pole;
        next_weight = weight_at(m.first + index + 1);
    }
    r.next_square = next_weight * next_weight;
    NUMBER middle = r.gap * NUMBER(0.5);
    const sums s = evaluate(own, r, middle, true);
    NUMBER c = r.inverse_rho + s.psi + s.phi, both = r.square + r.next_square;
    NUMBER value = c - r.square / middle + r.next_square / middle;
    r.is_left = is_last || is_positive(value);
    r.low = r.is_left ? NUMBER(0) : -middle;
    r.high = r.is_left ? middle : NUMBER(0);
    if (r.is_left)
        return solve_quadratic(c * r.gap + both, r.square * r.gap, c);
    r.origin = pole_at(m.first + index + 1);
    /* The same, seen from the next pole. */
    return -solve_quadratic(both - c * r.gap, r.next_square * r.gap, -c);
}

/* The bracket's middle, between the distances' sizes if these differ by much. */
NUMBER middle_of(root r)
{
    NUMBER small = r.is_left ? r.low : -r.high, large = r.is_left ? r.high : -r.low;
    NUMBER size = is_zero(small)      ? large * NUMBER(0.0625) :
                  large > 4 * small   ? sqrt(small) * sqrt(large) :
                                        small + (large - small) * NUMBER(0.5);
    return r.is_left ? size : -size;
}

bool is_inside(root r, NUMBER distance_) { return distance_ > r.low && distance_ < r.high; }

/* Where the function's two simple parts cancel. middle: Li's middle way; else the weight of the nearer pole is as it is. */
NUMBER next_distance(root r, sums s, NUMBER value, NUMBER distance_, bool middle)
{
    NUMBER near = to_pole(r, distance_), next = to_next(r, distance_), slope = s.psi_slope + s.phi_slope;
    NUMBER c;
    if (middle) {
        c = value - near * s.psi_slope - next * s.phi_slope;
    } else if (r.is_left) {
        c = value - next * slope + r.gap * (r.square / (near * near));
    } else {
        c = value - near * slope - r.gap * (r.next_square / (next * next));
    }
    NUMBER a = (near + next) * value - near * next * slope, b = near * next * value;
    NUMBER step_ = solve_quadratic(a, b, c);
    if (is_zero(c) || is_positive(value * step_))
        step_ = -value / slope;
    return distance_ + step_;
}

NUMBER find(uint own, root r, NUMBER distance_)
{
    bool middle = false;
    uint slow = 0;
    NUMBER before = NUMBER(0);
    if (!is_inside(r, distance_))
        distance_ = middle_of(r);
    for (uint i = 0; i < LAVA_DIVIDE_STEPS; i++) {
        const sums s = evaluate(own, r, distance_, false);
        NUMBER value = r.inverse_rho + s.psi + s.phi;
        NUMBER error = 8 * (s.phi - s.psi + r.inverse_rho) + abs(distance_) * (s.psi_slope + s.phi_slope);
        if (!(abs(value) > unit() * error))
            break;
        if (is_negative(value))
            r.low = distance_;
        else
            r.high = distance_;
        bool is_slow = i > 0 && is_positive(value * before) && 10 * abs(value) > abs(before);
        slow = is_slow ? slow + 1 : 0;
        middle = is_slow ? !middle : middle;
        before = value;
        NUMBER next = next_distance(r, s, value, distance_, middle);
        if (!is_inside(r, next) || slow > 2) {
            slow = 0;
            next = middle_of(r);
        }
        if (!is_inside(r, next)) /* there is no number between */
            break;
        distance_ = next;
    }
    return distance_;
}

void main()
{
    uint own = gl_LocalInvocationIndex, tasks = constants.merges * constants.each;
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        const merge m = merge_at(task / constants.each);
        uint index = task % constants.each;
        if (index >= m.kept)
            continue;
        root r;
        NUMBER start = begin(own, m, index, rho_of(task / constants.each), r);
        NUMBER distance_ = find(own, r, start);
        if (own == 0) {
            result_at(ORIGINS, m.first + index).element = r.origin;
            result_at(DISTANCES, m.first + index).element = distance_;
            result_at(ROOTS, m.first + index).element = r.origin + distance_;
        }
    }
}
