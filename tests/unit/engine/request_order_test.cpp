// SPDX-License-Identifier: Apache-2.0
// The memory receives the bursts in the order of their cycles, and a memory without state gives the
// same cycles in any order, and whether its responses are known with the requests or later.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/engine/timing/control/core.h"
#include "model/harness/core_harness.h"
#include "model/harness/direct_memory.h"
#include "model/harness/driver_jobs.h"
#include "model/harness/driver_port.h"
#include "model/harness/late_memory.h"
#include "model/harness/processor.h"
#include "model/job/job.h"

namespace mxe::engine {
namespace {

constexpr uint64_t kBase = 0x8000'0000;
constexpr uint32_t kRing = 4;

/// Stores the ring; other bursts only take time.
class CountingMemory : public harness::LateMemory {
 public:
  CountingMemory(const MemoryTiming& timing, unsigned beat_bytes, bool takes_any_order)
      : channels_(timing), beat_(beat_bytes), takes_any_order_(takes_any_order) {}

  void request(const MemoryRequest& request, Ticket& ticket) override {
    // In the same cycle, reads come first.
    const uint64_t place = 2 * request.cycle + (request.write ? 1 : 0);
    inversions += place < last_place_;
    last_place_ = std::max(last_place_, place);
    bursts++;
    const bool fails = faulty - request.address < request.bytes;
    serve(request, ticket, fails ? BusResponse::slave_error : BusResponse::okay);
  }
  bool takes_any_order(uint64_t /*address*/, uint64_t /*bytes*/) const override {
    return takes_any_order_;
  }
  uint64_t next_cycle() const override { return kNever; }
  void run_until(uint64_t /*cycle*/) override {}
  mxe_ring ring() { return {ring_.data(), kBase, slots_.data(), kRing}; }

  uint64_t inversions = 0, bursts = 0;
  uint64_t faulty = 0;  ///< bursts with this byte fail; 0: none

 protected:
  virtual void serve(const MemoryRequest& request, Ticket& ticket, BusResponse response) {
    ring_memory_.serve(request, beat_, ticket);
    ticket.complete(ticket.times(), response);
  }
  uint64_t beats(const MemoryRequest& request) const { return beat_.whole(request.bytes); }

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

/// Completes a ticket in the cycle of its first beat, of a write in that of its acknowledgement.
class LateCountingMemory : public CountingMemory {
 public:
  using CountingMemory::CountingMemory;

  uint64_t next_cycle() const override {
    return responses_.empty() ? kNever : responses_.begin()->first;
  }
  void run_until(uint64_t cycle) override {
    while (next_cycle() <= cycle) {
      const Response& response = responses_.begin()->second;
      response.ticket->complete(response.known.times(), response.known.response());
      responses_.erase(responses_.begin());
    }
    most_outstanding = std::max(most_outstanding, responses_.size());
  }

  std::size_t most_outstanding = 0;

 private:
  struct Response {
    Ticket* ticket;
    Ticket known;
  };

  void serve(const MemoryRequest& request, Ticket& ticket, BusResponse status) override {
    Response response{&ticket, {}};
    CountingMemory::serve(request, response.known, status);
    const uint64_t beat = request.write ? beats(request) - 1 : 0;
    responses_.emplace(response.known.times().beat(beat), response);
  }

