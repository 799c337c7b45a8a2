/* The rule of copies that stay on the device: programs of one matrix, as sequences of calls. */
#include "products.h"

#include "dispatch/cost.h"
#include "dispatch/residency.h"

#define MIB   0x1p20
#define BYTES (512 * MIB)
#define RENT  12e6 /* an upload of 512 MiB takes 12 ms */

/* A program's matrix, and what the rule makes of it. */
struct matrix {
    struct lava_residency residency;
    bool is_stored;
    unsigned stores, calls, used;
    double lost_ns; /* stores, and faults of writes, less what copies have saved */
};

/* One call; `share` of the matrix was written before. rent_ns: what its upload takes. */
static void call(struct matrix *matrix, double share, double rent_ns, bool is_check) {
    double cost_ns = lava_residency_cost_ns(BYTES, 0), price_ns = lava_residency_price_ns(BYTES, 0);
    matrix->calls++;
    if (matrix->is_stored) {
        matrix->lost_ns += share * BYTES / 4096 * 1500 - (1 - share) * rent_ns;
        matrix->is_stored = lava_residency_use(&matrix->residency, BYTES, share * BYTES,
                                               (1 - share) * rent_ns, matrix->calls);
        matrix->used++;
        if (!matrix->is_stored)
            lava_residency_forget(&matrix->residency, true);
        return;
    }
    lava_residency_see(&matrix->residency, matrix->calls > 1 && share == 0, rent_ns);
    if (lava_residency_pays(&matrix->residency, price_ns, is_check)) {
        lava_residency_store(&matrix->residency, cost_ns);
        matrix->is_stored = true;
        matrix->stores++;
        matrix->lost_ns += cost_ns;
    }
}

/* Its uploads have taken as long by then as the copy costs at worst. */
static void what_is_not_written_stays(void **state) {
    struct matrix matrix = {0};
    double price_ns = lava_residency_price_ns(BYTES, 0);
    (void)state;
    for (; !matrix.is_stored; assert_in_range(matrix.calls, 1, 30))
        call(&matrix, 0, RENT, false);
    assert_true(matrix.calls * RENT >= price_ns && (matrix.calls - 1) * RENT < price_ns);
    for (int i = 0; i < 100; i++)
        call(&matrix, 0, RENT, false);
    assert_int_equal(matrix.used, 100);
    assert_int_equal(matrix.stores, 1);
}

/* Some calls, after which the program writes the matrix anew: small and large matrices, slow and fast links.
 */
static void a_copy_in_vain_takes_no_longer_than_the_uploads_before(void **state) {
    (void)state;
    for (double rent_ns = RENT / 30; rent_ns < 100 * RENT; rent_ns *= 1.3)
        for (unsigned calls = 2; calls < 200; calls++) {
            struct matrix matrix = {0};
            for (unsigned i = 0; i < calls; i++)
                call(&matrix, 0, rent_ns, false);
            if (!matrix.is_stored || matrix.used > 0)
                continue;
            call(&matrix, 1, rent_ns, false);
            assert_false(matrix.is_stored);
            assert_true(matrix.lost_ns <= calls * rent_ns);
        }
}

/* A copy has both triangles, and the call uploads one. */
static void a_triangle_goes_up_as_a_whole(void **state) {
    struct lava_operation operation = product(1000, 70, 1000);
    (void)state;
    assert_true(lava_residency_upload_bytes(&operation, false, true) == 0);
    assert_true(lava_residency_upload_bytes(&operation, false, false) == 4e6);
    assert_true(lava_residency_upload_bytes(&operation, true, false) == 4 * 70e3);
    operation.a.structure = LAVA_STRUCTURE_TRIANGULAR;
    operation.a.stored = LAVA_REGION_LOWER;
    assert_true(lava_residency_upload_bytes(&operation, false, true) == 2e6);
    assert_true(lava_residency_upload_bytes(&operation, true, true) == 0);
    operation.kind = LAVA_OPERATION_SOLVE;
    assert_true(lava_residency_upload_bytes(&operation, false, true) == 2e6);
}

