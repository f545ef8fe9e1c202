// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"
#include "model/numerics/files/files.h"
#include "sw/explore/cache.h"
#include "sw/explore/combined.h"
#include "sw/explore/conditions.h"
#include "sw/explore/content_hash.h"
#include "sw/explore/evaluate.h"
#include "sw/explore/format_search.h"
#include "sw/explore/model_file.h"
#include "sw/explore/product_accuracy.h"
#include "sw/explore/samples.h"
#include "sw/explore/space.h"
#include "sw/explore/sweep.h"
#include "sw/explore/table.h"
#include "sw/explore/verify.h"
#include "sw/explore/workload.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"

namespace mxe::cli {
namespace {

using explore::Outcome;
using explore::Point;
using explore::Space;
using explore::SweepOptions;
using explore::SweepResult;
using explore::Workload;

struct ExploreOptions {
  std::string space, output = "exploration", cache, format_map, shard, combine;
  std::vector<std::string> workloads, tensors, dimensions, weights;
  explore::RunSize run_size;
  unsigned parallel = hardware_threads();
  uint64_t most_rows = 20;
  std::size_t verified = 0, traced = 0;
  bool no_prune = false, formats = false;
  explore::FormatSearch format_search;
};

/// Parses a decimal number from 1; 0 for any other text.
uint64_t natural_number(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? value : 0;
}

explore::Shard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  explore::Shard shard;
  shard.index = natural_number(std::string_view(text).substr(0, slash));
  shard.count = natural_number(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (shard.index < 1 || shard.index > shard.count) {
    throw Error(fmt::format("--shard must be I/N with I from 1 to N, not '{}'", text));
  }
  return shard;
}

void add_dimension(const std::string& text, explore::RunSize& run) {
  const std::size_t equals = text.rfind('=');
  uint64_t size = 0;
  if (equals != std::string::npos && equals != 0) {
    size = natural_number(std::string_view(text).substr(equals + 1));
  }
  if (size == 0 || size > explore::kMostElements) {
    throw Error(fmt::format("--dim must be NAME=N with N from 1 to {}, not '{}'",
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
    throw Error(
        "--batch, --sequence, --context, --dim, --routing, --routing-seed and --latent are for "
        "models: CSV files have sizes");
  }
  std::vector<Workload> workloads;
  for (const std::string& path : paths) {
    workloads.push_back(explore::read_workload_or_model(path, run_size));
    explore::apply(map, workloads.back());
    for (std::size_t i = 0; i + 1 < workloads.size(); i++) {
      if (workloads[i].name != workloads.back().name) continue;
      throw Error(fmt::format("two workloads are called {}", workloads[i].name));
    }
  }
  return workloads;
}

/// Removes points that do not support the formats of a layer.
void keep_possible(const std::vector<Workload>& workloads, Space::Points& space) {
  const auto impossible = [&](const Point& point) {
    try {
      for (const Workload& workload : workloads) explore::require_pairs(workload, point);
      return false;
    } catch (const LimitError& error) {
      space.skipped.add(error);
      return true;
    }
  };
  space.points.erase(std::remove_if(space.points.begin(), space.points.end(), impossible),
                     space.points.end());
  if (space.points.empty()) throw Error("no point supports the formats of all layers");
}

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
  for (const auto& [reason, count] : space.skipped.reasons()) skipped[reason] = count;
  Json unmet = Json::object();
  for (const auto& [constraint, count] : counts.unmet) unmet[constraint] = count;
  const Json json{{"version", explore::kRecordVersion},
                  {"cycles_version", explore::kCyclesVersion},
                  {"space", explore::read_whole(options.space).value_or("")},
                  {"workloads", names},
                  {"points", space.points.size()},
                  {"skipped", skipped},
                  {"unmet", unmet},
                  {"pruned", counts.pruned}};
  numerics::write_file(std::filesystem::path(options.output) / "space.json",
                       json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void print_counts(const SweepResult& result, const Space::Points& space) {
  const explore::SweepCounts& counts = result.counts;
  fmt::print("{} points: {} simulated, {} from the cache, {} known before", counts.all,
             counts.simulated, counts.cached, counts.known);
  if (counts.pruned != 0) fmt::print(", {} off every front by their lower bounds", counts.pruned);
  if (counts.halved != 0) fmt::print(", {} left out by halving", counts.halved);
  fmt::print("\n");
  for (const auto& [constraint, results] : counts.unmet) {
    fmt::print("  left out {} results: {}\n", results, printable(constraint));
  }
  const std::vector<explore::SkippedPoints::Reason> reasons = space.skipped.reasons();
  constexpr std::size_t kMostReasons = 8;
  for (std::size_t i = 0; i < reasons.size(); i++) {
    if (i == kMostReasons) {
      fmt::print("  and {} more reasons (space.json)\n", reasons.size() - i);
      break;
    }
    fmt::print("  skipped {}: {}\n", reasons[i].points, reasons[i].text);
  }
}

explore::FrontTable table_of(const Workload& workload, const SweepResult& result,
                             const Space& space) {
  explore::FrontTable table{workload.name, {}, space.varying(), workload.items, workload.item_name};
  for (const Outcome& one : result.outcomes) {
    if (one.workload == &workload) table.outcomes.push_back(&one);
  }
  return table;
}

void print_tables(const ExploreOptions& options, const std::vector<Workload>& workloads,
                  const SweepResult& result, const Space& space) {
  const bool whole = space.vector_place().has_value();
  explore::print_columns(whole);
  for (const Workload& workload : workloads) {
    const explore::FrontTable table = table_of(workload, result, space);
    explore::print_front(table, options.most_rows);
    if (whole) explore::print_rest(table);
    explore::print_workload_notes(table, workload);
  }
}

explore::Combination combination_of(const ExploreOptions& options,
                                    const std::vector<Workload>& workloads) {
  using Method = explore::Combination::Method;
  explore::Combination how;
  how.method = options.combine == "worst" ? Method::worst : Method::sum;
  std::vector<std::string> names;
  for (const Workload& workload : workloads) names.push_back(workload.name);
  for (const std::string& text : options.weights) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    double weight = 0;
    if (equals != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, weight);
      if (error != std::errc() || rest != end) weight = 0;
    }
    if (!(weight >= 1e-9 && weight <= 1e9)) {
      throw Error(
          fmt::format("--weight must be WORKLOAD=N with N from 1e-9 to 1e9, not '{}'", text));
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(fmt::format("--weight names the workload '{}'; allowed: {}", name,
                              fmt::join(names, ", ")));
    }
    if (!how.weights.emplace(name, weight).second) {
      throw Error(fmt::format("--weight names the workload '{}' twice", name));
    }
  }
  return how;
}

void check_combination(const ExploreOptions& options, const Space& space) {
  using Method = Space::Search::Method;
  if (options.combine.empty()) {
    if (options.weights.empty()) return;
    throw Error("--weight is for --combine");
  }
  if (options.workloads.size() < 2) throw Error("--combine needs two workloads or more");
  if (options.formats) throw Error("--combine and --formats exclude each other");
  if (!options.shard.empty()) throw Error("--combine is not for a --shard");
  const Method method = space.search().method;
  if (method != Method::grid && method != Method::random) {
    throw Error("--combine needs every point; allowed: spaces with the search grid or random");
  }
}

void combine_workloads(const ExploreOptions& options, const explore::Combination& how,
                       const std::vector<Workload>& workloads, const SweepResult& result,
                       const Space& space) {
  const explore::Combined combined = explore::combine(result, workloads.size(), how);
  std::string lines, weights;
  for (const explore::Record& record : combined.records) lines += record.dump() + "\n";
  numerics::write_file(std::filesystem::path(options.output) / "combined.jsonl", lines);
  for (const Workload& workload : workloads) {
    weights += fmt::format("{}{:g} x {}", weights.empty() ? "" : ", ", how.weight(workload.name),
                           workload.name);
  }
  explore::FrontTable table;
  table.title = fmt::format("all workloads, {} of {}", how.method_name(), weights);
  for (const Outcome& one : combined.outcomes) table.outcomes.push_back(&one);
  table.varying = space.varying();
  explore::print_front(table, options.most_rows);
}

/// Throws Error for a constraint on sqnr_db or items_per_second if a workload has no such result.
void check_constraints(const Space& space, const std::vector<Workload>& workloads,
                       const SweepOptions& how) {
  for (const std::string& text : space.result_constraints()) {
    explore::Conditions condition;
    condition.add(text);
    for (const Workload& workload : workloads) {
      const bool measured =
          std::any_of(how.sqnr_db.begin(), how.sqnr_db.end(),
                      [&](const auto& one) { return std::get<0>(one.first) == workload.name; });
      if (condition.last_names("sqnr_db") && !measured) {
        throw Error(fmt::format("the constraint '{}' needs tensors of layers of {} (--tensors)",
                                printable(text), workload.name));
      }
      if (condition.last_names("items_per_second") && workload.items == 0) {
        throw Error(
            fmt::format("the constraint '{}' needs a workload that says its items; {} "
                        "does not",
                        printable(text), workload.name));
      }
    }
  }
}

void check_format_search(const ExploreOptions& options, const Space& space) {
  const explore::FormatSearch& search = options.format_search;
  if (!options.formats) {
    if (!search.sqnr_db && !search.cycles) return;
    throw Error("--sqnr-budget and --cycles-budget are for --formats");
  }
  if (search.sqnr_db && search.cycles) {
    throw Error("--formats takes one budget, --sqnr-budget or --cycles-budget");
  }
  if (!options.shard.empty()) throw Error("--formats is not for a --shard");
  if (!space.result_constraints().empty()) {
    throw Error(fmt::format("--formats needs all results: it is not for the constraint '{}'",
                            printable(space.result_constraints().front())));
  }
  if (space.search().method != Space::Search::Method::grid) {
    throw Error("--formats is for spaces without a search");
  }
}

/// Throws Error for a vector unit if a workload does not describe the rest, or formats are mixed.
void check_vector(const ExploreOptions& options, const Space& space,
                  const std::vector<Workload>& workloads) {
  if (!space.vector_place()) return;
  if (options.formats) {
    throw Error(fmt::format("{}: vector is not for --formats, which mixes formats of products",
                            *space.vector_place()));
  }
  for (const Workload& workload : workloads) {
    if (!workload.rest.empty()) continue;
    throw Error(fmt::format(
        "{}: vector needs language models (folders with config.json), but {} has only products",
        *space.vector_place(), printable(workload.name)));
  }
}

/// Throws Error for options that run or show one engine if a point has several.
void check_engines(const ExploreOptions& options, const Space::Points& space) {
  if (options.verified == 0 && options.traced == 0) return;
  const bool several = std::any_of(space.points.begin(), space.points.end(),
                                   [](const Point& point) { return point.engines > 1; });
  if (!several) return;
  throw Error(
      fmt::format("{} is for points of one engine (engines: 1){}",
                  options.verified != 0 ? "--verify" : "--traces",
                  options.verified != 0 ? "; several: mxe estimate --engines N --on rtl" : ""));
}

int run(const ExploreOptions& options) {
  SweepOptions how;
  if (!options.shard.empty()) how.shard = parse_shard(options.shard);
  const std::vector<Workload> workloads = read_workloads(options);
  const Space whole = Space::from_file(options.space);
  check_format_search(options, whole);
  check_combination(options, whole);
  check_vector(options, whole, workloads);
  const explore::Combination combination = combination_of(options, workloads);
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
    throw Error("--no-prune is for spaces with `search: {method: front}`");
  }
  check_engines(options, space);
  if (how.halving && how.shard) throw Error("--shard is not for searches by halving");
  const explore::ProductAccuracy accuracy(options.tensors);
  if (options.formats) explore::require_format_choices(space.points, workloads, accuracy);
  explore::add_accuracy(accuracy, space.points, workloads, how);
  how.constraints = whole.result_constraints();
  check_constraints(whole, workloads, how);
  Progress progress;
  how.progress = std::ref(progress);
  const SweepResult result = explore::sweep(space.points, workloads, how);
  write_space(options, workloads, space, result.counts);
  if (result.outcomes.empty() && !result.counts.unmet.empty() && !how.shard) {
    throw Error(fmt::format("no result meets the constraint '{}'",
                            printable(result.counts.unmet.begin()->first)));
  }
  const auto counts = [&] {
    print_counts(result, space);
    explore::print_port_note(space.points);
  };
  if (options.combine.empty()) std::filesystem::remove(how.output / "combined.jsonl");
  if (!options.formats) {
    // An earlier run's mixtures do not belong to the new points.
    if (!how.shard) std::filesystem::remove(how.output / "formats.jsonl");
    counts();
    print_tables(options, workloads, result, whole);
    if (!options.combine.empty()) combine_workloads(options, combination, workloads, result, whole);
  } else {
    explore::FormatSearch search = options.format_search;
    search.digits = options.tensors.empty();
    search.most_rows = options.most_rows;
    explore::search_formats(space.points, workloads, accuracy, search, how.output, counts);
  }
  if (options.traced != 0) {
    explore::write_traces(result.outcomes, options.traced, how.output / "traces");
  }
  if (options.verified == 0) return kAgreed;
  return explore::verify_on_rtl(result.outcomes, options.verified, how.output / "rtl") ? kAgreed
                                                                                       : kDisagreed;
}

void add_run_size(CLI::App& command, ExploreOptions& options) {
  explore::RunSize& run = options.run_size;
  const CLI::Range sizes(uint64_t{1}, explore::kMostElements);
  command
      .add_option("--batch", run.batch, "For models: number of sequences or images (default: 1)")
      ->check(sizes);
  command.add_option("--sequence", run.sequence, "For models: number of tokens of a prompt")
      ->check(sizes);
  command
      .add_option("--context", run.context,
                  "For models: number of tokens in the context of attention; without --sequence, "
                  "one token is generated")
      ->check(sizes);
  command.add_option(
      "--dim", options.dimensions,
      "NAME=N: another open dimension of an ONNX model; INPUT:AXIS=N if it has no name");
  command.add_option("--routing", run.routing,
                     "For mixtures of experts: how tokens choose experts: uniform, zipf:EXPONENT, "
                     "or histogram:FILE, a CSV file expert,tokens (default: uniform)");
  command.add_option(
      "--routing-seed", run.routing_seed,
      "For mixtures of experts: seed of the draws of zipf and histogram (default: 1)");
  command.add_option("--latent", run.latent,
                     "For latent attention: absorbed, all heads share the cached latents, or "
                     "expanded, to keys and values of each head (default: absorbed without "
                     "--sequence, else expanded)");
}

}  // namespace

Command add_explore(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "explore", "Find engines, memories and formats for a workload: cycles, area, energy");
  const auto options = std::make_shared<ExploreOptions>();
  command->add_option("SPACE.yaml", options->space, "The space: parameters, constraints")
      ->required();
  command
      ->add_option("--workload", options->workloads,
                   "CSV files of matrix products (layer,M,N,K,count) or topologies of SCALE-Sim; "
                   "ONNX models; folders of language models, or their config.json or .safetensors")
      ->required();
  add_run_size(*command, *options);
  command->add_option("--output", options->output, "Folder for points.jsonl and space.json")
      ->capture_default_str();
  command->add_option("--parallel", options->parallel, "Threads (default: all)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--cache", options->cache,
                      "Folder of the cache of times (default: cache in the output folder)");
  command->add_option("--format-map", options->format_map,
                      "YAML file: formats of layers by patterns of their names");
  command->add_option("--tensors", options->tensors,
                      "Files of numbers to measure the accuracy of formats: A [M, K] and "
                      "B [N, K], or one .safetensors or .npz file of L.a and L.b for each layer L "
                      "(default: SQNR only for the digits' network)");
  command->add_flag("--formats", options->formats,
                    "Mix the formats of the space, layer by layer: the front of cycles and SQNR");
  command->add_option(
      "--sqnr-budget", options->format_search.sqnr_db,
      "With --formats: write a map of the fastest formats with at least this SQNR in dB");
  command->add_option(
      "--cycles-budget", options->format_search.cycles,
      "With --formats: write a map of the most accurate formats within this number of cycles");
  command
      ->add_option("--combine", options->combine,
                   "sum or worst: one front over all workloads, by the sum or by the longest of "
                   "their times")
      ->check(CLI::IsMember({"sum", "worst"}));
  command->add_option("--weight", options->weights,
                      "WORKLOAD=N: with --combine, N runs of this workload (default: 1)");
  command->add_flag("--no-prune", options->no_prune,
                    "Simulate all points of a search for the fronts");
  command->add_option("--traces", options->traced,
                      "Write traces of layers of this many points of the fronts, for Perfetto and "
                      "mxe report");
  command->add_option("--verify", options->verified,
                      "Run layers of this many points of the fronts on the RTL and compare the "
                      "cycles; --build compiles missing RTL");
  add_build_option(*command);
  command->add_option("--shard", options->shard, "I/N: only part I of N, for one of N machines");
  command->add_option("--rows", options->most_rows, "Rows of each table")->capture_default_str();
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
