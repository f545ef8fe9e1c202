// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "connection.h"

static const char* const default_device = "/dev/accel/accel0";

/// First bus address: one that a program has not set (0, a small offset) is in no memory.
static const uint64_t first_address = UINT64_C(1) << 32;

static uint64_t now_us(void* ctx) {
  (void)ctx;
  return conn_now_ns() / 1000u;
}

/// Returns a register that the kernel provides as a parameter: those that mxe_identify() reads.
static uint32_t read_parameter(void* ctx, uint32_t offset) {
  struct mxe_linux* conn = ctx;
  struct drm_mxe_get_param args = {.param = offset};
  if (offset == MXE_REG_QUEUE_DEPTH && conn->queue_depth) return conn->queue_depth;
  const int error = conn_ioctl(conn, DRM_IOCTL_MXE_GET_PARAM, &args);
  if (conn->gone) return UINT32_MAX;
  return error ? 0 : (uint32_t)args.value;
}

static int identify(struct mxe_linux* conn) {
  struct mxe_port port;
  struct mxe_capabilities caps;
  mxe_linux_port(conn, &port);
  const int code = mxe_identify(&port, &caps);
  struct drm_mxe_get_param most = {.param = DRM_MXE_PARAM_MAX_JOBS};
  if (code != MXE_OK) return code;
  if (conn_ioctl(conn, DRM_IOCTL_MXE_GET_PARAM, &most) != 0) return MXE_ERR_NODEV;
  conn->queue_depth = caps.queue_depth < most.value ? caps.queue_depth : (uint32_t)most.value;
  conn->jobs = calloc(conn->queue_depth, sizeof *conn->jobs);
  return conn->jobs ? MXE_OK : MXE_ERR_ARGUMENT;
}

int mxe_linux_open(const char* path, struct mxe_linux** conn) {
  if (!conn) return MXE_ERR_ARGUMENT;
  *conn = calloc(1, sizeof **conn);
  if (!*conn) return MXE_ERR_ARGUMENT;
  if (!path) path = getenv("MXE_DEVICE");
  (*conn)->next_address = first_address;
  (*conn)->file = open(path ? path : default_device, O_RDWR | O_CLOEXEC);
  const int code = (*conn)->file < 0 ? MXE_ERR_NODEV : identify(*conn);
  if (code == MXE_OK) return MXE_OK;
  const int reason = errno;
  mxe_linux_close(*conn);
  *conn = NULL;
  errno = reason;
  return code;
}

void mxe_linux_close(struct mxe_linux* conn) {
  if (!conn) return;
  while (conn->memory_count > 0) mxe_linux_free(conn, conn->memories[0].data);
  free(conn->memories);
  if (conn->file >= 0) close(conn->file);
  free(conn->jobs);
  free(conn);
}

void mxe_linux_port(struct mxe_linux* conn, struct mxe_port* port) {
  *port = (struct mxe_port){
      .ctx = conn, .read32 = read_parameter, .now_us = now_us, .queue = &conn_queue};
}
