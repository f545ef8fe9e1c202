// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "model/numerics/base/error.h"
#include "model/platform/dram/energy.h"
#include "mxe_counter_table.h"
#include "sw/explore/content_hash.h"
#include "sw/explore/energy.h"
#include "sw/explore/engines.h"
#include "sw/explore/lower_bound.h"
#include "sw/explore/rest_times.h"

namespace mxe::explore {
namespace {

using Json = nlohmann::ordered_json;

std::string formats_text(const job::JobShape& shape) {
  return fmt::format("{} {} {}", shape.operand_a().name(), shape.operand_b().name(),
                     shape.output.name());
}

std::string workload_text(const Workload& workload, const Point& point) {
  std::string text;
  for (const Layer& layer : workload.layers) {
    text +=
        fmt::format("\n{} {} {} {}", layer.m, layer.n, layer.k, formats_text(job_of(layer, point)));
  }
  return text;
}

bool is_stall(const std::string& counter) { return counter.rfind("stall_", 0) == 0; }

// Returns sum + count * value. Throws Error if it exceeds 64 bits.
uint64_t added(uint64_t sum, uint64_t count, uint64_t value) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(count, value, &product) ||
      __builtin_add_overflow(sum, product, &sum)) {
    throw Error("the workload is too large: its cycles or bytes are more than 2^64");
  }
  return sum;
}

void add_stalls(const JobTimes& times, uint64_t count, Json& stalls) {
  for (const CounterInfo& counter : counter_table) {
    const std::string name = counter.name;
    if (!is_stall(name)) continue;
    stalls[name] = added(stalls.value(name, uint64_t{0}), count, times.counters.*counter.value);
  }
}

struct Sums {
  uint64_t cycles = 0, bytes_read = 0, bytes_written = 0;
  double macs = 0, compute_cycles = 0, bound_cycles = 0, lower_bound = 0, compulsory_bytes = 0;
  std::array<double, kLimits> limited{};  // cycles of layers, by their Limit
  std::map<StoredB, double> b_bytes;
  std::set<std::string> kv_formats;
  Energy energy;
  std::optional<double> dram_commands;  // joules
  Json stalls = Json::object();
  Json layers = Json::array();
};

void add_layer(const Layer& layer, const Point& point, const JobTimes& times, Sums& sums) {
  const job::JobShape shape = job_of(layer, point);
  const auto runs = static_cast<double>(layer.count);
  const Compulsory least = compulsory(shape, point);
  const double bound = runs * roofline_cycles(shape, point, point.engines);
  const uint64_t cycles = added(0, layer.count, times.cycles);
  const uint64_t read = added(0, layer.count, times.counters.bytes_read);
  const uint64_t written = added(0, layer.count, times.counters.bytes_written);
  sums.cycles = added(sums.cycles, 1, cycles);
  sums.bytes_read = added(sums.bytes_read, 1, read);
  sums.bytes_written = added(sums.bytes_written, 1, written);
  sums.macs += layer.macs();
  sums.compute_cycles += runs * least.compute_cycles / point.engines;
  sums.bound_cycles += bound;
  sums.lower_bound += runs * static_cast<double>(product_lower_bound(shape, point));
  sums.compulsory_bytes += runs * (least.bytes_read + least.bytes_written);
  const Energy energy = energy_of(point.params, {layer.macs(), static_cast<double>(read + written),
                                                 shape.format_a, shape.format_b});
  sums.energy.mac += energy.mac;
  sums.energy.sram += energy.sram;
  sums.energy.dram += energy.dram;
  if (times.dram_picojoules) {
    sums.dram_commands =
        sums.dram_commands.value_or(0) + runs * static_cast<double>(*times.dram_picojoules) * 1e-12;
  }
  const Limit limit = product_limit(shape, point, times);
  sums.limited[static_cast<std::size_t>(limit)] += static_cast<double>(cycles);
  const double stored = runs * b_bytes(shape);
  sums.b_bytes[layer.b] += stored;
  if (layer.b == StoredB::kv_cache) {
    sums.kv_formats.insert(shape.operand_b().name());
  }
  add_stalls(times, layer.count, sums.stalls);
  Json stalls = Json::object();
  add_stalls(times, layer.count, stalls);
  sums.layers.push_back({{"name", layer.name},
                         {"m", layer.m},
                         {"n", layer.n},
                         {"k", layer.k},
                         {"count", layer.count},
                         {"format_a", shape.operand_a().name()},
                         {"format_b", shape.operand_b().name()},
                         {"cycles", cycles},
                         {"macs", layer.macs()},
                         {"bound_cycles", bound},
                         {"bound_by", limit_name(limit)},
                         {"b", kStoredBNames[static_cast<std::size_t>(layer.b)]},
                         {"b_bytes", stored},
                         {"stalls", std::move(stalls)},
                         {"bytes_read", read},
                         {"bytes_written", written}});
}

}  // namespace

