// SPDX-License-Identifier: Apache-2.0
// Memory of libmxe as described in mxe_linux.h, with the default memory of mxe linux.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mxe_linux.h"

enum { MIB = 1 << 20, MANY = 65, ROUNDS = 3 };

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("libmxe: not so: %s\n", what);
  failures++;
}

static void expect_error(struct mxe_linux* conn, size_t size, int error, const char* what) {
  uint64_t address = 1;
  errno = 0;
  expect(mxe_linux_alloc(conn, size, &address) == NULL && errno == error && address == 1, what);
}

/// Allocates 64 pieces of 4 MiB, and one of 64 MiB at a time, then frees them.
static void allocate_many(struct mxe_linux* conn) {
  uint8_t* data[MANY];
  uint64_t address[MANY];
  for (int i = 0; i < MANY; i++) {
    const size_t size = i + 1 < MANY ? 4 * MIB : 64 * MIB;
    data[i] = mxe_linux_alloc(conn, size, &address[i]);
    expect(data[i] != NULL, "64 x 4 MiB and 64 MiB fit");
    if (!data[i]) return;
    expect(data[i][0] == 0 && data[i][size - 1] == 0, "memory is zeroed");
    data[i][0] = data[i][size - 1] = (uint8_t)(i + 1);
    expect(address[i] % 4096 == 0 && (uintptr_t)data[i] % 4096 == 0, "pages");
    for (int j = 0; j < i; j++)
      expect(address[j] + 4 * MIB <= address[i], "addresses are separate");
  }
  for (int i = 0; i < MANY; i++) expect(data[i][0] == i + 1, "pieces are separate");
  for (int i = 0; i < MANY; i += 2) mxe_linux_free(conn, data[i]);
  for (int i = 1; i < MANY; i += 2) {
    expect(data[i][0] == i + 1, "memory that is not freed keeps its contents");
    mxe_linux_free(conn, data[i]);
  }
}

int main(void) {
  struct mxe_linux* conn = NULL;
  if (mxe_linux_open(NULL, &conn) != MXE_OK) {
    fprintf(stderr, "no engine: %s\n", strerror(errno));
    return 1;
  }
  const uint64_t most = mxe_linux_max_alloc(conn);
  expect(most == UINT64_C(512) * MIB, "the default is 512 MiB");
  for (int i = 0; i < ROUNDS; i++) allocate_many(conn);
  expect_error(conn, 0, EINVAL, "no bytes: EINVAL");
  expect_error(conn, most + 1, E2BIG, "more than the most: E2BIG");
  expect_error(conn, SIZE_MAX, E2BIG, "much more than the most: E2BIG");
  uint64_t address = 0;
  void* const half = mxe_linux_alloc(conn, most / 2 + 4096, &address);
  expect(half != NULL, "half of the memory fits");
  expect_error(conn, most / 2, ENOMEM, "the other half does not: ENOMEM");
  mxe_linux_free(conn, half);
  expect(mxe_linux_alloc(conn, most, &address) != NULL, "all of it fits");
  mxe_linux_close(conn);
  if (!failures) printf("libmxe: all is as its header says\n");
  return failures != 0;
}
