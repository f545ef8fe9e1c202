// SPDX-License-Identifier: Apache-2.0
// Memory: objects of the kernel, at addresses that the connection assigns.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "connection.h"

enum { PAGE = 4096 };

/// Returns the next free element of conn->memories; null if out of memory.
static struct memory* next_place(struct mxe_linux* conn) {
  if (conn->memory_count == conn->memory_room) {
    const size_t room = conn->memory_room ? 2 * conn->memory_room : 16;
    struct memory* memories = realloc(conn->memories, room * sizeof *memories);
    if (!memories) return NULL;
    conn->memories = memories;
    conn->memory_room = room;
  }
  return &conn->memories[conn->memory_count];
}

static void close_handle(struct mxe_linux* conn, uint32_t handle) {
  struct drm_gem_close args = {.handle = handle};
  conn_ioctl(conn, DRM_IOCTL_GEM_CLOSE, &args);
}

uint64_t mxe_linux_max_alloc(struct mxe_linux* conn) {
  struct drm_mxe_get_param most = {.param = DRM_MXE_PARAM_MAX_OBJECT};
  return conn_ioctl(conn, DRM_IOCTL_MXE_GET_PARAM, &most) == 0 ? most.value : 0;
}

void* mxe_linux_alloc(struct mxe_linux* conn, size_t size, uint64_t* address) {
  struct memory* memory = next_place(conn);
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
  conn->memory_count++;
  // A free page follows, so an address just beyond a memory is in no other one.
  conn->next_address += ((uint64_t)size + 2 * PAGE - 1) / PAGE * PAGE;
  *address = memory->address;
  return data;
}

void mxe_linux_free(struct mxe_linux* conn, void* data) {
  for (size_t i = 0; i < conn->memory_count; i++) {
    struct memory* memory = &conn->memories[i];
    if (memory->data != data) continue;
    munmap(memory->data, memory->size);
    close_handle(conn, memory->handle);
    *memory = conn->memories[--conn->memory_count];
    return;
  }
}

const struct memory* conn_memory_at(const struct mxe_linux* conn, uint64_t address) {
  for (size_t i = 0; i < conn->memory_count; i++) {
    const struct memory* memory = &conn->memories[i];
    if (address >= memory->address && address - memory->address < memory->size) return memory;
  }
  return NULL;
}
