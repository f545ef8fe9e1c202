// SPDX-License-Identifier: Apache-2.0
// The memory receives the bursts in the order of their cycles, and a memory without state gives the
// same cycles in any order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "model/engine/timing/control/core.h"
#include "model/harness/core_harness.h"
#include "model/harness/direct_memory.h"
#include "model/harness/driver_jobs.h"
#include "model/harness/driver_port.h"
#include "model/harness/processor.h"
#include "model/job/job.h"

namespace mxe::engine {
namespace {

constexpr uint64_t kBase = 0x8000'0000;
constexpr uint32_t kRing = 4;

/// Stores the ring; other bursts only take time.
class CountingMemory : public MemoryPort {
 public:
  CountingMemory(const MemoryTiming& timing, unsigned beat_bytes, bool takes_any_order)
      : channels_(timing), beat_(beat_bytes), takes_any_order_(takes_any_order) {}

  void request(const MemoryRequest& request, Ticket& ticket) override {
    // In the same cycle, reads come first.
    const uint64_t place = 2 * request.cycle + (request.write ? 1 : 0);
    inversions += place < last_place_;
    last_place_ = std::max(last_place_, place);
    bursts++;
    ring_memory_.serve(request, beat_, ticket);
  }
  bool takes_any_order(uint64_t /*address*/, uint64_t /*bytes*/) const override {
    return takes_any_order_;
  }
  mxe_ring ring() { return {ring_.data(), kBase, slots_.data(), kRing}; }

  uint64_t inversions = 0, bursts = 0;

 private:
  MemoryChannels channels_;
  BeatSize beat_;
  bool takes_any_order_;
  uint64_t last_place_ = 0;
  alignas(MXE_DESC_SIZE) std::array<uint32_t, kRing * MXE_DESC_SIZE / sizeof(uint32_t)> ring_{};
  std::array<mxe_slot, kRing> slots_{};
  harness::DirectMemory ring_memory_{kBase, sizeof ring_, reinterpret_cast<uint8_t*>(ring_.data()),
                                     DirectChannels{&channels_.read(), &channels_.write()}};
};

struct Case {
  Params params;
  MemoryTiming timing;
  PortLimits ports;
  std::vector<job::JobShape> jobs;
  bool overlap = false;  ///< jobs share addresses, so that the driver allows no early reads
};

/// From 1 to `most`.
unsigned up_to(std::mt19937& random, unsigned most) {
  return 1 + static_cast<unsigned>(random() % most);
}

job::JobShape random_shape(std::mt19937& random) {
  const auto format = [&] {
    return numerics::kAllFormats[random() % std::size(numerics::kAllFormats)];
  };
  job::JobShape shape;
  shape.m = up_to(random, 70);
  shape.n = up_to(random, 70);
  shape.k = up_to(random, random() % 4 == 0 ? 3000 : 300);
  shape.format_a = format();
  shape.format_b = format();
  const char* const outputs[] = {"fp32", "bf16", "fp16", "mxfp8_e4m3", "mxfp4_e2m1"};
  shape.output = job::parse_output_format(outputs[random() % std::size(outputs)]);
  return shape;
}

/// Fewest write bursts in the memory with which no burst is requested before its cycle: those of
/// the queue, and those of a row of a tile. Such a row crosses at most one 4 KiB boundary more.
unsigned least_writes(const Params& params) {
  const unsigned beats = params.num_pe * kFloatBytes / params.mem_bytes() + 2;
  return kWriteQueue + beats / params.max_burst + 2;
}

Case random_case(std::mt19937& random) {
  Case one;
  one.params = Params::named("base");
  one.params.num_pe = 2u << random() % 5;
  one.params.rows = 16u << random() % 3;
  one.params.mem_w = 64u << random() % 4;
  one.params.max_burst = 1u << random() % 5;
  one.timing.latency = up_to(random, random() % 2 ? 10 : 300);
  const double rates[] = {0, 3, 12.8};
  one.timing.bytes_per_cycle = rates[random() % std::size(rates)];
  one.ports.reads = up_to(random, random() % 2 ? 4 : 128);
  one.ports.writes = least_writes(one.params) + up_to(random, 100);
  one.overlap = random() % 2 != 0;
  for (unsigned i = up_to(random, kRing); i > 0; i--) one.jobs.push_back(random_shape(random));
  return one;
}

std::string text_of(const Case& one) {
  std::string text = fmt::format(
      "{}, latency {}, {} bytes a cycle, {} and {} bursts, overlap {}:", one.params.to_string(),
      one.timing.latency, one.timing.bytes_per_cycle, one.ports.reads, one.ports.writes,
      one.overlap);
  for (const job::JobShape& job : one.jobs) {
    text += fmt::format(" {} x {} x {} to {};", job.m, job.n, job.k, job.output.name());
  }
  return text;
}

struct Outcome {
  std::vector<uint64_t> cycles;
  uint64_t end = 0;
  uint64_t inversions = 0, bursts = 0;
};

Outcome run(const Case& one, bool takes_any_order) {
  EngineConfig config(one.params);
  config.ports = one.ports;
  config.mode = Mode::timing;
  CountingMemory memory(one.timing, one.params.mem_bytes(), takes_any_order);
  harness::CoreHarness engine(config, memory);
  harness::Processor processor(engine);
  const mxe_port port = harness::make_driver_port(processor);
  mxe_device device = harness::open_device(port, memory.ring());
  std::vector<uint32_t> ids;
  uint64_t address = kBase + sizeof(uint32_t) * kRing * MXE_DESC_SIZE;
  for (const job::JobShape& shape : one.jobs) {
    job::JobParts parts(shape);
    parts.place(address);
    if (!one.overlap) address += 1 << 24;
    const mxe_job job = parts.descriptor(shape);
    ids.push_back(0);
    EXPECT_EQ(MXE_OK, mxe_submit(&device, &job, nullptr, &ids.back()));
  }
  Outcome outcome;
  for (const uint32_t id : ids) {
    mxe_completion completion{};
    EXPECT_EQ(MXE_OK, mxe_wait(&device, id, UINT32_MAX, &completion));
    outcome.cycles.push_back(completion.cycles);
  }
  outcome.end = processor.cycle();
  outcome.inversions = memory.inversions;
  outcome.bursts = memory.bursts;
  return outcome;
}

TEST(RequestOrder, IsThatOfTheCycles) {
  std::mt19937 random(7);
  uint64_t bursts = 0, any_order_inversions = 0;
  for (int i = 0; i < 300; i++) {
    const Case one = random_case(random);
    const Outcome ordered = run(one, false), any_order = run(one, true);
    EXPECT_EQ(0u, ordered.inversions) << text_of(one);
    EXPECT_EQ(any_order.cycles, ordered.cycles) << text_of(one);
    EXPECT_EQ(any_order.end, ordered.end) << text_of(one);
    EXPECT_EQ(any_order.bursts, ordered.bursts) << text_of(one);
    bursts += ordered.bursts;
    any_order_inversions += any_order.inversions;
  }
  EXPECT_GT(bursts, 100'000u);
  EXPECT_GT(any_order_inversions, 1000u) << "else the test cannot see an inversion";
}

}  // namespace
}  // namespace mxe::engine
