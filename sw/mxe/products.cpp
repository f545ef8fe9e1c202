// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/quantize.h"

namespace mxe::cli {
namespace {

using Shape = std::vector<std::size_t>;

std::size_t product(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t dimension : shape) count *= dimension;
  return count;
}

/// Everything but the two axes of the matrices.
Shape leading_axes(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

void require_matrices(const Operand& operand, const char* shape) {
  const Shape& axes = operand.array.shape;
  const bool filled = std::find(axes.begin(), axes.end(), std::size_t{0}) == axes.end();
  if (axes.size() >= 2 && filled) return;
  throw mx::Error(
      fmt::format("{}: it must be {}, after any number of leading axes, with no dimension of 0, "
                  "but the array is {}",
                  operand.path, shape, shape_text(axes)));
}

/// Rows first to first + count.
mx::MxTensor rows_of(const mx::MxTensor& tensor, std::size_t first, std::size_t count) {
  const auto part = [first, count](const std::vector<uint8_t>& bytes, std::size_t row) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first * row);
    return std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count * row));
  };
  return {tensor.format, count, tensor.k, part(tensor.codes, tensor.k),
          part(tensor.scales, tensor.scale_columns())};
}

void append(StoredOutput& all, const StoredOutput& output) {
  all.bytes.insert(all.bytes.end(), output.bytes.begin(), output.bytes.end());
  all.scales.insert(all.scales.end(), output.scales.begin(), output.scales.end());
  all.saturations += output.saturations;
}

}  // namespace

JobShape Products::total() const {
  JobShape total = jobs[0].shape();
  total.m *= jobs.size();
  return total;
}

StoredOutput Products::golden(const mx::GemmOptions& options) const {
  StoredOutput all;
  for (const Job& job : jobs) append(all, job.golden(options));
  return all;
}

DeviceResult Products::run(Device& device) const {
  DeviceResult all = device.run(jobs[0]);
  for (std::size_t i = 1; i < jobs.size(); i++) {
    const DeviceResult result = device.run(jobs[i]);
    append(all.output, result.output);
    all.cycles += result.cycles;
    all.wall_seconds += result.wall_seconds;
    for (std::size_t c = 0; c < all.counters.size(); c++) {
      all.counters[c].second += result.counters[c].second;
    }
  }
  return all;
}

Products make_products(const Operand& a, const Operand& b, bool transposed, unsigned threads) {
  require_matrices(a, "[M, K]");
  require_matrices(b, transposed ? "[N, K]" : "[K, N]");
  const Shape& a_shape = a.array.shape;
  const Shape& b_shape = b.array.shape;
  const std::size_t k = a_shape.back(), k_axis = b_shape.size() - (transposed ? 1 : 2);
  if (b_shape[k_axis] != k) {
    throw mx::Error(fmt::format(
        "{} is {} and {} is {}: the columns of A must be as many as the {} of B", a.path,
        shape_text(a_shape), b.path, shape_text(b_shape), transposed ? "columns" : "rows"));
  }
  const Shape a_leading = leading_axes(a_shape), b_leading = leading_axes(b_shape);
  if (a_leading != b_leading && !a_leading.empty() && !b_leading.empty()) {
    throw mx::Error(
        fmt::format("{} is {} and {} is {}: the axes before the last two must be the same, or one "
                    "of them must have none",
                    a.path, shape_text(a_shape), b.path, shape_text(b_shape)));
  }
  const std::size_t a_count = product(a_leading), b_count = product(b_leading);
  const std::size_t m = a_shape[a_shape.size() - 2];
  const std::size_t n = b_shape[b_shape.size() - (transposed ? 2 : 1)];
  const mx::MxTensor a_rows =
      mx::quantize_rows(a.array.values.data(), a_count * m, k, a.format, {}, threads);
  const std::vector<float> turned =
      transposed ? std::vector<float>{} : axis_to_rows(b.array.values, split_at(b_shape, k_axis));
  const mx::MxTensor b_rows = mx::quantize_rows(transposed ? b.array.values.data() : turned.data(),
                                                b_count * n, k, b.format, {}, threads);
  Products products;
  products.shape = a_leading.empty() ? b_leading : a_leading;
  products.shape.insert(products.shape.end(), {m, n});
  if (b_leading.empty()) {
    products.jobs.resize(1);
    products.jobs[0].a = a_rows;
    products.jobs[0].b = b_rows;
    return products;
  }
  for (std::size_t i = 0; i < b_count; i++) {
    Job& job = products.jobs.emplace_back();
    job.a = a_leading.empty() ? a_rows : rows_of(a_rows, i * m, m);
    job.b = rows_of(b_rows, i * n, n);
  }
  return products;
}

void add_bias(Products& products, Array<float> bias, bool bf16, const std::string& path) {
  const Shape& shape = products.shape;
  const Shape row{shape.back()}, matrix{shape.end()[-2], shape.back()};
  if (bias.shape != row && bias.shape != matrix && bias.shape != shape) {
    throw mx::Error(fmt::format(
        "{}: the bias must be {} or {}{}, but is {}", path, shape_text(matrix), shape_text(row),
        shape == matrix ? "" : " or " + shape_text(shape), shape_text(bias.shape)));
  }
  if (bf16) bias.values = round_to_bfloat16(bias.values);
  std::size_t at = 0;
  for (Job& job : products.jobs) {
    job.bias_bf16 = bf16;
    job.bias_one_row = bias.shape == row;
    const std::size_t count = job.bias_one_row ? row[0] : job.m() * job.n();
    job.bias.reserve(count);
    // One that is smaller than what it is added to starts again.
    for (std::size_t i = 0; i < count; i++) {
      job.bias.push_back(bias.values[at++ % bias.values.size()]);
    }
  }
}

}  // namespace mxe::cli
