// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/device/device.h"
#include "model/platform/device/engines.h"
#include "model/platform/linux/console.h"
#include "model/platform/linux/inspector.h"
#include "model/platform/linux/interrupts.h"
#include "model/platform/linux/kernel_process.h"
#include "model/platform/linux/kernels.h"
#include "model/platform/linux/session.h"
#include "model/platform/uml/machine.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/trace_choice.h"

namespace mxe::cli {
namespace {

constexpr uint64_t kLongestTimeoutUs = 1'000'000'000'000;
constexpr unsigned kLeastMemory = 32, kMostMemory = 65536;  // MiB
constexpr int kKilled = 128;                                // plus the signal number, as in a shell
/// Default of --timeout-us unless input comes from a terminal: one hour of simulated time.
constexpr uint64_t kDefaultTimeoutUs = 3'600'000'000;
/// Without a burst or interrupt for this simulated time, Linux's tasks are queried.
constexpr uint64_t kStallUs = 120'000'000;
constexpr std::size_t kLinesOfLog = 20;

struct LinuxOptions {
  std::string on = "model", waves, module, kernel, append, log;
  std::vector<std::string> program;
  EngineChoice engine;
  TraceChoice trace;
  bool own_time = false, debug_kernel = false, summary = false;
  unsigned ram = 256, object_memory = 512;
  std::optional<uint64_t> timeout_us;
  uint64_t remove_us = 0;
};

device::Target choose_target(const LinuxOptions& options) {
  const device::Target target = device::parse_target(options.on);
  if (target == device::Target::golden) {
    throw Error("a driver needs registers: cannot run on 'golden' (allowed: model, rtl)");
  }
  options.trace.require_possible(target);
  if (!options.waves.empty() && target != device::Target::rtl)
    throw Error("--waves needs --on rtl");
  return target;
}

std::string choose_kernel(const LinuxOptions& options) {
  if (!options.kernel.empty()) return guest::kernel_program(options.kernel);
  return guest::kernel_program(options.debug_kernel ? guest::Kernel::debug : guest::Kernel::plain);
}

std::filesystem::path own_module(bool debug_kernel) {
  const std::filesystem::path folder = numerics::program_directory();
  const std::filesystem::path built = folder / (debug_kernel ? "linux-debug" : "linux") / "mxe.ko";
  const std::filesystem::path installed = folder / MXE_INSTALLED_MODULE;
  return !debug_kernel && std::filesystem::exists(installed) && !std::filesystem::exists(built)
             ? installed
             : built;
}

/// Path of the driver on the host; empty with --module none.
std::string choose_module(const LinuxOptions& options) {
  if (options.module == "none") return {};
  const std::filesystem::path module = options.module.empty()
                                           ? own_module(options.debug_kernel)
                                           : std::filesystem::path(options.module);
  if (std::filesystem::exists(module)) return std::filesystem::canonical(module);
  if (!options.module.empty())
    throw Error(fmt::format("no driver {}; allowed: --module none", module.string()));
  throw Error(fmt::format(
      "no driver {}: build it with cmake --build build --target mxe_linux_module_{}, or use "
      "--module PATH or --module none",
      module.string(), options.debug_kernel ? "debug" : "plain"));
}

bool on_terminal() { return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0; }

/// Source of the program's standard input. Linux reads a file directly. A pipe is read to its end
/// first, because a console drops unread input at the input's end.
std::string choose_input(const guest::Session& session) {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0) return "null";
  if (S_ISREG(status.st_mode)) {
    return fmt::format("{}:{}", lseek(STDIN_FILENO, 0, SEEK_CUR),
                       std::filesystem::read_symlink("/proc/self/fd/0").string());
  }
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) return "0:" + session.store_input();
  struct stat null {};
  const bool is_null =
      S_ISCHR(status.st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev;
  return is_null ? "null" : "console";
}

guest::SessionPlan make_plan(const LinuxOptions& options, const guest::Session& session) {
  guest::SessionPlan plan;
  plan.arguments = options.program;
  plan.directory = std::filesystem::current_path();
  plan.module = choose_module(options);
  plan.input = choose_input(session);
  if (plan.arguments.empty()) {
    const char* shell = std::getenv("SHELL");
    plan.arguments = {shell && *shell ? shell : "/bin/sh"};
    plan.interactive = on_terminal();
  }
  winsize size{};
  if (plan.interactive && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    plan.rows = size.ws_row;
    plan.columns = size.ws_col;
  }
  return plan;
}

std::vector<std::string> kernel_words(const LinuxOptions& options, const std::string& kernel,
                                      const guest::Session& session,
                                      const guest::Console& console) {
  std::vector<std::string> words = {
      kernel,
      fmt::format("mem={}M", options.ram + options.object_memory),
      "root=/dev/root",
      "rootfstype=hostfs",
      "rootflags=/",
      "ro",
      fmt::format("init={}/mxe-linux-init", numerics::program_directory()),
      fmt::format("mxe_session={}", session.folder()),
      fmt::format("uml_dir={}", session.folder()),
      fmt::format("umid={}", guest::Session::kManagementName),
      fmt::format("virtio_uml.device={}:1234", session.device_socket()),
      "norandmaps",
      options.log.empty() ? "loglevel=4" : "loglevel=8"};
  if (options.object_memory != 0)
    words.push_back(fmt::format("reserve_mem={}M:4096:mxe", options.object_memory));
  if (options.log.empty()) words.push_back("mxe_console_level=5");
  if (!options.own_time) words.push_back(fmt::format("time-travel=ext:{}", session.time_socket()));
  for (const std::string& word : console.kernel_words()) words.push_back(word);
  if (!options.append.empty()) words.push_back(options.append);
  return words;
}

/// --timeout-us; default: one hour, or 0 (no limit) for a terminal, whose user can end the run.
uint64_t choose_timeout(const LinuxOptions& options, const guest::SessionPlan& plan) {
  if (options.timeout_us) return *options.timeout_us;
  return plan.interactive || plan.input == "console" ? 0 : kDefaultTimeoutUs;
}

uml::MachineOptions machine_options(const LinuxOptions& options, const device::EngineSetup& setup,
                                    const guest::Session& session, const guest::SessionPlan& plan) {
  uml::MachineOptions machine;
  machine.device_socket = session.device_socket();
  if (!options.own_time) machine.time_socket = session.time_socket();
  machine.timing = setup.timing;
  machine.dram = setup.dram;
  machine.timeout_us = choose_timeout(options, plan);
  machine.stall_us = plan.interactive || options.timeout_us == 0 ? 0 : kStallUs;
  machine.remove_us = options.remove_us;
  machine.real_time = plan.interactive;
  return machine;
}

guest::Console::Input input_of(const guest::SessionPlan& plan) {
  if (plan.interactive) return guest::Console::Input::terminal;
  return plan.input == "console" ? guest::Console::Input::piped : guest::Console::Input::none;
}

void print_summary(int code, const uml::MachineOutcome& outcome) {
  fmt::print(
      stderr,
      "mxe linux: exit code {} after {} ns, {} register accesses, {} bursts, {} interrupts\n", code,
      outcome.nanoseconds, outcome.register_accesses, outcome.bursts, outcome.messages);
}

/// `tasks`: Linux's report of its tasks if the run stalled or timed out.
struct Run {
  uml::MachineOutcome outcome;
  std::string tasks;
};

int report(const LinuxOptions& options, const Run& run, const guest::Session& session,
           const guest::KernelLog& log) {
  const uml::MachineOutcome& outcome = run.outcome;
  if (const int signal = guest::Interrupts::signal()) return kKilled + signal;
  const std::optional<guest::SessionEnd> end = session.end();
  if (end && end->what == guest::SessionEnd::What::failed) {
    fmt::print(stderr, "mxe linux: {}\n", end->message);
    return kBadInput;
  }
  if (!end) {
    fmt::print(stderr, "mxe linux: {}\n",
               outcome.fault.value_or("Linux ended before the program did"));
    if (!outcome.engine.empty()) {
      fmt::print(stderr, "{}{}", outcome.engine, run.tasks);
    } else if (!log.has_file()) {
      fmt::print(stderr, "{}", log.tail(kLinesOfLog));
    }
    return kGuestFault;
  }
  if (!options.waves.empty() && outcome.first_message) {
    fmt::print(stderr, "mxe linux: the first interrupt is at {} ns of {}\n", *outcome.first_message,
               options.waves);
  }
  const int code = end->number + (end->what == guest::SessionEnd::What::killed ? kKilled : 0);
  if (options.summary) print_summary(code, outcome);
  return code;
}

/// Linux and the engine alternate thousands of times and never run at the same time. On two
/// processors, each switch would wait for a wake-up.
void stay_on_one_processor() {
  const int here = sched_getcpu();
  if (here < 0) return;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(static_cast<unsigned>(here), &processors);
  sched_setaffinity(0, sizeof processors, &processors);  // on failure the run is only slower
}

/// Destroys the engine before it returns, which completes the file of waves.
Run simulate(const LinuxOptions& options, const std::string& kernel, device::Target target,
             const device::EngineSetup& setup, const guest::Session& session,
             guest::KernelLog& log) {
  const guest::SessionPlan plan = make_plan(options, session);
  session.write(plan);
  uml::Machine machine("linux", machine_options(options, setup, session, plan),
                       [&] { return device::make_engine(target, setup); });
  guest::Console console(machine, log, input_of(plan));
  const guest::Inspector inspector(machine, console, session);
  if (!options.own_time) stay_on_one_processor();
  const guest::KernelProcess process(kernel_words(options, kernel, session, console),
                                     console.kernel_files());
  console.started();
  std::optional<guest::RawTerminal> terminal;
  if (plan.interactive) terminal.emplace();
  const guest::Interrupts interrupts(
      {&machine, &process, &session, terminal ? &*terminal : nullptr});
  machine.watch(process.end(), POLLIN, [&machine] {
    machine.stop();
    return false;
  });
  const uml::MachineOutcome outcome = machine.run();
  console.drain();
  return {outcome, inspector.report()};
}

int run(const LinuxOptions& options) {
  const device::Target target = choose_target(options);
  device::EngineSetup setup = options.engine.resolve();
  if (setup.dram) setup.dram->require_quick("mxe linux");
  setup.waves = options.waves;
  const std::string kernel = choose_kernel(options);
  std::optional<engine::ChromeTrace> trace = options.trace.open();
  if (trace) setup.tracer = &*trace;

  const guest::Session session;
  guest::KernelLog log(options.log);
  const Run done = simulate(options, kernel, target, setup, session, log);
  numerics::require_written(setup.waves);
  log.close();
  if (trace) trace->close();
  return report(options, done, session, log);
}

}  // namespace

