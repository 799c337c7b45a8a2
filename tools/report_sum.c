/* Reads and sums up the reports of processes. Called by run.c, report.c and top.c. */
#include "tools/report_sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/stats.h"

/* Returns the array with room for one more element, all zero, behind those it has; exits if there is no
 * memory. The room doubles. */
static void *grow(void *array, size_t count, size_t each) {
    if ((count & (count - 1)) == 0) { /* 0 or a power of two: full */
        array = realloc(array, (count ? 2 * count : 1) * each);
        if (!array) {
            fputs("lavablas: no memory\n", stderr);
            exit(1);
        }
    }
    memset((char *)array + count * each, 0, each);
    return array;
}

static enum lava_place place_of(const struct json *entry) {
    bool is_gpu = !strcmp(json_text(entry, "place", ""), lava_stats_place(LAVA_PLACE_GPU));
    return is_gpu ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
}

static void add_to_shape(struct report_shape *shape, const struct json *entry) {
    enum lava_place place = place_of(entry);
    double ns = json_number(entry, "ns");
    shape->calls[place] += json_number(entry, "calls");
    shape->ns[place] += ns;
    shape->lost_ns[place] += json_number(entry, "lost_ns");
    shape->flop += json_number(entry, "flop");
    shape->bytes += json_number(entry, "bytes");
    shape->cpu_ns += place == LAVA_PLACE_CPU ? ns : json_number(entry, "cpu_ns");
}

static void add_shape(struct report *report, const struct json *entry) {
    const char *routine = json_text(entry, "routine", "?");
    double order = json_number(entry, "order");
    struct report_shape *shape = NULL;
    for (size_t i = 0; i < report->shape_count && !shape; i++)
        if (!strcmp(report->shapes[i].routine, routine) && report->shapes[i].least_order == order)
            shape = &report->shapes[i];
    if (!shape) {
        report->shapes = grow(report->shapes, report->shape_count, sizeof *shape);
        shape = &report->shapes[report->shape_count++];
        shape->routine = routine;
        shape->least_order = order;
    }
    add_to_shape(shape, entry);
    add_to_shape(&report->total, entry);
}

static void add_reason(struct report *report, const struct json *entry, bool detailed) {
    const char *reason = json_text(entry, "reason", "?");
    const char *routine = detailed ? json_text(entry, "routine", "?") : "";
    enum lava_place place = place_of(entry);
    struct report_reason *sum = NULL;
    for (size_t i = 0; i < report->reason_count && !sum; i++)
        if (!strcmp(report->reasons[i].reason, reason) && report->reasons[i].place == place &&
            !strcmp(report->reasons[i].routine, routine))
            sum = &report->reasons[i];
    if (!sum) {
        report->reasons = grow(report->reasons, report->reason_count, sizeof *sum);
        sum = &report->reasons[report->reason_count++];
        *sum = (struct report_reason){.routine = routine, .reason = reason, .place = place};
    }
    sum->calls += json_number(entry, "calls");
    sum->ns += json_number(entry, "ns");
    sum->flop += json_number(entry, "flop");
}

/* The outer call's time counts what ran on the GPU under it. */
static void add_under(struct report *report, const struct json *entry) {
    const char *outer = json_text(entry, "outer", "?"), *routine = json_text(entry, "routine", "?");
    enum lava_place place = place_of(entry);
    struct report_under *sum = NULL;
    for (size_t i = 0; i < report->under_count && !sum; i++)
        if (!strcmp(report->under[i].outer, outer) && !strcmp(report->under[i].routine, routine) &&
            report->under[i].place == place)
            sum = &report->under[i];
    if (!sum) {
        report->under = grow(report->under, report->under_count, sizeof *sum);
        sum = &report->under[report->under_count++];
        *sum = (struct report_under){.outer = outer, .routine = routine, .place = place};
    }
    sum->calls += json_number(entry, "calls");
    sum->ns += json_number(entry, "ns");
    sum->flop += json_number(entry, "flop");
    if (place == LAVA_PLACE_GPU)
        report->total.cpu_ns += json_number(entry, "cpu_ns") - json_number(entry, "ns");
}

static void add_copies(struct report *report, const struct json *copies) {
    struct report_copies *sum = &report->copies;
    if (!copies)
        return;
    sum->is_known = true;
    sum->why = json_text(copies, "why", sum->why);
    sum->stored += json_number(copies, "stored");
    sum->used += json_number(copies, "used");
    sum->refreshed += json_number(copies, "refreshed");
    sum->refreshed_bytes += json_number(copies, "refreshed_bytes");
    sum->forgotten += json_number(copies, "forgotten");
    sum->evicted += json_number(copies, "evicted");
    sum->differences += json_number(copies, "differences");
    for (const struct json *entry = json_elements(copies, "matrices"); entry; entry = entry->next) {
        report->matrices = grow(report->matrices, report->matrix_count, sizeof *report->matrices);
        report->matrices[report->matrix_count++] =
            (struct report_matrix){.address = json_text(entry, "address", "?"),
                                   .why = json_text(entry, "why", NULL),
                                   .rows = json_number(entry, "rows"),
                                   .columns = json_number(entry, "columns"),
                                   .bytes = json_number(entry, "bytes"),
                                   .uses = json_number(entry, "uses"),
                                   .saved_ns = json_number(entry, "saved_ns")};
    }
}

