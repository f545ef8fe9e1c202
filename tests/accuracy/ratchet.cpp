// SPDX-License-Identifier: Apache-2.0
// mxe_cycle_baseline: the cycles of a fixed set of jobs, on the model and on the RTL, against those
// recorded in cycle_baseline.json. More or fewer than 1 % is a failure until the file is brought up
// to date, with a reason (docs/accuracy.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <systemc>
#include <vector>

#include "model/numerics/error.h"
#include "tests/accuracy/measure.h"

namespace {

using Json = nlohmann::ordered_json;

constexpr double kTolerance = 0.01;

/// A job in front of a memory, by name.
mxe::Stream stream_of(const Json& entry) {
  const auto text = [&entry](const char* key) { return entry.at(key).get<std::string>(); };
  mxe::JobSpec spec;
  spec.m = entry.at("m");
  spec.n = entry.at("n");
  spec.k = entry.at("k");
  spec.format_a = mx::parse_format(text("format_a"));
  spec.format_b = mx::parse_format(text("format_b"));
  spec.output = mxe::parse_output_format(text("out_format"));
  if (entry.at("bias")) spec.bias = mxe::BiasKind::full;
  spec.values = mxe::Values::codes;
  mxe::Stream stream;
  stream.jobs.push_back(mxe::make_job(spec));
  stream.timing.latency = entry.at("mem_latency");
  stream.timing.bytes_per_cycle = entry.at("mem_bytes_per_cycle");
  return stream;
}

bool differs(double is, double was) { return std::abs(is - was) > kTolerance * was; }

/// Compares, and puts what was measured into `entry`. Returns what is wrong.
std::vector<std::string> check(Json& entry) {
  const mxe::StreamMeasurement measured =
      mxe::measure(mxe::configuration(entry.at("config")), stream_of(entry));
  std::vector<std::string> failures = measured.mismatches;
  const auto compare = [&](const char* engine, uint64_t is) {
    const auto was = entry.at(engine).get<uint64_t>();
    if (differs(static_cast<double>(is), static_cast<double>(was))) {
      failures.push_back(
          fmt::format("{}: {} cycles on the {}, the baseline is {} ({:+.2f} %)",
                      entry.at("name").get<std::string>(), is, engine, was,
                      100.0 * (static_cast<double>(is) / static_cast<double>(was) - 1)));
    }
    entry[engine] = is;
  };
  compare("model", measured.jobs.at(0).model);
  compare("rtl", measured.jobs.at(0).rtl);
  return failures;
}

int run(const std::string& path, const std::string& reason) {
  std::ifstream in(path);
  Json baseline = Json::parse(in);
  int failed = 0;
  for (Json& entry : baseline.at("jobs")) {
    for (const std::string& failure : check(entry)) {
      fmt::print(stderr, "mxe_cycle_baseline: {}\n", failure);
      failed++;
    }
  }
  fmt::print("{} jobs, {} differences of more than {} %\n", baseline.at("jobs").size(), failed,
             100 * kTolerance);
  if (reason.empty()) return failed == 0 ? 0 : 1;
  baseline["reason"] = reason;
  std::ofstream(path) << baseline.dump(2) << "\n";
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  std::string path, reason;
  CLI::App app{"Cycles of a fixed set of jobs against the recorded ones"};
  app.add_option("BASELINE.json", path, "tests/accuracy/cycle_baseline.json")->required();
  app.add_option("--update", reason, "Record what was measured, for this reason");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(path, reason);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mxe_cycle_baseline: {}\n", error.what());
    return 2;
  }
}
