/* The form of LU's and QR's panels, and of those of the reduction to tridiagonal form, by device and size. */
#include "dispatch/panels.h"
#include "dispatch/tridiagonal.h"
#include "shaders/interface.h"
#include "tests/dispatch/devices.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const struct lava_panel_choice chosen;

static struct lava_capabilities device_with(uint32_t resident_groups) {
    struct lava_capabilities device = device_h200();
    device.resident_groups = resident_groups;
    device.group_exchange = true;
    return device;
}

static enum lava_panel_kind kind; /* of the panels that are tested */

static int64_t each(enum lava_type type, enum lava_panel_form form) {
    const struct lava_capabilities device = device_with(132);
    return lava_panels_invocations(&device, kind, type, form, &chosen);
}

static enum lava_panel_form form_with(const struct lava_capabilities *device, enum lava_type type,
                                      int64_t rows, int64_t columns, bool stalled,
                                      const struct lava_panel_choice *choice) {
    const struct lava_panel_sizes panel = {kind, type, rows, columns};
    return lava_panels_form(device, &panel, stalled, choice);
}

static enum lava_panel_form form_on(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                                    int64_t columns) {
    return form_with(device, type, rows, columns, false, &chosen);
}

/* A device that promises nothing about several workgroups has panels of one; one without subgroups'
 * arithmetic none. */
static void promises(void **state) {
    const struct lava_capabilities plain = device_with(0), one = device_with(1), many = device_with(132);
    struct lava_capabilities silent = many;
    (void)state;
    silent.group_exchange = false;
    for (size_t t = 0; t < COUNT(types); t++) {
        int64_t alone = each(types[t], LAVA_PANEL_ALONE);
        assert_int_equal(form_on(&plain, types[t], 32, 32), LAVA_PANEL_COLUMNS);
        assert_int_equal(form_on(&one, types[t], alone, 32), LAVA_PANEL_ALONE);
        assert_int_equal(form_on(&one, types[t], alone + 1, 32), LAVA_PANEL_COLUMNS);
        assert_int_equal(form_on(&many, types[t], alone + 1, 32), LAVA_PANEL_GRID);
        assert_int_equal(form_on(&silent, types[t], alone + 1, 32), LAVA_PANEL_COLUMNS);
        assert_int_equal(form_with(&many, types[t], alone + 1, 32, true, &chosen), LAVA_PANEL_COLUMNS);
        assert_int_equal(form_with(&many, types[t], alone, 32, true, &chosen), LAVA_PANEL_ALONE);
    }
}

/* No more workgroups than are resident, or than there is scratch for. One column of LU has no room to say
 * that they gave up. */
static void limits(void **state) {
    const struct lava_capabilities few = device_with(5), many = device_with(100000);
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        int64_t rows = each(types[t], LAVA_PANEL_GRID);
        assert_int_equal(form_on(&few, types[t], 5 * rows, 2), LAVA_PANEL_GRID);
        assert_int_equal(form_on(&few, types[t], 5 * rows, 1),
                         kind == LAVA_PANEL_LU ? LAVA_PANEL_COLUMNS : LAVA_PANEL_GRID);
        assert_int_equal(form_on(&few, types[t], 5 * rows + 1, 2), LAVA_PANEL_COLUMNS);
        assert_int_equal(form_on(&many, types[t], LAVA_PANEL_GROUPS * rows, 32), LAVA_PANEL_GRID);
        assert_int_equal(form_on(&many, types[t], LAVA_PANEL_GROUPS * rows + 1, 32), LAVA_PANEL_COLUMNS);
    }
}

