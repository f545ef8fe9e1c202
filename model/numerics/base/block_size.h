// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe {

/// Elements of an MX block, which share a scale, and lanes of a processing element, which
/// multiplies a block in a cycle (two at the dual rate). The RTL calls it LANES, the driver
/// MXE_BLOCK.
inline constexpr unsigned kBlockSize = 32;

}  // namespace mxe
