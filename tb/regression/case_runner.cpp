// SPDX-License-Identifier: Apache-2.0
#include "tb/regression/case_runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <regex>

#include "model/numerics/base/error.h"
#include "tb/coverage/coverage.h"

namespace mxe::regression {
namespace {

using WallClock = std::chrono::steady_clock;

// Cycles without a bus transfer after which a busy RTL hangs: longer than any wait within a job.
constexpr uint64_t kHangCycles = 50'000;
constexpr uint32_t kCyclesPerMicrosecond = 1000;

// A process that waits uses no processor time, so its time by the clock has a limit, too.
constexpr unsigned kWaitFactor = 20;

/// Rough factor by which memory latency and limits of outstanding bursts lengthen a job.
uint32_t slowness(const engine::MemoryTiming& timing, const engine::PortLimits& ports) {
  constexpr unsigned kBeats = 16;
  return 1 + timing.latency / (kBeats * std::min(ports.reads, ports.writes));
}

bool contains_abort(const CoSimCase& c) {
  return std::any_of(c.batches.begin(), c.batches.end(), [](const BatchSpec& batch) {
    return batch.reset_after != 0 || !batch.faults.empty();
  });
}

cosim::CoSimOptions options_of(const CoSimCase& c, const RtlUnderTest& rtl) {
  cosim::CoSimOptions options;
  options.rtl_features = rtl.features(c.config);
  options.params = options.rtl_features->params;
  options.cycle_tolerance = rtl.cycle_tolerance;
  options.rtl.make_top = rtl.make_top;
  options.rtl.zero_masked_lanes = !rtl.own;
  options.timing = c.timing;
  options.dram = c.dram();
  options.memory_base = c.mem_base;
  options.rtl.ports = c.ports;
  options.rtl.back_pressure_seed = c.back_pressure;
  options.rtl.hang_cycles = kHangCycles;
  options.ring_entries = c.ring;
  options.poll = c.poll;
  options.structural = c.structural;
  const engine::MemoryTiming timing = options.dram ? options.dram->ideal_timing() : c.timing;
  options.timeout_us =
      options.rtl_features->timeout_cycles / kCyclesPerMicrosecond * slowness(timing, c.ports);
  // The model has no random back-pressure, and an abort that takes other cycles moves all later
  // bursts against the refreshes of a DRAM, so times are not compared.
  if (c.back_pressure != 0 || (options.dram && contains_abort(c))) options.cycle_tolerance = -1;
  options.run_model = !rtl.own || options.cycle_tolerance >= 0;
  return options;
}

cosim::Batch make_batch(const BatchSpec& spec) {
  cosim::Batch batch;
  for (const cosim::JobSpec& job : spec.jobs) batch.jobs.push_back(cosim::make_job(job));
  static_cast<cosim::BatchEvents&>(batch) = spec;  // NOLINT: the events of the batch alone
  return batch;
}

double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Child {
 public:
  Child(std::size_t number, const CasePool::Run& run, const CoSimCase& cosim_case,
        unsigned limit_seconds)
      : number_(number),
        limit_seconds_(limit_seconds),
        printed_(std::tmpfile()),
        start_(WallClock::now()) {
    std::array<int, 2> ends{};
    if (!printed_ || pipe(ends.data()) != 0) throw Error("cannot make a file for a process");
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw Error("cannot start a process");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // end with the parent, which reads the result
      const rlimit processor_seconds{limit_seconds, limit_seconds + 1};
      setrlimit(RLIMIT_CPU, &processor_seconds);  // SIGXCPU
      close(ends[0]);
      dup2(fileno(printed_.get()), STDOUT_FILENO);
      dup2(fileno(printed_.get()), STDERR_FILENO);
      work(run, cosim_case, ends[1]);
    }
    close(ends[1]);
    output_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(output_);
  }

  std::size_t number() const { return number_; }
  int output() const { return output_; }
  bool waits_too_long() const { return seconds_since(start_) > kWaitFactor * limit_seconds_; }

  /// Reads available output. Returns true at the end of file.
  bool read_some() {
    std::array<char, 4096> buffer;
    const ssize_t count = read(output_, buffer.data(), buffer.size());
    if (count > 0) text_.append(buffer.data(), static_cast<std::size_t>(count));
    return count <= 0;
  }

