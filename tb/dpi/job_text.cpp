// SPDX-License-Identifier: Apache-2.0
#include "tb/dpi/job_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/error.h"
#include "model/numerics/quantize/axis_view.h"
#include "mxe_regs.h"

namespace mxe::dpi {
namespace {

constexpr const char* kParts = "a, b, c, d, a_scale, b_scale, d_scale";

float read_float(const std::string& name, const std::string& text) {
  if (const auto bits = whole_number(text); bits && text.rfind("0x", 0) == 0) {
    if (*bits <= UINT32_MAX) return from_bits(static_cast<uint32_t>(*bits));
  } else {
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (!text.empty() && *end == '\0') return value;
  }
  throw Error(fmt::format("{}={} (allowed: a decimal number, or 0x and 32 bits)", name, text));
}

template <typename Value>
Value choose(Words& words, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& choices) {
  const std::string word = words.text(name, choices[0].first);
  std::string allowed;
  for (const auto& [text, value] : choices) {
    if (word == text) return value;
    allowed += (allowed.empty() ? "" : ", ") + text;
  }
  throw Error(fmt::format("{}={} (allowed: {})", name, word, allowed));
}

job::OutputFormat read_results(Words& words) {
  job::OutputFormat output = job::parse_output_format(words.text("results", "fp32"));
  output.requant = read_requantizer(words, output.requant.format);
  return output;
}

}  // namespace

void require_count(const char* name, const void* data, std::size_t count, std::size_t expected) {
  if (expected == 0 && count == 1) return;
  if (count != expected) {
    throw Error(fmt::format("{} has {} elements (allowed: {})", name, count, expected));
  }
  if (!data && count > 0) {
    throw Error(fmt::format("{} is null (allowed: an array of {})", name, expected));
  }
}

numerics::MxTensor tensor_of(const numerics::ScaledFormat& format, std::size_t rows, std::size_t k,
                             Array<const uint8_t> codes, Array<const uint8_t> scales) {
  codes = sized(codes, numerics::element_count({rows, k}));
  scales = sized(scales, numerics::element_count({rows, format.scales.columns(k)}));
  const uint32_t mask = numerics::element_shape(format.element).code_mask();
  const auto wrong = std::find_if(codes.begin(), codes.end(), [=](uint8_t c) { return c > mask; });
  if (wrong != codes.end()) {
    throw Error(fmt::format("{}[{}] is {:#x} (allowed in {}: 0x0 to {:#x})", codes.name,
                            wrong - codes.begin(), *wrong, format.name(), mask));
  }
  numerics::MxTensor tensor;
  tensor.format = format.element;
  tensor.layout = format.scales;
  tensor.rows = rows;
  tensor.k = k;
  tensor.codes.assign(codes.begin(), codes.end());
  tensor.scales.assign(scales.begin(), scales.end());
  return tensor;
}

numerics::ScaledFormat read_operand(Words& words, const std::string& suffix) {
  const std::string format = words.text("format" + suffix, "mxfp8_e4m3");
  const std::string block = words.text("block" + suffix, "");
  if (block.empty()) return numerics::parse_scaled_format(format, {});
  if (block == "none") return {numerics::parse_format(format), {numerics::ScaleKind::none}};
  const auto size = whole_number(block);
  if (!size || *size > UINT32_MAX) {
    throw Error(fmt::format("block{}={} (allowed: 16, 32, 64, 128, none)", suffix, block));
  }
  return numerics::parse_scaled_format(format, static_cast<unsigned>(*size));
}

numerics::RequantOptions read_requantizer(Words& words, numerics::FormatId format) {
  return {format, numerics::parse_scale_rule(words.text("rule", "floor")),
          numerics::parse_overflow(words.text("overflow", "saturate"))};
}

JobText::JobText(const char* text) {
  Words words(text);
  shape_.m = words.number("m", 1);
  shape_.n = words.number("n", 1);
  shape_.k = words.number("k", 1);
  shape_.batch = words.number("batch", 1);
  const numerics::ScaledFormat a = read_operand(words, "_a"), b = read_operand(words, "_b");
  shape_.format_a = a.element;
  shape_.scales_a = a.scales;
  shape_.format_b = b.element;
  shape_.scales_b = b.scales;
  shape_.output = read_results(words);
  shape_.bias = choose<job::BiasKind>(
      words, "bias",
      {{"none", job::BiasKind::none}, {"row", job::BiasKind::row}, {"full", job::BiasKind::full}});
  shape_.bias_bf16 = choose<bool>(words, "bias_format", {{"fp32", false}, {"bf16", true}});
  if (const auto alpha = words.find("alpha")) shape_.alpha = read_float("alpha", *alpha);
  options_ = job::engine_sums(choose<bool>(words, "dual", {{"1", true}, {"0", false}}));
  options_.alpha = shape_.alpha;
  options_.accumulate = numerics::parse_accumulate(words.text("accumulate", "block"));
  address_ = words.number("address", 0x80000000, INT64_MAX);
  for (const char* part : {"a", "b", "c", "d", "a_scale", "b_scale", "d_scale"}) {
    for (const bool is_stride : {false, true}) {
      const std::string name = std::string(part) + (is_stride ? "_stride" : "_addr");
      const auto word = words.find(name);
      if (!word) continue;
      const auto value = whole_number(*word);
      if (!value || (is_stride && *value > UINT32_MAX)) {
        throw Error(
            fmt::format("{}={} (allowed: a number of {} bits)", name, *word, is_stride ? 32 : 64));
      }
      changes_.push_back({part, is_stride, *value});
    }
  }
  words.finish();
}

uint64_t JobText::count(const std::string& part) const {
  const std::size_t batch = shape_.batch, m = shape_.m, n = shape_.n, k = shape_.k;
  const auto bytes = [&](std::size_t row) { return numerics::element_count({batch, m, row}); };
  if (part == "a") return numerics::element_count({batch, m, k});
  if (part == "b") return numerics::element_count({batch, n, k});
  if (part == "a_scales") return numerics::element_count({batch, m, shape_.scales_a.columns(k)});
  if (part == "b_scales") return numerics::element_count({batch, n, shape_.scales_b.columns(k)});
  if (part == "d") return bytes(shape_.output.row_bytes(n));
  if (part == "d_scales") return bytes(shape_.output.scale_bytes(n));
  if (part == "image") return image_size(parts());
  if (part == "c") {
    if (shape_.bias == job::BiasKind::none) return 0;
    return shape_.bias == job::BiasKind::row ? n : bytes(n);
  }
  throw Error(
      fmt::format("part '{}' (allowed: a, a_scales, b, b_scales, c, d, d_scales, image)", part));
}

job::JobPart& JobText::find_part(job::JobParts& parts, const std::string& name) {
  if (name == "a") return parts.a;
  if (name == "b") return parts.b;
  if (name == "c") return parts.c;
  if (name == "d") return parts.d;
  if (name == "a_scale") return parts.a_scales;
  if (name == "b_scale") return parts.b_scales;
  if (name == "d_scale") return parts.d_scales;
  throw Error(fmt::format("part '{}' (allowed: {})", name, kParts));
}

job::JobParts JobText::parts() const {
  job::JobParts parts(shape_);
  for (const Change& change : changes_) {
    if (change.is_stride)
      find_part(parts, change.part).stride = static_cast<uint32_t>(change.value);
  }
  parts.place(address_ + MXE_DESC_SIZE);
  for (const Change& change : changes_) {
    if (!change.is_stride) find_part(parts, change.part).address = change.value;
  }
  return parts;
}

uint64_t JobText::image_size(const job::JobParts& given) const {
  job::JobParts parts = given;
  constexpr uint64_t kMost = uint64_t{1} << 32;
  uint64_t size = MXE_DESC_SIZE;
  for (const job::JobPart* part : parts.in_order()) {
    if (!part->exists()) continue;
    const uint64_t begin = part->address - address_;
    if (part->address < address_ + MXE_DESC_SIZE || begin > kMost || part->rows > kMost ||
        part->bytes() > kMost - begin) {
      throw Error(fmt::format("{} is at {:#x}, {} bytes (allowed in an image: 4 GiB from {:#x} on)",
                              part->name, part->address, part->bytes(), address_ + MXE_DESC_SIZE));
    }
    size = std::max<uint64_t>(size, begin + part->bytes());
  }
  return size;
}

std::vector<float> JobText::bias_of(Array<const uint32_t> c) const {
  c = sized(c, count("c"));
  std::vector<float> values;
  values.reserve(c.count);
  for (const uint32_t& bits : c) {
    if (shape_.bias_bf16 && (bits & 0xFFFF) != 0) {
      throw Error(fmt::format("{}[{}] is {:#010x} (allowed with bias_format=bf16: low 16 bits 0)",
                              c.name, &bits - c.data, bits));
    }
    values.push_back(from_bits(bits));
  }
  return values;
}

job::Job JobText::job(const Array<const uint8_t>& a, const Array<const uint8_t>& a_scales,
                      const Array<const uint8_t>& b, const Array<const uint8_t>& b_scales,
                      const Array<const uint32_t>& c) const {
  if (shape_.batch == 0 || shape_.m == 0 || shape_.n == 0 || shape_.k == 0) {
    throw Error("m, n, k or batch is 0 (allowed: at least 1)");
  }
  job::Job job;
  job.a = tensor_of(shape_.operand_a(), numerics::element_count({shape_.batch, shape_.m}), shape_.k,
                    a, a_scales);
  job.b = tensor_of(shape_.operand_b(), numerics::element_count({shape_.batch, shape_.n}), shape_.k,
                    b, b_scales);
  job.bias = bias_of(c);
  job.bias_one_row = shape_.bias == job::BiasKind::row;
  job.bias_bf16 = shape_.bias_bf16;
  job.alpha = shape_.alpha;
  job.output = shape_.output;
  job.batch = shape_.batch;
  return job;
}

}  // namespace mxe::dpi
