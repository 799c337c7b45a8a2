/* The rule of copies that stay on the device. Called by lib/engine/residents.c. Invariant: a program that
 * writes its matrices between all calls has no copies, and one that does so after a while has fewer and
 * fewer.
 */
#include "dispatch/residency.h"

#include <math.h>

/* Device memory is allocated at 18 to 30 ms for each GiB (H200, driver 580, 2026-11-22). */
#define ALLOCATION_NS_PER_BYTE (25e6 / 0x1p30)
/* Watching 512 MiB of small pages takes 3.2 ms at first, and 0.3 ms in each call (H100's host, Linux 6.18,
 * 2026-11-27). Huge pages take a thirtieth of that. */
#define WATCH_NS_PER_BYTE (3.2e6 / 0x1p29)
/* Processes with copies of 0.5 and 2 GiB took 3 to 65 ms longer to end for each 512 MiB, 40 in the median of
 * eight cases (H100, driver 580, 2026-11-28): the driver frees them. */
#define END_NS_PER_BYTE (40e6 / 0x1p29)
/* The first write to a watched page takes 1.5 us longer (the same machine). */
#define FAULT_NS_PER_BYTE (1500.0 / 4096)
/* More than this share written: the program writes the matrix anew. */
#define REWRITTEN_SHARE 0.5
/* A use counts half as much after this many uses of any copy. */
#define HALF_LIFE_USES 64
#define PATIENCE_MOST  10

double lava_residency_watch_ns(double bytes) {
    return bytes * WATCH_NS_PER_BYTE;
}

double lava_residency_cost_ns(double bytes, double upload_ns) {
    return bytes * (ALLOCATION_NS_PER_BYTE + END_NS_PER_BYTE) + lava_residency_watch_ns(bytes) + upload_ns;
}

double lava_residency_price_ns(double bytes, double upload_ns) {
    return lava_residency_cost_ns(bytes, upload_ns) + lava_residency_faults_ns(bytes);
}

double lava_residency_upload_bytes(const struct lava_operation *operation, bool is_b, bool on_device) {
    const struct lava_read_matrix read = lava_operation_reads(operation, is_b);
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    bool has_triangle = read.part != LAVA_REGION_ALL || operand->structure == LAVA_STRUCTURE_TRIANGULAR;
    double bytes = (double)read.rows * (double)read.columns * (double)lava_type_bytes(operation->type);
    return !on_device ? bytes : has_triangle ? bytes / 2 : 0;
}

double lava_residency_faults_ns(double bytes) {
    return bytes * FAULT_NS_PER_BYTE;
}

/* A call that finds the matrix as it was also tells that the upload of the call before would have served. */
void lava_residency_see(struct lava_residency *residency, bool is_unchanged, double rent_ns) {
    if (!is_unchanged) {
        residency->unchanged = 0;
        residency->rent_ns = 0;
        return;
    }
    residency->rent_ns += fmax(0, rent_ns) * (residency->unchanged == 0 ? 2 : 1);
    residency->unchanged++;
}

bool lava_residency_pays(const struct lava_residency *residency, double price_ns, bool is_check) {
    uint32_t times = UINT32_C(1) << residency->patience;
    if (is_check)
        return residency->unchanged > 0;
    return residency->unchanged >= times && residency->rent_ns > 0 && residency->rent_ns >= times * price_ns;
}

void lava_residency_store(struct lava_residency *residency, double cost_ns) {
    residency->cost_ns = cost_ns;
    residency->earned_ns = residency->recent_ns = 0;
}

static double faded(const struct lava_residency *residency, uint64_t number) {
    return residency->recent_ns * exp2(-(double)(number - residency->used) / HALF_LIFE_USES);
}

/* A copy may lose as much as it has cost, and no more. */
bool lava_residency_use(struct lava_residency *residency, double bytes, double written_bytes, double saved_ns,
                        uint64_t number) {
    double gain_ns = saved_ns - FAULT_NS_PER_BYTE * fmin(bytes, written_bytes);
    residency->recent_ns = faded(residency, number) + fmax(0, gain_ns);
    residency->used = number;
    residency->earned_ns += gain_ns;
    return written_bytes <= REWRITTEN_SHARE * bytes && residency->earned_ns >= -residency->cost_ns;
}

void lava_residency_forget(struct lava_residency *residency, bool in_vain) {
    bool has_paid = residency->earned_ns >= residency->cost_ns;
    if (in_vain && !has_paid && residency->patience < PATIENCE_MOST)
        residency->patience++;
    else if (has_paid && residency->patience > 0)
        residency->patience--;
    residency->unchanged = 0;
    residency->rent_ns = residency->cost_ns = residency->earned_ns = residency->recent_ns = 0;
}

double lava_residency_value(const struct lava_residency *residency, double bytes, uint64_t number) {
    return faded(residency, number) / bytes;
}
