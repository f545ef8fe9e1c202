// SPDX-License-Identifier: Apache-2.0
// quantize stores the scale of a whole tensor in .safetensors files; dequantize refuses without it.
#include <cmath>
#include <limits>

#include "model/numerics/block/presets.h"
#include "model/numerics/files/files.h"
#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class TensorScale : public CliTest {
 protected:
  nlohmann::json quantize(const std::string& preset, const std::string& elements,
                          const std::string& scales, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"quantize", path("x.npy"), "--format",      "nvfp4",
                                       "--preset", preset,        "--elements",    elements,
                                       "--scales", scales,        "--dequantized", path("d.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mxe_json(arguments);
  }

  std::vector<std::string> dequantize(const std::string& preset, const std::string& elements,
                                      const std::string& scales,
                                      std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"dequantize", "--elements", elements,      "--scales",
                                       scales,       "--format",   "nvfp4",       "--preset",
                                       preset,       "--output",   path("d2.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  void expect_same_values(const std::vector<std::string>& arguments) {
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
  }

  numerics::NamedTensor tensor(const std::string& name, const std::string& tensor) {
    const std::vector<uint8_t> bytes = numerics::read_file(path(name));
    return numerics::parse_safetensors(bytes.data(), bytes.size(), name, tensor).at(0);
  }
};

const std::vector<std::string>& presets_with_a_tensor_scale() {
  static const std::vector<std::string> kNames{
      "nvfp4-torchao2",    "nvfp4-modelopt", "nvfp4-modelopt-4over6", "nvfp4-modelopt_old",
      "nvfp4-te",          "nvfp4-te-2d",    "nvfp4-te-4over6",       "nvfp4-te-4over6-mse",
      "nvfp4-te-4over6-2d"};
  return kNames;
}

TEST_F(TensorScale, SafetensorsFilesCarryIt) {
  write_random("x.npy", {3, 64}, 21);
  for (const std::string& preset : presets_with_a_tensor_scale()) {
    SCOPED_TRACE(preset);
    const std::string file = path("q.safetensors");
    const nlohmann::json json = quantize(preset, file, file);
    const numerics::NamedTensor scale = tensor("q.safetensors", "tensor_scale");
    EXPECT_EQ(scale.dtype, "F32");
    EXPECT_TRUE(scale.array.shape.empty());
    EXPECT_EQ(numerics::to_float32(scale.array, "q")[0], json.at("tensor_scale").get<float>());
    EXPECT_EQ(numerics::to_float32(tensor("q.safetensors", "tensor_amax").array, "q")[0],
              json.at("tensor_amax").get<float>());
    expect_same_values(dequantize(preset, file, file));
  }
}

TEST_F(TensorScale, LiesBesideTheScalesOrTheElements) {
  write_random("x.npy", {3, 64}, 22);
  for (const auto& [elements, scales] :
       {std::pair("e.safetensors", "s.safetensors"), std::pair("e.npy", "s.safetensors"),
        std::pair("e.safetensors", "s.npy")}) {
    SCOPED_TRACE(std::string(elements) + " " + scales);
    quantize("nvfp4-modelopt", path(elements), path(scales));
    if (std::string(scales) == "s.safetensors") {
      expect_same_values(dequantize("nvfp4-modelopt", path(elements), path(scales)));
    } else {
      // A .npy file of scales cannot store the tensor's scale.
      expect_error(dequantize("nvfp4-modelopt", path(elements), path(scales)),
                   "--tensor-scale is needed");
    }
  }
}

TEST_F(TensorScale, StandardOutputCarriesItWithNames) {
  write_random("x.npy", {3, 64}, 23);
  const ProgramRun both = mxe({"quantize", path("x.npy"), "--format", "nvfp4", "--elements", "-",
                               "--scales", "-", "--dequantized", path("d.npy")});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  write_text("pipe", both.out);
  feed(path("pipe"));
  expect_same_values(dequantize("ocp", "-", "-"));
  const ProgramRun one = mxe({"quantize", path("x.npy"), "--format", "nvfp4", "--scales", "-"});
  EXPECT_EQ(one.out.substr(1, 5), "NUMPY");
}

TEST_F(TensorScale, IsNeverAssumedToBeOne) {
  write_random("x.npy", {3, 64}, 24);
  const std::string e = path("e.npy"), s = path("s.npy");
  for (const std::string& preset : presets_with_a_tensor_scale()) {
    SCOPED_TRACE(preset);
    const nlohmann::json json = quantize(preset, e, s);
    const bool by_amax = preset.rfind("nvfp4-te", 0) == 0;
    expect_error(dequantize(preset, e, s), by_amax
                                               ? "--tensor-amax is needed (Python: tensor_amax="
                                               : "--tensor-scale is needed (Python: tensor_scale=");
    expect_same_values(dequantize(preset, e, s, {"--tensor-amax", json.at("tensor_amax").dump()}));
    const std::vector<std::string> by_scale =
        dequantize(preset, e, s, {"--tensor-scale", json.at("tensor_scale").dump()});
    if (by_amax) {
      expect_error(by_scale, "--tensor-amax is needed");
    } else {
      expect_same_values(by_scale);
    }
  }
  expect_error(dequantize("nvfp4-te-row", e, s), "--row-amax is needed (Python: row_amaxes=");
}

TEST_F(TensorScale, PresetsWithoutOneTakeNone) {
  write_random("x.npy", {3, 64}, 25);
  const std::string e = path("e.npy"), s = path("s.npy");
  for (const char* preset : {"nvfp4-torchao1", "nvfp4-te-pow2"}) {
    SCOPED_TRACE(preset);
    const nlohmann::json json = quantize(preset, e, s);
    EXPECT_FALSE(json.contains("tensor_scale"));
    expect_same_values(dequantize(preset, e, s));
    expect_same_values(dequantize(preset, e, s, {"--tensor-scale", "1"}));
    expect_error(dequantize(preset, e, s, {"--tensor-scale", "2"}), "no scale of the whole tensor");
    expect_error(dequantize(preset, e, s, {"--tensor-amax", "3"}), "no scale of the whole tensor");
  }
  const std::string file = path("q.safetensors");
  quantize("nvfp4-torchao2", file, file);
  expect_error(dequantize("nvfp4-torchao1", file, file), "no scale of the whole tensor");
}

TEST_F(TensorScale, OptionsAndFilesMustAgree) {
  write_random("x.npy", {3, 64}, 26);
  const std::string file = path("q.safetensors");
  const nlohmann::json json = quantize("nvfp4-torchao2", file, file);
  const std::string scale = json.at("tensor_scale").dump(), amax = json.at("tensor_amax").dump();
  expect_same_values(dequantize("ocp", file, file, {"--tensor-scale", scale}));
  expect_same_values(
      dequantize("ocp", file, file, {"--tensor-scale", scale, "--tensor-amax", amax}));
  expect_error(dequantize("ocp", file, file, {"--tensor-scale", "1"}), "is not what");
  quantize("nvfp4-torchao2", path("e.npy"), path("s.npy"));
  expect_error(dequantize("ocp", path("e.npy"), path("s.npy"),
                          {"--tensor-scale", "1", "--tensor-amax", amax}),
               "contradict each other");
}

TEST_F(TensorScale, FilesThatDisagreeAreRefused) {
  const std::string a = path("a.safetensors"), b = path("b.safetensors");
  write_random("x.npy", {3, 64}, 28);
  quantize("nvfp4-torchao2", a, a);
  quantize("nvfp4-torchao2", b, b);
  expect_same_values(dequantize("ocp", a, b));
  write_random("x.npy", {3, 64}, 29);
  quantize("nvfp4-torchao2", b, b);
  expect_error(dequantize("ocp", a, b), "hold different values of tensor_scale");
  expect_error(dequantize("ocp", b, a), "hold different values of tensor_scale");
}

TEST_F(TensorScale, MustBeFiniteAndPositive) {
  write_random("x.npy", {3, 64}, 27);
  quantize("nvfp4-torchao2", path("e.npy"), path("s.npy"));
  for (const std::string number : {"0", "-1", "nan", "inf", "-inf", "1e39", "1e-60", "0x1p3", ""}) {
    SCOPED_TRACE(number);
    for (const std::string option : {"--tensor-scale", "--tensor-amax"}) {
      expect_error(dequantize("ocp", path("e.npy"), path("s.npy"), {option, number}), "");
    }
    expect_error({"quantize", path("x.npy"), "--format", "nvfp4", "--tensor-amax", number}, "");
  }
  expect_error({"quantize", path("x.npy"), "--format", "nvfp4", "--tensor-amax", "0"},
               "the tensor amax cannot be 0 (allowed: finite numbers above 0)");
}

TEST_F(TensorScale, ANanOfTheArrayComesBack) {
  write_floats("x.npy", {1, 2, std::numeric_limits<float>::quiet_NaN(), 0}, {2, 2});
  const std::string file = path("q.safetensors");
  const ProgramRun run = mxe({"quantize", path("x.npy"), "--format", "nvfp4", "--block", "2",
                              "--elements", file, "--scales", file});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(
      std::isnan(numerics::to_float32(tensor("q.safetensors", "tensor_scale").array, "q")[0]));
  const ProgramRun back = mxe(dequantize("ocp", file, file, {"--block", "2"}));
  EXPECT_EQ(back.exit_code, 0) << back.err;
  for (const float value : read_floats("d2.npy", {2, 2})) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace mxe::test
