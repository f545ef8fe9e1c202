// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::engine {

/// The destination of a row fetch (the kind in mxe_pkg's read tags).
enum class FetchKind : uint8_t { descriptor, a_elements, a_scales, b_elements, b_scales, bias };

/// Name of such a fetch in a trace.
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

/// One request to the read port: consecutive bytes of one row.
struct Fetch {
  FetchKind kind = FetchKind::descriptor;
  uint64_t address = 0;
  uint32_t bytes = 0;
  unsigned word_bytes = 0;  ///< size of a word at the output of the unpacker
  bool last = false;        ///< last fetch of the bank
  bool new_chunk = false;   ///< the bank is the first that an A chunk needs
  // Destination of the bytes. Times do not depend on it:
  unsigned bank = 0;  ///< of the buffer it goes to
  unsigned line = 0;  ///< row or column of the bank
};

}  // namespace mxe::engine
