// SPDX-License-Identifier: Apache-2.0
// The DRAM as a TLM-2.0 target: times, order and responses; and the RTL on it.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/random.h"
#include "model/numerics/quantize/quantize.h"
#include "model/platform/dram/presets.h"
#include "model/platform/engine.h"
#include "model/platform/rtl/rtl_engine.h"
#include "tests/cosim/dram_board.h"

namespace mxe::test {
namespace {

constexpr uint64_t kBase = 0x8000'0000;  // of the memory

uint64_t now_ps() { return platform::Clock(1, sc_core::SC_PS).to_cycles(sc_core::sc_time_stamp()); }

sc_core::sc_time ps(uint64_t time) { return platform::Clock(1, sc_core::SC_PS).to_time(time); }

/// A memory, its DRAM and programs that access it, each in a thread.
struct Bench : sc_core::sc_module {
  platform::Memory memory{"memory", platform::Memory::Config{}};
  platform::DramMemory dram;
  tlm_utils::simple_initiator_socket<Bench> socket{"socket"};

  Bench(const sc_core::sc_module_name& name, const dram::Config& config,
        dram::Mode mode = dram::Mode::fr_fcfs)
      : sc_module(name), dram("dram", config, mode) {
    socket.bind(dram.in);
    dram.out.bind(memory.socket);
  }

  void start(std::function<void()> program) {
    sc_core::sc_spawn(std::move(program), sc_core::sc_gen_unique_name("program"));
  }

  tlm::tlm_response_status access(tlm::tlm_command command, uint64_t address, uint8_t* data,
                                  unsigned bytes, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    socket->b_transport(p, delay);
    EXPECT_FALSE(p.is_dmi_allowed());
    return p.get_response_status();
  }
  /// Returns the end of a read that arrives after `delay_ps`.
  uint64_t read(uint64_t address, unsigned bytes, uint64_t delay_ps = 0) {
    std::vector<uint8_t> data(bytes);
    sc_core::sc_time delay = ps(delay_ps);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, data.data(), bytes, delay),
              tlm::TLM_OK_RESPONSE);
    wait(delay);
    return now_ps();
  }
};

class Modes : public testing::TestWithParam<dram::Mode> {};

TEST_P(Modes, OneReadTakesTheIdleLatency) {
  std::vector<std::unique_ptr<Bench>> benches;
  std::size_t done = 0;
  for (const char* name : dram::preset_names()) {
    const dram::Config config = dram::preset(name);
    Bench& bench = *benches.emplace_back(std::make_unique<Bench>(name, config, GetParam()));
    bench.start([&, config] {
      EXPECT_EQ(bench.read(kBase, 1), dram::idle_latency_ps(config)) << config.name;
      done++;
    });
  }
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(done, benches.size());
}

