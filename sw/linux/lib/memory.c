// SPDX-License-Identifier: Apache-2.0
// Memory: objects of the kernel, at addresses that this connection gives out.
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "connection.h"

enum { PAGE = 4096 };

static struct memory* free_place(struct mxe_linux* conn) {
  for (int i = 0; i < MXE_LINUX_MEMORIES; i++) {
    if (!conn->memories[i].handle) return &conn->memories[i];
  }
  errno = ENOMEM;
  return NULL;
}

static void close_handle(struct mxe_linux* conn, uint32_t handle) {
  struct drm_gem_close args = {.handle = handle};
  conn_ioctl(conn, DRM_IOCTL_GEM_CLOSE, &args);
}

void* mxe_linux_alloc(struct mxe_linux* conn, size_t size, uint64_t* address) {
  struct memory* memory = free_place(conn);
  struct drm_mxe_create args = {.size = size};
  if (!memory) return NULL;
  const int error = conn_ioctl(conn, DRM_IOCTL_MXE_CREATE, &args);
  if (error) {
    errno = error;
    return NULL;
  }
  void* data =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, conn->file, (off_t)args.map_offset);
  if (data == MAP_FAILED) {
    const int reason = errno;
    close_handle(conn, args.handle);
    errno = reason;
    return NULL;
  }
  *memory = (struct memory){args.handle, data, conn->next_address, size};
  // A page lies between two, so that what leaves one does not enter the other.
  conn->next_address += ((uint64_t)size + 2 * PAGE - 1) / PAGE * PAGE;
  *address = memory->address;
  return data;
}

void mxe_linux_free(struct mxe_linux* conn, void* data) {
  for (int i = 0; i < MXE_LINUX_MEMORIES; i++) {
    struct memory* memory = &conn->memories[i];
    if (!memory->handle || memory->data != data) continue;
    munmap(memory->data, memory->size);
    close_handle(conn, memory->handle);
    *memory = (struct memory){0};
  }
}

const struct memory* conn_memory_at(const struct mxe_linux* conn, uint64_t address) {
  for (int i = 0; i < MXE_LINUX_MEMORIES; i++) {
    const struct memory* memory = &conn->memories[i];
    if (memory->handle && address >= memory->address && address - memory->address < memory->size) {
      return memory;
    }
  }
  return NULL;
}
