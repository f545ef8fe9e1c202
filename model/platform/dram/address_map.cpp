// SPDX-License-Identifier: Apache-2.0
#include "model/platform/dram/address_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/error.h"

namespace mxe::dram {
namespace {

constexpr const char* kNames[] = {"ro", "ch", "ra", "ba", "bg", "co"};
constexpr unsigned kOpen = ~0u;  // a part with the remaining bits

unsigned log2_of(uint32_t power_of_two) {
  return static_cast<unsigned>(floor_log2(uint64_t{power_of_two}));
}

[[noreturn]] void fail(const std::string& map, const std::string& problem) {
  throw Error(
      fmt::format("map={}: {}; allowed: ro, ch, ra, ba, bg and co, highest bits first, such as "
                  "ro-ch-ra-ba-co-bg, or with a number of bits, such as ro-ch-ra-ba-co-bg-co2",
                  map, problem));
}

unsigned bits_of(const std::string& digits, const std::string& map) {
  if (digits.empty()) return kOpen;
  const bool is_number = digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || digits.size() > 2) fail(map, fmt::format("'{}' is no number of bits", digits));
  return static_cast<unsigned>(std::stoul(digits));
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '-') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

AddressMap::AddressMap(const Config& config) : access_bits_(log2_of(config.access_bytes())) {
  bits_[row] = log2_of(config.rows);
  bits_[channel] = log2_of(config.units());
  bits_[rank] = log2_of(config.ranks);
  bits_[bank] = log2_of(config.banks);
  bits_[group] = log2_of(config.bank_groups);
  bits_[column] = log2_of(config.columns / config.burst_length);
  parse(config.map);
  fill_open_parts(config.map);
}

AddressMap::Field AddressMap::field_of(const std::string& name, const std::string& map) {
  for (int field = 0; field < kFields; field++) {
    if (name == kNames[field]) return static_cast<Field>(field);
  }
  fail(map, fmt::format("unknown field '{}'", name));
}

void AddressMap::parse(const std::string& map) {
  for (const std::string& word : split(map)) {
    parts_.push_back(
        {field_of(word.substr(0, 2), map), bits_of(word.size() > 2 ? word.substr(2) : "", map)});
  }
  std::reverse(parts_.begin(), parts_.end());
}

void AddressMap::fill_open_parts(const std::string& map) {
  for (int field = 0; field < kFields; field++) {
    Part* open = nullptr;
    unsigned rest = bits_[static_cast<std::size_t>(field)];
    for (Part& part : parts_) {
      if (part.field != field) continue;
      if (part.bits == kOpen) {
        if (open) fail(map, fmt::format("{} has no number of bits twice", kNames[field]));
        open = &part;
      } else if (part.bits > rest) {
        fail(map, fmt::format("{} has {} bits in this memory", kNames[field],
                              bits_[static_cast<std::size_t>(field)]));
      } else {
        rest -= part.bits;
      }
    }
    if (open) {
      open->bits = rest;
    } else if (rest != 0) {
      fail(map, fmt::format("{} bits of {} are missing", rest, kNames[field]));
    }
  }
}

Location AddressMap::locate(uint64_t address) const {
  std::array<uint32_t, kFields> values{};
  std::array<unsigned, kFields> used{};
  uint64_t rest = address >> access_bits_;
  for (const Part& part : parts_) {
    const auto bits = static_cast<uint32_t>(rest & ((uint64_t{1} << part.bits) - 1));
    values[part.field] |= bits << used[part.field];
    used[part.field] += part.bits;
    rest >>= part.bits;
  }
  return {values[channel], values[rank], values[group], values[bank], values[row], values[column]};
}

uint64_t AddressMap::address_of(const Location& location) const {
  std::array<uint32_t, kFields> values{};
  values[row] = location.row;
  values[channel] = location.unit;
  values[rank] = location.rank;
  values[bank] = location.bank;
  values[group] = location.group;
  values[column] = location.column;
  uint64_t address = 0;
  unsigned position = access_bits_;
  for (const Part& part : parts_) {
    const uint64_t mask = (uint64_t{1} << part.bits) - 1;
    address |= (values[part.field] & mask) << position;
    values[part.field] >>= part.bits;
    position += part.bits;
  }
  return address;
}

}  // namespace mxe::dram
