// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tb/blame/checks.h"

namespace mxe::blame {

class BlockCheck : public Check {
 public:
  BlockCheck(const Context& context, const char* block, std::string instance)
      : scope_(context.design, std::move(instance)), context_(context), block_(block) {}
  void forget() override {}

 protected:
  Design& design() const { return context_.design; }
  const Job& job() const { return context_.job; }
  const Params& params() const { return context_.design.params(); }

  /// Compares a signal of the instance with `expected` (Wide or a number) in this cycle.
  template <class Expected>
  void expect(const char* step, std::string_view name, const Expected& expected) {
    expect(step, scope_.find(name), expected);
  }
  template <class Expected>
  void expect(const char* step, const rtl::RtlValue& value, const Expected& expected) {
    design().expect(block_, step, value, expected);
  }
  /// Compares a field of a signal that is a struct.
  void expect(const char* step, std::string_view name, Field field, uint64_t expected) {
    design().expect(block_, step, scope_.find(name), field, expected);
  }
  /// As expect(), for a register: compares in the next cycle.
  template <class Expected>
  void expect_next(const char* step, std::string_view name, const Expected& expected) {
    expect_next(step, scope_.find(name), expected);
  }
  template <class Expected>
  void expect_next(const char* step, const rtl::RtlValue& value, const Expected& expected) {
    design().expect_next(block_, step, value, expected);
  }

  Scope scope_;

 private:
  const Context& context_;
  const char* block_;
};

}  // namespace mxe::blame
