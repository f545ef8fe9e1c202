// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/job_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "model/engine/timing/core.h"
#include "model/numerics/base/error.h"

namespace mxe::explore {
namespace {

constexpr uint64_t kMemoryBase = 0x8000'0000;  // as on the platform
constexpr uint32_t kRingEntries = 2;
constexpr uint64_t kCyclesPerMicrosecond = 1000;
constexpr uint64_t kRingBytes = uint64_t{kRingEntries} * MXE_DESC_SIZE;
// Cycles from the start of a register access to its effect, and to its response.
constexpr uint64_t kAccessVisible = 2, kAccessCycles = 3;
constexpr uint64_t kInterruptDelay = 1;  // cycles until software sees the line

// A memory that stores only the ring; other accesses have times, but no data.
class TimedMemory : public engine::MemoryPort {
 public:
  TimedMemory(const engine::MemoryTiming& timing, unsigned beat_bytes, bool skips)
      : channels_(timing), beat_(beat_bytes), skips_(skips) {}

  Response read(uint64_t cycle, uint64_t address, std::size_t bytes, uint8_t* data) override {
    if (data) std::memcpy(data, ring_at(address, bytes), bytes);
    return {true, channels_.read().serve(cycle, beat_.whole(bytes), beat_.bytes())};
  }
  Response write(uint64_t cycle, uint64_t address, std::size_t bytes, const uint8_t* data,
                 const uint8_t* enables) override {
    if (data) {
      uint8_t* to = ring_at(address, bytes);
      for (std::size_t i = 0; i < bytes; i++) {
        if (!enables || enables[i]) to[i] = data[i];
      }
    }
    return {true, channels_.write().serve_write(cycle, beat_.whole(bytes), beat_.bytes())};
  }
  // Without channels the engine does not skip repetitions, which a trace must show.
  engine::DirectChannels channels() override {
    return skips_ ? engine::DirectChannels{&channels_.read(), &channels_.write()}
                  : engine::DirectChannels{};
  }

  uint32_t* ring() { return ring_.data(); }

 private:
  uint8_t* ring_at(uint64_t address, std::size_t bytes) {
    if (address < kMemoryBase || address - kMemoryBase + bytes > kRingBytes) {
      throw Error("the engine accessed operands of a job without data");
    }
    return reinterpret_cast<uint8_t*>(ring_.data()) + (address - kMemoryBase);
  }

  engine::MemoryChannels channels_;
  engine::BeatSize beat_;
  bool skips_;
  alignas(MXE_DESC_SIZE) std::array<uint32_t, kRingBytes / sizeof(uint32_t)> ring_{};
};

// The processor: the driver's register accesses, one after the other.
class Registers {
 public:
  explicit Registers(engine::Core& core) : core_(core) {}

  mxe_port port() {
    mxe_port port{};
    port.ctx = this;
    port.read32 = [](void* self, uint32_t offset) {
      return static_cast<Registers*>(self)->read(offset);
    };
    port.write32 = [](void* self, uint32_t offset, uint32_t value) {
      static_cast<Registers*>(self)->write(offset, value);
    };
    port.now_us = [](void* self) {
      return static_cast<Registers*>(self)->now_ / kCyclesPerMicrosecond;
    };
    port.wait_irq = [](void* self, uint32_t timeout_us) {
      return static_cast<Registers*>(self)->wait(timeout_us);
    };
    return port;
  }

 private:
  uint32_t read(uint32_t offset) {
    core_.run_until(now_);
    uint32_t value = 0;
    const bool ok = core_.read(offset, value);
    now_ += kAccessCycles;
    return ok ? value : ~uint32_t{0};
  }

  void write(uint32_t offset, uint32_t value) {
    constexpr uint8_t kAllBytes = 0xF;
    core_.run_until(now_ + kAccessVisible - 1);
    core_.write(now_ + kAccessVisible, offset, value, kAllBytes);
    now_ += kAccessCycles;
  }

  // Waits for the interrupt. If no event is pending, the timeout passes.
  int wait(uint32_t timeout_us) {
    for (;;) {
      auto& changes = core_.interrupts();
      for (; !changes.empty() && changes.front().cycle + kInterruptDelay <= now_;
           changes.pop_front()) {
        high_ = changes.front().level;
      }
      if (high_) return 0;
      if (!changes.empty()) {
        now_ = std::max(now_, changes.front().cycle + kInterruptDelay);
      } else if (core_.next_cycle() == kNever) {
        now_ += uint64_t{timeout_us} * kCyclesPerMicrosecond;
        return MXE_ERR_TIMEOUT;
      } else {
        core_.run_to_interrupt(now_ + kMaxBatch);
        if (changes.empty()) now_ += kMaxBatch;
      }
    }
  }

  // Most cycles in a run of the engine; larger times could overflow.
  static constexpr uint64_t kMaxBatch = uint64_t{1} << 40;

  engine::Core& core_;
  uint64_t now_ = 0;
  bool high_ = false;
};

void require_ok(int code, const char* what) {
  if (code != MXE_OK) throw Error(fmt::format("{}: {}", what, mxe_strerror(code)));
}

}  // namespace

JobTimes time_job(const job::JobShape& shape, const Params& params,
                  const engine::MemoryTiming& timing, const engine::PortLimits& ports,
                  engine::Tracer* tracer) {
  shape.require_pair(params);
  TimedMemory memory(timing, params.mem_bytes(), tracer == nullptr);
  engine::Core core(params, ports, memory, engine::Mode::timing, engine::TracePoint(tracer));
  Registers registers(core);
  const mxe_port port = registers.port();
  job::JobParts parts(shape);
  parts.place(kMemoryBase + kRingBytes);
  const mxe_job job = parts.descriptor(shape);

  mxe_device device{};
  uint32_t id = 0;
  mxe_completion completion{};
  JobTimes times;
  std::array<mxe_slot, kRingEntries> slots{};
  const mxe_ring ring{memory.ring(), kMemoryBase, slots.data(), kRingEntries};
  require_ok(mxe_open(&device, &port, &ring), "cannot start the engine");
  require_ok(mxe_clear_counters(&device), "cannot clear the counters");
  require_ok(mxe_submit(&device, &job, nullptr, &id), "cannot submit the job");
  require_ok(mxe_wait(&device, id, UINT32_MAX, &completion), "the job failed");
  require_ok(mxe_read_counters(&device, &times.counters), "cannot read the counters");
  times.cycles = completion.cycles;
  times.skipped_cycles = core.skipped_cycles();
  times.simulated_fetches = core.simulated_fetches();
  times.simulated_passes = core.simulated_passes();
  return times;
}

}  // namespace mxe::explore
