/* The rule of results that stay on the device. Called by lib/engine/results.c. Invariant: a program that
 * reads none of its results has no copies of them. */
#include "dispatch/result_rule.h"

#include "dispatch/residency.h"

/* What faults have cost is doubted a little more with each result: the program may write another way now. */
#define FAULTS_REMEMBERED 0.9

void lava_result_rule_read(struct lava_result_rule *rule, double rent_ns) {
    if (!rule->is_there)
        return;
    if (rent_ns >= 0)
        rule->read_ns = rent_ns;
    rule->reading_ns += rule->read_ns;
    rule->was_read = true;
}

void lava_result_rule_write(struct lava_result_rule *rule, double written_bytes) {
    rule->faults_ns = lava_residency_faults_ns(written_bytes);
}

bool lava_result_rule_leave(struct lava_result_rule *rule, double cost_ns, bool is_check) {
    bool is_first = rule->usual_ns <= 0;
    rule->usual_ns = is_first ? rule->reading_ns : (rule->usual_ns + rule->reading_ns) / 2;
    rule->reading_ns = 0;
    rule->faults_ns *= FAULTS_REMEMBERED;
    rule->is_there = true;
    return is_check ? rule->was_read : rule->usual_ns > 0 && rule->usual_ns >= cost_ns + rule->faults_ns;
}
