// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/matmul_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/numerics/gemm/pair_rule.h"
#include "model/platform/device/figures.h"
#include "sw/explore/lower_bound.h"

namespace mxe::cli {
namespace {

constexpr double kBarColumns = 40;

/// In each cycle, exactly one of these counters counts.
bool is_activity(const std::string& counter) {
  return counter == "mac_active" || counter == "idle" || counter.rfind("stall_", 0) == 0;
}

void print_counters(const device::DeviceResult& result) {
  const auto total = static_cast<double>(result.counter("total"));
  for (const auto& [name, value] : result.counters) {
    if (!is_activity(name) || total == 0) {
      fmt::print("  {:<14} {}\n", name, value);
      continue;
    }
    const double share = static_cast<double>(value) / total;
    const std::string bar(static_cast<std::size_t>(std::lround(kBarColumns * share)), '#');
    fmt::print("  {:<14} {:<12} {:5.1f} %{}{}\n", name, value, 100 * share, bar.empty() ? "" : "  ",
               bar);
  }
}

/// `fed`: cycles to decode the words of B.
void print_bound(const device::Roofline& roof, uint64_t fed) {
  if (fed > std::max(roof.compute, roof.memory)) {
    fmt::print("  bound          feeder: {} cycles to decode B, {} to multiply, {} to {} memory\n",
               fed, roof.compute, roof.memory, roof.memory_reads ? "read" : "write");
    return;
  }
  fmt::print(
      "  bound          {}: {} cycles to multiply, {} to {} memory at {:.4g} bytes a cycle\n",
      roof.compute_bound() ? "compute" : "memory", roof.compute, roof.memory,
      roof.memory_reads ? "read" : "write", roof.bytes_per_cycle);
}

/// Bytes of a row's elements and scales in a step.
struct StepBytes {
  double elements, scales;
};

StepBytes step_bytes(const numerics::ScaledFormat& format, unsigned step) {
  const double bits = numerics::element_shape(format.element).stored_bits();
  const bool has_scales = format.scales.kind != numerics::ScaleKind::none;
  return {step * bits / 8, has_scales ? static_cast<double>(step) / format.scales.block : 0};
}

numerics::PairRule rule_of(const job::JobShape& shape, const Params& params) {
  return numerics::pair_rule(shape.operand_a(), shape.operand_b(), params.fp4_dual != 0);
}

/// The reason why the engine refuses the pair; empty if it multiplies the pair.
std::string refusal(const job::JobShape& shape, const Params& params) {
  try {
    shape.require_pair(params);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void print_pair(const job::JobShape& shape, const Params& params) {
  const numerics::PairRule rule = rule_of(shape, params);
  fmt::print("  step           {} elements of K, exact in {} bits, then one rounding\n", rule.step,
             rule.sum_bits);
  fmt::print("  chains         {}\n", rule.chains);
  const auto print_bytes = [&rule](const char* name, const numerics::ScaledFormat& format) {
    const StepBytes bytes = step_bytes(format, rule.step);
    fmt::print("  bytes a step   {} of a row of {}: {} of elements, {} of scales\n",
               bytes.elements + bytes.scales, name, bytes.elements, bytes.scales);
  };
  print_bytes("A", shape.operand_a());
  print_bytes("B", shape.operand_b());
  const std::string reason = refusal(shape, params);
  if (reason.empty()) {
    fmt::print("  rate           {} multiplications a cycle\n", shape.peak_macs_per_cycle(params));
    fmt::print("  engine         {} multiplies it: TREE_W is {}\n", params.config_name(),
               params.tree_w);
  } else {
    fmt::print("  rate           none\n");
    fmt::print("  engine         {} refuses it: {}\n", params.config_name(), reason);
  }
}

Json pair_json(const job::JobShape& shape, const Params& params) {
  const numerics::PairRule rule = rule_of(shape, params);
  const auto bytes = [&rule](const numerics::ScaledFormat& format) -> Json {
    const StepBytes step = step_bytes(format, rule.step);
    return {{"elements", step.elements}, {"scales", step.scales}};
  };
  Json json{{"step", rule.step},
            {"chains", rule.chains},
            {"sum_bits", rule.sum_bits},
            {"bytes_a", bytes(shape.operand_a())},
            {"bytes_b", bytes(shape.operand_b())},
            {"rate", nullptr},
            {"refusal", nullptr}};
  const std::string reason = refusal(shape, params);
  if (reason.empty()) {
    json["rate"] = shape.peak_macs_per_cycle(params);
  } else {
    json["refusal"] = reason;
  }
  return json;
}

Json memory_json(const dram::Setup& dram) {
  if (dram.plugin) return {{"plugin", dram.plugin->text()}, {"clock_mhz", dram.clock_mhz}};
  return {{"name", dram.config.name},
          {"is_ideal", dram.config.is_ideal},
          {"controller", dram::controller_name(dram.config.controller)},
          {"peak_gbs", dram.config.peak_gbs()},
          {"clock_mhz", dram.clock_mhz}};
}

std::string memory_text(const dram::Setup& dram) {
  const std::string engine = fmt::format("engine at {:.6g} MHz", dram.clock_mhz);
  if (dram.plugin) return fmt::format("plug-in {}; {}", dram.plugin->text(), engine);
  const char* kind = dram.config.is_ideal ? "ideal" : dram::controller_name(dram.config.controller);
  return fmt::format("{}, {}: {:.4g} GB/s; {}", dram.config.name, kind, dram.config.peak_gbs(),
                     engine);
}

Json number_or_null(const std::optional<float>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

WholeScales whole_scales(const job::Products& products, std::optional<float> alpha) {
  const job::Job& job = products.jobs[0];
  const auto of = [](const numerics::MxTensor& tensor) {
    return tensor.tensor_scales.size() == 1 ? std::optional(tensor.tensor_scales[0]) : std::nullopt;
  };
  WholeScales scales{of(job.a), of(job.b), alpha};
  const bool has_rows = job.a.tensor_scales.size() > 1 || job.b.tensor_scales.size() > 1;
  if (!alpha && !has_rows && (scales.a || scales.b)) {
    scales.alpha = scales.a.value_or(1) * scales.b.value_or(1);
  }
  return scales;
}

Json to_json(const job::JobShape& shape, device::Target on, const Params& params) {
  return {{"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"format_a", shape.operand_a().name()},
          {"format_b", shape.operand_b().name()},
          {"out_format", shape.output.name()},
          {"on", device::target_name(on)},
          {"config", params.config_name()}};
}

Json to_json(const MatmulReport& report, const device::DeviceResult& result) {
  Json json = to_json(report.shape, report.on, report.params);
  json.update({{"cycles", nullptr},
               {"counters", Json::object()},
               {"utilization", nullptr},
               {"bytes_read", nullptr},
               {"bytes_written", nullptr},
               {"wall_seconds", result.wall_seconds}});
  if (report.products > 1) json["products"] = report.products;
  if (report.shape.batch > 1) json["batch"] = report.shape.batch;
  const WholeScales& scales = report.scales;
  if (scales.a || scales.b) {
    json["tensor_scale"] = {{"a", number_or_null(scales.a)}, {"b", number_or_null(scales.b)}};
  }
  if (scales.alpha) json["alpha"] = *scales.alpha;
  if (report.explains) json["pair"] = pair_json(report.shape, report.params);
  if (report.on == device::Target::golden) return json;
  if (report.dram) json["memory"] = memory_json(*report.dram);
  json["cycles"] = result.cycles;
  for (const auto& [name, value] : result.counters) json["counters"][name] = value;
  json["utilization"] = device::utilization(report.shape, report.params, result.cycles);
  json["bytes_read"] = result.counter("bytes_read");
  json["bytes_written"] = result.counter("bytes_written");
  return json;
}

void print_text(const MatmulReport& report, const device::DeviceResult& result) {
  fmt::print("[{}, {}] {} times [{}, {}] {} on {}: {:.3f} s\n", report.shape.m, report.shape.k,
             report.shape.operand_a().name(), report.shape.k, report.shape.n,
             report.shape.operand_b().name(), device::target_name(report.on), result.wall_seconds);
  if (report.explains) print_pair(report.shape, report.params);
  if (report.shape.batch > 1) fmt::print("  products       {}, in one job\n", report.shape.batch);
  if (report.products > 1) {
    fmt::print("  products       {}, whose rows are counted together\n", report.products);
  }
  if (report.on == device::Target::golden) return;
  fmt::print("  configuration  {} ({})\n", report.params.config_name(), report.params.to_string());
  if (report.dram) fmt::print("  memory         {}\n", memory_text(*report.dram));
  fmt::print("  cycles         {}\n", result.cycles);
  fmt::print("  utilization    {:.1f} %\n",
             100 * device::utilization(report.shape, report.params, result.cycles));
  explore::Point point;
  point.params = report.params;
  print_bound(device::roofline(report.shape, report.params, report.timing, result),
              static_cast<uint64_t>(explore::compulsory(report.shape, point).feed_cycles));
  print_counters(result);
}

}  // namespace mxe::cli