// Arrival 1,300 ps + controller 10,000 ps -> edge 19 of tCK, 11,875 ps. ACT, READ after tRCD 22, CL
// 22 and 4 cycles of data are 48 cycles of 625 ps; PHY 10,000 ps: 51,875 ps.
TEST_P(Modes, ARequestEntersAtTheNextEdge) {
  const dram::Config config = dram::preset("ddr4-3200");
  Bench waits("waits", config, GetParam()), annotates("annotates", config, GetParam());
  uint64_t ends[2] = {};
  waits.start([&] {
    wait(ps(1300));
    ends[0] = waits.read(kBase, 64);
  });
  annotates.start([&] { ends[1] = annotates.read(kBase, 64, 1300); });
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_EQ(ends[0], 51'875u);
  EXPECT_EQ(ends[1], 51'875u);
}

TEST_P(Modes, ResponsesAreThoseOfTheMemory) {
  Bench bench("bench", dram::preset("ddr4-3200"), GetParam());
  bool done = false;
  bench.start([&] {
    std::array<uint8_t, 4> written{1, 2, 3, 4}, found{};
    sc_core::sc_time delay;
    const auto access = [&](tlm::tlm_command command, uint64_t address, uint8_t* data) {
      delay = sc_core::SC_ZERO_TIME;
      return bench.access(command, address, data, 4, delay);
    };
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, kBase + 6, written.data()), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, kBase + 6, found.data()), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(found, written);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0, found.data()), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_GT(sc_core::sc_time_stamp() + delay, before + ps(30'000)) << "an error takes its time";
    EXPECT_EQ(access(tlm::TLM_IGNORE_COMMAND, kBase, found.data()),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    done = true;
  });
  sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(Dram, Modes, testing::Values(dram::Mode::fr_fcfs, dram::Mode::in_order),
                         [](const testing::TestParamInfo<dram::Mode>& test) {
                           return test.param == dram::Mode::fr_fcfs ? "fr_fcfs" : "in_order";
                         });

struct Access {
  dram::Request request;
  uint64_t end_ps = 0;
};

/// The ends of the same accesses in the DRAM without SystemC.
std::vector<uint64_t> ends_without_systemc(const std::vector<Access>& accesses) {
  const std::unique_ptr<dram::Dram> dram =
      dram::make_dram(dram::preset("ddr4-3200"), dram::Mode::fr_fcfs);
  for (const Access& access : accesses) dram->submit(access.request);
  dram->advance(uint64_t{1'000'000'000});
  std::vector<uint64_t> ends(accesses.size());
  for (const dram::Completion& c : dram->take_completions()) ends.at(c.ticket) = c.done_ps;
  return ends;
}

TEST(DramMemory, HasTheTimesOfItsController) {
  Bench bench("bench", dram::preset("ddr4-3200"));
  std::vector<Access> accesses;
  unsigned overtakers = 0;
  std::size_t last = 0;
  for (unsigned thread = 0; thread < 24; thread++) {
    bench.start([&, thread] {
      Random random(thread + 1);
      std::vector<uint8_t> data(256);
      for (int i = 0; i < 40; i++) {
        wait(ps(random.uniform(1, 60'000)));
        const uint64_t delay_ps = random.one_in(2) ? 0 : random.uniform(1, 2000);
        Access access;
        access.request = {kBase + 32 * random.uniform(0, 1 << 16), random.uniform(1, 256),
                          random.one_in(3), now_ps() + delay_ps};
        const std::size_t index = accesses.size();
        accesses.push_back(access);
        sc_core::sc_time delay = ps(delay_ps);
        bench.access(access.request.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                     access.request.address, data.data(),
                     static_cast<unsigned>(access.request.bytes), delay);
        wait(delay);
        accesses[index].end_ps = now_ps();
        overtakers += index < last;
        last = std::max(last, index);
      }
    });
  }
  sc_core::sc_start(1, sc_core::SC_MS);
  ASSERT_EQ(accesses.size(), 24u * 40);
  const std::vector<uint64_t> expected = ends_without_systemc(accesses);
  for (std::size_t i = 0; i < accesses.size(); i++) {
    ASSERT_EQ(accesses[i].end_ps, expected[i]) << "access " << i;
  }
  EXPECT_GT(overtakers, 100u);
}

job::Job random_job(uint64_t seed, std::size_t m, std::size_t n, std::size_t k) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<float> normal;
  const auto operand = [&](std::size_t rows, numerics::FormatId format) {
    std::vector<float> values(rows * k);
    for (float& value : values) value = normal(random);
    return numerics::quantize_rows(values.data(), rows, k, format);
  };
  job::Job job;
  job.a = operand(m, numerics::FormatId::mxfp8_e4m3);
  job.b = operand(n, numerics::FormatId::mxfp4_e2m1);
  return job;
}

DramBoard::EngineFactory small_rtl(platform::MemoryCalls calls, unsigned payload_bytes = 0) {
  return [=] {
    rtl::RtlOptions options;
    options.memory_calls = calls;
    options.payload_bytes = payload_bytes;
    return std::make_unique<rtl::RtlEngine>("engine", Params::named("small"), options);
  };
}

DramBoard::EngineFactory small_model(unsigned payload_bytes = 0) {
  return [=] {
    return std::make_unique<platform::Engine>(
        "engine", engine::EngineConfig(Params::named("small")), platform::Clock(),
        platform::MemoryCalls::non_blocking, payload_bytes);
  };
}

struct RtlOnDram {
  explicit RtlOnDram(const char* name)
      : overlapping(board(name, platform::MemoryCalls::blocking)),
        serial(board(name, platform::MemoryCalls::one_blocking)),
        in_order(board(name, platform::MemoryCalls::blocking, dram::Mode::in_order)),
        phases(board(name, platform::MemoryCalls::non_blocking)),
        split(board(name, platform::MemoryCalls::non_blocking, dram::Mode::fr_fcfs, 64)) {}

  static DramBoard board(const char* name, platform::MemoryCalls calls,
                         dram::Mode mode = dram::Mode::fr_fcfs, unsigned payload_bytes = 0) {
    return DramBoard(sc_core::sc_gen_unique_name("board"), dram::preset(name),
                     small_rtl(calls, payload_bytes), mode);
  }

  DramBoard overlapping, serial, in_order, phases, split;
};

TEST(RtlOnDram, GivesTheResultsOfTheReference) {
  std::vector<std::unique_ptr<RtlOnDram>> all;
  for (const char* name : {"ddr4-3200", "lpddr5-6400", "hbm2"}) {
    all.push_back(std::make_unique<RtlOnDram>(name));
  }
  for (const job::Job& job :
       {random_job(1, 1, 64, 512), random_job(2, 9, 13, 96), random_job(3, 40, 20, 64)}) {
    const job::StoredOutput golden = job.golden(job::engine_sums(Params::named("small").fp4_dual));
    const auto cycles = [&](DramBoard& board) {
      const device::DeviceResult result = board.run(job);
      EXPECT_EQ(result.output.bytes, golden.bytes) << board.name();
      return result.cycles;
    };
    for (const auto& boards : all) {
      const uint64_t overlapping = cycles(boards->overlapping);
      const uint64_t serial = cycles(boards->serial);
      EXPECT_LT(overlapping, serial);
      EXPECT_LT(cycles(boards->phases), serial);
      EXPECT_LT(cycles(boards->split), serial);
      cycles(boards->in_order);
    }
  }
}

/// Model and RTL with phases.
struct PairOnDram {
  PairOnDram(const char* name, dram::Mode mode, unsigned payload_bytes)
      : model(sc_core::sc_gen_unique_name("model"), dram::preset(name), small_model(payload_bytes),
              mode),
        rtl(sc_core::sc_gen_unique_name("rtl"), dram::preset(name),
            small_rtl(platform::MemoryCalls::non_blocking, payload_bytes), mode) {}

  DramBoard model, rtl;
};

// Both run at the same time, because refreshes and edges of tCK depend on it.
TEST(ModelOnDram, TakesTheCyclesOfTheRtl) {
  std::vector<std::unique_ptr<PairOnDram>> all;
  for (const char* name : dram::preset_names()) {
    for (const dram::Mode mode : {dram::Mode::fr_fcfs, dram::Mode::in_order}) {
      all.push_back(std::make_unique<PairOnDram>(name, mode, all.size() % 3 == 1 ? 64 : 0));
    }
  }
  Random random(1);
  std::vector<job::Job> jobs;
  for (int i = 0; i < 6; i++) {
    jobs.push_back(random_job(random.next(), random.uniform(1, 40), random.uniform(1, 70),
                              32 * random.uniform(1, 12)));
  }
  std::vector<platform::Host*> hosts;
  for (const auto& pair : all) {
    for (DramBoard* board : {&pair->model, &pair->rtl}) {
      board->start(jobs);
      hosts.push_back(&board->host);
    }
  }
  platform::run_hosts(hosts);
  for (std::size_t i = 0; i < jobs.size(); i++) {
    const job::StoredOutput golden =
        jobs[i].golden(job::engine_sums(Params::named("small").fp4_dual));
    for (const auto& pair : all) {
      const device::DeviceResult &model = pair->model.results.at(i), &rtl = pair->rtl.results.at(i);
      EXPECT_EQ(model.output.bytes, golden.bytes);
      EXPECT_EQ(rtl.output.bytes, golden.bytes);
      EXPECT_EQ(model.cycles, rtl.cycles) << pair->model.name() << ", job " << i;
      EXPECT_EQ(model.counters, rtl.counters) << pair->model.name() << ", job " << i;
    }
  }
}

}  // namespace
}  // namespace mxe::test
