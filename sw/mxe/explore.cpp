// SPDX-License-Identifier: Apache-2.0
// mxe explore: many engines and memories for one workload.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/error.h"
#include "model/numerics/files.h"
#include "sw/explore/cache.h"
#include "sw/explore/content_hash.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/model_file.h"
#include "sw/explore/space.h"
#include "sw/explore/sweep.h"
#include "sw/explore/workload.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/explore_formats.h"
#include "sw/mxe/explore_samples.h"
#include "sw/mxe/explore_verify.h"
#include "sw/mxe/product_accuracy.h"

namespace mxe::cli {
namespace {

using explore::Outcome;
using explore::Point;
using explore::Space;
using explore::SweepOptions;
using explore::SweepResult;
using explore::Workload;

struct ExploreOptions {
  std::string space, output = "exploration", cache, format_map, shard;
  std::vector<std::string> workloads, tensors, dimensions;
  explore::RunSize run_size;
  unsigned parallel = hardware_threads();
  uint64_t most_rows = 20;
  std::size_t verified = 0, traced = 0;
  bool no_prune = false, formats = false;
  FormatSearch format_search;
};

/// "2/8"
/// A decimal number from 1 on; 0 for anything else.
uint64_t natural_number(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? value : 0;
}

/// "2/4"
explore::Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  explore::Shard shard;
  shard.index = natural_number(std::string_view(text).substr(0, slash));
  shard.count = natural_number(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (shard.index < 1 || shard.index > shard.count) {
    throw mx::Error(fmt::format("--shard must be I/N with I from 1 to N, not '{}'", text));
  }
  return shard;
}

/// "height=224"
void add_dimension(const std::string& text, explore::RunSize& run) {
  const std::size_t equals = text.rfind('=');
  uint64_t size = 0;
  if (equals != std::string::npos && equals != 0) {
    size = natural_number(std::string_view(text).substr(equals + 1));
  }
  if (size == 0 || size > explore::kMostElements) {
    throw mx::Error(fmt::format("--dim must be NAME=N with N from 1 to {}, not '{}'",
                                explore::kMostElements, text));
  }
  run.dimensions[text.substr(0, equals)] = size;
}

std::vector<Workload> read_workloads(const ExploreOptions& options) {
  std::vector<explore::LayerFormats> map;
  if (!options.format_map.empty()) map = explore::read_format_map(options.format_map);
  explore::RunSize run_size = options.run_size;
  for (const std::string& dimension : options.dimensions) add_dimension(dimension, run_size);
  const std::vector<std::string>& paths = options.workloads;
  if (!run_size.empty() && std::none_of(paths.begin(), paths.end(), explore::is_model)) {
    throw mx::Error(
        "--batch, --sequence, --context and --dim are for models: CSV files have sizes");
  }
  std::vector<Workload> workloads;
  for (const std::string& path : paths) {
    workloads.push_back(explore::read_workload_or_model(path, run_size));
    explore::apply(map, workloads.back());
    for (std::size_t i = 0; i + 1 < workloads.size(); i++) {
      if (workloads[i].name != workloads.back().name) continue;
      throw mx::Error(fmt::format("two workloads are called {}", workloads[i].name));
    }
  }
  return workloads;
}

/// Takes away the points that cannot multiply the formats of all layers.
void keep_possible(const std::vector<Workload>& workloads, Space::Points& space) {
  const auto impossible = [&](const Point& point) {
    try {
      for (const Workload& workload : workloads) explore::require_pairs(workload, point);
      return false;
    } catch (const mx::Error& error) {
      space.skipped[error.what()]++;
      return true;
    }
  };
  space.points.erase(std::remove_if(space.points.begin(), space.points.end(), impossible),
                     space.points.end());
  if (space.points.empty()) throw mx::Error("no point has the formats of all layers");
}

/// Shows how far it is, and the time left, four times a second.
class Progress {
 public:
  void operator()(std::size_t done, std::size_t all) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto now = Clock::now();
    if (done != all && now - shown_ < std::chrono::milliseconds(250)) return;
    shown_ = now;
    const double passed = std::chrono::duration<double>(now - start_).count();
    const double left = passed / static_cast<double>(done) * static_cast<double>(all - done);
    show_progress(done == all ? ""
                              : fmt::format("{} of {} points, {:.0f} s left", done, all, left));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now(), shown_{};
};

void write_space(const ExploreOptions& options, const std::vector<Workload>& workloads,
                 const Space::Points& space, const explore::SweepCounts& counts) {
  Json names = Json::array();
  for (const Workload& workload : workloads) names.push_back(workload.name);
  Json skipped = Json::object();
  for (const auto& [reason, count] : space.skipped) skipped[reason] = count;
  const Json json{{"version", explore::kRecordVersion},
                  {"cycles_version", explore::kCyclesVersion},
                  {"space", explore::read_whole(options.space).value_or("")},
                  {"workloads", names},
                  {"points", space.points.size()},
                  {"skipped", skipped},
                  {"pruned", counts.pruned}};
  mx::write_file(std::filesystem::path(options.output) / "space.json",
                 json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_counts(const SweepResult& result, const Space::Points& space) {
  const explore::SweepCounts& counts = result.counts;
  fmt::print("{} points: {} simulated, {} from the cache, {} known before", counts.all,
             counts.simulated, counts.cached, counts.known);
  if (counts.pruned != 0) fmt::print(", {} off every front by their lower bounds", counts.pruned);
  if (counts.halved != 0) fmt::print(", {} left out by halving", counts.halved);
  fmt::print("\n");
  std::vector<std::pair<std::string, uint64_t>> reasons(space.skipped.begin(), space.skipped.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMostReasons = 8;
  for (std::size_t i = 0; i < reasons.size(); i++) {
    if (i == kMostReasons) {
      fmt::print("  and {} more reasons (space.json)\n", reasons.size() - i);
      break;
    }
    fmt::print("  skipped {}: {}\n", reasons[i].second, reasons[i].first);
  }
}

/// The points on a front, the fastest first.
void print_front(const Workload& workload, const SweepResult& result,
                 const std::vector<std::string>& varying, std::size_t most) {
  std::vector<const Outcome*> front;
  for (const Outcome& one : result.outcomes) {
    if (one.workload == &workload && one.on_front) front.push_back(&one);
  }
  std::stable_sort(front.begin(), front.end(),
                   [](const Outcome* a, const Outcome* b) { return a->seconds < b->seconds; });
  fmt::print("\n{}: {} points on the fronts of area and time\n", workload.name, front.size());
  fmt::print("{:>12} {:>6} {:>9} {:>9} {:>10}", "ms", "used", "kGE", "SRAM KiB", "mJ");
  if (workload.items != 0) fmt::print(" {:>10}/s", workload.item_name);
  fmt::print("  point\n");
  for (std::size_t i = 0; i < front.size(); i++) {
    if (i == most) {
      fmt::print("  and {} more\n", front.size() - most);
      break;
    }
    const Outcome& one = *front[i];
    fmt::print("{:>12.4f} {:>4.0f} % {:>9.0f} {:>9.1f} {:>10.4g}", 1e3 * one.seconds,
               100 * one.utilisation, one.area / 1e3, one.sram_kib, 1e3 * one.joules);
    if (workload.items != 0) {
      fmt::print(" {:>{}.4g}", static_cast<double>(workload.items) / one.seconds,
                 std::max<std::size_t>(12, workload.item_name.size() + 2));
    }
    fmt::print("  {}\n", explore::point_text(*one.point, varying));
  }
}

/// The accuracy of the points' pairs of formats, and of layers that have tensors of their own.
void add_accuracy(const ProductAccuracy& accuracy, const std::vector<Point>& points,
                  const std::vector<Workload>& workloads, SweepOptions& how) {
  for (const Point& point : points) {
    const auto pair = std::make_pair(point.format_a, point.format_b);
    if (how.sqnr_db.count(pair) == 0) {
      how.sqnr_db[pair] = accuracy.sqnr_db(point.format_a, point.format_b);
    }
    for (const Workload& workload : workloads) {
      for (const explore::Layer& layer : workload.layers) {
        const ProductAccuracy::Product* product = accuracy.find(layer.name);
        if (!product || product->layer.empty() || product->k != layer.k) continue;
        const JobShape shape = explore::job_of(layer, point);
        const auto key = std::make_tuple(layer.name, shape.format_a, shape.format_b);
        if (how.layer_sqnr_db.count(key) != 0) continue;
        how.layer_sqnr_db[key] =
            -10 * std::log10(accuracy.relative_noise(*product, shape.format_a, shape.format_b));
      }
    }
  }
}

void check_format_search(const ExploreOptions& options, const Space& space) {
  const FormatSearch& search = options.format_search;
  if (!options.formats) {
    if (!search.sqnr_db && !search.cycles) return;
    throw mx::Error("--sqnr-budget and --cycles-budget are for --formats");
  }
  if (search.sqnr_db && search.cycles) {
    throw mx::Error("--formats takes one budget, --sqnr-budget or --cycles-budget");
  }
  if (!options.shard.empty()) throw mx::Error("--formats is not for a --shard");
  if (space.search().method != Space::Search::Method::grid) {
    throw mx::Error("--formats is for spaces without a search");
  }
}

int run(const ExploreOptions& options) {
  SweepOptions how;
  if (!options.shard.empty()) how.shard = parse_shard(options.shard);
  const std::vector<Workload> workloads = read_workloads(options);
  const Space whole = Space::from_file(options.space);
  check_format_search(options, whole);
  Space::Points space = whole.points();
  keep_possible(workloads, space);
  how.output = options.output;
  how.cache = options.cache.empty() ? how.output / "cache" : std::filesystem::path(options.cache);
  how.threads = options.parallel;
  using Method = Space::Search::Method;
  how.fronts_only = whole.search().method == Method::front;
  how.prune = how.fronts_only && !options.no_prune;
  if (whole.search().method == Method::halving) how.halving = whole.search().budget;
  if (options.no_prune && !how.fronts_only) {
    throw mx::Error("--no-prune is for spaces with `search: {method: front}`");
  }
  if (how.halving && how.shard) throw mx::Error("--shard is not for searches by halving");
  const ProductAccuracy accuracy(options.tensors);
  if (options.formats) require_format_choices(space.points, workloads, accuracy);
  add_accuracy(accuracy, space.points, workloads, how);
  Progress progress;
  how.progress = std::ref(progress);
  const SweepResult result = explore::sweep(space.points, workloads, how);
  write_space(options, workloads, space, result.counts);
  const auto counts = [&] { print_counts(result, space); };
  if (!options.formats) {
    // Of an earlier run in this folder: `mxe report` would show it beside these points.
    if (!how.shard) std::filesystem::remove(how.output / "formats.jsonl");
    counts();
    for (const Workload& workload : workloads) {
      print_front(workload, result, whole.varying(), options.most_rows);
    }
  } else {
    FormatSearch search = options.format_search;
    search.digits = options.tensors.empty();
    search.most_rows = options.most_rows;
    search_formats(space.points, workloads, accuracy, search, how.output, counts);
  }
  if (options.traced != 0) {
    write_traces(result.outcomes, options.traced, how.output / "traces");
  }
  if (options.verified == 0) return kAgreed;
  return verify_on_rtl(result.outcomes, options.verified, how.output / "rtl") ? kAgreed
                                                                              : kDisagreed;
}

void add_run_size(CLI::App& command, ExploreOptions& options) {
  explore::RunSize& run = options.run_size;
  const CLI::Range sizes(uint64_t{1}, explore::kMostElements);
  command.add_option("--batch", run.batch, "Of a model: sequences or images at once (default: 1)")
      ->check(sizes);
  command.add_option("--sequence", run.sequence, "Of a model: tokens of a prompt")->check(sizes);
  command
      .add_option(
          "--context", run.context,
          "Of a model: tokens that attention looks at; without --sequence, one token is made")
      ->check(sizes);
  command.add_option(
      "--dim", options.dimensions,
      "NAME=N: another open dimension of an ONNX model; INPUT:AXIS=N if it has no name");
}

}  // namespace

Command add_explore(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explore", "Find engines, memories and formats for a workload: cycles, area, energy");
  const auto options = std::make_shared<ExploreOptions>();
  command->add_option("SPACE.yaml", options->space, "The space: parameters, constraints")
      ->required();
  command
      ->add_option(
          "--workload", options->workloads,
          "CSV files of matrix products (layer,M,N,K,count) or topologies of SCALE-Sim; "
          "ONNX models; folders of models like Llama, or their config.json or .safetensors")
      ->required();
  add_run_size(*command, *options);
  command->add_option("--output", options->output, "Folder for points.jsonl and space.json")
      ->capture_default_str();
  command->add_option("--parallel", options->parallel, "Threads (default: all)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--cache", options->cache,
                      "Folder of times found before (default: cache in the output's)");
  command->add_option("--format-map", options->format_map,
                      "YAML file: formats of layers by patterns of their names");
  command->add_option("--tensors", options->tensors,
                      "Files of numbers whose products tell the accuracy of formats: A [M, K] and "
                      "B [N, K], or one .safetensors or .npz file of L.a and L.b for each layer L "
                      "(default: the layers of the digits' network)");
  command->add_flag("--formats", options->formats,
                    "Mix the formats of the space, layer by layer: the front of cycles and SQNR");
  command->add_option("--sqnr-budget", options->format_search.sqnr_db,
                      "With --formats: a map of the fastest formats with at least so many dB");
  command->add_option("--cycles-budget", options->format_search.cycles,
                      "With --formats: a map of the most accurate formats in so many cycles");
  command->add_flag("--no-prune", options->no_prune,
                    "Simulate all points of a search for the fronts");
  command->add_option("--traces", options->traced,
                      "Write traces of layers of this many points of the fronts, for Perfetto and "
                      "mxe report");
  command->add_option("--verify", options->verified,
                      "Run layers of this many points of the fronts on the RTL and compare the "
                      "cycles; --build compiles RTL that is not there");
  add_build_option(*command);
  command->add_option("--shard", options->shard, "I/N: only part I of N, for one of N machines");
  command->add_option("--rows", options->most_rows, "Rows of each table")->capture_default_str();
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
