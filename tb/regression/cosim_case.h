// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "tb/cosim/batch.h"
#include "tb/cosim/job_spec.h"
#include "tb/cosim/options.h"
#include "tb/regression/json_members.h"

namespace mxe::regression {

/// A number that is hexadecimal in a case file.
struct BusAddress {
  uint64_t address = 0;

  operator uint64_t() const { return address; }  // NOLINT: an address is a number
};

struct BatchSpec : cosim::BatchEvents {
  std::vector<cosim::JobSpec> jobs;
};

/// True if every job with wrong sizes has a bus error on an operand or result, which aborts it;
/// without one it might not end.
bool ends(const BatchSpec& batch);

/// Complete description of a co-simulation, whose runs are identical on every machine.
struct CoSimCase {
  std::string config = "small";
  BusAddress mem_base{platform::Memory::Config{}.base};  ///< of the memory's first byte
  engine::MemoryTiming timing;
  std::string memory;       ///< DRAM that replaces `timing`, as for dram::load_config(); no file
  double clock_mhz = 1000;  ///< of the engine, with `memory`
  engine::PortLimits ports;
  uint64_t back_pressure = 0;  ///< seed, 0 for none
  unsigned ring = 8;
  bool poll = false;        ///< the driver polls instead of waiting for interrupts
  bool structural = false;  ///< the model uses structural blocks instead of the golden GEMM
  std::vector<BatchSpec> batches;

  std::size_t jobs() const;
  /// Null without `memory`. Throws Error for an unknown DRAM or an illegal clock.
  std::optional<dram::Setup> dram() const;
  /// Replaces `timing` by a DRAM, with at least 128 outstanding writes, so that model and RTL take
  /// the same cycles.
  void use_dram(const std::string& text, double clock);

  static constexpr auto fields() {
    using C = CoSimCase;
    return std::make_tuple(
        cosim::field("config", &C::config), cosim::field("mem_base", &C::mem_base),
        cosim::field("mem_latency", &C::timing, &engine::MemoryTiming::latency),
        cosim::field("mem_bytes_per_cycle", &C::timing, &engine::MemoryTiming::bytes_per_cycle),
        cosim::field("mem_jitter", &C::timing, &engine::MemoryTiming::jitter_seed),
        cosim::field("memory", &C::memory), cosim::field("clock_mhz", &C::clock_mhz),
        cosim::field("outstanding_reads", &C::ports, &engine::PortLimits::reads),
        cosim::field("outstanding_writes", &C::ports, &engine::PortLimits::writes),
        cosim::field("back_pressure", &C::back_pressure), cosim::field("ring", &C::ring),
        cosim::field("poll", &C::poll), cosim::field("structural", &C::structural));
  }
};

/// Omits members with default values.
Json to_json(const CoSimCase& cosim_case);
/// Inverse of to_json(). Throws Error with the position of an invalid member.
CoSimCase case_from_json(const Json& json);

/// The text of a case file: one line for each member of the case and for each job.
std::string case_text(const Json& json);

/// Throws Error naming the file, as does save_case().
CoSimCase load_case(const std::string& path);
void save_case(const std::string& path, const CoSimCase& cosim_case);

}  // namespace mxe::regression
