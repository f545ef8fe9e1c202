// SPDX-License-Identifier: Apache-2.0
// An example program: prints its arguments and the number of PEs, sleeps, prints how long it slept.
#include "soc.h"

int main(int argc, char** argv) {
  soc_put("hello");
  for (int i = 1; i < argc; i++) {
    soc_put(" ");
    soc_put(argv[i]);
  }
  soc_put("\nengine with ");
  const struct mxe_port port = soc_engine_port();
  soc_put_unsigned(port.read32(port.ctx, MXE_REG_NUM_PE));
  soc_put(" processing elements\n");

  soc_enable_interrupts(NULL);
  const uint64_t start = soc_now_ns();
  soc_sleep_ns(1000000);
  soc_put("slept ");
  soc_put_unsigned((uint32_t)(soc_now_ns() - start) / 1000);
  soc_put(" us\n");
  return 0;
}
