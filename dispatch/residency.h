/* Decides which matrices keep a copy on the device between calls. A copy costs its memory, the kernel's watch
 * of the host's pages, and a fault for each page that the program writes afterwards; it saves its upload in
 * each call that finds the matrix unchanged. Pure functions; lib/engine/residents.c has the copies. Times are
 * in nanoseconds. */
#ifndef LAVA_DISPATCH_RESIDENCY_H
#define LAVA_DISPATCH_RESIDENCY_H

#include "dispatch/operation.h"

enum lava_resident_use { LAVA_RESIDENT_OFF, LAVA_RESIDENT_AUTO, LAVA_RESIDENT_CHECK };

/* Smaller operands are not looked at: a call of theirs takes little longer than to look. */
#define LAVA_RESIDENCY_LEAST_BYTES (1ull << 20)

/* What is remembered of a matrix. All zero: it was never seen. */
struct lava_residency {
    uint32_t unchanged; /* calls in a row that found it as the one before left it */
    uint32_t patience;  /* copies of it that were given up before they had earned what they cost */
    double rent_ns;     /* what its uploads took in these calls, less what is hidden behind other work */
    double cost_ns;     /* of its copy, if there is one */
    double earned_ns;   /* by the copy: uploads that were saved, less faults of writes */
    double recent_ns;   /* the same of the last uses, older ones counting less */
    uint64_t used;      /* number of the last look (lava_residency_use) */
};

/* Returns what a copy costs: to make it, and at the end of the process. upload_ns: of an upload that only the
 * copy needs; 0: the call uploads anyway. */
double lava_residency_cost_ns(double bytes, double upload_ns);
/* Returns what of that is the watch. */
double lava_residency_watch_ns(double bytes);
/* Returns what it costs a program that writes the matrix anew after that. */
double lava_residency_price_ns(double bytes, double upload_ns);
/* Returns what goes up for a copy of A or B alone: a copy has the whole matrix, while a call that has a
 * triangle uploads half of it, and a call on the CPU nothing. */
double lava_residency_upload_bytes(const struct lava_operation *operation, bool is_b, bool on_device);

/* Returns what the program's writes to n watched bytes cost it. */
double lava_residency_faults_ns(double bytes);

/* A call without a copy has seen the matrix; a copy would have saved rent_ns of it. */
void lava_residency_see(struct lava_residency *residency, bool is_unchanged, double rent_ns);
/* Returns whether the call that has just seen it should leave a copy. By the rule of ski rental: when the
 * rents add up to the price, so that the program never takes more than twice as long for its uploads as with
 * foresight, whatever it writes next.
 * Each copy that was given up in vain doubles what is asked of the next one. is_check: as soon as the matrix
 * was seen unchanged. */
bool lava_residency_pays(const struct lava_residency *residency, double price_ns, bool is_check);

/* There is a copy now. cost_ns: what it took to make. */
void lava_residency_store(struct lava_residency *residency, double cost_ns);
/* A call has looked at the copy and has found these bytes of it written. saved_ns: what its upload would have
 * taken of the call; 0 if it cannot use the copy. `number` counts the looks at all copies. Returns whether
 * the copy stays; if not, lava_residency_forget is to be called. */
bool lava_residency_use(struct lava_residency *residency, double bytes, double written_bytes, double saved_ns,
                        uint64_t number);
/* The copy is gone. in_vain: because of what the program did, or because memory was short; not because it was
 * idle. If it has not earned its cost then, more is asked of the next one. */
void lava_residency_forget(struct lava_residency *residency, bool in_vain);

/* Returns what the copy earns for each byte of memory: the least goes first. number: as above. */
double lava_residency_value(const struct lava_residency *residency, double bytes, uint64_t number);

#endif
