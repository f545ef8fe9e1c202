// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/blocks/bits.h"
#include "model/platform/rtl/rtl_value.h"

namespace mxe::blame {

/// A bit vector of any width, like a signal of the RTL; bit 0 is the least significant.
class Wide {
 public:
  Wide() = default;
  explicit Wide(unsigned width) : width_(width), bytes_((width + 7) / 8) {}
  Wide(unsigned width, blocks::Bits value) : Wide(width) {
    put(0, width < 128 ? width : 128, value);
  }
  explicit Wide(const rtl::RtlValue& value)
      : width_(value.width()), bytes_(value.bytes(), value.bytes() + (value.width() + 7) / 8) {}

  unsigned width() const { return width_; }
  /// Bits [low + width - 1 : low], at most 128; zero beyond the end.
  blocks::Bits get(unsigned low, unsigned width) const {
    blocks::Bits bits = 0;
    for (unsigned i = 0; i < width;) {
      const unsigned at = low + i, offset = at % 8;
      const unsigned taken = 8 - offset < width - i ? 8 - offset : width - i;
      const unsigned byte = at / 8 < bytes_.size() ? bytes_[at / 8] : 0;
      bits |= static_cast<blocks::Bits>(byte >> offset & ((1u << taken) - 1)) << i;
      i += taken;
    }
    return bits;
  }
  uint64_t get64(unsigned low, unsigned width) const {
    return static_cast<uint64_t>(get(low, width));
  }
  uint32_t get32(unsigned low, unsigned width) const {
    return static_cast<uint32_t>(get(low, width));
  }
  /// Bits beyond the end are dropped.
  void put(unsigned low, unsigned width, blocks::Bits value) {
    for (unsigned i = 0; i < width && low + i < width_; i++) {
      const unsigned at = low + i;
      const auto bit = static_cast<uint8_t>(1u << at % 8);
      if ((value >> i & 1) != 0) {
        bytes_[at / 8] = static_cast<uint8_t>(bytes_[at / 8] | bit);
      } else {
        bytes_[at / 8] = static_cast<uint8_t>(bytes_[at / 8] & ~bit);
      }
    }
  }
  Wide part(unsigned low, unsigned width) const {
    Wide part(width);
    for (unsigned i = 0; i < width; i += 64) part.put(i, 64, get(low + i, 64));
    return part;
  }
  void put(unsigned low, const Wide& value) {
    for (unsigned i = 0; i < value.width_; i += 64) {
      const unsigned bits = value.width_ - i < 64 ? value.width_ - i : 64;
      put(low + i, bits, value.get(i, bits));
    }
  }
  /// Hexadecimal, for example "0x3f".
  std::string text() const {
    static const char* const kDigits = "0123456789abcdef";
    std::string digits;
    for (unsigned i = (width_ + 3) / 4; i > 0; i--) {
      const uint32_t digit = get32(4 * (i - 1), 4);
      if (digit != 0 || !digits.empty() || i == 1) digits += kDigits[digit];
    }
    return "0x" + digits;
  }

  bool operator==(const Wide& other) const {
    return width_ == other.width_ && bytes_ == other.bytes_;
  }
  bool operator!=(const Wide& other) const { return !(*this == other); }

 private:
  unsigned width_ = 0;
  std::vector<uint8_t> bytes_;
};

}  // namespace mxe::blame
