// SPDX-License-Identifier: Apache-2.0
/// The digit classifier of `mxe demo` (sw/mxe/data/digits) with the driver: 450 images through a
/// network 64 -> 100 -> 50 -> 10 in mxfp8_e4m3. The processor quantizes 50 images while the engine
/// multiplies others. No library, no floating point; only the port accesses the platform.
#ifndef DIGITS_H_
#define DIGITS_H_

#include <stdalign.h>

#include "mxe_driver.h"

enum {
  DIGITS_IMAGES = 450,
  DIGITS_BATCHES = 9,
  DIGITS_BATCH = DIGITS_IMAGES / DIGITS_BATCHES,
  DIGITS_LAYERS = 3,
  DIGITS_CLASSES = 10,
  DIGITS_MOST_INPUTS = 100,
  DIGITS_MOST_OUTPUTS = 100,
  DIGITS_MOST_BLOCKS = 4,
  DIGITS_RING = 16,
};

/// The contents of the .npy files without their headers. Numbers are FP32 bits.
struct digits_data {
  const uint8_t* images;                   ///< [images][inputs], 0 to 16
  const uint8_t* labels;                   ///< [images]
  const uint32_t* weights[DIGITS_LAYERS];  ///< [inputs][outputs]
  const uint32_t* biases[DIGITS_LAYERS];   ///< [outputs]
};

struct digits_memory {
  alignas(MXE_DESC_SIZE) uint8_t ring[DIGITS_RING * MXE_DESC_SIZE];
  struct {
    uint8_t weights[DIGITS_MOST_OUTPUTS][DIGITS_MOST_INPUTS];
    uint8_t weight_scales[DIGITS_MOST_OUTPUTS][DIGITS_MOST_BLOCKS];
    uint32_t bias[DIGITS_MOST_OUTPUTS];
    uint8_t x[DIGITS_IMAGES][DIGITS_MOST_INPUTS];
    uint8_t x_scales[DIGITS_IMAGES][DIGITS_MOST_BLOCKS];
    uint32_t y[DIGITS_IMAGES][DIGITS_MOST_OUTPUTS];
  } layers[DIGITS_LAYERS];
};

struct digits_result {
  uint32_t correct;   ///< recognised images
  uint32_t checksum;  ///< FNV-1a hash of the logits' bytes, [images][classes]
};

/// Classifies all images. `memory` is at `bus_address`. Returns a code of the driver.
int digits_run(const struct mxe_port* port, const struct digits_data* data,
               struct digits_memory* memory, uint64_t bus_address, struct digits_result* result);

#endif  // DIGITS_H_