static void what_every_call_writes_has_no_copy(void **state) {
    struct matrix matrix = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        call(&matrix, 1, RENT, false);
        call(&matrix, 1, RENT, true);
    }
    assert_int_equal(matrix.stores, 0);
}

/* Where nothing is gained, and if a test wants it all the same. */
static void without_a_gain_only_check_stores(void **state) {
    struct matrix matrix = {0}, checked = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        call(&matrix, 0, 0, false);
    assert_int_equal(matrix.stores, 0);
    call(&checked, 0, 0, true);
    assert_false(checked.is_stored);
    call(&checked, 0, 0, true);
    assert_true(checked.is_stored);
}

/* Rents that are small against the cost have to add up. */
static void the_loss_is_bounded_by_the_rents(void **state) {
    double cost_ns = lava_residency_price_ns(BYTES, 0);
    (void)state;
    for (double rent_ns = cost_ns / 50; rent_ns < 10 * cost_ns; rent_ns *= 1.3) {
        struct matrix matrix = {0};
        while (!matrix.is_stored)
            call(&matrix, 0, rent_ns, false);
        assert_true(matrix.calls >= 2 && matrix.calls * rent_ns >= cost_ns);
        assert_true(matrix.calls == 2 || (matrix.calls - 1) * rent_ns < cost_ns * (1 + 1e-9));
    }
}

/* A program that writes the matrix after every third call asks too much of each copy. */
static void patience_grows_with_copies_in_vain(void **state) {
    struct matrix matrix = {0};
    (void)state;
    for (int i = 0; i < 3000; i++)
        call(&matrix, i % 3 == 0, RENT, false);
    assert_true(matrix.stores <= 3);
    assert_true(matrix.lost_ns < 3 * (BYTES / 4096 * 1500 + lava_residency_cost_ns(BYTES, 0)));
}

/* One that does so after a hundred calls gains from each. */
static void copies_that_paid_cost_no_patience(void **state) {
    struct matrix matrix = {0};
    (void)state;
    for (int i = 0; i < 3000; i++)
        call(&matrix, i % 100 == 0, RENT, false);
    assert_int_equal(matrix.stores, 30);
    assert_true(matrix.lost_ns < 0);
}

/* A hundredth in each call: fewer uploads, and few faults. A third: the faults take longer than uploads. */
static void small_changes_are_worth_it_and_large_ones_are_not(void **state) {
    struct matrix few = {0}, many = {0};
    (void)state;
    for (int i = 0; i < 300; i++) {
        call(&few, few.is_stored ? 0.01 : 0, RENT, false);
        call(&many, many.is_stored ? 0.33 : 0, RENT, false);
    }
    assert_true(few.is_stored);
    assert_true(few.lost_ns < 0);
    assert_in_range(many.stores, 1, 10);
    assert_true(many.lost_ns < 10 * BYTES / 4096 * 1500);
}

/* Two matrices, room for one copy: each call with the other one takes its place before it was used. */
static void copies_that_alternate_for_memory_get_fewer(void **state) {
    struct lava_residency both[2] = {{0}, {0}};
    double cost_ns = lava_residency_cost_ns(BYTES, 0);
    int stored = -1, stores = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct lava_residency *own = &both[i % 2];
        if (stored == i % 2) {
            assert_true(lava_residency_use(own, BYTES, 0, RENT, (uint64_t)i));
            continue;
        }
        lava_residency_see(own, i > 1, RENT);
        if (!lava_residency_pays(own, cost_ns, false))
            continue;
        if (stored >= 0)
            lava_residency_forget(&both[stored], true);
        lava_residency_store(own, 100 * RENT);
        stored = i % 2;
        stores++;
    }
    assert_in_range(stores, 1, 30);
}

