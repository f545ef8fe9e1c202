// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/platform/dram/dram.h"

namespace mxe::dram {

/// The requests in flight: a request completes with the last of its accesses.
class Tickets {
 public:
  /// Throws Error unless `request` has 1 to 2^20 bytes and arrives at `not_before` or later.
  static void check(const Request& request, uint64_t not_before_ps);

  uint64_t open(uint64_t access_count);
  /// One access of `ticket` is answered at `ps`.
  void finish(uint64_t ticket, uint64_t ps);
  bool has_open() const { return !open_.empty(); }
  /// Completed requests since the last call, by time.
  std::vector<Completion> take();

 private:
  struct Open {
    uint64_t remaining;
    Completion completion;
  };

  uint64_t next_ = 0;
  std::unordered_map<uint64_t, Open> open_;
  std::vector<Completion> done_;
};

}  // namespace mxe::dram
