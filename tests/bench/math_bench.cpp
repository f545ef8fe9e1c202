// SPDX-License-Identifier: Apache-2.0
// The integer arithmetic of the driver (mxe_math.h, mxe_float.h) on one core, in values per second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "mxe_float.h"
#include "mxe_math.h"

namespace {

constexpr uint32_t kRows = 256, kColumns = 256, kValues = kRows * kColumns;
constexpr uint32_t kScale = 0x3E000000;  // 1/8

std::vector<float> normals() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(kValues);
  std::generate(x.begin(), x.end(), [&] { return normal(random); });
  return x;
}

void set_rate(benchmark::State& state) {
  state.counters["values/s"] = benchmark::Counter(static_cast<double>(kValues),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

struct Quantized {
  explicit Quantized(uint32_t format) : elements(kValues), scales(kValues / MXE_BLOCK) {
    out = {format, elements.data(), scales.data(), mxe_row_bytes(format, kColumns),
           mxe_row_scales(kColumns)};
  }
  std::vector<uint8_t> elements, scales;
  mxe_elements out;
};

void quantize(benchmark::State& state, uint32_t format, bool bf16) {
  const std::vector<float> x = normals();
  std::vector<uint16_t> halves;  // truncated, not rounded
  for (const float value : x) {
    uint32_t bits;
    static_assert(sizeof bits == sizeof value);
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof bits, reinterpret_cast<char*>(&bits));
    halves.push_back(static_cast<uint16_t>(bits >> 16));
  }
  const void* data = x.data();
  if (bf16) data = halves.data();
  const mxe_numbers numbers = {data, bf16, kColumns, 1};
  const Quantized q(format);
  for (auto _ : state) {
    mxe_quantize(&numbers, kRows, kColumns, MXE_RULE_FLOOR, &q.out);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void dequantize(benchmark::State& state, uint32_t format) {
  std::vector<float> x = normals();
  const mxe_numbers numbers = {x.data(), false, kColumns, 1};
  const Quantized q(format);
  mxe_quantize(&numbers, kRows, kColumns, MXE_RULE_FLOOR, &q.out);
  for (auto _ : state) {
    mxe_dequantize(&q.out, kRows, kColumns, x.data(), kColumns);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void add(benchmark::State& state) {
  const std::vector<float> x = normals();
  std::vector<float> y(x.rbegin(), x.rend()), sum(kValues);
  for (auto _ : state) {
    mxe_add_rows(x.data(), y.data(), kValues, sum.data());
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void softmax(benchmark::State& state) {
  const std::vector<float> x = normals();
  std::vector<float> weights(kValues);
  for (auto _ : state) {
    for (uint32_t row = 0; row < kRows; row++) {
      mxe_softmax(&x[row * kColumns], kColumns, kScale, &weights[row * kColumns]);
    }
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

const bool kRegistered = [] {
  constexpr const char* kNames[] = {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                    "mxfp8_e4m3", "mxfp8_e5m2", "mxint8"};
  uint32_t format = 0;
  for (const std::string name : kNames) {
    benchmark::RegisterBenchmark(("driver/quantize/" + name).c_str(), quantize, format, false);
    benchmark::RegisterBenchmark(("driver/quantize_bf16/" + name).c_str(), quantize, format, true);
    benchmark::RegisterBenchmark(("driver/dequantize/" + name).c_str(), dequantize, format);
    format++;
  }
  benchmark::RegisterBenchmark("driver/add", add);
  benchmark::RegisterBenchmark("driver/softmax", softmax);
  return true;
}();

}  // namespace
