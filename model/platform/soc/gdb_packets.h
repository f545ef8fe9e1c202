// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mxe::soc {

/// Returns the packet $TEXT#CHECKSUM of gdb's remote protocol.
std::string frame_packet(const std::string& text);

/// Splits a byte stream into packets. add() returns a packet when it receives the last byte.
class GdbPackets {
 public:
  enum class Kind : uint8_t {
    packet,
    garbled,    ///< wrong checksum or more than kLongestText bytes
    interrupt,  ///< byte 3 between two packets: Ctrl-C in gdb
  };
  struct Item {
    Kind kind;
    std::string text;
  };
  static constexpr std::size_t kLongestText = std::size_t{1} << 20;

  std::optional<Item> add(char byte);

 private:
  enum class State : uint8_t { outside, text, high, low };

  std::optional<Item> end();

  State state_ = State::outside;
  std::string text_;
  std::size_t size_ = 0;  // of the text; text_ may be truncated
  char high_ = 0, low_ = 0;
};

}  // namespace mxe::soc
