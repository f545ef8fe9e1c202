// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/platform/rtl/rtl_top.h"
#include "tb/blame/fields.h"
#include "tb/blame/wide.h"

namespace mxe::blame {

/// An RTL value that differs from the value computed from its block's inputs.
struct WrongValue {
  std::string block;     ///< RTL module: "mxe_facc"
  std::string instance;  ///< "u_datapath.u_array.gen_pe[2].u_pe.u_facc_even"
  std::string step;      ///< step within the block: "round"; may be empty
  std::string signal;    ///< relative to the instance: "acc_o"
  std::string value, expected;
  uint64_t clock = 0;  ///< number of the cycle, those of the reset included
  uint64_t time = 0;   ///< of that cycle in a recording of the case, in ps

  std::string describe() const;
};

/// The values of a design right before each rising edge, and the first mismatch.
class Design {
 public:
  explicit Design(rtl::RtlTop& top);

  const Params& params() const { return params_; }
  /// Returns the value with this full name. Throws Error if it does not exist.
  const rtl::RtlValue& find(const std::string& name) const;
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  const std::map<std::string, rtl::RtlValue>& values() const { return values_; }

  const std::optional<WrongValue>& first() const { return first_; }
  uint64_t compared() const { return compared_; }

  void expect(const char* block, const char* step, const rtl::RtlValue& value,
              const Wide& expected);
  void expect(const char* block, const char* step, const rtl::RtlValue& value,
              blocks::Bits expected) {
    const unsigned width = value.width();
    blocks::Bits found = 0;
    // Fast path: nearly all compared values have at most 64 bits.
    if (width <= 8) {
      found = *value.bytes();
    } else if (width <= 64) {
      uint64_t low = 0;
      std::memcpy(&low, value.bytes(), width <= 16 ? 2 : width <= 32 ? 4 : 8);
      found = low;
    } else {
      std::memcpy(&found, value.bytes(), width <= 96 ? 12 : 16);
    }
    if (width <= 128 && found == (expected & ~blocks::Bits{0} >> (128 - width))) {
      compared_++;
      return;
    }
    expect(block, step, value, Wide(width, expected));
  }
  /// Compares a field of a struct.
  void expect(const char* block, const char* step, const rtl::RtlValue& value, Field field,
              uint64_t expected);
  void expect_next(const char* block, const char* step, const rtl::RtlValue& value, Wide expected);
  void expect_next(const char* block, const char* step, const rtl::RtlValue& value,
                   blocks::Bits expected) {
    expect_next(block, step, value, Wide(value.width(), expected));
  }

  /// Starts a cycle: compares the registers with the expectations of the previous cycle.
  void begin_clock();
  void forget() { registers_.clear(); }

 private:
  void report(const char* block, const char* step, const rtl::RtlValue& value, const Wide& found,
              const Wide& expected, const std::string& range);

  struct Register {
    const char* block;
    const char* step;
    const rtl::RtlValue* value;
    Wide expected;
  };

  const rtl::RtlTop* top_;
  Params params_;
  std::map<std::string, rtl::RtlValue> values_;
  std::vector<Register> registers_;
  std::optional<WrongValue> first_;
  uint64_t clock_ = 0, compared_ = 0;
};

class Scope {
 public:
  Scope(Design& design, std::string instance) : design_(&design), instance_(std::move(instance)) {}

  const rtl::RtlValue& find(std::string_view name) const;
  bool has(const std::string& name) const { return design_->has(instance_ + "." + name); }
  uint64_t get(std::string_view name) const;
  uint64_t get(std::string_view name, Field field) const;
  uint32_t get32(std::string_view name) const { return static_cast<uint32_t>(get(name)); }
  Wide wide(std::string_view name) const { return Wide(find(name)); }
  bool on(std::string_view name) const { return get(name) != 0; }
  bool on(std::string_view name, Field field) const { return get(name, field) != 0; }
  Scope below(const std::string& name) const { return {*design_, instance_ + "." + name}; }
  const std::string& instance() const { return instance_; }

 private:
  Design* design_;
  std::string instance_;
  mutable std::map<std::string, const rtl::RtlValue*, std::less<>> found_;
};

class Check {
 public:
  virtual ~Check() = default;
  /// Called in every cycle before the first mismatch, except in resets and from an abort to its
  /// end.
  virtual void clock() = 0;
  /// Called before clock() in a cycle in which the datapath's job_i has changed. Two equal jobs in
  /// a row are one.
  virtual void new_job() {}
  virtual void forget() = 0;
};

}  // namespace mxe::blame
