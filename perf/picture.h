/* A picture of rates over sizes, a line for each library, as PNG. gnuplot 5.2 or later draws it. For one
 * thread only. */
#ifndef PERF_PICTURE_H
#define PERF_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

struct picture_point {
    int line;
    double order, flops_per_s;
};

/* Owned by the caller; all zero at first. */
struct picture {
    const char *path; /* NULL: none is drawn; not copied */
    int file;
    struct picture_point *points;
    size_t count;
};

/* Looks for gnuplot and opens the file, both before anything is measured. The file keeps what it has until
 * picture_draw. Returns false, with a line on stderr that begins with `name`, if one of them is missing.
 */
bool picture_open(struct picture *picture, const char *name, const char *path);
/* Adds the rate of a product; order is that of square matrices with as many operations. Does nothing if
 * no picture is open. */
void picture_add(struct picture *picture, int line, double order, double flops_per_s);
/* Draws the lines, n, with these labels, and writes the file. Letters of the texts that gnuplot could
 * take for anything but text are replaced. Returns false, with a line on stderr, if that fails. */
bool picture_draw(struct picture *picture, const char *name, const char *title, const char *const *labels,
                  int lines);
/* Frees what it holds. One that was not opened is allowed. */
void picture_close(struct picture *picture);

#endif
