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

double lava_history_gain(const struct lava_history_run *run) {
    double missed_ns = run->early ? 0 : run->missed_ns; /* it was ready as soon as it can be */
    bool has_used = run->prepared || missed_ns > 0;
    return has_used ? run->saved_ns + missed_ns - LAVA_HISTORY_PREPARATION_NS : 0;
}

bool lava_history_is_telling(const struct lava_history *history, const struct lava_history_run *run) {
    return history->runs > 0 || run->prepared || lava_history_gain(run) > 0;
}

/* A run that lost is followed by twice as many quiet ones as the last that did; one that would have won ends
 * them. */
void lava_history_add(struct lava_history *history, const struct lava_history_run *run) {
    double gain_ns = lava_history_gain(run);
    bool has_won = gain_ns > 0, has_lost = !has_won && run->prepared;
    history->gain_ns = history->runs > 0 ? (history->gain_ns + gain_ns) / 2 : gain_ns;
    if (history->runs < UINT32_MAX)
        history->runs++;
    history->won += has_won;
    history->lost += has_lost;
    history->first_ns = run->first_ns;
    if (has_won) {
        history->quiet = history->quiet_after = 0;
        history->needs = run->needs;
        history->gain_ns = fmax(history->gain_ns, 1); /* the last run counts most: it has won */
    } else if (has_lost) {
        uint32_t twice = history->quiet_after > 0 ? 2 * history->quiet_after : 1;
        history->quiet = history->quiet_after =
            twice < LAVA_HISTORY_QUIET_MOST ? twice : LAVA_HISTORY_QUIET_MOST;
    } else if (history->quiet > 0) {
        history->quiet--;
    }
}

const char *lava_history_text(enum lava_history_rule rule) {
    static const char *const texts[LAVA_HISTORY_RULES] = {
        [LAVA_HISTORY_NONE] = "no history: prepared after enough calls that the device would win",
        [LAVA_HISTORY_WON] = "it won before: prepared as soon as the library is loaded",
        [LAVA_HISTORY_QUIET] = "it lost before: prepared only for much more work than then"};
    return texts[rule];
}
