// SPDX-License-Identifier: Apache-2.0
// Splitting independent work over threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace mx {

/// Calls body(first, last) for ranges that cover 0..count, one a thread; the last on the caller's.
/// body must not throw with more than one thread.
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

}  // namespace mx
