/* Prints what `lavablas run` has found, for people and as JSON. */
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/sizes.h"
#include "lib/base/stats.h"
#include "tools/cpu_advice.h"
#include "tools/report_sum.h"
#include "tools/report_verdict.h"

/* Less is not listed by routine. */
#define LEAST_LOSS_NS 1e6
/* More are not listed. */
#define MOST_MATRICES 16

static double seconds(double ns) {
    return ns * 1e-9;
}

static void print_order(FILE *stream, const char *routine, double least_order) {
    char order[48] = "";
    if (least_order > 0)
        snprintf(order, sizeof order, "%.0f to %.0f", least_order, 2 * least_order - 1);
    else if (*routine)
        snprintf(order, sizeof order, "below 64");
    if (least_order >= (double)lava_sizes_least_order(LAVA_SIZES - 1))
        snprintf(order, sizeof order, "%.0f and more", least_order);
    fprintf(stream, "  %-22s %-14s", *routine ? routine : "all", order);
}

static void print_shape(FILE *stream, const struct report_shape *shape) {
    print_order(stream, shape->routine ? shape->routine : "", shape->least_order);
    fprintf(stream, " %8.0f %9.3f %8.0f %9.3f %11.1f %9.3f %s%9.3f\n", shape->calls[LAVA_PLACE_GPU],
            seconds(shape->ns[LAVA_PLACE_GPU]), shape->calls[LAVA_PLACE_CPU],
            seconds(shape->ns[LAVA_PLACE_CPU]), shape->flop * 1e-9, shape->bytes / 0x1p30,
            shape->calls[LAVA_PLACE_GPU] > 0 ? "~" : " ", seconds(shape->cpu_ns));
}

static void print_table(FILE *stream, const struct report *report) {
    fprintf(stream, "  %-22s %-14s %8s %9s %8s %9s %11s %9s %10s\n", "routine", "order", "on GPU", "s",
            "on CPU", "s", "GFLOP", "GiB", "CPU alone");
    for (size_t i = 0; i < report->shape_count; i++)
        print_shape(stream, &report->shapes[i]);
    if (report->shape_count > 1)
        print_shape(stream, &report->total);
}

static void print_under(FILE *stream, const struct report *report) {
    if (report->under_count > 0)
        fputs("called by other calls, and counted in theirs:\n", stream);
    for (size_t i = 0; i < report->under_count; i++) {
        const struct report_under *sum = &report->under[i];
        fprintf(stream, "  %-22s under %-16s %8.0f calls on the %s %9.3f s %11.1f GFLOP\n", sum->routine,
                sum->outer, sum->calls, sum->place == LAVA_PLACE_GPU ? "GPU" : "CPU", seconds(sum->ns),
                sum->flop * 1e-9);
    }
    if (report->small_timed < report->small_calls)
        fprintf(stream, "small calls: %.0f of %.0f were timed, the times of the others are estimated\n",
                report->small_timed, report->small_calls);
}

/* Whose counts were found, because they have not told them. */
static void print_live(FILE *stream, const struct report *report) {
    static const char *const texts[REPORT_LIVE_STATES] = {
        [REPORT_RUNS] = "still running: what it has counted so far is in here",
        [REPORT_ENDED] = "ended by a signal, by a crash or by _exit(): what it had counted is in here",
        [REPORT_OTHER] = "with another build of LavaBLAS: what it counted is missing here"};
    for (int state = 0; state < REPORT_LIVE_STATES; state++)
        if (report->live[state] > 0)
            fprintf(stream, "lavablas: %zu process%s %s\n", report->live[state],
                    report->live[state] > 1 ? "es, each" : "", texts[state]);
}

/* The first sentences: whether it helped, where the time went, and what to do. */
static void print_verdict(FILE *stream, const struct report *report, const struct report_end *end) {
    char text[800];
    report_judge(report, text, sizeof text);
    fprintf(stream, "lavablas: %s\n", text);
    report_advise(report, end, text, sizeof text);
    if (*text)
        fprintf(stream, "lavablas: %s\n", text);
    if (report_fact(report, "history") && !report_fact(report, "no_device"))
        fprintf(stream, "lavablas: the program's history: %s\n", report_fact(report, "history"));
    print_live(stream, report);
}

static void print_end(FILE *stream, const struct report_end *end) {
    if (!end)
        return;
    if (end->signal)
        fprintf(stream, "lavablas: ended by signal %d (%s) after %.3f s\n", end->signal,
                strsignal(end->signal), end->seconds);
    else
        fprintf(stream, "lavablas: ended with status %d after %.3f s\n", end->status, end->seconds);
    compare_print(stream, &end->compare);
}

