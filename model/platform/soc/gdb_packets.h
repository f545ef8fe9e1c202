// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mxe::soc {

/// A packet of gdb's remote protocol as it goes over the wire: $TEXT#CHECKSUM.
std::string frame_packet(const std::string& text);

/// Finds the packets in a stream of bytes, which may be cut anywhere: a packet is returned when its
/// last byte has arrived.
class GdbPackets {
 public:
  enum class Kind : uint8_t {
    packet,     ///< a packet with a right checksum
    garbled,    ///< a wrong checksum, or more than kLongestText bytes
    interrupt,  ///< the byte 3 between two packets: gdb's user has pressed Ctrl-C
  };
  struct Item {
    Kind kind;
    std::string text;  ///< of a packet
  };
  static constexpr std::size_t kLongestText = std::size_t{1} << 20;

  /// Takes the next byte. Returns what ends with it, if anything.
  std::optional<Item> add(char byte);

 private:
  enum class State : uint8_t { outside, text, high, low };

  std::optional<Item> end();

  State state_ = State::outside;
  std::string text_;
  std::size_t size_ = 0;  // of the text, of which text_ may be the beginning alone
  char high_ = 0, low_ = 0;
};

}  // namespace mxe::soc
