// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "model/numerics/base/error.h"
#include "model/params/params.h"

namespace mxe::test {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Checks only the parameters that `assignments` names.
void expect_values(const char* config, const std::string& assignments) {
  Params expected = Params::named(config);
  std::istringstream words(assignments);
  for (std::string word; words >> word;) expected.set(word);
  EXPECT_EQ(Params::named(config).to_string(), expected.to_string());
}

TEST(Params, NamedConfigurations) {
  expect_values(
      "small",
      "NUM_PE=4 ROWS=8 ACC_TILES=2 TREE_W=70 FP4_DUAL=1 A_SLAB_K=128 B_BUF_K=64 B_BANKS=4 "
      "MEM_W=128 QUEUE_DEPTH=16 MAX_BURST=16 NVFP4=1");
  expect_values(
      "base",
      "NUM_PE=8 ROWS=32 ACC_TILES=4 TREE_W=70 FP4_DUAL=1 A_SLAB_K=1024 B_BUF_K=512 B_BANKS=4 "
      "MEM_W=256 QUEUE_DEPTH=16 MAX_BURST=16 NVFP4=1");
  expect_values(
      "large",
      "NUM_PE=32 ROWS=64 ACC_TILES=4 TREE_W=70 FP4_DUAL=1 A_SLAB_K=1024 B_BUF_K=256 B_BANKS=4 "
      "MEM_W=512 QUEUE_DEPTH=16 MAX_BURST=16 NVFP4=1");
  EXPECT_EQ(Params::named("base"), Params());
  EXPECT_EQ(Params().to_string().substr(0, 22), "NUM_PE=8 ROWS=32 ACC_T");
  for (const char* name : config_names()) {
    EXPECT_NO_THROW(Params::named(name).validate());
    EXPECT_EQ(Params::named(name).config_name(), name);
  }
  EXPECT_EQ(error_of([] { Params::named("tiny"); }),
            "unknown configuration 'tiny' (allowed: small, base, large)");
}

TEST(Params, SetChangesExactlyOneParameter) {
  for (const ParameterInfo& info : parameter_table) {
    Params params;
    params.set(std::string(info.name) + "=77");
    EXPECT_EQ(params.*(info.field), 77u) << info.name;
    EXPECT_NE(params, Params());
    EXPECT_EQ(params.config_name(), "custom");
    params.*(info.field) = Params().*(info.field);
    EXPECT_EQ(params, Params());
  }
}

TEST(Params, SetReportsWhatIsWrong) {
  Params params;
  const std::string unknown = error_of([&] { params.set("NUM_PES=4"); });
  EXPECT_EQ(unknown.substr(0, 46), "unknown parameter 'NUM_PES' (allowed: NUM_PE, ");
  for (const ParameterInfo& info : parameter_table) {
    EXPECT_NE(unknown.find(info.name), std::string::npos) << info.name;
  }
  EXPECT_EQ(error_of([&] { params.set("NUM_PE"); }).substr(0, 45),
            "'NUM_PE' is not of the form NAME=VALUE (names");
  for (const char* bad : {"", "x", "-4", "4x", " 4", "99999999999999999999", "1e3"}) {
    EXPECT_EQ(error_of([&] { params.set(std::string("ROWS=") + bad); }),
              std::string("ROWS must be a whole number of at least 0, not '") + bad + "'");
  }
  EXPECT_EQ(params, Params());
}

TEST(Params, ValidateReportsEachLimit) {
  const struct {
    const char* assignment;
    const char* message;
  } cases[] = {
      {"NUM_PE=0", "NUM_PE is 0, but must be a power of two from 1 to 64"},
      {"NUM_PE=12", "NUM_PE is 12, but must be a power of two from 1 to 64"},
      {"NUM_PE=64", "ROWS is 32, but must be at least NUM_PE, which is 64"},
      {"ROWS=4", "ROWS is 4, but must be a power of two from 8 to 256"},
      {"ACC_TILES=32", "ACC_TILES is 32, but must be a power of two from 1 to 16"},
      {"TREE_W=64", "TREE_W is 64, but must be 42, 56 or 70"},
      {"FP4_DUAL=2", "FP4_DUAL is 2, but must be from 0 to 1"},
      {"A_SLAB_K=16", "A_SLAB_K is 16, but must be a power of two from 32 to 16384"},
      {"A_SLAB_K=128", "B_BUF_K is 512, but must be at most A_SLAB_K, which is 128"},
      {"B_BUF_K=48", "B_BUF_K is 48, but must be a power of two from 32 to 16384"},
      {"B_BANKS=3", "B_BANKS is 3, but must be a power of two from 2 to 8"},
      {"MEM_W=1024", "MEM_W is 1024, but must be a power of two from 64 to 512"},
      {"QUEUE_DEPTH=1", "QUEUE_DEPTH is 1, but must be a power of two from 2 to 256"},
      {"MAX_BURST=512", "MAX_BURST is 512, but must be a power of two from 1 to 256"},
  };
  for (const auto& c : cases) {
    Params params;
    params.set(c.assignment);
    EXPECT_EQ(error_of([&] { params.validate(); }), c.message);
  }
}

TEST(Params, EveryParameterHasLimits) {
  for (const ParameterInfo& info : parameter_table) {
    for (const unsigned value : {info.min - 1, info.max + 1, info.max * 2 + 1}) {
      Params params;
      params.*(info.field) = value;
      EXPECT_EQ(error_of([&] { params.validate(); }), std::string(info.name) + " is " +
                                                          std::to_string(value) + ", but must be " +
                                                          info.allowed);
    }
  }
}

TEST(Params, Yaml) {
  EXPECT_EQ(Params::from_yaml("", "f"), Params());
  EXPECT_EQ(Params::from_yaml("config: small\n", "f"), Params::named("small"));
  const Params params = Params::from_yaml("NUM_PE: 2\nconfig: small\nMEM_W: 64\n", "f");
  Params expected = Params::named("small");
  expected.num_pe = 2;
  expected.mem_w = 64;
  EXPECT_EQ(params, expected);
  EXPECT_EQ(error_of([] { Params::from_yaml("PES: 3", "a.yaml"); }).substr(0, 44),
            "a.yaml: unknown key 'PES' (allowed: config, ");
  EXPECT_EQ(error_of([] { Params::from_yaml("NUM_PE: [3]", "f"); }),
            "f: the value of 'NUM_PE' must be a single number or word");
  EXPECT_EQ(error_of([] { Params::from_yaml("NUM_PE: 8\nNUM_PE: 4", "f"); }),
            "f: 'NUM_PE' is given twice");
  EXPECT_EQ(error_of([] { Params::from_yaml("NUM_PE: 3", "f"); }),
            "f: NUM_PE is 3, but must be a power of two from 1 to 64");
  EXPECT_EQ(error_of([] { Params::from_yaml("- 3", "f"); }),
            "f: a configuration must be a map of parameter names to values");
  EXPECT_EQ(error_of([] { Params::from_yaml("a: [", "f"); }).substr(0, 13), "f:1: not YAML");
}

TEST(Params, LoadTakesANameOrAFile) {
  EXPECT_EQ(Params::load("large"), Params::named("large"));
  const std::string path = testing::TempDir() + "mxe_params_test.yaml";
  std::ofstream(path) << "config: large\nQUEUE_DEPTH: 4\n";
  EXPECT_EQ(Params::load(path).queue_depth, 4u);
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_EQ(Params::load(path), Params());
  std::remove(path.c_str());
  EXPECT_EQ(
      error_of([&] { Params::load(path); }),
      "'" + path + "' is neither a named configuration (small, base, large) nor a readable file");
  EXPECT_EQ(error_of([] { Params::load("/"); }), "/: cannot read: Is a directory");
}

TEST(Params, ToStringReadsBack) {
  const Params params = Params::named("small");
  Params copy = Params::named("large");
  std::istringstream words(params.to_string());
  for (std::string word; words >> word;) copy.set(word);
  EXPECT_EQ(copy, params);
}

}  // namespace
}  // namespace mxe::test
