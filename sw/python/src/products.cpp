// SPDX-License-Identifier: Apache-2.0
#include "sw/python/src/products.h"

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/assemble.h"

namespace nb = nanobind;

namespace mxe::python {
namespace {

/// Makes a Quantized from codes, one per byte, and scales of blocks along the last axis.
nb::object quantized_results(std::vector<uint8_t> codes, std::vector<uint8_t> scales,
                             const std::vector<std::size_t>& shape,
                             const job::OutputFormat& output) {
  const std::string name = output.name();
  const std::string preset = std::string("ocp-") + numerics::scale_rule_name(output.requant.rule);
  NamedQuantizer quantizer{numerics::make_quantizer(name, preset), name, preset};
  numerics::ArrayParts parts;
  parts.shape = parts.scale_shape = shape;
  parts.scale_shape.back() = (shape.back() + kBlockSize - 1) / kBlockSize;
  parts.codes = std::move(codes);
  parts.scale_codes = std::move(scales);
  numerics::QuantizedArray array = numerics::assemble(std::move(parts), quantizer.quantizer);
  return nb::cast(Quantized{std::move(array), std::move(quantizer)});
}

Stored form_of(const job::OutputFormat& output) {
  switch (output.kind) {
    case job::OutputFormat::Kind::bf16:
      return Stored::bfloat16;
    case job::OutputFormat::Kind::fp16:
      return Stored::float16;
    default:
      return Stored::float32;
  }
}

}  // namespace

job::OutputFormat output_of(const std::string& format, const std::optional<std::string>& rule,
                            const std::optional<std::string>& overflow) {
  job::OutputFormat output = job::parse_output_format(format);
  if (output.kind != job::OutputFormat::Kind::mx && (rule || overflow)) {
    throw Error("out_rule and out_overflow are for MX results, " + output.name() +
                " has neither scales nor saturation");
  }
  if (rule) output.requant.rule = numerics::parse_scale_rule(*rule);
  if (overflow) output.requant.overflow = numerics::parse_overflow(*overflow);
  return output;
}

bool is_bf16(const std::string& format) {
  if (format != "fp32" && format != "bf16") {
    throw Error("unknown bias format '" + format + "' (allowed: fp32, bf16)");
  }
  return format == "bf16";
}

nb::object result_object(std::vector<uint8_t> bytes, std::vector<uint8_t> scales,
                         const std::vector<std::size_t>& shape, const job::OutputFormat& output) {
  if (output.kind == job::OutputFormat::Kind::mx) {
    return quantized_results(std::move(bytes), std::move(scales), shape, output);
  }
  return stored_array(std::move(bytes), form_of(output), shape);
}

}  // namespace mxe::python
