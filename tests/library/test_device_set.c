/* Which devices a process uses: every form of LAVABLAS_DEVICE, mixed machines, and the ranks of an MPI job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/vk/device_set.h"

/* Indices:  0 software, 1 integrated, 2 3 5 discrete of a model, 4 discrete of another, 6 lacks something,
 * 7 software */
static const struct lava_device_entry machine[] = {
    {"llvmpipe", LAVA_DEVICE_CPU, true, 0x10005, 0, 1},
    {"Iris", LAVA_DEVICE_INTEGRATED, true, 0x8086, 7, 2},
    {"Fast GPU", LAVA_DEVICE_DISCRETE, true, 0x10de, 1, 3},
    {"Fast GPU", LAVA_DEVICE_DISCRETE, true, 0x10de, 1, 3},
    {"Slow GPU", LAVA_DEVICE_DISCRETE, true, 0x10de, 2, 3},
    {"Fast GPU", LAVA_DEVICE_DISCRETE, true, 0x10de, 1, 3},
    {"Fast GPU", LAVA_DEVICE_DISCRETE, false, 0x10de, 1, 3},
    {"llvmpipe", LAVA_DEVICE_CPU, true, 0x10005, 0, 1},
};
#define MACHINE (uint32_t)(sizeof machine / sizeof machine[0])

struct expected {
    const char *device;
    int rank, ranks;
    const char *found; /* the indices, one digit each */
};

static void check(const struct expected *expected, const struct lava_device_entry *entries, uint32_t count) {
    const struct lava_config config = {
        .device = expected->device, .local_rank = expected->rank, .local_size = expected->ranks};
    uint32_t found[LAVA_DEVICE_SET_MAX];
    char text[LAVA_DEVICE_SET_MAX + 1] = "";
    uint32_t size = lava_device_set_find(&config, entries, count, found);
    assert_true(size <= LAVA_DEVICE_SET_MAX);
    for (uint32_t i = 0; i < size; i++)
        snprintf(text + i, sizeof text - i, "%u", found[i]);
    assert_string_equal(text, expected->found);
}

static void forms(void **state) {
    static const struct expected cases[] = {
        {NULL, -1, 0, "235"},     {"all", -1, 0, "235"}, {"ALL", -1, 0, "235"},     {"cpu", -1, 0, "0"},
        {"cpu:all", -1, 0, "07"}, {"4", -1, 0, "4"},     {"3,2", -1, 0, "32"},      {"2,2,3,2", -1, 0, "23"},
        {"4,2", -1, 0, "4"}, /* of one model */
        {"1,2", -1, 0, "1"}, /* of one model, and the first one is asked for first */
        {"6,5", -1, 0, "5"}, /* 6 cannot be used */
        {"6", -1, 0, ""},         {"9", -1, 0, ""},      {"9,5", -1, 0, "5"},       {"0,7", -1, 0, "07"},
        {"fast", -1, 0, "235"}, /* a part of a name, in either case */
        {"GPU", -1, 0, "235"},    {"slow", -1, 0, "4"},  {"ris", -1, 0, "1"},       {"pipe", -1, 0, "07"},
        {"2,", -1, 0, ""}, /* no list, so it is a part of a name */
        {"2,x", -1, 0, ""},       {",2", -1, 0, ""},     {"9999999999", -1, 0, ""}, {"nothing", -1, 0, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i], machine, MACHINE);
}

static void ranks(void **state) {
    static const struct expected cases[] = {
        {NULL, 0, 1, "235"},                      /* alone on the host */
        {NULL, 0, 2, "2"},    {NULL, 1, 2, "35"}, /* 2 and 4, of two models; 3 and 5 */
        {NULL, 0, 4, "2"},    {NULL, 1, 4, "3"},       {NULL, 2, 4, "4"},     {NULL, 3, 4, "5"},
        {NULL, 0, 6, "2"},    {NULL, 4, 6, "2"},       {NULL, 5, 6, "3"}, /* more ranks than devices */
        {NULL, 0, 0, "2"},    {NULL, 2, 0, "4"},       {NULL, 7, 0, "5"}, /* it is not known how many there
                                                                             are */
        {NULL, 5, 3, "3"},                                                /* what cannot be */
        {"all", 1, 2, "235"}, {"cpu:all", 1, 2, "07"},                    /* whatever others have */
        {"2,3,5", 0, 3, "2"}, {"2,3,5", 2, 3, "5"},    {"2,3,5", 0, 2, "25"}, {"3", 5, 8, "3"},
        {"cpu", 1, 2, "7"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i], machine, MACHINE);
}

/* The machine has three GPUs of the first one's model and one of another, and two software devices. */
static void sharers(void **state) {
    static const struct {
        const char *device;
        int rank, ranks;
        uint32_t sharers;
    } cases[] = {
        {NULL, -1, 0, 1}, {NULL, 0, 0, 1},      {NULL, 0, 1, 1},       {NULL, 1, 4, 1},   {NULL, 0, 6, 2},
        {NULL, 1, 6, 2},  {NULL, 2, 6, 1},      {NULL, 5, 6, 2},       {NULL, 15, 16, 4}, {NULL, 9, 4, 1},
        {"3", 1, 8, 8},   {"2,3,5", 2, 8, 2},   {"2,3,5", 7, 8, 3},    {"all", 1, 4, 4},  {"cpu", 0, 5, 3},
        {"cpu", 3, 5, 2}, {"cpu:all", 3, 5, 5}, {"nothing", 1, 16, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct lava_config config = {
            .device = cases[i].device, .local_rank = cases[i].rank, .local_size = cases[i].ranks};
        assert_int_equal(lava_device_set_sharers(&config, machine, MACHINE), cases[i].sharers);
    }
}

static void small_machines(void **state) {
    static const struct lava_device_entry many[20] = {{"a", LAVA_DEVICE_CPU, true, 1, 1, 1}};
    static const struct expected nothing = {NULL, 0, 2, ""}, integrated = {NULL, -1, 0, "1"},
                                 no_software = {"cpu", 3, 4, ""};
    struct lava_device_entry alike[20];
    uint32_t found[LAVA_DEVICE_SET_MAX];
    (void)state;
    check(&nothing, machine, 0);
    check(&nothing, machine, 1); /* software is not used unasked */
    check(&integrated, machine, 2);
    check(&no_software, machine + 1, 4);
    for (int i = 0; i < 20; i++)
        alike[i] = many[0];
    const struct lava_config config = {.device = "cpu:all", .local_rank = -1};
    assert_int_equal(lava_device_set_find(&config, alike, 20, found), LAVA_DEVICE_SET_MAX);
    for (uint32_t i = 0; i < LAVA_DEVICE_SET_MAX; i++)
        assert_int_equal(found[i], i);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(ranks),
                                       cmocka_unit_test(sharers), cmocka_unit_test(small_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
