// SPDX-License-Identifier: Apache-2.0
#include "tb/dpi/mxe_dpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "model/job/difference.h"
#include "model/numerics/base/bits.h"
#include "model/numerics/base/error.h"
#include "model/numerics/block/presets.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/quantize.h"
#include "model/params/hardware.h"
#include "mxe_driver.h"
#include "tb/dpi/job_text.h"
#include "tb/dpi/words.h"

namespace mxe::dpi {
namespace {

using Bytes = Array<uint8_t>;
using ConstBytes = Array<const uint8_t>;
using ConstWords = Array<const uint32_t>;

/// The text that the last call in this thread returned.
thread_local std::string last_text;

/// Runs a function of the interface, which returns a text; an exception becomes a text.
template <typename Function>
const char* run(const char* name, const Function& function) {
  try {
    last_text = function();
  } catch (const std::exception& error) {
    last_text = fmt::format("{}: {}", name, error.what());
  }
  return last_text.c_str();
}

template <typename T>
T& required(const char* name, T* pointer) {
  if (!pointer) throw Error(fmt::format("{} is null (allowed: the place of a value)", name));
  return *pointer;
}

template <typename T>
void copy_out(const std::vector<T>& values, const Array<T>& array) {
  std::copy(values.begin(), values.end(), array.begin());
}

std::vector<float> floats(const ConstWords& words) {
  std::vector<float> values(words.count);
  std::transform(words.begin(), words.end(), values.begin(),
                 [](uint32_t x) { return from_bits(x); });
  return values;
}

/// Rows of numbers or elements.
struct Matrix {
  std::size_t rows, k;

