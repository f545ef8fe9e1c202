// SPDX-License-Identifier: Apache-2.0
// Skipped periods and bulk data change neither cycles, counters nor bytes of the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "model/numerics/base/random.h"
#include "model/numerics/quantize/tensor.h"
#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "mxe_driver.h"
#include "mxe_regs.h"

namespace mxe::test {
namespace {

constexpr uint64_t kSeed = 20;

struct Setting {
  Params params;
  engine::MemoryTiming timing;
};

Params random_params(Random& random) {
  Params p;
  p.num_pe = 1u << random.uniform(0, 5);
  p.rows = std::max(p.num_pe, 8u << random.uniform(0, 3));
  p.acc_tiles = 1u << random.uniform(0, 3);
  p.fp4_dual = static_cast<unsigned>(random.uniform(0, 1));
  p.a_slab_k = 32u << random.uniform(0, 5);
  p.b_buf_k = std::min(p.a_slab_k, 32u << random.uniform(0, 3));
  p.b_banks = 2u << random.uniform(0, 2);
  p.mem_w = 64u << random.uniform(0, 3);
  p.max_burst = 1u << random.uniform(0, 6);
  return p;
}

Setting random_setting(Random& random) {
  Setting s;
  if (!random.one_in(4)) s.params = random_params(random);
  if (random.one_in(4)) s.params = Params::named("small");
  s.timing.latency = static_cast<unsigned>(random.uniform(1, random.one_in(2) ? 400 : 40));
  static constexpr double kRates[] = {0, 0, 0, 4, 8, 12.8, 5.3};
  s.timing.bytes_per_cycle = kRates[random.uniform(0, 6)];
  if (random.one_in(12)) s.timing.jitter_seed = random.next() | 1;
  return s;
}

/// A job with data from `address` on. Three of four are regular, like layers; the others have any
/// sizes, strides and alignments. `narrow`: many stripes of one tile, whose result rows are joined.
mxe_job random_job(Random& random, const Params& p, uint64_t address, bool narrow) {
  const bool regular = !random.one_in(4);
  const auto size = [&](unsigned unit, unsigned most) {
    const auto n = static_cast<uint32_t>(random.uniform(1, most) * unit);
    return regular || random.one_in(2) ? n : n - static_cast<uint32_t>(random.uniform(0, unit - 1));
  };
  mxe_job job{};
  const auto draw_format = [&] {
    return static_cast<uint32_t>(random.uniform(0, MXE_FORMAT_COUNT - 1));
  };
  job.format_a = draw_format();
  job.format_b = random.one_in(2) ? job.format_a : draw_format();
  job.m = size(p.rows, regular ? 24 : 12);
  job.n = size(p.num_pe, 40);
  job.k = regular ? size(128, 8) : size(32, random.one_in(3) ? 60 : 10);
  if (narrow) {
    job.m = static_cast<uint32_t>(random.uniform(40, 80) * p.rows);
    job.n = static_cast<uint32_t>(random.uniform(1, p.num_pe));
    job.k = 32;
  }
  const auto work = [&] { return uint64_t{job.m} * job.n * (job.k / 32 + 1) / p.num_pe; };
  while (job.n > 1 && work() > 150'000) job.n = (job.n + 1) / 2;
  const bool loose = !regular && !narrow && random.one_in(2);
  const auto gap = [&](unsigned unit) {
    return loose ? static_cast<uint32_t>(random.uniform(0, 20) * unit) : 0;
  };
  const auto place = [&](uint64_t bytes, unsigned unit) {
    address = (address + 127) / 128 * 128 + gap(unit);
    const uint64_t start = address;
    address += bytes;
    return start;
  };
  const auto row_of = [](uint32_t format, uint32_t elements) {
    return static_cast<uint32_t>(
        numerics::packed_row_bytes(static_cast<numerics::FormatId>(format), elements));
  };
  const auto row = [&](uint32_t format) { return row_of(format, job.k); };
  job.a_stride = loose && random.one_in(8) ? 0 : row(job.format_a) + gap(1);
  job.b_stride = row(job.format_b) + gap(1);
  job.a_scale_stride = (job.k + 31) / 32 + gap(1);
  job.b_scale_stride = (job.k + 31) / 32 + gap(1);
  const uint64_t out = random.uniform(0, 3);
  job.out_format =
      static_cast<uint32_t>(out < 3 ? out / 2 : random.uniform(MXE_OUT_MXFP4_E2M1, MXE_OUT_MXINT8));
  job.out_rule = static_cast<uint32_t>(random.uniform(0, 3));
  job.d_stride = (out < 2 ? 4 : 2) * job.n + gap(4);
  if (out == 3) job.d_stride = row_of(job.out_format - MXE_OUT_MXFP4_E2M1, job.n) + gap(1);
  job.d_scale_stride = (job.n + 31) / 32 + gap(1);
  job.a_addr = place(uint64_t{job.m} * (row(job.format_a) + 20), 1);
  job.b_addr = place(uint64_t{job.n} * job.b_stride, 1);
  job.a_scale_addr = place(uint64_t{job.m} * job.a_scale_stride, 1);
  job.b_scale_addr = place(uint64_t{job.n} * job.b_scale_stride, 1);
  job.bias = random.one_in(3);
  if (job.bias) {
    job.bias_bf16 = random.one_in(2);
    const uint32_t stride = (job.bias_bf16 ? 2 : 4) * job.n + gap(4);
    job.c_stride = random.one_in(2) ? 0 : stride;
    job.c_addr = place(uint64_t{job.m} * stride, 4);
  }
  job.d_addr = place(uint64_t{job.m} * job.d_stride, 4);
  job.d_scale_addr = place(uint64_t{job.m} * job.d_scale_stride, 1);
  return job;
}

struct Outcome {
  std::vector<uint64_t> cycles;
  std::vector<struct mxe_counters> counters;  // of each read
  std::vector<uint8_t> memory;
};

constexpr std::size_t kMemoryBytes = std::size_t{8} << 20;

/// Runs jobs; with `look`, software reads the counters while they run.
Outcome run(platform::Platform& platform, const std::vector<mxe_job>& jobs, bool look,
            uint64_t seed) {
  Outcome outcome;
  platform.run([&](platform::Host& host) {
    uint8_t* memory = host.memory().data(host.memory().base(), kMemoryBytes);
    Random noise(seed);
    for (std::size_t i = 0; i < kMemoryBytes; i += 8) {
      uint64_t bytes = noise.next();
      if (noise.one_in(3)) bytes = (bytes & 0x0707070707070707) | 0x7878787878787878;
      std::memcpy(memory + i, &bytes, 8);
    }
    mxe_port port = harness::make_driver_port(host);
    mxe_device device{};
    const platform::DriverRing ring(host, host.memory().base(), 2);
    ASSERT_EQ(mxe_open(&device, &port, ring.get()), MXE_OK);
    Random random(seed + 1);
    for (const mxe_job& job : jobs) {
      uint32_t id = 0;
      mxe_completion completion{};
      struct mxe_counters counters {};
      ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
      for (int i = 0; look && i < 6; i++) {
        host.wait_cycles(random.uniform(1, 3000));
        ASSERT_EQ(mxe_read_counters(&device, &counters), MXE_OK);
        outcome.counters.push_back(counters);
      }
      ASSERT_EQ(mxe_wait(&device, id, 1'000'000, &completion), MXE_OK);
      ASSERT_EQ(completion.status, static_cast<uint32_t>(MXE_STATUS_OK));
      outcome.cycles.push_back(completion.cycles);
      ASSERT_EQ(mxe_read_counters(&device, &counters), MXE_OK);
      outcome.counters.push_back(counters);
    }
    outcome.memory.assign(memory, memory + kMemoryBytes);
  });
  return outcome;
}

std::vector<uint64_t> values(const struct mxe_counters& counters) {
  std::vector<uint64_t> list(sizeof counters / sizeof(uint64_t));
  std::memcpy(list.data(), &counters, sizeof counters);
  return list;
}

void expect_same(const Outcome& is, const Outcome& should, bool data) {
  EXPECT_EQ(is.cycles, should.cycles);
  ASSERT_EQ(is.counters.size(), should.counters.size());
  for (std::size_t i = 0; i < is.counters.size(); i++) {
    struct mxe_counters a = is.counters[i], b = should.counters[i];
    if (!data) {
      a.nan_results = b.nan_results;
      a.saturations = b.saturations;
    }
    EXPECT_EQ(values(a), values(b)) << "look " << i;
  }
  if (data) {
    EXPECT_TRUE(is.memory == should.memory);
  }
}

/// `skip`: skips periods; `direct`: moves bulk data. Structural arithmetic uses neither shortcut.
struct Way {
  const char* name;
  engine::Mode mode;
  bool skip, direct;
  engine::ArithmeticFactory arithmetic = {};
};
const Way kWays[] = {
    {"plain", engine::Mode::functional, false, false},
    {"timing", engine::Mode::timing, false, true},
    {"timing_skipping", engine::Mode::timing, true, true},
    {"whole", engine::Mode::functional, false, true},
    {"whole_skipping", engine::Mode::functional, true, true},
    {"structural", engine::Mode::functional, true, true, engine::make_structural_arithmetic}};
constexpr std::size_t kWayCount = std::size(kWays);

TEST(Repetition, CannotBeTold) {
  constexpr std::size_t kSettings = 30;
  Random random(kSeed);
  std::vector<Setting> settings;
  std::vector<std::unique_ptr<platform::Platform>> platforms;
  for (std::size_t i = 0; i < kSettings; i++) {
    settings.push_back(random_setting(random));
    for (const Way& way : kWays) {
      platform::Memory::Config memory;
      memory.size = kMemoryBytes;
      memory.timing = settings.back().timing;
      memory.direct_access = way.direct;
      platforms.push_back(std::make_unique<platform::Platform>(
          (std::string(way.name) + std::to_string(i)).c_str(), memory, [&] {
            engine::EngineConfig config(settings.back().params);
            config.mode = way.mode;
            config.skip_repetitions = way.skip;
            config.arithmetic = way.arithmetic;
            return std::make_unique<platform::Engine>("engine", config);
          }));
    }
  }
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < kSettings; i++) {
    std::vector<mxe_job> jobs;
    for (int j = 0; j < 2; j++) {
      jobs.push_back(
          random_job(random, settings[i].params, platforms[0]->memory().base() + 256, false));
    }
    Random of_narrow(kSeed + i);
    jobs.push_back(random_job(of_narrow, settings[i].params,
                              platforms[0]->memory().base() + kMemoryBytes / 2, true));
    const bool look = random.one_in(3);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", setting " + std::to_string(i) + ": " +
                 settings[i].params.to_string());
    const Outcome plain = run(*platforms[kWayCount * i], jobs, look, kSeed + i);
    for (std::size_t way = 1; way < kWayCount; way++) {
      SCOPED_TRACE(kWays[way].name);
      platform::Platform& platform = *platforms[kWayCount * i + way];
      expect_same(run(platform, jobs, look, kSeed + i), plain,
                  kWays[way].mode == engine::Mode::functional);
      const uint64_t now_skipped =
          static_cast<platform::Engine&>(platform.engine()).skipped_cycles();
      if (!kWays[way].skip || kWays[way].arithmetic) {
        EXPECT_EQ(now_skipped, 0u);
      }
      if (now_skipped > 0) skipped++;
    }
  }
  // More than a third of the runs that may skip cycles must do so, or the test covers too little.
  EXPECT_GT(skipped, 2 * kSettings / 3) << "of " << 2 * kSettings;
  RecordProperty("skipped", static_cast<int>(skipped));
}

}  // namespace
}  // namespace mxe::test
