/* The rules of a program's history. */
#include "dispatch/history.h"

#include <math.h>

enum lava_history_rule lava_history_rule(const struct lava_history *history) {
    if (history->runs == 0)
        return LAVA_HISTORY_NONE;
    if (history->quiet > 0)
        return LAVA_HISTORY_QUIET;
    return history->gain_ns > 0 && history->needs ? LAVA_HISTORY_WON : LAVA_HISTORY_NONE;
}

double lava_history_patience(const struct lava_history *history, double lasted_ns) {
    double quiet_ns = LAVA_HISTORY_QUIET_LASTS * fmin(history->lost_ns, LAVA_HISTORY_LOST_MOST_NS);
    enum lava_history_rule rule = lava_history_rule(history);
    if (rule == LAVA_HISTORY_QUIET)
        return lasted_ns < quiet_ns ? INFINITY : LAVA_HISTORY_QUIET_TIMES;
    return rule == LAVA_HISTORY_WON ? 0 : 1;
}

double lava_history_gain(const struct lava_history *history, const struct lava_history_run *run) {
    bool may_miss =
        lava_history_rule(history) == LAVA_HISTORY_NONE; /* else it was early, or is to stay quiet */
    double missed_ns = may_miss ? run->missed_ns : 0;
    return run->prepared || missed_ns > 0 ? run->saved_ns + missed_ns - LAVA_HISTORY_PREPARATION_NS : 0;
}

bool lava_history_is_telling(const struct lava_history *history, const struct lava_history_run *run) {
    return history->runs > 0 || run->prepared || lava_history_gain(history, run) > 0;
}

/* Returns how many quiet runs follow a loss: twice the number that followed the last one. */
static uint32_t quiet_after(const struct lava_history *history) {
    uint32_t first = history->paid > 0 ? LAVA_HISTORY_QUIET_FIRST : LAVA_HISTORY_QUIET_NEVER;
    uint32_t next = history->quiet_after > 0 ? 2 * history->quiet_after : first;
    return next < LAVA_HISTORY_QUIET_MOST ? next : LAVA_HISTORY_QUIET_MOST;
}

/* Only a device that was used makes the number of quiet runs small again. */
void lava_history_add(struct lava_history *history, const struct lava_history_run *run) {
    double gain_ns = lava_history_gain(history, run);
    bool has_won = gain_ns > 0, has_lost = !has_won && run->prepared;
    if (history->runs < UINT32_MAX)
        history->runs++;
    if (run->expected_ns >= LAVA_HISTORY_TIMED_NS)
        history->cpu_factor = run->cpu_ns / run->expected_ns;
    if (run->copies_ns != 0)
        history->copies_ns = run->copies_ns;
    history->won += has_won;
    history->lost += has_lost;
    history->gain_ns = has_won || has_lost ? gain_ns : history->gain_ns;
    if (has_won) {
        history->quiet = 0;
        history->needs = run->needs;
        if (run->saved_ns > LAVA_HISTORY_PREPARATION_NS) {
            history->quiet_after = 0;
            history->paid++;
        }
    } else if (has_lost) {
        history->quiet = history->quiet_after = quiet_after(history);
        history->lost_ns = run->lasted_ns;
    } else if (history->quiet > 0) {
        history->quiet--;
    }
}

const char *lava_history_text(enum lava_history_rule rule) {
    static const char *const texts[LAVA_HISTORY_RULES] = {
        [LAVA_HISTORY_NONE] = "no history: prepared after enough calls that the device would win",
        [LAVA_HISTORY_WON] = "it won before: prepared when the program starts",
        [LAVA_HISTORY_QUIET] = "it did not win before: prepared if it lasts longer, for eight times as much"};
    return texts[rule];
}