  explicit Matrix(Words& words) : rows(words.number("rows", 1)), k(words.number("k", kBlockSize)) {}
  std::size_t size() const { return numerics::element_count({rows, k}); }
};

numerics::SwitchValue switch_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  std::istringstream stream(text);
  double real = 0;
  if (!(stream >> real) || !stream.eof()) return text;
  if (real == std::floor(real) && std::abs(real) < 0x1p62) return static_cast<int64_t>(real);
  return real;
}

numerics::Quantizer read_quantizer(Words& words) {
  const std::string format = words.text("format", "mxfp8_e4m3");
  const std::string preset = words.text("preset", "ocp");
  numerics::Overrides overrides;
  for (const auto& [name, value] : words.rest()) overrides[name] = switch_value(value);
  return numerics::make_quantizer(format, preset, overrides);
}

void store(const job::StoredOutput& stored, const Bytes& d, const Bytes& d_scales) {
  copy_out(stored.bytes, sized(d, stored.bytes.size()));
  copy_out(stored.scales, sized(d_scales, stored.scales.size()));
}

void require_results(const JobText& text, const Bytes& d, const Bytes& d_scales) {
  sized(d, text.count("d"));
  sized(d_scales, text.count("d_scales"));
}

/// The exact sum of a step, in units that depend only on the formats and, with E8M0, the scales.
struct StepSum {
  Int128 sum = 0;
  int exponent = 0;
  uint32_t special = 0;  ///< FP32 bits; 0 if the sum is a number
};

/// The smallest scale exponent that a step can have: the one of its E8M0 scale, or of UE4M3.
int lowest_exponent(const numerics::MxTensor& row) {
  const bool is_e8m0 = row.layout.kind == numerics::ScaleKind::e8m0;
  return numerics::scale_number(row.layout.kind, is_e8m0 ? row.scales[0] : 0).exponent;
}

StepSum sum_of_step(const numerics::MxTensor& a, const numerics::MxTensor& b,
                    const numerics::PairRule& rule) {
  StepSum step;
  step.exponent = numerics::element_shape(a.format).lsb_exponent + lowest_exponent(a) +
                  numerics::element_shape(b.format).lsb_exponent + lowest_exponent(b);
  for (std::size_t k = 0; k < a.k; k += rule.part) {
    const numerics::BlockDot dot =
        numerics::part_dot(a, 0, b, 0, k, std::min<std::size_t>(rule.part, a.k - k));
    step.sum += dot.sum * (Int128{1} << (dot.exponent - step.exponent));
    if (dot.special != numerics::BlockSpecial::none)
      step.special = numerics::accumulate(step.special, dot);
  }
  return step;
}

int special_code(uint32_t bits) {
  if (bits == 0) return 0;
  if (is_nan_bits(bits)) return 1;
  return bits >> 31 == 0 ? 2 : 3;
}

mxe_capabilities capabilities(const char* engine) {
  if (!engine) throw Error("engine is null (allowed: a text such as \"base\")");
  std::istringstream stream(engine);
  std::string word;
  stream >> word;
  Params params = Params::named(word);
  while (stream >> word) params.set(word);
  params.validate();
  mxe_capabilities caps = {};
  caps.version_minor = (MXE_VERSION_RESET & MXE_VERSION_MINOR_MASK) >> MXE_VERSION_MINOR_SHIFT;
  caps.tree_w = params.tree_w;
  caps.fp4_dual = params.fp4_dual != 0;
  caps.nvfp4 = has_nvfp4(params);
  caps.bf16 = caps.mx_out = caps.long_blocks = true;
  return caps;
}

const char* result_name(int code) {
  switch (code) {
#define X(name, number) \
  case name:            \
    return #name;
    MXE_ERRNO_TABLE(X)
#undef X
    default:
      return "MXE_OK";
  }
}

std::vector<uint32_t> pack_descriptor(const mxe_job& job, uint32_t id) {
  std::vector<uint32_t> words(MXE_DESC_SIZE / sizeof(uint32_t));
  if (mxe_job_pack(&job, id, words.data()) == MXE_OK) return words;
  throw Error("a size, a format or the batch is too large for a field of the descriptor");
}

void write_rows(const job::JobPart& part, const std::vector<uint8_t>& rows, uint8_t* image,
                uint64_t address) {
  for (std::size_t at = 0; at < rows.size(); at += part.row_bytes) {
    std::memcpy(image + (part.address - address) + at / part.row_bytes * part.stride,
                rows.data() + at, part.row_bytes);
  }
}

job::StoredOutput stored_of(const JobText& text, ConstBytes d, ConstBytes scales) {
  d = sized(d, text.count("d"));
  scales = sized(scales, text.count("d_scales"));
  job::StoredOutput stored;
  stored.bytes.assign(d.begin(), d.end());
  stored.scales.assign(scales.begin(), scales.end());
  return stored;
}

/// The first difference of two arrays of bytes [rows][columns], or "".
std::string byte_difference(const char* name, const std::vector<uint8_t>& got,
                            const std::vector<uint8_t>& want, std::size_t columns) {
  const auto [x, y] = std::mismatch(got.begin(), got.end(), want.begin());
  if (x == got.end()) return "";
  const auto at = static_cast<std::size_t>(x - got.begin());
  return fmt::format("{}[{}][{}]: {:#04x} ({}) instead of {:#04x} ({})", name, at / columns,
                     at % columns, *x, *x, *y, *y);
}

std::vector<float> canonical(std::vector<float> values) {
  for (float& value : values) {
    if (std::isnan(value)) value = from_bits(kQuietNan);
  }
  return values;
}

std::string difference(const JobText& text, const job::StoredOutput& got,
                       const job::StoredOutput& want) {
  const job::JobShape& shape = text.shape();
  const auto values = [&](const job::StoredOutput& stored) {
    return canonical(job::load_output(stored, shape.a_rows(), shape.n, shape.output));
  };
  std::string found = job::describe_difference(values(got), values(want), shape.n);
  if (!found.empty() || shape.output.numbers()) return found;
  found = byte_difference("values agree, but scales of D", got.scales, want.scales,
                          shape.output.scale_bytes(shape.n));
  if (!found.empty()) return found;
  return byte_difference("values agree, but bytes of D", got.bytes, want.bytes,
                         shape.output.row_bytes(shape.n));
}

}  // namespace
}  // namespace mxe::dpi

using namespace mxe;
using namespace mxe::dpi;

const char* mxe_dpi_count(const char* job, const char* part, uint64_t* count) {
  return run(__func__, [&] {
    required("part", part);
    required("count", count) = JobText(job).count(part);
    return "";
  });
}

