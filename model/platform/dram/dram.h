// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "model/platform/dram/command.h"
#include "model/platform/dram/config.h"

namespace mxe::dram {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

struct Request {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< at least 1; a request may have several accesses
  bool is_write = false;
  uint64_t arrival_ps = 0;
};

struct Completion {
  uint64_t ticket = 0;
  uint64_t first_ps = 0;  ///< response to the first completed access
  uint64_t done_ps = 0;   ///< response to the last one: all data of a read; a write is posted
};

/// A DRAM with its controller. Times are picoseconds. A request enters at the first edge of tCK
/// after its arrival and the controller's request latency.
class Dram {
 public:
  virtual ~Dram() = default;

  /// Accepts a request and returns its ticket: 0, 1, 2, ... Throws Error for a request of 0 bytes,
  /// or one that arrives before the last advance().
  virtual uint64_t submit(const Request& request) = 0;
  /// Decides all commands before this time.
  virtual void advance(uint64_t to_ps) = 0;
  /// Returns the completions that became known since the last call, by time. A time may be later
  /// than that of advance().
  virtual std::vector<Completion> take_completions() = 0;
  /// Time to which advance() must be called for the next command, or kNever without requests.
  virtual uint64_t next_event_ps() const = 0;
  /// False if a request that arrives now would wait for an entry of a queue.
  virtual bool has_room(bool is_write) const = 0;

  /// Counts of the commands so far; of the in-order mode with all posted writes.
  virtual Statistics statistics() const = 0;
  /// Records commands from now on; log() returns those of one channel (0 to Config::units() - 1).
  virtual void record_commands() = 0;
  virtual const std::vector<CommandRecord>& log(unsigned unit) const = 0;
};

/// Creates a memory. A configuration with `is_ideal` has one behaviour in both modes.
std::unique_ptr<Dram> make_dram(const Config& config, Mode mode);

/// Latency of one read of a memory without other requests, whose bank is closed.
uint64_t idle_latency_ps(const Config& config);

}  // namespace mxe::dram
