// SPDX-License-Identifier: Apache-2.0
// The digit classifier as firmware, with interrupts.
#include "digits.h"
#include "soc.h"

extern const uint8_t digits_images[], digits_labels[];
extern const uint32_t digits_weights1[], digits_weights2[], digits_weights3[];
extern const uint32_t digits_biases1[], digits_biases2[], digits_biases3[];

static SOC_NOINIT struct digits_memory memory;

static void print(const struct digits_result* result) {
  soc_put("digits: ");
  soc_put_unsigned(result->correct);
  soc_put(" of ");
  soc_put_unsigned(DIGITS_IMAGES);
  soc_put(" recognised, logits ");
  soc_put_hex(result->checksum);
  soc_put("\n");
}

int main(void) {
  const struct digits_data data = {
      .images = digits_images,
      .labels = digits_labels,
      .weights = {digits_weights1, digits_weights2, digits_weights3},
      .biases = {digits_biases1, digits_biases2, digits_biases3},
  };
  const struct mxe_port port = soc_engine_port();
  struct digits_result result = {0};
  soc_enable_interrupts(NULL);
  const int code = digits_run(&port, &data, &memory, (uintptr_t)&memory, &result);
  if (code == MXE_OK) {
    print(&result);
  } else {
    soc_put("digits: ");
    soc_put(mxe_strerror(code));
    soc_put("\n");
  }
  return code == MXE_OK ? 0 : 1;
}
