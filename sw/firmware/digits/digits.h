// SPDX-License-Identifier: Apache-2.0
/// @file
/// The digit classifier of `mxe demo` (sw/mxe/data/digits) by the driver alone: 450 images through
/// a network 64 -> 100 -> 50 -> 10 in mxfp8_e4m3. The images run in batches, several of them in
/// flight: while the engine multiplies one, the processor quantizes the next.
///
/// It needs no library and no floating point, and nothing of its surroundings but a port.
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

/// The data as the .npy files have them, without their headers: floats are bit patterns of FP32.
struct digits_data {
  const uint8_t* images;                   ///< [images][inputs], 0 to 16
  const uint8_t* labels;                   ///< [images]
  const uint32_t* weights[DIGITS_LAYERS];  ///< [inputs][outputs]
  const uint32_t* biases[DIGITS_LAYERS];   ///< [outputs]
};

/// What the device reads and writes. Aligned to 128; the program gives it the bus address.
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
  uint32_t correct;   ///< images that are recognised
  uint32_t checksum;  ///< FNV-1a of the logits, [images][classes] as bytes
};

/// Runs everything. `memory` is seen by the device at `bus_address`. Returns a code of the driver.
int digits_run(const struct mxe_port* port, const struct digits_data* data,
               struct digits_memory* memory, uint64_t bus_address, struct digits_result* result);

#endif  // DIGITS_H_
