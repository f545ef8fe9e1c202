// SPDX-License-Identifier: Apache-2.0
// The data of `mxe demo` from its .npy files, without their headers of 128 bytes (version 1.0).
  .macro array name, file
  .balign 4
  .globl \name
\name:
  .incbin "\file", 128
  .endm

  .section .rodata
  array digits_images, "test_images.npy"
  array digits_labels, "test_labels.npy"
  array digits_weights1, "weight1.npy"
  array digits_weights2, "weight2.npy"
  array digits_weights3, "weight3.npy"
  array digits_biases1, "bias1.npy"
  array digits_biases2, "bias2.npy"
  array digits_biases3, "bias3.npy"