Command add_linux(CLI::App& app) {
  CLI::App* command = app.add_subcommand("linux", kLinuxDescription);
  const auto options = std::make_shared<LinuxOptions>();
  command
      ->add_option("program", options->program,
                   "Program and arguments, after -- if there are dashes (default: a shell)")
      ->type_name(kAnyWord);
  command->add_option("--on", options->on, "model or rtl")->capture_default_str();
  options->engine.add_to(*command);
  options->trace.add_to(*command);
  command->add_option("--waves", options->waves,
                      "Record the signals of the RTL in this file, *.fst");
  command->add_flag("--free", options->own_time,
                    "Linux uses wall-clock time instead of simulated time; runs then differ");
  command->add_flag("--debug-kernel", options->debug_kernel,
                    "The kernel with KASAN, lockdep, atomic-sleep and DMA-API checks");
  command->add_option("--module", options->module,
                      "Kernel driver (default: that of this build); none: no driver");
  command->add_option("--kernel", options->kernel, "Folder of another kernel");
  command->add_option("--append", options->append,
                      "Additional words for the kernel's command line");
  command->add_option("--ram", options->ram, "Memory of Linux and its programs in MiB")
      ->check(CLI::Range(kLeastMemory, kMostMemory))
      ->capture_default_str();
  command
      ->add_option("--object-memory", options->object_memory,
                   "Further memory in MiB, reserved at boot for objects of the driver; 0: none")
      ->check(CLI::Range(0u, kMostMemory))
      ->capture_default_str();
  command->add_option(
      "--log", options->log,
      "Write the kernel's log to this file, - for stderr (default: warnings on stderr)");
  command
      ->add_option("--timeout-us", options->timeout_us,
                   "Simulated microseconds after which the run is a fault; 0: never, not even if a "
                   "task waits for an idle engine (default: one hour; never with input from a "
                   "terminal)")
      ->check(CLI::Range(uint64_t{0}, kLongestTimeoutUs));
  command
      ->add_option("--remove-us", options->remove_us,
                   "Simulated microseconds after which the engine is removed (default: never)")
      ->check(CLI::Range(uint64_t{1}, kLongestTimeoutUs));
  command->add_flag("--summary", options->summary,
                    "Print exit code, time, register accesses, bursts and interrupts on stderr");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