/* What is forced happens if it is possible. Workgroups are within the device's and the shader's limits. */
static void forced(void **state) {
    struct lava_capabilities device = device_with(2);
    struct lava_panel_choice choice = {1 + LAVA_PANEL_GRID, 128};
    (void)state;
    device.max_workgroup_invocations = 256;
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 20, 20, false, &choice), LAVA_PANEL_GRID);
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 256, 20, false, &choice), LAVA_PANEL_GRID);
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 257, 20, false, &choice), LAVA_PANEL_COLUMNS);
    choice.form = 1 + LAVA_PANEL_ALONE;
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 128, 20, false, &choice), LAVA_PANEL_ALONE);
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 129, 20, false, &choice), LAVA_PANEL_COLUMNS);
    choice.form = 1 + LAVA_PANEL_COLUMNS;
    assert_int_equal(form_with(&device, LAVA_TYPE_FP32, 32, 20, false, &choice), LAVA_PANEL_COLUMNS);
    choice.invocations = 1;
    assert_int_equal(lava_panels_invocations(&device, kind, LAVA_TYPE_FP32, LAVA_PANEL_GRID, &choice),
                     LAVA_PANEL_LEAST_INVOCATIONS);
    choice.invocations = 4096;
    assert_int_equal(lava_panels_invocations(&device, kind, LAVA_TYPE_FP32, LAVA_PANEL_ALONE, &choice), 256);
    choice.invocations = 100;
    assert_int_equal(lava_panels_invocations(&device, kind, LAVA_TYPE_FP32, LAVA_PANEL_ALONE, &choice), 64);
    assert_int_equal(lava_panels_invocations(&device, kind, LAVA_TYPE_FP32, LAVA_PANEL_COLUMNS, &choice),
                     LAVA_LU_INVOCATIONS);
}

/* QR's workgroups keep their sums in shared memory: if there is little, they are smaller. */
static void little_shared(void **state) {
    struct lava_capabilities device = device_with(132);
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        device.max_shared_bytes = 32768;
        uint32_t wish = lava_panels_invocations(&device, kind, types[t], LAVA_PANEL_ALONE, &chosen);
        assert_int_equal(wish, each(types[t], LAVA_PANEL_ALONE));
        device.max_shared_bytes = 16384;
        uint32_t least = lava_panels_invocations(&device, kind, types[t], LAVA_PANEL_GRID, &chosen);
        assert_true(least >= LAVA_PANEL_LEAST_INVOCATIONS && least <= wish && (least & (least - 1)) == 0);
        assert_int_equal(least < each(types[t], LAVA_PANEL_GRID),
                         kind == LAVA_PANEL_QR && types[t] != LAVA_TYPE_FP32);
    }
}

/* Workgroups of a tridiagonal form's panels wait for each other if they run at the same time, and if columns
 * with dispatches of their own are not faster; if one is forced to work alone it may do so. */
static void together(void **state) {
    const struct lava_capabilities plain = device_with(0), one = device_with(1), many = device_with(132);
    const struct lava_panel_choice columns = {1 + LAVA_PANEL_COLUMNS, 0}, alone = {1 + LAVA_PANEL_ALONE, 0},
                                   grid = {1 + LAVA_PANEL_GRID, 0};
    struct lava_capabilities silent = many, software = one;
    (void)state;
    silent.group_exchange = false;
    software.kind = LAVA_DEVICE_CPU;
    assert_int_equal(lava_tridiagonal_groups(&many, 1, false, &chosen), LAVA_TRIDIAGONAL_PANEL + 1);
    assert_int_equal(lava_tridiagonal_groups(&many, 4096, false, &chosen), 132);
    assert_int_equal(lava_tridiagonal_groups(&many, 8192, false, &chosen), 0);
    assert_int_equal(lava_tridiagonal_groups(&many, 8192, false, &grid), 132);
    assert_int_equal(lava_tridiagonal_groups(&many, 1024, true, &chosen), 0);
    assert_int_equal(lava_tridiagonal_groups(&many, 1024, true, &grid), 0);
    assert_int_equal(lava_tridiagonal_groups(&many, 1024, true, &alone), 1);
    assert_int_equal(lava_tridiagonal_groups(&many, 1024, false, &columns), 0);
    assert_int_equal(lava_tridiagonal_groups(&silent, 100, false, &chosen), 0);
    assert_int_equal(lava_tridiagonal_groups(&plain, 100, false, &alone), 0);
    assert_int_equal(lava_tridiagonal_groups(&one, 100, false, &chosen), 0);
    assert_int_equal(lava_tridiagonal_groups(&software, 100, false, &chosen), 1);
    assert_int_equal(lava_tridiagonal_groups(&software, 1000, false, &chosen), 0);
}

static int of_qr(void **state) {
    (void)state;
    kind = LAVA_PANEL_QR;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises), cmocka_unit_test(limits),
                                       cmocka_unit_test(forced), cmocka_unit_test(little_shared),
                                       cmocka_unit_test(together)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, of_qr, NULL);
}
