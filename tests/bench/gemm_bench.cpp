// SPDX-License-Identifier: Apache-2.0
// The golden matrix multiply compared with OpenBLAS sgemm on one thread, M = N = 512, K = 4096.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "model/numerics/gemm/gemm.h"
#include "model/numerics/quantize/quantize.h"

#ifdef MXE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace mxe::test {
namespace {

constexpr size_t kM = 512;
constexpr size_t kN = 512;
constexpr size_t kK = 4096;

void set_rate(benchmark::State& state) {
  state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(kM * kN * kK),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

std::vector<float> normals(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& value : x) value = normal(random);
  return x;
}

#ifdef MXE_HAVE_OPENBLAS
void sgemm(benchmark::State& state) {
  openblas_set_num_threads(1);
  const std::vector<float> a = normals(kM * kK, 1);
  const std::vector<float> b = normals(kN * kK, 2);
  std::vector<float> c(kM * kN);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kM, kN, kK, 1.0f, a.data(), kK, b.data(),
                kK, 0.0f, c.data(), kN);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}
#endif

void golden(benchmark::State& state, numerics::FormatId format_a, numerics::FormatId format_b,
            const numerics::GemmOptions& options) {
  const numerics::MxTensor a =
      numerics::quantize_rows(normals(kM * kK, 1).data(), kM, kK, format_a);
  const numerics::MxTensor b =
      numerics::quantize_rows(normals(kN * kK, 2).data(), kN, kK, format_b);
  for (auto _ : state) benchmark::DoNotOptimize(numerics::gemm(a, b, nullptr, options));
  set_rate(state);
}

// With the best vector level: one thread, and two (wall time). If that is AVX-512: one with AVX2.
void register_pair(numerics::FormatId a, numerics::FormatId b) {
  const std::string name =
      "gemm/" + numerics::element_format(a).name + "/" + numerics::element_format(b).name;
  numerics::GemmOptions options;
  benchmark::RegisterBenchmark(name.c_str(), golden, a, b, options);
  options.threads = 2;
  benchmark::RegisterBenchmark((name + "/threads:2").c_str(), golden, a, b, options)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
  options.threads = 1;
  options.simd = SimdLevel::avx2;
  if (best_simd_level() == SimdLevel::avx512) {
    benchmark::RegisterBenchmark((name + "/avx2").c_str(), golden, a, b, options);
  }
}

const bool kRegistered = [] {
#ifdef MXE_HAVE_OPENBLAS
  benchmark::RegisterBenchmark("gemm/openblas_sgemm", sgemm);
#endif
  for (const numerics::FormatId a : numerics::kAllFormats) {
    for (const numerics::FormatId b : numerics::kAllFormats) {
      if (a <= b) register_pair(a, b);
    }
  }
  return true;
}();

}  // namespace
}  // namespace mxe::test
