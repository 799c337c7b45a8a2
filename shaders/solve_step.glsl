/* A step of a solve for few right-hand sides (solve.comp, -DLAVA_STEP), which reads, stashes and combines strips as
 * solve.comp does. Included there at the end. */

uint blocks()
{
    return (constants.order + LAVA_SOLVE_ORDER - 1) / LAVA_SOLVE_ORDER;
}

/* The first unknown of a block, which has a number in the order of substitution; and how many it has. */
uint first_of(uint number)
{
    return (is_set(LAVA_SOLVE_REVERSED) ? blocks() - 1 - number : number) * LAVA_SOLVE_ORDER;
}

uint size_of_block(uint first)
{
    return min(LAVA_SOLVE_ORDER, constants.order - first);
}

/* Names the part of T that is read: rows of the block from `own` on, columns of the one from `source` on. */
void enter(uint own, uint source)
{
    bool across = is_set(LAVA_SOLVE_TRANSPOSED);
    uint row = across ? source : own, column = across ? own : source;
    t_begin = constants.a + (uint64_t(column) * constants.lda + row) * ELEMENT_BYTES;
    b_begin = constants.b + own * (is_set(LAVA_SOLVE_BY_ROWS) ? constants.ldb : uint64_t(1)) * ELEMENT_BYTES;
    t_rows = size_of_block(own);
    t_columns = size_of_block(source);
    is_square = own != source;
}

/* The invocation's elements of what strip s of a square is multiplied by: neighbours in B. */
const uint KNOWN = (PIECE * SIDES + INVOCATIONS - 1) / INVOCATIONS;
ELEMENT next_known[KNOWN];

uvec2 known_at(uint i)
{
    uint at = i * INVOCATIONS + gl_LocalInvocationIndex;
    return is_set(LAVA_SOLVE_BY_ROWS) ? uvec2(at / SIDES, at % SIDES) : uvec2(at % PIECE, at / PIECE);
}

void fetch_known(uint source, uint s, uint first)
{
    [[unroll]] for (uint i = 0; i < KNOWN; i++) {
        uvec2 at = known_at(i);
        uint row = stored_at(s * PIECE + at.x, t_columns), side = first + at.y;
        uint64_t element = is_set(LAVA_SOLVE_BY_ROWS) ? uint64_t(source + row) * constants.ldb + side
                                                      : uint64_t(side) * constants.ldb + source + row;
        next_known[i] = ELEMENT(0);
        if (row < t_columns && side < constants.sides && at.x < PIECE && at.y < SIDES)
            next_known[i] = Target(constants.b + element * ELEMENT_BYTES).element;
    }
}

void stash_known()
{
    [[unroll]] for (uint i = 0; i < KNOWN; i++) {
        uvec2 at = known_at(i);
        if (at.x < PIECE && at.y < SIDES)
            solved[at.x * SIDES + at.y] = next_known[i];
    }
}

/* Subtracts what the block before the step's contributes. The triangle's first strip is fetched afterwards. */
void subtract_last(uint own, bool is_next, uint first, uint side, uint piece)
{
    uint source = first_of(constants.step - 1), strips = padded(t_columns) / PIECE;
    for (uint s = 0; s < strips; s++) {
        barrier();
        stash(s);
        stash_known();
        barrier();
        if (s + 1 < strips) {
            fetch(s + 1);
            fetch_known(source, s + 1, first);
        } else if (is_next) {
            enter(own, own);
            fetch(0);
        }
        if (piece < padded(t_rows) / PIECE)
            combine(piece * PIECE_WORDS, s, side);
    }
}

void main()
{
    uint side = gl_LocalInvocationIndex % SIDES, piece = gl_LocalInvocationIndex / SIDES;
    uint groups = (constants.sides + SIDES - 1) / SIDES, count = constants.step > 0 ? blocks() - constants.step : 1;
    for (uint i = gl_WorkGroupID.x; i < count * groups; i += gl_NumWorkGroups.x) {
        uint own = first_of(constants.step + i / groups), first = i % groups * SIDES;
        bool is_next = i < groups;
        enter(own, constants.step > 0 ? first_of(constants.step - 1) : own);
        fetch(0);
        if (constants.step > 0)
            fetch_known(first_of(constants.step - 1), 0, first);
        load(first, side, piece);
        if (constants.step > 0)
            subtract_last(own, is_next, first, side, piece);
        if (is_next)
            pass_triangle(0, side, piece);
        save(first, side, piece);
    }
}
