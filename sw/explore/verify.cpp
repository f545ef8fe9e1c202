// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "model/numerics/base/error.h"
#include "model/numerics/files/files.h"
#include "model/platform/device/device.h"
#include "sw/explore/cache.h"
#include "sw/explore/content_hash.h"
#include "sw/explore/job_timer.h"
#include "sw/explore/samples.h"
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/build_target.h"
#endif

namespace mxe::explore {
namespace {

namespace fs = std::filesystem;

// Longer jobs are made smaller: they would take minutes on the RTL.
constexpr uint64_t kMostCycles = 400'000;

// Percent, for half-duplex memories: the model issues some bursts in another order than the RTL.
constexpr double kHalfDuplexError = 15;

#ifdef MXE_WITH_RTL
fs::path source_folder() {
  std::ifstream cache(fs::path(numerics::program_directory()) / "CMakeCache.txt");
  const std::string key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (std::string line; std::getline(cache, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(key.size());
  }
  throw Error(
      "RTL of other configurations than small, base and large is compiled by a program in its "
      "build "
      "folder only");
}

/// Path of the library with the RTL for these parameters. With --build, builds it first; else
/// throws Error if it is missing.
std::string build_engine(const Params& params, const fs::path& folder) {
  const fs::path place = folder / content_hash(params.to_string());
  const fs::path library = place / "build/libexplored.so";
  fs::create_directories(place);
  numerics::write_file(place / "CMakeLists.txt",
                       fmt::format("cmake_minimum_required(VERSION 3.25)\n"
                                   "project(explored LANGUAGES C CXX)\n"
                                   "include({}/model/platform/rtl/MxeVerilate.cmake)\n"
                                   "mxe_engine(explored TOP mxe_top NO_WAVES DESCRIPTION "
                                   "${{CMAKE_CURRENT_SOURCE_DIR}}/engine.json\n"
                                   "           PARAMETERS {} SOURCES ${{MXE_RTL_SOURCES}})\n",
                                   source_folder().string(), params.to_string()));
  nlohmann::ordered_json parameters{{"config", "base"}};
  for (const ParameterInfo& info : parameter_table) parameters[info.name] = params.*(info.field);
  numerics::write_file(
      place / "engine.json",
      nlohmann::ordered_json{{"name", "explored"}, {"parameters", parameters}}.dump() + "\n");
  if (!rtl::may_build()) {
    if (fs::exists(library)) return library.string();
    throw Error(fmt::format(
        "--verify needs the RTL of {}, which is not built: the option --build builds it",
        params.to_string()));
  }
  fmt::print(stderr, "building the RTL of {}\n", params.to_string());
  const rtl::FileLock lock(place / "lock");
  const fs::path log = place / "build.log", build = place / "build";
  fs::remove(log);
  if (!rtl::run_program({"cmake", "-S", place.string(), "-B", build.string(), "-G", "Ninja",
                         "-DCMAKE_BUILD_TYPE=Release"},
                        log) ||
      !rtl::run_program({"cmake", "--build", build.string()}, log)) {
    throw Error(fmt::format("the RTL could not be built: {}", log.string()));
  }
  return library.string();
}
#else
std::string build_engine(const Params&, const fs::path&) {
  throw Error("this program was built without the RTL");
}
#endif

device::EngineSetup setup_of(const Point& point, const fs::path& folder,
                             std::map<std::string, std::string>& libraries) {
  device::EngineSetup setup;
  setup.params = point.params;
  setup.timing = point.timing;
  if (point.dram) setup.dram = *point.dram;
  setup.ports = point.ports;
  if (point.params.config_name() != "custom") return setup;
  std::string& library = libraries[point.params.to_string()];
  if (library.empty()) library = build_engine(point.params, folder);
  setup.rtl = library;
  return setup;
}

}  // namespace

bool verify_on_rtl(const std::vector<Outcome>& outcomes, std::size_t count,
                   const fs::path& folder) {
  const std::vector<Sample> samples = sample_fronts(outcomes, count, kMostCycles);
  std::map<std::string, std::string> libraries;
  std::vector<device::Device> devices;  // all before the first run: SystemC elaborates once
  for (const Sample& sample : samples) {
    devices.emplace_back(device::Target::rtl, setup_of(*sample.outcome->point, folder, libraries));
  }
  bool agreed = true;
  fmt::print("\nThe same on the RTL, layers made smaller where they would take minutes:\n");
  for (std::size_t i = 0; i < samples.size(); i++) {
    const auto& [outcome, layer, shape] = samples[i];
    const Point& point = *outcome->point;
    const uint64_t model =
        time_job(shape, point.params, point.timing, point.ports, nullptr, point.dram.get()).cycles;
    const uint64_t rtl = devices[i].run(shape).cycles;
    const double error =
        100 * (static_cast<double>(model) - static_cast<double>(rtl)) / static_cast<double>(rtl);
    const bool exact = !point.timing.half_duplex;
    agreed = agreed && (exact ? model == rtl : std::abs(error) <= kHalfDuplexError);
    fmt::print("  {} {} x {} x {} as {} x {} x {}: {} cycles, RTL {}, error {:.2g} %{}: {}\n",
               layer->name, layer->m, layer->n, layer->k, shape.m, shape.n, shape.k, model, rtl,
               error, exact ? "" : fmt::format(" (allowed: {} %)", kHalfDuplexError),
               point_text(point));
  }
  return agreed;
}

}  // namespace mxe::explore
