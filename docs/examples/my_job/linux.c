// SPDX-License-Identifier: Apache-2.0
// The job as a Linux program, on the engine of the kernel driver (docs/linux.md).
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "mxe_linux.h"

static void print(const struct job_memory* memory) {
  for (int m = 0; m < M; m++) {
    for (int n = 0; n < N; n++) printf("%u%s", memory->d[m][n], n + 1 < N ? " " : "\n");
  }
}

int main(void) {
  struct mxe_linux* conn = NULL;
  struct mxe_port port;
  uint64_t address = 0;
  if (mxe_linux_open(NULL, &conn) != MXE_OK) {
    fprintf(stderr, "no engine: %s\n", strerror(errno));
    return 1;
  }
  mxe_linux_port(conn, &port);
  struct job_memory* memory = mxe_linux_alloc(conn, sizeof *memory, &address);
  const int code = memory ? run_job(&port, memory, address) : MXE_ERR_ARGUMENT;
  if (code == MXE_OK) {
    print(memory);
  } else {
    fprintf(stderr, "%s\n", mxe_strerror(code));
  }
  mxe_linux_close(conn);
  return code == MXE_OK ? 0 : 1;
}