OperandFormat format_a(const Layer& layer, const Point& point) {
  return layer.format_a.value_or(point.format_a);
}

OperandFormat format_b(const Layer& layer, const Point& point) {
  return layer.format_b.value_or(point.format_b);
}

job::JobShape job_of(const Layer& layer, const Point& point) {
  job::JobShape shape;
  shape.m = layer.m;
  shape.n = layer.n;
  shape.k = layer.k;
  set_formats(format_a(layer, point), format_b(layer, point), shape);
  shape.output = point.output;
  return shape;
}

void require_pairs(const Workload& workload, const Point& point) {
  for (const Layer& layer : workload.layers) job_of(layer, point).require_pair(point.params);
}

std::vector<JobTimes> time_layers(const Workload& workload, const Point& point, TimedJobs& jobs) {
  std::vector<JobTimes> times;
  for (const Layer& layer : workload.layers) {
    times.push_back(product_times(job_of(layer, point), point, jobs));
  }
  return times;
}

double lower_bound_cycles(const Workload& workload, const Point& point) {
  double sum = 0;
  for (const Layer& layer : workload.layers) {
    sum += static_cast<double>(layer.count) *
           static_cast<double>(product_lower_bound(job_of(layer, point), point));
  }
  return sum;
}

std::string times_key(const Workload& workload, const Point& point) {
  // Times of a DRAM with currents also have its energy.
  const bool has_energy = point.dram && dram::energy_of(point.dram->config, {});
  return hardware_text(point) + dram_text(point) + (has_energy ? " energy" : "") +
         workload_text(workload, point);
}

std::string to_text(const std::vector<JobTimes>& times) {
  std::string text;
  for (const JobTimes& one : times) {
    text += std::to_string(one.cycles);
    for (const CounterInfo& counter : counter_table) {
      text += fmt::format(" {}", one.counters.*counter.value);
    }
    if (one.dram_picojoules) text += fmt::format(" {}", *one.dram_picojoules);
    text += '\n';
  }
  return text;
}

std::optional<std::vector<JobTimes>> times_of(const std::string& text, std::size_t layers) {
  std::vector<JobTimes> times(layers);
  const char *at = text.data(), *const end = at + text.size();
  const auto read = [&](uint64_t& number) {
    at = std::from_chars(at, end, number).ptr;
    if (at != end) at++;
  };
  for (JobTimes& one : times) {
    read(one.cycles);
    for (const CounterInfo& counter : counter_table) read(one.counters.*counter.value);
    if (at != text.data() && at[-1] == ' ') read(one.dram_picojoules.emplace());
  }
  // Detects damaged text.
  if (to_text(times) != text) return std::nullopt;
  return times;
}

std::string result_id(const Workload& workload, const Point& point) {
  std::string text =
      point_text(point) + dram_text(point) + " " + workload.name + workload_text(workload, point);
  text += fmt::format("\n{} {}", workload.items, workload.item_name);
  for (const Layer& layer : workload.layers) {
    text += fmt::format("\n{} {} {}", layer.count, kStoredBNames[static_cast<std::size_t>(layer.b)],
                        layer.name);
  }
  if (point.vector) text += rest_text(workload);
  return content_hash(text);
}

