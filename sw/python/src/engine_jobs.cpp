// SPDX-License-Identifier: Apache-2.0
// Requests for an engine's process (sw/worker/requests.h), and its replies.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/scale_checks.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/operand.h"
#include "sw/python/src/products.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

nb::object flat(std::vector<uint8_t> bytes) {
  const std::size_t size = bytes.size();
  return nb::cast(owned(std::move(bytes), {size}));
}

void put_output(nb::dict& request, const job::OutputFormat& output) {
  request["out_format"] = output.name();
  request["out_rule"] = numerics::scale_rule_name(output.requant.rule);
  request["out_overflow"] =
      output.requant.overflow == numerics::Overflow::saturate ? "saturate" : "special";
}

/// Returns the bias as row-major float32; adds its description to the request.
nb::object put_bias(nb::dict& request, const std::optional<AnyArray>& bias, bool bits, bool bf16,
                    const std::vector<std::size_t>& result) {
  std::vector<float> values;
  bool one_row = false;
  if (bias) {
    const Input numbers(*bias, bits, "bias");
    one_row = numerics::bias_is_one_row(numbers.shape(), result, "bias");
    std::vector<float> buffer;
    const float* first = numbers.floats(0, numbers.size(), buffer);
    values.assign(first, first + numbers.size());
  }
  request["bias"] = values.size();
  request["bias_one_row"] = one_row;
  request["bias_bf16"] = bf16;
  const std::size_t size = values.size();
  return nb::cast(owned(std::move(values), {size}));
}

/// Adds kinds of scales and the factor of the results: `alpha`, else the product of tensor scales.
/// Throws Error if no engine has them.
void put_scales(nb::dict& request, const numerics::MxTensor& a, const numerics::MxTensor& b,
                const std::optional<float>& alpha) {
  const bool has_row_scales = !alpha && (a.tensor_scales.size() > 1 || b.tensor_scales.size() > 1);
  numerics::require_engine_scales(a.scaled_format(), b.scaled_format(), has_row_scales);
  if (alpha && !std::isfinite(*alpha)) {
    throw Error("alpha must be a finite number, not " + std::to_string(*alpha));
  }
  if (numerics::is_nvfp4_format(a.scaled_format())) {
    request["nvfp4"] = true;
  } else {
    request["block_a"] = a.layout.block;
    request["block_b"] = b.layout.block;
  }
  const auto scale = [](const numerics::MxTensor& tensor) {
    return tensor.tensor_scales.empty() ? 1.0F : tensor.tensor_scales[0];
  };
  if (alpha) {
    request["alpha_bits"] = to_bits(*alpha);
  } else if (!a.tensor_scales.empty() || !b.tensor_scales.empty()) {
    request["alpha_bits"] = to_bits(scale(a) * scale(b));
  }
}

/// Returns (request, arrays for the shared memory, shape of the result).
nb::tuple engine_job(const Quantized& a, const Quantized& b, bool transposed,
                     const std::optional<AnyArray>& bias, bool bias_bits,
                     const std::string& bias_format, const std::string& out_format,
                     const std::optional<std::string>& out_rule,
                     const std::optional<std::string>& out_overflow,
                     const std::optional<float>& alpha) {
  const numerics::Batches batches =
      numerics::pair_matrices({"a", a.array.shape}, {"b", b.array.shape}, transposed);
  numerics::MxTensor a_rows = numerics::operand_of(a.array, true, "a");
  numerics::MxTensor b_rows = numerics::operand_of(b.array, transposed, "b");
  const bool shared = batches.b_count == 1;
  nb::dict request;
  put_scales(request, a_rows, b_rows, alpha);
  request["m"] = shared ? batches.m * batches.a_count : batches.m;
  request["n"] = batches.n;
  request["k"] = batches.k;
  request["format_a"] = numerics::element_format(a_rows.format).name;
  request["format_b"] = numerics::element_format(b_rows.format).name;
  request["a_count"] = shared ? 1 : batches.a_count;
  request["b_count"] = batches.b_count;
  nb::list pairs;
  if (!shared) {
    for (const auto& [of_a, of_b] : batches.pairs) pairs.append(nb::make_tuple(of_a, of_b));
  }
  request["pairs"] = pairs;
  put_output(request, output_of(out_format, out_rule, out_overflow));
  nb::list arrays;
  arrays.append(flat(std::move(a_rows.codes)));
  arrays.append(flat(std::move(a_rows.scales)));
  arrays.append(flat(std::move(b_rows.codes)));
  arrays.append(flat(std::move(b_rows.scales)));
  arrays.append(put_bias(request, bias, bias_bits, is_bf16(bias_format), batches.shape));
  return nb::make_tuple(request, arrays, batches.shape);
}

nb::dict engine_output(const std::string& out_format, const std::optional<std::string>& out_rule,
                       const std::optional<std::string>& out_overflow) {
  nb::dict request;
  put_output(request, output_of(out_format, out_rule, out_overflow));
  return request;
}

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Unpacks MX elements of a result.
nb::object engine_result(const Bytes& bytes, const Bytes& scales,
                         const std::vector<std::size_t>& shape, const std::string& out_format,
                         const std::string& out_rule, const std::string& out_overflow) {
  const job::OutputFormat output =
      job::parse_output_format(out_format).kind == job::OutputFormat::Kind::mx
          ? output_of(out_format, out_rule, out_overflow)
          : job::parse_output_format(out_format);
  job::StoredOutput stored;
  stored.bytes.assign(bytes.data(), bytes.data() + bytes.size());
  stored.scales.assign(scales.data(), scales.data() + scales.size());
  if (output.kind == job::OutputFormat::Kind::mx) {
    std::size_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); axis++) rows *= shape[axis];
    stored.bytes = job::load_mx_output(stored, rows, shape.back(), output).codes;
  }
  return result_object(std::move(stored.bytes), std::move(stored.scales), shape, output);
}

}  // namespace

void bind_engine_jobs(nb::module_& module) {
  module.def("engine_job", &engine_job, "a"_a, "b"_a, "transpose_b"_a, "bias"_a.none().noconvert(),
             "bias_bits"_a, "bias_format"_a, "out_format"_a, "out_rule"_a.none(),
             "out_overflow"_a.none(), "alpha"_a.none() = nb::none());
  module.def("engine_output", &engine_output, "out_format"_a, "out_rule"_a.none(),
             "out_overflow"_a.none());
  module.def("engine_result", &engine_result, "bytes"_a, "scales"_a, "shape"_a, "out_format"_a,
             "out_rule"_a, "out_overflow"_a);
}

}  // namespace mxe::python
