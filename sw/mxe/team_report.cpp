// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/team_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/explore/job_timer.h"
#include "sw/explore/lower_bound.h"
#include "sw/mxe/matmul_report.h"

namespace mxe::cli {
namespace {

double percent(double part, uint64_t whole) { return 100 * part / static_cast<double>(whole); }

Json to_json(const TeamReport::Member& member) {
  const device::DeviceResult& result = member.outcome.result;
  Json json{{"m", member.shape.m},
            {"n", member.shape.n},
            {"cycles", result.cycles},
            {"alone_cycles", member.alone},
            {"waited_cycles", member.waited()},
            {"reads_waited", member.outcome.reads_waited},
            {"writes_waited", member.outcome.writes_waited},
            {"counters", Json::object()}};
  for (const auto& [name, value] : result.counters) json["counters"][name] = value;
  return json;
}

}  // namespace

TeamReport make_report(const job::JobShape& shape, device::Target on,
                       const device::EngineSetup& setup, job::SplitAxis axis,
                       const std::vector<job::JobShape>& parts, const device::TeamResult& result) {
  const auto alone = [&setup](const job::JobShape& job) {
    return explore::time_job(job, setup.params, setup.timing, setup.ports).cycles;
  };
  TeamReport report{shape, on, setup, axis, {}};
  for (std::size_t i = 0; i < parts.size(); i++) {
    report.members.push_back({parts[i], result.members[i], alone(parts[i])});
  }
  report.cycles = result.cycles();
  report.one_engine = alone(shape);
  explore::Point point;
  point.params = setup.params;
  point.timing = setup.timing;
  report.bound = explore::roofline_cycles(shape, point, static_cast<unsigned>(parts.size()));
  report.wall_seconds = result.wall_seconds;
  return report;
}

Json to_json(const TeamReport& report) {
  Json json = to_json(report.shape, report.on, report.setup.params);
  json.update({{"split", job::split_name(report.axis)},
               {"cycles", report.cycles},
               {"one_engine_cycles", report.one_engine},
               {"speedup", report.speedup()},
               {"bound_cycles", report.bound},
               {"engines", Json::array()},
               {"wall_seconds", report.wall_seconds}});
  for (const TeamReport::Member& member : report.members) {
    json["engines"].push_back(to_json(member));
  }
  return json;
}

void print_text(const TeamReport& report) {
  fmt::print("[{}, {}] {} times [{}, {}] {} on {}, {} split among {} engines: {:.3f} s\n",
             report.shape.m, report.shape.k, numerics::element_format(report.shape.format_a).name,
             report.shape.k, report.shape.n, numerics::element_format(report.shape.format_b).name,
             device::target_name(report.on), job::split_name(report.axis), report.members.size(),
             report.wall_seconds);
  fmt::print("  configuration  {} ({})\n", report.setup.params.config_name(),
             report.setup.params.to_string());
  fmt::print("  cycles         {}\n", report.cycles);
  fmt::print("  one engine     {}, {:.2f} times as many\n", report.one_engine, report.speedup());
  fmt::print("  bound          {:.0f}, {:.1f} % of the cycles\n", report.bound,
             percent(report.bound, report.cycles));
  fmt::print("  engine         m        n        cycles       alone        waits for the others\n");
  for (std::size_t i = 0; i < report.members.size(); i++) {
    const TeamReport::Member& member = report.members[i];
    const uint64_t cycles = member.outcome.result.cycles;
    fmt::print("  {:<14} {:<8} {:<8} {:<12} {:<12} {} ({:.1f} %)\n", i, member.shape.m,
               member.shape.n, cycles, member.alone, member.waited(),
               percent(static_cast<double>(member.waited()), cycles));
  }
}

}  // namespace mxe::cli
