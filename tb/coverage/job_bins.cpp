// SPDX-License-Identifier: Apache-2.0
#include "tb/coverage/job_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "model/numerics/gemm/accumulate.h"
#include "tb/cosim/job_spec.h"

namespace mxe::coverage {
namespace {

using Names = std::vector<std::string>;

const std::string& name_of(numerics::FormatId format) {
  return numerics::element_format(format).name;
}

Names format_names() {
  Names names;
  for (const numerics::FormatId format : numerics::kAllFormats) names.push_back(name_of(format));
  return names;
}

std::string element_class(numerics::FormatId format, uint8_t code) {
  const numerics::ElementFormat& f = numerics::element_format(format);
  const uint32_t bits = code & f.code_mask();
  const double value = f.decode(bits);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return "infinity";
  if (value == 0) return bits == 0 ? "zero" : "negative zero";
  if (std::abs(value) == f.max) return "largest";
  if (std::abs(value) > f.max) return "beyond the largest";  // -2 of mxint8
  if (f.kind == numerics::FormatKind::floating && std::abs(value) < f.min_normal)
    return "subnormal";
  return "normal";
}

const std::array<std::string, 256>& element_classes(numerics::FormatId format) {
  static const auto kClasses = [] {
    std::array<std::array<std::string, 256>, numerics::kAllFormats.size()> all;
    for (const numerics::FormatId id : numerics::kAllFormats) {
      for (unsigned code = 0; code < 256; code++) {
        all[static_cast<std::size_t>(id)][code] = element_class(id, static_cast<uint8_t>(code));
      }
    }
    return all;
  }();
  return kClasses[static_cast<std::size_t>(format)];
}

Names classes_of(numerics::FormatId format) {
  const std::array<std::string, 256>& classes = element_classes(format);
  const std::set<std::string> once(classes.begin(), classes.end());
  return Names(once.begin(), once.end());
}

std::set<std::string> classes_in(numerics::FormatId format, const std::vector<uint8_t>& codes) {
  std::array<bool, 256> seen{};
  for (const uint8_t code : codes) seen[code] = true;
  std::set<std::string> classes;
  for (unsigned code = 0; code < 256; code++) {
    if (seen[code]) classes.insert(element_classes(format)[code]);
  }
  return classes;
}

const Names kOperandScales = {"0", "1", "127", "254", "NaN", "others"};

std::string operand_scale(uint8_t scale) {
  if (scale == numerics::kNanScale) return "NaN";
  const std::string number = std::to_string(scale);
  const bool special =
      std::find(kOperandScales.begin(), kOperandScales.end(), number) != kOperandScales.end();
  return special ? number : "others";
}

const Names kNvfp4Scales = {"zero", "subnormal", "1", "normal", "largest", "NaN", "negative"};

std::string nvfp4_scale(uint8_t scale) {
  constexpr uint8_t kOne = 0x38, kLargest = 0x7E, kNan = 0x7F, kFirstNormal = 8;
  if (scale == 0) return "zero";
  if (scale < kFirstNormal) return "subnormal";
  if (scale > kNan) return "negative";
  if (scale == kNan) return "NaN";
  if (scale == kLargest) return "largest";
  return scale == kOne ? "1" : "normal";
}

Names number_names() {
  Names names;
  for (const job::NumberFormat& format : job::number_formats()) names.emplace_back(format.name);
  return names;
}

Names kind_names() {
  Names names;
  for (const job::OutputFormat::Kind kind : job::output_kinds())
    names.emplace_back(job::kind_name(kind));
  return names;
}

const Names kNumberClasses = {"zero",    "negative zero",     "subnormal", "normal",
                              "largest", "negative infinity", "infinity",  "NaN"};

std::string number_class(float x, const job::NumberFormat& format) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "infinity" : "negative infinity";
  if (x == 0) return std::signbit(x) ? "negative zero" : "zero";
  if (std::abs(x) == format.largest) return "largest";
  return std::abs(x) < format.smallest ? "subnormal" : "normal";
}

void hit_all(Bins& bins, const std::string& group, const std::string& prefix,
             const std::set<std::string>& classes) {
  for (const std::string& c : classes) bins.hit(group, prefix + ", " + c);
}

const char* const kPairs = "pair x data";
const char* const kElements = "operand elements";
const char* const kScales = "operand scales";
const char* const kNvfp4 = "nvfp4 x data";
const char* const kScalesOfNvfp4 = "nvfp4 scales";
const char* const kBlocks = "blocks of scales";
const char* const kAlpha = "alpha x bias";
const char* const kAlphaNumbers = "alpha numbers";
const char* const kBias = "bias x results";
const char* const kBiasNumbers = "bias numbers";

const Names kBiasForms = {"no bias", "row, fp32", "row, bf16", "full, fp32", "full, bf16"};

void define_operands(Bins& bins) {
  Names data;
  for (const cosim::Values values : cosim::kRandomValues)
    data.emplace_back(cosim::to_string(values));
  bins.define("format of A", "Every element format multiplied as A.", ShortRun::all,
              format_names());
  bins.define("format of B", "Every element format multiplied as B.", ShortRun::all,
              format_names());
  bins.define(kPairs, "Every pair of formats with every kind of data.", ShortRun::some,
              cross({cross({format_names(), format_names()}, " x "), data}));
  Names elements, scales;
  for (const std::string operand : {"A", "B"}) {
    for (const numerics::FormatId format : numerics::kAllFormats) {
      for (const std::string& c : classes_of(format)) {
        elements.push_back(operand + ", " + name_of(format) + ", " + c);
      }
      elements.push_back(operand + ", " + name_of(format) + ", block of zeros");
    }
  }
  bins.define(kElements, "Every kind of code of every format, in operands of jobs.", ShortRun::some,
              elements);
  bins.define(kScales, "Scales of the operands' blocks.", ShortRun::all,
              cross({{"A", "B"}, kOperandScales}));
  bins.define(kNvfp4, "Products of two NVFP4 operands with every kind of data.", ShortRun::some,
              data);
  bins.define(kScalesOfNvfp4, "Scales of blocks of NVFP4; the codes from 0x80 on are negative.",
              ShortRun::some, cross({{"A", "B"}, kNvfp4Scales}));
  bins.define(kBlocks,
              "Blocks of E8M0 scales of A and B at both rates, with K beyond a block or not.",
              ShortRun::some,
              cross({cross({{"32", "64", "128"}, {"32", "64", "128"}}, " x "),
                     {"4-bit pair", "other pair"},
                     {"one block", "more"}}));
  bins.define(kAlpha, "ALPHA with both kinds of operands and every form of bias.", ShortRun::some,
              cross({{"mx", "nvfp4"}, {"no alpha", "alpha"}, kBiasForms}));
  bins.define(kAlphaNumbers, "Every kind of number as ALPHA.", ShortRun::some, kNumberClasses);
  bins.define(kBias, "Every form of bias with every form of results.", ShortRun::some,
              cross({kBiasForms, kind_names()}));
  bins.define(kBiasNumbers, "Every kind of number in a bias.", ShortRun::some,
              cross({{"fp32", "bf16"}, kNumberClasses}));
}

bool has_zero_block(const numerics::MxTensor& t) {
  for (std::size_t row = 0; row < t.rows; row++) {
    for (std::size_t k = 0; k < t.k; k += t.layout.block) {
      const uint8_t* begin = &t.codes[row * t.k + k];
      const uint8_t* end = begin + std::min<std::size_t>(t.layout.block, t.k - k);
      if (std::all_of(begin, end, [](uint8_t code) { return code == 0; })) return true;
    }
  }
  return false;
}

void sample_operand(const std::string& name, const numerics::MxTensor& tensor, Bins& bins) {
  const std::string prefix = name + ", " + name_of(tensor.format);
  bins.hit("format of " + name, name_of(tensor.format));
  hit_all(bins, kElements, prefix, classes_in(tensor.format, tensor.codes));
  if (has_zero_block(tensor)) bins.hit(kElements, prefix + ", block of zeros");
  const bool is_nvfp4 = tensor.layout == numerics::kNvfp4Scales;
  std::set<std::string> scales;
  for (const uint8_t scale : tensor.scales) {
    scales.insert(is_nvfp4 ? nvfp4_scale(scale) : operand_scale(scale));
  }
  hit_all(bins, is_nvfp4 ? kScalesOfNvfp4 : kScales, name, scales);
}

void sample_operands(const cosim::CosimJob& job, Bins& bins) {
  sample_operand("A", job.a, bins);
  sample_operand("B", job.b, bins);
  // Values of directed cases have no bin.
  const bool random =
      std::any_of(cosim::kRandomValues.begin(), cosim::kRandomValues.end(),
                  [&](cosim::Values v) { return job.values == cosim::to_string(v); });
  const bool is_nvfp4 = job.shape().is_nvfp4();
  if (random) {
    bins.hit(kPairs,
             fmt::format("{} x {}, {}", name_of(job.a.format), name_of(job.b.format), job.values));
    if (is_nvfp4) bins.hit(kNvfp4, job.values);
  }
  if (!is_nvfp4) {
    const unsigned block = std::max(job.a.layout.block, job.b.layout.block);
    bins.hit(kBlocks, fmt::format("{} x {}, {}, {}", job.a.layout.block, job.b.layout.block,
                                  numerics::is_dual_pair(job.a.format, job.b.format) ? "4-bit pair"
                                                                                     : "other pair",
                                  job.k() <= block ? "one block" : "more"));
  }
  const char* width = job.bias_bf16 ? "bf16" : "fp32";
  const std::string form = job.bias.empty()
                               ? "no bias"
                               : fmt::format("{}, {}", job.bias_one_row ? "row" : "full", width);
  bins.hit(kBias, form + ", " + job::kind_name(job.output.kind));
  bins.hit(kAlpha, fmt::format("{}, {}, {}", is_nvfp4 ? "nvfp4" : "mx",
                               job.alpha ? "alpha" : "no alpha", form));
  if (job.alpha) bins.hit(kAlphaNumbers, number_class(*job.alpha, job::bias_format(false)));
  const job::NumberFormat& numbers = job::bias_format(job.bias_bf16);
  std::set<std::string> classes;
  for (const float x : job.bias) classes.insert(number_class(x, numbers));
  hit_all(bins, kBiasNumbers, width, classes);
}

const char* const kOutputs = "output x rule x special";
const char* const kResults = "results";
const char* const kResultScales = "result scales";
const char* const kResultElements = "result elements";

const Names kRules = [] {
  Names names;
  for (const numerics::ScaleRule rule : numerics::kAllScaleRules)
    names.emplace_back(scale_rule_name(rule));
  return names;
}();
const Names kOverflows = {"saturate", "special"};

std::string overflow_name(const job::OutputFormat& output) {
  return kOverflows[static_cast<std::size_t>(output.requant.overflow)];
}
std::string rule_name(const job::OutputFormat& output) {
  return numerics::scale_rule_name(output.requant.rule);
}

void define_results(Bins& bins) {
  Names outputs = number_names();
  const Names mx = cross({format_names(), kRules, kOverflows});
  outputs.insert(outputs.end(), mx.begin(), mx.end());
  bins.define(kOutputs, "Every format of results with every rule for scales and for overflow.",
              ShortRun::some, outputs);
  bins.define("format of D", "Every format of results.", ShortRun::all, [] {
    Names names;
    for (const job::OutputFormat& output : job::all_output_formats())
      names.push_back(output.name());
    return names;
  }());
  bins.define(kResults, "Every kind of number among results that are numbers.", ShortRun::some,
              cross({number_names(), kNumberClasses}));
  Names scales, elements;
  for (const numerics::FormatId format : numerics::kAllFormats) {
    const numerics::ElementFormat& f = numerics::element_format(format);
    Names codes = {"0", "1 to 253", "NaN"};
    // Sums have exponents up to 127, so scale code 254 needs a format with emax 0.
    if (f.emax == 0) codes.insert(codes.end() - 1, "254");
    for (const std::string& bin : cross({{f.name}, kRules, codes})) scales.push_back(bin);
    for (const std::string& overflow : kOverflows) {
      Names classes = {"zero", "normal", "largest", "beyond the largest"};
      if (f.kind == numerics::FormatKind::floating) {
        classes.insert(classes.end(), {"negative zero", "subnormal"});
      }
      if (overflow == "special" && f.has_inf) classes.emplace_back("infinity");
      if (overflow == "special" && f.has_nan && !f.has_inf) classes.emplace_back("NaN");
      for (const std::string& bin : cross({{f.name}, {overflow}, classes})) elements.push_back(bin);
    }
  }
  bins.define(kResultScales, "Scales of MX results.", ShortRun::some, scales);
  bins.define(kResultElements,
              "Every kind of element of MX results; beyond the largest as SATURATIONS counts it.",
              ShortRun::some, elements);
}

/// Bytes of row `row` of a part, after the job.
const uint8_t* row_of(const cosim::JobImage& image, const cosim::JobOutcome& outcome,
                      const char* part, std::size_t row) {
  return outcome.memory.data() + image.index_of(image.byte_of(part, row, 0).value());
}

void sample_numbers(const cosim::CosimJob& job, const cosim::JobImage& image,
                    const cosim::JobOutcome& outcome, Bins& bins) {
  const job::NumberFormat& format = *job.output.numbers();
  std::set<std::string> classes;
  for (std::size_t row = 0; row < job.a.rows; row++) {
    for (const float x : job::load_numbers(format, row_of(image, outcome, "D", row), job.n())) {
      classes.insert(number_class(x, format));
    }
  }
  hit_all(bins, kResults, job::kind_name(job.output.kind), classes);
}

std::string result_scale(uint8_t scale) {
  if (scale == numerics::kNanScale) return "NaN";
  return scale == 0 || scale == 254 ? std::to_string(scale) : "1 to 253";
}

void sample_blocks(const cosim::CosimJob& job, const cosim::JobImage& image,
                   const cosim::JobOutcome& outcome, uint64_t saturations, Bins& bins) {
  const numerics::FormatId format = job.output.requant.format;
  const std::string rule = name_of(format) + ", " + rule_name(job.output);
  const std::string overflow = name_of(format) + ", " + overflow_name(job.output);
  std::set<std::string> scales, elements;
  for (std::size_t row = 0; row < job.a.rows; row++) {
    const uint8_t* codes = row_of(image, outcome, "D", row);
    const std::set<std::string> classes =
        classes_in(format, numerics::unpack_rows(format, codes, 1, job.n(), 0));
    elements.insert(classes.begin(), classes.end());
    const uint8_t* scale = row_of(image, outcome, "scales of D", row);
    for (std::size_t i = 0; i < job.output.scale_bytes(job.n()); i++) {
      scales.insert(result_scale(scale[i]));
    }
  }
  hit_all(bins, kResultScales, rule, scales);
  hit_all(bins, kResultElements, overflow, elements);
  if (saturations != 0) bins.hit(kResultElements, overflow + ", beyond the largest");
}

void sample_results(const cosim::CosimJob& job, const cosim::JobImage& image,
                    const cosim::Expectation& expected, const cosim::JobOutcome& outcome,
                    Bins& bins) {
  bins.hit("format of D", job.output.name());
  if (job.output.kind != job::OutputFormat::Kind::mx) {
    bins.hit(kOutputs, job.output.name());
    sample_numbers(job, image, outcome, bins);
    return;
  }
  bins.hit(kOutputs, fmt::format("{}, {}, {}", job.output.name(), rule_name(job.output),
                                 overflow_name(job.output)));
  sample_blocks(job, image, outcome, expected.counts.saturations, bins);
}

const char* const kEdges = "shape x configuration";
const char* const kProducts = "products x configuration";
const char* const kWalks = "loop nest x configuration";

const Names kEdgeClasses = {"1", "less", "one less", "exact", "one more", "multiple", "more"};
const std::array<const char*, 6> kEdgeNames = {"M in tiles", "N in tiles", "N in groups",
                                               "K in words", "K in slabs", "K in chunks"};

std::string edge_class(std::size_t size, std::size_t tile) {
  if (size == tile) return "exact";
  if (size + 1 == tile) return "one less";
  if (size == tile + 1) return "one more";
  if (size == 1) return "1";
  if (size < tile) return "less";
  return size % tile == 0 ? "multiple" : "more";
}

void define_shapes(Bins& bins) {
  const Names configs(config_names().begin(), config_names().end());
  bins.define(
      kEdges,
      "Sizes of jobs relative to those of the engine: rows of a tile, columns of a tile and of "
      "a group, elements of K in a word, in a slab of B and in a chunk of A.",
      ShortRun::some, cross({configs, Names(kEdgeNames.begin(), kEdgeNames.end()), kEdgeClasses}));
  bins.define(kProducts, "How many products a job has, with how many stripes and groups of tiles.",
              ShortRun::some,
              cross({configs,
                     {"one product", "several products"},
                     {"one stripe", "several stripes"},
                     {"one group", "several groups"}}));
  bins.define(kWalks, "Which levels of the loop nest a job walks.", ShortRun::some,
              cross({configs,
                     {"one stripe", "several stripes"},
                     {"one tile", "one group", "several groups"},
                     {"one word", "one slab", "one chunk", "several chunks"},
                     {"single rate", "dual rate"}}));
}

const char* const kLayouts = "layout";

struct LayoutPart {
  const char* name;
  unsigned job::JobLayout::*offset;
  unsigned job::JobLayout::*gap;
};
constexpr std::array<LayoutPart, 7> kParts = {{
    {"A", &job::JobLayout::a_offset, &job::JobLayout::a_gap},
    {"scales of A", &job::JobLayout::a_scale_offset, &job::JobLayout::a_scale_gap},
    {"B", &job::JobLayout::b_offset, &job::JobLayout::b_gap},
    {"scales of B", &job::JobLayout::b_scale_offset, &job::JobLayout::b_scale_gap},
    {"C", &job::JobLayout::c_offset, &job::JobLayout::c_gap},
    {"D", &job::JobLayout::d_offset, &job::JobLayout::d_gap},
    {"scales of D", &job::JobLayout::d_scale_offset, &job::JobLayout::d_scale_gap},
}};

void define_layout(Bins& bins) {
  Names names;
  for (const LayoutPart& part : kParts) names.emplace_back(part.name);
  Names all = cross({names, {"aligned", "odd start"}, {"no gaps", "gaps"}});
  for (const char* part : {"A", "B", "C"}) all.push_back(std::string(part) + ", stride 0");
  bins.define(kLayouts, "Where the parts of a job start, and what lies between their rows.",
              ShortRun::some, all);
}

void sample_layout(const cosim::CosimJob& job, const cosim::JobImage& image, unsigned beat,
                   Bins& bins) {
  for (const LayoutPart& part : kParts) {
    if (!image.byte_of(part.name, 0, 0)) continue;
    const bool odd = job.layout.*part.offset % beat != 0;
    bins.hit(kLayouts, fmt::format("{}, {}, {}", part.name, odd ? "odd start" : "aligned",
                                   job.layout.*part.gap == 0 ? "no gaps" : "gaps"));
  }
  if (job.layout.a_one_row) bins.hit(kLayouts, "A, stride 0");
  if (job.layout.b_one_row) bins.hit(kLayouts, "B, stride 0");
  if (!job.bias.empty() && job.bias_one_row) bins.hit(kLayouts, "C, stride 0");
}

}  // namespace

