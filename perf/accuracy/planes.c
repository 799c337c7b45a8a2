/* Splitting and the emulated matrix unit. Called by accuracy.c and screen.c. */
#include "planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_K 16 /* depths that one instruction multiplies */
#define TOP      14 /* exponent of a scaled row's or column's largest element */

/* Splitting */

/* Splits a finite x into result 2^exponent. */
static int64_t take_apart(float x, int *exponent) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int field = (int)(bits >> 23 & 255);
    int64_t significand = (int64_t)(bits & 0x7fffff) | (field ? 0x800000 : 0);
    *exponent = (field ? field : 1) - 150;
    return bits >> 31 ? -significand : significand;
}

/* floor(log2 |x|), or ZERO_EXPONENT for 0. */
static int top_bit(int64_t x) {
    int bit = -1;
    for (uint64_t rest = (uint64_t)(x < 0 ? -x : x); rest; rest >>= 1)
        bit++;
    return bit < 0 ? ZERO_EXPONENT : bit;
}

static int64_t round_to(int64_t x, int shift) {
    if (shift > 40) /* x has 24 bits */
        return 0;
    uint64_t size = (uint64_t)(x < 0 ? -x : x);
    uint64_t kept = size >> shift, lost = size - (kept << shift), half = (uint64_t)1 << shift >> 1;
    if (lost > half || (lost == half && (kept & 1)))
        kept++;
    int64_t result = (int64_t)(kept << shift);
    return x < 0 ? -result : result;
}

/* Splits x 2^shift into planes, and stores the power of each plane. */
static void split(const struct scheme *s, float x, int shift, float plane[], float power[]) {
    int exponent;
    int64_t rest = take_apart(x, &exponent);
    exponent += shift;
    for (int i = 0; i < s->planes; i++) {
        int up = i * s->shift;
        int step = top_bit(rest) + exponent - s->bits + 1; /* exponent of the last kept bit */
        if (step < s->quantum - up)
            step = s->quantum - up;
        int64_t value = rest;
        if (rest != 0 && step > exponent)
            value = round_to(rest, step - exponent);
        rest -= value;
        plane[i] = (float)ldexp((double)value, exponent + up);
        int size = top_bit(value) + exponent + up, least = s->quantum + s->bits - 1;
        power[i] = value == 0 ? 0 : (float)ldexp(1, size < least ? least : size);
    }
}

int planes_exponent(float x) {
    int exponent, bit = top_bit(take_apart(x, &exponent));
    return bit == ZERO_EXPONENT ? ZERO_EXPONENT : bit + exponent;
}

int planes_shift(int top, const float *x, int64_t count, int64_t stride) {
    int largest = ZERO_EXPONENT;
    for (int64_t l = 0; l < count; l++) {
        int exponent = planes_exponent(x[l * stride]);
        largest = exponent > largest ? exponent : largest;
    }
    return largest == ZERO_EXPONENT ? 0 : top - largest;
}

/* Destination of the planes of one operand. */
struct operand {
    float *const *plane, *const *power;
};

static void split_line(const struct scheme *s, int shift, const float *x, int64_t count, int64_t stride,
                       const struct operand *to, int64_t offset) {
    float plane[MAX_PLANES], power[MAX_PLANES];
    for (int64_t l = 0; l < count; l++) {
        split(s, x[l * stride], shift, plane, power);
        for (int i = 0; i < s->planes; i++) {
            to->plane[i][offset + l * stride] = plane[i];
            to->power[i][offset + l * stride] = power[i];
        }
    }
}

void planes_split(const struct scheme *s, const struct problem *p, struct planes *planes) {
    struct operand a = {planes->a, planes->a_power}, b = {planes->b, planes->b_power};
    for (int i = 0; i < p->rows; i++) {
        const float *row = p->a + i * p->k;
        planes->a_shift[i] = s->scaled ? planes_shift(TOP, row, p->k, 1) : 0;
        split_line(s, planes->a_shift[i], row, p->k, 1, &a, i * p->k);
    }
    for (int j = 0; j < COLUMNS; j++) {
        planes->b_shift[j] = s->scaled ? planes_shift(TOP, p->b + j, p->k, COLUMNS) : 0;
        split_line(s, planes->b_shift[j], p->b + j, p->k, COLUMNS, &b, j);
    }
}

void planes_init(struct planes *planes, int64_t largest) {
    for (int i = 0; i < MAX_PLANES; i++) {
        planes->a[i] = problem_floats(largest * ROWS);
        planes->a_power[i] = problem_floats(largest * ROWS);
        planes->b[i] = problem_floats(largest * COLUMNS);
        planes->b_power[i] = problem_floats(largest * COLUMNS);
    }
}

void planes_finish(struct planes *planes) {
    for (int i = 0; i < MAX_PLANES; i++) {
        free(planes->a[i]);
        free(planes->a_power[i]);
        free(planes->b[i]);
        free(planes->b_power[i]);
    }
}

/* The matrix unit */

/* The power of two at or below |x|. */
static double power_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Truncates to an integer; |x| < 2^31. Unlike trunc() this is one instruction everywhere. */
static double cut_to_integer(double x) {
    return (double)(int32_t)x;
}

static double cut_to_fp32(double x) {
    if (fabs(x) < 0x1p-126)
        return cut_to_integer(x * 0x1p149) * 0x1p-149;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)0x1fffffff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Part of a row of a plane of A, and the same depths of a plane of B. */
