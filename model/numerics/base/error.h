// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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

}  // namespace mxe
