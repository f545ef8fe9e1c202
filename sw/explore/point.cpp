// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <sstream>

#include "model/numerics/base/error.h"
#include "model/platform/dram/presets.h"

namespace mxe::explore {
namespace {

double number_of(const std::string& name, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be a number, not '{}'", name, text));
  }
  return value;
}

unsigned whole_number_of(const std::string& name, const std::string& text) {
  const double value = number_of(name, text);
  if (value < 0 || value > UINT32_MAX || value != std::floor(value)) {
    throw Error(fmt::format("{} must be a whole number, not '{}'", name, text));
  }
  return static_cast<unsigned>(value);
}

const ParameterInfo& parameter(const std::string& name) {
  return *std::find_if(parameter_table.begin(), parameter_table.end(),
                       [&](const ParameterInfo& info) { return name == info.name; });
}

/// dram::load_config(), which parses each text once.
dram::Config load_dram(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, dram::Config> loaded;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = loaded.find(text);
  return found != loaded.end() ? found->second
                               : loaded.emplace(text, dram::load_config(text)).first->second;
}

template <OperandFormat Point::*Format>
Variable format_variable(const char* name) {
  return {name,
          [](Point& point, const std::string&, const std::string& text) {
            point.*Format = OperandFormat::parse(text);
          },
          [](const Point& point, const std::string&) { return (point.*Format).number(); }};
}

template <unsigned engine::PortLimits::*Bursts>
Variable bursts_variable(const char* name) {
  return {name,
          [](Point& point, const std::string& own_name, const std::string& text) {
            point.ports.*Bursts = whole_number_of(own_name, text);
          },
          [](const Point& point, const std::string&) {
            return static_cast<double>(point.ports.*Bursts);
          }};
}

std::vector<Variable> make_variables() {
  std::vector<Variable> all;
  for (const ParameterInfo& info : parameter_table) {
    all.push_back({info.name,
                   [](Point& point, const std::string& name, const std::string& text) {
                     point.params.set(name + "=" + text);
                   },
                   [](const Point& point, const std::string& name) {
                     return static_cast<double>(point.params.*(parameter(name).field));
                   }});
  }
  all.push_back(
      {"engines",
       [](Point& point, const std::string& name, const std::string& text) {
         constexpr unsigned kMost = 8;
         const unsigned value = whole_number_of(name, text);
         if (value < 1 || value > kMost) {
           throw Error(
               fmt::format("{} must be a whole number from 1 to {}, not '{}'", name, kMost, text));
         }
         point.engines = value;
       },
       [](const Point& point, const std::string&) { return static_cast<double>(point.engines); }});
  all.push_back(format_variable<&Point::format_a>("format_a"));
  all.push_back(format_variable<&Point::format_b>("format_b"));
  all.push_back({"out_format",
                 [](Point& point, const std::string&, const std::string& text) {
                   point.output = job::parse_output_format(text);
                 },
                 [](const Point& point, const std::string&) {
                   return static_cast<double>(point.output.code());
                 }});
  all.push_back({"mem_latency",
                 [](Point& point, const std::string& name, const std::string& text) {
                   point.timing.latency = whole_number_of(name, text);
                 },
                 [](const Point& point, const std::string&) {
                   return static_cast<double>(point.timing.latency);
                 }});
  all.push_back(
      {"mem_bytes_per_cycle",
       [](Point& point, const std::string& name, const std::string& text) {
         point.timing.bytes_per_cycle = number_of(name, text);
       },
       [](const Point& point, const std::string&) { return point.timing.bytes_per_cycle; }});
  all.push_back({"mem_half_duplex",
                 [](Point& point, const std::string& name, const std::string& text) {
                   const unsigned value = whole_number_of(name, text);
                   if (value > 1) {
                     throw Error(fmt::format("{} must be 0 or 1, not '{}'", name, text));
                   }
                   point.timing.half_duplex = value == 1;
                 },
                 [](const Point& point, const std::string&) {
                   return point.timing.half_duplex ? 1.0 : 0.0;
                 }});
  all.push_back(bursts_variable<&engine::PortLimits::reads>("mem_outstanding_reads"));
  all.push_back(bursts_variable<&engine::PortLimits::writes>("mem_outstanding_writes"));
  all.push_back({"clock_mhz",
                 [](Point& point, const std::string& name, const std::string& text) {
                   point.clock_mhz = number_of(name, text);
                 },
                 [](const Point& point, const std::string&) { return point.clock_mhz; }});
  all.push_back({"memory",
                 [](Point& point, const std::string&, const std::string& text) {
                   if (text != kNoDram) load_dram(text);  // throws for an unknown one
                   point.memory = text;
                 },
                 [](const Point& point, const std::string&) {
                   return point.dram ? point.dram->config.peak_gbs() : 0.0;
                 }});
  return all;
}

std::string memory_text(const Point& point) {
  if (point.dram) {
    return fmt::format("memory={} mem_outstanding_reads={} mem_outstanding_writes={}", point.memory,
                       point.ports.reads, point.ports.writes);
  }
  return fmt::format(
      "mem_latency={} mem_bytes_per_cycle={} mem_half_duplex={} mem_outstanding_reads={} "
      "mem_outstanding_writes={}",
      point.timing.latency, point.timing.bytes_per_cycle, point.timing.half_duplex ? 1 : 0,
      point.ports.reads, point.ports.writes);
}

// Without a number for one engine: texts are parts of the keys of earlier results.
std::string engines_text(const Point& point) {
  const std::string engine = point.params.to_string();
  return point.engines == 1 ? engine : fmt::format("{} engines={}", engine, point.engines);
}

std::string vector_text(const Point& point) {
  if (!point.vector) return "";
  return fmt::format(" vector_lanes={} vector_clock_mhz={} vector_bytes_per_cycle={}",
                     point.vector->lanes, point.vector->clock_mhz, point.vector->bytes_per_cycle);
}

}  // namespace

