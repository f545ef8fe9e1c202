// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/engine_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/gemm/accumulate.h"

namespace mxe::cosim {
namespace {

bool contains(const std::vector<numerics::FormatId>& formats, numerics::FormatId format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

}  // namespace

bool EngineFeatures::has_pair(numerics::FormatId a, numerics::FormatId b) const {
  return contains(formats_a, a) && contains(formats_b, b) &&
         numerics::pair_tree_width(a, b) <= params.tree_w;
}

bool EngineFeatures::has_result(const job::OutputFormat& output) const {
  return std::any_of(results.begin(), results.end(),
                     [&](const job::OutputFormat& r) { return r.code() == output.code(); });
}

std::string EngineFeatures::contradiction(const mxe_capabilities& registers) const {
  const auto differ = [](const char* shown_by, unsigned read, unsigned wanted) {
    return fmt::format("register {} reads {}, the engine's description says {}", shown_by, read,
                       wanted);
  };
  const ParameterValues found = parameters_of(registers);
  for (const ParameterInfo& info : parameter_table) {
    if (found.*(info.field) == params.*(info.field)) continue;
    return differ(info.shown_by, found.*(info.field), params.*(info.field));
  }
  const auto has_kind = [&](job::OutputFormat::Kind kind) {
    return std::any_of(results.begin(), results.end(),
                       [&](const job::OutputFormat& r) { return r.kind == kind; });
  };
  const bool bf16 = bias_bf16 || has_kind(job::OutputFormat::Kind::bf16);
  if (registers.bf16 != bf16) return differ("FEATURES.bf16", registers.bf16, bf16);
  const bool mx_out = has_kind(job::OutputFormat::Kind::mx);
  if (registers.mx_out != mx_out) return differ("FEATURES.mx_out", registers.mx_out, mx_out);
  if (registers.long_blocks != long_blocks) {
    return differ("FEATURES.long_blocks", registers.long_blocks, long_blocks);
  }
  return "";
}

}  // namespace mxe::cosim
