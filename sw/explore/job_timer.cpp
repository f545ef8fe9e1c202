// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/job_timer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "model/engine/timing/control/core.h"
#include "model/harness/core_harness.h"
#include "model/harness/direct_memory.h"
#include "model/harness/driver_jobs.h"
#include "model/harness/driver_port.h"
#include "model/harness/late_memory.h"
#include "model/harness/processor.h"
#include "model/numerics/base/error.h"
#include "model/platform/dram/energy.h"

namespace mxe::explore {
namespace {

constexpr uint64_t kMemoryBase = 0x8000'0000;  // as on the platform
constexpr uint64_t kRingBytes = uint64_t{harness::kSingleJobRing} * MXE_DESC_SIZE;

/// Stores the ring of descriptors. Other accesses have no data.
class RingMemory {
 public:
  RingMemory(const engine::MemoryTiming& timing, unsigned beat_bytes)
      : channels_(timing), beat_(beat_bytes) {}

  /// Transfers the data of the ring, and completes the ticket with the times of `timing`.
  void serve(const engine::MemoryRequest& request, engine::Ticket& ticket) {
    if (request.data && !memory_.covers(request.address, request.bytes)) {
      throw Error("the engine accessed operands of a job without data");
    }
    memory_.serve(request, beat_, ticket);
  }
  const engine::DirectChannels& channels() const { return memory_.channels(); }
  const engine::BeatSize& beat() const { return beat_; }
  mxe_ring ring() { return {words_.data(), kMemoryBase, slots_.data(), harness::kSingleJobRing}; }

 private:
  engine::MemoryChannels channels_;
  engine::BeatSize beat_;
  alignas(MXE_DESC_SIZE) std::array<uint32_t, kRingBytes / sizeof(uint32_t)> words_{};
  std::array<mxe_slot, harness::kSingleJobRing> slots_{};
  harness::DirectMemory memory_{kMemoryBase, kRingBytes, reinterpret_cast<uint8_t*>(words_.data()),
                                engine::DirectChannels{&channels_.read(), &channels_.write()}};
};

/// A memory with a latency and a rate.
class PlainMemory : public engine::MemoryPort {
 public:
  PlainMemory(RingMemory& ring, bool skips) : ring_(ring), skips_(skips) {}

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    ring_.serve(request, ticket);
  }
  bool takes_any_order(uint64_t /*address*/, uint64_t /*bytes*/) const override { return true; }
  engine::DirectChannels channels() override {
    return skips_ ? ring_.channels() : engine::DirectChannels{};
  }

 private:
  RingMemory& ring_;
  bool skips_;
};

/// A DRAM with the quick mode.
class QuickDram : public engine::MemoryPort {
 public:
  QuickDram(RingMemory& ring, const dram::Setup& setup) : ring_(ring), dram_(setup) {}

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    ring_.serve(request, ticket);
    const uint64_t address = request.address - kMemoryBase;
    const unsigned beat_bytes = ring_.beat().bytes();
    ticket.complete(request.write ? dram_.write(request.cycle, address, request.bytes, beat_bytes)
                                  : dram_.read(request.cycle, address, request.bytes, beat_bytes));
  }
  dram::Statistics statistics() const { return dram_.statistics(); }

 private:
  RingMemory& ring_;
  dram::PortTiming dram_;
};

