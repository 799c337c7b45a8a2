/* Reads logs of calls and estimates. Called by run.c and replay.c. Letters that a log does not tell have
 * usual values: nothing is transposed, eigenvectors and singular vectors are wanted. */
#include "tools/whatif.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/explain.h"

/* Lines are summed up each time that this many are there. */
#define BATCH 65536
/* More rows are not listed. */
#define MOST_ROWS 12

static int by_call(const void *a, const void *b) {
    const struct whatif_call *x = a, *y = b;
    const int64_t sizes[][2] = {
        {x->m, y->m},          {x->n, y->n}, {x->k, y->k}, {x->sides, y->sides}, {x->products, y->products},
        {x->on_cpu, y->on_cpu}};
    int order = strcmp(x->routine, y->routine);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !order; i++)
        order = (sizes[i][0] > sizes[i][1]) - (sizes[i][0] < sizes[i][1]);
    return order;
}

static void sum_up(struct whatif *whatif) {
    size_t kept = 0;
    if (whatif->count > 0)
        qsort(whatif->list, whatif->count, sizeof *whatif->list, by_call);
    for (size_t i = 0; i < whatif->count; i++) {
        struct whatif_call *last = kept > 0 ? &whatif->list[kept - 1] : NULL;
        if (last && !by_call(last, &whatif->list[i])) {
            last->calls += whatif->list[i].calls;
            last->recorded_ns += whatif->list[i].recorded_ns;
        } else {
            whatif->list[kept++] = whatif->list[i];
        }
    }
    whatif->count = whatif->sorted = kept;
}

static bool add(struct whatif *whatif, const struct whatif_call *call) {
    if (whatif->count == whatif->sorted + BATCH)
        sum_up(whatif);
    if (whatif->count == whatif->sorted) { /* there may be no room for more */
        struct whatif_call *list = realloc(whatif->list, (whatif->count + BATCH) * sizeof *list);
        if (!list)
            return false;
        whatif->list = list;
    }
    whatif->list[whatif->count++] = *call;
    return true;
}

/* Reads " NAME NUMBER", and moves *text behind it. */
static bool read_number(const char **text, const char *name, int64_t *number) {
    size_t length = strlen(name);
    char *end;
    if (strncmp(*text, name, length) != 0)
        return false;
    *number = strtoll(*text + length, &end, 10);
    bool is_read = end > *text + length;
    *text = end;
    return is_read;
}

/* "dgemm_ m 300 n 250 k 200 sides 3 products 9: cpu, 1.234 ms, in dgesv_: why". Returns whether it is a line
 * of an outermost call. */
static bool read_line(const char *line, struct whatif_call *call) {
    const char *text = strstr(line, " m ");
    const char *name = text;
    while (name && name > line && name[-1] != ' ')
        name--;
    *call = (struct whatif_call){.calls = 1};
    if (!text || (size_t)(text - name) >= sizeof call->routine)
        return false;
    memcpy(call->routine, name, (size_t)(text - name));
    if (!read_number(&text, " m ", &call->m) || !read_number(&text, " n ", &call->n) ||
        !read_number(&text, " k ", &call->k))
        return false;
    (void)read_number(&text, " sides ", &call->sides);
    (void)read_number(&text, " products ", &call->products);
    char place[4];
    double ms;
    int length = 0;
    if (sscanf(text, ": %3[a-z], %lf ms%n", place, &ms, &length) < 2 || !length || text[length] != ':')
        return false;
    call->recorded_ns = ms * 1e6;
    call->on_cpu = !strcmp(place, "cpu");
    return true;
}

bool whatif_read(struct whatif *whatif, const char *path) {
    char *line = NULL;
    size_t size = 0;
    bool complete = true;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (complete && getline(&line, &size, file) > 0) {
        struct whatif_call call;
        if (read_line(line, &call))
            complete = add(whatif, &call);
    }
    complete = complete && !ferror(file);
    int error = errno;
    free(line);
    fclose(file);
    errno = error;
    return complete;
}

struct estimate {
    const struct whatif_call *call;
    bool is_known, on_gpu;
    double cpu_ns, with_ns; /* of all its calls */
};

