/* Judges a report. Called by report_print.c. */
#include "tools/report_verdict.h"

#include <math.h>
#include <string.h>

#include "dispatch/policy.h"

#define NS_PER_S 1e9
/* A share of the program's time below which its calls are not what it waits for. */
#define LEAST_SHARE 0.5
/* A share of the device's time from which its copies are the reason. */
#define DECISIVE 0.5
/* A share of the calls' time from which that is much by which calls took longer than the other place. */
#define MUCH_LOST 0.2

/* What to do about calls that ran on the CPU; doc/troubleshooting.md says more. Of reasons that are not here:
 * nothing. */
static const char *const remedies[LAVA_REASON_COUNT] = {
    [LAVA_REASON_CUTOFF] =
        "no GPU is faster with such small calls; many of one shape go better as ?gemm_batch",
    [LAVA_REASON_MODE_CPU] = "unset LAVABLAS_MODE",
    [LAVA_REASON_OFF] = "unset LAVABLAS_OFF",
    [LAVA_REASON_EARLY] = "LAVABLAS_INIT=sync prepares the device at the first call that is worth it",
    [LAVA_REASON_STARTING] =
        "the next run of this program may begin earlier; LAVABLAS_INIT=sync waits for the device",
    [LAVA_REASON_NO_DEVICE] = "`lavablas doctor` says what is missing",
    [LAVA_REASON_NO_KERNEL] = "`lavablas verify` says which kernels the device can run",
    [LAVA_REASON_FAILED] = "LAVABLAS_LOG=warn says why it failed",
    [LAVA_REASON_FAULT] = "LAVABLAS_LOG=warn says why it failed",
    [LAVA_REASON_FORKED] = "start children by exec (Python: multiprocessing.set_start_method(\"spawn\"))",
    [LAVA_REASON_TRAPS] = "run the program without traps",
    [LAVA_REASON_UNPROFITABLE] =
        "`lavablas calibrate` measures this machine, if the figures are starting values; "
        "`lavablas explain` compares a call's times",
    [LAVA_REASON_ABSENT] = "it pays only if the matrix stays on the device (doc/settings.md)",
    [LAVA_REASON_MEMORY] = "end other users of the GPU's memory, or raise LAVABLAS_MEMORY",
};

static double calls_ns(const struct report *report) {
    return report->total.ns[LAVA_PLACE_CPU] + report->total.ns[LAVA_PLACE_GPU];
}

static bool has_gpu(const struct report *report) {
    bool any = report->total.calls[LAVA_PLACE_GPU] > 0;
    for (size_t i = 0; i < report->under_count; i++)
        any |= report->under[i].place == LAVA_PLACE_GPU;
    return any;
}

void report_judge(const struct report *report, char *text, size_t size) {
    const char *device = report_fact(report, "device"), *figures = report_fact(report, "figures");
    double took_s = calls_ns(report) / NS_PER_S, cpu_s = report->total.cpu_ns / NS_PER_S;
    bool is_measured = figures && !strcmp(figures, "measured");
    if (report->process_count == 0)
        snprintf(
            text, size,
            "no process has reported: it was ended by a signal or by _exit() before its first call, or the "
            "library could not be loaded");
    else if (report->total.calls[LAVA_PLACE_CPU] + report->total.calls[LAVA_PLACE_GPU] == 0)
        snprintf(text, size, "no call came to it: the program called no routine that LavaBLAS has");
    else if (!has_gpu(report))
        snprintf(text, size, "it did not help: all calls ran on the CPU, for %.3f s", took_s);
    else
        snprintf(
            text, size,
            "it %s: the calls took %.3f s, the CPU alone would have taken about %.3f s: %.2f times as %s "
            "(estimated by %s; device: %s)",
            cpu_s > took_s ? "helped" : "did not help", took_s, cpu_s,
            cpu_s > took_s ? cpu_s / took_s : took_s / fmax(cpu_s, 1e-9), cpu_s > took_s ? "fast" : "long",
            is_measured ? "this machine's measured figures" : "starting values", device ? device : "none");
}

