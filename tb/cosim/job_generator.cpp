// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/job_generator.h"

#include <algorithm>
#include <array>

#include "model/numerics/gemm/accumulate.h"
#include "model/params/hardware.h"
#include "mxe_regs.h"

namespace mxe::cosim {
namespace {

template <class T, std::size_t N>
T pick(Random& random, const std::array<T, N>& choices) {
  return choices[random.uniform(0, N - 1)];
}

}  // namespace

JobGenerator::JobGenerator(const EngineFeatures& features, uint64_t seed, const JobMix& mix)
    : features_(features), random_(seed), mix_(mix) {
  if (features.largest_job > 0) mix_.max_work = std::min(mix_.max_work, features.largest_job);
}

JobSpec JobGenerator::next_spec() {
  for (;;) {
    // MXFP4 x MXFP4 has the dual rate, so it is drawn more often.
    const bool dual = random_.one_in(10);
    const numerics::FormatId a =
        dual ? numerics::FormatId::mxfp4_e2m1 : pick(random_, numerics::kAllFormats);
    const numerics::FormatId b = dual ? a : pick(random_, numerics::kAllFormats);
    // One job in mix_.illegal may be illegal, for example with formats that the engine lacks.
    const bool beyond = mix_.illegal != 0 && random_.one_in(mix_.illegal);
    if (beyond || features_.has_pair(a, b)) return next_spec(a, b, beyond);
  }
}

JobSpec JobGenerator::next_spec(numerics::FormatId format_a, numerics::FormatId format_b,
                                bool beyond_features) {
  const Params& params = features_.params;
  JobSpec spec;
  spec.format_a = format_a;
  spec.format_b = format_b;
  do {
    spec.m = extent(params.rows, mix_.max_m);
    spec.n =
        extent(random_.one_in(2) ? params.num_pe : params.num_pe * params.acc_tiles, mix_.max_n);
    spec.k = extent(random_.one_in(2) ? 32 : (random_.one_in(2) ? params.b_buf_k : params.a_slab_k),
                    mix_.max_k);
  } while (spec.m * spec.n * ((spec.k + kBlockSize - 1) / kBlockSize) > mix_.max_work);
  spec.values = pick(random_, kRandomValues);
  spec.seed = random_.next();
  // From a separate random sequence, as the number of products.
  const bool is_e2m1 = format_a == numerics::FormatId::mxfp4_e2m1 && format_b == format_a;
  spec.nvfp4 =
      is_e2m1 && (beyond_features || has_nvfp4(params)) && Random(mix64(spec.seed + 1)).one_in(2);
  const bool two_chains =
      params.fp4_dual != 0 && numerics::is_dual_pair(format_a, format_b) && !spec.nvfp4;
  spec.alpha = (beyond_features || (has_nvfp4(params) && !two_chains)) &&
               Random(mix64(spec.seed + 2)).one_in(4);
  if (!spec.nvfp4 && (beyond_features || features_.long_blocks)) {
    spec.block_a = Random(mix64(spec.seed + 3)).one_in(4) ? 64 : 32;
    spec.block_b = Random(mix64(spec.seed + 4)).one_in(4) ? 64 : 32;
    if (Random(mix64(spec.seed + 5)).one_in(6)) spec.block_a = 128;
    if (Random(mix64(spec.seed + 6)).one_in(6)) spec.block_b = 128;
  }
  if (features_.batches) spec.batch = products(spec);
  spec.in_turn = Random(mix64(~spec.seed)).one_in(6);
  do {
    spec.output = output();
  } while (!beyond_features && !features_.has_result(spec.output));
  if (random_.one_in(2)) spec.bias = random_.one_in(3) ? job::BiasKind::row : job::BiasKind::full;
  if (spec.values == Values::boundaries || spec.values == Values::ties)
    spec.bias = job::BiasKind::full;
  spec.bias_bf16 = random_.one_in(3);
  if (!beyond_features) {
    spec.bias_bf16 = spec.bias_bf16 ? features_.bias_bf16 : !features_.bias_fp32;
    if (!features_.bias_fp32 && !features_.bias_bf16) {
      spec.bias_bf16 = false;
      spec.bias = job::BiasKind::none;
    }
  }
  spec.layout = layout(spec.bias_bf16 ? 2 : 4, spec.output.alignment());
  if (mix_.illegal != 0 && random_.one_in(mix_.illegal)) spec.spoils = spoils(spec);
  return spec;
}

/// Number of products, within mix_.max_work, from a separate random sequence.
std::size_t JobGenerator::products(const JobSpec& spec) const {
  Random random(mix64(spec.seed));
  if (!random.one_in(6)) return 1;
  const std::size_t most =
      mix_.max_work / (spec.m * spec.n * ((spec.k + kBlockSize - 1) / kBlockSize));
  return std::min<std::size_t>(random.uniform(2, 5), std::max<std::size_t>(most, 1));
}

/// Returns one broken rule, sometimes two.
std::vector<Spoil> JobGenerator::spoils(const JobSpec& spec) {
  std::vector<Spoil> spoils;
  const std::size_t count = random_.one_in(3) ? 2 : 1;
  while (spoils.size() < count) {
    const Spoil next = spoil();
    const bool breaks =
        broken_rule(next, spec.bias_bf16 ? 2 : 4, spec.output.alignment()) != MXE_STATUS_OK;
    const bool again = !spoils.empty() && spoils[0].field == next.field && next.field != "reserved";
    if (breaks && !again) spoils.push_back(next);
  }
  return spoils;
}

Spoil JobGenerator::spoil() {
  const std::vector<std::string>& fields = spoil_fields();
  Spoil spoil;
  spoil.field = fields[random_.uniform(0, fields.size() - 1)];
  const bool size = spoil.field == "m" || spoil.field == "n" || spoil.field == "k";
  const bool code = spoil.field.find("format") != std::string::npos;
  const uint32_t largest = spoil.field == "reserved" ? reserved_bits() - 1 : code ? 15 : 3;
  if (!size) spoil.value = static_cast<uint32_t>(random_.uniform(0, largest));
  return spoil;
}

/// A size from 1 to `max`, often a multiple of `tile`, or one more or less.
std::size_t JobGenerator::extent(unsigned tile, unsigned max) {
  if (random_.one_in(3)) return random_.uniform(1, std::min(max, 2 * tile));
  if (random_.one_in(2)) return random_.uniform(1, max);
  const uint64_t multiple = random_.uniform(1, std::max(1u, max / tile)) * tile;
  return std::clamp<uint64_t>(multiple + random_.uniform(0, 2) - 1, 1, max);
}

job::OutputFormat JobGenerator::output() {
  job::OutputFormat output;
  output.requant.format = pick(random_, numerics::kAllFormats);
  output.requant.rule = static_cast<numerics::ScaleRule>(random_.uniform(0, 3));
  output.requant.overflow =
      random_.one_in(2) ? numerics::Overflow::special : numerics::Overflow::saturate;
  const bool fp32 = random_.one_in(3), narrow = random_.one_in(5);
  if (fp32) return output;
  output.kind = job::OutputFormat::Kind::mx;
  if (narrow)
    output.kind = job::number_formats()[random_.uniform(1, job::number_formats().size() - 1)].kind;
  return output;
}

job::JobLayout JobGenerator::layout(unsigned c_alignment, unsigned d_alignment) {
  const auto offset = [this](unsigned alignment) {
    return static_cast<unsigned>(random_.uniform(0, 63) / alignment * alignment);
  };
  const auto gap = [&](unsigned alignment) { return random_.one_in(2) ? 0 : offset(alignment); };
  job::JobLayout l;
  l.a_offset = offset(1);
  l.b_offset = offset(1);
  l.a_scale_offset = offset(1);
  l.b_scale_offset = offset(1);
  l.c_offset = offset(c_alignment);
  l.d_offset = offset(d_alignment);
  l.d_scale_offset = offset(1);
  l.a_gap = gap(1);
  l.b_gap = gap(1);
  l.a_scale_gap = gap(1);
  l.b_scale_gap = gap(1);
  l.c_gap = gap(c_alignment);
  l.d_gap = gap(d_alignment);
  l.d_scale_gap = gap(1);
  l.a_one_row = random_.one_in(24);
  l.b_one_row = random_.one_in(24);
  return l;
}

}  // namespace mxe::cosim