const std::vector<Variable>& variables() {
  static const std::vector<Variable> kVariables = make_variables();
  return kVariables;
}

const Variable* find_variable(std::string_view name) {
  const auto found = std::find_if(variables().begin(), variables().end(),
                                  [&](const Variable& one) { return one.name == name; });
  return found == variables().end() ? nullptr : &*found;
}

std::string variable_names() {
  std::vector<std::string> names;
  for (const Variable& one : variables()) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void settle(Point& point) {
  if (point.memory == kNoDram) return;
  const engine::MemoryTiming standard, &timing = point.timing;
  if (timing.latency != standard.latency || timing.bytes_per_cycle != standard.bytes_per_cycle ||
      timing.half_duplex != standard.half_duplex) {
    throw LimitError("mem_latency, mem_bytes_per_cycle and mem_half_duplex, which a DRAM replaces",
                     "memory", {});
  }
  const dram::Setup setup{load_dram(point.memory), point.clock_mhz};
  setup.validate();
  point.timing = setup.ideal_timing();
  point.dram = std::make_shared<const dram::Setup>(setup);
}

std::string dram_text(const Point& point) { return point.dram ? " " + point.dram->to_text() : ""; }

void validate(const Point& point) {
  point.params.validate();
  point.timing.validate();
  point.ports.validate();
  if (!(point.clock_mhz > 0 && point.clock_mhz <= 1e6)) {
    throw LimitError(
        fmt::format("clock_mhz is {}, but must be more than 0 and at most 1e6", point.clock_mhz),
        "clock_mhz", {point.clock_mhz});
  }
  if (point.engines > 1 && (point.dram || point.timing.half_duplex)) {
    throw LimitError(fmt::format("several engines cannot share a {}; allowed: one engine",
                                 point.dram ? "DRAM" : "half-duplex memory"),
                     "engines", {point.dram ? 1.0 : 0.0});
  }
  if (point.vector && !point.output.numbers()) {
    throw LimitError(fmt::format("out_format is {}, but a vector unit needs fp32, bf16 or fp16",
                                 point.output.name()),
                     "out_format of vector", {});
  }
}

std::string hardware_text(const Point& point) {
  return engines_text(point) + " " + memory_text(point);
}

std::string text_without_engine(const Point& point) {
  return fmt::format("{} format_a={} format_b={} out_format={} clock_mhz={}{}", memory_text(point),
                     point.format_a.name(), point.format_b.name(), point.output.name(),
                     point.clock_mhz, vector_text(point));
}

std::string point_text(const Point& point) {
  return engines_text(point) + " " + text_without_engine(point);
}

std::string point_text(const Point& point, const std::vector<std::string>& names) {
  std::istringstream words(fmt::format("{} engines={} {}", point.params.to_string(), point.engines,
                                       text_without_engine(point)));
  std::vector<std::string> chosen;
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end()) chosen.push_back(word);
  }
  return fmt::format("{}", fmt::join(chosen, " "));
}

}  // namespace mxe::explore
