// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace CLI {
class App;
}

namespace mxe::cli {

/// Exit status. Commands throw Error for bad usage and bad input.
enum ExitCode : int {
  kAgreed = 0,     ///< success; every comparison agreed
  kDisagreed = 1,  ///< a comparison or the engine failed
  kBadInput = 2,   ///< bad usage or input, or another error; one line on stderr names it
  kGuestFault = 3  ///< `mxe run`, `mxe linux`: illegal action or timeout of the guest
};

struct Command {
  CLI::App* app;
  std::function<int()> run;  ///< called after parsing; returns an ExitCode or the guest's status
};

/// Keys keep the order of insertion.
using Json = nlohmann::ordered_json;

/// Prints one line on standard output. NaN and infinities become null.
void print_json(const Json& object);

/// If stderr is a terminal, shows a line there. The next line replaces it; an empty one removes it.
void show_progress(const std::string& line);

/// At least 1.
unsigned hardware_threads();

/// Prints "WHO: MESSAGE" on stderr. Returns `code`.
int fail(const std::string& who, std::string message, ExitCode code = kBadInput);

// A new command: NAME.cpp with add_NAME, a line here, one in main.cpp, one in CMakeLists.txt and
// one in tests/cli/usage_test.cpp.
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
    "Run firmware on a RISC-V processor with the engine, model or RTL";
Command add_linux(CLI::App& app);
constexpr const char* kLinuxDescription =
    "Run a program on a Linux kernel that has the engine, model or RTL, as its device";
#ifdef MXE_WITH_RTL
Command add_cosim(CLI::App& app);
constexpr const char* kCosimDescription =
    "Run random jobs on model and RTL side by side and compare everything";
#endif

}  // namespace mxe::cli
