// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sw/regs/generated/mxe_parameters.h"

namespace mxe {

/// The parameters of one MXE configuration. The textual names (NUM_PE, ROWS, ...) are
/// those of the SystemVerilog module mxe_top, of the registers and of configuration files alike. A
/// default-constructed value is the configuration `base`. What there is and what is allowed is said
/// once, in sw/regs/mxe.rdl, from which ParameterValues and parameter_table are generated.
struct Params : ParameterValues {
  /// The configuration `small`, `base` or `large`. Throws mx::Error naming the allowed ones.
  static Params named(std::string_view name);
  /// Parses YAML: a map of parameter names to numbers, optionally `config: NAME` to start from
  /// (default base). Unknown keys, wrong types and illegal values throw mx::Error, which starts
  /// with `origin`.
  static Params from_yaml(const std::string& text, const std::string& origin);
  /// Reads `path` as from_yaml does.
  static Params from_file(const std::string& path);
  /// `name_or_file` as a command line gives it: a named configuration, else a YAML file.
  static Params load(const std::string& name_or_file);

  /// Applies one `NAME=VALUE`. Only the text is checked: several assignments may be needed to reach
  /// a legal set, so call validate() after the last.
  void set(std::string_view assignment);
  /// Throws mx::Error with one line about the first parameter that is out of its limits.
  void validate() const;

  /// "small", "base" or "large" if the values are exactly those, else "custom".
  std::string config_name() const;
  /// "NUM_PE=8 ROWS=32 ...", in the order of parameter_table. set() reads each word back.
  std::string to_string() const;

  unsigned mem_bytes() const { return mem_w / 8; }  ///< bytes of one beat of the memory port
};

bool operator==(const Params& a, const Params& b);
inline bool operator!=(const Params& a, const Params& b) { return !(a == b); }

/// The names Params::named accepts.
const std::vector<const char*>& config_names();

}  // namespace mxe
