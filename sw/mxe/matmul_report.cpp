#include "matmul_report.h"

#include <fmt/format.h>

namespace mxe::cli {

double utilization(const MatmulReport& report, uint64_t cycles) {
  const double peak = peak_macs_per_cycle(report.params, report.shape);
  return cycles == 0 ? 0 : report.shape.macs() / (peak * static_cast<double>(cycles));
}

Json to_json(const MatmulReport& report, const DeviceResult& result) {
  Json json{{"m", report.shape.m},
            {"n", report.shape.n},
            {"k", report.shape.k},
            {"format_a", mx::element_format(report.shape.format_a).name},
            {"format_b", mx::element_format(report.shape.format_b).name},
            {"out_format", report.shape.output.name()},
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
  fmt::print("[{}, {}] {} times [{}, {}] {} on {}: {:.3f} s\n", report.shape.m, report.shape.k,
             mx::element_format(report.shape.format_a).name, report.shape.k, report.shape.n,
             mx::element_format(report.shape.format_b).name, target_name(report.on),
             result.wall_seconds);
  if (report.on == Target::golden) return;
  fmt::print("  configuration  {} ({})\n", report.params.config_name(), report.params.to_string());
  fmt::print("  cycles         {}\n", result.cycles);
  fmt::print("  utilization    {:.1f} %\n", 100 * utilization(report, result.cycles));
  for (const auto& [name, value] : result.counters) fmt::print("  {:<14} {}\n", name, value);
}

}  // namespace mxe::cli
