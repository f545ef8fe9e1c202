// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/measure.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "model/numerics/base/error.h"
#include "tb/cosim/cosim.h"

namespace mxe::test {
namespace {

using Json = nlohmann::json;

CycleCounters cycle_counters(const struct mxe_counters& c) {
  CycleCounters values{};
  for (std::size_t i = 0; i < values.size(); i++) {
    if (counter_table[i].part_of_total) values[i] = c.*(counter_table[i].value);
  }
  return values;
}

/// Runs in the child process.
Json run(const Configuration& configuration, const Stream& stream) {
  cosim::CoSimOptions options;
  options.params = configuration.params;
  options.timing = stream.timing;
  options.rtl.make_top = configuration.make_top;
  options.ring_entries = std::min(8u, configuration.params.queue_depth);
  options.cycle_tolerance = -1;  // the caller compares the cycles
  cosim::CoSim cosim(options);
  cosim.run(stream.jobs);
  Json jobs = Json::array(), mismatches = Json::array();
  for (const cosim::JobCycles& job : cosim.cycles()) {
    jobs.push_back({{"job", job.job}, {"model", job.model}, {"rtl", job.rtl}});
  }
  for (const cosim::Mismatch& mismatch : cosim.mismatches()) {
    mismatches.push_back(fmt::format("{}: {}", mismatch.engine, mismatch.what));
  }
  return {{"jobs", jobs},
          {"mismatches", mismatches},
          {"model", cycle_counters(*cosim.model_counters())},
          {"rtl", cycle_counters(*cosim.rtl_counters())},
          {"rtl_total", cosim.rtl_counters()->total}};
}

[[noreturn]] void child(int output, const Configuration& configuration, const Stream& stream) {
  std::string text;
  try {
    text = run(configuration, stream).dump();
  } catch (const std::exception& error) {
    text = Json{{"error", error.what()}}.dump();
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(output, text.data() + done, text.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);  // skips destructors of the parent's objects
}

std::string read_all(int input) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(input, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

StreamMeasurement measure(const Configuration& configuration, const Stream& stream) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe to a child process");
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw Error("no child process");
  if (pid == 0) child(ends[1], configuration, stream);
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);

  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(fmt::format("a simulation ended with status {}", status));
  if (json.contains("error")) throw Error(json.at("error").get<std::string>());
  StreamMeasurement result;
  for (const Json& job : json.at("jobs")) {
    result.jobs.push_back({job.at("job"), job.at("model"), job.at("rtl")});
  }
  json.at("model").get_to(result.model);
  json.at("rtl").get_to(result.rtl);
  json.at("mismatches").get_to(result.mismatches);
  result.rtl_total = json.at("rtl_total");
  return result;
}

}  // namespace mxe::test
