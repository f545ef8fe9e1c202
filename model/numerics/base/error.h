// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mxe {

/// Input error. `what()` is one line, printed unchanged: the problem, then the allowed values.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The array is valid, but its element type is not supported. A reader of a whole file may skip it.
struct TypeError : Error {
  /// `elements`: name of the type, such as "I64" or "int32".
  TypeError(const std::string& what, std::string elements)
      : Error(what), type(std::move(elements)) {}
  std::string type;
};

/// A value breaks a limit. Equal code and values mean the same problem, whatever the text.
struct LimitError : Error {
  /// `code` names the rule: "ROWS >= NUM_PE" with the values {16, 32}.
  LimitError(const std::string& what, std::string rule, std::vector<double> broken_by)
      : Error(what), code(std::move(rule)), values(std::move(broken_by)) {}
  std::string code;
  std::vector<double> values;
};

}  // namespace mxe
