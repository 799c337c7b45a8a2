/* Counts the device's time, and looks at the processors that the process uses. */
#include "lib/offload/kernel_demand.h"

#include "lib/base/clock.h"
#include "lib/host/processor.h"
#include "lib/offload/process.h"
#include "lib/offload/readiness.h"

/* Compiling the other kernels of fp32 takes 4 s of processor time (H100, driver 580, 2026-11-25), 0.3 s of 16
 * processors. */
#define DEVICE_NS UINT64_C(300000000)
#define WINDOW_NS UINT64_C(100000000)
#define CPU_SHARE 4
/* How soon to look again. */
#define LOOK_NS UINT64_C(20000000)

static _Atomic uint64_t computed_ns[LAVA_TYPE_COUNT];

void lava_kernel_demand_add(enum lava_type type, enum lava_place place, enum lava_reason reason,
                            uint64_t elapsed_ns) {
    if (place == LAVA_PLACE_GPU)
        computed_ns[type] += elapsed_ns;
    else if (reason == LAVA_REASON_UNPROFITABLE)
        computed_ns[type] += elapsed_ns / CPU_SHARE; /* another kernel may be faster than the CPU */
}

bool lava_kernel_demand_are_unused(uint64_t wall_ns, uint64_t process_ns, int processors) {
    return 2 * (double)process_ns <= (double)wall_ns * processors;
}

bool lava_kernel_demand_is_there(enum lava_type type, struct lava_kernel_demand_look *look) {
    const struct lava_kernel_demand_look last = *look;
    uint64_t now_ns = lava_clock_now_ns();
    if (computed_ns[type] >= DEVICE_NS)
        return true;
    if (last.wall_ns > 0 && now_ns - last.wall_ns < WINDOW_NS)
        return false;
    *look = (struct lava_kernel_demand_look){.wall_ns = now_ns, .process_ns = lava_clock_process_ns()};
    return last.wall_ns > 0 &&
           lava_kernel_demand_are_unused(now_ns - last.wall_ns, look->process_ns - last.process_ns,
                                         lava_processor_count());
}

void lava_kernel_demand_await(const struct lava_self_test *test, uint64_t need) {
    struct lava_kernel_demand_look look = {0};
    lava_pipelines_hold(test->engine->device, false);
    lava_pipelines_save(test->engine->device);
    while ((lava_readiness_in(LAVA_READINESS_IN(HELD)) & need) && !lava_process_is_exiting() &&
           !lava_kernel_demand_is_there(test->type, &look)) {
        struct timespec until = lava_clock_deadline(LOOK_NS);
        lava_readiness_await(need, LAVA_READINESS_IN(HELD), &until);
    }
    lava_pipelines_hold(test->engine->device, true);
}
