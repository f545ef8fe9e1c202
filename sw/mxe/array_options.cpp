// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/array_options.h"

#include <CLI/CLI.hpp>
#include <map>

namespace mxe::cli {

void add_tensor_option(CLI::App& command, std::vector<std::string>& names,
                       const std::string& files) {
  std::string what = "Array of an .npz or .safetensors file";
  if (!files.empty()) what += "; once for each such file, in the order " + files;
  command.add_option("--tensor", names, what)->type_name("NAME")->expected(1)->take_all();
}

void add_packing_option(CLI::App& command, arrays::Packing& packing, const std::string& suffix) {
  static const std::map<std::string, arrays::Packing> kNames{{"none", arrays::Packing::none},
                                                             {"low", arrays::Packing::low},
                                                             {"high", arrays::Packing::high}};
  command
      .add_option_function<std::string>(
          "--pack" + suffix, [&packing](const std::string& name) { packing = kNames.at(name); },
          "Codes in the file: one per byte, or packed along the last axis with the first element "
          "in "
          "the low or the high nibble")
      ->check(CLI::IsMember({"none", "low", "high"}))
      ->type_name("none|low|high");
}

void add_swizzle_option(CLI::App& command, bool& swizzled, const std::string& suffix) {
  command
      .add_option_function<std::string>(
          "--swizzle" + suffix, [&swizzled](const std::string&) { swizzled = true; },
          "Scale codes in the file: in the layout of cuBLAS and tcgen05, tiles of 128 x 4")
      ->check(CLI::IsMember({"32x4x4"}))
      ->type_name("32x4x4");
}

}  // namespace mxe::cli
