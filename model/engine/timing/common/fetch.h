// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::engine {

/// Destination of a row fetch (the kind in mxe_pkg's read tags).
enum class FetchKind : uint8_t { descriptor, a_elements, a_scales, b_elements, b_scales, bias };

inline const char* fetch_name(FetchKind kind) {
  switch (kind) {
    case FetchKind::descriptor:
      return "descriptor";
    case FetchKind::a_elements:
      return "A elements";
    case FetchKind::a_scales:
      return "A scales";
    case FetchKind::b_elements:
      return "B elements";
    case FetchKind::b_scales:
      return "B scales";
    case FetchKind::bias:
      return "bias";
  }
  return "";
}

struct Fetch {
  FetchKind kind = FetchKind::descriptor;
  uint64_t address = 0;
  uint32_t bytes = 0;
  unsigned word_bytes = 0;  ///< bytes of one word at the unpacker's output
  bool last = false;        ///< last fetch of the bank
  bool new_chunk = false;   ///< of the first B bank for an A chunk
  // Destination of the bytes, which does not affect times:
  unsigned bank = 0;           ///< of the buffer
  unsigned line = 0;           ///< row or column in the bank
  unsigned passed_blocks = 0;  ///< scales: blocks by which the bank begins behind its first scale
};

}  // namespace mxe::engine
