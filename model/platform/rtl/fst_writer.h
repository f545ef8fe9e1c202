// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe::rtl {

/// Returns and clears errno of the first failed FST write, or 0. Call after closing the file.
int take_fst_error();

}  // namespace mxe::rtl
