/* The step that finishes the reflection of the column before, and brings the current one up to date. For
 * tridiagonal_column.comp and tridiagonal_panel.comp; included after tridiagonal.glsl.
 *
 *   workgroup    ROWS rows, those of group g from the column's on
 *   invocation   a row, and every PARTS-th of what is summed up for it
 *
 * Every workgroup finds w in row c by itself, in the same order of sums, and w^H v. */
const uint PARTS = INVOCATIONS / ROWS, EACH = PANEL / PARTS;
const uint LINE = 16; /* invocations that add up what all have */

/* Places in `shares`. */
const uint SUMS = 0, ROW_SUMS = INVOCATIONS, LOSSES = 2 * INVOCATIONS, LINES = 3 * INVOCATIONS;
/* Coefficients of the earlier columns, and row c of V and W, conjugated. */
const uint TIMES_V = LINES + LINE, TIMES_W = TIMES_V + PANEL, ROW_V = TIMES_W + PANEL, ROW_W = ROW_V + PANEL;

shared NUMBER line_numbers[LINE];

NUMBER square_of(ELEMENT z) { return REAL(z) * REAL(z) + IMAGINARY(z) * IMAGINARY(z); }

/* Where an invocation is. */
struct place {
    uint row, r, part;
    bool is_row, is_first;
};
place place_of_group(uint own, uint group)
{
    uint r = own % ROWS, part = own / ROWS, row = (current / ROWS + group) * ROWS + r;
    bool is_row = row >= current && row < constants.order;
    return place(row, r, part, is_row, is_row && part == 0);
}

/* What does not depend on the tiles: the earlier columns of V and W in the row, of which the invocation has every
 * PARTS-th, and in row c, of which it has one. */
struct earlier_part {
    ELEMENT a, x;
    ELEMENT v[EACH], w[EACH];
    ELEMENT corner_v, corner_w;
};
earlier_part read_earlier(uint own, uint group)
{
    const place here = place_of_group(own, group);
    uint earlier = current - 1 - constants.panel, row = min(here.row, constants.order - 1);
    earlier_part got;
    got.a = here.is_first ? at(here.row, current).element : ELEMENT(0);
    got.x = ELEMENT(0);
    got.corner_v = got.corner_w = ELEMENT(0);
    [[unroll]] for (uint i = 0; i < EACH; i++)
        got.v[i] = got.w[i] = ELEMENT(0);
    if (current == constants.panel)
        return got;
    got.x = here.is_first ? x_at(row).element : ELEMENT(0);
    if (own < earlier) {
        got.corner_v = v_at(current, own).element;
        got.corner_w = v_at(current, PANEL + own).element;
    }
    [[unroll]] for (uint i = 0; i < EACH; i++)
        if (here.part + i * PARTS < earlier) {
            got.v[i] = v_at(row, here.part + i * PARTS).element;
            got.w[i] = v_at(row, PANEL + here.part + i * PARTS).element;
        }
    return got;
}

/* What the tiles left for the invocation; all of it is on its way at the same time. Elements that do not exist are read
 * elsewhere, and not used. */
struct tiles_part {
    ELEMENT v_x, w_x;
    ELEMENT corner; /* of row c, a block's */
    ELEMENT products[BATCH];
    NUMBER forms[BATCH];
};
uint tiles_left()
{
    uint count = blocks() - current / TILE;
    return count * (count + 1) / 2;
}
tiles_part read_tiles(uint own, uint row, uint part)
{
    uint first = current / TILE, last = blocks() - 1;
    tiles_part got;
    got.v_x = dot_at(min(own, PANEL - 1)).element;
    got.w_x = dot_at(PANEL + min(own, PANEL - 1)).element;
    got.corner = product_at(min(first + own, last), current).element;
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        got.products[i] = product_at(min(first + part + i * PARTS, last), min(row, constants.order - 1)).element;
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        got.forms[i] = form_at(min(own + i * INVOCATIONS, tiles_left() - 1)).number;
    return got;
}

/* Leaves the coefficients; adds the earlier columns' part of row c and of w^H v. */
void multiply_corner(found h, uint own, uint earlier, earlier_part row_c, tiles_part got, inout ELEMENT sum,
                     inout NUMBER form)
{
    ELEMENT v = row_c.corner_v, w = row_c.corner_w;
    if (own < PANEL)
        shares[TIMES_V + own] = shares[TIMES_W + own] = shares[ROW_V + own] = shares[ROW_W + own] =
            ELEMENT(0); /* add_earlier reads all of them */
    if (own >= earlier)
        return;
    ELEMENT v_x = got.v_x - CONJUGATE(v) * h.scaled_beta;
    ELEMENT w_x = got.w_x - CONJUGATE(w) * h.scaled_beta;
    v_x = add_product(v_x, h.reciprocal, ELEMENT(0));
    w_x = add_product(w_x, h.reciprocal, ELEMENT(0));
    shares[TIMES_V + own] = w_x;
    shares[TIMES_W + own] = v_x;
    shares[ROW_V + own] = CONJUGATE(v);
    shares[ROW_W + own] = CONJUGATE(w);
    sum = add_product(-v, w_x, add_product(-w, v_x, sum));
    form -= 2 * (REAL(v_x) * REAL(w_x) + IMAGINARY(v_x) * IMAGINARY(w_x));
}

