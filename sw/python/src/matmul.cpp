// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "model/job/output.h"
#include "model/numerics/gemm/gemm.h"
#include "model/numerics/gemm/gemm_fast.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/operand.h"
#include "sw/python/src/products.h"
#include "sw/python/src/quantized.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace mxe::python {
namespace {

// Multiply-accumulates between two checks for signals: a fraction of a second of work.
constexpr double kFastSlice = 0x1p31;  // of block sums, by vector kernels
constexpr double kSlowSlice = 0x1p26;  // of all others

bool worth_threads(const numerics::Batches& batches) {
  constexpr double kLeastMacs = 0x1p23;
  return static_cast<double>(batches.m) * static_cast<double>(batches.n) *
             static_cast<double>(batches.k) * static_cast<double>(batches.pairs.size()) >=
         kLeastMacs;
}

struct Request {
  bool transposed = false;
  bool bias_bf16 = false;
  job::OutputFormat output;
  numerics::GemmOptions sums;
};

class Bias {
 public:
  Bias(std::vector<float> values, bool one_row, std::size_t columns)
      : values_(std::move(values)), one_row_(one_row), columns_(columns) {}

  // Rows first..first + count - 1 over all products; null without a bias.
  const float* rows(std::size_t first, std::size_t count) {
    if (values_.empty()) return nullptr;
    const std::size_t period = one_row_ ? columns_ : values_.size();
    part_.resize(count * columns_);
    for (std::size_t i = 0; i < part_.size(); i++) {
      part_[i] = values_[(first * columns_ + i) % period];
    }
    return part_.data();
  }

 private:
  std::vector<float> values_, part_;
  bool one_row_;
  std::size_t columns_;
};

struct Results {
  std::vector<uint8_t> bytes;  // numbers, or codes, one a byte
  std::vector<uint8_t> scales;

  void append(const std::vector<float>& sums, std::size_t rows, std::size_t columns,
              const job::OutputFormat& output) {
    const auto add = [](std::vector<uint8_t>& all, const std::vector<uint8_t>& part) {
      all.insert(all.end(), part.begin(), part.end());
    };
    const job::StoredOutput stored = job::store_output(sums, rows, columns, output);
    if (output.kind != job::OutputFormat::Kind::mx) return add(bytes, stored.bytes);
    add(bytes, job::load_mx_output(stored, rows, columns, output).codes);
    add(scales, stored.scales);
  }
};

Results multiply(const Quantized& a, const Quantized& b, const numerics::Batches& batches,
                 Bias bias, const Request& request) {
  const numerics::MxTensor a_rows = numerics::operand_of(a.array, true, "a");
  const std::shared_ptr<const numerics::PreparedRows> b_rows =
      b.kept->of([&] { return numerics::operand_of(b.array, request.transposed, "b"); });
  if (batches.pairs.empty()) return {};
  const bool fast = request.sums.accumulate == numerics::Accumulate::block &&
                    numerics::has_fast_sums(a_rows.scaled_format(), b_rows->rows.scaled_format());
  const double macs = static_cast<double>(batches.n) * static_cast<double>(batches.k);
  const auto step = static_cast<std::size_t>(
      std::max(fast ? 64.0 : 1.0, std::min(0x1p40, (fast ? kFastSlice : kSlowSlice) / macs)));
  Results results;
  // If all products share one B, they are one product with the rows of all A.
  const bool shared = batches.b_count == 1;
  const std::size_t products = shared ? 1 : batches.pairs.size();
  const std::size_t rows = shared ? batches.m * batches.pairs.size() : batches.m;
  for (std::size_t at = 0; at < products; at++) {
    const auto [of_a, of_b] = batches.pairs[at];
    const numerics::MxTensor b_part =
        shared ? numerics::MxTensor{}
               : numerics::slice_rows(b_rows->rows, of_b * batches.n, batches.n);
    const numerics::PreparedOperand part(b_part);
    for (std::size_t first = 0; first < rows; first += step) {
      const std::size_t count = std::min(step, rows - first);
      const numerics::MxTensor a_part =
          numerics::slice_rows(a_rows, of_a * batches.m + first, count);
      const std::vector<float> sums =
          numerics::gemm(a_part, shared ? b_rows->prepared : part,
                         bias.rows(at * rows + first, count), request.sums);
      results.append(sums, count, batches.n, request.output);
      check_signals();
    }
  }
  return results;
}

nb::object matmul(const Quantized& a, const Quantized& b, bool transposed,
                  const std::optional<AnyArray>& bias, bool bias_bits,
                  const std::string& bias_format, const std::string& out_format,
                  const std::optional<std::string>& out_rule,
                  const std::optional<std::string>& out_overflow, const std::string& accumulate,
                  bool dual, const std::optional<float>& alpha, unsigned threads) {
  Request request;
  request.transposed = transposed;
  request.bias_bf16 = is_bf16(bias_format);
  request.output = output_of(out_format, out_rule, out_overflow);
  request.sums.accumulate = numerics::parse_accumulate(accumulate);
  request.sums.dual = dual;
  request.sums.alpha = alpha;
  if (alpha && !std::isfinite(*alpha)) {
    throw Error("alpha must be a finite number, not " + std::to_string(*alpha));
  }
  const numerics::Batches batches =
      numerics::pair_matrices({"a", a.array.shape}, {"b", b.array.shape}, transposed);
  request.sums.threads = worth_threads(batches) ? threads : 1;
  Bias added({}, false, batches.n);
  if (bias) {
    const Input numbers(*bias, bias_bits, "bias");
    const bool one_row = numerics::bias_is_one_row(numbers.shape(), batches.shape, "bias");
    std::vector<float> buffer;
    const float* first = numbers.floats(0, numbers.size(), buffer);
    std::vector<float> values(first, first + numbers.size());
    if (request.bias_bf16) values = job::round_to_bfloat16(values);
    added = Bias(std::move(values), one_row, batches.n);
  }
  Results results;
  {
    const nb::gil_scoped_release released;
    results = multiply(a, b, batches, std::move(added), request);
  }
  return result_object(std::move(results.bytes), std::move(results.scales), batches.shape,
                       request.output);
}

}  // namespace

void bind_matmul(nb::module_& module) {
  module.def("matmul", &matmul, "a"_a, "b"_a, "transpose_b"_a, "bias"_a.none().noconvert(),
             "bias_bits"_a, "bias_format"_a, "out_format"_a, "out_rule"_a.none(),
             "out_overflow"_a.none(), "accumulate"_a, "dual"_a, "alpha"_a.none(), "threads"_a);
}

}  // namespace mxe::python
