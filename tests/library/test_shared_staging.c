/* Slots that the members of a crew share: who copies and who reads, when a slot may be filled anew, and what
 * becomes of it when a member or a device is lost. No device is needed: a member is its bit and its threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/engine/shared_staging.h"
#include "lib/vk/device.h"

#define SLOT_BYTES (UINT64_C(1) << 16)
#define ROWS       64
#define COLUMNS    3

static double chunks[LAVA_SHARED_SLOTS + 1][ROWS * COLUMNS];
static struct lava_copy_pool *pools[2];

static int create_pools(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        if (!(pools[i] = lava_copy_pool_create(2)))
            return -1;
    for (int i = 0; i <= LAVA_SHARED_SLOTS; i++)
        for (int j = 0; j < ROWS * COLUMNS; j++)
            chunks[i][j] = i * 1000 + j;
    return 0;
}

static int destroy_pools(void **state) {
    (void)state;
    lava_copy_pool_destroy(pools[0]);
    lava_copy_pool_destroy(pools[1]);
    return 0;
}

static struct lava_shared_member member_of(unsigned number) {
    return (struct lava_shared_member){.bit = UINT32_C(1) << number, .pool = pools[number]};
}

static enum lava_shared_use take(struct lava_shared_member *member, int chunk, uint32_t *slot) {
    return lava_shared_staging_take(member, chunks[chunk], ROWS, COLUMNS, slot);
}

/* Takes a chunk that nobody has, and copies it. */
static uint32_t take_and_copy(struct lava_shared_member *member, int chunk) {
    uint32_t slot;
    assert_int_equal(take(member, chunk, &slot), LAVA_SHARED_COPY);
    const struct lava_copy copy = {.source = chunks[chunk],
                                   .source_ld = ROWS,
                                   .target = lava_shared_staging_address(slot),
                                   .target_ld = ROWS,
                                   .rows = ROWS,
                                   .columns = COLUMNS};
    lava_shared_staging_offer(member, slot, lava_copy_pool_copy(member->pool, &copy, sizeof(double)));
    return slot;
}

static void assert_holds(uint32_t slot, int chunk) {
    assert_memory_equal(lava_shared_staging_address(slot), chunks[chunk], sizeof chunks[chunk]);
}

static void one_crew_at_a_time(void **state) {
    (void)state;
    assert_false(lava_shared_staging_begin(SLOT_BYTES, 33)); /* more than a set has */
    assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
    assert_false(lava_shared_staging_begin(SLOT_BYTES, 2));
    lava_shared_staging_end();
    assert_true(lava_shared_staging_begin(2 * SLOT_BYTES, 32)); /* nobody has imported the other */
    lava_shared_staging_end();
}

static void one_copies_all_read(void **state) {
    (void)state;
    struct lava_shared_member first = member_of(0), second = member_of(1);
    const struct lava_shared_counts before = lava_shared_staging_counts();
    uint32_t slot, same, other;
    assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
    slot = take_and_copy(&first, 0);
    assert_int_equal(take(&first, 0, &same), LAVA_SHARED_NONE); /* it holds it already */
    assert_int_equal(take(&second, 0, &same), LAVA_SHARED_READ);
    assert_int_equal(same, slot);
    lava_shared_staging_fetch(&first, slot);
    lava_shared_staging_fetch(&second, slot);
    assert_holds(slot, 0);
    /* Other rows or columns make another chunk. */
    assert_int_equal(lava_shared_staging_take(&second, chunks[0], ROWS - 1, COLUMNS, &other),
                     LAVA_SHARED_COPY);
    assert_int_not_equal(other, slot);
    const struct lava_shared_counts after = lava_shared_staging_counts();
    assert_int_equal(after.copied - before.copied, 2);
    assert_int_equal(after.spared - before.spared, 1);
    lava_shared_staging_leave(&second, false);
    assert_int_equal(second.bit, 0);
    lava_shared_staging_leave(&first, false);
    lava_shared_staging_leave(&first, false); /* it shares nothing any more */
    lava_shared_staging_end();
}

