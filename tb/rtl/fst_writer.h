// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe {

/// Returns errno of the first failure to write FST files since the last call, 0 for none. It is
/// known when the file has been closed.
int take_fst_error();

}  // namespace mxe
