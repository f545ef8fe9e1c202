// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/regs/generated/mxe_parameters.h"

namespace mxe {

/// The parameters of one MXE configuration; default `base`. ParameterValues and parameter_table are
/// generated from model/regs/mxe.rdl, which also defines the allowed values.
struct Params : ParameterValues {
  /// The configuration `small`, `base` or `large`. Throws Error with the allowed names.
  static Params named(std::string_view name);
  /// Parses a YAML map of parameter names to numbers; `config: NAME` sets starting values (default
  /// base). Throws Error with `origin` for unknown keys, wrong types and illegal values.
  static Params from_yaml(const std::string& text, const std::string& origin);
  static Params from_file(const std::string& path);
  static Params load(const std::string& name_or_file);

  /// Applies one `NAME=VALUE`, such as ROWS=16. Does not check limits; validate() does.
  void set(std::string_view assignment);
  /// Throws LimitError for the first parameter that is out of its limits.
  void validate() const;

  /// "small", "base" or "large" if the values are exactly those, else "custom".
  std::string config_name() const;
  /// "NUM_PE=8 ROWS=32 ...", in the order of parameter_table. set() reads each word back.
  std::string to_string() const;

  unsigned mem_bytes() const { return mem_w / 8; }  ///< bytes of one beat of the memory port
};

bool operator==(const Params& a, const Params& b);
inline bool operator!=(const Params& a, const Params& b) { return !(a == b); }

const std::vector<const char*>& config_names();

}  // namespace mxe
