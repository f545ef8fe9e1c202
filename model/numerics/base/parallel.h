// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace mxe {

/// Returns 1 for fewer than 4096 blocks, for which starting threads takes longer, else `threads`.
inline unsigned threads_for(std::size_t blocks, unsigned threads) {
  constexpr std::size_t kWorthIt = 4096;
  return blocks < kWorthIt ? 1 : threads;
}

/// Calls body(first, last) for one range of 0..count per thread, the last range on the caller's
/// thread. With several threads, body must not throw. Count 10, 3 threads: 0..3, 3..6, 6..10.
template <typename Body>
void parallel_ranges(std::size_t count, unsigned threads, const Body& body) {
  const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, count));
  std::vector<std::thread> workers;
  for (std::size_t part = 0; part + 1 < parts; part++) {
    workers.emplace_back(
        [&body, part, parts, count] { body(count * part / parts, count * (part + 1) / parts); });
  }
  body(count * (parts - 1) / parts, count);
  for (std::thread& worker : workers) worker.join();
}

}  // namespace mxe
