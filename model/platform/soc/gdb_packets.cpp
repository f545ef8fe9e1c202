// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/gdb_packets.h"

#include <fmt/format.h>

#include <utility>

namespace mxe::soc {
namespace {

constexpr char kInterrupt = '\x03';

std::string checksum(const std::string& text) {
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return fmt::format("{:02x}", sum & 0xFF);
}

}  // namespace

std::string frame_packet(const std::string& text) {
  return fmt::format("${}#{}", text, checksum(text));
}

std::optional<GdbPackets::Item> GdbPackets::add(char byte) {
  switch (state_) {
    case State::outside:
      if (byte == kInterrupt) return Item{Kind::interrupt, ""};
      if (byte != '$') return std::nullopt;
      text_.clear();
      size_ = 0;
      state_ = State::text;
      return std::nullopt;
    case State::text:
      if (byte == '$') {
        text_.clear();
        size_ = 0;
      } else if (byte == '#') {
        state_ = State::high;
      } else if (size_++ < kLongestText) {
        text_ += byte;
      }
      return std::nullopt;
    case State::high:
      high_ = byte;
      state_ = State::low;
      return std::nullopt;
    case State::low:
      low_ = byte;
      state_ = State::outside;
      return end();
  }
  return std::nullopt;
}

std::optional<GdbPackets::Item> GdbPackets::end() {
  if (size_ > kLongestText || checksum(text_) != std::string{high_, low_}) {
    return Item{Kind::garbled, ""};
  }
  return Item{Kind::packet, std::move(text_)};
}

}  // namespace mxe::soc