static void print_reasons(FILE *stream, const struct report *report) {
    for (int place = 0; place < LAVA_PLACE_COUNT; place++) {
        bool any = false;
        for (size_t i = 0; i < report->reason_count; i++) {
            const struct report_reason *sum = &report->reasons[i];
            if ((int)sum->place != place)
                continue;
            if (!any)
                fprintf(stream, "on the %s:\n", place == LAVA_PLACE_GPU ? "GPU" : "CPU");
            any = true;
            fprintf(stream, "  %-*s%8.0f calls %9.3f s  %s\n", *sum->routine ? 23 : 0, sum->routine,
                    sum->calls, seconds(sum->ns), sum->reason);
        }
    }
}

static void print_losses(FILE *stream, const struct report *report) {
    static const char *const names[LAVA_PLACE_COUNT] = {[LAVA_PLACE_CPU] = "CPU", [LAVA_PLACE_GPU] = "GPU"};
    for (int place = 0; place < LAVA_PLACE_COUNT; place++)
        if (report->total.lost_ns[place] > 0)
            fprintf(stream, "lost: calls on the %s took %.3f s longer than the %s's estimate\n", names[place],
                    seconds(report->total.lost_ns[place]), names[1 - place]);
    bool any = false;
    for (size_t i = 0; i < report->shape_count; i++)
        for (int place = 0; place < LAVA_PLACE_COUNT; place++) {
            const struct report_shape *shape = &report->shapes[i];
            if (shape->lost_ns[place] < LEAST_LOSS_NS)
                continue;
            if (!any)
                fputs("lost by routine:\n", stream);
            any = true;
            print_order(stream, shape->routine, shape->least_order);
            fprintf(stream, " %9.3f s on the %s\n", seconds(shape->lost_ns[place]), names[place]);
        }
}

/* Both directions may be busy at a time, and several devices: the shares are not parts of a whole. */
static void print_transfer(FILE *stream, const char *where, double bytes, double ns, double all_ns) {
    fprintf(stream, "%.3f GiB %s", bytes / 0x1p30, where);
    if (ns > 0)
        fprintf(stream, " in %.3f s (%.0f %%)", seconds(ns), 100 * ns / all_ns);
}

static void print_transfers(FILE *stream, const struct report *report) {
    double gpu_ns = report->total.ns[LAVA_PLACE_GPU];
    if (report->total.calls[LAVA_PLACE_GPU] == 0)
        return;
    fputs("copied: ", stream);
    print_transfer(stream, "to the device", report->up_bytes, report->up_ns, gpu_ns);
    fputs(", ", stream);
    print_transfer(stream, "back", report->down_bytes, report->down_ns, gpu_ns);
    fputs(report->up_ns + report->down_ns > 0 ? "; percent of the calls' time on the GPU\n" : "\n", stream);
    if (report->stayed_uses > 0)
        fprintf(stream, "not copied: %.3f GiB of matrices that stayed on the device, in %.0f uses\n",
                report->stayed_bytes / 0x1p30, report->stayed_uses);
}

static void print_copies(FILE *stream, const struct report *report) {
    const struct report_copies *sum = &report->copies;
    if (sum->why)
        fprintf(stream, "no matrix stays on the device: %s\n", sum->why);
    if (sum->stored > 0)
        fprintf(
            stream,
            "copies of matrices on the device: %.0f stored, %.0f used, %.0f uploaded anew by %.3f GiB, %.0f "
            "forgotten, %.0f evicted, %.0f differences\n",
            sum->stored, sum->used, sum->refreshed, sum->refreshed_bytes / 0x1p30, sum->forgotten,
            sum->evicted, sum->differences);
    for (size_t i = 0; i < report->matrix_count && i < MOST_MATRICES; i++) {
        const struct report_matrix *matrix = &report->matrices[i];
        fprintf(stream, "  %-14s %6.0f x %-6.0f %8.1f MiB: ", matrix->address, matrix->rows, matrix->columns,
                matrix->bytes / 0x1p20);
        if (!matrix->why || matrix->uses > 0)
            fprintf(stream, "%.0f uses, %.1f ms saved%s", matrix->uses, matrix->saved_ns * 1e-6,
                    matrix->why ? "; " : "");
        fprintf(stream, "%s%s\n", matrix->why ? "does not stay: " : "", matrix->why ? matrix->why : "");
    }
    if (report->matrix_count > MOST_MATRICES)
        fprintf(stream, "  and %zu more\n", report->matrix_count - MOST_MATRICES);
}

