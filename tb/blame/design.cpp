// SPDX-License-Identifier: Apache-2.0
#include "tb/blame/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::blame {
namespace {

/// Differing part of two values: of wide ones only the bytes from the first to the last difference.
struct Difference {
  Wide found, expected;
  std::string range;  ///< "[95:88]"; empty for the whole value
};

Difference difference_of(const Wide& found, const Wide& expected) {
  constexpr unsigned kWide = 64;
  const unsigned width = found.width();
  const auto differs = [&](unsigned low) { return found.get(low, 8) != expected.get(low, 8); };
  if (width <= kWide || width != expected.width()) return {found, expected, ""};
  unsigned low = 0, high = (width + 7) / 8 * 8;
  while (!differs(low)) low += 8;
  while (!differs(high - 8)) high -= 8;
  high = std::min(high, width);
  return {found.part(low, high - low), expected.part(low, high - low),
          fmt::format("[{}:{}]", high - 1, low)};
}

uint64_t bits_of(const rtl::RtlValue& value, Field field) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < field.width;) {
    const unsigned at = field.low + i;
    const uint64_t byte = value.bytes()[at / 8] >> at % 8;
    bits |= byte << i;
    i += 8 - at % 8;
  }
  return field.width < 64 ? bits & ~(~uint64_t{0} << field.width) : bits;
}

}  // namespace

std::string WrongValue::describe() const {
  return fmt::format("{} ({}{}{}): {} is {}, expected {}, clock {}, time {} ps", instance, block,
                     step.empty() ? "" : ", ", step, signal, value, expected, clock, time);
}

Design::Design(rtl::RtlTop& top) : top_(&top), params_(top.params()) {
  for (rtl::RtlValue& value : top.values()) {
    const std::string name = value.name();
    values_.emplace(name, std::move(value));
  }
  if (!has("u_datapath.clear")) throw Error("the design does not show its values");
}

const rtl::RtlValue& Design::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw Error(fmt::format("the design shows no '{}'", name));
  return found->second;
}

void Design::expect(const char* block, const char* step, const rtl::RtlValue& value,
                    const Wide& expected) {
  compared_++;
  if (first_) return;
  const Wide found(value);
  if (found == expected) return;
  const Difference difference = difference_of(found, expected);
  report(block, step, value, difference.found, difference.expected, difference.range);
}

void Design::expect(const char* block, const char* step, const rtl::RtlValue& value, Field field,
                    uint64_t expected) {
  compared_++;
  if (first_) return;
  const Wide found(field.width, bits_of(value, field)), right(field.width, expected);
  if (found == right) return;
  const unsigned high = field.low + field.width - 1;
  report(block, step, value, found, right,
         field.width == 1 ? fmt::format("[{}]", high) : fmt::format("[{}:{}]", high, field.low));
}

void Design::report(const char* block, const char* step, const rtl::RtlValue& value,
                    const Wide& found, const Wide& expected, const std::string& range) {
  const std::size_t dot = value.name().rfind(".u_");
  const std::size_t end = value.name().find('.', dot + 1);
  first_ = WrongValue{block,        value.name().substr(0, end),
                      step,         value.name().substr(end + 1) + range,
                      found.text(), expected.text(),
                      clock_,       top_->time()};
}

void Design::expect_next(const char* block, const char* step, const rtl::RtlValue& value,
                         Wide expected) {
  registers_.push_back({block, step, &value, std::move(expected)});
}

void Design::begin_clock() {
  clock_++;
  const std::vector<Register> due = std::exchange(registers_, {});
  for (const Register& r : due) expect(r.block, r.step, *r.value, r.expected);
}

const rtl::RtlValue& Scope::find(std::string_view name) const {
  const auto found = found_.find(name);
  if (found != found_.end()) return *found->second;
  const rtl::RtlValue& value = design_->find(fmt::format("{}.{}", instance_, name));
  return *found_.emplace(name, &value).first->second;
}

uint64_t Scope::get(std::string_view name) const {
  const rtl::RtlValue& value = find(name);
  uint64_t bits = 0;
  for (unsigned i = 0; i < (value.width() + 7) / 8 && i < 8; i++) {
    bits |= uint64_t{value.bytes()[i]} << 8 * i;
  }
  return bits;
}

uint64_t Scope::get(std::string_view name, Field field) const { return bits_of(find(name), field); }

}  // namespace mxe::blame
