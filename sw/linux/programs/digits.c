// SPDX-License-Identifier: Apache-2.0
// The firmware's digits.c as a Linux program, with the engine of the kernel driver.
#include "digits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mxe_linux.h"

extern const uint8_t digits_images[], digits_labels[];
extern const uint32_t digits_weights1[], digits_weights2[], digits_weights3[];
extern const uint32_t digits_biases1[], digits_biases2[], digits_biases3[];

static int run(struct mxe_linux* conn, struct digits_result* result) {
  const struct digits_data data = {
      .images = digits_images,
      .labels = digits_labels,
      .weights = {digits_weights1, digits_weights2, digits_weights3},
      .biases = {digits_biases1, digits_biases2, digits_biases3},
  };
  struct mxe_port port;
  uint64_t address = 0;
  struct digits_memory* memory = mxe_linux_alloc(conn, sizeof *memory, &address);
  if (!memory) return MXE_ERR_ARGUMENT;
  mxe_linux_port(conn, &port);
  return digits_run(&port, &data, memory, address, result);
}

int main(void) {
  struct mxe_linux* conn = NULL;
  struct digits_result result = {0};
  int code = mxe_linux_open(NULL, &conn);
  if (code != MXE_OK) {
    fprintf(stderr, "digits: no engine: %s\n", strerror(errno));
    return 1;
  }
  code = run(conn, &result);
  if (code == MXE_OK) {
    printf("digits: %u of %u recognised, logits %08x\n", result.correct, DIGITS_IMAGES,
           result.checksum);
  } else {
    fprintf(stderr, "digits: %s\n", mxe_strerror(code));
  }
  mxe_linux_close(conn);
  return code == MXE_OK ? 0 : 1;
}
