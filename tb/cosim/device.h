// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/driver_port.h"
#include "model/platform/platform.h"
#include "mxe_driver.h"
#include "tb/cosim/cosim_job.h"
#include "tb/cosim/driver_tap.h"
#include "tb/cosim/engine_features.h"
#include "tb/cosim/job_image.h"
#include "tb/cosim/scoreboard.h"

namespace mxe::cosim {

inline constexpr uint64_t kEntryBytes = MXE_DESC_SIZE;

/// One engine under test with its memory and its driver.
class Device {
 public:
  struct Setup {
    std::string name;  ///< "model" or "rtl"
    EngineFeatures features;
    platform::Memory::Config memory;
    unsigned ring_entries = 8;
    bool poll = false;  ///< the driver polls instead of waiting for interrupts
    uint32_t timeout_us = 100'000;
  };

  Device(const Setup& setup, const platform::Platform::EngineFactory& factory)
      : setup_(setup), platform_(setup.name.c_str(), setup.memory, factory) {}

  const std::string& name() const { return setup_.name; }
  const EngineFeatures& features() const { return setup_.features; }
  unsigned ring_entries() const { return setup_.ring_entries; }
  uint32_t timeout_us() const { return setup_.timeout_us; }
  platform::Platform& platform() { return platform_; }
  const platform::Platform& platform() const { return platform_; }
  platform::Host& host() { return platform_.host(); }
  platform::Memory& memory() { return platform_.host().memory(); }
  mxe_device& driver() { return driver_; }

  /// Opens the driver at the first call. Throws Error unless the registers show the features.
  void open();
  /// Returns the first bus address after the ring, also before open().
  uint64_t end_of_ring() { return host().allocation_mark() + kEntryBytes * setup_.ring_entries; }
  /// Bus address of the ring entry of a job; `number` counts the jobs since open().
  uint64_t entry_of(uint32_t number) const;
  uint16_t tail() const { return static_cast<uint16_t>(driver_.tail - driver_.origin); }

  /// Return the job's id. The second function also changes the descriptor as the job requires.
  uint32_t submit(const mxe_job& job);
  uint32_t submit(const CosimJob& job, const JobImage& image);
  /// While true, doorbells do not reach the engine. The first one after that submits their jobs,
  /// too.
  void hold_doorbells(bool hold) { tap_.holds_doorbells = hold; }
  /// Waits for a job; seen_done counts from cycle `start`. Throws Error if it hangs or raises no
  /// interrupt.
  JobOutcome finish(uint32_t id, uint64_t start);
  void recover();
  void clear_counters();
  struct mxe_counters read_counters();

  bool counters_can_be_set = true;

 private:
  Setup setup_;
  platform::Platform platform_;
  DriverTap tap_;
  mxe_device driver_{};
  std::optional<platform::DriverRing> ring_;
};

}  // namespace mxe::cosim
