// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/numerics/block/format_info.h"
#include "model/numerics/block/presets.h"
#include "sw/mxe/command.h"

namespace mxe::cli {
namespace {

Json describe(const numerics::FormatInfo& info) {
  const numerics::ElementFormat format = numerics::parse_any_format(info.name);
  return {{"name", info.name},
          {"bits", info.bits},
          {"exponent_bits", info.exponent_bits},
          {"mantissa_bits", info.mantissa_bits},
          {"bias", format.bias},
          {"emax", format.emax},
          {"max", info.max},
          {"min_normal", info.min_normal},
          {"min_subnormal", info.min_subnormal},
          {"has_inf", format.has_inf},
          {"has_nan", format.has_nan},
          {"block", info.block_size},
          {"scale", info.scale},
          {"bits_per_element", info.bits_per_element},
          {"compression_fp32", info.compression_fp32},
          {"compression_fp16", info.compression_fp16}};
}

void print_table() {
  fmt::print("{:<11} {:>4} {:>3} {:>3} {:>9} {:>12} {:>13}  {:<8} {:>5} {:>5} {:>8} {:>7} {:>7}\n",
             "format", "bits", "exp", "man", "max", "min normal", "min subnormal", "specials",
             "block", "scale", "bits/el.", "vs fp32", "vs fp16");
  for (const numerics::FormatInfo& info : numerics::all_format_infos()) {
    fmt::print(
        "{:<11} {:>4} {:>3} {:>3} {:>9} {:>12.6g} {:>13.6g}  {:<8} {:>5} {:>5} {:>8.2f} "
        "{:>6.2f}x {:>6.2f}x\n",
        info.name, info.bits, info.exponent_bits, info.mantissa_bits, info.max, info.min_normal,
        info.min_subnormal, info.specials, info.block_size, info.scale, info.bits_per_element,
        info.compression_fp32, info.compression_fp16);
  }
}

void print_presets() {
  fmt::print("\n{:<23} {:<14} {}\n", "preset", "formats", "agrees with");
  for (const numerics::PresetInfo& info : numerics::preset_infos()) {
    fmt::print("{:<23} {:<14} {}\n", info.name, info.formats, info.release);
  }
}

Json describe(const numerics::PresetInfo& info) {
  return {{"name", info.name}, {"formats", info.formats}, {"release", info.release}};
}

int run(bool json) {
  if (!json) {
    print_table();
    print_presets();
    return kAgreed;
  }
  Json formats = Json::array();
  for (const numerics::FormatInfo& info : numerics::all_format_infos())
    formats.push_back(describe(info));
  Json releases = Json::array();
  for (const numerics::PresetInfo& info : numerics::preset_infos())
    releases.push_back(describe(info));
  print_json({{"formats", formats}, {"presets", numerics::preset_names()}, {"releases", releases}});
  return kAgreed;
}

}  // namespace

Command add_formats(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "formats", "List the element formats with their limits, and the presets with their peers");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object");
  return {command, [json] { return run(*json); }};
}

}  // namespace mxe::cli
