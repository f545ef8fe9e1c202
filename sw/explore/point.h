// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/memory/memory_timing.h"
#include "model/job/output.h"
#include "model/params/params.h"
#include "model/platform/dram/port_timing.h"
#include "sw/explore/operand_format.h"

namespace mxe::explore {

/// Value of `memory` for a memory without rows.
inline constexpr const char* kNoDram = "none";

/// Computes everything that is no matrix product.
struct VectorUnit {
  double lanes = 0;  ///< operations per cycle
  double clock_mhz = 0;
  double bytes_per_cycle = 0;  ///< reads and writes together
};

struct Point {
  Params params;
  unsigned engines = 1;  ///< of one kind on one memory
  engine::MemoryTiming timing;
  engine::PortLimits ports;
  double clock_mhz = 1000;
  std::string memory = kNoDram;                  ///< a DRAM as for dram::load_config(), or kNoDram
  std::shared_ptr<const dram::Setup> dram = {};  ///< of `memory`, at clock_mhz; see settle()
  OperandFormat format_a, format_b;
  job::OutputFormat output;
  std::optional<VectorUnit> vector = {};
};

/// A property of points that a space file can set: name, setter, and value as a number.
struct Variable {
  std::string name;
  /// Throws Error, which lists the allowed values.
  void (*set)(Point& point, const std::string& name, const std::string& text);
  /// For a format: OperandFormat::number() or the output code.
  double (*value)(const Point& point, const std::string& name);
};

/// The engine's parameters, engines (1 to 8), format_a, format_b, out_format, mem_latency (cycles),
/// mem_bytes_per_cycle (0: width of the port), mem_half_duplex (0 or 1), mem_outstanding_reads and
/// mem_outstanding_writes (bursts), clock_mhz, memory (number: peak of the DRAM in GB/s, 0
/// without).
const std::vector<Variable>& variables();
const Variable* find_variable(std::string_view name);
std::string variable_names();

/// Loads the DRAM of `memory`, whose latency and rate become `timing`, after all variables are set.
/// Throws Error for an unknown DRAM, LimitError if mem_latency, mem_bytes_per_cycle or
/// mem_half_duplex is set, too.
void settle(Point& point);

/// Throws LimitError if the engine, memory or clock is illegal, or for MX results with a vector
/// unit.
void validate(const Point& point);

/// Every property that affects a job's cycles, except shape, formats and a DRAM's values, in one
/// line.
std::string hardware_text(const Point& point);
/// All properties: "NUM_PE=8 ... format_a=mxfp8_e4m3 ... clock_mhz=1000".
std::string point_text(const Point& point);
/// The DRAM's values; empty without.
std::string dram_text(const Point& point);
/// Without the engine's parameters: "mem_latency=64 ... clock_mhz=1000".
std::string text_without_engine(const Point& point);
/// Only these variables of point_text().
std::string point_text(const Point& point, const std::vector<std::string>& names);

}  // namespace mxe::explore