struct piece {
    const float *a, *a_power, *b, *b_power;
};

static void add_one_by_one(int count, const struct piece *x, double sum[COLUMNS]) {
    for (int l = 0; l < count; l++)
        for (int j = 0; j < COLUMNS; j++)
            sum[j] = (double)(float)(sum[j] + (double)x->a[l] * (double)x->b[l * COLUMNS + j]);
}

/* sum[j] += a[0 ... count) b[0 ... count)[j], adding up to u->length products at once, as the unit does. A
 * product is less than four times its power, so below 2^(fraction + 2) in units of the last kept bit. */
static void add_at_once(const struct unit *u, int count, const struct piece *x, double sum[COLUMNS]) {
    double top[COLUMNS], up[COLUMNS], total[COLUMNS], one = (double)((int64_t)1 << u->fraction);
    for (int j = 0; j < COLUMNS; j++)
        top[j] = power_of(sum[j]);
    for (int l = 0; l < count; l++)
        for (int j = 0; j < COLUMNS; j++) {
            double power = (double)x->a_power[l] * (double)x->b_power[l * COLUMNS + j];
            top[j] = power > top[j] ? power : top[j];
        }
    for (int j = 0; j < COLUMNS; j++) {
        up[j] = top[j] > 0 ? one / top[j] : 0;
        total[j] = cut_to_integer(sum[j] * up[j]);
    }
    for (int l = 0; l < count; l++)
        for (int j = 0; j < COLUMNS; j++)
            total[j] += cut_to_integer((double)x->a[l] * (double)x->b[l * COLUMNS + j] * up[j]);
    for (int j = 0; j < COLUMNS; j++)
        sum[j] = cut_to_fp32(total[j] * (top[j] / one));
}

static bool ends(int64_t at, int64_t k, int64_t every) {
    return at == k || (every > 0 && at % every == 0);
}

static void add_products(const struct unit *unit, int count, const struct piece *x, double sum[COLUMNS]) {
    for (int l = 0; l < count; l += unit->length) {
        struct piece piece = {x->a + l, x->a_power + l, x->b + l * COLUMNS, x->b_power + l * COLUMNS};
        int length = count - l < unit->length ? count - l : unit->length;
        if (unit->fraction == 0)
            add_one_by_one(length, &piece, sum);
        else
            add_at_once(unit, length, &piece, sum);
    }
}

/* Adds all products of depths range[0] ... range[1]. Those of lower planes go to part[1] if they are kept
 * separate. The sum of the previous levels is scaled down to the next level. */
static void multiply_step(const struct method *method, const struct planes *x, const int64_t range[2],
                          int64_t row_start, double part[2][COLUMNS]) {
    const struct scheme *s = method->scheme;
    double shifted[COLUMNS] = {0}, down = ldexp(1, -s->shift);
    double *lower = !s->apart ? part[0] : s->shift ? shifted : part[1];
    int64_t first = range[0];
    for (int t = 0; t < s->products; t++) {
        int pa = s->pair[t][0], pb = s->pair[t][1];
        struct piece piece = {x->a[pa] + row_start + first, x->a_power[pa] + row_start + first,
                              x->b[pb] + first * COLUMNS, x->b_power[pb] + first * COLUMNS};
        add_products(method->unit, (int)(range[1] - first), &piece, pa + pb > 0 ? lower : part[0]);
        bool level_ends = pa + pb > 0 && s->pair[t + 1][0] + s->pair[t + 1][1] < pa + pb;
        for (int j = 0; level_ends && j < COLUMNS; j++)
            shifted[j] *= down;
    }
    for (int j = 0; s->shift && j < COLUMNS; j++)
        part[1][j] = (double)(float)(part[1][j] + shifted[j]);
}

static void multiply_row(const struct method *method, const struct problem *p, const struct planes *x, int i,
                         float c[COLUMNS]) {
    double part[2][COLUMNS] = {{0}};
    float span[COLUMNS] = {0}, whole[COLUMNS] = {0};
    for (int64_t first = 0; first < p->k; first += MATRIX_K) {
        int64_t end = first + MATRIX_K < p->k ? first + MATRIX_K : p->k;
        multiply_step(method, x, (int64_t[]){first, end}, i * p->k, part);
        if (ends(end, p->k, method->sums.chunk)) {
            for (int j = 0; j < COLUMNS; j++)
                span[j] += (float)(part[0][j] + part[1][j]);
            memset(part, 0, sizeof part);
        }
        if (ends(end, p->k, method->sums.span)) {
            for (int j = 0; j < COLUMNS; j++)
                whole[j] += span[j];
            memset(span, 0, sizeof span);
        }
    }
    for (int j = 0; j < COLUMNS; j++) {
        float product = p->alpha * (float)ldexp((double)whole[j], -x->a_shift[i] - x->b_shift[j]);
        double old = (double)p->beta * (double)p->c0[i][j];
        c[j] = p->beta == 0 ? product : (float)((double)product + old);
    }
}

void planes_multiply(const struct method *method, const struct problem *p, const struct planes *planes,
                     float c[ROWS][COLUMNS]) {
    for (int i = 0; i < p->rows; i++)
        multiply_row(method, p, planes, i, c[i]);
}
