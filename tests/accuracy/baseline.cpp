// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/baseline.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "model/numerics/base/error.h"

namespace mxe::test {
namespace {

using Json = nlohmann::ordered_json;

struct Findings {
  std::vector<std::string> wrong;    ///< errors that an update must not hide
  std::vector<std::string> changed;  ///< cycles other than the recorded ones

  void add(const Findings& more) {
    wrong.insert(wrong.end(), more.wrong.begin(), more.wrong.end());
    changed.insert(changed.end(), more.changed.begin(), more.changed.end());
  }
};

/// Compares the measurement with `entry`, then writes the measured cycles to `entry`.
Findings check(Json& entry, const StreamMeasurement& measured) {
  const auto name = entry.at("name").get<std::string>();
  const uint64_t model = measured.jobs.at(0).model, rtl = measured.jobs.at(0).rtl;
  Findings findings;
  for (const std::string& mismatch : measured.mismatches) {
    findings.wrong.push_back(fmt::format("{}: {}", name, mismatch));
  }
  if (model != rtl) {
    findings.wrong.push_back(
        fmt::format("{}: {} cycles on the model, {} on the RTL", name, model, rtl));
  }
  const auto compare = [&](const char* engine, uint64_t is) {
    const auto was = entry.at(engine).get<uint64_t>();
    if (is != was) {
      findings.changed.push_back(
          fmt::format("{}: {} cycles on the {}, the baseline is {}", name, is, engine, was));
    }
    entry[engine] = is;
  };
  compare("model", model);
  compare("rtl", rtl);
  return findings;
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print(stderr, "mxe_cycle_baseline: {}\n", line);
}

}  // namespace

int check_baseline(const std::string& path, const std::string& reason,
                   const MeasureEntry& measure) {
  std::ifstream in(path);
  if (!in) throw Error(fmt::format("{}: cannot open", path));
  Json baseline = Json::parse(in);
  Findings all;
  for (Json& entry : baseline.at("jobs")) all.add(check(entry, measure(entry)));
  print(all.wrong);
  print(all.changed);
  fmt::print("{} jobs, {} wrong, {} changes\n", baseline.at("jobs").size(), all.wrong.size(),
             all.changed.size());
  if (reason.empty()) return all.wrong.empty() && all.changed.empty() ? 0 : 1;
  if (!all.wrong.empty()) {
    print({"nothing is recorded: correct the errors first"});
    return 1;
  }
  baseline["reason"] = reason;
  std::ofstream out(path);
  out << baseline.dump(2) << "\n";
  out.close();
  if (!out) throw Error(fmt::format("{}: cannot write", path));
  return 0;
}

}  // namespace mxe::test
