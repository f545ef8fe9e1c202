// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/memory_port.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/job_spec.h"
#include "tb/regression/json_members.h"

namespace mxe {

/// A Batch as a recipe.
struct BatchSpec : BatchEvents {
  std::vector<JobSpec> jobs;
};

/// Whether every job whose descriptor claims other sizes meets a bus error, so that it ends.
bool ends(const BatchSpec& batch);

/// All there is to know about a co-simulation: the engine, the memory and the way to it, and what
/// software does. Two runs of the same case do the same, on any machine.
struct CoSimCase {
  std::string config = "small";
  uint64_t mem_base = Memory::Config{}.base;  ///< bus address of the memory's first byte
  MemoryTiming timing;
  PortLimits ports;
  uint64_t back_pressure = 0;  ///< seed, 0 for none
  unsigned ring = 8;           ///< entries
  bool poll = false;           ///< the driver polls instead of waiting for interrupts
  bool structural = false;     ///< the model computes block by block, not by the golden GEMM
  std::vector<BatchSpec> batches;

  std::size_t jobs() const;
};

/// What differs from the defaults, so that a case file shows what matters.
Json to_json(const CoSimCase& cosim_case);
/// The inverse. Throws mx::Error for anything that is no case, with the place of it.
CoSimCase case_from_json(const Json& json);

/// Reads a case file; throws mx::Error naming it.
CoSimCase load_case(const std::string& path);
void save_case(const std::string& path, const CoSimCase& cosim_case);

}  // namespace mxe
