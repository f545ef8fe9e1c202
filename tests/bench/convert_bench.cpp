// SPDX-License-Identifier: Apache-2.0
// Quantizing and dequantizing 4096 x 4096 values on one core (quantize_threads: also on two),
// compared with memory bandwidth: "stream", the upper bound, only reads 4 bytes (2 of 16-bit
// numbers) and writes 1 per element; dequantizing: the reverse.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "model/numerics/block/presets.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::test {
namespace {

constexpr size_t kRows = 4096;
constexpr size_t kColumns = 4096;
constexpr size_t kElements = kRows * kColumns;

const std::vector<float>& normals() {
  static const std::vector<float> values = [] {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> x(kElements);
    for (float& value : x) value = normal(random);
    return x;
  }();
  return values;
}

void set_rate(benchmark::State& state) {
  state.counters["elements/s"] = benchmark::Counter(static_cast<double>(kElements),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

// Stores the lowest byte of each word: the memory is the limit.
__attribute__((noinline)) void stream_narrow(const uint32_t* in, uint8_t* out) {
  for (size_t i = 0; i < kElements; i++) out[i] = static_cast<uint8_t>(in[i]);
}

__attribute__((noinline)) void stream_widen(const uint8_t* in, uint32_t* out) {
  for (size_t i = 0; i < kElements; i++) out[i] = in[i];
}

__attribute__((noinline)) void stream_halve(const uint16_t* in, uint8_t* out) {
  for (size_t i = 0; i < kElements; i++) out[i] = static_cast<uint8_t>(in[i]);
}

void stream_quantize_halves(benchmark::State& state) {
  std::vector<uint16_t> in(kElements, 5);
  std::vector<uint8_t> out(kElements);
  for (auto _ : state) {
    stream_halve(in.data(), out.data());
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void stream_quantize(benchmark::State& state) {
  std::vector<uint32_t> in(kElements, 5);
  std::vector<uint8_t> out(kElements);
  for (auto _ : state) {
    stream_narrow(in.data(), out.data());
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void stream_dequantize(benchmark::State& state) {
  std::vector<uint8_t> in(kElements, 5);
  std::vector<uint32_t> out(kElements);
  for (auto _ : state) {
    stream_widen(in.data(), out.data());
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void quantize(benchmark::State& state, numerics::FormatId format, SimdLevel level) {
  const std::vector<float>& x = normals();
  numerics::QuantizeRequest request;
  request.dequantize = false;
  request.simd = level;
  numerics::QuantizedArray result;
  for (auto _ : state) {
    numerics::quantize_into(x.data(), {kRows, kColumns}, numerics::element_format(format), {},
                            request, result);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void dequantize(benchmark::State& state, numerics::FormatId format, SimdLevel level) {
  const numerics::MxTensor tensor =
      numerics::quantize_rows(normals().data(), kRows, kColumns, format);
  std::vector<float> out(kElements);
  for (auto _ : state) {
    numerics::dequantize_rows(format, tensor.codes.data(), tensor.scales.data(), kRows, kColumns, 1,
                              level, out.data());
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void quantize_halves(benchmark::State& state, const numerics::Quantizer& quantizer,
                     numerics::NumberType type) {
  std::vector<uint16_t> x;
  for (const float value : normals()) {
    const uint32_t bits = to_bits(value);
    x.push_back(type == numerics::NumberType::float16 ? numerics::float16_bits(bits)
                                                      : numerics::bfloat16_bits(bits));
  }
  numerics::QuantizeRequest request;
  request.dequantize = false;
  numerics::QuantizedArray result;
  for (auto _ : state) {
    numerics::quantize_into(numerics::FloatArray(x.data(), type), {kRows, kColumns},
                            quantizer.format, quantizer.options, request, result);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

// quantize_rows as `mxe matmul --threads` calls it; wall time.
void quantize_threads(benchmark::State& state, numerics::FormatId format) {
  const auto threads = static_cast<unsigned>(state.range(0));
  const std::vector<float>& x = normals();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        numerics::quantize_rows(x.data(), kRows, kColumns, format, {}, threads));
  }
  set_rate(state);
}

// A preset's whole quantizer along `axis`: codes, scale codes and scales. Reuses the output.
void quantize_preset(benchmark::State& state, const numerics::Quantizer& quantizer, int axis) {
  const std::vector<float>& x = normals();
  numerics::QuantizeRequest request;
  request.axis = axis;
  request.dequantize = false;
  numerics::QuantizedArray result;
  for (auto _ : state) {
    numerics::quantize_into(x.data(), {kRows, kColumns}, quantizer.format, quantizer.options,
                            request, result);
    benchmark::ClobberMemory();
  }
  set_rate(state);
}

void register_presets() {
  std::vector<std::string> formats = {"nvfp4"};
  for (const numerics::FormatRow& row : numerics::kFormats) formats.emplace_back(row.name);
  for (const std::string& preset : numerics::preset_names()) {
    const bool nvfp4 = preset.rfind("nvfp4", 0) == 0;
    for (const std::string& format : formats) {
      if (nvfp4 != (format == "nvfp4")) continue;
      numerics::Quantizer quantizer;
      try {
        quantizer = numerics::make_quantizer(format, preset);
      } catch (const Error&) {  // this preset does not have the format
        continue;
      }
      const std::string name = preset + "/" + format;
      benchmark::RegisterBenchmark(("quantize_preset/" + name).c_str(), quantize_preset, quantizer,
                                   -1);
      benchmark::RegisterBenchmark(("quantize_axis0/" + name).c_str(), quantize_preset, quantizer,
                                   0);
    }
  }
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("stream/quantize", stream_quantize);
  benchmark::RegisterBenchmark("stream/dequantize", stream_dequantize);
  benchmark::RegisterBenchmark("stream/quantize_16_bits", stream_quantize_halves);
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (!runs_simd_level(level)) continue;
    for (const numerics::FormatId format : numerics::kAllFormats) {
      const std::string suffix =
          numerics::element_format(format).name + "/" + simd_level_name(level);
      benchmark::RegisterBenchmark(("quantize/" + suffix).c_str(), quantize, format, level);
      benchmark::RegisterBenchmark(("dequantize/" + suffix).c_str(), dequantize, format, level);
    }
  }
  for (const numerics::FormatId format :
       {numerics::FormatId::mxfp4_e2m1, numerics::FormatId::mxfp8_e4m3}) {
    benchmark::RegisterBenchmark(
        ("quantize_threads/" + numerics::element_format(format).name).c_str(), quantize_threads,
        format)
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(2)
        ->UseRealTime();
  }
  register_presets();
  for (const char* preset : {"ocp", "torchao-rceil", "torchmx", "microxcaling-nearest"}) {
    const numerics::Quantizer quantizer = numerics::make_quantizer("mxfp8_e4m3", preset);
    const std::string suffix = std::string(preset) + "/mxfp8_e4m3";
    benchmark::RegisterBenchmark(("quantize_bfloat16/" + suffix).c_str(), quantize_halves,
                                 quantizer, numerics::NumberType::bfloat16);
    benchmark::RegisterBenchmark(("quantize_float16/" + suffix).c_str(), quantize_halves, quantizer,
                                 numerics::NumberType::float16);
  }
  return true;
}();

}  // namespace
}  // namespace mxe::test
