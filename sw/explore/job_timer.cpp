// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/job_timer.h"

#include <array>
#include <optional>

#include "model/engine/timing/control/core.h"
#include "model/harness/core_harness.h"
#include "model/harness/direct_memory.h"
#include "model/harness/driver_jobs.h"
#include "model/harness/driver_port.h"
#include "model/harness/processor.h"
#include "model/numerics/base/error.h"

namespace mxe::explore {
namespace {

constexpr uint64_t kMemoryBase = 0x8000'0000;  // as on the platform
constexpr uint64_t kRingBytes = uint64_t{harness::kSingleJobRing} * MXE_DESC_SIZE;

// A memory that stores only the ring of descriptors. Other accesses take time but have no data.
class TimedMemory : public engine::MemoryPort {
 public:
  TimedMemory(const engine::MemoryTiming& timing, const dram::Setup* dram, unsigned beat_bytes,
              bool skips)
      : channels_(timing), beat_(beat_bytes), skips_(skips && !dram) {
    if (dram) dram_.emplace(*dram);
  }

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    if (request.data && !ring_memory_.covers(request.address, request.bytes)) {
      throw Error("the engine accessed operands of a job without data");
    }
    ring_memory_.serve(request, beat_, ticket);
    if (dram_) ticket.complete(dram_times(request));
  }
  bool takes_any_order(uint64_t /*address*/, uint64_t /*bytes*/) const override { return !dram_; }
  engine::DirectChannels channels() override {
    return skips_ ? ring_memory_.channels() : engine::DirectChannels{};
  }

  mxe_ring ring() { return {ring_.data(), kMemoryBase, slots_.data(), harness::kSingleJobRing}; }

 private:
  engine::BeatTimes dram_times(const engine::MemoryRequest& request) {
    const uint64_t address = request.address - kMemoryBase;
    return request.write ? dram_->write(request.cycle, address, request.bytes, beat_.bytes())
                         : dram_->read(request.cycle, address, request.bytes, beat_.bytes());
  }

  engine::MemoryChannels channels_;
  std::optional<dram::PortTiming> dram_;
  engine::BeatSize beat_;
  bool skips_;
  alignas(MXE_DESC_SIZE) std::array<uint32_t, kRingBytes / sizeof(uint32_t)> ring_{};
  std::array<mxe_slot, harness::kSingleJobRing> slots_{};
  harness::DirectMemory ring_memory_{kMemoryBase, kRingBytes,
                                     reinterpret_cast<uint8_t*>(ring_.data()),
                                     engine::DirectChannels{&channels_.read(), &channels_.write()}};
};

}  // namespace

JobTimes time_job(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const engine::PortLimits& ports,
                  engine::Tracer* tracer, const dram::Setup* dram) {
  shape.require_pair(params);
  engine::EngineConfig config(params);
  config.ports = ports;
  config.mode = engine::Mode::timing;
  config.tracer = tracer;
  TimedMemory memory(timing, dram, params.mem_bytes(), config.skips());
  harness::CoreHarness engine(config, memory);
  harness::Processor processor(engine);
  job::JobParts parts(shape);
  parts.place(kMemoryBase + kRingBytes);
  try {
    mxe_device device = harness::open_device(harness::make_driver_port(processor), memory.ring());
    const harness::JobRun run = harness::run_job(device, parts.descriptor(shape));
    const engine::Core& core = engine.core();
    return {run.cycles, run.counters, core.skipped_cycles(), core.simulated_fetches(),
            core.simulated_passes()};
  } catch (const harness::DeviceFailure& failure) {
    throw Error(failure.what());
  }
}

}  // namespace mxe::explore
