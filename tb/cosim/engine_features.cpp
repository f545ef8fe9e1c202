#include "tb/cosim/engine_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/accumulate.h"

namespace mxe {
namespace {

bool contains(const std::vector<mx::FormatId>& formats, mx::FormatId format) {
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

}  // namespace

std::vector<OutputFormat> EngineFeatures::all_results() {
  std::vector<OutputFormat> all(2);
  all[1].kind = OutputFormat::Kind::bf16;
  for (const mx::FormatId format : mx::kAllFormats) {
    OutputFormat output;
    output.kind = OutputFormat::Kind::mx;
    output.requant.format = format;
    all.push_back(output);
  }
  return all;
}

bool EngineFeatures::has_pair(mx::FormatId a, mx::FormatId b) const {
  return contains(formats_a, a) && contains(formats_b, b) &&
         mx::pair_tree_width(a, b) <= params.tree_w;
}

bool EngineFeatures::has_result(const OutputFormat& output) const {
  return std::any_of(results.begin(), results.end(),
                     [&](const OutputFormat& r) { return r.code() == output.code(); });
}

std::string EngineFeatures::contradiction(const mxe_capabilities& registers) const {
  struct Pair {
    const char* name;
    unsigned found, wanted;
  };
  const auto has_kind = [&](OutputFormat::Kind kind) -> unsigned {
    return std::any_of(results.begin(), results.end(),
                       [&](const OutputFormat& r) { return r.kind == kind; });
  };
  const Pair pairs[] = {
      {"NUM_PE", registers.num_pe, params.num_pe},
      {"ROWS", registers.rows, params.rows},
      {"ACC_TILES", registers.acc_tiles, params.acc_tiles},
      {"TREE_W", registers.tree_w, params.tree_w},
      {"A_SLAB_K", registers.a_slab_k, params.a_slab_k},
      {"B_BUF_K", registers.b_buf_k, params.b_buf_k},
      {"MEM_W", registers.mem_w, params.mem_w},
      {"QUEUE_DEPTH", registers.queue_depth, params.queue_depth},
      {"MAX_BURST", registers.max_burst, params.max_burst},
      {"FEATURES.fp4_dual", registers.fp4_dual, params.fp4_dual},
      {"FEATURES.bf16", registers.bf16, bias_bf16 || has_kind(OutputFormat::Kind::bf16)},
      {"FEATURES.mx_out", registers.mx_out, has_kind(OutputFormat::Kind::mx)},
  };
  for (const Pair& pair : pairs) {
    if (pair.found == pair.wanted) continue;
    return fmt::format("register {} reads {}, the engine's description says {}", pair.name,
                       pair.found, pair.wanted);
  }
  return "";
}

}  // namespace mxe