static struct estimate estimate(const struct whatif_call *sum, const struct profile_device *made) {
    struct estimate result = {.call = sum};
    struct lava_call call = {0};
    struct lava_plan plan;
    const struct explain_sizes sizes = {sum->m, sum->n, sum->k, sum->sides, sum->products};
    result.is_known = explain_call_of_sizes(sum->routine, &sizes, &call);
    if (!result.is_known)
        return result;
    double each_ns = sum->on_cpu ? sum->recorded_ns / sum->calls : 0;
    profile_device_choose(made, &call, each_ns, &plan);
    result.on_gpu = plan.place == LAVA_PLACE_GPU;
    result.cpu_ns = sum->on_cpu ? sum->recorded_ns : sum->calls * plan.cpu_ns;
    result.with_ns = result.on_gpu ? sum->calls * plan.gpu_ns : result.cpu_ns;
    return result;
}

static int by_time(const void *a, const void *b) {
    const struct estimate *x = a, *y = b;
    return (x->cpu_ns < y->cpu_ns) - (x->cpu_ns > y->cpu_ns);
}

static void print_row(FILE *stream, const struct estimate *row) {
    char sizes[96];
    int length = snprintf(sizes, sizeof sizes, "%" PRId64 " x %" PRId64 " x %" PRId64, row->call->m,
                          row->call->n, row->call->k);
    if (row->call->sides > 0)
        snprintf(sizes + length, sizeof sizes - (size_t)length, ", %" PRId64 " sides", row->call->sides);
    else if (row->call->products > 0)
        snprintf(sizes + length, sizeof sizes - (size_t)length, ", %" PRId64 " products",
                 row->call->products);
    fprintf(stream, "  %-22s %-30s %8.0f %s%9.3f %9.3f  %s\n", row->call->routine, sizes, row->call->calls,
            row->call->on_cpu ? " " : "~", row->cpu_ns * 1e-9, row->with_ns * 1e-9,
            row->on_gpu ? "GPU" : "CPU");
}

/* What matters first, then the rest in one line. */
static void print_rows(FILE *stream, const struct estimate *rows, size_t count) {
    struct estimate rest = {0};
    double calls = 0;
    fprintf(stream, "  %-22s %-30s %8s %10s %9s\n", "routine", "m x n x k", "calls", "CPU s", "with it");
    for (size_t i = 0; i < count; i++) {
        if (i < MOST_ROWS) {
            print_row(stream, &rows[i]);
            continue;
        }
        calls += rows[i].call->calls;
        rest.cpu_ns += rows[i].cpu_ns;
        rest.with_ns += rows[i].with_ns;
    }
    if (count > MOST_ROWS)
        fprintf(stream, "  %-53s %8.0f  %9.3f %9.3f\n", "others", calls, rest.cpu_ns * 1e-9,
                rest.with_ns * 1e-9);
}

bool whatif_print(FILE *stream, struct whatif *whatif, const struct profile_device *made) {
    double cpu_ns = 0, with_ns = 0, gpu_calls = 0, calls = 0, unknown = 0;
    size_t known = 0;
    sum_up(whatif);
    struct estimate *rows = calloc(whatif->count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < whatif->count; i++) {
        const struct estimate row = estimate(&whatif->list[i], made);
        if (!row.is_known) {
            unknown += whatif->list[i].calls;
            continue;
        }
        rows[known++] = row;
        cpu_ns += row.cpu_ns;
        with_ns += row.with_ns;
        calls += row.call->calls;
        gpu_calls += row.on_gpu ? row.call->calls : 0;
    }
    if (known > 0) {
        double gain = with_ns > 0 ? cpu_ns / with_ns : 1;
        qsort(rows, known, sizeof *rows, by_time);
        fprintf(stream,
                "lavablas: an estimate, nothing was measured on such a device: %s with %.0f GiB of memory "
                "and ready from "
                "the start would compute in %.3f s what takes %.3f s on this CPU: %.1f times as fast, with "
                "%.0f of %.0f "
                "calls on the GPU\n",
                made->label, (double)made->device.memory_bytes / 0x1p30, with_ns * 1e-9, cpu_ns * 1e-9, gain,
                gpu_calls, calls);
        print_rows(stream, rows, known);
        if (unknown > 0)
            fprintf(stream,
                    "  without an estimate: %.0f calls of routines that `lavablas explain` does not know\n",
                    unknown);
    } else {
        fputs("lavablas: no call that could be estimated\n", stream);
    }
    free(rows);
    return known > 0;
}

void whatif_free(struct whatif *whatif) {
    free(whatif->list);
}