/* Calls of a process that is not the only one. */
static void print_processes(FILE *stream, const struct report *report) {
    size_t quiet = 0;
    if (report->process_count < 2)
        return;
    fprintf(stream, "processes, of which the table is the sum:\n");
    for (size_t i = 0; i < report->process_count; i++) {
        const struct report_process *process = &report->processes[i];
        quiet += process->calls == 0;
        if (process->calls > 0)
            fprintf(stream, "  %-7.0f %s: %.0f calls, %.3f s\n", json_number(process->line, "pid"),
                    json_text(process->line, "program", "?"), process->calls, seconds(process->ns));
    }
    if (quiet)
        fprintf(stream, "  %zu more without a call\n", quiet);
}

static void print_details(FILE *stream, const struct report *report) {
    print_under(stream, report);
    print_reasons(stream, report);
    print_transfers(stream, report);
    print_copies(stream, report);
    print_losses(stream, report);
    print_processes(stream, report);
}

void report_print(FILE *stream, const struct report *report, const struct report_end *end) {
    const char *no_device = report_fact(report, "no_device"), *cpu_blas = report_fact(report, "cpu_blas");
    struct cpu_advice advice;
    print_verdict(stream, report, end);
    print_end(stream, end);
    if (report->shape_count > 0)
        print_table(stream, report);
    if (report->has_details)
        print_details(stream, report);
    if (cpu_blas && report->has_details)
        fprintf(stream, "CPU BLAS: %s\n", cpu_blas);
    if (cpu_blas && cpu_advice_find(cpu_blas, &advice))
        fprintf(stream, "  %s\n  remedy: %s\n", advice.what, advice.remedy);
    if (no_device)
        fprintf(stream, "no device: %s; `lavablas doctor` says more\n", no_device);
    for (size_t i = 0; i < report->bypass_count; i++)
        fprintf(stream, "not intercepted: %s in %s: %s\n", report->bypasses[i].routine,
                report->bypasses[i].path, report->bypasses[i].why);
}

static void put_shape(FILE *stream, const struct report_shape *shape) {
    fprintf(
        stream,
        "\"gpu_calls\":%.0f,\"gpu_ns\":%.0f,\"cpu_calls\":%.0f,\"cpu_ns\":%.0f,\"flop\":%.0f,\"bytes\":%.0f,"
        "\"cpu_alone_ns\":%.0f,\"cpu_alone_is_estimated\":%s,\"gpu_lost_ns\":%.0f,\"cpu_lost_ns\":%.0f}",
        shape->calls[LAVA_PLACE_GPU], shape->ns[LAVA_PLACE_GPU], shape->calls[LAVA_PLACE_CPU],
        shape->ns[LAVA_PLACE_CPU], shape->flop, shape->bytes, shape->cpu_ns,
        shape->calls[LAVA_PLACE_GPU] > 0 ? "true" : "false", shape->lost_ns[LAVA_PLACE_GPU],
        shape->lost_ns[LAVA_PLACE_CPU]);
}

static void put_shapes(FILE *stream, const struct report *report) {
    for (size_t i = 0; i < report->shape_count; i++) {
        fprintf(stream, "%s{\"routine\":", i ? "," : "");
        lava_json_put(stream, report->shapes[i].routine);
        fprintf(stream, ",\"least_order\":%.0f,", report->shapes[i].least_order);
        put_shape(stream, &report->shapes[i]);
    }
}

static void put_reasons(FILE *stream, const struct report *report) {
    for (size_t i = 0; i < report->reason_count; i++) {
        const struct report_reason *sum = &report->reasons[i];
        fprintf(stream, "%s{\"place\":\"%s\"", i ? "," : "", lava_stats_place(sum->place));
        if (*sum->routine)
            lava_json_put_member(stream, "routine", sum->routine);
        lava_json_put_member(stream, "reason", sum->reason);
        fprintf(stream, ",\"calls\":%.0f,\"ns\":%.0f,\"flop\":%.0f}", sum->calls, sum->ns, sum->flop);
    }
}

static void put_under(FILE *stream, const struct report *report) {
    for (size_t i = 0; i < report->under_count; i++) {
        const struct report_under *sum = &report->under[i];
        fprintf(stream,
                "%s{\"routine\":\"%s\",\"outer\":\"%s\",\"place\":\"%s\",\"calls\":%.0f,\"ns\":%.0f,"
                "\"flop\":%.0f}",
                i ? "," : "", sum->routine, sum->outer, lava_stats_place(sum->place), sum->calls, sum->ns,
                sum->flop);
    }
}

