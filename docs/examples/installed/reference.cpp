// SPDX-License-Identifier: Apache-2.0
// Quantizes two matrices and computes their product as the engine does.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/quantize.h"

int main() {
  constexpr std::size_t kRows = 4, kColumns = 3, kDepth = 96;
  std::vector<float> a(kRows * kDepth), b(kColumns * kDepth);
  for (std::size_t i = 0; i < a.size(); i++) a[i] = std::sin(0.1f * static_cast<float>(i));
  for (std::size_t i = 0; i < b.size(); i++) b[i] = std::cos(0.2f * static_cast<float>(i));

  const mxe::numerics::MxTensor qa =
      mxe::numerics::quantize_rows(a.data(), kRows, kDepth, mxe::numerics::FormatId::mxfp8_e4m3);
  const mxe::numerics::MxTensor qb =
      mxe::numerics::quantize_rows(b.data(), kColumns, kDepth, mxe::numerics::FormatId::mxfp4_e2m1);
  const std::vector<float> c = mxe::numerics::gemm(qa, qb, nullptr);

  const std::vector<float> da = mxe::numerics::dequantize(qa), db = mxe::numerics::dequantize(qb);
  float worst = 0;
  for (std::size_t i = 0; i < c.size(); i++) {
    float sum = 0;
    for (std::size_t k = 0; k < kDepth; k++) {
      sum += da[i / kColumns * kDepth + k] * db[i % kColumns * kDepth + k];
    }
    worst = std::max(worst, std::abs(sum - c[i]));
  }
  std::printf("reference: %zu x %zu x %zu, differs by at most %.0e\n", kRows, kColumns, kDepth,
              worst);
  return worst < 1e-4f ? 0 : 1;
}
