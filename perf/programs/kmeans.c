/* Lloyd's k-means. Products give the distances of all points to all centroids, some thousand points at a
 * time. One thread finds the nearest centroid of each point and the new centroids. */
#include <math.h>
#include <stdlib.h>

#include "programs.h"

#define CHUNK 8192 /* points: their distances to 4096 centroids take 128 MiB */

struct clustering {
    int points, dimensions, clusters;
    float *data, *centroids, *distances;
    float *lengths; /* squared, of the centroids */
    double *sums;
    int *counts;
};

static void *zeros(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (!memory)
        abort();
    return memory;
}

/* Points around random centres, one per cluster. The first points are the first centroids. */
static void make(struct clustering *c) {
    size_t dimensions = (size_t)c->dimensions, clusters = (size_t)c->clusters;
    float *middles = program_floats(clusters * dimensions);
    c->data = program_floats((size_t)c->points * dimensions);
    c->centroids = program_floats(clusters * dimensions);
    c->distances = program_floats(CHUNK * clusters);
    c->lengths = program_floats(clusters);
    c->sums = zeros(clusters * dimensions, sizeof *c->sums);
    c->counts = zeros(clusters, sizeof *c->counts);
    for (size_t i = 0; i < clusters * dimensions; i++)
        middles[i] = program_random();
    for (size_t point = 0; point < (size_t)c->points; point++) {
        size_t middle = (size_t)((program_random() + 1) / 2 * (float)clusters) % clusters;
        for (size_t i = 0; i < dimensions; i++)
            c->data[point * dimensions + i] = middles[middle * dimensions + i] + program_random();
    }
    for (size_t i = 0; i < clusters * dimensions; i++)
        c->centroids[i] = c->data[i];
    free(middles);
}

static float square(const float *vector, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += vector[i] * vector[i];
    return sum;
}

/* Adds a point to its nearest centroid and returns the squared distance. */
static float assign(struct clustering *c, const float *point, const float *products) {
    int nearest = 0;
    float least = INFINITY;
    for (int i = 0; i < c->clusters; i++) {
        float distance = c->lengths[i] + products[i];
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    double *sum = &c->sums[(size_t)nearest * (size_t)c->dimensions];
    for (int i = 0; i < c->dimensions; i++)
        sum[i] += point[i];
    c->counts[nearest]++;
    return least + square(point, c->dimensions);
}

/* A centroid without points is not moved. */
static void move_centroids(struct clustering *c) {
    for (int i = 0; i < c->clusters; i++) {
        double *sum = &c->sums[(size_t)i * (size_t)c->dimensions];
        for (int j = 0; j < c->dimensions; j++) {
            if (c->counts[i] > 0)
                c->centroids[(size_t)i * (size_t)c->dimensions + (size_t)j] = (float)(sum[j] / c->counts[i]);
            sum[j] = 0;
        }
        c->counts[i] = 0;
    }
}

static double iterate(struct clustering *c) {
    double inertia = 0;
    for (int i = 0; i < c->clusters; i++)
        c->lengths[i] = square(&c->centroids[(size_t)i * (size_t)c->dimensions], c->dimensions);
    for (int first = 0; first < c->points; first += CHUNK) {
        int rows = c->points - first < CHUNK ? c->points - first : CHUNK;
        const float *data = &c->data[(size_t)first * (size_t)c->dimensions];
        program_multiply(false, true, rows, c->clusters, c->dimensions, -2, data, c->centroids, c->distances);
        for (int row = 0; row < rows; row++)
            inertia += (double)assign(c, &data[(size_t)row * (size_t)c->dimensions],
                                      &c->distances[(size_t)row * (size_t)c->clusters]);
    }
    move_centroids(c);
    return inertia;
}

void kmeans_run(const int sizes[PROGRAM_SIZES]) {
    struct clustering c = {.points = sizes[0], .dimensions = sizes[1], .clusters = sizes[2]};
    int iterations = sizes[3];
    double *inertia = zeros((size_t)iterations, sizeof *inertia);
    if (c.clusters > c.points)
        c.clusters = c.points;
    make(&c);

    program_start();
    for (int i = 0; i < iterations; i++)
        inertia[i] = iterate(&c);
    program_stop();

    program_print("inertia", inertia, iterations);
    free(inertia);
    free(c.data);
    free(c.centroids);
    free(c.distances);
    free(c.lengths);
    free(c.sums);
    free(c.counts);
}
