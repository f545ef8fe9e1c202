// SPDX-License-Identifier: Apache-2.0
#include "model/blocks/array.h"

namespace mxe::blocks {

template struct Array<42>;
template struct Array<56>;
template struct Array<70>;

}  // namespace mxe::blocks
