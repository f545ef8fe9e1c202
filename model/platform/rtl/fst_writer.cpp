// SPDX-License-Identifier: Apache-2.0
// Verilator's FST writer with error checks. The original ignores failed writes, and a full disk
// causes a SIGBUS. Here files are checked at close, and their blocks are allocated before mapping.
#include "model/platform/rtl/fst_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_fst_c.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <sstream>

namespace {

std::atomic<int> first_error{0};

void note(int error) {
  int none = 0;
  if (error != 0) first_error.compare_exchange_strong(none, error);
}

int checked_close(std::FILE* file) {
  // ferror() stays set after any failed write, without the reason.
  if (std::ferror(file) != 0) note(EIO);
  const int result = std::fclose(file);
  if (result != 0) note(errno);
  return result;
}

void* map_with_blocks(void* address, std::size_t bytes, int protection, int flags, int file,
                      off_t offset) {
  const int error = posix_fallocate(file, offset, static_cast<off_t>(bytes));
  if (error == 0) return mmap(address, bytes, protection, flags, file, offset);
  note(error);
  // Continue the recording in anonymous memory.
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // namespace

#define fclose(file) checked_close(file)
#define mmap(...) map_with_blocks(__VA_ARGS__)
#include <verilated_fst_c.cpp>
#undef fclose
#undef mmap

int mxe::rtl::take_fst_error() { return first_error.exchange(0); }
