// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxe {

/// Requests large pages from 4 MiB on: page faults of small pages take longer than quantizing.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kWorthIt = std::size_t{1} << 22;
  constexpr std::uintptr_t kPage = 4096;
  if (bytes < kWorthIt) return;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t aligned = (start + kPage - 1) / kPage * kPage;
  // A hint: only the time depends on it.
  madvise(reinterpret_cast<void*>(aligned), bytes - (aligned - start), MADV_HUGEPAGE);
#endif
}

/// Resizes a vector whose elements will all be written; growth beyond the capacity discards them.
/// New memory requests large pages.
template <typename T>
void resize_for_writing(std::vector<T>& values, std::size_t count) {
  if (values.capacity() < count) {
    values = {};
    values.reserve(count);
    prefer_large_pages(values.data(), count * sizeof(T));
  }
  values.resize(count);
}

}  // namespace mxe
