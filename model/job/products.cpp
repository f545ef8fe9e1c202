// SPDX-License-Identifier: Apache-2.0
#include "model/job/products.h"

#include "model/numerics/quantize/axis_view.h"

namespace mxe::job {

bool Products::is_empty() const { return numerics::element_count(shape) == 0; }

JobShape Products::total() const {
  JobShape total = jobs[0].shape();
  total.m *= jobs.size();
  if (!is_empty()) return total;
  total.m = numerics::element_count({shape.begin(), shape.end() - 1});
  total.n = shape.back();
  total.k = depth;
  return total;
}

StoredOutput Products::golden(const numerics::GemmOptions& options) const {
  StoredOutput all;
  if (is_empty()) return all;
  for (const Job& job : jobs) all.append(job.golden(options));
  return all;
}

void Products::add_bias(std::vector<float> values, bool one_row, bool bf16) {
  if (is_empty()) return;
  if (bf16) values = round_to_bfloat16(values);
  std::size_t at = 0;
  for (Job& job : jobs) {
    job.bias_bf16 = bf16;
    job.bias_one_row = one_row;
    const std::size_t count = one_row ? job.n() : job.m() * job.n();
    job.bias.reserve(count);
    for (std::size_t i = 0; i < count; i++) job.bias.push_back(values[at++ % values.size()]);
  }
}

Products make_products(const numerics::MxTensor& a_rows, const numerics::MxTensor& b_rows,
                       const numerics::Batches& batches) {
  Products products;
  products.shape = batches.shape;
  products.depth = batches.k;
  if (products.is_empty()) {
    Job& job = products.jobs.emplace_back();
    job.a.format = a_rows.format;
    job.a.layout = a_rows.layout;
    job.a.tensor_scales = a_rows.tensor_scales;
    job.b.format = b_rows.format;
    job.b.layout = b_rows.layout;
    job.b.tensor_scales = b_rows.tensor_scales;
    return products;
  }
  if (batches.b_count == 1) {
    products.jobs.resize(1);
    products.jobs[0].a = a_rows;
    products.jobs[0].b = b_rows;
    return products;
  }
  for (const auto& [of_a, of_b] : batches.pairs) {
    Job& job = products.jobs.emplace_back();
    job.a = numerics::slice_rows(a_rows, of_a * batches.m, batches.m);
    job.b = numerics::slice_rows(b_rows, of_b * batches.n, batches.n);
  }
  return products;
}

}  // namespace mxe::job