void JobBins::define(Bins& bins) {
  define_operands(bins);
  define_results(bins);
  define_shapes(bins);
  define_layout(bins);
}

void JobBins::sample(const cosim::CosimJob& job, const cosim::JobImage& image,
                     const cosim::Expectation& expected, const cosim::JobOutcome& outcome,
                     Bins& bins) const {
  sample_operands(job, bins);
  sample_results(job, image, expected, outcome, bins);
  sample_shape(job, bins);
  sample_layout(job, image, params_.mem_bytes(), bins);
}

void JobBins::sample_shape(const cosim::CosimJob& job, Bins& bins) const {
  const std::string config = params_.config_name();
  if (config == "custom") return;
  const bool dual = params_.fp4_dual != 0 && numerics::is_dual_pair(job.a.format, job.b.format);
  // At the dual rate a word has twice as many elements.
  const std::size_t rate = dual ? 2 : 1, word = kBlockSize * rate;
  const std::size_t group = params_.num_pe * params_.acc_tiles;
  const std::size_t slab = params_.b_buf_k * rate, chunk = params_.a_slab_k * rate;
  // In the order of kEdgeNames: a size of the job and the corresponding size of the engine.
  const std::array<std::pair<std::size_t, std::size_t>, 6> edges = {{{job.m(), params_.rows},
                                                                     {job.n(), params_.num_pe},
                                                                     {job.n(), group},
                                                                     {job.k(), word},
                                                                     {job.k(), slab},
                                                                     {job.k(), chunk}}};
  for (std::size_t i = 0; i < edges.size(); i++) {
    const auto [size, tile] = edges[i];
    bins.hit(kEdges, fmt::format("{}, {}, {}", config, kEdgeNames[i], edge_class(size, tile)));
  }
  const std::string columns = job.n() > group            ? "several groups"
                              : job.n() > params_.num_pe ? "one group"
                                                         : "one tile";
  const std::string along_k = job.k() > chunk  ? "several chunks"
                              : job.k() > slab ? "one chunk"
                              : job.k() > word ? "one slab"
                                               : "one word";
  const char* const stripes = job.m() > params_.rows ? "several stripes" : "one stripe";
  bins.hit(kProducts,
           fmt::format("{}, {}, {}, {}", config, job.batch > 1 ? "several products" : "one product",
                       stripes, job.n() > group ? "several groups" : "one group"));
  bins.hit(kWalks, fmt::format("{}, {}, {}, {}, {}", config, stripes, columns, along_k,
                               dual ? "dual rate" : "single rate"));
}

}  // namespace mxe::coverage
