// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/cosim_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/numerics/files/files.h"

namespace mxe::cli {
namespace {

std::string rerun_command(const regression::Failure& failure) {
  const std::string engine =
      failure.library.empty() ? "" : fmt::format(" --rtl {}", failure.library);
  return fmt::format("mxe cosim{} --case {}", engine, failure.case_file);
}

Json to_json(const regression::Failure& failure) {
  Json json{{"bucket", failure.bucket},           {"cases", failure.cases},
            {"message", failure.first.what},      {"job", failure.first.about},
            {"minimal_case", failure.case_file},  {"minimal_jobs", failure.minimal_jobs},
            {"minimal_job", failure.minimal_job}, {"rerun", rerun_command(failure)}};
  if (!failure.first_wrong.empty()) json["first_wrong"] = failure.first_wrong;
  if (failure.wrong_value) json["wrong_value"] = regression::to_json(failure.wrong_value);
  if (!failure.waves.empty()) {
    json["waves"] = failure.waves;
    json["gtkwave"] = failure.save_file;
  }
  return json;
}

void print_failure(const regression::Failure& failure) {
  constexpr std::size_t kNames = 5;
  const std::size_t shown = std::min(failure.cases.size(), kNames);
  fmt::print("\n{}\n", failure.bucket);
  fmt::print("  in           {} of the cases: {}{}\n", failure.cases.size(),
             fmt::join(failure.cases.begin(),
                       failure.cases.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
             shown < failure.cases.size() ? ", ..." : "");
  fmt::print("  first        {}\n", failure.first.what);
  if (!failure.first.about.empty()) {
    const char* label = failure.first.engine == "simulation" ? "state" : "job";
    fmt::print("  {:<12} {}\n", label, failure.first.about);
  }
  fmt::print("  minimal case {} ({} {}, the last: {})\n", failure.case_file, failure.minimal_jobs,
             failure.minimal_jobs == 1 ? "job" : "jobs", failure.minimal_job);
  if (!failure.first_wrong.empty()) fmt::print("  first wrong  {}\n", failure.first_wrong);
  fmt::print("  again        {}\n", rerun_command(failure));
  if (!failure.waves.empty()) fmt::print("  waves        gtkwave {}\n", failure.save_file);
}

std::string escape_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

Json to_json(const regression::RegressionResult& result) {
  Json failures = Json::array();
  for (const regression::Failure& failure : result.failures) failures.push_back(to_json(failure));
  return {{"jobs", result.jobs()},
          {"mismatches", result.mismatches()},
          {"max_cycle_error", result.max_cycle_error()},
          {"mean_cycle_error", result.mean_cycle_error()},
          {"seconds", result.seconds},
          {"cases", result.cases.size()},
          {"structural_cases", result.structural},
          {"rtl_cycles", result.rtl_cycles()},
          {"failures", failures}};
}

void print_text(const regression::RegressionResult& result) {
  fmt::print("{} jobs in {} cases, {} RTL cycles, {:.1f} s\n", result.jobs(), result.cases.size(),
             result.rtl_cycles(), result.seconds);
  if (result.timed_jobs() > 0) {
    fmt::print("cycles of the model against the RTL: largest error {:.3g} %, mean {:.3g} %\n",
               100 * result.max_cycle_error(), 100 * result.mean_cycle_error());
  } else {
    fmt::print("cycles were not compared\n");
  }
  if (result.failures.empty()) {
    fmt::print("all agreed\n");
    return;
  }
  fmt::print("{} cases FAILED, in {} {}\n", result.mismatches(), result.failures.size(),
             result.failures.size() == 1 ? "way" : "ways");
  for (const regression::Failure& failure : result.failures) print_failure(failure);
}

void write_junit(const std::string& path, const regression::RegressionResult& result) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text +=
      fmt::format("<testsuite name=\"mxe cosim\" tests=\"{}\" failures=\"{}\" time=\"{:.3f}\">\n",
                  result.cases.size(), result.mismatches(), result.seconds);
  for (const regression::NamedResult& c : result.cases) {
    text += fmt::format("  <testcase classname=\"cosim\" name=\"{}\" time=\"{:.3f}\"",
                        escape_xml(c.name), c.result.seconds);
    if (c.result.agreed()) {
      text += "/>\n";
      continue;
    }
    text += fmt::format(">\n    <failure message=\"{}\">", escape_xml(c.result.bucket()));
    for (const cosim::Mismatch& m : c.result.mismatches) {
      text += escape_xml(fmt::format("{}, job {}: {} ({})\n", m.engine, m.job, m.what, m.about));
    }
    for (const regression::Failure& failure : result.failures) {
      if (failure.cases.front() != c.name || failure.first_wrong.empty()) continue;
      text += escape_xml(fmt::format("first wrong: {}\n", failure.first_wrong));
    }
    text += "</failure>\n  </testcase>\n";
  }
  text += "</testsuite>\n";
  numerics::write_file(path, text);
}

}  // namespace mxe::cli
