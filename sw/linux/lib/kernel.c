// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>

#include "connection.h"

int conn_ioctl(struct mxe_linux* conn, unsigned long request, void* args) {
  int result;
  do {
    result = ioctl(conn->file, request, args);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return 0;
  if (errno == ENODEV) conn->gone = true;
  return errno;
}

uint64_t conn_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
