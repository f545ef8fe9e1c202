#include "matmul_report.h"

#include <fmt/format.h>

namespace mxe::cli {

double utilization(const MatmulReport& report, uint64_t cycles) {
  const double useful =
      static_cast<double>(report.m) * static_cast<double>(report.n) * static_cast<double>(report.k);
  const double peak = peak_macs_per_cycle(report.params, report.format_a, report.format_b);
  return cycles == 0 ? 0 : useful / (peak * static_cast<double>(cycles));
}

Json to_json(const MatmulReport& report, const DeviceResult& result) {
  Json json{{"m", report.m},
            {"n", report.n},
            {"k", report.k},
            {"format_a", mx::element_format(report.format_a).name},
            {"format_b", mx::element_format(report.format_b).name},
            {"on", target_name(report.on)},
            {"config", report.params.config_name()},
            {"cycles", nullptr},
            {"counters", Json::object()},
            {"utilization", nullptr},
            {"bytes_read", nullptr},
            {"bytes_written", nullptr},
            {"wall_seconds", result.wall_seconds}};
  if (report.on == Target::golden) return json;
  json["cycles"] = result.cycles;
  for (const auto& [name, value] : result.counters) json["counters"][name] = value;
  json["utilization"] = utilization(report, result.cycles);
  json["bytes_read"] = result.counter("bytes_read");
  json["bytes_written"] = result.counter("bytes_written");
  return json;
}

void print_text(const MatmulReport& report, const DeviceResult& result) {
  fmt::print("[{}, {}] {} times [{}, {}] {} on {}: {:.3f} s\n", report.m, report.k,
             mx::element_format(report.format_a).name, report.k, report.n,
             mx::element_format(report.format_b).name, target_name(report.on), result.wall_seconds);
  if (report.on == Target::golden) return;
  fmt::print("  configuration  {} ({})\n", report.params.config_name(), report.params.to_string());
  fmt::print("  cycles         {}\n", result.cycles);
  fmt::print("  utilization    {:.1f} %\n", 100 * utilization(report, result.cycles));
  for (const auto& [name, value] : result.counters) fmt::print("  {:<14} {}\n", name, value);
}

}  // namespace mxe::cli