const char* mxe_dpi_quantize(const char* text, const uint32_t* x, size_t x_count, uint8_t* codes,
                             size_t code_count, uint8_t* scales, size_t scale_count,
                             uint32_t* tensor_scale) {
  return run(__func__, [&] {
    Words words(text);
    const Matrix matrix(words);
    const numerics::Quantizer quantizer = read_quantizer(words);
    const ConstWords numbers = sized(ConstWords{"x", x, x_count}, matrix.size());
    require_count("codes", codes, code_count, matrix.size());
    const numerics::QuantizedArray array = numerics::quantize(
        floats(numbers).data(), {matrix.rows, matrix.k}, quantizer.format, quantizer.options);
    if (array.has_wide_codes() || !array.has_scale_codes) {
      throw Error(
          "the codes or scales have more than 8 bits (allowed: formats of at most 8 bits, "
          "and presets with scale codes)");
    }
    if (!array.row_scales.empty()) throw Error("the preset has scales of rows (allowed: others)");
    require_count("scales", scales, scale_count, array.scale_codes.size());
    required("tensor_scale", tensor_scale) = to_bits(array.tensor_scale);
    copy_out(array.codes, Bytes{"codes", codes, code_count});
    copy_out(array.scale_codes, Bytes{"scales", scales, scale_count});
    return "";
  });
}

const char* mxe_dpi_decode(const char* text, const uint8_t* codes, size_t code_count,
                           const uint8_t* scales, size_t scale_count, uint32_t* values,
                           size_t value_count) {
  return run(__func__, [&] {
    Words words(text);
    const Matrix matrix(words);
    const numerics::ScaledFormat format = read_operand(words, "");
    words.finish();
    const numerics::MxTensor tensor =
        tensor_of(format, matrix.rows, matrix.k, {"codes", codes, code_count},
                  {"scales", scales, scale_count});
    require_count("values", values, value_count, matrix.size());
    const std::vector<float> numbers = numerics::dequantize(tensor);
    std::transform(numbers.begin(), numbers.end(), values, [](float x) { return to_bits(x); });
    return "";
  });
}

const char* mxe_dpi_pack(const char* text, const uint8_t* codes, size_t code_count, uint8_t* packed,
                         size_t packed_count) {
  return run(__func__, [&] {
    Words words(text);
    const Matrix matrix(words);
    const numerics::FormatId format = numerics::parse_format(words.text("format", "mxfp8_e4m3"));
    words.finish();
    const numerics::MxTensor tensor =
        tensor_of({format, {numerics::ScaleKind::none}}, matrix.rows, matrix.k,
                  {"codes", codes, code_count}, {"scales", nullptr, 0});
    const std::size_t row_bytes = numerics::packed_row_bytes(format, matrix.k);
    copy_out(numerics::pack_rows(tensor),
             sized(Bytes{"packed", packed, packed_count}, matrix.rows * row_bytes));
    return "";
  });
}

const char* mxe_dpi_unpack(const char* text, const uint8_t* packed, size_t packed_count,
                           uint8_t* codes, size_t code_count) {
  return run(__func__, [&] {
    Words words(text);
    const Matrix matrix(words);
    const numerics::FormatId format = numerics::parse_format(words.text("format", "mxfp8_e4m3"));
    words.finish();
    const std::size_t row_bytes = numerics::packed_row_bytes(format, matrix.k);
    require_count("packed", packed, packed_count,
                  numerics::element_count({matrix.rows, row_bytes}));
    const Bytes out = sized(Bytes{"codes", codes, code_count}, matrix.size());
    copy_out(numerics::unpack_rows(format, packed, matrix.rows, matrix.k, row_bytes), out);
    return "";
  });
}

