/* Which part of K a panel of a triangular operand needs, and whether an element is in the triangle. The operand is op(A)
 * or op(B), and `diagonal` is its first row of op(A), or column of op(B), less its first k, in elements of the matrix.
 * Include after the push constants. */

/* Elements along K, and along the width, that stand for one of the matrix: parts of a complex one are two. */
uint triangle_k_each()
{
    return (constants.triangle & LAVA_TRIANGLE_PARTS) != 0 ? 2 : 1;
}

uint triangle_width_each()
{
    return (constants.triangle & LAVA_TRIANGLE_OF_B) != 0 ? triangle_k_each() : 1;
}

/* Whether the triangle is before the diagonal of a row of op(A), or of a column of op(B). */
bool triangle_is_before()
{
    return (constants.triangle & LAVA_TRIANGLE_BEFORE) != 0;
}

/* K from .x up to, but not including, .y of `count` rows or columns from `first` on. */
uvec2 triangle_range(uint first, uint count, uint all)
{
    uint each = triangle_k_each(), width_each = triangle_width_each();
    int begin = int(first / width_each) + constants.diagonal;
    int end = begin + int(count / width_each);
    if (triangle_is_before())
        return uvec2(0, min(uint(max(end, 0)) * each, all));
    return uvec2(min(uint(max(begin, 0)) * each, all), all);
}
