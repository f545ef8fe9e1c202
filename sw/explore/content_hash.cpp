// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/content_hash.h"

#include <fmt/format.h>

namespace mxe::explore {

std::string content_hash(std::string_view text) {
  constexpr uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  uint64_t hash = kOffset;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}", hash);
}

}  // namespace mxe::explore