const char* mxe_dpi_step(const char* job, const uint8_t* a, size_t a_count, const uint8_t* a_scales,
                         size_t a_scale_count, const uint8_t* b, size_t b_count,
                         const uint8_t* b_scales, size_t b_scale_count, uint32_t* acc,
                         uint32_t sum[4], int* exponent, int* special) {
  return run(__func__, [&] {
    const JobText text(job);
    const job::JobShape& shape = text.shape();
    const numerics::PairRule rule =
        numerics::pair_rule(shape.operand_a(), shape.operand_b(), text.options().dual);
    if (shape.outputs() != 1 || shape.k == 0 || shape.k > rule.step) {
      throw Error(
          fmt::format("{} times {} x {} x {} (allowed in a step of these formats: m=1 n=1, "
                      "k from 1 to {})",
                      shape.batch, shape.m, shape.n, shape.k, rule.step));
    }
    const numerics::MxTensor x = tensor_of(shape.operand_a(), 1, shape.k, {"a", a, a_count},
                                           {"a_scales", a_scales, a_scale_count});
    const numerics::MxTensor y = tensor_of(shape.operand_b(), 1, shape.k, {"b", b, b_count},
                                           {"b_scales", b_scales, b_scale_count});
    required("acc", acc);
    required("sum", sum);
    required("exponent", exponent);
    required("special", special);
    const StepSum step = sum_of_step(x, y, rule);
    *acc = numerics::definition_step(*acc, x, 0, y, 0, 0, rule);
    for (int i = 0; i < 4; i++)
      sum[i] = static_cast<uint32_t>(static_cast<UInt128>(step.sum) >> 32 * i);
    *exponent = step.exponent;
    *special = special_code(step.special);
    return "";
  });
}

uint32_t mxe_dpi_merge(uint32_t even, uint32_t odd) { return numerics::merge_chains(even, odd); }

const char* mxe_dpi_gemm(const char* job, const uint8_t* a, size_t a_count, const uint8_t* a_scales,
                         size_t a_scale_count, const uint8_t* b, size_t b_count,
                         const uint8_t* b_scales, size_t b_scale_count, const uint32_t* c,
                         size_t c_count, uint8_t* d, size_t d_count, uint8_t* d_scales,
                         size_t d_scale_count) {
  return run(__func__, [&] {
    const JobText text(job);
    const Bytes out{"d", d, d_count}, out_scales{"d_scales", d_scales, d_scale_count};
    require_results(text, out, out_scales);
    const job::Job product =
        text.job({"a", a, a_count}, {"a_scales", a_scales, a_scale_count}, {"b", b, b_count},
                 {"b_scales", b_scales, b_scale_count}, {"c", c, c_count});
    store(product.golden(text.options()), out, out_scales);
    return "";
  });
}

const char* mxe_dpi_epilogue(const char* job, const uint32_t* sums, size_t sum_count,
                             const uint32_t* c, size_t c_count, uint8_t* d, size_t d_count,
                             uint8_t* d_scales, size_t d_scale_count) {
  return run(__func__, [&] {
    const JobText text(job);
    const job::JobShape& shape = text.shape();
    const Bytes out{"d", d, d_count}, out_scales{"d_scales", d_scales, d_scale_count};
    require_results(text, out, out_scales);
    const std::size_t rows = shape.a_rows(), n = shape.n;
    std::vector<float> values =
        floats(sized(ConstWords{"sums", sums, sum_count}, numerics::element_count({rows, n})));
    if (shape.alpha) {
      const std::vector<float> bias = text.bias_of({"c", c, c_count});
      for (std::size_t i = 0; i < values.size(); i++) {
        const float* addend = bias.empty() ? nullptr : &bias[i % bias.size()];
        values[i] = numerics::apply_alpha(*shape.alpha, values[i], addend);
      }
    } else {
      require_count("c", c, c_count, 0);
    }
    store(job::store_output(values, rows, n, shape.output), out, out_scales);
    return "";
  });
}

