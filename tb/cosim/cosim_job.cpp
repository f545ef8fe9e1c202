// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/cosim_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/params/hardware.h"
#include "mxe_regs.h"

namespace mxe::cosim {

JobCounts& JobCounts::operator+=(const JobCounts& other) {
  blocks += other.blocks;
  nan_results += other.nan_results;
  saturations += other.saturations;
  bytes_written += other.bytes_written;
  return *this;
}

std::string CosimJob::describe() const {
  const job::JobLayout& l = layout;
  const auto format = [](numerics::FormatId id) { return numerics::element_format(id).name; };
  std::string text = batch == 1 ? "" : fmt::format("{} of ", batch);
  text += fmt::format("{}x{}x{} {} x {}", m(), n(), k(), format(a.format), format(b.format));
  if (shape().is_nvfp4()) text += " of nvfp4";
  if (!bias.empty()) {
    text += fmt::format(" + {}bias{}", bias_bf16 ? "bf16 " : "", bias_one_row ? " row" : "");
  }
  if (alpha) text += fmt::format(" times {:#010x}", to_bits(*alpha));
  text += fmt::format(" -> {}", output.name());
  if (output.kind == job::OutputFormat::Kind::mx) {
    text += fmt::format(" ({}{})", numerics::scale_rule_name(output.requant.rule),
                        output.requant.overflow == numerics::Overflow::special ? ", special" : "");
  }
  if (in_turn) text += ", in turn";
  if (claims.any()) {
    text += fmt::format(", as {}x{}x{}", claims.m ? claims.m : m(), claims.n ? claims.n : n(),
                        claims.k ? claims.k : k());
  }
  for (const Spoil& spoil : spoils)
    text += fmt::format(", {} broken by {}", spoil.field, spoil.value);
  return text + fmt::format(
                    ", {} values, offsets a{} b{} as{} bs{} c{} d{} ds{}, gaps a{} b{} as{} bs{} "
                    "c{} d{} ds{}{}{}",
                    values, l.a_offset, l.b_offset, l.a_scale_offset, l.b_scale_offset, l.c_offset,
                    l.d_offset, l.d_scale_offset, l.a_gap, l.b_gap, l.a_scale_gap, l.b_scale_gap,
                    l.c_gap, l.d_gap, l.d_scale_gap, l.a_one_row ? ", one row of A" : "",
                    l.b_one_row ? ", one row of B" : "");
}

uint32_t CosimJob::refused_with(const EngineFeatures& engine) const {
  uint32_t first = MXE_STATUS_OK;
  const auto add = [&](uint32_t status) {
    if (status != MXE_STATUS_OK && (first == MXE_STATUS_OK || status < first)) first = status;
  };
  for (const Spoil& spoil : spoils) add(broken_rule(spoil, bias_bf16 ? 2 : 4, output.alignment()));
  if (batch != 1 && !engine.batches) add(MXE_STATUS_ERR_DESCRIPTOR);
  if (!engine.has_bias(!bias.empty(), bias_bf16)) add(MXE_STATUS_ERR_DESCRIPTOR);
  const bool has_scales = !shape().is_nvfp4() || has_nvfp4(engine.params);
  const bool has_alpha =
      !alpha || (has_nvfp4(engine.params) && !shape().has_two_chains(engine.params));
  const bool has_blocks = engine.long_blocks || shape().is_nvfp4() ||
                          (a.layout.block == kBlockSize && b.layout.block == kBlockSize);
  if (!has_alpha || !has_scales || !has_blocks || !engine.has_pair(a.format, b.format))
    add(MXE_STATUS_ERR_PAIR);
  if (!engine.has_result(output)) add(MXE_STATUS_ERR_OUT_FORMAT);
  return first;
}

JobResult CosimJob::expected(bool fp4_dual) const {
  const std::vector<float> results = sums(job::engine_sums(fp4_dual));
  JobResult golden;
  golden.stored = job::store_output(results, a.rows, n(), output);
  golden.counts.blocks = a.rows * n() * ((k() + kBlockSize - 1) / kBlockSize);
  golden.counts.nan_results = static_cast<uint64_t>(
      std::count_if(results.begin(), results.end(), [](float x) { return std::isnan(x); }));
  golden.counts.saturations = golden.stored.saturations;
  golden.counts.bytes_written =
      golden.stored.bytes.size() + golden.stored.scales.size() + kRecordBytes;
  return golden;
}

}  // namespace mxe::cosim
