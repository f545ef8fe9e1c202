// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/memory.h"

namespace mxe::test {
namespace {

using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;

std::vector<uint64_t> beats(const engine::BeatTimes& times, uint64_t count) {
  std::vector<uint64_t> cycles;
  for (uint64_t i = 0; i < count; i++) cycles.push_back(times.beat(i));
  return cycles;
}

TEST(MemoryChannel, FirstBeatAfterTheLatencyThenOneBeatACycle) {
  engine::MemoryTiming timing;
  timing.latency = 10;
  engine::MemoryChannel channel(timing, 0);
  EXPECT_EQ(beats(channel.serve(100, 3, 16), 3), (std::vector<uint64_t>{110, 111, 112}));
  // Issued while the first burst is outstanding: latencies overlap, beats follow each other.
  EXPECT_EQ(beats(channel.serve(101, 2, 16), 2), (std::vector<uint64_t>{113, 114}));
  EXPECT_EQ(channel.serve(200, 1, 16).beat(0), 210u);
}

TEST(MemoryChannel, BandwidthBelowThePortWidthSpreadsTheBeats) {
  engine::MemoryTiming timing;
  timing.latency = 1;
  timing.bytes_per_cycle = 6.4;  // 2.5 cycles per beat of 16 bytes
  engine::MemoryChannel channel(timing, 0);
  EXPECT_EQ(beats(channel.serve(0, 5, 16), 5), (std::vector<uint64_t>{1, 4, 6, 9, 11}));
  EXPECT_EQ(channel.serve(0, 1, 16).beat(0), 14u);  // 1 + 5 * 2.5 = 13.5
}

TEST(MemoryChannel, LongRunBandwidthIsExact) {
  engine::MemoryTiming timing;
  timing.bytes_per_cycle = 12.8;
  engine::MemoryChannel channel(timing, 0);
  uint64_t last = 0;
  for (int i = 0; i < 1000; i++) last = channel.serve(0, 16, 32).beat(15);
  EXPECT_NEAR(static_cast<double>(last - timing.latency), 16000 * 32 / 12.8, 3.0);
}

TEST(MemoryChannel, MoreBandwidthThanThePortGivesOneBeatACycle) {
  engine::MemoryTiming timing;
  timing.latency = 5;
  timing.bytes_per_cycle = 1000;
  engine::MemoryChannel channel(timing, 0);
  EXPECT_EQ(beats(channel.serve(0, 3, 8), 3), (std::vector<uint64_t>{5, 6, 7}));
}

TEST(MemoryChannel, JitterIsSeededBoundedAndKeepsTheOrder) {
  engine::MemoryTiming timing;
  timing.latency = 10;
  timing.jitter_seed = 3;
  timing.jitter_cycles = 7;
  engine::MemoryChannel a(timing, 0), b(timing, 0), other_direction(timing, 1);
  timing.jitter_seed = 4;
  engine::MemoryChannel other_seed(timing, 0);
  int differs_by_direction = 0, differs_by_seed = 0, jittered = 0;
  for (uint64_t i = 0; i < 200; i++) {
    const uint64_t issue = 100 * i;
    const uint64_t first = a.serve(issue, 1, 16).beat(0);
    EXPECT_EQ(b.serve(issue, 1, 16).beat(0), first);
    EXPECT_GE(first, issue + 10);
    EXPECT_LE(first, issue + 17);
    jittered += first != issue + 10;
    differs_by_direction += other_direction.serve(issue, 1, 16).beat(0) != first;
    differs_by_seed += other_seed.serve(issue, 1, 16).beat(0) != first;
  }
  EXPECT_GT(jittered, 100);
  EXPECT_GT(differs_by_direction, 100);
  EXPECT_GT(differs_by_seed, 100);
  uint64_t previous = 0;
  for (int i = 0; i < 200; i++) {
    const uint64_t first = a.serve(50000, 2, 16).beat(0);
    EXPECT_GT(first, previous + 1);
    previous = first;
  }
}

TEST(MemoryTiming, ValidateNamesTheLimit) {
  const auto message = [](const engine::MemoryTiming& timing) -> std::string {
    try {
      timing.validate();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  engine::MemoryTiming timing;
  EXPECT_EQ(message(timing), "");
  timing.latency = 0;
  EXPECT_EQ(message(timing), "memory latency is 0 cycles, but must be from 1 to 100000");
  timing.latency = 1;
  timing.bytes_per_cycle = -1;
  EXPECT_EQ(message(timing).substr(0, 36), "memory bandwidth is -1 bytes per cyc");
  timing.bytes_per_cycle = 4;
  timing.jitter_cycles = 100001;
  EXPECT_EQ(message(timing), "memory jitter is 100001 cycles, but must be from 0 to 100000");
}

TEST(PortLimits, ValidateNamesTheLimit) {
  const auto message = [](const engine::PortLimits& limits) -> std::string {
    try {
      limits.validate();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({1, 1}), "");
  EXPECT_EQ(message({4095, 256}), "");
  EXPECT_EQ(message({0, 1}), "outstanding reads of the memory are 0, but must be from 1 to 4095");
  EXPECT_EQ(message({4096, 1}),
            "outstanding reads of the memory are 4096, but must be from 1 to 4095");
  EXPECT_EQ(message({1, 0}), "outstanding writes of the memory are 0, but must be from 1 to 256");
  EXPECT_EQ(message({1, 257}),
            "outstanding writes of the memory are 257, but must be from 1 to 256");
}

TEST(Beats, CountsTheTouchedOnes) {
  EXPECT_EQ(engine::BeatSize(16).touched(0, 1), 1u);
  EXPECT_EQ(engine::BeatSize(16).touched(0, 16), 1u);
  EXPECT_EQ(engine::BeatSize(16).touched(15, 2), 2u);
  EXPECT_EQ(engine::BeatSize(16).touched(31, 18), 3u);
}

struct Master : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Master> socket{"socket"};
  platform::BurstExtension burst;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;

  explicit Master(const sc_core::sc_module_name& name) : sc_module(name) {}

  uint64_t access(tlm::tlm_command command, uint64_t address, std::vector<uint8_t>& data,
                  uint64_t issue = 0, std::vector<uint8_t>* enables = nullptr) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    if (enables) {
      payload.set_byte_enable_ptr(enables->data());
      payload.set_byte_enable_length(static_cast<unsigned>(enables->size()));
    }
    payload.set_extension(&burst);
    sc_core::sc_time delay = platform::cycles_to_time(issue);
    socket->b_transport(payload, delay);
    payload.clear_extension(&burst);
    status = payload.get_response_status();
    return platform::time_to_cycles(delay);
  }
};

struct Bench {
  static platform::Memory::Config config() {
    platform::Memory::Config config;
    config.base = 0x1000;
    config.size = 0x2000;
    config.beat_bytes = 16;
    config.timing.latency = 20;
    return config;
  }
  platform::Memory memory{"memory", config()};
  Master master{"master"};

  Bench() {
    master.socket.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

TEST(Memory, StoresBytesAndAnnotatesTheTime) {
  Bench bench;
  std::vector<uint8_t> data(40);
  std::iota(data.begin(), data.end(), uint8_t{1});
  // 0x1009 to 0x1030: four beats, the last one sent in cycle 5.
  EXPECT_EQ(bench.master.access(TLM_WRITE_COMMAND, 0x1009, data, 5), 5u + 20);
  EXPECT_EQ(bench.master.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.memory.data(0x1008, 2)[0], 0);
  EXPECT_EQ(std::memcmp(bench.memory.data(0x1009, 40), data.data(), 40), 0);
  EXPECT_EQ(bench.memory.data(0x1031, 1)[0], 0);

  std::vector<uint8_t> back(40);
  EXPECT_EQ(bench.master.access(TLM_READ_COMMAND, 0x1009, back, 5), 28u);
  EXPECT_EQ(back, data);
  EXPECT_EQ(bench.master.burst.times.beat(0), 25u);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

TEST(Memory, ByteEnables) {
  Bench bench;
  std::vector<uint8_t> data{1, 2, 3, 4}, enables{0, 0xFF, 0, 0xFF};
  bench.master.access(TLM_WRITE_COMMAND, 0x1000, data, 0, &enables);
  const uint8_t expected[] = {0, 2, 0, 4};
  EXPECT_EQ(std::memcmp(bench.memory.data(0x1000, 4), expected, 4), 0);
}

TEST(Memory, BeatSizeOfTheInitiatorCounts) {
  Bench bench;
  std::vector<uint8_t> data(64);
  bench.master.burst.beat_bytes = 64;
  EXPECT_EQ(bench.master.access(TLM_READ_COMMAND, 0x1000, data), 20u);
  bench.master.burst.beat_bytes = 8;
  EXPECT_EQ(bench.master.access(TLM_READ_COMMAND, 0x1000, data, 100), 127u);
}

TEST(Memory, TimingOnlyTouchesNoData) {
  Bench bench;
  std::vector<uint8_t> data(16, 0xEE);
  bench.master.burst.timing_only = true;
  EXPECT_EQ(bench.master.access(TLM_WRITE_COMMAND, 0x1000, data), 20u);
  EXPECT_EQ(bench.memory.data(0x1000, 1)[0], 0);
  bench.master.access(TLM_READ_COMMAND, 0x1000, data);
  EXPECT_EQ(data[0], 0xEE);
}

TEST(Memory, RefusesWhatIsOutside) {
  Bench bench;
  std::vector<uint8_t> data(16);
  bench.master.access(TLM_READ_COMMAND, 0x2FF0, data);
  EXPECT_EQ(bench.master.status, tlm::TLM_OK_RESPONSE);
  for (const uint64_t address : {0x2FF1ull, 0xFFFull, 0x3000ull, 0ull, ~0ull, ~0ull - 15}) {
    EXPECT_GE(bench.master.access(TLM_WRITE_COMMAND, address, data), 20u);
    EXPECT_EQ(bench.master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << address;
    EXPECT_THROW(bench.memory.data(address, 16), Error);
  }
}

TEST(Memory, FaultRanges) {
  Bench bench;
  std::vector<uint8_t> data(16, 7);
  bench.memory.add_fault(0x1100, 8);
  const auto status = [&](uint64_t address) {
    bench.master.access(TLM_WRITE_COMMAND, address, data);
    return bench.master.status;
  };
  EXPECT_EQ(status(0x10F0), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(status(0x10F1), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(status(0x1107), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(bench.memory.data(0x1110, 1)[0], 0);  // a refused write changes nothing
  EXPECT_EQ(status(0x1108), tlm::TLM_OK_RESPONSE);
  bench.memory.clear_faults();
  EXPECT_EQ(status(0x1100), tlm::TLM_OK_RESPONSE);
}

TEST(Memory, DirectAccessForTheHost) {
  Bench bench;
  tlm::tlm_generic_payload payload;
  payload.set_address(0x1234);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(bench.master.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_start_address(), 0x1000u);
  EXPECT_EQ(dmi.get_end_address(), 0x2FFFu);
  dmi.get_dmi_ptr()[4] = 99;
  EXPECT_EQ(bench.memory.data(0x1004, 1)[0], 99);
}

}  // namespace
}  // namespace mxe::test
