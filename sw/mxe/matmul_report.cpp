// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/matmul_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/platform/device/figures.h"
#include "sw/explore/lower_bound.h"

namespace mxe::cli {
namespace {

constexpr double kBarColumns = 40;

/// In each cycle, exactly one of these counters counts.
bool is_activity(const std::string& counter) {
  return counter == "mac_active" || counter == "idle" || counter.rfind("stall_", 0) == 0;
}

void print_counters(const device::DeviceResult& result) {
  const auto total = static_cast<double>(result.counter("total"));
  for (const auto& [name, value] : result.counters) {
    if (!is_activity(name) || total == 0) {
      fmt::print("  {:<14} {}\n", name, value);
      continue;
    }
    const double share = static_cast<double>(value) / total;
    const std::string bar(static_cast<std::size_t>(std::lround(kBarColumns * share)), '#');
    fmt::print("  {:<14} {:<12} {:5.1f} %{}{}\n", name, value, 100 * share, bar.empty() ? "" : "  ",
               bar);
  }
}

/// `fed`: cycles to decode the words of B.
void print_bound(const device::Roofline& roof, uint64_t fed) {
  if (fed > std::max(roof.compute, roof.memory)) {
    fmt::print("  bound          feeder: {} cycles to decode B, {} to multiply, {} to {} memory\n",
               fed, roof.compute, roof.memory, roof.memory_reads ? "read" : "write");
    return;
  }
  fmt::print(
      "  bound          {}: {} cycles to multiply, {} to {} memory at {:.4g} bytes a cycle\n",
      roof.compute_bound() ? "compute" : "memory", roof.compute, roof.memory,
      roof.memory_reads ? "read" : "write", roof.bytes_per_cycle);
}

}  // namespace

Json to_json(const job::JobShape& shape, device::Target on, const Params& params) {
  return {{"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"format_a", numerics::element_format(shape.format_a).name},
          {"format_b", numerics::element_format(shape.format_b).name},
          {"out_format", shape.output.name()},
          {"on", device::target_name(on)},
          {"config", params.config_name()}};
}

Json to_json(const MatmulReport& report, const device::DeviceResult& result) {
  Json json = to_json(report.shape, report.on, report.params);
  json.update({{"cycles", nullptr},
               {"counters", Json::object()},
               {"utilization", nullptr},
               {"bytes_read", nullptr},
               {"bytes_written", nullptr},
               {"wall_seconds", result.wall_seconds}});
  if (report.products > 1) json["products"] = report.products;
  if (report.shape.batch > 1) json["batch"] = report.shape.batch;
  if (report.on == device::Target::golden) return json;
  json["cycles"] = result.cycles;
  for (const auto& [name, value] : result.counters) json["counters"][name] = value;
  json["utilization"] = device::utilization(report.shape, report.params, result.cycles);
  json["bytes_read"] = result.counter("bytes_read");
  json["bytes_written"] = result.counter("bytes_written");
  return json;
}

void print_text(const MatmulReport& report, const device::DeviceResult& result) {
  fmt::print("[{}, {}] {} times [{}, {}] {} on {}: {:.3f} s\n", report.shape.m, report.shape.k,
             numerics::element_format(report.shape.format_a).name, report.shape.k, report.shape.n,
             numerics::element_format(report.shape.format_b).name, device::target_name(report.on),
             result.wall_seconds);
  if (report.shape.batch > 1) fmt::print("  products       {}, in one job\n", report.shape.batch);
  if (report.products > 1) {
    fmt::print("  products       {}, whose rows are counted together\n", report.products);
  }
  if (report.on == device::Target::golden) return;
  fmt::print("  configuration  {} ({})\n", report.params.config_name(), report.params.to_string());
  fmt::print("  cycles         {}\n", result.cycles);
  fmt::print("  utilization    {:.1f} %\n",
             100 * device::utilization(report.shape, report.params, result.cycles));
  explore::Point point;
  point.params = report.params;
  print_bound(device::roofline(report.shape, report.params, report.timing, result),
              static_cast<uint64_t>(explore::compulsory(report.shape, point).feed_cycles));
  print_counters(result);
}

}  // namespace mxe::cli
