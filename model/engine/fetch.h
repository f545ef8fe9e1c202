#pragma once

#include <cstdint>

namespace mxe {

/// Where the bytes of a row fetch go (the kind in mxe_pkg's read tags).
enum class FetchKind : uint8_t { descriptor, a_elements, a_scales, b_elements, b_scales, bias };

/// One request to the read port: consecutive bytes of one row.
struct Fetch {
  FetchKind kind = FetchKind::descriptor;
  uint64_t address = 0;
  uint32_t bytes = 0;
  unsigned word_bytes = 0;  ///< of the words the unpacker makes of it
  unsigned bank = 0;        ///< of the buffer
  unsigned line = 0;        ///< row or column within the bank
  bool last = false;        ///< last fetch of the bank
};

}  // namespace mxe
