// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/numerics/gemm/gemm_fast.h"
#include "tests/unit/numerics/gemm_cases.h"

namespace mxe::numerics {
namespace {

TEST(Avx512Emulation, GemmAsSingleSteps) {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    EXPECT_EQ(
        gemm_mismatches(seed,
                        [](const MxTensor& a, const MxTensor& b, const float* bias, bool dual) {
                          std::vector<float> out(a.rows * b.rows);
                          const FastGemm fast(a, PreparedOperand(b), gemm_kernels_avx512_emulated(),
                                              best_simd_level(), dual, 1);
                          fast.run(bias, 0, a.rows, out.data());
                          return out;
                        }),
        0u);
  }
}

TEST(Avx512Emulation, Nvfp4AsTheDefinition) {
  EXPECT_EQ(
      nvfp4_mismatches(1,
                       [](const MxTensor& a, const MxTensor& b, const float* start, bool dual) {
                         std::vector<float> out(a.rows * b.rows);
                         const FastGemm fast(a, PreparedOperand(b), gemm_kernels_avx512_emulated(),
                                             best_simd_level(), dual, 1);
                         fast.run(start, 0, a.rows, out.data());
                         return out;
                       }),
      0u);
}

}  // namespace
}  // namespace mxe::numerics
