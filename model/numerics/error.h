// SPDX-License-Identifier: Apache-2.0
// The one exception type of the numerics library: bad input, described in one line.
#pragma once

#include <stdexcept>

namespace mx {

/// Thrown for input that cannot be processed. `what()` is one line that says what was wrong and
/// what is allowed; a command line prints it as it is.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace mx
