/* The rule of results that stay on the device. Called by lib/engine/results.c. Invariant: a program that
 * reads none of its results has no copies of them. */
#include "dispatch/result_rule.h"

#include <math.h>

#include "dispatch/residency.h"

/* A place where results were read for long is not asked again for so long. */
#define GAINED_MOST 2
/* What faults and watches have cost is doubted a little more with each result: the program may write another
 * way now. */
#define COST_REMEMBERED 0.9

void lava_result_rule_read(struct lava_result_rule *rule, double rent_ns) {
    if (!rule->is_there)
        return;
    if (rent_ns >= 0)
        rule->read_ns = rent_ns;
    rule->reading_ns += rule->read_ns;
    rule->was_read = true;
}

void lava_result_rule_write(struct lava_result_rule *rule, double written_bytes, double end_ns) {
    rule->faults_ns = lava_residency_faults_ns(written_bytes);
    rule->watch_ns += end_ns;
}

bool lava_result_rule_leave(struct lava_result_rule *rule, double once_ns, double watch_ns, bool is_check) {
    bool is_first = rule->usual_ns <= 0;
    double each_ns = fmax(watch_ns, rule->watch_ns) + rule->faults_ns;
    double gained_ns = rule->gained_ns + rule->reading_ns - each_ns;
    rule->gained_ns = fmin(fmax(gained_ns, 0), GAINED_MOST * once_ns);
    rule->usual_ns = is_first ? rule->reading_ns : (rule->usual_ns + rule->reading_ns) / 2;
    rule->reading_ns = 0;
    rule->watch_ns *= COST_REMEMBERED;
    rule->faults_ns *= COST_REMEMBERED;
    rule->is_there = true;
    if (is_check)
        return rule->was_read;
    each_ns = fmax(watch_ns, rule->watch_ns) + rule->faults_ns;
    return rule->usual_ns > each_ns && rule->gained_ns >= once_ns;
}
