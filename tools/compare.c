/* Medians and spreads of a few runs. Called by run.c and report_print.c. */
#include "tools/compare.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(const double seconds[COMPARE_RUNS], double sorted[COMPARE_RUNS]) {
    memcpy(sorted, seconds, COMPARE_RUNS * sizeof *sorted);
    qsort(sorted, COMPARE_RUNS, sizeof *sorted, by_value);
}

double compare_median(const double seconds[COMPARE_RUNS]) {
    double sorted[COMPARE_RUNS];
    sort(seconds, sorted);
    return sorted[COMPARE_RUNS / 2];
}

bool compare_differs(const struct compare *compare) {
    double with[COMPARE_RUNS], plain[COMPARE_RUNS];
    sort(compare->with, with);
    sort(compare->plain, plain);
    return compare->runs > 0 && (with[COMPARE_RUNS - 1] < plain[0] || plain[COMPARE_RUNS - 1] < with[0]);
}

static void print_runs(FILE *stream, const char *what, const double seconds[COMPARE_RUNS]) {
    double sorted[COMPARE_RUNS];
    sort(seconds, sorted);
    fprintf(stream, "%s %.3f s (%.3f to %.3f)", what, sorted[COMPARE_RUNS / 2], sorted[0],
            sorted[COMPARE_RUNS - 1]);
}

void compare_print(FILE *stream, const struct compare *compare) {
    double with = compare_median(compare->with), plain = compare_median(compare->plain);
    if (compare->runs == 0)
        return;
    fprintf(stream, "lavablas: compared, medians of %d runs each in turn: ", compare->runs);
    print_runs(stream, "with LavaBLAS", compare->with);
    print_runs(stream, ", with the CPU alone", compare->plain);
    if (!compare_differs(compare))
        fputs(": no difference beyond the spread\n", stream);
    else if (with < plain)
        fprintf(stream, ": %.2f times as fast\n", plain / with);
    else
        fprintf(stream, ": it took %.2f times as long\n", with / plain);
}

static void put_runs(FILE *stream, const char *name, const double seconds[COMPARE_RUNS]) {
    fprintf(stream, "\"%s\":[", name);
    for (int i = 0; i < COMPARE_RUNS; i++)
        fprintf(stream, "%s%.0f", i ? "," : "", seconds[i] * 1e9);
    fputc(']', stream);
}

void compare_put(FILE *stream, const struct compare *compare) {
    fputs(",\"compare\":", stream);
    if (compare->runs == 0) {
        fputs("null", stream);
        return;
    }
    fputc('{', stream);
    put_runs(stream, "ns", compare->with);
    fputc(',', stream);
    put_runs(stream, "cpu_ns", compare->plain);
    fprintf(stream, ",\"differs\":%s}", compare_differs(compare) ? "true" : "false");
}