static void add_process(struct report *report, struct json *line, bool detailed) {
    report->processes = grow(report->processes, report->process_count, sizeof *report->processes);
    struct report_process *process = &report->processes[report->process_count++];
    process->line = line;
    for (const struct json *entry = json_elements(line, "shapes"); entry; entry = entry->next)
        add_shape(report, entry);
    for (const struct json *entry = json_elements(line, "calls"); entry; entry = entry->next) {
        add_reason(report, entry, detailed);
        process->calls += json_number(entry, "calls");
        process->ns += json_number(entry, "ns");
    }
    for (const struct json *entry = json_elements(line, "under"); entry; entry = entry->next)
        add_under(report, entry);
    report->small_calls += json_number(json_member(line, "small"), "calls");
    report->small_timed += json_number(json_member(line, "small"), "timed");
    const struct json *transfers = json_member(line, "transfers");
    report->up_bytes += json_number(transfers, "up_bytes");
    report->up_ns += json_number(transfers, "up_ns");
    report->down_bytes += json_number(transfers, "down_bytes");
    report->down_ns += json_number(transfers, "down_ns");
    report->stayed_uses += json_number(transfers, "stayed_uses");
    report->stayed_bytes += json_number(transfers, "stayed_bytes");
    add_copies(report, json_member(line, "copies"));
}

const char *report_fact(const struct report *report, const char *name) {
    const char *text = NULL;
    for (size_t i = 0; i < report->process_count && !text; i++)
        text = json_text(report->processes[i].line, name, NULL);
    return text;
}

void report_add_bypass(struct report *report, const char *path, const char *routine, const char *why) {
    for (size_t i = 0; i < report->bypass_count; i++)
        if (!strcmp(report->bypasses[i].path, path))
            return;
    report->bypasses = grow(report->bypasses, report->bypass_count, sizeof *report->bypasses);
    struct report_bypass *bypass = &report->bypasses[report->bypass_count++];
    snprintf(bypass->path, sizeof bypass->path, "%s", path);
    snprintf(bypass->routine, sizeof bypass->routine, "%s", routine);
    bypass->why = why;
}

static int by_time(const void *a, const void *b) {
    const struct report_shape *x = a, *y = b;
    double first = x->ns[LAVA_PLACE_CPU] + x->ns[LAVA_PLACE_GPU];
    double second = y->ns[LAVA_PLACE_CPU] + y->ns[LAVA_PLACE_GPU];
    return (first < second) - (first > second);
}

static int by_reason_time(const void *a, const void *b) {
    const struct report_reason *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

void report_add_line(struct report *report, char *line, bool detailed) {
    struct json *value = json_parse(line);
    if (value && json_text(value, "lavablas", NULL))
        add_process(report, value, detailed);
    else
        json_free(value);
}

static void sort(struct report *report) {
    if (report->shape_count)
        qsort(report->shapes, report->shape_count, sizeof *report->shapes, by_time);
    if (report->reason_count)
        qsort(report->reasons, report->reason_count, sizeof *report->reasons, by_reason_time);
}

struct addition {
    struct report *report;
    bool detailed;
};

/* Returns false, with errno, if the process's file cannot be read. */
static bool add_file(const char *path, const struct addition *addition) {
    enum report_live_state state;
    char *line = report_live_line(path, &state);
    if (line || errno == EINVAL)
        addition->report->live[state]++;
    if (line)
        report_add_line(addition->report, line, addition->detailed);
    free(line);
    return line != NULL;
}

static void add_live(const char *path, void *context) {
    add_file(path, context);
}

bool report_read_live(const char *path, bool detailed, struct report *report) {
    if (!add_file(path, &(struct addition){report, detailed}))
        return false;
    sort(report);
    return true;
}

bool report_read(const char *path, bool detailed, struct report *report) {
    char *text = json_read_file(path);
    if (!text && errno != ENOENT)
        return false;
    for (char *line = text, *end; line && *line; line = end) {
        size_t length = strcspn(line, "\n");
        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        report_add_line(report, line, detailed);
    }
    free(text);
    report_each_live(path, add_live, &(struct addition){report, detailed});
    sort(report);
    return true;
}

void report_free(struct report *report) {
    for (size_t i = 0; i < report->process_count; i++)
        json_free(report->processes[i].line);
    free(report->processes);
    free(report->shapes);
    free(report->reasons);
    free(report->under);
    free(report->bypasses);
    free(report->matrices);
}