const char* mxe_dpi_requantize(const char* text, const uint32_t* x, size_t x_count, uint8_t* codes,
                               size_t code_count, uint8_t* scales, size_t scale_count,
                               uint64_t* overflows) {
  return run(__func__, [&] {
    Words words(text);
    const Matrix matrix(words);
    const numerics::FormatId format = numerics::parse_format(words.text("format", "mxfp8_e4m3"));
    const numerics::RequantOptions options = read_requantizer(words, format);
    words.finish();
    const ConstWords numbers = sized(ConstWords{"x", x, x_count}, matrix.size());
    const std::size_t scale_columns = numerics::ScaleLayout{}.columns(matrix.k);
    require_count("codes", codes, code_count, matrix.size());
    require_count("scales", scales, scale_count, matrix.rows * scale_columns);
    uint64_t& count = required("overflows", overflows);
    count = 0;
    const std::vector<float> values = floats(numbers);
    for (std::size_t row = 0; row < matrix.rows && matrix.k > 0; row++) {
      count += numerics::requantize_row(&values[row * matrix.k], matrix.k, options,
                                        codes + row * matrix.k, scales + row * scale_columns);
    }
    return "";
  });
}

const char* mxe_dpi_place(const char* job, const char* part, uint64_t* address, uint32_t* stride,
                          uint64_t* rows, uint64_t* row_bytes) {
  return run(__func__, [&] {
    job::JobParts parts = JobText(job).parts();
    required("part", part);
    const job::JobPart& found = JobText::find_part(parts, part);
    required("address", address) = found.address;
    required("stride", stride) = found.stride;
    required("rows", rows) = found.rows;
    required("row_bytes", row_bytes) = found.row_bytes;
    return "";
  });
}

const char* mxe_dpi_descriptor(const char* job, uint32_t id, uint8_t* bytes, size_t count) {
  return run(__func__, [&] {
    const JobText text(job);
    require_count("bytes", bytes, count, MXE_DESC_SIZE);
    const std::vector<uint32_t> words = pack_descriptor(text.parts().descriptor(text.shape()), id);
    std::memcpy(bytes, words.data(), count);
    return "";
  });
}

const char* mxe_dpi_check(const char* engine, const char* job, const char** status,
                          const char** rule) {
  return run(__func__, [&] {
    const JobText text(job);
    const mxe_capabilities caps = capabilities(engine);
    const mxe_job descriptor = text.parts().descriptor(text.shape());
    required("status", status);
    required("rule", rule);
    *status = result_name(mxe_job_check(&caps, &descriptor, rule));
    if (!*rule) *rule = "";
    return "";
  });
}

const char* mxe_dpi_image(const char* job, uint32_t id, const uint8_t* a, size_t a_count,
                          const uint8_t* a_scales, size_t a_scale_count, const uint8_t* b,
                          size_t b_count, const uint8_t* b_scales, size_t b_scale_count,
                          const uint32_t* c, size_t c_count, uint8_t* bytes, size_t count) {
  return run(__func__, [&] {
    const JobText text(job);
    const job::Job product =
        text.job({"a", a, a_count}, {"a_scales", a_scales, a_scale_count}, {"b", b, b_count},
                 {"b_scales", b_scales, b_scale_count}, {"c", c, c_count});
    const job::JobParts parts = text.parts();
    require_count("bytes", bytes, count, text.image_size(parts));
    const std::vector<uint32_t> words = pack_descriptor(parts.descriptor(text.shape()), id);
    std::fill_n(bytes, count, uint8_t{0});
    std::memcpy(bytes, words.data(), MXE_DESC_SIZE);
    write_rows(parts.a, numerics::pack_rows(product.a), bytes, text.address());
    write_rows(parts.b, numerics::pack_rows(product.b), bytes, text.address());
    write_rows(parts.a_scales, product.a.scales, bytes, text.address());
    write_rows(parts.b_scales, product.b.scales, bytes, text.address());
    write_rows(parts.c, job::store_bias(product.bias, product.bias_bf16), bytes, text.address());
    return "";
  });
}

const char* mxe_dpi_compare(const char* job, const uint8_t* got, size_t got_count,
                            const uint8_t* got_scales, size_t got_scale_count, const uint8_t* want,
                            size_t want_count, const uint8_t* want_scales,
                            size_t want_scale_count) {
  return run(__func__, [&] {
    const JobText text(job);
    return difference(
        text, stored_of(text, {"got", got, got_count}, {"got_scales", got_scales, got_scale_count}),
        stored_of(text, {"want", want, want_count},
                  {"want_scales", want_scales, want_scale_count}));
  });
}
