// SPDX-License-Identifier: Apache-2.0
// mxe_cycle_baseline: compares the cycles of fixed jobs on model and RTL with cycle_baseline.json.
// A difference is a failure until the file is updated with a reason (docs/accuracy.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <systemc>

#include "tests/accuracy/baseline.h"
#include "tests/accuracy/measure.h"

namespace {

using Json = nlohmann::ordered_json;

mxe::test::Stream stream_of(const Json& entry) {
  const auto text = [&entry](const char* key) { return entry.at(key).get<std::string>(); };
  mxe::cosim::JobSpec spec;
  spec.m = entry.at("m");
  spec.n = entry.at("n");
  spec.k = entry.at("k");
  spec.format_a = mxe::numerics::parse_format(text("format_a"));
  spec.format_b = mxe::numerics::parse_format(text("format_b"));
  spec.output = mxe::job::parse_output_format(text("out_format"));
  if (entry.at("bias")) spec.bias = mxe::job::BiasKind::full;
  spec.values = mxe::cosim::Values::codes;
  mxe::test::Stream stream;
  stream.jobs.push_back(mxe::cosim::make_job(spec));
  stream.timing.latency = entry.at("mem_latency");
  stream.timing.bytes_per_cycle = entry.at("mem_bytes_per_cycle");
  return stream;
}

mxe::test::StreamMeasurement measure_entry(const Json& entry) {
  return mxe::test::measure(mxe::test::configuration(entry.at("config")), stream_of(entry));
}

}  // namespace

int sc_main(int argc, char** argv) {
  std::string path, reason;
  CLI::App app{"Cycles of a fixed set of jobs against the recorded ones"};
  app.add_option("BASELINE.json", path, "tests/accuracy/cycle_baseline.json")->required();
  app.add_option("--update", reason, "Record the measured cycles, with this reason");
  CLI11_PARSE(app, argc, argv);
  try {
    return mxe::test::check_baseline(path, reason, measure_entry);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mxe_cycle_baseline: {}\n", error.what());
    return 2;
  }
}
