// SPDX-License-Identifier: Apache-2.0
// Every preset against row checksums of the recorded outputs of real systems, those of ocp of an
// oracle (make_data.py, record_nvfp4.py). They must notice every single switch that is set wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/numerics/base/bits.h"
#include "model/numerics/block/presets.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/quantize/quantize.h"

namespace mxe::numerics {
namespace {

using Json = nlohmann::json;

std::string data_path(const std::string& file) {
  return std::string(MXE_CONFORMANCE_DATA) + "/" + file;
}

// FNV-1a folded to 8 bits, never 0.
class Checksum {
 public:
  void add(uint8_t byte) { hash_ = (hash_ ^ byte) * 0x01000193; }
  void add(float value) {
    const uint32_t bits = is_nan_bits(to_bits(value)) ? kQuietNan : to_bits(value);
    for (int shift = 0; shift < 32; shift += 8) add(static_cast<uint8_t>(bits >> shift));
  }
  uint16_t value() const {
    uint32_t h = hash_ ^ (hash_ >> 16);
    h = (h ^ (h >> 8)) & 0xFF;
    return static_cast<uint16_t>(h == 0 ? 1 : h);
  }

 private:
  uint32_t hash_ = 0x811C9DC5;
};

struct Input {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

const Input& input(const std::string& name) {
  static std::map<std::string, Input> cache;
  Input& entry = cache[name];
  if (entry.shape.empty()) {
    const std::string path = data_path("input_" + name + ".npy");
    const NpyArray array = read_npy(path);
    entry = {array.shape, to_float32(array, path)};
  }
  return entry;
}

struct Recording {
  std::string label;
  std::string preset;
  std::string format;
  Quantizer quantizer;
  bool has_values;
  struct Case {
    std::string name;
    std::optional<float> amax;
    std::vector<uint16_t> sums;
  };
  std::vector<Case> cases;
};

std::size_t rows_of(const Recording& recording, const Input& in) {
  const bool straddles = recording.quantizer.options.walk == BlockWalk::flat &&
                         in.shape[1] % recording.quantizer.options.block_size != 0;
  return straddles ? 1 : in.shape[0];
}

void read_recordings(const std::string& name, std::vector<Recording>& recordings) {
  const Json manifest = Json::parse(std::ifstream(data_path(name + ".json")));
  const NpyArray array = read_npy(data_path(name + ".npy"));
  std::vector<uint16_t> sums(array.size());
  std::memcpy(sums.data(), array.data.data(), array.data.size());
  std::size_t at = 0;
  for (const Json& entry : manifest) {
    Recording r{
        entry["label"],
        entry["preset"],
        entry["format"],
        make_quantizer(entry["format"].get<std::string>(), entry["preset"].get<std::string>()),
        entry.value("values", entry["format"] != "nvfp4"),
        {}};
    const std::string scale = entry["scale"];
    if (!scale.empty()) r.quantizer.options.scale_format = parse_scale_format(scale);
    for (const Json& item : entry["cases"]) {
      Recording::Case c{item["name"], std::nullopt, {}};
      if (item.contains("amax")) {
        c.amax = std::strtof(item["amax"].get<std::string>().c_str(), nullptr);
      }
      const std::size_t rows = rows_of(r, input(c.name));
      c.sums.assign(sums.begin() + static_cast<long>(at),
                    sums.begin() + static_cast<long>(at + rows));
      at += rows;
      r.cases.push_back(std::move(c));
    }
    recordings.push_back(std::move(r));
  }
  EXPECT_EQ(at, sums.size());
}

std::vector<Recording> read_recordings() {
  std::vector<Recording> recordings;
  read_recordings("peers", recordings);
  read_recordings("nvfp4", recordings);
  return recordings;
}

const std::vector<Recording>& recordings() {
  static const std::vector<Recording> all = read_recordings();
  return all;
}

// Maps values that the recordings leave undefined to one common value.
float comparable(const Recording& recording, float x, float value) {
  const bool cuda = recording.preset.rfind("modelopt-cuda", 0) == 0;
  if (cuda && recording.format == "mxint8" && std::isinf(x)) return 0.0f;
  return cuda && value == 0 ? 0.0f : value;
}

uint8_t comparable_code(const ElementFormat& format, uint8_t code) {
  return format.has_nan && std::isnan(format.decode(code)) ? 0x7F : code;
}

// Rows whose outputs differ from the recorded ones.
std::vector<std::size_t> wrong_rows(const Recording& recording, const Recording::Case& c,
                                    QuantizerOptions options) {
  const Input& in = input(c.name);
  options.tensor_amax = c.amax;
  const QuantizedArray q =
      quantize(in.values.data(), in.shape, recording.quantizer.format, options);
  const std::size_t rows = c.sums.size();
  const std::size_t scales = q.scales.size() / rows;
  const std::size_t columns = in.values.size() / rows;
  std::vector<std::size_t> wrong;
  for (std::size_t row = 0; row < rows; row++) {
    Checksum high;
    Checksum low;
    for (std::size_t i = 0; i < scales; i++) high.add(q.scales[row * scales + i]);
    for (std::size_t i = row * columns; i < (row + 1) * columns; i++) {
      if (recording.has_values) high.add(comparable(recording, in.values[i], q.dequantized[i]));
      if (q.wide_codes.empty()) low.add(comparable_code(q.format, q.codes[i]));
    }
    const uint16_t expected = c.sums[row];
    const bool codes_differ = (expected & 0xFF) != 0 && (expected & 0xFF) != low.value();
    if (expected >> 8 != high.value() || codes_differ) wrong.push_back(row);
  }
  return wrong;
}

std::size_t count_wrong(const Recording& recording, const QuantizerOptions& options) {
  std::size_t count = 0;
  for (const Recording::Case& c : recording.cases) {
    count += wrong_rows(recording, c, options).size();
  }
  return count;
}

TEST(Peers, EveryRecordedRow) {
  std::size_t rows = 0;
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.label + " as preset " + recording.preset);
    for (const Recording::Case& c : recording.cases) {
      const std::vector<std::size_t> wrong = wrong_rows(recording, c, recording.quantizer.options);
      EXPECT_TRUE(wrong.empty()) << wrong.size() << " rows of case " << c.name
                                 << " differ, the first is row " << wrong[0];
      rows += c.sums.size();
    }
  }
  EXPECT_GT(rows, 600000u);
}

TEST(Peers, EveryPresetIsRecorded) {
  std::set<std::string> seen;
  for (const Recording& recording : recordings()) seen.insert(recording.preset);
  // ocp-floor equals ocp, and quark-onnx equals quark-onnx-py3.
  seen.insert("ocp-floor");
  if (seen.count("quark-onnx-py3") != 0) seen.insert("quark-onnx");
  for (const std::string& name : preset_names()) EXPECT_EQ(seen.count(name), 1u) << name;
}

const Recording& find(const std::string& label) {
  for (const Recording& recording : recordings()) {
    if (recording.label == label) return recording;
  }
  throw std::runtime_error("no recording " + label);
}

template <typename Change>
void expect_noticed(const std::string& label, const Change& change) {
  const Recording& recording = find(label);
  QuantizerOptions options = recording.quantizer.options;
  change(options);
  EXPECT_GT(count_wrong(recording, options), 0u) << label;
}

TEST(Peers, NoticesEveryWrongSwitch) {
  using O = QuantizerOptions&;
  expect_noticed("torchmx-sim__e4m3", [](O o) { o.bfloat16_input = false; });
  expect_noticed("pychop__e2m1", [](O o) { o.walk = BlockWalk::axis; });
  expect_noticed("ocp__e2m1", [](O o) { o.block_size = 16; });
  expect_noticed("ocp__e4m3", [](O o) { o.scale_rule = ScaleRule::rceil; });
  expect_noticed("microxcaling-even__e4m3", [](O o) { o.log2 = Log2Source::exact; });
  expect_noticed("torchao-ceil__e2m1", [](O o) { o.log2 = Log2Source::float32; });
  expect_noticed("quark-torch-even__int8", [](O o) { o.even_bits.reset(); });
  expect_noticed("quark-onnx__e2m1", [](O o) { o.nan = SpecialRule::poison; });
  expect_noticed("torchao_old-floor__e4m3", [](O o) { o.inf = SpecialRule::poison; });
  expect_noticed("pychop__e2m1", [](O o) { o.all_nan_poisons = false; });
  expect_noticed("ascend__e2m1", [](O o) { o.zero_threshold = 0; });
  expect_noticed("microxcaling-even__int8", [](O o) { o.zero_log2.reset(); });
  expect_noticed("modelopt-cuda-nv__e2m1", [](O o) { o.zero_exponent.reset(); });
  expect_noticed("quark-onnx__e5m2", [](O o) { o.exponent_range.reset(); });
  expect_noticed("quark-torch-floor__e2m1", [](O o) { o.below_range_exponent.reset(); });
  expect_noticed("microxcaling-even__int8", [](O o) { o.above_range = RangeRule::clamp; });
  expect_noticed("torchao-floor__e4m3", [](O o) { o.poison_codes = PoisonCodes::zero; });
  expect_noticed("ocp__e2m1", [](O o) { o.rounding = Rounding::nearest_away; });
  expect_noticed("microxcaling-even__e2m1", [](O o) { o.rounding = Rounding::nearest_even; });
  expect_noticed("microxcaling-floor__e4m3", [](O o) { o.float32_element_log2 = false; });
  expect_noticed("ocp__e2m1", [](O o) { o.zero_sign = ZeroSign::positive; });
  expect_noticed("modelopt-mxfp4__e2m1", [](O o) { o.zero_sign = ZeroSign::value; });
  expect_noticed("torchmx-sim__int8", [](O o) { o.element_shift = 0; });
  expect_noticed("quark-onnx-py3__int8", [](O o) { o.full_integer_range = false; });
  expect_noticed("quark-torch-floor__int8", [](O o) { o.min_integer_step.reset(); });
  expect_noticed("torchao_old-floor__e4m3", [](O o) { o.lowest_divisor = LowestDivisor::scale; });
  expect_noticed("microxcaling-even-flush__e4m3", [](O o) { o.flush_subnormal_blocks = false; });
  expect_noticed("pychop__e2m1", [](O o) { o.nan_elements = NanElement::zero; });
  expect_noticed("quark-onnx__e2m1", [](O o) { o.inf_elements = InfElement::saturate; });
  expect_noticed("nvfp4-torchao2", [](O o) { o.arithmetic = ScaleArithmetic::product; });
  expect_noticed("modelopt-nvfp4__e2m1", [](O o) { o.zero_scale.reset(); });
  expect_noticed("nvfp4-torchao1", [](O o) { o.min_scale = 0; });
  expect_noticed("te-nvfp4ref__e2m1", [](O o) { o.uses_tensor_scale = false; });
}

TEST(Peers, NoticesEveryWrongSwitchOfTensorScales) {
  using O = QuantizerOptions&;
  const auto code_first = [](O o) { o.value_order = ValueOrder::code_first; };
  const auto scales_first = [](O o) { o.value_order = ValueOrder::scales_first; };
  const auto finite = [](O o) { o.tensor_specials = false; };
  for (const char* label :
       {"values__nvfp4-torchao2", "values__nvfp4-modelopt", "values__nvfp4-te"}) {
    expect_noticed(label, code_first);
    expect_noticed(label, finite);
  }
  expect_noticed("values__nvfp4-te", scales_first);
  expect_noticed("values__nvfp4-modelopt", [](O o) { o.min_scale = 0; });
  expect_noticed("values__nvfp4-modelopt", [](O o) { o.unsigned_zero_values = false; });
  expect_noticed("values__nvfp4-modelopt_old", [](O o) { o.min_scale = 0x1p-9f; });
  expect_noticed("values__nvfp4-compressed-tensors", [](O o) { o.zero_scale.reset(); });
  expect_noticed("values__nvfp4-compressed-tensors", [](O o) { o.zero_scale = 0x1p-9f; });
  expect_noticed("values__nvfp4-compressed-tensors", finite);
  expect_noticed("values__nvfp4-compressed-tensors", [](O o) {
    o.arithmetic = ScaleArithmetic::product;
    o.value_order = ValueOrder::scales_first;
  });
  expect_noticed("values__modelopt-mxfp8", [](O o) { o.nan = SpecialRule::lowest_scale; });
  expect_noticed("values__modelopt-mxfp8", [](O o) { o.inf = SpecialRule::smallest_scale; });
  expect_noticed("values__modelopt-mxfp8", [](O o) { o.log2 = Log2Source::exact; });
  expect_noticed("values__modelopt-mxfp8", [](O o) { o.nan_elements = NanElement::zero; });
  expect_noticed("values__nvfp4-te-2d", [](O o) { o.block_rows = 8; });
  expect_noticed("values__nvfp4-te-row", [](O o) { o.row_scaled = false; });
  expect_noticed("values__nvfp4-te-4over6", [](O o) { o.four_over_six = FourOverSix::squared; });
  expect_noticed("values__nvfp4-te-4over6", [](O o) { o.four_over_six = FourOverSix::off; });
  expect_noticed("values__nvfp4-te-4over6", [](O o) { o.tensor_scale_limit.reset(); });
  expect_noticed("values__nvfp4-te-4over6", [](O o) {
    o.arithmetic = ScaleArithmetic::encode_factor;
    o.four_over_six = FourOverSix::off;
  });
  expect_noticed("values__nvfp4-te-4over6-2d", [](O o) { o.block_rows = 1; });
  expect_noticed("values__nvfp4-modelopt-4over6",
                 [](O o) { o.four_over_six = FourOverSix::absolute; });
}

}  // namespace
}  // namespace mxe::numerics
