// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include "mxe_math.h"

enum { TIMEOUT_US = 1000000 };

static const uint32_t widths[DIGITS_LAYERS + 1] = {64, 100, 50, DIGITS_CLASSES};

struct run {
  const struct digits_data* data;
  struct digits_memory* memory;
  uint64_t bus_address;
  struct mxe_device device;
  struct mxe_slot slots[DIGITS_RING];
  uint32_t jobs[DIGITS_BATCHES];  // id of the last job of each batch
};

/// Entry n is n / 16 as FP32 bits.
static const uint32_t sixteenths[17] = {
    0x00000000, 0x3D800000, 0x3E000000, 0x3E400000, 0x3E800000, 0x3EA00000,
    0x3EC00000, 0x3EE00000, 0x3F000000, 0x3F100000, 0x3F200000, 0x3F300000,
    0x3F400000, 0x3F500000, 0x3F600000, 0x3F700000, 0x3F800000,
};

static uint64_t bus(const struct run* run, const void* place) {
  return run->bus_address + (uint64_t)((const char*)place - (const char*)run->memory);
}

/// Quantizes a layer's weights; column i of [inputs][outputs] becomes row i of B.
static int load_layer(struct run* run, uint32_t layer) {
  const uint32_t outputs = widths[layer + 1];
  const struct mxe_numbers weights = {
      .data = run->data->weights[layer], .row_step = 1, .step = outputs};
  const struct mxe_elements elements = {
      .format = MXE_FORMAT_MXFP8_E4M3,
      .elements = run->memory->layers[layer].weights[0],
      .scales = run->memory->layers[layer].weight_scales[0],
      .stride = sizeof run->memory->layers[layer].weights[0],
      .scale_stride = sizeof run->memory->layers[layer].weight_scales[0]};
  for (uint32_t i = 0; i < outputs; i++) {
    run->memory->layers[layer].bias[i] = run->data->biases[layer][i];
  }
  return mxe_quantize(&weights, outputs, widths[layer], MXE_RULE_FLOOR, &elements);
}

static int load_row(struct run* run, uint32_t layer, uint32_t image, const uint32_t* values) {
  const struct mxe_numbers row = {.data = values, .step = 1};
  const struct mxe_elements elements = {.format = MXE_FORMAT_MXFP8_E4M3,
                                        .elements = run->memory->layers[layer].x[image],
                                        .scales = run->memory->layers[layer].x_scales[image]};
  return mxe_quantize(&row, 1, widths[layer], MXE_RULE_FLOOR, &elements);
}

static int load_image(struct run* run, uint32_t image) {
  uint32_t pixels[DIGITS_MOST_INPUTS];
  for (uint32_t i = 0; i < widths[0]; i++) {
    pixels[i] = sixteenths[run->data->images[image * widths[0] + i]];
  }
  return load_row(run, 0, image, pixels);
}

/// Applies ReLU to the results of a layer and quantizes them for the next one.
static int activate(struct run* run, uint32_t layer, uint32_t image) {
  uint32_t* y = run->memory->layers[layer].y[image];
  for (uint32_t i = 0; i < widths[layer + 1]; i++) {
    y[i] &= (y[i] >> 31) - 1;
  }
  return load_row(run, layer + 1, image, y);
}

