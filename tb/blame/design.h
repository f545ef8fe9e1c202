// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tb/blame/wide.h"
#include "tb/rtl/rtl_top.h"

namespace mxe::blame {

/// A value of the RTL that is not what its block should have made of what it got.
struct WrongValue {
  std::string block;            ///< the RTL module whose function is wrong: "mxe_facc"
  std::string instance;         ///< "u_datapath.u_array.gen_pe[2].u_pe.u_facc_even"
  std::string step;             ///< within the block: "round"; may be empty
  std::string signal;           ///< below the instance: "acc_o"
  std::string value, expected;  ///< in hexadecimal
  uint64_t clock = 0;           ///< since the design was made, its reset included
  uint64_t time = 0;            ///< in a recording of the same case, in ps

  /// "u_datapath.u_drain (mxe_drain, result): result_q is 0x0, expected 0x3f800000, clock 412, time
  /// 411500 ps"
  std::string describe() const;
};

/// What the checks of the blocks see of the design, and where they report. A check looks at the
/// design once in every clock, right before the rising edge.
class Design {
 public:
  /// Throws mx::Error if the design does not show its values.
  explicit Design(RtlTop& top);

  const Params& params() const { return params_; }
  /// By its full name. Throws mx::Error if there is none.
  const RtlValue& find(const std::string& name) const;
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  const std::map<std::string, RtlValue>& values() const { return values_; }

  /// The first wrong value, if any was found.
  const std::optional<WrongValue>& first() const { return first_; }
  uint64_t compared() const { return compared_; }

  /// The block's function says that `value` is `expected` now.
  void expect(const char* block, const char* step, const RtlValue& value, const Wide& expected);
  void expect(const char* block, const char* step, const RtlValue& value, blocks::Bits expected) {
    const unsigned width = value.width();
    blocks::Bits found = 0;
    // Without a loop: nearly all values that are compared are like this.
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
  /// The same in the next clock: `value` is a register.
  void expect_next(const char* block, const char* step, const RtlValue& value, Wide expected);
  void expect_next(const char* block, const char* step, const RtlValue& value,
                   blocks::Bits expected) {
    expect_next(block, step, value, Wide(value.width(), expected));
  }

  /// A clock begins: what the last one expected of the registers is compared.
  void begin_clock();
  /// Nothing is expected of the registers: the design was reset.
  void forget() { registers_.clear(); }

 private:
  struct Register {
    const char* block;
    const char* step;
    const RtlValue* value;
    Wide expected;
  };

  const RtlTop* top_;
  Params params_;
  std::map<std::string, RtlValue> values_;
  std::vector<Register> registers_;
  std::optional<WrongValue> first_;
  uint64_t clock_ = 0, compared_ = 0;
};

/// The signals of one instance.
class Scope {
 public:
  Scope(Design& design, std::string instance) : design_(&design), instance_(std::move(instance)) {}

  const RtlValue& find(std::string_view name) const;
  bool has(const std::string& name) const { return design_->has(instance_ + "." + name); }
  /// The lowest 64 bits of a value.
  uint64_t get(std::string_view name) const;
  uint32_t get32(std::string_view name) const { return static_cast<uint32_t>(get(name)); }
  Wide wide(std::string_view name) const { return Wide(find(name)); }
  bool on(std::string_view name) const { return get(name) != 0; }
  Scope below(const std::string& name) const { return {*design_, instance_ + "." + name}; }
  const std::string& instance() const { return instance_; }

 private:
  Design* design_;
  std::string instance_;
  mutable std::map<std::string, const RtlValue*, std::less<>> found_;
};

/// Checks blocks of one kind.
class Check {
 public:
  virtual ~Check() = default;
  /// A clock of the design, in which it is neither reset nor broken off.
  virtual void clock() = 0;
  /// Another job is in the design, which does nothing yet.
  virtual void new_job() {}
  /// Forgets all that was before: the design was reset.
  virtual void forget() = 0;
};

}  // namespace mxe::blame
