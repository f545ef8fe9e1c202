// mxe formats: the element formats and their limits.

#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "numerics/format.h"

namespace mxe::cli {
namespace {

Json describe(mx::FormatId id) {
  const mx::ElementFormat& format = mx::element_format(id);
  return {{"name", format.name},
          {"code", static_cast<int>(id)},
          {"bits", format.bits},
          {"exponent_bits", format.exponent_bits},
          {"mantissa_bits", format.mantissa_bits},
          {"bias", format.bias},
          {"emax", format.emax},
          {"max", format.max},
          {"min_normal", format.min_normal},
          {"min_subnormal", format.min_subnormal},
          {"has_inf", format.has_inf},
          {"has_nan", format.has_nan},
          {"block", mx::kBlockSize},
          {"scale", "e8m0"}};
}

void print_table() {
  fmt::print("{:<11} {:>4} {:>4} {:>3} {:>3} {:>4} {:>9} {:>12} {:>14}  {}\n", "format", "code",
             "bits", "exp", "man", "bias", "max", "min normal", "min subnormal", "specials");
  for (const mx::FormatId id : mx::kAllFormats) {
    const mx::ElementFormat& format = mx::element_format(id);
    const char* specials = format.has_inf ? "Inf, NaN" : format.has_nan ? "NaN" : "none";
    fmt::print("{:<11} {:>4} {:>4} {:>3} {:>3} {:>4} {:>9} {:>12.6g} {:>14.6g}  {}\n", format.name,
               static_cast<int>(id), format.bits, format.exponent_bits, format.mantissa_bits,
               format.bias, format.max, format.min_normal, format.min_subnormal, specials);
  }
  fmt::print("\nBlocks of {} elements share one scale 2^(X - 127); X is one byte, 255 means NaN.\n",
             mx::kBlockSize);
}

int run(bool json) {
  if (!json) {
    print_table();
    return kAgreed;
  }
  Json formats = Json::array();
  for (const mx::FormatId id : mx::kAllFormats) formats.push_back(describe(id));
  print_json({{"formats", formats}});
  return kAgreed;
}

}  // namespace

Command add_formats(CLI::App& app) {
  CLI::App* command = app.add_subcommand("formats", "List the element formats and their limits");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object");
  return {command, [json] { return run(*json); }};
}

}  // namespace mxe::cli