static int submit(struct run* run, uint32_t layer, uint32_t batch) {
  const uint32_t first = batch * DIGITS_BATCH;
  const struct mxe_job job = {
      .format_a = MXE_FORMAT_MXFP8_E4M3,
      .format_b = MXE_FORMAT_MXFP8_E4M3,
      .out_format = MXE_OUT_FP32,
      .bias = true,
      .m = DIGITS_BATCH,
      .n = widths[layer + 1],
      .k = widths[layer],
      .a_addr = bus(run, run->memory->layers[layer].x[first]),
      .a_stride = sizeof run->memory->layers[layer].x[0],
      .a_scale_addr = bus(run, run->memory->layers[layer].x_scales[first]),
      .a_scale_stride = sizeof run->memory->layers[layer].x_scales[0],
      .b_addr = bus(run, run->memory->layers[layer].weights),
      .b_stride = sizeof run->memory->layers[layer].weights[0],
      .b_scale_addr = bus(run, run->memory->layers[layer].weight_scales),
      .b_scale_stride = sizeof run->memory->layers[layer].weight_scales[0],
      .c_addr = bus(run, run->memory->layers[layer].bias),
      .c_stride = 0,
      .d_addr = bus(run, run->memory->layers[layer].y[first]),
      .d_stride = sizeof run->memory->layers[layer].y[0],
  };
  return mxe_submit(&run->device, &job, NULL, &run->jobs[batch]);
}

static int start(struct run* run, uint32_t layer, uint32_t batch) {
  int code = MXE_OK;
  for (uint32_t i = 0; i < DIGITS_BATCH && code == MXE_OK; i++) {
    const uint32_t image = batch * DIGITS_BATCH + i;
    code = layer == 0 ? load_image(run, image) : activate(run, layer - 1, image);
  }
  return code == MXE_OK ? submit(run, layer, batch) : code;
}

/// Runs all batches through all layers. The jobs of the other batches run while one is quantized.
static int run_batches(struct run* run) {
  int code = MXE_OK;
  for (uint32_t batch = 0; batch < DIGITS_BATCHES && code == MXE_OK; batch++) {
    code = start(run, 0, batch);
  }
  for (uint32_t layer = 1; layer <= DIGITS_LAYERS; layer++) {
    for (uint32_t batch = 0; batch < DIGITS_BATCHES && code == MXE_OK; batch++) {
      code = mxe_wait(&run->device, run->jobs[batch], TIMEOUT_US, NULL);
      if (code == MXE_OK && layer < DIGITS_LAYERS) code = start(run, layer, batch);
    }
  }
  return code;
}

/// Maps FP32 bits to integers in the same order.
static uint32_t ordered(uint32_t value) {
  return value >> 31 ? ~value : value | UINT32_C(0x80000000);
}

static uint32_t largest(const uint32_t logits[DIGITS_CLASSES]) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < DIGITS_CLASSES; i++) {
    if (ordered(logits[i]) > ordered(logits[best])) best = i;
  }
  return best;
}

static uint32_t add_to_checksum(uint32_t checksum, uint32_t word) {
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    checksum = (checksum ^ (word >> shift & 0xFF)) * UINT32_C(16777619);
  }
  return checksum;
}

static void evaluate(const struct run* run, struct digits_result* result) {
  result->correct = 0;
  result->checksum = UINT32_C(2166136261);
  for (uint32_t image = 0; image < DIGITS_IMAGES; image++) {
    const uint32_t* logits = run->memory->layers[DIGITS_LAYERS - 1].y[image];
    if (largest(logits) == run->data->labels[image]) result->correct++;
    for (uint32_t i = 0; i < DIGITS_CLASSES; i++) {
      result->checksum = add_to_checksum(result->checksum, logits[i]);
    }
  }
}

int digits_run(const struct mxe_port* port, const struct digits_data* data,
               struct digits_memory* memory, uint64_t bus_address, struct digits_result* result) {
  struct run run = {.data = data, .memory = memory, .bus_address = bus_address};
  const struct mxe_ring ring = {.mem = memory->ring,
                                .bus_addr = bus(&run, memory->ring),
                                .slots = run.slots,
                                .entries = DIGITS_RING};
  int code = mxe_open(&run.device, port, &ring);
  if (code != MXE_OK) return code;
  for (uint32_t layer = 0; layer < DIGITS_LAYERS && code == MXE_OK; layer++) {
    code = load_layer(&run, layer);
  }
  if (code == MXE_OK) code = run_batches(&run);
  if (code == MXE_OK) evaluate(&run, result);
  const int closed = mxe_close(&run.device, TIMEOUT_US);
  return code != MXE_OK ? code : closed;
}
