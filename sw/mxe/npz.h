// SPDX-License-Identifier: Apache-2.0
// Reading .npz files: ZIP archives of .npy files, as numpy.savez and numpy.savez_compressed make
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/npy.h"

namespace mxe::cli {

/// The names of the arrays, without their ".npy", in the order of the file. Throws mx::Error for
/// anything but a ZIP archive; `name` is used in messages.
std::vector<std::string> npz_names(const uint8_t* bytes, std::size_t size, const std::string& name);

/// Reads the array with this name, stored or deflated. Throws mx::Error, one line, if there is
/// none, if the archive is damaged (its checksums do not fit) or if it is no array of a type that
/// mx::parse_npy reads.
mx::NpyArray parse_npz(const uint8_t* bytes, std::size_t size, const std::string& name,
                       const std::string& member);

}  // namespace mxe::cli
