/* perf/tune_loop.c: the main loop is found in the assembly of each driver, and its instructions are counted.
 * The lines are from Mesa 26.1.6's output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/tune_loop.h"

/* A loop of copies before, an outer loop around, and a loop with fewer multiplications behind. */
static const char radv[] = "BB0:\n"
                           "\ts_mov_b32 s0, 0                 ; be800080\n"
                           "BB1:\n"
                           "\tglobal_load_b128 v[0:3], v4, s[0:1]  ; dc5e0000\n"
                           "\ts_cbranch_scc1 BB1              ; bfa20000\n"
                           "BB2:\n"
                           "\tv_fma_f32 v1, v2, v3, v1        ; d6130001\n"
                           "BB3:\n"
                           "\tds_load_b128 v[0:3], v9         ; dbfc0000\n"
                           "\tv_dual_fmac_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v5, v6\n"
                           "\tv_fmac_f32_e32 v7, v8, v9       ; 560e1308\n"
                           "\tv_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]\n"
                           "\ts_cbranch_scc0 BB3              ; bfa1fff0\n"
                           "\ts_cbranch_scc0 BB2              ; bfa1ffe0\n"
                           "BB4:\n"
                           "\tv_fma_f32 v1, v2, v3, v1        ; d6130001\n"
                           "\ts_cbranch_scc0 BB4              ; bfa1ffd0\n"
                           "\ts_endpgm                        ; bfb00000\n";
static const char anv[] =
    "mov(16)         g33<1>F         g31<1,1,0>F                     { align1 1H };\n"
    "\n"
    "LABEL6:\n"
    "send(16)        g10UD           g20UD           nullUD          a0.2<0>UD { align1 };\n"
    "                slm MsgDesc: ( load, a32, d32, V4, L1STATE_L3MOCS dst_len = 4 )\n"
    "mad(16)         g40<1>F         g40<8,8,1>F     g10<8,8,1>F     g11<1,1,1>F { align1 };\n"
    "mad(16)         g41<1>D         g41<8,8,1>D     g10<8,8,1>W     g11<1,1,1>W { align1 };\n"
    "(+f0.0) while(16) JIP:  LABEL6                                  { align1 };\n"
    "while(16)       JIP:  LABEL6                                    { align1 };\n";
static const char nvk[] = "block.u 0 L2 [] -> {\n"
                          "    r0 = mov rZ                                    // delay=1\n"
                          "}\n"
                          "block.u 1 L11 [0, 1] -> {\n"
                          " r4..8    = ld.shared.strong.cta.b128 [r2+0x10]       // delay=1\n"
                          " r12..16  = ld.global.a64.constant.b128 [r3..5]       // delay=1\n"
                          " r29      = ffma r4 r5 r29                            // delay=1\n"
                          " r30      = ffma r4 r6 r30                            // delay=1\n"
                          "            bra pT L11                                // delay=1 wt=111111\n"
                          "}\n";

static void counts_each_driver(void **state) {
    (void)state;
    struct tune_loop loop;
    assert_true(tune_loop_count(radv, &loop));
    assert_int_equal(loop.instructions, 5);
    assert_int_equal(loop.fma, 2); /* a dual instruction is one */
    assert_int_equal(loop.matrix, 1);
    assert_int_equal(loop.shared, 1);
    assert_int_equal(loop.memory, 0);
    assert_true(tune_loop_count(anv, &loop));
    assert_int_equal(loop.fma, 1); /* not that of integers */
    assert_int_equal(loop.shared, 1);
    assert_int_equal(loop.memory, 0);
    assert_true(tune_loop_count(nvk, &loop));
    assert_int_equal(loop.fma, 2);
    assert_int_equal(loop.shared, 1);
    assert_int_equal(loop.memory, 1);
}

static void finds_none(void **state) {
    (void)state;
    struct tune_loop loop;
    assert_false(tune_loop_count("", &loop));
    assert_false(tune_loop_count("BB0:\n\ts_endpgm\n", &loop));
    assert_false(tune_loop_count("BB0:\n\tv_mov_b32 v0, 0\n\ts_cbranch_scc0 BB0\n",
                                 &loop)); /* nothing is multiplied */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_each_driver), cmocka_unit_test(finds_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
