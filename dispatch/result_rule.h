/* Decides which results stay on the device, where they are when a call ends: factors, and products that later
 * calls read. A copy costs its memory, which the next result at the same place gets again; the kernel's
 * watch, and a fault for each page that the program writes afterwards. It saves the uploads of the calls that
 * read the result unchanged. So it pays if earlier results at the same place were read so. Pure functions;
 * lib/engine/results.c has the table. */
#ifndef LAVA_DISPATCH_RESULT_RULE_H
#define LAVA_DISPATCH_RESULT_RULE_H

#include <stdbool.h>

/* What is remembered of the results at a place. All zero: there was none. */
struct lava_result_rule {
    bool is_there;     /* nobody has changed the last one, as far as is known */
    bool was_read;     /* one of them was read unchanged */
    bool has_copy;     /* the last one */
    unsigned patience; /* copies that cost more than they saved, less those that did not */
    double reading_ns; /* what uploads of the last one took, or would have taken without its copy */
    double usual_ns;   /* the same of those before, later ones counting more */
    double read_ns;    /* of the last call that read it */
    double gained_ns;  /* what copies of all results would have gained so far, or did */
    double begin_ns;   /* of a copy: to begin its watch, and to end it, as measured */
    double end_ns;
    double faults_ns; /* of a copy, by the program's writes */
};

/* A call has found the result as it was left. Its upload takes rent_ns; a negative one: as that of the call
 * before. */
void lava_result_rule_read(struct lava_result_rule *rule, double rent_ns);
/* The result has a copy. Its watch took begin_ns to begin. */
void lava_result_rule_watch(struct lava_result_rule *rule, double begin_ns);
/* A copy was given up. The program has written n bytes of it; the end of its watch took end_ns. */
void lava_result_rule_write(struct lava_result_rule *rule, double written_bytes, double end_ns);
/* A call leaves a result. once_ns: what copies of such a size cost once; watch_ns: what each costs at least.
 * By the rule of ski rental it gets one when copies of those before would have gained once_ns, as long as the
 * usual reads are worth one more. Each copy that costs more than it saves doubles what is asked of the next
 * one. is_check: as soon as one was read. */
bool lava_result_rule_leave(struct lava_result_rule *rule, double once_ns, double watch_ns, bool is_check);

#endif
