// SPDX-License-Identifier: Apache-2.0
#include "sw/worker/requests.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/bits.h"
#include "model/params/params.h"
#include "model/platform/device/figures.h"
#include "model/platform/dram/presets.h"

namespace mxe::worker {
namespace {

job::OutputFormat read_output(const Json& request) {
  job::OutputFormat output = job::parse_output_format(request.at("out_format").get<std::string>());
  if (output.kind == job::OutputFormat::Kind::mx) {
    output.requant.rule = numerics::parse_scale_rule(request.at("out_rule").get<std::string>());
    output.requant.overflow =
        numerics::parse_overflow(request.at("out_overflow").get<std::string>());
  }
  return output;
}

class Reader {
 public:
  explicit Reader(const Channel& channel) : channel_(channel) {}

  template <typename T>
  std::vector<T> next(std::size_t count) {
    std::vector<T> values(count);
    channel_.read(offset_, values.data(), count * sizeof(T));
    offset_ += count * sizeof(T);
    return values;
  }

  numerics::MxTensor next_tensor(const numerics::ScaledFormat& format, std::size_t rows,
                                 std::size_t k) {
    numerics::MxTensor tensor{format.element, rows, k, {}, {}, format.scales};
    tensor.codes = next<uint8_t>(rows * k);
    tensor.scales = next<uint8_t>(rows * tensor.scale_columns());
    return tensor;
  }

 private:
  const Channel& channel_;
  uint64_t offset_ = 0;
};

/// Without the key, `number` remains. Values above 32 bits become UINT32_MAX, rejected later.
void read_number(const Json& request, const char* name, unsigned& number) {
  const uint64_t asked = request.value(name, uint64_t{number});
  number = static_cast<unsigned>(std::min<uint64_t>(asked, UINT32_MAX));
}

}  // namespace

EngineRequest read_engine(const Json& request) {
  EngineRequest engine;
  device::EngineSetup& setup = engine.setup;
  engine.target = device::parse_engine(request.at("target").get<std::string>());
  setup.params = Params::load(request.at("config").get<std::string>());
  for (const Json& assignment : request.at("parameters")) {
    setup.params.set(assignment.get<std::string>());
  }
  setup.params.validate();
  read_number(request, "mem_latency", setup.timing.latency);
  if (request.contains("mem_bytes_per_cycle")) {
    setup.timing.bytes_per_cycle = std::stod(request["mem_bytes_per_cycle"].get<std::string>());
  }
  setup.timing.jitter_seed = request.value("mem_jitter", setup.timing.jitter_seed);
  if (request.contains("memory")) {
    setup.dram = dram::Setup{dram::load_config(request["memory"].get<std::string>())};
    if (request.contains("clock_mhz")) {
      setup.dram->clock_mhz = std::stod(request["clock_mhz"].get<std::string>());
    }
    setup.dram->validate();
    setup.timing = setup.dram->ideal_timing();
  }
  setup.timing.validate();
  read_number(request, "mem_outstanding_reads", setup.ports.reads);
  read_number(request, "mem_outstanding_writes", setup.ports.writes);
  setup.ports.validate();
  if (request.value("cycles_only", false)) setup.mode = engine::Mode::timing;
  setup.rtl = request.value("rtl", std::string());
  return engine;
}

job::JobShape read_shape(const Json& request) {
  job::JobShape shape;
  shape.m = request.at("m").get<std::size_t>();
  shape.n = request.at("n").get<std::size_t>();
  shape.k = request.at("k").get<std::size_t>();
  shape.format_a = numerics::parse_format(request.at("format_a").get<std::string>());
  shape.format_b = numerics::parse_format(request.at("format_b").get<std::string>());
  shape.output = read_output(request);
  shape.scales_a.block = request.value("block_a", kBlockSize);
  shape.scales_b.block = request.value("block_b", kBlockSize);
  if (request.value("nvfp4", false)) shape.scales_a = shape.scales_b = numerics::kNvfp4Scales;
  if (request.contains("alpha_bits")) {
    shape.alpha = from_bits(request["alpha_bits"].get<uint32_t>());
  }
  if (request.value("bias_row", false)) shape.bias = job::BiasKind::row;
  return shape;
}

job::Products read_products(const Json& request, const Channel& channel) {
  const job::JobShape shape = read_shape(request);
  numerics::Batches batches;
  batches.m = shape.m;
  batches.n = shape.n;
  batches.k = shape.k;
  batches.a_count = request.at("a_count").get<std::size_t>();
  batches.b_count = request.at("b_count").get<std::size_t>();
  batches.pairs = request.at("pairs").get<decltype(batches.pairs)>();
  const std::size_t count = batches.b_count == 1 ? 1 : batches.pairs.size();
  batches.shape = {count * shape.m, shape.n};
  Reader reader(channel);
  const numerics::MxTensor a =
      reader.next_tensor(shape.operand_a(), batches.a_count * shape.m, shape.k);
  const numerics::MxTensor b =
      reader.next_tensor(shape.operand_b(), batches.b_count * shape.n, shape.k);
  job::Products products = job::make_products(a, b, batches);
  for (job::Job& job : products.jobs) {
    job.output = shape.output;
    job.alpha = shape.alpha;
  }
  if (const auto bias = request.at("bias").get<std::size_t>()) {
    products.add_bias(reader.next<float>(bias), request.at("bias_one_row").get<bool>(),
                      request.at("bias_bf16").get<bool>());
  }
  return products;
}

Json describe(const EngineRequest& engine) {
  const Params& params = engine.setup.params;
  Json parameters = Json::object();
  for (const ParameterInfo& info : parameter_table) parameters[info.name] = params.*(info.field);
  return {{"target", device::target_name(engine.target)},
          {"config", params.config_name()},
          {"parameters", parameters},
          {"mem_latency", engine.setup.timing.latency},
          {"mem_bytes_per_cycle", engine.setup.timing.bytes_per_cycle},
          {"mem_jitter", engine.setup.timing.jitter_seed},
          {"mem_outstanding_reads", engine.setup.ports.reads},
          {"mem_outstanding_writes", engine.setup.ports.writes}};
}

Json describe(const device::DeviceResult& result, const job::JobShape& shape,
              const device::EngineSetup& setup) {
  Json counters = Json::object();
  for (const auto& [name, value] : result.counters) counters[name] = value;
  const device::Roofline roof = device::roofline(shape, setup.params, setup.timing, result);
  return {{"cycles", result.cycles},
          {"counters", counters},
          {"utilization", device::utilization(shape, setup.params, result.cycles)},
          {"bound", roof.compute_bound() ? "compute" : "memory"},
          {"compute_cycles", roof.compute},
          {"memory_cycles", roof.memory},
          {"wall_seconds", result.wall_seconds}};
}

}  // namespace mxe::worker
