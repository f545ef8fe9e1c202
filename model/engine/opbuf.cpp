#include "engine/opbuf.h"

#include <algorithm>

#include "numerics/tensor.h"

namespace mxe {
namespace {

constexpr unsigned kBanks = 2;
constexpr unsigned kMaxBlocks = 2;  // of a word

}  // namespace

OpBuf::OpBuf(unsigned lines, unsigned words)
    : lines_(lines),
      words_(words),
      codes_(std::size_t{kBanks} * lines * words * kMaxBlocks * kLanes),
      scales_(std::size_t{kBanks} * lines * words * kMaxBlocks) {}

void OpBuf::configure(mx::FormatId format, bool dual) {
  format_ = format;
  blocks_per_word_ = dual ? 2 : 1;
}

void OpBuf::put_elements(unsigned bank, unsigned line, const uint8_t* packed, uint32_t bytes) {
  const auto bits = static_cast<std::size_t>(mx::element_format(format_).bits);
  const std::size_t most = std::size_t{words_} * blocks_per_word_ * kLanes;
  const std::size_t count = std::min(most, std::size_t{bytes} * 8 / bits);
  const std::vector<uint8_t> codes = mx::unpack_rows(format_, packed, 1, count, bytes);
  std::copy(codes.begin(), codes.end(),
            codes_.begin() +
                static_cast<std::ptrdiff_t>(line_index(bank, line) * words_ * kMaxBlocks * kLanes));
}

void OpBuf::put_scales(unsigned bank, unsigned line, const uint8_t* scales, uint32_t bytes) {
  std::copy(scales, scales + bytes, &scales_[line_index(bank, line) * words_ * kMaxBlocks]);
}

const uint8_t* OpBuf::codes(unsigned bank, unsigned line, unsigned word) const {
  return &codes_[line_index(bank, line) * words_ * kMaxBlocks * kLanes +
                 std::size_t{word} * blocks_per_word_ * kLanes];
}

const uint8_t* OpBuf::scales(unsigned bank, unsigned line, unsigned word) const {
  return &scales_[line_index(bank, line) * words_ * kMaxBlocks +
                  std::size_t{word} * blocks_per_word_];
}

}  // namespace mxe
