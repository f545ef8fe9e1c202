// SPDX-License-Identifier: Apache-2.0
// Simulated cycles per second of the RTL, of the model with data (functional) and without (timing):
// 512 x 512 x 512 in MXFP8 on base, and for timing also layers of Llama-3-8B with 2,048 tokens.
#include "tests/bench/engine_bench.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/quantize/quantize.h"
#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "mxe_driver.h"
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/rtl_engine.h"
#endif

namespace mxe::test {
namespace {

constexpr numerics::FormatId kFormat = numerics::FormatId::mxfp8_e4m3;
constexpr uint32_t kSize = 512;

/// Simulated cycles per second of processor time, by engine; the best run counts.
std::map<std::string, double>& rates() {
  static std::map<std::string, double> values;
  return values;
}

void demand(int result) {
  if (result != MXE_OK) throw Error(mxe_strerror(result));
}

numerics::MxTensor operand(uint32_t rows, uint32_t k, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(std::size_t{rows} * k);
  for (float& value : x) value = normal(random);
  return numerics::quantize_rows(x.data(), rows, k, kFormat);
}

class Bench {
 public:
  Bench(const std::string& name, const platform::Platform::EngineFactory& factory)
      : platform_(name.c_str(), platform::Memory::Config{}, factory) {}

  void prepare(uint32_t m, uint32_t n, uint32_t k, bool data) {
    platform_.run([&](platform::Host& host) {
      const mxe_port port = harness::make_driver_port(host);
      ring_ = platform::make_driver_ring(host, 2);
      demand(mxe_open(&driver_, &port, ring_->get()));
      job_ = {};
      job_.format_a = job_.format_b = static_cast<uint32_t>(kFormat);
      job_.m = m;
      job_.n = n;
      job_.k = k;
      job_.a_stride = job_.b_stride = k;
      job_.a_scale_stride = job_.b_scale_stride = (k + 31) / 32;
      job_.d_stride = 4 * n;
      job_.a_addr = host.allocate(std::size_t{m} * k);
      job_.b_addr = host.allocate(std::size_t{n} * k);
      job_.a_scale_addr = host.allocate(std::size_t{m} * job_.a_scale_stride);
      job_.b_scale_addr = host.allocate(std::size_t{n} * job_.b_scale_stride);
      job_.d_addr = host.allocate(std::size_t{m} * job_.d_stride);
      if (!data) return;
      write(host, job_.a_addr, job_.a_scale_addr, operand(m, k, 1));
      write(host, job_.b_addr, job_.b_scale_addr, operand(n, k, 2));
    });
  }
  uint64_t run() {
    mxe_completion completion{};
    platform_.run([&](platform::Host&) {
      uint32_t id = 0;
      demand(mxe_submit(&driver_, &job_, nullptr, &id));
      demand(mxe_wait(&driver_, id, UINT32_MAX, &completion));
    });
    return completion.cycles;
  }

 private:
  static void write(platform::Host& host, uint64_t address, uint64_t scales,
                    const numerics::MxTensor& tensor) {
    std::memcpy(host.memory().data(address, tensor.codes.size()), tensor.codes.data(),
                tensor.codes.size());
    std::memcpy(host.memory().data(scales, tensor.scales.size()), tensor.scales.data(),
                tensor.scales.size());
  }

  platform::Platform platform_;
  std::optional<platform::DriverRing> ring_;
  mxe_device driver_{};
  mxe_job job_{};
};

void run(benchmark::State& state, Bench& bench, const std::string& name, uint32_t m, uint32_t n,
         uint32_t k, bool data) {
  bench.prepare(m, n, k, data);
  double cycles = 0;
  for (auto _ : state) {
    const std::clock_t start = std::clock();
    const auto ran = static_cast<double>(bench.run());
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 0) rates()[name] = std::max(rates()[name], ran / seconds);
    cycles += ran;
  }
  state.counters["cycles/s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

/// SystemC modules must be created before the first simulation starts.
std::vector<std::unique_ptr<Bench>>& benches() {
  static std::vector<std::unique_ptr<Bench>> all;
  return all;
}

Bench& add_model(const std::string& name, engine::Mode mode,
                 const engine::ArithmeticFactory& arithmetic = {}) {
  benches().push_back(std::make_unique<Bench>(name, [mode, arithmetic] {
    engine::EngineConfig config(Params::named("base"));
    config.mode = mode;
    config.arithmetic = arithmetic;
    return std::make_unique<platform::Engine>("engine", config);
  }));
  return *benches().back();
}

}  // namespace

void add_engine_benchmarks() {
  const auto add = [](const std::string& name, Bench& bench, uint32_t m, uint32_t n, uint32_t k,
                      bool data) {
    return benchmark::RegisterBenchmark(("engine/" + name).c_str(),
                                        [&bench, name, m, n, k, data](benchmark::State& state) {
                                          run(state, bench, name, m, n, k, data);
                                        });
  };
#ifdef MXE_WITH_RTL
  benches().push_back(std::make_unique<Bench>(
      "rtl", [] { return std::make_unique<rtl::RtlEngine>("engine", Params::named("base")); }));
  add("rtl", *benches().back(), kSize, kSize, kSize, true)->Iterations(1);
#endif
  add("functional", add_model("functional", engine::Mode::functional), kSize, kSize, kSize, true);
  Bench& structural =
      add_model("structural", engine::Mode::functional, engine::make_structural_arithmetic);
  add("structural", structural, kSize, kSize, kSize, true);
  Bench& timing = add_model("timing", engine::Mode::timing);
  add("timing", timing, kSize, kSize, kSize, false);
  for (const auto& [m, n, k] :
       {std::array<uint32_t, 3>{2048, 4096, 4096}, std::array<uint32_t, 3>{2048, 14336, 4096},
        std::array<uint32_t, 3>{2048, 4096, 14336}}) {
    add(fmt::format("timing/{}x{}x{}", m, n, k), timing, m, n, k, false);
  }
}

void print_speed_table() {
  if (rates().empty()) return;
  const auto rtl = rates().find("rtl");
  fmt::print(stderr,
             "| engine | cycles per second of processor time | times the RTL |\n|---|---:|---:|\n");
  for (const auto& [name, rate] : rates()) {
    fmt::print(stderr, "| {} | {:.3g} | {} |\n", name, rate,
               rtl == rates().end() ? "" : fmt::format("{:.0f}", rate / rtl->second));
  }
}

}  // namespace mxe::test
