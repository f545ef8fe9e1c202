// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, with errors that name the file; where the running program lies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mx {

/// The bytes of a file, or of standard input for "-"; throws Error if it cannot be opened or read.
std::vector<uint8_t> read_file(const std::string& path);

/// Replaces a file, or continues standard output for "-"; throws Error if it cannot be written
/// completely.
void write_file(const std::string& path, const void* data, std::size_t size);

/// The folder of the running program's file, links resolved; empty if the system does not say it.
std::string program_directory();

}  // namespace mx
