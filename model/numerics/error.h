// SPDX-License-Identifier: Apache-2.0
// The one exception type of the numerics library: bad input, described in one line.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace mx {

/// Thrown for input that cannot be processed. `what()` is one line that says what was wrong and
/// what is allowed; a command line prints it as it is.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The array is sound, but its elements have a type that cannot be used. Readers of whole files may
/// skip it.
struct TypeError : Error {
  /// `elements`: the type, for people: "I64", "int32".
  TypeError(const std::string& what, std::string elements)
      : Error(what), type(std::move(elements)) {}
  std::string type;
};

}  // namespace mx
