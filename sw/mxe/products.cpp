// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/products.h"

#include "model/numerics/batches.h"
#include "model/numerics/quantize.h"

namespace mxe::cli {
namespace {

using Shape = std::vector<std::size_t>;

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
  const Shape& b_shape = b.array.shape;
  const mx::Batches batches =
      mx::pair_matrices({a.path, a.array.shape}, {b.path, b_shape}, transposed);
  const std::size_t m = batches.m, n = batches.n, k = batches.k;
  const mx::MxTensor a_rows =
      mx::quantize_rows(a.array.values.data(), batches.a_count * m, k, a.format, {}, threads);
  const std::vector<float> turned =
      transposed ? std::vector<float>{}
                 : axis_to_rows(b.array.values, split_at(b_shape, b_shape.size() - 2));
  const mx::MxTensor b_rows = mx::quantize_rows(transposed ? b.array.values.data() : turned.data(),
                                                batches.b_count * n, k, b.format, {}, threads);
  Products products;
  products.shape = batches.shape;
  if (batches.b_count == 1) {
    products.jobs.resize(1);
    products.jobs[0].a = a_rows;
    products.jobs[0].b = b_rows;
    return products;
  }
  for (const auto& [of_a, of_b] : batches.pairs) {
    Job& job = products.jobs.emplace_back();
    job.a = mx::slice_rows(a_rows, of_a * m, m);
    job.b = mx::slice_rows(b_rows, of_b * n, n);
  }
  return products;
}

void add_bias(Products& products, Array<float> bias, bool bf16, const std::string& path) {
  const Shape& shape = products.shape;
  const bool one_row = mx::bias_is_one_row(bias.shape, shape, path);
  if (bf16) bias.values = round_to_bfloat16(bias.values);
  std::size_t at = 0;
  for (Job& job : products.jobs) {
    job.bias_bf16 = bf16;
    job.bias_one_row = one_row;
    const std::size_t count = one_row ? shape.back() : job.m() * job.n();
    job.bias.reserve(count);
    // One that is smaller than what it is added to starts again.
    for (std::size_t i = 0; i < count; i++) {
      job.bias.push_back(bias.values[at++ % bias.values.size()]);
    }
  }
}

}  // namespace mxe::cli