/// A DRAM whose controller reorders.
class ReorderingDram : public harness::LateMemory {
 public:
  ReorderingDram(RingMemory& ring, const dram::Setup& setup)
      : ring_(ring), period_fs_(setup.period_fs()), clock_(setup.clock()), dram_(setup.make()) {}

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    engine::Ticket ignored;
    ring_.serve(request, ignored);
    waiting_.push_back({request, &ticket});
    submit(request.cycle);
  }
  uint64_t next_cycle() const override {
    const uint64_t response = responses_.empty() ? kNever : responses_.begin()->first;
    const uint64_t event_ps = dram_->next_event_ps();
    return event_ps == dram::kNever ? response : std::min(response, clock_.cycle_from(event_ps));
  }
  void run_until(uint64_t cycle) override {
    dram_->advance(clock_.ps_of(cycle));
    take_completions();
    submit(cycle);
    while (!responses_.empty() && responses_.begin()->first <= cycle) {
      const auto& [response_cycle, burst] = *responses_.begin();
      complete(burst, response_cycle);
      responses_.erase(responses_.begin());
    }
  }

  dram::Statistics statistics() const { return dram_->statistics(); }

 private:
  struct Burst {
    engine::MemoryRequest request;
    engine::Ticket* ticket;
  };

  uint64_t beats(const Burst& burst) const { return ring_.beat().whole(burst.request.bytes); }

  /// Submits the bursts that have arrived, as long as the controller has room.
  void submit(uint64_t cycle) {
    while (!waiting_.empty() && dram_->has_room(waiting_.front().request.write)) {
      const engine::MemoryRequest& request = waiting_.front().request;
      const uint64_t ticket =
          dram_->submit({request.address - kMemoryBase, request.bytes, request.write,
                         clock_.ps_of(std::max(cycle, request.cycle))});
      outstanding_.emplace(ticket, waiting_.front());
      waiting_.pop_front();
      take_completions();
    }
  }

  void take_completions() {
    for (const dram::Completion& completion : dram_->take_completions()) {
      const Burst& burst = outstanding_.at(completion.ticket);
      const uint64_t ps =
          dram::first_beat_ps(completion, burst.request.write, beats(burst), period_fs_);
      responses_.emplace(std::max(burst.request.cycle + 1, clock_.cycle_from(ps)), burst);
      outstanding_.erase(completion.ticket);
    }
  }

  void complete(const Burst& burst, uint64_t cycle) const {
    constexpr unsigned kFraction = engine::BeatTimes::kFraction;
    const uint64_t before = burst.request.write ? beats(burst) - 1 : 0;
    burst.ticket->complete(
        {(cycle - std::min(cycle, before)) << kFraction, uint64_t{1} << kFraction});
  }

  RingMemory& ring_;
  uint64_t period_fs_;
  dram::Clock clock_;
  std::unique_ptr<dram::Dram> dram_;
  std::deque<Burst> waiting_;
  std::map<uint64_t, Burst> outstanding_;     // by ticket of the DRAM
  std::multimap<uint64_t, Burst> responses_;  // by cycle
};

std::optional<uint64_t> picojoules(const dram::Setup& setup, const dram::Statistics& statistics) {
  const auto energy = dram::energy_of(setup.config, statistics);
  if (!energy) return std::nullopt;
  return static_cast<uint64_t>(std::llround(energy->total()));
}

template <class AnyProcessor>
JobTimes run_job(const job::JobShape& shape, RingMemory& ring, const harness::CoreHarness& engine,
                 AnyProcessor&& processor) {
  job::JobParts parts(shape);
  parts.place(kMemoryBase + kRingBytes);
  try {
    mxe_device device = harness::open_device(harness::make_driver_port(processor), ring.ring());
    const harness::JobRun run = harness::run_job(device, parts.descriptor(shape));
    const engine::Core& core = engine.core();
    return {run.cycles, run.counters, core.skipped_cycles(), core.simulated_fetches(),
            core.simulated_passes()};
  } catch (const harness::DeviceFailure& failure) {
    throw Error(failure.what());
  }
}

}  // namespace

JobTimes time_job(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const engine::PortLimits& ports,
                  engine::Tracer* tracer, const dram::Setup* dram) {
  shape.require_pair(params);
  engine::EngineConfig config(params);
  config.ports = ports;
  config.mode = engine::Mode::timing;
  config.tracer = tracer;
  RingMemory ring(timing, params.mem_bytes());
  const auto run = [&](engine::MemoryPort& memory) {
    harness::CoreHarness engine(config, memory);
    return run_job(shape, ring, engine, harness::Processor(engine));
  };
  if (!dram) {
    PlainMemory memory(ring, config.skips());
    return run(memory);
  }
  JobTimes times;
  if (dram->answers_late()) {
    ReorderingDram memory(ring, *dram);
    harness::CoreHarness engine(config, memory);
    times = run_job(shape, ring, engine, harness::Processor(engine, &memory));
    times.dram_picojoules = picojoules(*dram, memory.statistics());
  } else {
    QuickDram memory(ring, *dram);
    times = run(memory);
    times.dram_picojoules = picojoules(*dram, memory.statistics());
  }
  return times;
}

}  // namespace mxe::explore