  void stop() { kill(pid_, SIGKILL); }

  CaseResult result(bool stopped) {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    const bool too_long = stopped || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    CaseResult result;
    const Json json = Json::parse(text_, nullptr, false);
    if (json.is_object()) result = case_result_from_json(json);
    result.seconds = seconds_since(start_);
    if (too_long) {
      result.mismatches = {{"simulation", 0, "took too long and was ended", ""}};
    } else if (!json.is_object()) {
      const std::string cause =
          WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no reason given";
      result.mismatches = {{"simulation", 0, fmt::format("the process ended: {}", cause), ""}};
    }
    add_printed_errors(result);
    return result;
  }

 private:
  [[noreturn]] static void work(const CasePool::Run& run, const CoSimCase& cosim_case, int output) {
    CaseResult result;
    try {
      result = run(cosim_case);
    } catch (const std::exception& error) {
      result.mismatches = {{"simulation", 0, error.what(), ""}};
    }
    std::fflush(nullptr);
    write_all(output, to_json(result).dump());
    _exit(0);
  }

  /// Replaces the first mismatch by the RTL simulator's message about a failed assertion, if there
  /// is one.
  void add_printed_errors(CaseResult& result) {
    if (result.agreed()) return;
    std::rewind(printed_.get());
    std::array<char, 1024> line;
    while (std::fgets(line.data(), line.size(), printed_.get())) {
      const std::string text = line.data();
      const std::size_t error = text.find("%Error: ");
      if (error == std::string::npos) continue;
      std::string& what = result.mismatches.front().what;
      what = text.substr(error + 8, text.find_last_not_of('\n') - error - 7);
      return;
    }
  }

  std::size_t number_;
  unsigned limit_seconds_;
  std::unique_ptr<std::FILE, CloseFile> printed_;
  WallClock::time_point start_;
  pid_t pid_ = 0;
  int output_ = -1;
  std::string text_;
};

}  // namespace

Json to_json(const std::optional<blame::WrongValue>& wrong) {
  if (!wrong) return nullptr;
  return {{"block", wrong->block},   {"instance", wrong->instance}, {"step", wrong->step},
          {"signal", wrong->signal}, {"value", wrong->value},       {"expected", wrong->expected},
          {"clock", wrong->clock},   {"time", wrong->time}};
}

Json to_json(const CaseResult& r) {
  Json mismatches = Json::array();
  for (const cosim::Mismatch& m : r.mismatches) {
    mismatches.push_back(
        {{"engine", m.engine}, {"job", m.job}, {"what", m.what}, {"about", m.about}});
  }
  return {{"jobs", r.jobs},
          {"mismatches", mismatches},
          {"failed_batch", r.failed_batch},
          {"timed_jobs", r.timed_jobs},
          {"max_cycle_error", r.max_cycle_error},
          {"cycle_error_sum", r.cycle_error_sum},
          {"rtl_cycles", r.rtl_cycles},
          {"seconds", r.seconds},
          {"bins", r.coverage.bins},
          {"lines", r.coverage.lines},
          {"first_wrong", to_json(r.first_wrong)},
          {"values_compared", r.values_compared}};
}

CaseResult case_result_from_json(const Json& json) {
  CaseResult r;
  const Json& wrong = json.at("first_wrong");
  if (wrong.is_object()) {
    r.first_wrong = {wrong.at("block"), wrong.at("instance"), wrong.at("step"),  wrong.at("signal"),
                     wrong.at("value"), wrong.at("expected"), wrong.at("clock"), wrong.at("time")};
  }
  r.values_compared = json.at("values_compared");
  r.jobs = json.at("jobs");
  for (const Json& m : json.at("mismatches")) {
    r.mismatches.push_back({m.at("engine"), m.at("job"), m.at("what"), m.at("about")});
  }
  r.failed_batch = json.at("failed_batch");
  r.timed_jobs = json.at("timed_jobs");
  r.max_cycle_error = json.at("max_cycle_error");
  r.cycle_error_sum = json.at("cycle_error_sum");
  r.rtl_cycles = json.at("rtl_cycles");
  r.seconds = json.at("seconds");
  r.coverage = {json.at("bins"), json.at("lines")};
  return r;
}

