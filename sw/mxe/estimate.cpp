// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/job/split.h"
#include "model/numerics/files/files.h"
#include "model/platform/device/device.h"
#include "model/platform/device/team.h"
#include "sw/explore/lower_bound.h"
#include "sw/mxe/burst_choice.h"
#include "sw/mxe/command.h"
#include "sw/mxe/engine_choice.h"
#include "sw/mxe/matmul_report.h"
#include "sw/mxe/option_values.h"
#include "sw/mxe/output_choice.h"
#include "sw/mxe/team_report.h"
#include "sw/mxe/trace_choice.h"

namespace mxe::cli {
namespace {

struct EstimateOptions {
  job::JobShape shape;
  std::string format_a, format_b, on = "model", waves;
  std::optional<unsigned> block_a, block_b;
  bool alpha = false;
  OutputChoice output;
  EngineChoice engine;
  TraceChoice trace;
  BurstChoice bursts;
  std::optional<unsigned> engines;
  std::string split = "n";
  bool multicast = false;
  bool json = false;
};

int run_team(const EstimateOptions& options, const job::JobShape& shape, device::Target target,
             const device::EngineSetup& setup) {
  if (options.trace.wanted() || options.bursts.wanted() || !options.waves.empty()) {
    throw Error("--engines excludes --trace, --bursts and --waves, which show one engine");
  }
  const job::SplitAxis axis = job::parse_split(options.split);
  const std::vector<job::JobShape> parts =
      job::split_job(shape, axis, *options.engines, setup.params);
  const device::Team::Common common = !options.multicast          ? device::Team::Common::nothing
                                      : axis == job::SplitAxis::m ? device::Team::Common::b
                                                                  : device::Team::Common::a;
  const TeamReport report =
      make_report(shape, target, setup, axis, parts,
                  device::Team(target, setup, *options.engines, common).run(parts));
  if (options.json) {
    print_json(to_json(report));
  } else {
    print_text(report);
  }
  return kAgreed;
}

int run(const EstimateOptions& options) {
  const device::Target target = device::parse_target(options.on);
  if (target == device::Target::golden) {
    throw Error("golden has no clock: it cannot estimate cycles (allowed: model, rtl)");
  }
  options.trace.require_possible(target);
  if (!options.waves.empty() && target != device::Target::rtl) {
    throw Error(
        "--waves needs --on rtl: an estimate of the model computes no values (its times: --trace; "
        "values of its blocks: mxe matmul --arithmetic structural --waves)");
  }
  job::JobShape shape = options.shape;
  const numerics::ScaledFormat a = numerics::parse_scaled_format(options.format_a, options.block_a);
  const numerics::ScaledFormat b = numerics::parse_scaled_format(options.format_b, options.block_b);
  shape.format_a = a.element;
  shape.scales_a = a.scales;
  shape.format_b = b.element;
  shape.scales_b = b.scales;
  if (options.alpha) shape.alpha = 1.0F;
  shape.output = options.output.resolve();
  device::EngineSetup setup = options.engine.resolve();
  setup.mode = engine::Mode::timing;
  setup.waves = options.waves;
  shape.require_pair(setup.params);

  if (options.multicast && !options.engines) throw Error("--multicast needs --engines");
  if (options.engines && shape.batch > 1) throw Error("--engines and --batch exclude each other");
  if (options.engines) return run_team(options, shape, target, setup);
  std::optional<engine::ChromeTrace> trace = options.trace.open();
  if (trace) setup.tracer = &*trace;
  std::optional<dram::AccessLog> bursts = options.bursts.open(setup.dram);
  if (bursts) setup.accesses = &*bursts;
  const device::DeviceResult result = device::Device(target, setup).run(shape);
  numerics::require_written(setup.waves);
  if (trace) trace->close();
  if (bursts) bursts->close();
  MatmulReport report{shape, target, setup.params, setup.timing};
  report.dram = setup.dram;
  if (options.json) {
    Json json = to_json(report, result);
    explore::Point point;
    point.params = setup.params;
    point.timing = setup.timing;
    point.ports = setup.ports;
    if (setup.dram) point.dram = std::make_shared<const dram::Setup>(*setup.dram);
    json["bound_cycles"] = explore::roofline_cycles(shape, point);
    const auto counted = [&](const char* counter) {
      return static_cast<double>(result.counter(counter));
    };
    json["bound_by"] =
        explore::limit_name(explore::limit_of(shape, point, static_cast<double>(result.cycles),
                                              counted("bytes_read"), counted("bytes_written")));
    json["lower_bound"] = explore::lower_bound_cycles(shape, point);
    print_json(json);
  } else {
    print_text(report, result);
  }
  return kAgreed;
}

}  // namespace

Command add_estimate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "estimate", "Count the cycles of a matrix product of a given shape, without data");
  const auto options = std::make_shared<EstimateOptions>();
  command->add_option("M", options->shape.m, "Rows of A")->required()->check(above_zero());
  command->add_option("N", options->shape.n, "Columns of B")->required()->check(above_zero());
  command->add_option("K", options->shape.k, "Columns of A and rows of B")
      ->required()
      ->check(above_zero());
  command
      ->add_option("--batch", options->shape.batch,
                   "Number of products of this shape in one job; their matrices are stacked")
      ->check(above_zero());
  command->add_option("--format-a", options->format_a, "Element format of A; see `mxe formats`")
      ->required();
  command->add_option("--format-b", options->format_b, "Element format of B")->required();
  command
      ->add_option("--block-a", options->block_a,
                   "Elements of A that share a scale: 32 (default), 64 or 128")
      ->check(fits<unsigned>());
  command->add_option("--block-b", options->block_b, "Elements of B that share a scale")
      ->check(fits<unsigned>());
  command->add_flag("--alpha", options->alpha,
                    "The results have a factor, as the tensor scales of nvfp4 give");
  command->add_option("--on", options->on, "model or rtl")->capture_default_str();
  options->output.add_to(*command);
  options->engine.add_to(*command);
  options->trace.add_to(*command);
  options->bursts.add_to(*command);
  command
      ->add_option("--engines", options->engines,
                   "Number of engines that share the product and the memory's bandwidth")
      ->check(CLI::Range(1, 8));
  command
      ->add_option("--split", options->split,
                   "With --engines: dimension of D that is split, n or m")
      ->capture_default_str();
  command->add_flag(
      "--multicast", options->multicast,
      "With --engines: the operand that is not split is stored once; a part that several "
      "engines read at about the same time is read once");
  command->add_option("--waves", options->waves,
                      "Record the RTL's signals in this file, *.fst (with --on rtl)");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