static void put_copies(FILE *stream, const struct report *report) {
    const struct report_copies *sum = &report->copies;
    if (!sum->is_known)
        return;
    fprintf(stream,
            ",\"copies\":{\"stored\":%.0f,\"used\":%.0f,\"refreshed\":%.0f,\"refreshed_bytes\":%.0f,"
            "\"forgotten\":%.0f,\"evicted\":%.0f,\"differences\":%.0f",
            sum->stored, sum->used, sum->refreshed, sum->refreshed_bytes, sum->forgotten, sum->evicted,
            sum->differences);
    lava_json_put_member(stream, "why", sum->why);
    fputs(",\"matrices\":[", stream);
    for (size_t i = 0; i < report->matrix_count; i++) {
        const struct report_matrix *matrix = &report->matrices[i];
        fprintf(stream,
                "%s{\"address\":\"%s\",\"rows\":%.0f,\"columns\":%.0f,\"bytes\":%.0f,\"uses\":%.0f,"
                "\"saved_ns\":%.0f",
                i ? "," : "", matrix->address, matrix->rows, matrix->columns, matrix->bytes, matrix->uses,
                matrix->saved_ns);
        lava_json_put_member(stream, "why", matrix->why);
        fputc('}', stream);
    }
    fputs("]}", stream);
}

static void put_processes(FILE *stream, const struct report *report) {
    for (size_t i = 0; i < report->process_count; i++) {
        const struct report_process *process = &report->processes[i];
        fprintf(stream, "%s{\"pid\":%.0f,\"parent\":%.0f", i ? "," : "", json_number(process->line, "pid"),
                json_number(process->line, "parent"));
        lava_json_put_member(stream, "program", json_text(process->line, "program", NULL));
        fprintf(stream, ",\"unfinished\":%s,\"calls\":%.0f,\"ns\":%.0f}",
                json_member(process->line, "unfinished") ? "true" : "false", process->calls, process->ns);
    }
}

static void put_bypasses(FILE *stream, const struct report *report) {
    for (size_t i = 0; i < report->bypass_count; i++) {
        fprintf(stream, "%s{\"path\":", i ? "," : "");
        lava_json_put(stream, report->bypasses[i].path);
        lava_json_put_member(stream, "routine", report->bypasses[i].routine);
        lava_json_put_member(stream, "why", report->bypasses[i].why);
        fputc('}', stream);
    }
}

void report_print_json(FILE *stream, const struct report *report, const struct report_end *how) {
    const struct report_end unknown = {.status = -1}, *end = how ? how : &unknown;
    char text[800];
    static const char *const names[] = {"cpu_blas", "device", "no_device", "figures", "history"};
    fprintf(stream, "{\"status\":%d,\"signal\":%d,\"ns\":%.0f,\"cpu_run_ns\":%.0f", end->status, end->signal,
            end->seconds * 1e9, end->compare.runs ? compare_median(end->compare.plain) * 1e9 : 0);
    compare_put(stream, &end->compare);
    report_judge(report, text, sizeof text);
    lava_json_put_member(stream, "verdict", text);
    report_advise(report, how, text, sizeof text);
    lava_json_put_member(stream, "advice", *text ? text : NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        lava_json_put_member(stream, names[i], report_fact(report, names[i]));
    fputs(",\"total\":{", stream);
    put_shape(stream, &report->total);
    fputs(",\"shapes\":[", stream);
    put_shapes(stream, report);
    fputs("],\"reasons\":[", stream);
    put_reasons(stream, report);
    fputs("],\"under\":[", stream);
    put_under(stream, report);
    fprintf(stream, "],\"small\":{\"calls\":%.0f,\"timed\":%.0f}", report->small_calls, report->small_timed);
    fprintf(stream, ",\"transfers\":{\"up_bytes\":%.0f,\"up_ns\":%.0f,\"down_bytes\":%.0f,\"down_ns\":%.0f",
            report->up_bytes, report->up_ns, report->down_bytes, report->down_ns);
    fprintf(stream, ",\"stayed_uses\":%.0f,\"stayed_bytes\":%.0f", report->stayed_uses, report->stayed_bytes);
    fputc('}', stream);
    put_copies(stream, report);
    fputs(",\"processes\":[", stream);
    put_processes(stream, report);
    fputs("],\"not_intercepted\":[", stream);
    put_bypasses(stream, report);
    fputs("]}\n", stream);
}
