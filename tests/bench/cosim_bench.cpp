// SPDX-License-Identifier: Apache-2.0
// Cost of co-simulation (model, RTL, buses, memories, driver, all comparisons) and of the bare
// Verilated RTL for the same cycles. "cosim" runs the same jobs repeatedly through CoSim and counts
// the RTL's cycles; "bare" applies the recorded pins of such a run to the Verilated class.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <systemc>
#include <vector>

#include "tb/cosim/cosim.h"
#include "tb/cosim/job_generator.h"

namespace mxe::test {
namespace {

struct Pins {
  rtl::RtlInputs in;
  std::size_t beat = 0;  ///< offset of the read data in Recording::beats, if in.m_rdata is set
};

struct Recording {
  std::size_t beat_bytes = 0;
  std::vector<Pins> cycles;
  std::vector<uint8_t> beats;
  bool on = false;
};

class RecordedTop : public rtl::RtlTop {
 public:
  RecordedTop(std::unique_ptr<rtl::RtlTop> top, Recording& recording)
      : top_(std::move(top)), recording_(recording) {
    recording_.beat_bytes = top_->params().mem_bytes();
  }
  const Params& params() const override { return top_->params(); }
  void reset(unsigned cycles) override { top_->reset(cycles); }
  void cycle(const rtl::RtlInputs& in, rtl::RtlOutputs& out) override {
    if (recording_.on) record(in);
    top_->cycle(in, out);
  }

 private:
  void record(const rtl::RtlInputs& in) {
    Pins pins{in, recording_.beats.size()};
    if (in.m_rdata) {
      recording_.beats.insert(recording_.beats.end(), in.m_rdata,
                              in.m_rdata + recording_.beat_bytes);
    }
    recording_.cycles.push_back(pins);
  }

  std::unique_ptr<rtl::RtlTop> top_;
  Recording& recording_;
};

/// Only one per process: SystemC elaborates once.
struct Bench {
  Recording recording;
  std::unique_ptr<cosim::CoSim> cosim;
  std::vector<cosim::CosimJob> jobs;

  Bench() {
    cosim::CoSimOptions options;
    options.params = Params::named("base");
    options.rtl.make_top = [this](const Params& params, const std::string& waves) {
      return std::make_unique<RecordedTop>(rtl::make_rtl_top(params, waves), recording);
    };
    cosim = std::make_unique<cosim::CoSim>(options);
    cosim::JobMix mix;
    mix.max_m = mix.max_n = 96;
    mix.max_k = 1024;
    mix.max_work = 100'000;
    cosim::JobGenerator generator(options.params, 7, mix);
    for (int i = 0; i < 16; i++) jobs.push_back(generator.next());
    recording.on = true;
    cosim->run(jobs);
    recording.on = false;
  }
};

/// Created and destroyed in sc_main: SystemC's objects do not outlive it.
std::unique_ptr<Bench>& bench() {
  static std::unique_ptr<Bench> instance;
  return instance;
}

void report_cycles(benchmark::State& state, uint64_t cycles) {
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}

void cosim(benchmark::State& state) {
  cosim::CoSim& simulation = *bench()->cosim;
  const uint64_t before = simulation.rtl_cycles();
  for (auto _ : state) simulation.run(bench()->jobs);
  if (!simulation.mismatches().empty()) state.SkipWithError("model and RTL disagree");
  report_cycles(state, simulation.rtl_cycles() - before);
}

void bare(benchmark::State& state) {
  Recording& recording = bench()->recording;
  const std::unique_ptr<rtl::RtlTop> top = rtl::make_rtl_top(Params::named("base"));
  for (Pins& pins : recording.cycles) {
    if (pins.in.m_rdata) pins.in.m_rdata = &recording.beats[pins.beat];
  }
  rtl::RtlOutputs out;
  uint64_t cycles = 0;
  for (auto _ : state) {
    state.PauseTiming();
    top->reset(4);
    state.ResumeTiming();
    for (const Pins& pins : recording.cycles) top->cycle(pins.in, out);
    cycles += recording.cycles.size();
  }
  report_cycles(state, cycles);
}

BENCHMARK(bare)->Unit(benchmark::kMillisecond);
BENCHMARK(cosim)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mxe::test

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  mxe::test::bench() = std::make_unique<mxe::test::Bench>();
  benchmark::RunSpecifiedBenchmarks();
  mxe::test::bench().reset();
  return 0;
}