/* The invocation's part of row c of A [alpha; x], and of x^H A x. */
void add_tiles(found h, uint own, tiles_part got, inout ELEMENT sum, inout NUMBER form)
{
    uint first = current / TILE, count = blocks() - first, tiles = tiles_left();
    NUMBER square = square_of(h.reciprocal);
    for (uint k = own; k < count; k += INVOCATIONS) {
        ELEMENT product = k == own ? got.corner : product_at(first + k, current).element;
        sum = add_product(h.reciprocal, product, sum);
        form -= 2 * square * h.scaled_beta * REAL(product);
    }
    NUMBER all = NUMBER(0);
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        all += own + i * INVOCATIONS < tiles ? got.forms[i] : NUMBER(0);
    for (uint k = own + BATCH * INVOCATIONS; k < tiles; k += BATCH * INVOCATIONS)
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            all += k + i * INVOCATIONS < tiles ? form_at(k + i * INVOCATIONS).number : NUMBER(0);
    form += square * all;
}

/* The row's part of A [alpha; x]. */
ELEMENT add_blocks(uint row, uint part, tiles_part got)
{
    ELEMENT product = ELEMENT(0);
    uint first = current / TILE + part;
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        product += first + i * PARTS < blocks() ? got.products[i] : ELEMENT(0);
    for (uint k = first + BATCH * PARTS; k < blocks(); k += BATCH * PARTS)
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            product += k + i * PARTS < blocks() ? product_at(k + i * PARTS, row).element : ELEMENT(0);
    return product;
}

/* Leaves what V and W take from the row's part, and what this column loses by them. */
void add_earlier(found h, uint own, uint part, earlier_part got, ELEMENT product)
{
    ELEMENT taken = ELEMENT(0), loss = ELEMENT(0);
    [[unroll]] for (uint i = 0; i < EACH; i++) {
        uint s = part + i * PARTS;
        taken = add_product(got.v[i], shares[TIMES_V + s], add_product(got.w[i], shares[TIMES_W + s], taken));
        loss = add_product(got.v[i], shares[ROW_W + s], add_product(got.w[i], shares[ROW_V + s], loss));
    }
    shares[ROW_SUMS + own] = add_product(h.reciprocal, product, -taken);
    shares[LOSSES + own] = loss;
}

/* What every row needs of the reflection: w in row c, and what w loses as a multiple of v. */
struct shared_part {
    ELEMENT w;
    NUMBER half_;
};

void add_lines(uint own)
{
    if (own >= LINE)
        return;
    ELEMENT sum = shares[SUMS + own];
    NUMBER form = numbers[own];
    [[unroll]] for (uint i = 1; i < INVOCATIONS / LINE; i++) {
        sum += shares[SUMS + own + i * LINE];
        form += numbers[own + i * LINE];
    }
    shares[LINES + own] = sum;
    line_numbers[own] = form;
}

shared_part find_shared(found h)
{
    ELEMENT sum = shares[LINES];
    NUMBER form = line_numbers[0], square = square_of(h.reciprocal);
    [[unroll]] for (uint i = 1; i < LINE; i++) {
        sum += shares[LINES + i];
        form += line_numbers[i];
    }
    sum = add_product(h.tau, sum - h.reciprocal * (h.scaled_beta * h.corner), ELEMENT(0));
    form += square * h.scaled_beta * h.scaled_beta * h.corner;
    NUMBER half_ = NUMBER(-0.5) * square_of(h.tau) * form;
    return shared_part(sum + FROM_REAL(half_), half_);
}

/* v and w of the row. Returns this column's element, which loses what they take. */
ELEMENT finish(found h, const place here, uint earlier, ELEMENT a, ELEMENT x)
{
    uint row = here.row, c = current;
    const shared_part all = find_shared(h);
    ELEMENT sum = shares[ROW_SUMS + here.r], loss = shares[LOSSES + here.r], v = ONE, w = all.w;
    [[unroll]] for (uint part = 1; part < PARTS; part++) {
        sum += shares[ROW_SUMS + part * ROWS + here.r];
        loss += shares[LOSSES + part * ROWS + here.r];
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
    return add_product(-v, CONJUGATE(all.w), a - loss - w);
}

/* The column is known: writes it, and the key of what is below alpha. */
void begin(uint own, uint group, const place here, ELEMENT a)
{
    if (here.is_first && here.row > current)
        x_at(here.row).element = a;
    if (here.is_first && here.row == current) {
        at(current, current).element = FROM_REAL(REAL(a));
        element_of_vector(constants.diagonal, current).element = FROM_REAL(REAL(a));
    }
    uint key = here.is_first && here.row > current + 1 ? key_of(a) : 0;
    if (key > 0)
        atomicMax(largest, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
    if (own == 0)
        key_at(group).key = largest;
}

/* finishes: there is a reflection of the column before; begins: the column belongs to the panel. */
void make_column(uint own, uint group, bool finishes, bool begins, earlier_part got)
{
    const place here = place_of_group(own, group);
    ELEMENT a = here.row == current ? FROM_REAL(REAL(got.a)) : got.a;
    if (finishes) {
        uint earlier = current - 1 - constants.panel;
        const found h = read_found();
        const tiles_part tiles = read_tiles(own, here.row, here.part);
        ELEMENT sum = ELEMENT(0);
        NUMBER form = NUMBER(0);
        multiply_corner(h, own, earlier, got, tiles, sum, form);
        ELEMENT product = here.is_row ? add_blocks(here.row, here.part, tiles) : ELEMENT(0);
        add_tiles(h, own, tiles, sum, form);
        shares[SUMS + own] = sum;
        numbers[own] = form;
        barrier();
        add_lines(own);
        add_earlier(h, own, here.part, got, product);
        barrier();
        if (here.is_first)
            a = finish(h, here, earlier, a, got.x);
    }
    if (begins)
        begin(own, group, here, a);
}
