// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mxe {

/// A register inside a simulated design that its build shows (rtl/mxe_states.vlt): mostly a state
/// of a control block. Refers to the design, which must outlive it.
class RtlSignal {
 public:
  /// Name of a value, such as a state of an FSM.
  using ValueName = std::pair<uint64_t, std::string>;

  // In the header, because an engine in a library of its own makes signals too.
  RtlSignal(std::string name, void* data, unsigned bytes, bool writable,
            std::vector<ValueName> value_names)
      : name_(std::move(name)),
        data_(data),
        bytes_(bytes),
        writable_(writable),
        value_names_(std::move(value_names)) {}

  /// Below the top, with dots: "u_cmd.state_q".
  const std::string& name() const { return name_; }
  uint64_t value() const;
  /// Throws mx::Error if the build does not allow it. The design sees the value in its next cycle.
  void set(uint64_t value) const;
  /// The name of a value, or its number where it has none.
  std::string value_name(uint64_t value) const;
  const std::vector<ValueName>& value_names() const { return value_names_; }

 private:
  std::string name_;
  void* data_;
  unsigned bytes_;
  bool writable_;
  std::vector<ValueName> value_names_;
};

/// "u_cmd.state_q StRun, u_datapath.u_seq.busy_q 1, ...": every signal that is not 0, or has names.
std::string describe(const std::vector<RtlSignal>& signals);

}  // namespace mxe