/* A slot has its chunk until all have had it and none holds it. */
static void filled_anew(void **state) {
    (void)state;
    struct lava_shared_member first = member_of(0), second = member_of(1);
    uint32_t slots[LAVA_SHARED_SLOTS], slot;
    assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
    for (int i = 0; i < LAVA_SHARED_SLOTS; i++)
        slots[i] = take_and_copy(&first, i);
    assert_int_equal(take(&first, LAVA_SHARED_SLOTS, &slot), LAVA_SHARED_FULL);
    for (int i = 0; i < LAVA_SHARED_SLOTS; i++) {
        lava_shared_staging_fetch(&first, slots[i]);
        lava_shared_staging_return(&first, slots[i]);
    }
    assert_int_equal(take(&first, LAVA_SHARED_SLOTS, &slot), LAVA_SHARED_FULL); /* the second wants them */
    assert_int_equal(take(&second, 5, &slot), LAVA_SHARED_READ);
    assert_int_equal(take(&first, LAVA_SHARED_SLOTS, &slot), LAVA_SHARED_FULL); /* and holds this one */
    lava_shared_staging_return(&second, slots[5]);
    assert_int_equal(take_and_copy(&first, LAVA_SHARED_SLOTS), slots[5]);
    lava_shared_staging_fetch(&first, slots[5]);
    assert_holds(slots[5], LAVA_SHARED_SLOTS);
    lava_shared_staging_forget(1); /* now it wants none */
    assert_int_equal(take_and_copy(&first, 5), slots[0]);
    lava_shared_staging_fetch(&first, slots[0]);
    lava_shared_staging_leave(&first, false);
    lava_shared_staging_end();
}

/* A member that is ahead waits for the others; if it has waited for too long, they need not wait for it. */
static void waits_for_a_slot(void **state) {
    (void)state;
    struct lava_shared_member first = member_of(0), second = member_of(1);
    uint32_t slots[LAVA_SHARED_SLOTS], slot;
    int waits = 0;
    assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
    for (int i = 0; i < LAVA_SHARED_SLOTS; i++)
        slots[i] = take_and_copy(&first, i);
    assert_int_equal(take(&first, LAVA_SHARED_SLOTS, &slot), LAVA_SHARED_FULL);
    lava_shared_staging_wait(&first);
    for (int i = 0; i < LAVA_SHARED_SLOTS; i++) {
        assert_holds(slots[i], i); /* its copies are finished first, because the second may wait for one */
        lava_shared_staging_return(&first, slots[i]);
    }
    assert_int_equal(take(&second, 0, &slot), LAVA_SHARED_READ);
    lava_shared_staging_fetch(&second, slot);
    lava_shared_staging_return(&second, slot);
    assert_int_equal(take_and_copy(&first, LAVA_SHARED_SLOTS), slots[0]);
    assert_int_equal(first.waits_since_ns, 0);
    for (; take(&first, 0, &slot) == LAVA_SHARED_FULL; waits++)
        lava_shared_staging_wait(&first);
    assert_in_range(waits, 2, 10000);
    assert_int_equal(take(&first, 1, &slot), LAVA_SHARED_NONE); /* not even what is there */
    assert_int_equal(take(&second, LAVA_SHARED_SLOTS, &slot), LAVA_SHARED_READ);
    lava_shared_staging_fetch(&second, slot);
    lava_shared_staging_return(&second, slot);
    assert_int_equal(take(&second, 1, &slot), LAVA_SHARED_READ);
    lava_shared_staging_return(&second, slot);
    assert_int_equal(take_and_copy(&second, 0), slots[1]); /* the first does not want what was there */
    lava_shared_staging_fetch(&second, slots[1]);
    lava_shared_staging_leave(&first, false);
    lava_shared_staging_leave(&second, false);
    lava_shared_staging_end();
}

struct waiting {
    struct lava_shared_member *member;
    uint32_t slot;
};

static void *fetch(void *context) {
    struct waiting *waiting = context;
    lava_shared_staging_fetch(waiting->member, waiting->slot);
    return NULL;
}

