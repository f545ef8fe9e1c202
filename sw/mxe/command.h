// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace CLI {
class App;
}

namespace mxe::cli {

/// What the process returns. Bad usage and bad input are reported by throwing mx::Error.
enum ExitCode : int {
  kAgreed = 0,     ///< done, and every comparison agreed
  kDisagreed = 1,  ///< done, but a comparison failed
  kBadInput = 2,   ///< nothing useful done; one line on stderr says why
  kGuestFault = 3  ///< of `mxe run` and `mxe linux`: the guest did what it may not
};

/// A subcommand: how it is parsed and what it does.
struct Command {
  CLI::App* app;
  std::function<int()> run;  ///< returns an ExitCode; called after parsing
};

/// Keys keep the order they are inserted in.
using Json = nlohmann::ordered_json;

/// Prints `object` as the one line of standard output. Numbers that JSON lacks (NaN, Inf) are null.
void print_json(const Json& object);

/// One line about what is going on, on stderr and only if that is a terminal; the next one replaces
/// it, an empty one removes it.
void show_progress(const std::string& line);

/// Threads that this machine runs at once, at least 1.
unsigned hardware_threads();

/// Reports a failure of `who` in one line on stderr. Returns `code`.
int fail(const std::string& who, std::string message, ExitCode code = kBadInput);

// Each of these adds its subcommand to `app`.
Command add_demo(CLI::App& app);
Command add_formats(CLI::App& app);
Command add_quantize(CLI::App& app);
Command add_dequantize(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_matmul(CLI::App& app);
Command add_estimate(CLI::App& app);
Command add_explore(CLI::App& app);
Command add_report(CLI::App& app);
Command add_run(CLI::App& app);
constexpr const char* kRunDescription =
    "Run firmware on a RISC-V processor beside the engine, model or RTL";
Command add_linux(CLI::App& app);
constexpr const char* kLinuxDescription =
    "Run a program on a Linux kernel that has the engine, model or RTL, as its device";
#ifdef MXE_WITH_RTL
Command add_cosim(CLI::App& app);
constexpr const char* kCosimDescription =
    "Run random jobs on model and RTL side by side and compare everything";
#endif

}  // namespace mxe::cli
