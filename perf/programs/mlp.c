/* Trains a network of two hidden layers on batches of random data, labelled by another, linear network. There
 * are three products forward and five backward. Between them one thread does the usual other work: bias,
 * ReLU, softmax, the update. */
#include <math.h>
#include <stdlib.h>

#include "programs.h"

#define LAYERS  3
#define BATCHES 2 /* batches of data, used alternately */
#define RATE    0.05f

struct layer {
    int inputs, outputs;
    float *weights, *bias; /* inputs x outputs */
    float *gradient;
    float *result; /* batch x outputs */
    float *delta;  /* the loss's derivative with respect to the result before ReLU */
};

struct network {
    int batch;
    struct layer layers[LAYERS];
    float *data[BATCHES]; /* batch x inputs */
    int *labels[BATCHES];
};

static void fill(float *values, size_t count, float scale) {
    for (size_t i = 0; i < count; i++)
        values[i] = scale * program_random();
}

static void make_layer(struct layer *layer, int batch, int inputs, int outputs) {
    size_t weights = (size_t)inputs * (size_t)outputs, results = (size_t)batch * (size_t)outputs;
    *layer = (struct layer){.inputs = inputs,
                            .outputs = outputs,
                            .weights = program_floats(weights),
                            .bias = program_floats((size_t)outputs),
                            .gradient = program_floats(weights),
                            .result = program_floats(results),
                            .delta = program_floats(results)};
    fill(layer->weights, weights, sqrtf(6 / (float)inputs));
    fill(layer->bias, (size_t)outputs, 0);
}

static void make_batch(struct network *network, int index, const float *teacher) {
    int inputs = network->layers[0].inputs, outputs = network->layers[LAYERS - 1].outputs;
    float *data = program_floats((size_t)network->batch * (size_t)inputs);
    int *labels = malloc((size_t)network->batch * sizeof *labels);
    if (!labels)
        abort();
    fill(data, (size_t)network->batch * (size_t)inputs, 1);
    for (int row = 0; row < network->batch; row++) {
        float best = -INFINITY;
        for (int j = 0; j < outputs; j++) {
            float sum = 0;
            for (int i = 0; i < inputs; i++)
                sum += data[(size_t)row * (size_t)inputs + (size_t)i] * teacher[j * inputs + i];
            if (sum > best) {
                best = sum;
                labels[row] = j;
            }
        }
    }
    network->data[index] = data;
    network->labels[index] = labels;
}

static void forward(struct network *network, const float *data) {
    for (int l = 0; l < LAYERS; l++) {
        struct layer *layer = &network->layers[l];
        program_multiply(false, false, network->batch, layer->outputs, layer->inputs, 1, data, layer->weights,
                         layer->result);
        for (int row = 0; row < network->batch; row++) {
            float *result = &layer->result[(size_t)row * (size_t)layer->outputs];
            for (int j = 0; j < layer->outputs; j++) {
                float sum = result[j] + layer->bias[j];
                result[j] = l == LAYERS - 1 || sum > 0 ? sum : 0;
            }
        }
        data = layer->result;
    }
}

/* Softmax and cross entropy: returns the mean loss and stores its derivative in the last layer's delta. */
static double find_loss(struct network *network, const int *labels) {
    struct layer *last = &network->layers[LAYERS - 1];
    double loss = 0;
    for (int row = 0; row < network->batch; row++) {
        const float *result = &last->result[(size_t)row * (size_t)last->outputs];
        float *delta = &last->delta[(size_t)row * (size_t)last->outputs];
        float most = -INFINITY, sum = 0;
        for (int j = 0; j < last->outputs; j++)
            most = fmaxf(most, result[j]);
        for (int j = 0; j < last->outputs; j++)
            sum += delta[j] = expf(result[j] - most);
        for (int j = 0; j < last->outputs; j++)
            delta[j] = (delta[j] / sum - (j == labels[row])) / (float)network->batch;
        loss += (double)(logf(sum) + most - result[labels[row]]);
    }
    return loss / network->batch;
}

static void update(struct layer *layer, int batch) {
    size_t weights = (size_t)layer->inputs * (size_t)layer->outputs;
    for (size_t i = 0; i < weights; i++)
        layer->weights[i] -= RATE * layer->gradient[i];
    for (int row = 0; row < batch; row++)
        for (int j = 0; j < layer->outputs; j++)
            layer->bias[j] -= RATE * layer->delta[(size_t)row * (size_t)layer->outputs + (size_t)j];
}

static void backward(struct network *network, const float *data) {
    int batch = network->batch;
    for (int l = LAYERS - 1; l >= 0; l--) {
        struct layer *layer = &network->layers[l];
        const float *inputs = l > 0 ? network->layers[l - 1].result : data;
        program_multiply(true, false, layer->inputs, layer->outputs, batch, 1, inputs, layer->delta,
                         layer->gradient);
        if (l > 0) {
            float *delta = network->layers[l - 1].delta;
            program_multiply(false, true, batch, layer->inputs, layer->outputs, 1, layer->delta,
                             layer->weights, delta);
            for (size_t i = 0; i < (size_t)batch * (size_t)layer->inputs; i++)
                delta[i] = inputs[i] > 0 ? delta[i] : 0;
        }
        update(layer, batch);
    }
}

static void free_network(struct network *network) {
    for (int l = 0; l < LAYERS; l++) {
        struct layer *layer = &network->layers[l];
        free(layer->weights);
        free(layer->bias);
        free(layer->gradient);
        free(layer->result);
        free(layer->delta);
    }
    for (int i = 0; i < BATCHES; i++) {
        free(network->data[i]);
        free(network->labels[i]);
    }
}

void mlp_run(const int sizes[PROGRAM_SIZES]) {
    int inputs = sizes[1], hidden = sizes[2], outputs = sizes[3], steps = sizes[4];
    struct network network = {.batch = sizes[0]};
    make_layer(&network.layers[0], network.batch, inputs, hidden);
    make_layer(&network.layers[1], network.batch, hidden, hidden);
    make_layer(&network.layers[2], network.batch, hidden, outputs);
    float *teacher = program_floats((size_t)inputs * (size_t)outputs);
    fill(teacher, (size_t)inputs * (size_t)outputs, 1);
    for (int i = 0; i < BATCHES; i++)
        make_batch(&network, i, teacher);
    double *losses = calloc((size_t)steps, sizeof *losses), square = 0;
    if (!losses)
        abort();

    program_start();
    for (int step = 0; step < steps; step++) {
        forward(&network, network.data[step % BATCHES]);
        losses[step] = find_loss(&network, network.labels[step % BATCHES]);
        backward(&network, network.data[step % BATCHES]);
    }
    program_stop();

    const struct layer *middle = &network.layers[1];
    for (size_t i = 0; i < (size_t)hidden * (size_t)hidden; i++)
        square += (double)middle->weights[i] * (double)middle->weights[i];
    program_print("losses", losses, steps);
    program_print("weights", &square, 1);
    free(losses);
    free(teacher);
    free_network(&network);
}
