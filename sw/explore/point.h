// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/engine/memory_port.h"
#include "model/engine/memory_timing.h"
#include "model/job/output.h"
#include "model/numerics/format.h"
#include "model/params/params.h"

namespace mxe::explore {

/// An engine, its memory, its clock, and the formats of what it multiplies.
struct Point {
  Params params;
  MemoryTiming timing;
  PortLimits ports;
  double clock_mhz = 1000;
  mx::FormatId format_a = mx::FormatId::mxfp8_e4m3, format_b = mx::FormatId::mxfp8_e4m3;
  OutputFormat output;
};

/// Something that makes points differ, by its name in a space file.
struct Variable {
  std::string name;
  /// Sets it from a text of the file. Throws mx::Error with what is allowed.
  void (*set)(Point& point, const std::string& name, const std::string& text);
  /// As a number: of a format its place among the formats.
  double (*value)(const Point& point, const std::string& name);
};

/// All of them: the engine's parameters under their names, format_a, format_b, out_format,
/// mem_latency (cycles), mem_bytes_per_cycle (0: as the port), mem_half_duplex (0 or 1),
/// mem_outstanding_reads and mem_outstanding_writes (bursts), clock_mhz.
const std::vector<Variable>& variables();
const Variable* find_variable(std::string_view name);
/// "NUM_PE, ROWS, ..."
std::string variable_names();

/// Throws mx::Error, the first sentence of which does not depend on values, if there is no such
/// engine or memory.
void validate(const Point& point);

/// Everything that a job's cycles depend on but its shape and formats, in one line.
std::string hardware_text(const Point& point);
/// And the rest of the point: "NUM_PE=8 ... format_a=mxfp8_e4m3 ... clock_mhz=1000".
std::string point_text(const Point& point);
/// The same without the engine's parameters: "mem_latency=64 ... clock_mhz=1000".
std::string text_without_engine(const Point& point);
/// The words of point_text() that say these variables.
std::string point_text(const Point& point, const std::vector<std::string>& names);

}  // namespace mxe::explore