Json to_record(const Workload& workload, const Point& point, const std::vector<JobTimes>& times) {
  Sums sums;
  for (std::size_t i = 0; i < workload.layers.size(); i++) {
    add_layer(workload.layers[i], point, times[i], sums);
  }
  const auto cycles = static_cast<double>(sums.cycles);
  const double seconds = cycles / (point.clock_mhz * 1e6) + rest_seconds(workload, point);
  const Area area = area_of(point);
  Json parameters = Json::object();
  for (const ParameterInfo& info : parameter_table) {
    parameters[info.name] = point.params.*(info.field);
  }
  Json record{{"id", result_id(workload, point)},
              {"version", kRecordVersion},
              {"cycles_version", kCyclesVersion},
              {"parameters", std::move(parameters)},
              {"engines", point.engines},
              {"format_a", point.format_a.name()},
              {"format_b", point.format_b.name()},
              {"format_d", point.output.name()},
              {"mem_latency", point.timing.latency},
              {"mem_bytes_per_cycle", point.timing.bytes_per_cycle},
              {"mem_half_duplex", point.timing.half_duplex ? 1 : 0},
              {"port_bytes_per_cycle", point.params.mem_bytes()},
              {"mem_outstanding_reads", point.ports.reads},
              {"mem_outstanding_writes", point.ports.writes},
              {"clock_mhz", point.clock_mhz},
              {"workload", workload.name}};
  if (point.dram) record["memory"] = point.memory;
  if (workload.items != 0) {
    record["items"] = workload.items;
    record["item_name"] = workload.item_name;
    record["items_per_second"] = static_cast<double>(workload.items) / seconds;
  }
  const auto limit = static_cast<std::size_t>(
      std::max_element(sums.limited.begin(), sums.limited.end()) - sums.limited.begin());
  double all_b_bytes = 0;
  for (const auto& [b, bytes] : sums.b_bytes) all_b_bytes += bytes;
  record.update({{"macs", sums.macs},
                 {"cycles", sums.cycles},
                 {"seconds", seconds},
                 {"bound_cycles", sums.bound_cycles},
                 {"lower_bound", sums.lower_bound},
                 {"utilisation", sums.compute_cycles / cycles},
                 {"roofline_share", sums.bound_cycles / cycles},
                 {"bound_by", limit_name(static_cast<Limit>(limit))},
                 {"bound_by_share", sums.limited[limit] / cycles},
                 {"stalls", std::move(sums.stalls)},
                 {"bytes_read", sums.bytes_read},
                 {"bytes_written", sums.bytes_written},
                 {"compulsory_bytes", sums.compulsory_bytes},
                 {"b_bytes", all_b_bytes},
                 {"weight_bytes", sums.b_bytes[StoredB::weights]},
                 {"kv_bytes", sums.b_bytes[StoredB::kv_cache]},
                 {"kv_formats", sums.kv_formats},
                 {"area",
                  {{"ge", area.total()},
                   {"logic_ge", area.gate_equivalents},
                   {"sram_kib", area.sram_kib},
                   {"error", area.error},
                   {"synthesized", area.synthesized}}},
                 {"macs_per_second_per_ge", sums.macs / seconds / area.total()},
                 {"energy",
                  {{"joules", sums.energy.joules()},
                   {"mac", sums.energy.mac},
                   {"sram", sums.energy.sram},
                   {"dram", sums.energy.dram}}},
                 {"layers", std::move(sums.layers)}});
  if (sums.dram_commands) record["energy"]["dram_commands"] = *sums.dram_commands;
  if (point.vector) record.update(rest_record(rest_times(workload, point), workload, seconds));
  return record;
}

}  // namespace mxe::explore
