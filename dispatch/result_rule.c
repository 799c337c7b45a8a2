/* The rule of results that stay on the device. Called by lib/engine/results.c. Invariant: a program that
 * reads none of its results has no copies of them. */
#include "dispatch/result_rule.h"

#include <math.h>

#include "dispatch/residency.h"

/* Gains count up to this many times the price. So a place soon gets no copies any more if its results, which
 * were read for long, no longer are. */
#define GAINED_MOST 2
/* What faults and watches have cost is doubted a little more with each result: the program may write another
 * way now. */
#define COST_REMEMBERED 0.9
#define PATIENCE_MOST   10

void lava_result_rule_read(struct lava_result_rule *rule, double rent_ns) {
    if (!rule->is_there)
        return;
    if (rent_ns >= 0)
        rule->read_ns = rent_ns;
    rule->reading_ns += rule->read_ns;
    rule->was_read = true;
}

void lava_result_rule_watch(struct lava_result_rule *rule, double begin_ns) {
    rule->has_copy = true;
    rule->begin_ns = begin_ns;
}

void lava_result_rule_write(struct lava_result_rule *rule, double written_bytes, double end_ns) {
    rule->faults_ns = lava_residency_faults_ns(written_bytes);
    rule->end_ns = end_ns;
}

static double each_ns(const struct lava_result_rule *rule, double watch_ns) {
    return fmax(watch_ns, rule->begin_ns + rule->end_ns) + rule->faults_ns;
}

static double price_ns(const struct lava_result_rule *rule, double once_ns) {
    return once_ns * (double)(1u << rule->patience);
}

/* The last result is over: counts what its copy gained or lost, or would have. */
static void settle(struct lava_result_rule *rule, double once_ns, double watch_ns) {
    double gain_ns = rule->reading_ns - each_ns(rule, watch_ns);
    bool has_lost = rule->has_copy && gain_ns < 0;
    if (has_lost && rule->patience < PATIENCE_MOST)
        rule->patience++;
    else if (rule->has_copy && !has_lost && rule->patience > 0)
        rule->patience--;
    rule->has_copy = false;
    rule->gained_ns =
        has_lost ? 0 : fmin(fmax(rule->gained_ns + gain_ns, 0), GAINED_MOST * price_ns(rule, once_ns));
}

bool lava_result_rule_leave(struct lava_result_rule *rule, double once_ns, double watch_ns, bool is_check) {
    bool is_first = rule->usual_ns <= 0;
    settle(rule, once_ns, watch_ns);
    rule->usual_ns = is_first ? rule->reading_ns : (rule->usual_ns + rule->reading_ns) / 2;
    rule->reading_ns = 0;
    rule->begin_ns *= COST_REMEMBERED;
    rule->end_ns *= COST_REMEMBERED;
    rule->faults_ns *= COST_REMEMBERED;
    rule->is_there = true;
    return is_check ? rule->was_read
                    : rule->usual_ns > each_ns(rule, watch_ns) && rule->gained_ns >= price_ns(rule, once_ns);
}
