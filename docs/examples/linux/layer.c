// SPDX-License-Identifier: Apache-2.0
// A layer with 8192 x 8192 weights (64 MiB) on the kernel driver's engine; integers are exact.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mxe_linux.h"

enum {
  ROWS = 4,      // of activations
  WIDTH = 8192,  // of the layer's input and output
  BLOCK = 32,    // elements that share a scale
  ENTRIES = 4,   // of the ring
  ONE_SECOND = 1000000,
  WHOLE_NUMBERS = 127 + 6,  // MXINT8 has six bits after the point; a scale of 2^6 cancels them
};

/// An object of the kernel, mapped into this program, and its address for the engine.
struct object {
  void* data;
  uint64_t address;
};

struct layer {
  struct object ring, weights, weight_scales, input, input_scales, output;
};

static int8_t weight(int row, int column) { return (int8_t)((row + column) % 5 - 2); }
static int8_t activation(int row, int column) { return (int8_t)((3 * row + column) % 7 - 3); }

static int allocate(struct mxe_linux* conn, struct object* object, size_t size) {
  object->data = mxe_linux_alloc(conn, size, &object->address);
  if (object->data) return 1;
  fprintf(stderr, "no object of %zu bytes: %s; at most %llu\n", size, strerror(errno),
          (unsigned long long)mxe_linux_max_alloc(conn));
  return 0;
}

static int allocate_all(struct mxe_linux* conn, struct layer* layer) {
  const size_t elements = (size_t)WIDTH * WIDTH;
  return allocate(conn, &layer->ring, (size_t)ENTRIES * MXE_DESC_SIZE) &&
         allocate(conn, &layer->weights, elements) &&
         allocate(conn, &layer->weight_scales, elements / BLOCK) &&
         allocate(conn, &layer->input, (size_t)ROWS * WIDTH) &&
         allocate(conn, &layer->input_scales, (size_t)ROWS * WIDTH / BLOCK) &&
         allocate(conn, &layer->output, (size_t)ROWS * WIDTH * sizeof(float));
}

static void fill(struct layer* layer) {
  int8_t* const weights = layer->weights.data;
  int8_t* const input = layer->input.data;
  for (int row = 0; row < WIDTH; row++) {
    for (int column = 0; column < WIDTH; column++)
      weights[row * WIDTH + column] = weight(row, column);
  }
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < WIDTH; column++)
      input[row * WIDTH + column] = activation(row, column);
  }
  memset(layer->weight_scales.data, WHOLE_NUMBERS, (size_t)WIDTH * WIDTH / BLOCK);
  memset(layer->input_scales.data, WHOLE_NUMBERS, (size_t)ROWS * WIDTH / BLOCK);
}

/// Output = input * weights^T.
static int run(struct mxe_linux* conn, const struct layer* layer) {
  static struct mxe_slot slots[ENTRIES];
  const struct mxe_ring ring = {
      .mem = layer->ring.data, .bus_addr = layer->ring.address, .slots = slots, .entries = ENTRIES};
  const struct mxe_job job = {
      .format_a = MXE_FORMAT_MXINT8,
      .format_b = MXE_FORMAT_MXINT8,
      .out_format = MXE_OUT_FP32,
      .m = ROWS,
      .n = WIDTH,
      .k = WIDTH,
      .a_addr = layer->input.address,
      .a_stride = WIDTH,
      .a_scale_addr = layer->input_scales.address,
      .a_scale_stride = WIDTH / BLOCK,
      .b_addr = layer->weights.address,
      .b_stride = WIDTH,
      .b_scale_addr = layer->weight_scales.address,
      .b_scale_stride = WIDTH / BLOCK,
      .d_addr = layer->output.address,
      .d_stride = WIDTH * sizeof(float),
  };
  struct mxe_port port;
  struct mxe_device dev;
  uint32_t id = 0;
  mxe_linux_port(conn, &port);
  int code = mxe_open(&dev, &port, &ring);
  if (code != MXE_OK) return code;
  code = mxe_submit(&dev, &job, NULL, &id);
  if (code == MXE_OK) code = mxe_wait(&dev, id, ONE_SECOND, NULL);
  mxe_close(&dev, ONE_SECOND);
  return code;
}

static int count_right(const struct layer* layer) {
  const float* const output = layer->output.data;
  int right = 0;
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < WIDTH; column++) {
      int sum = 0;
      for (int i = 0; i < WIDTH; i++) sum += activation(row, i) * weight(column, i);
      right += output[row * WIDTH + column] == (float)sum;
    }
  }
  return right;
}

int main(void) {
  struct mxe_linux* conn = NULL;
  struct layer layer;
  if (mxe_linux_open(NULL, &conn) != MXE_OK) {
    fprintf(stderr, "no engine: %s\n", strerror(errno));
    return 1;
  }
  int right = 0;
  if (allocate_all(conn, &layer)) {
    fill(&layer);
    const int code = run(conn, &layer);
    if (code == MXE_OK) right = count_right(&layer);
    printf("layer: %s, %d of %d results are right\n", mxe_strerror(code), right, ROWS * WIDTH);
  }
  mxe_linux_close(conn);
  return right == ROWS * WIDTH ? 0 : 1;
}