static void the_least_useful_copy_goes_first(void **state) {
    struct lava_residency old = {0}, busy = {0}, large = {0};
    (void)state;
    for (uint64_t i = 1; i <= 400; i++) {
        if (i <= 200)
            assert_true(lava_residency_use(&old, 64 * MIB, 0, 2e6, i));
        else
            assert_true(lava_residency_use(&busy, 64 * MIB, 0, 2e6, i));
        assert_true(lava_residency_use(&large, 1024 * MIB, 0, 2e6, i));
    }
    assert_true(lava_residency_value(&old, 64 * MIB, 400) < lava_residency_value(&busy, 64 * MIB, 400));
    assert_true(lava_residency_value(&large, 1024 * MIB, 400) < lava_residency_value(&busy, 64 * MIB, 400));
    assert_true(lava_residency_value(&old, 64 * MIB, 400) > 0);
}

static void set_residents(struct lava_operation *operation, bool a, bool b) {
    operation->a.is_resident = a;
    operation->b.is_resident = b;
}

/* 512 MiB take 10 ms of the bus, and the product less than 2 ms. */
static void a_thin_product_of_a_resident_takes_no_upload(void **state) {
    const struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(16384, 128, 8192);
    (void)state;
    const struct lava_plan uploaded = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    set_residents(&operation, true, false);
    const struct lava_plan resident = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    print_message("%.2f ms, with A on the device %.2f\n", uploaded.gpu_ns / 1e6, resident.gpu_ns / 1e6);
    assert_true(uploaded.gpu_ns > 10e6 && resident.gpu_ns < 3e6);
    operation.n = 4; /* the upload alone takes longer than the CPU */
    assert_false(lava_policy_is_hopeless(&operation, &device, &sixteen_cores, 20));
    set_residents(&operation, false, false);
    assert_true(lava_policy_is_hopeless(&operation, &device, &sixteen_cores, 1));
}

static void residents_change_no_sums_and_lower_no_bound(void **state) {
    const struct lava_capabilities device = device_h200();
    const struct lava_profile *profile = lava_profiles_find(&device);
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct lava_operation operation =
            product(1 + (int64_t)(random_next(&random) % 9000), 1 + (int64_t)(random_next(&random) % 9000),
                    1 + (int64_t)(random_next(&random) % 9000));
        set_random_types(&random, &operation);
        const struct lava_plan uploaded = choose(&operation, &device, LAVA_MODE_GPU, &none);
        set_residents(&operation, i % 3 != 0, i % 3 != 1);
        const struct lava_plan resident = choose(&operation, &device, LAVA_MODE_GPU, &none);
        assert_int_equal(resident.place, uploaded.place);
        if (resident.place != LAVA_PLACE_GPU)
            continue;
        assert_ptr_equal(resident.kernel, uploaded.kernel);
        assert_int_equal(resident.blocking.split_k, uploaded.blocking.split_k);
        assert_int_equal(resident.blocking.block_k, uploaded.blocking.block_k);
        assert_true(resident.gpu_ns <= uploaded.gpu_ns * (1 + 1e-9));
        const struct lava_operation parts = lava_operation_of_parts(&operation);
        const struct lava_rates rates = lava_cost_rates(profile, &sixteen_cores.device);
        assert_true(resident.gpu_ns >= lava_cost_least_ns(&parts, &rates, resident.flops_per_s));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_written_stays),
        cmocka_unit_test(a_copy_in_vain_takes_no_longer_than_the_uploads_before),
        cmocka_unit_test(a_triangle_goes_up_as_a_whole),
        cmocka_unit_test(what_every_call_writes_has_no_copy),
        cmocka_unit_test(without_a_gain_only_check_stores),
        cmocka_unit_test(the_loss_is_bounded_by_the_rents),
        cmocka_unit_test(patience_grows_with_copies_in_vain),
        cmocka_unit_test(copies_that_paid_cost_no_patience),
        cmocka_unit_test(small_changes_are_worth_it_and_large_ones_are_not),
        cmocka_unit_test(copies_that_alternate_for_memory_get_fewer),
        cmocka_unit_test(the_least_useful_copy_goes_first),
        cmocka_unit_test(a_thin_product_of_a_resident_takes_no_upload),
        cmocka_unit_test(residents_change_no_sums_and_lower_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
