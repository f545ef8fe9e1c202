// SPDX-License-Identifier: Apache-2.0
// The job on a RISC-V processor connected to the engine.
#include "job.h"
#include "soc.h"

static _Alignas(MXE_DESC_SIZE) struct job_memory memory;

int main(void) {
  const struct mxe_port port = soc_engine_port();
  soc_enable_interrupts(NULL);
  const int code = run_job(&port, &memory, (uintptr_t)&memory);
  if (code != MXE_OK) {
    soc_put(mxe_strerror(code));
    soc_put("\n");
    return 1;
  }
  for (int m = 0; m < M; m++) {
    for (int n = 0; n < N; n++) {
      soc_put_unsigned(memory.d[m][n]);
      soc_put(n + 1 < N ? " " : "\n");
    }
  }
  return 0;
}
