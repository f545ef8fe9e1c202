// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/output_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "model/numerics/base/error.h"

namespace mxe::cli {
namespace {

void require_mx(const job::OutputFormat& output, const char* option, const std::string& value) {
  if (value.empty() || output.kind == job::OutputFormat::Kind::mx) return;
  throw Error(fmt::format("{} is for MX results, {} has neither scales nor saturation", option,
                          output.name()));
}

/// "fp32, bf16, fp16, "
std::string number_names() {
  std::string names;
  for (const job::NumberFormat& format : job::number_formats())
    names += std::string(format.name) + ", ";
  return names;
}

}  // namespace

void OutputChoice::add_to(CLI::App& command) {
  command
      .add_option("--out-format", format_,
                  fmt::format("Format of the result: {}or an MX format along N", number_names()))
      ->capture_default_str();
  command.add_option("--out-rule", rule_,
                     "Scale rule of an MX result: floor, ceil, even or rceil (default: floor)");
  command.add_option(
      "--out-overflow", overflow_,
      "Elements of an MX result beyond the largest: saturate, or special (NaN in E4M3, "
      "infinity in E5M2) (default: saturate)");
}

job::OutputFormat OutputChoice::resolve() const {
  job::OutputFormat output = job::parse_output_format(format_);
  require_mx(output, "--out-rule", rule_);
  require_mx(output, "--out-overflow", overflow_);
  if (!rule_.empty()) output.requant.rule = numerics::parse_scale_rule(rule_);
  if (!overflow_.empty()) output.requant.overflow = numerics::parse_overflow(overflow_);
  return output;
}

}  // namespace mxe::cli