static const char *remedy_of(const char *reason) {
    for (int i = 0; i < LAVA_REASON_COUNT; i++)
        if (!strcmp(lava_reason_text((enum lava_reason)i), reason))
            return remedies[i];
    return NULL;
}

/* Reasons are listed by routine if the report is detailed. */
static double reason_ns(const struct report *report, const struct report_reason *like) {
    double ns = 0;
    for (size_t i = 0; i < report->reason_count; i++)
        if (report->reasons[i].place == like->place && !strcmp(report->reasons[i].reason, like->reason))
            ns += report->reasons[i].ns;
    return ns;
}

/* Returns the place and reason of which the calls took the most time; NULL: there is no call. */
static const struct report_reason *find_main(const struct report *report, double *ns) {
    const struct report_reason *most = NULL;
    *ns = 0;
    for (size_t i = 0; i < report->reason_count; i++) {
        double its_ns = reason_ns(report, &report->reasons[i]);
        if (most && its_ns <= *ns)
            continue;
        most = &report->reasons[i];
        *ns = its_ns;
    }
    return most;
}

static void advise_on_gpu(const struct report *report, const char *reason, char *text, size_t size) {
    bool is_forced = !strcmp(reason, lava_reason_text(LAVA_REASON_FORCED)),
         is_cut = !strcmp(reason, lava_reason_text(LAVA_REASON_PRODUCTS));
    double gpu_ns = report->total.ns[LAVA_PLACE_GPU], copies_ns = fmax(report->up_ns, report->down_ns);
    bool has_lost = report->total.lost_ns[LAVA_PLACE_GPU] > MUCH_LOST * gpu_ns;
    if (has_lost && is_forced)
        snprintf(text, size,
                 "on the GPU, because LAVABLAS_MODE is gpu: with auto only calls go there that gain");
    else if (has_lost && is_cut)
        snprintf(
            text, size,
            "cut into products, which lost %.3f s against the CPU's estimate: do not set LAVABLAS_MODE to "
            "gpu, or leave them to the CPU by LAVABLAS_RESIDUES=off",
            report->total.lost_ns[LAVA_PLACE_GPU] / NS_PER_S);
    else if (has_lost)
        snprintf(text, size,
                 "on the GPU, where calls lost %.3f s against the CPU's estimate: measure this machine by "
                 "`lavablas "
                 "calibrate` with nothing else running",
                 report->total.lost_ns[LAVA_PLACE_GPU] / NS_PER_S);
    else if (copies_ns > DECISIVE * gpu_ns)
        snprintf(
            text, size,
            "on the GPU, with copies of the matrices: larger products gain more, and so do matrices that the "
            "program passes again without a change (doc/settings.md)");
    else
        snprintf(text, size, "on the GPU: nothing is to be done");
}

void report_advise(const struct report *report, const struct report_end *end, char *text, size_t size) {
    char where[400];
    double ns, all_ns = calls_ns(report);
    const struct report_reason *most = find_main(report, &ns);
    double program_ns = end ? end->seconds * NS_PER_S : 0;
    text[0] = '\0';
    if (!most || all_ns <= 0)
        return;
    if (program_ns > 0 && all_ns < LEAST_SHARE * program_ns) {
        snprintf(
            text, size,
            "%.0f %% of the program's %.3f s passed outside of these calls, where no BLAS makes it faster",
            100 * (1 - all_ns / program_ns), program_ns / NS_PER_S);
        return;
    }
    const char *remedy = remedy_of(most->reason);
    if (most->place == LAVA_PLACE_GPU)
        advise_on_gpu(report, most->reason, where, sizeof where);
    else
        snprintf(where, sizeof where, "on the CPU (%s): %s", most->reason,
                 remedy ? remedy : "nothing is to be done");
    snprintf(text, size, "%.0f %% of the calls' time was %s", 100 * ns / all_ns, where);
}
