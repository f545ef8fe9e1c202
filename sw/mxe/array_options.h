// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/arrays/packing.h"

namespace CLI {
class App;
}

namespace mxe::cli {

/// Adds `--tensor NAME`. `files` is the order in which a command reads several files: "A, B".
void add_tensor_option(CLI::App& command, std::vector<std::string>& names,
                       const std::string& files = "");

/// `suffix` ends the option's name: "-a" gives --pack-a.
void add_packing_option(CLI::App& command, arrays::Packing& packing,
                        const std::string& suffix = "");

void add_swizzle_option(CLI::App& command, bool& swizzled, const std::string& suffix = "");

}  // namespace mxe::cli
