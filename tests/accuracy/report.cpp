// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "model/numerics/base/error.h"

namespace mxe::test {
namespace {

uint64_t difference(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Accuracy::add(const StreamMeasurement& stream) {
  for (const JobMeasurement& job : stream.jobs) {
    const uint64_t off = difference(job.model, job.rtl);
    const double error = share(off, job.rtl);
    jobs_++;
    rtl_cycles_ += job.rtl;
    if (off == 0) exact_++;
    if (job.rtl >= kLongJob) {
      long_jobs_++;
      error_sum_ += error;
      max_error_ = std::max(max_error_, error);
    } else {
      max_short_ = std::max(max_short_, off);
    }
    if (error > worst_) {
      worst_ = error;
      worst_job_ = fmt::format("{}: {} on the model, {} on the RTL", job.job, job.model, job.rtl);
    }
  }
  for (std::size_t i = 0; i < counter_table.size(); i++) {
    const double stall = share(difference(stream.model[i], stream.rtl[i]), stream.rtl_total);
    if (stall <= max_stall_) continue;
    max_stall_ = stall;
    worst_stall_ = counter_table[i].name;
  }
  mismatches_.insert(mismatches_.end(), stream.mismatches.begin(), stream.mismatches.end());
}

std::string Accuracy::header() {
  return "| configuration | latency | jobs | RTL cycles | exact to the cycle | mean error | max "
         "error | max, jobs under 2,000 cycles | counters, max | worst job |\n"
         "|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
}

std::string Accuracy::row() const {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {:.4f} % | {:.4f} % | {} cycles | {:.4f} %{}{} | {} |\n",
      configuration_, jitter_ ? "jitter" : "fixed", jobs_, rtl_cycles_, exact_, 100 * mean(),
      100 * max_error_, max_short_, 100 * max_stall_, max_stall_ > 0 ? " " : "", worst_stall_,
      worst_job_.empty() ? "none" : worst_job_);
}

std::vector<std::string> Accuracy::failures() const {
  std::vector<std::string> lines = mismatches_;
  if (exact_ != jobs_) {
    lines.push_back(fmt::format("{}: the cycles of {} of {} jobs differ; the worst: {}",
                                configuration_, jobs_ - exact_, jobs_, worst_job_));
  }
  if (max_stall_ > 0) {
    lines.push_back(fmt::format("{}: {} differs by {:.4f} % of the cycles", configuration_,
                                worst_stall_, 100 * max_stall_));
  }
  return lines;
}

void replace_section(const std::string& path, const std::string& name, const std::string& text) {
  std::ifstream in(path);
  std::string all{std::istreambuf_iterator<char>(in), {}};
  const std::string begin = fmt::format("<!-- {} -->\n", name);
  const std::size_t first = all.find(begin),
                    last = all.find(fmt::format("<!-- end of {} -->", name));
  if (first == std::string::npos || last == std::string::npos || last < first) {
    throw Error(fmt::format("{} has no section '{}'", path, name));
  }
  const std::size_t from = first + begin.size();
  all.replace(from, last - from, text);
  std::ofstream(path) << all;
}

}  // namespace mxe::test
