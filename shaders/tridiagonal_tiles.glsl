/* The step that multiplies the current column by A, tile by tile, and finds all else that its reflection needs. For
 * tridiagonal_tiles.comp and tridiagonal_panel.comp; included after tridiagonal.glsl. Every element is read once.
 *
 *   task 0       the reflection; then one for each earlier column of the panel; then one for each tile of the triangle
 *   invocation   PART x PART elements of the tile
 *
 * A tile beside the diagonal adds to its rows, and, by its adjoint, to its columns. The sums of a row lie in the
 * scratch, one for each block of columns, so they are added up in the same order every time. */
shared ELEMENT x_of_rows[TILE], x_of_columns[TILE];

uint earlier_columns() { return current - constants.panel; }
uint first_tile() { return 1 + earlier_columns(); }
uint tasks()
{
    uint count = blocks() - (current + 1) / TILE;
    return first_tile() + count * (count + 1) / 2;
}

/* The exponent that scales the column, of x and alpha; the key of x alone is in `largest`. */
uint find_exponent(uint key, ELEMENT alpha)
{
    if (key > 0)
        atomicMax(largest, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
    return scale_exponent(max(largest, key_of(alpha)));
}

/* Adds up two values of each invocation: those of invocation 0. */
void add_up(uint own, inout ELEMENT one, inout ELEMENT other)
{
    const uint LINE = 16;
    shares[own] = one;
    shares[INVOCATIONS + own] = other;
    barrier();
    if (own < 2 * LINE) { /* a line has one of the values */
        uint first = own / LINE * INVOCATIONS + own % LINE;
        ELEMENT sum = shares[first];
        [[unroll]] for (uint i = 1; i < INVOCATIONS / LINE; i++)
            sum += shares[first + i * LINE];
        shares[2 * INVOCATIONS + own] = sum;
    }
    barrier();
    one = shares[2 * INVOCATIONS];
    other = shares[2 * INVOCATIONS + LINE];
    [[unroll]] for (uint i = 1; i < LINE; i++) {
        one += shares[2 * INVOCATIONS + i];
        other += shares[2 * INVOCATIONS + LINE + i];
    }
    barrier();
}

/* What a task reads of vectors at a time: x, and an earlier column of V and W if it multiplies one; of a tile x[0]. */
struct vector_part {
    ELEMENT x[BATCH], v[BATCH], w[BATCH];
};
void read_batch(uint first, uint task, out vector_part got)
{
    [[unroll]] for (uint i = 0; i < BATCH; i++) {
        uint row = first + i * INVOCATIONS;
        bool is_there = row < constants.order;
        row = min(row, constants.order - 1);
        got.x[i] = x_at(row).element;
        if (task > 0) {
            got.v[i] = v_at(row, task - 1).element;
            got.w[i] = v_at(row, PANEL + task - 1).element;
        } else {
            got.v[i] = got.w[i] = ELEMENT(0);
        }
        got.x[i] = is_there ? got.x[i] : ELEMENT(0);
        got.v[i] = is_there ? got.v[i] : ELEMENT(0);
        got.w[i] = is_there ? got.w[i] : ELEMENT(0);
    }
}

/* The norm of what is below alpha, and the reflection. */
void find_reflection(uint own, uint exponent, ELEMENT alpha, vector_part got)
{
    uint c = current + 1, first = c + own;
    const NUMBER scale = power_of_two(exponent);
    ELEMENT square = ELEMENT(0), none = ELEMENT(0);
    for (uint row = first; row < constants.order; row += BATCH * INVOCATIONS) {
        if (row > first)
            read_batch(row, 0, got);
        [[unroll]] for (uint i = 0; i < BATCH; i++) {
            ELEMENT z = i == 0 && row == c ? ELEMENT(0) : got.x[i] * scale;
            square += FROM_REAL(REAL(z) * REAL(z) + IMAGINARY(z) * IMAGINARY(z));
        }
    }
    NUMBER corner = own == 0 ? REAL(at(c, c).element) : NUMBER(0);
    add_up(own, square, none);
    if (own > 0)
        return;
    const reflection h = reflection_of(alpha, largest, exponent, REAL(square));
    write_found(found(h.tau, h.reciprocal, h.scale, h.beta, h.beta * power_of_two(exponent), corner));
}

/* V^H and W^H of an earlier column times the scaled one. */
void multiply_earlier(uint own, uint task, NUMBER scale, vector_part got)
{
    ELEMENT v_x = ELEMENT(0), w_x = ELEMENT(0);
    uint first = current + 1 + own;
    for (uint row = first; row < constants.order; row += BATCH * INVOCATIONS) {
        if (row > first)
            read_batch(row, task, got);
        [[unroll]] for (uint i = 0; i < BATCH; i++) {
            v_x = add_product(CONJUGATE(got.v[i]), got.x[i] * scale, v_x);
            w_x = add_product(CONJUGATE(got.w[i]), got.x[i] * scale, w_x);
        }
    }
    add_up(own, v_x, w_x);
    if (own == 0) {
        dot_at(task - 1).element = v_x;
        dot_at(PANEL + task - 1).element = w_x;
    }
}

/* The tile's elements of an invocation, whose rows and columns are LANES apart; what is not stored is 0. */
void read(uint own, uint row, uint column, out ELEMENT a[PART * PART])
{
    uint first = current + 1, at_row = row + own % LANES, at_column = column + own / LANES;
    const uint64_t begin = uint64_t(at(at_row, at_column));
    const int step = constants.row_step * int(LANES * ELEMENT_BYTES);
    const int64_t column_step = int64_t(constants.column_step) * int(LANES * ELEMENT_BYTES);
    [[unroll]] for (uint j = 0; j < PART; j++)
        [[unroll]] for (uint i = 0; i < PART; i++) {
            uint k = at_row + i * LANES, l = at_column + j * LANES;
            bool is_stored = k < constants.order && l >= first && k >= l;
            uint64_t place = begin + uint64_t(int64_t(j) * column_step + int64_t(int(i) * step));
            ELEMENT z = is_stored ? Target(place).element : ELEMENT(0);
            a[j * PART + i] = k == l ? FROM_REAL(REAL(z)) : z;
        }
}

/* Adds up the shares of TILE rows, or columns: those of the first invocations. */
ELEMENT gather(uint own)
{
    ELEMENT sum = ELEMENT(0);
    barrier();
    if (own < TILE)
        [[unroll]] for (uint i = 0; i < LANES; i += 4)
            sum += (shares[own * PITCH + i] + shares[own * PITCH + i + 1]) +
                   (shares[own * PITCH + i + 2] + shares[own * PITCH + i + 3]);
    barrier();
    return sum;
}

ELEMENT multiply_rows(uint own, ELEMENT a[PART * PART])
{
    [[unroll]] for (uint i = 0; i < PART; i++) {
        ELEMENT sum = ELEMENT(0);
        [[unroll]] for (uint j = 0; j < PART; j++)
            sum = add_product(a[j * PART + i], x_of_columns[own / LANES + j * LANES], sum);
        shares[(own % LANES + i * LANES) * PITCH + own / LANES] = sum;
    }
    return gather(own);
}

/* The adjoint's; of a tile on the diagonal without that. */
ELEMENT multiply_columns(uint own, bool is_diagonal, ELEMENT a[PART * PART])
{
    [[unroll]] for (uint j = 0; j < PART; j++) {
        ELEMENT sum = ELEMENT(0);
        [[unroll]] for (uint i = 0; i < PART; i++) {
            bool is_counted = own % LANES + i * LANES != own / LANES + j * LANES || !is_diagonal;
            ELEMENT z = is_counted ? CONJUGATE(a[j * PART + i]) : ELEMENT(0);
            sum = add_product(z, x_of_rows[own % LANES + i * LANES], sum);
        }
        shares[(own / LANES + j * LANES) * PITCH + own % LANES] = sum;
    }
    return gather(own);
}

/* What the tile adds to x^H A x: TILE products of the first invocations. */
void write_form(uint own, uint tile, ELEMENT x, ELEMENT product, bool is_diagonal)
{
    const uint LINE = 8;
    NUMBER sum = REAL(x) * REAL(product) + IMAGINARY(x) * IMAGINARY(product);
    if (own < TILE)
        numbers[own] = sum;
    barrier();
    if (own < LINE) {
        [[unroll]] for (uint i = 1; i < TILE / LINE; i++)
            sum += numbers[own + i * LINE];
        numbers[own] = sum;
    }
    barrier();
    if (own == 0) {
        [[unroll]] for (uint i = 1; i < LINE; i++)
            sum += numbers[i];
        form_at(tile).number = is_diagonal ? sum : 2 * sum;
    }
    barrier();
}

ELEMENT x_of(uint row)
{
    return row > current && row < constants.order ? x_at(row).element : ELEMENT(0);
}

/* Which tile of the triangle it is: row by row. */
uvec2 place_of(uint tile)
{
    uint row = uint((sqrt(8.0 * float(tile) + 1.0) - 1.0) * 0.5);
    while (row * (row + 1) / 2 > tile)
        row--;
    while ((row + 1) * (row + 2) / 2 <= tile)
        row++;
    return uvec2(row, tile - row * (row + 1) / 2);
}

uvec2 place_of_task(uint task) { return place_of(task - first_tile()) + (current + 1) / TILE; }

/* The tile's elements, if the task is one. */
void read_tile(uint own, uint task, out ELEMENT a[PART * PART])
{
    if (task < first_tile() || task >= tasks())
        return;
    const uvec2 place = place_of_task(task);
    read(own, place.x * TILE, place.y * TILE, a);
}

/* A workgroup's first task has its vectors on the way while the exponent is found, and each later one its tile while
 * the one before it is multiplied. Where many workgroups run on a processor that takes registers which they need, and
 * complex fp64 has not enough of them. */
#if defined(LAVA_GRID) && !(defined(LAVA_FP64) && defined(LAVA_COMPLEX))
const bool READS_AHEAD = true;
#else
const bool READS_AHEAD = false;
#endif

ELEMENT read_x(uint own, uint task)
{
    const uvec2 place = place_of_task(task);
    return own < 2 * TILE ? x_of((own < TILE ? place.x : place.y) * TILE + own % TILE) : ELEMENT(0);
}

void multiply_tile(uint own, uint task, NUMBER scale, ELEMENT x, ELEMENT a[PART * PART])
{
    const uvec2 place = place_of_task(task);
    x = x * scale;
    if (own < TILE)
        x_of_rows[own] = x;
    else if (own < 2 * TILE)
        x_of_columns[own - TILE] = x;
    barrier();
    bool is_diagonal = place.x == place.y;
    ELEMENT rows = multiply_rows(own, a), columns = multiply_columns(own, is_diagonal, a);
    if (is_diagonal)
        rows += columns;
    if (own < TILE) {
        product_at(place.y, place.x * TILE + own).element = rows;
        if (!is_diagonal)
            product_at(place.x, place.y * TILE + own).element = columns;
    }
    write_form(own, task - first_tile(), x, rows, is_diagonal);
}

/* The exponent that scales the column. */
uint scale_of_column(uint own, ELEMENT alpha, uint key)
{
    uint count = groups_left();
    for (uint group = own + INVOCATIONS; group < count; group += INVOCATIONS)
        key = max(key, key_at(group).key);
    return find_exponent(own < count ? key : 0, alpha);
}

/* Every `stride`-th task from the first one on, whose tile has been read. */
void multiply_tasks(uint own, uint first, uint stride, ELEMENT a[PART * PART])
{
    if (first >= tasks())
        return;
    const ELEMENT alpha = x_at(current + 1).element;
    uint key = key_at(min(own, groups_left() - 1)).key;
    vector_part got;
    if (first >= first_tile())
        got.x[0] = read_x(own, first);
    else if (READS_AHEAD)
        read_batch(current + 1 + own, first, got);
    uint exponent = scale_of_column(own, alpha, key);
    for (uint task = first; task < tasks(); task += stride) {
        ELEMENT next[PART * PART];
        if (READS_AHEAD)
            read_tile(own, task + stride, next);
        else if (task > first)
            read_tile(own, task, a);
        if (task < first_tile() && !(READS_AHEAD && task == first))
            read_batch(current + 1 + own, task, got);
        if (task == 0) {
            find_reflection(own, exponent, alpha, got);
        } else if (task < first_tile()) {
            multiply_earlier(own, task, power_of_two(exponent), got);
        } else {
            ELEMENT x = task == first ? got.x[0] : read_x(own, task);
            multiply_tile(own, task, power_of_two(exponent), x, a);
        }
        if (READS_AHEAD)
            a = next;
    }
}