  std::multimap<uint64_t, Response> responses_;
};

struct Case {
  Params params;
  MemoryTiming timing;
  PortLimits ports;
  std::vector<job::JobShape> jobs;
  bool overlap = false;  ///< jobs share addresses, so that the driver allows no early reads
  unsigned fault = 0;    ///< 1 to 7: a byte of this part of a job is faulty
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
  one.ports.writes = up_to(random, random() % 2 ? 4 : 128);
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
  return text + fmt::format(" fault {}", one.fault);
}

struct Outcome {
  std::vector<int> codes;
  std::vector<uint64_t> cycles;
  uint64_t end = 0;
  uint64_t inversions = 0, bursts = 0;
};

template <class AnyProcessor>
Outcome run_jobs(const Case& one, AnyProcessor& processor, CountingMemory& memory) {
  const mxe_port port = harness::make_driver_port(processor);
  mxe_device device = harness::open_device(port, memory.ring());
  std::vector<uint32_t> ids;
  uint64_t address = kBase + sizeof(uint32_t) * kRing * MXE_DESC_SIZE;
  for (const job::JobShape& shape : one.jobs) {
    job::JobParts parts(shape);
    parts.place(address);
    if (!one.overlap) address += 1 << 24;
    if (one.fault != 0) {
      const job::JobPart& part = *parts.in_order()[one.fault - 1];
      if (part.exists()) memory.faulty = part.address + part.bytes() / 3;
    }
    const mxe_job job = parts.descriptor(shape);
    ids.push_back(0);
    EXPECT_EQ(MXE_OK, mxe_submit(&device, &job, nullptr, &ids.back()));
  }
  Outcome outcome;
  for (const uint32_t id : ids) {
    mxe_completion completion{};
    outcome.codes.push_back(mxe_wait(&device, id, UINT32_MAX, &completion));
    outcome.cycles.push_back(completion.cycles);
  }
  outcome.end = processor.cycle();
  outcome.inversions = memory.inversions;
  outcome.bursts = memory.bursts;
  return outcome;
}

EngineConfig config_of(const Case& one) {
  EngineConfig config(one.params);
  config.ports = one.ports;
  config.mode = Mode::timing;
  return config;
}

Outcome run(const Case& one, bool takes_any_order) {
  CountingMemory memory(one.timing, one.params.mem_bytes(), takes_any_order);
  harness::CoreHarness engine(config_of(one), memory);
  harness::Processor processor(engine);
  return run_jobs(one, processor, memory);
}

Outcome run_late(const Case& one, std::size_t& most_outstanding) {
  LateCountingMemory memory(one.timing, one.params.mem_bytes(), false);
  harness::CoreHarness engine(config_of(one), memory);
  harness::Processor processor(engine, &memory);
  const Outcome outcome = run_jobs(one, processor, memory);
  most_outstanding = std::max(most_outstanding, memory.most_outstanding);
  return outcome;
}

TEST(RequestOrder, IsThatOfTheCycles) {
  std::mt19937 random(7);
  uint64_t bursts = 0, any_order_inversions = 0;
  for (int i = 0; i < 300; i++) {
    const Case one = random_case(random);
    const Outcome ordered = run(one, false), any_order = run(one, true);
    EXPECT_EQ(std::vector<int>(one.jobs.size(), MXE_OK), ordered.codes) << text_of(one);
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

/// Runs the case with responses that are known at once, and later.
void compare_late(const Case& one, std::size_t& most_outstanding, uint64_t& bursts) {
  const Outcome expected = run(one, false), late = run_late(one, most_outstanding);
  EXPECT_EQ(expected.codes, late.codes) << text_of(one);
  EXPECT_EQ(expected.cycles, late.cycles) << text_of(one);
  EXPECT_EQ(expected.end, late.end) << text_of(one);
  EXPECT_EQ(expected.bursts, late.bursts) << text_of(one);
  EXPECT_EQ(0u, late.inversions) << text_of(one);
  EXPECT_EQ(0u, expected.inversions) << text_of(one);
  bursts += late.bursts;
}

TEST(LateResponses, ChangeNoCycle) {
  std::mt19937 random(8);
  uint64_t bursts = 0;
  std::size_t most_outstanding = 0;
  for (int i = 0; i < 300; i++) compare_late(random_case(random), most_outstanding, bursts);
  EXPECT_GT(bursts, 100'000u);
  EXPECT_GT(most_outstanding, 100u);
}

TEST(LateResponses, MayBeErrors) {
  std::mt19937 random(9);
  std::ptrdiff_t failed_jobs = 0;
  uint64_t bursts = 0;
  std::size_t most_outstanding = 0;
  for (int i = 0; i < 300; i++) {
    Case one = random_case(random);
    one.fault = up_to(random, 6);
    compare_late(one, most_outstanding, bursts);
    const Outcome outcome = run(one, false);
    failed_jobs += std::count_if(outcome.codes.begin(), outcome.codes.end(),
                                 [](int code) { return code != MXE_OK; });
  }
  EXPECT_GT(failed_jobs, 200);
}

}  // namespace
}  // namespace mxe::engine
