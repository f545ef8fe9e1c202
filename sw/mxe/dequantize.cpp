// mxe dequantize: element codes and block scales back to float32.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "arrays.h"
#include "command.h"
#include "numerics/npy.h"
#include "numerics/tensor.h"
#include "packing.h"

namespace mxe::cli {
namespace {

struct Options {
  std::string elements, scales, format, output;
  std::optional<int> axis;
  std::size_t length = 0;
  Packing packing = Packing::none;
  bool json = false;
};

std::size_t blocks_of(std::size_t length) { return (length + mx::kBlockSize - 1) / mx::kBlockSize; }

/// Whether scales of shape `scales` belong to elements of shape `elements` with blocks along
/// `axis`.
bool fits(std::vector<std::size_t> elements, const std::vector<std::size_t>& scales,
          std::size_t axis) {
  elements[axis] = blocks_of(elements[axis]);
  return elements == scales;
}

/// The axis along which the blocks run: the given one, else the only one that the shapes allow.
std::size_t find_axis(const Options& options, const std::vector<std::size_t>& elements,
                      const std::vector<std::size_t>& scales) {
  if (options.axis) {
    const std::size_t axis = resolve_axis(*options.axis, elements.size());
    if (fits(elements, scales, axis)) return axis;
  } else {
    // From the last axis on: several fit only where they have the length 1 and make no difference.
    for (std::size_t axis = elements.size(); axis-- > 0;) {
      if (fits(elements, scales, axis)) return axis;
    }
  }
  throw mx::Error(fmt::format(
      "{}: scales of shape {} do not fit elements of shape {}: they must have one entry for every "
      "block of {} along {}",
      options.scales, shape_text(scales), shape_text(elements), mx::kBlockSize,
      options.axis ? "--axis" : "one axis"));
}

int run(const Options& options) {
  const mx::FormatId format = mx::parse_format(options.format);
  const Array<uint8_t> elements =
      unpack(format, options.packing, read_bytes(options.elements), options.length);
  const Array<uint8_t> scales = read_bytes(options.scales);
  const std::size_t axis = find_axis(options, elements.shape, scales.shape);
  const AxisView view = split_at(elements.shape, axis);

  mx::MxTensor tensor;
  tensor.format = format;
  tensor.rows = view.rows();
  tensor.k = view.length;
  tensor.codes = axis_to_rows(elements.values, view);
  tensor.scales = axis_to_rows(scales.values, view.with_length(blocks_of(view.length)));
  const uint32_t mask = mx::element_format(format).code_mask();
  const auto bad = std::find_if(tensor.codes.begin(), tensor.codes.end(),
                                [mask](uint8_t code) { return (code & ~mask) != 0; });
  if (bad != tensor.codes.end()) {
    throw mx::Error(fmt::format("{}: the code {} is too large for {} (allowed: 0 to {})",
                                options.elements, *bad, options.format, mask));
  }
  const std::vector<float> values = rows_to_axis(mx::dequantize(tensor), view);
  mx::write_npy(options.output, values.data(), elements.shape);

  if (options.json) {
    print_json({{"format", options.format},
                {"shape", elements.shape},
                {"axis", axis},
                {"block", mx::kBlockSize},
                {"blocks", scales.values.size()}});
  } else {
    fmt::print("{} elements {} in {} blocks of {} along axis {} to float32\n", values.size(),
               shape_text(elements.shape), scales.values.size(), mx::kBlockSize, axis);
  }
  return kAgreed;
}

}  // namespace

Command add_dequantize(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("dequantize", "Turn element codes and block scales back into float32");
  const auto options = std::make_shared<Options>();
  command->add_option("--elements", options->elements, "Element codes (uint8)")->required();
  command->add_option("--scales", options->scales, "E8M0 scale codes (uint8)")->required();
  command->add_option("--format", options->format, "Element format; see `mxe formats`")->required();
  command->add_option("--output", options->output, "Write the values (float32)")->required();
  command->add_option("--axis", options->axis,
                      "Axis the blocks run along (default: as the shapes say)");
  add_packing_option(*command, options->packing);
  command->add_option(
      "--length", options->length,
      "With --pack: elements along the last axis (default: all that the bytes hold)");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