/* Until a copy is offered and finished, or its member leaves, the others wait. */
static void waits_for_a_copy(void **state) {
    (void)state;
    for (int leaves = 0; leaves < 2; leaves++) {
        struct lava_shared_member first = member_of(0), second = member_of(1);
        struct waiting waiting = {.member = &second};
        pthread_t thread;
        struct timespec soon;
        uint32_t slot;
        assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
        assert_int_equal(take(&first, 0, &slot), LAVA_SHARED_COPY);
        assert_int_equal(take(&second, 0, &waiting.slot), LAVA_SHARED_READ);
        assert_int_equal(waiting.slot, slot);
        assert_int_equal(pthread_create(&thread, NULL, fetch, &waiting), 0);
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 20000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        assert_int_not_equal(pthread_timedjoin_np(thread, NULL, &soon), 0);
        if (leaves) {
            lava_shared_staging_leave(&first, false);
        } else {
            const struct lava_copy copy = {chunks[0], ROWS, lava_shared_staging_address(slot),
                                           ROWS,      ROWS, COLUMNS};
            lava_shared_staging_offer(&first, slot, lava_copy_pool_copy(pools[0], &copy, sizeof(double)));
            lava_shared_staging_fetch(&first, slot);
        }
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (!leaves)
            assert_holds(slot, 0);
        lava_shared_staging_leave(&first, false);
        lava_shared_staging_leave(&second, false);
        lava_shared_staging_end();
    }
}

static VkResult VKAPI_CALL refuse(VkDevice device, VkExternalMemoryHandleTypeFlagBits type, const void *pages,
                                  VkMemoryHostPointerPropertiesEXT *properties) {
    (void)device, (void)type, (void)pages, (void)properties;
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

/* A device that does not import the memory shares nothing, whatever its place in the crew held before. The
 * others do not wait for it, and it is asked once. */
static void cannot_join(void **state) {
    struct lava_device_shared shared = {0};
    struct lava_device device = {.shared = &shared, .vk.GetMemoryHostPointerPropertiesEXT = refuse};
    struct lava_arena arena = {0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct lava_shared_member first = member_of(0), second = member_of(1);
        uint32_t slot, other;
        device.capabilities.import_page_bytes = i == 2 ? 0 : 4096;
        arena.slot_bytes = i == 3 ? 2 * SLOT_BYTES : SLOT_BYTES;
        arena.refuses_shared = i == 1;
        assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
        slot = take_and_copy(&first, 0);
        lava_shared_staging_join(&second, 1, &device, &arena, pools[1]);
        assert_int_equal(second.bit, 0);
        assert_null(second.pool);
        assert_int_equal(arena.refuses_shared, i <= 1);
        assert_int_equal(shared.imported.refused, 1);
        lava_shared_staging_fetch(&first, slot);
        for (int j = 1; j < LAVA_SHARED_SLOTS; j++) {
            other = take_and_copy(&first, j);
            lava_shared_staging_fetch(&first, other);
        }
        lava_shared_staging_return(&first, slot);
        assert_int_equal(take_and_copy(&first, LAVA_SHARED_SLOTS), slot);
        lava_shared_staging_fetch(&first, slot);
        lava_shared_staging_leave(&first, false);
        lava_shared_staging_end();
    }
}

/* The device of a member that is lost may still read: no crew gets this memory, or other, any more. Last,
 * because that is for the whole process. */
static void lost(void **state) {
    (void)state;
    struct lava_shared_member first = member_of(0), second = member_of(1);
    uint32_t slot, other;
    assert_true(lava_shared_staging_begin(SLOT_BYTES, 2));
    slot = take_and_copy(&first, 0);
    lava_shared_staging_fetch(&first, slot);
    assert_int_equal(take(&second, 0, &other), LAVA_SHARED_READ);
    lava_shared_staging_leave(&second, true);
    lava_shared_staging_return(&first, slot);
    for (int i = 1; i < LAVA_SHARED_SLOTS; i++) {
        uint32_t next = take_and_copy(&first, i);
        assert_int_not_equal(next, slot);
        lava_shared_staging_fetch(&first, next);
        lava_shared_staging_return(&first, next);
    }
    lava_shared_staging_leave(&first, false);
    lava_shared_staging_end();
    assert_holds(slot, 0); /* it is still there */
    assert_false(lava_shared_staging_begin(SLOT_BYTES, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_crew_at_a_time),
        cmocka_unit_test(one_copies_all_read),
        cmocka_unit_test(filled_anew),
        cmocka_unit_test(waits_for_a_slot),
        cmocka_unit_test(waits_for_a_copy),
        cmocka_unit_test(cannot_join),
        cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, create_pools, destroy_pools);
}
