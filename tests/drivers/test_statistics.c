/* Registers, spills, shared memory, subgroups and cycles, read from what the drivers' compilers say: names
 * and values as they were printed for real pipelines. Mesa 26.1.6's drivers by
 * tests/drivers/driver_pipelines, NVIDIA's 580.159.04 by checkgemm, without the statistics that mean nothing
 * here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/vk/pipelines.h"

#define MAX_STATISTICS 16

// clang-format off
static const struct report {
    const char *pipeline;
    struct {
        const char *name;
        uint64_t value;
    } statistics[MAX_STATISTICS];
    struct lava_pipeline_figures expected;
} reports[] = {
    {"NVIDIA H200 fp32_128x128",
     {{"Register Count", 138}, {"Binary Size", 26368}, {"Stack Size", 0}, {"Local Memory Size", 68719476736},
      {"Shared Memory Size", 32768}},
     {138, 0, 32768, 0, 0}},
    {"NVIDIA, 16 bytes spilled",
     {{"Register Count", 255}, {"Local Memory Size", 68719476752}},
     {255, 16, 0, 0, 0}},
    {"RADV NAVI31 fp32_128x128",
     {{"Driver pipeline hash", 2371065374603784993}, {"SGPRs", 108}, {"VGPRs", 120}, {"Spilled SGPRs", 0},
      {"Spilled VGPRs", 0}, {"Code size", 8744}, {"LDS size", 32768}, {"Scratch size", 0}, {"Latency", 57499},
      {"Pre-Sched SGPRs", 31}, {"Pre-Sched VGPRs", 105}, {"Subgroups per SIMD", 8},
      {"Inverse Throughput", 36298}},
     {120, 0, 32768, 8, 36298}},
    {"RADV, scalar registers kept in vector registers",
     {{"VGPRs", 256}, {"Spilled SGPRs", 12}, {"Spilled VGPRs", 0}, {"Scratch size", 0}},
     {256, 0, 0, 0, 0}},
    {"RADV, 2 vector registers spilled",
     {{"VGPRs", 256}, {"Spilled SGPRs", 0}, {"Spilled VGPRs", 2}, {"Scratch size", 512}},
     {256, 512, 0, 0, 0}},
    {"ANV BMG fp32_128x64, subgroup of 32",
     {{"Instructions", 25183}, {"Code size", 425424}, {"Cycles", 28170002}, {"Spills", 1548}, {"Fills", 2580},
      {"Scratch Memory Size", 0}, {"GRF registers", 0}, {"Max live registers", 770},
      {"Workgroup Memory Size", 24576}, {"Non SSA regs after NIR", 102}, {"Source hash", 872381510}},
     {770, 1548, 24576, 0, 28170002}},
    {"NVK Ampere fp32_128x128",
     {{"Instruction count", 1689}, {"Max warps/SM", 16}, {"Spills to memory", 0}, {"Fills from memory", 0},
      {"Spills to reg", 0}, {"Fills from reg", 0}, {"Number of GPRs", 112}, {"SLM size", 0},
      {"Static cycle count", 81999}},
     {112, 0, 0, 16, 81999}},
    {"NVK, kept in other registers",
     {{"Spills to memory", 0}, {"Spills to reg", 8}, {"Fills from reg", 8}, {"Number of GPRs", 50}},
     {50, 0, 0, 0, 0}},
    {"NVK, 3 registers spilled",
     {{"Spills to memory", 3}, {"Fills from memory", 3}, {"Number of GPRs", 255}, {"SLM size", 16}},
     {255, 16, 0, 0, 0}},
    {"Turnip 740 fp32_128x64",
     {{"Max Waves Per Core", 2}, {"Registers used", 48}, {"Half-registers used", 0}, {"STP Count", 0},
      {"LDP Count", 0}, {"Const file size", 48}},
     {48, 0, 0, 2, 0}},
    {"Turnip 660 fp32_128x64",
     {{"Max Waves Per Core", 2}, {"Registers used", 32}, {"STP Count", 35}, {"LDP Count", 64}},
     {32, 35, 0, 2, 0}},
    {"Honeykrisp M1 fp32_128x64",
     {{"Instructions", 1599}, {"GPRs", 247}, {"Uniforms", 224}, {"Scratch", 0}, {"Spills", 0}, {"Fills", 0}},
     {247, 0, 0, 0, 0}},
    {"a driver that is not known",
     {{"Spilled things", 7}, {"Scratchpad bytes", 5}},
     {0, 7, 0, 0, 0}},
};
// clang-format on

static void reads_every_driver(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        const struct report *report = &reports[i];
        struct lava_pipeline_figures figures = {0};
        print_message("%s\n", report->pipeline);
        for (int j = 0; j < MAX_STATISTICS && report->statistics[j].name; j++)
            lava_pipelines_add_figure(report->statistics[j].name, report->statistics[j].value, &figures);
        assert_int_equal(figures.registers, report->expected.registers);
        assert_int_equal(figures.spilled, report->expected.spilled);
        assert_int_equal(figures.shared_bytes, report->expected.shared_bytes);
        assert_int_equal(figures.subgroups, report->expected.subgroups);
        assert_int_equal(figures.cycles, report->expected.cycles);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_every_driver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
