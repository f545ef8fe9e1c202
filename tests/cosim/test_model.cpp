// SPDX-License-Identifier: Apache-2.0
// The model alone, with any configuration; loop nest and unpacker against plain code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/counters.h"
#include "model/engine/timing/common/walk.h"
#include "model/engine/timing/read/unpack.h"
#include "model/numerics/base/random.h"
#include "model/params/nest.h"
#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "mxe_counter_table.h"
#include "mxe_driver.h"
#include "mxe_regs.h"

namespace mxe::test {
namespace {

std::vector<unsigned> parts(unsigned total, unsigned most, unsigned unit) {
  std::vector<unsigned> sizes;
  for (unsigned left = total; left > 0; left -= sizes.back()) {
    sizes.push_back(static_cast<unsigned>(LoopNest::next_part(left, most, unit)));
  }
  return sizes;
}

/// Nested loops: {rows, cols, tile, words, first_k, last_k, last_use} of each step.
using Step = std::vector<unsigned>;
std::vector<Step> plain_nest(const Params& p, const engine::Walk::Levels& levels, unsigned m,
                             unsigned n, unsigned words) {
  std::vector<Step> steps;
  const unsigned slab = LoopNest::slab_words(p, levels.wide, levels.long_slab);
  const std::vector<unsigned> chunks =
      parts(words, LoopNest::chunk_words(p, m), LoopNest::kWordUnit);
  const unsigned tile_cols = LoopNest::tile_columns(p, levels.wide);
  std::vector<unsigned> groups;
  for (unsigned col = 0; col < n; col += groups.back() * p.num_pe) {
    groups.push_back(LoopNest::group_tiles(p.num_pe, p.acc_tiles, n - col, levels.wide));
  }
  for (const unsigned rows : parts(m, p.rows, 1)) {
    unsigned first_col = 0;
    for (std::size_t g = 0; g < groups.size(); g++) {
      const unsigned end_col = std::min(n, first_col + groups[g] * p.num_pe);
      unsigned k = 0;
      for (const unsigned chunk_words : chunks) {
        for (unsigned col = first_col; col < end_col; col += tile_cols) {
          unsigned at = k;
          for (const unsigned slab_words : parts(chunk_words, slab, LoopNest::kWordUnit)) {
            const unsigned end = at + slab_words;
            const bool last_use = col + tile_cols >= end_col && end == k + chunk_words &&
                                  (chunks.size() > 1 || g + 1 == groups.size());
            steps.push_back({rows, std::min(tile_cols, n - col), (col - first_col) / p.num_pe,
                             slab_words, at == 0, end == words, last_use});
            at = end;
          }
        }
        k += chunk_words;
      }
      first_col = end_col;
    }
  }
  return steps;
}

TEST(Walk, IsTheLoopNest) {
  Random random(1);
  for (int i = 0; i < 2000; i++) {
    Params p = Params::named("small");
    p.acc_tiles = 1u << random.uniform(0, 3);
    p.a_slab_k = 32u << random.uniform(0, 3);
    p.b_buf_k = std::min(p.a_slab_k, 32u << random.uniform(0, 2));
    const auto m = static_cast<unsigned>(random.uniform(1, 30)),
               n = static_cast<unsigned>(random.uniform(1, 90)),
               words = static_cast<unsigned>(random.uniform(1, 80));
    const auto batch = static_cast<unsigned>(random.one_in(3) ? random.uniform(2, 4) : 1);
    engine::Walk::Levels levels;
    levels.wide = LoopNest::may_be_wide(p, 1) && random.one_in(2);
    levels.long_slab = random.one_in(2);
    SCOPED_TRACE(p.to_string() + ": " + std::to_string(batch) + " of " + std::to_string(m) + " " +
                 std::to_string(n) + " " + std::to_string(words) + (levels.wide ? " wide" : "") +
                 (levels.long_slab ? " long" : ""));
    std::vector<Step> steps, expected;
    const std::vector<Step> product = plain_nest(p, levels, m, n, words);
    while (expected.size() < batch * product.size()) {
      expected.insert(expected.end(), product.begin(), product.end());
    }
    for (engine::Walk walk(p, levels, batch, m, n, words); walk.valid(); walk.step()) {
      ASSERT_EQ(walk.row() / m, steps.size() / product.size());
      steps.push_back({walk.rows(), walk.cols(), walk.tile(), walk.words(), walk.first_k(),
                       walk.last_k(), walk.last_use()});
    }
    ASSERT_EQ(steps, expected);
  }
}

/// A fetch for plain_unpack(), which is mxe_unpack cycle by cycle; `offered`: the first cycle in
/// which each beat is valid.
struct PlainFetch {
  unsigned offset, bytes, word_bytes;
  std::vector<uint64_t> offered;
};
struct PlainTimes {
  std::vector<uint64_t> beats, words;
};
PlainTimes plain_unpack(unsigned beat_bytes, const std::vector<PlainFetch>& fetches) {
  PlainTimes times;
  std::size_t fetch = 0, beat = 0;  // the next ones to accept
  bool active = false;
  unsigned count = 0, left = 0, size = 1;
  uint64_t cycle = 0;
  while (fetch < fetches.size() || active) {
    const unsigned emit_bytes = std::min(left, size);
    const bool emit = active && count >= emit_bytes;
    const bool emit_done = emit && left <= size;
    const unsigned kept = emit_done ? 0 : (emit ? count - emit_bytes : count);
    if (emit) times.words.push_back(cycle);
    bool accept = false;
    if (fetch < fetches.size()) {
      const bool room = beat > 0 ? kept <= 32 : (!active || emit_done);
      accept = room && fetches[fetch].offered[beat] <= cycle;
    }
    if (emit) left -= emit_bytes;
    count = kept;
    if (emit_done) active = false;
    if (accept) {
      const PlainFetch& f = fetches[fetch];
      times.beats.push_back(cycle);
      if (beat == 0) {
        count = beat_bytes - f.offset;
        active = true;
        left = f.bytes;
        size = f.word_bytes;
      } else {
        count += beat_bytes;
      }
      if (++beat == f.offered.size()) {
        fetch++;
        beat = 0;
      }
    }
    cycle++;
  }
  return times;
}

TEST(Unpack, KeepsTheTimesOfThePipeline) {
  Random random(2);
  for (int round = 0; round < 400; round++) {
    SCOPED_TRACE(round);
    const unsigned beat_bytes = 8u << random.uniform(0, 3);
    std::vector<PlainFetch> fetches;
    uint64_t offered = 5;
    const uint64_t gap = random.uniform(1, 3);
    for (int f = 0; f < 6; f++) {
      PlainFetch fetch;
      fetch.offset = static_cast<unsigned>(random.uniform(0, beat_bytes - 1));
      fetch.bytes = static_cast<unsigned>(random.uniform(1, 300));
      static constexpr unsigned kSizes[] = {8, 16, 24, 32};
      fetch.word_bytes = kSizes[random.uniform(0, 3)];
      const uint64_t beats = engine::BeatSize(beat_bytes).touched(fetch.offset, fetch.bytes);
      if (random.one_in(3)) offered += random.uniform(0, 40);
      for (uint64_t b = 0; b < beats; b++, offered += gap) fetch.offered.push_back(offered);
      fetches.push_back(fetch);
    }
    const PlainTimes expected = plain_unpack(beat_bytes, fetches);
    engine::Unpack unpack(beat_bytes);
    std::size_t beat = 0, word = 0;
    for (const PlainFetch& fetch : fetches) {
      unpack.begin(fetch.offset, fetch.bytes, fetch.word_bytes);
      const auto beats = static_cast<unsigned>(fetch.offered.size());
      const engine::BeatTimes times(fetch.offered[0] << engine::BeatTimes::kFraction,
                                    gap << engine::BeatTimes::kFraction);
      EXPECT_EQ(unpack.beats(times, beats), expected.beats[beat]);
      beat += beats;
      word += (fetch.bytes + fetch.word_bytes - 1) / fetch.word_bytes;
      EXPECT_EQ(unpack.last_beat(), expected.beats[beat - 1]);
      EXPECT_EQ(unpack.last_word(), expected.words[word - 1]);
    }
  }
}

TEST(BankCredits, ClaimsTwoBanksThenWaitsForEachRelease) {
  engine::BankCredits banks;
  banks.want(10);
  EXPECT_EQ(banks.taken_cycle(), 11u);
  banks.finish();
  EXPECT_EQ(banks.taken_cycle(), kNever);
  banks.want(20);
  EXPECT_EQ(banks.taken_cycle(), 21u);
  banks.finish();
  banks.want(30);
  EXPECT_EQ(banks.taken_cycle(), kNever);
  banks.release(50);  // visible in 51, claimed in 51, used in 52
  EXPECT_EQ(banks.taken_cycle(), 52u);
  banks.finish();
  banks.release(55);
  banks.want(70);
  EXPECT_EQ(banks.taken_cycle(), 71u);
}

uint64_t value(const engine::Counters& counters, Counter counter) {
  return counters.snapshot_values()[static_cast<std::size_t>(counter)];
}

TEST(Counters, CountWhatLiesBeforeTheSnapshot) {
  engine::Counters counters;
  counters.add(Counter::mac_active, 2, 6);  // enabled from cycle 4 on
  counters.enable(4, true);
  counters.add(Counter::mac_active, 10, 20);
  counters.add(Counter::blocks, 10, 20, 8);
  counters.snapshot(15);
  EXPECT_EQ(value(counters, Counter::total), 11u);
  EXPECT_EQ(value(counters, Counter::mac_active), 2u + 5);
  EXPECT_EQ(value(counters, Counter::blocks), 40u);
  EXPECT_EQ(value(counters, Counter::idle), 4u);
  counters.snapshot(30);
  EXPECT_EQ(value(counters, Counter::mac_active), 12u);
  EXPECT_EQ(value(counters, Counter::blocks), 80u);
  counters.add(Counter::stall_a, 22, 27);  // reported late
  counters.snapshot(1010);
  EXPECT_EQ(value(counters, Counter::stall_a), 5u);
  EXPECT_EQ(value(counters, Counter::total), 1006u);
  counters.clear(1019);
  counters.snapshot(1030);
  EXPECT_EQ(value(counters, Counter::total), 10u);
  EXPECT_EQ(value(counters, Counter::mac_active), 0u);
  counters.enable(1030, false);
  counters.snapshot(2000);
  EXPECT_EQ(value(counters, Counter::total), 10u);
}

mxe_job plain_job(platform::Host& host, unsigned m, unsigned n, unsigned k, uint32_t a,
                  uint32_t b) {
  mxe_job job{};
  job.format_a = a;
  job.format_b = b;
  job.m = m;
  job.n = n;
  job.k = k;
  job.a_stride = job.b_stride = k;
  job.a_scale_stride = job.b_scale_stride = (k + 31) / 32;
  job.d_stride = 4 * n;
  job.a_addr = host.allocate(std::size_t{m} * k);
  job.b_addr = host.allocate(std::size_t{n} * k);
  job.a_scale_addr = host.allocate(std::size_t{m} * job.a_scale_stride);
  job.b_scale_addr = host.allocate(std::size_t{n} * job.b_scale_stride);
  job.d_addr = host.allocate(std::size_t{m} * job.d_stride);
  return job;
}

struct ModeRun {
  uint64_t cycles = 0;
  struct mxe_counters counters {};
};

ModeRun run_mode(platform::Platform& platform, const std::vector<std::array<unsigned, 5>>& jobs) {
  ModeRun result;
  platform.run([&](platform::Host& host) {
    mxe_port port = harness::make_driver_port(host);
    mxe_device device{};
    const platform::DriverRing ring = platform::make_driver_ring(host, 2);
    ASSERT_EQ(mxe_open(&device, &port, ring.get()), MXE_OK);
    for (const auto& [m, n, k, a, b] : jobs) {
      const mxe_job job = plain_job(host, m, n, k, a, b);
      uint32_t id = 0;
      mxe_completion completion{};
      ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
      ASSERT_EQ(mxe_wait(&device, id, 1'000'000, &completion), MXE_OK);
      result.cycles += completion.cycles;
    }
    ASSERT_EQ(mxe_read_counters(&device, &result.counters), MXE_OK);
  });
  return result;
}

TEST(Model, BothModesTakeTheSameTimeOnEveryConfiguration) {
  const std::vector<std::array<unsigned, 5>> jobs{
      {40, 70, 300, 4, 0}, {1, 130, 77, 5, 5}, {33, 1, 1000, 0, 1}, {65, 65, 65, 2, 6}};
  Random random(3);
  std::vector<std::unique_ptr<platform::Platform>> platforms;
  std::vector<Params> all;
  for (const char* name : config_names()) all.push_back(Params::named(name));
  for (int i = 0; i < 12; i++) {
    Params p;
    p.num_pe = 1u << random.uniform(0, 6);
    p.rows = std::max(p.num_pe, 8u << random.uniform(0, 5));
    p.acc_tiles = 1u << random.uniform(0, 4);
    p.fp4_dual = static_cast<unsigned>(random.uniform(0, 1));
    p.a_slab_k = 32u << random.uniform(0, 6);
    p.b_buf_k = std::min(p.a_slab_k, 32u << random.uniform(0, 4));
    p.b_banks = 2u << random.uniform(0, 2);
    p.mem_w = 64u << random.uniform(0, 3);
    p.max_burst = 1u << random.uniform(0, 8);
    all.push_back(p);
  }
  for (std::size_t i = 0; i < all.size(); i++) {
    for (const engine::Mode mode : {engine::Mode::functional, engine::Mode::timing}) {
      platform::Memory::Config memory;
      memory.size = 1 << 24;
      memory.timing.jitter_seed = i;
      platforms.push_back(std::make_unique<platform::Platform>(
          ("p" + std::to_string(platforms.size())).c_str(), memory, [&] {
            engine::EngineConfig config(all[i]);
            config.mode = mode;
            return std::make_unique<platform::Engine>("engine", config);
          }));
    }
  }
  for (std::size_t i = 0; i < all.size(); i++) {
    SCOPED_TRACE(all[i].to_string());
    const ModeRun functional = run_mode(*platforms[2 * i], jobs);
    const ModeRun timing = run_mode(*platforms[2 * i + 1], jobs);
    EXPECT_GT(functional.cycles, 0u);
    EXPECT_EQ(timing.cycles, functional.cycles);
    EXPECT_EQ(timing.counters.bytes_read, functional.counters.bytes_read);
    EXPECT_EQ(timing.counters.bytes_written, functional.counters.bytes_written);
    EXPECT_EQ(timing.counters.stall_a, functional.counters.stall_a);
    // Each multiplication is done once: whole words of 32 elements, exact rows and columns.
    uint64_t blocks = 0;
    for (const auto& [m, n, k, a, b] : jobs) blocks += uint64_t{m} * n * ((k + 31) / 32);
    EXPECT_EQ(timing.counters.blocks, blocks);
  }
}

/// D after a job of 8 x 8 x 32 ones, whose results are 32; all bytes are 0xAA before it.
std::vector<uint8_t> results_of_ones(platform::Platform& platform) {
  std::vector<uint8_t> results;
  platform.run([&](platform::Host& host) {
    mxe_port port = harness::make_driver_port(host);
    mxe_device device{};
    const platform::DriverRing ring = platform::make_driver_ring(host, 2);
    ASSERT_EQ(mxe_open(&device, &port, ring.get()), MXE_OK);
    const mxe_job job = plain_job(host, 8, 8, 32, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
    const auto fill = [&host](uint64_t address, std::size_t size, uint8_t value) {
      std::fill_n(host.memory().data(address, size), size, value);
    };
    const std::size_t elements = 8 * 32, scales = 8, size = 8 * 8 * sizeof(float);
    for (const uint64_t address : {job.a_addr, job.b_addr}) fill(address, elements, 0x38);
    for (const uint64_t address : {job.a_scale_addr, job.b_scale_addr}) fill(address, scales, 127);
    fill(job.d_addr, size, 0xAA);
    uint32_t id = 0;
    ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    ASSERT_EQ(mxe_wait(&device, id, 1'000'000, nullptr), MXE_OK);
    const uint8_t* d = host.memory().data(job.d_addr, size);
    results.assign(d, d + size);
  });
  return results;
}

TEST(Model, TimingModeWritesNoResults) {
  platform::Memory::Config memory;
  memory.size = 1 << 22;
  const auto make = [&memory](const char* name, engine::Mode mode) {
    return std::make_unique<platform::Platform>(name, memory, [mode] {
      engine::EngineConfig config(Params::named("small"));
      config.mode = mode;
      return std::make_unique<platform::Engine>("engine", config);
    });
  };
  const auto functional = make("functional", engine::Mode::functional),
             timing = make("timing", engine::Mode::timing);

  std::vector<uint8_t> products(8 * 8 * sizeof(float));
  const std::vector<float> thirty_two(8 * 8, 32.0f);
  std::memcpy(products.data(), thirty_two.data(), products.size());
  EXPECT_EQ(results_of_ones(*functional), products) << "not a job that would leave a trace";
  EXPECT_EQ(results_of_ones(*timing), std::vector<uint8_t>(products.size(), 0xAA));
}

TEST(Model, AJobOfAnySizeCanBeBrokenOff) {
  platform::Memory::Config memory;
  memory.size = 1 << 22;
  platform::Platform platform("p", memory, [] {
    return std::make_unique<platform::Engine>("engine", Params::named("small"));
  });
  platform.run([](platform::Host& host) {
    mxe_port port = harness::make_driver_port(host);
    mxe_device device{};
    const platform::DriverRing ring = platform::make_driver_ring(host, 2);
    ASSERT_EQ(mxe_open(&device, &port, ring.get()), MXE_OK);
    mxe_job job = plain_job(host, 1, 1, 32, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
    job.a_stride = job.b_stride = job.a_scale_stride = job.b_scale_stride = job.d_stride = 0;
    job.m = uint32_t{1} << 31;
    uint32_t id = 0;
    ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    host.wait_cycles(5000);
    ASSERT_EQ(mxe_recover(&device, 1000), MXE_OK);
    EXPECT_EQ(mxe_wait(&device, id, 1000, nullptr), MXE_ERR_ABORTED);
  });
}

// A pass of this job takes 256 cycles, so most resets end in the middle of one.
TEST(Model, AnIdleEngineCountsOnlyTotalAndIdle) {
  Params params = Params::named("small");
  params.rows = 256;
  platform::Memory::Config memory;
  memory.size = 1 << 22;
  platform::Platform platform("p", memory,
                              [&] { return std::make_unique<platform::Engine>("engine", params); });
  platform.run([](platform::Host& host) {
    mxe_port port = harness::make_driver_port(host);
    mxe_device device{};
    const platform::DriverRing ring = platform::make_driver_ring(host, 2);
    ASSERT_EQ(mxe_open(&device, &port, ring.get()), MXE_OK);
    const mxe_job job = plain_job(host, 256, 8, 128, MXE_FORMAT_MXFP8_E4M3, MXE_FORMAT_MXFP8_E4M3);
    const auto read_counters = [&device] {
      struct mxe_counters now {};
      EXPECT_EQ(mxe_read_counters(&device, &now), MXE_OK);
      return now;
    };
    unsigned aborted_passes = 0;
    for (unsigned after = 200; after < 6000; after += 173) {
      SCOPED_TRACE(after);
      uint32_t id = 0;
      ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
      host.wait_cycles(after);
      // Not by mxe_recover(), which disables the counters for the rest of the pass.
      ASSERT_TRUE(host.try_write(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_SOFT_RESET_MASK));
      uint32_t status = MXE_STATUS_RESETTING_MASK;
      while (status & MXE_STATUS_RESETTING_MASK) {
        ASSERT_TRUE(host.try_read(MXE_REG_STATUS, status));
      }
      const struct mxe_counters before = read_counters();
      host.wait_cycles(2000);
      const struct mxe_counters later = read_counters();
      ASSERT_EQ(mxe_recover(&device, 1000), MXE_OK);
      for (const CounterInfo& counter : counter_table) {
        const uint64_t counted = later.*counter.value - before.*counter.value;
        const bool always =
            counter.value == &mxe_counters::total || counter.value == &mxe_counters::idle;
        if (always) {
          EXPECT_GE(counted, 2000u) << counter.name;
        } else {
          EXPECT_EQ(counted, 0u) << counter.name;
        }
      }
      aborted_passes += before.mac_active % 256 != 0;
    }
    EXPECT_GT(aborted_passes, 10u);
  });
}

TEST(Model, AtRestAnswersReadsAhead) {
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  platform::Platform platform("p", memory, [] {
    return std::make_unique<platform::Engine>("engine", Params::named("small"));
  });
  platform.run([](platform::Host& host) {
    uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(MXE_REG_ID);
    payload.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    // Cycles that the access waits, and cycles of the delay that it returns.
    const auto access = [&] {
      const uint64_t begin = platform::current_cycle();
      sc_core::sc_time delay = platform::cycles_to_time(5);
      host.regs->b_transport(payload, delay);
      EXPECT_TRUE(payload.is_response_ok());
      return std::make_pair(platform::current_cycle() - begin, platform::time_to_cycles(delay));
    };
    using Times = std::pair<uint64_t, uint64_t>;
    EXPECT_EQ(access(), Times(0, 8));
    EXPECT_EQ(value, MXE_ID_RESET);
    sc_core::sc_event other;
    for (const uint64_t cycle : {uint64_t{1}, uint64_t{8}}) {
      other.notify(platform::cycles_to_time(cycle));
      EXPECT_EQ(access(), Times(8, 0)) << cycle;
    }
    other.notify(platform::cycles_to_time(9));
    EXPECT_EQ(access(), Times(0, 8));
    // When a job begins, the access waits, so that STATUS is up to date.
    other.cancel();
    host.write32(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    host.write32(MXE_REG_RING_TAIL, 1);
    payload.set_address(MXE_REG_STATUS);
    EXPECT_EQ(access(), Times(8, 0));
    EXPECT_EQ(value, MXE_STATUS_BUSY_MASK);
    // With a quantum, the engine may have computed a job before simulated time reaches its end.
    host.wait_cycles(1000);
    tlm::tlm_global_quantum::instance().set(platform::cycles_to_time(1000));
    host.write32(MXE_REG_RING_TAIL, 2);
    EXPECT_EQ(access().second, 0u);
    EXPECT_EQ(value, MXE_STATUS_EMPTY_MASK);
  });
}

}  // namespace
}  // namespace mxe::test