std::string CaseResult::bucket() const {
  if (agreed()) return "";
  // Line numbers of RTL sources stay, because they distinguish assertions.
  static const std::regex kNumber(R"((\.sv:\d+)|(0x[0-9a-f]+|\b\d+(\.\d+)?\b))");
  const cosim::Mismatch& first = mismatches.front();
  return first.engine + ": " + std::regex_replace(first.what, kNumber, "$1#");
}

namespace {

CaseResult run_with(cosim::CoSimOptions& options, const CoSimCase& cosim_case, bool with_coverage) {
  const WallClock::time_point start = WallClock::now();
  if (options.ring_entries > options.params.queue_depth) {
    throw Error(fmt::format("the case has a ring of {} entries, the engine has at most {}",
                            options.ring_entries, options.params.queue_depth));
  }
  coverage::Coverage coverage(options.params);
  if (with_coverage) {
    options.observer = &coverage;
    options.rtl.observer = &coverage;
  }
  CaseResult result;
  {
    cosim::CoSim cosim(options);
    for (std::size_t i = 0; i < cosim_case.batches.size() && cosim.mismatches().empty(); i++) {
      cosim.run(make_batch(cosim_case.batches[i]));
      result.failed_batch = i;
    }
    result.jobs = cosim.jobs();
    result.mismatches = cosim.mismatches();
    result.rtl_cycles = cosim.rtl_cycles();
    if (with_coverage) {
      auto& engine = static_cast<rtl::RtlEngine&>(cosim.rtl()->engine());
      result.coverage = {coverage.counts(), coverage::line_counts(engine.top())};
    }
    if (options.cycle_tolerance >= 0) {
      result.timed_jobs = cosim.cycles().size();
      result.max_cycle_error = cosim.max_cycle_error();
      result.cycle_error_sum = cosim.mean_cycle_error() * static_cast<double>(result.timed_jobs);
    }
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace

CaseResult run_case(const CoSimCase& cosim_case, const RtlUnderTest& rtl, const std::string& waves,
                    bool with_coverage) {
  cosim::CoSimOptions options = options_of(cosim_case, rtl);
  options.rtl.waves = waves;
  return run_with(options, cosim_case, with_coverage);
}

CaseResult run_watched(const CoSimCase& cosim_case, const RtlUnderTest& rtl) {
  cosim::CoSimOptions options = options_of(cosim_case, rtl);
  std::optional<blame::FirstWrongValue> watch;
  options.rtl.make_top = [&](const Params& params, const std::string& waves) {
    std::unique_ptr<rtl::RtlTop> top = rtl.make_watched(params, waves);
    watch.emplace(*top);
    return top;
  };
  CaseResult result = run_with(options, cosim_case, false);
  if (watch) {
    result.first_wrong = watch->found();
    result.values_compared = watch->compared();
  }
  return result;
}

void CasePool::run(std::size_t count, const std::function<CoSimCase(std::size_t)>& make,
                   const std::function<void(std::size_t, const CaseResult&)>& done) const {
  constexpr int kPollMilliseconds = 200;
  std::vector<std::unique_ptr<Child>> children;
  for (std::size_t next = 0; next < count || !children.empty();) {
    while (next < count && children.size() < parallel_) {
      children.push_back(std::make_unique<Child>(next, run_, make(next), limit_seconds_));
      next++;
    }
    std::vector<pollfd> files;
    for (const auto& child : children) files.push_back({child->output(), POLLIN, 0});
    poll(files.data(), files.size(), kPollMilliseconds);
    for (std::size_t i = children.size(); i-- > 0;) {
      const bool stopped = children[i]->waits_too_long();
      if (stopped) children[i]->stop();
      const bool ended = stopped || (files[i].revents != 0 && children[i]->read_some());
      if (!ended) continue;
      const std::size_t number = children[i]->number();
      const CaseResult result = children[i]->result(stopped);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      done(number, result);
    }
  }
}

CaseResult CasePool::run(const CoSimCase& cosim_case) const {
  CaseResult result;
  run(
      1, [&](std::size_t) { return cosim_case; },
      [&](std::size_t, const CaseResult& found) { result = found; });
  return result;
}

}  // namespace mxe::regression
