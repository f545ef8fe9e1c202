// mxe quantize: float32 to element codes and block scales.

#include "numerics/quantize.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "arrays.h"
#include "command.h"
#include "numerics/npy.h"
#include "packing.h"

namespace mxe::cli {
namespace {

struct Options {
  std::string input, format, scale_rule = "floor", rounding = "rne";
  std::string elements, scales, dequantized;
  int axis = -1;
  Packing packing = Packing::none;
  bool json = false;
};

/// What quantizing an array gives, in the array's own axis order.
struct Quantized {
  std::size_t axis;
  Array<uint8_t> elements, scales;
  Array<float> dequantized;
};

Quantized quantize(const Array<float>& input, mx::FormatId format, int axis,
                   const mx::QuantizerOptions& options) {
  Quantized result;
  result.axis = resolve_axis(axis, input.shape.size());
  const AxisView view = split_at(input.shape, result.axis);
  const std::vector<float> rows = axis_to_rows(input.values, view);
  const mx::MxTensor tensor =
      mx::quantize_rows(rows.data(), view.rows(), view.length, format, options);
  const AxisView blocks = view.with_length(tensor.scale_columns());
  result.elements = {input.shape, rows_to_axis(tensor.codes, view)};
  result.scales = {input.shape, rows_to_axis(tensor.scales, blocks)};
  result.scales.shape[result.axis] = blocks.length;
  result.dequantized = {input.shape, rows_to_axis(mx::dequantize(tensor), view)};
  return result;
}

template <typename T>
void write(const std::string& path, const Array<T>& array) {
  if (!path.empty()) mx::write_npy(path, array.values.data(), array.shape);
}

int run(const Options& options) {
  const mx::FormatId format = mx::parse_format(options.format);
  check_packing(format, options.packing);
  mx::QuantizerOptions quantizer;
  quantizer.scale_rule = mx::parse_scale_rule(options.scale_rule);
  quantizer.rounding = mx::parse_rounding(options.rounding);
  const Array<float> input = read_floats(options.input);
  const Quantized result = quantize(input, format, options.axis, quantizer);
  write(options.elements, pack(format, options.packing, result.elements));
  write(options.scales, result.scales);
  write(options.dequantized, result.dequantized);

  const std::size_t blocks = result.scales.values.size();
  if (options.json) {
    print_json({{"format", options.format},
                {"scale_rule", options.scale_rule},
                {"round", options.rounding},
                {"shape", input.shape},
                {"axis", result.axis},
                {"block", mx::kBlockSize},
                {"blocks", blocks}});
  } else {
    fmt::print("{} elements {} in {} blocks of {} along axis {} as {}\n", input.values.size(),
               shape_text(input.shape), blocks, mx::kBlockSize, result.axis, options.format);
  }
  return kAgreed;
}

}  // namespace

Command add_quantize(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("quantize", "Quantize a float32 array to element codes and block scales");
  const auto options = std::make_shared<Options>();
  command->add_option("IN.npy", options->input, "float32 array of any shape")->required();
  command->add_option("--format", options->format, "Element format; see `mxe formats`")->required();
  command->add_option("--axis", options->axis, "Axis the blocks run along; -1 is the last");
  command->add_option("--scale-rule", options->scale_rule, "floor, ceil, even or rceil");
  command->add_option("--round", options->rounding, "rne, away, down or trunc");
  command->add_option("--elements", options->elements, "Write the element codes (uint8)");
  command->add_option("--scales", options->scales, "Write the E8M0 scale codes (uint8)");
  command->add_option("--dequantized", options->dequantized,
                      "Write the values that the codes stand for (float32)");
  add_packing_option(*command, options->packing);
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
