// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mxe::rtl {

/// A register inside a design that rtl/mxe_states.vlt makes visible. The design must outlive it.
class RtlSignal {
 public:
  using ValueName = std::pair<uint64_t, std::string>;

  // Inline, because engine libraries create signals too.
  RtlSignal(std::string name, void* data, unsigned bytes, bool writable,
            std::vector<ValueName> value_names)
      : name_(std::move(name)),
        data_(data),
        bytes_(bytes),
        writable_(writable),
        value_names_(std::move(value_names)) {}

  /// Path below the top: "u_cmd.state_q".
  const std::string& name() const { return name_; }
  uint64_t value() const;
  /// The design sees the value in its next cycle. Throws Error if the signal is read-only.
  void set(uint64_t value) const;
  /// The name of a value, or its number if it has no name.
  std::string value_name(uint64_t value) const;
  const std::vector<ValueName>& value_names() const { return value_names_; }

 private:
  std::string name_;
  void* data_;
  unsigned bytes_;
  bool writable_;
  std::vector<ValueName> value_names_;
};

/// "u_cmd.state_q StRun, u_datapath.u_seq.busy_q 1, ...": signals that are nonzero or have names.
std::string describe(const std::vector<RtlSignal>& signals);

}  // namespace mxe::rtl
