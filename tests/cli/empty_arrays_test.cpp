// SPDX-License-Identifier: Apache-2.0
// Arrays without elements, and products with M, N, K or a batch of 0, behave as in NumPy.
#include <string>

#include "model/numerics/files/files.h"
#include "model/numerics/files/npy.h"
#include "model/numerics/files/safetensors.h"
#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

using Shape = std::vector<std::size_t>;
using Words = std::vector<std::string>;

class EmptyArrays : public CliTest {
 protected:
  void succeed(const Words& arguments) {
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
  }

  void write_empty(const std::string& name, const std::string& descr, const std::string& shape) {
    std::string header =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xFF);
    file += static_cast<char>(header.size() >> 8);
    write_text(name, file + header);
  }

  std::pair<std::string, Shape> description(const std::string& name) {
    const numerics::NpyArray array = numerics::read_npy(path(name));
    return {std::string(numerics::dtype_name(array.dtype)), array.shape};
  }

  static Shape blocks_along(Shape shape, std::size_t axis, std::size_t block) {
    shape[axis] = (shape[axis] + block - 1) / block;
    return shape;
  }
};

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (const std::size_t size : shape) text += std::to_string(size) + ",";
  return text + ")";
}

TEST_F(EmptyArrays, ScalesKeepTheirTypeAndShape) {
  for (const Shape& shape : {Shape{0, 64}, Shape{5, 0}, Shape{0}, Shape{0, 0}, Shape{3, 0, 70}}) {
    for (const std::string format :
         {"mxfp4_e2m1", "mxfp6_e3m2", "mxfp8_e5m2", "mxint8", "nvfp4", "int12", "e3m1"}) {
      for (std::size_t axis = 0; axis < shape.size(); axis++) {
        const Words types =
            format == "mxint8" ? Words{"<f4", "<f8", "<f2", "<V2", ">f4"} : Words{"<f4"};
        for (const std::string& type : types) {
          SCOPED_TRACE(text_of(shape) + " " + format + " " + type + " " + std::to_string(axis));
          write_empty("x.npy", type, text_of(shape));
          succeed({"quantize", path("x.npy"), "--format", format, "--axis", std::to_string(axis),
                   "--elements", path("e.npy"), "--scales", path("s.npy"), "--dequantized",
                   path("d.npy"), "--stats"});
          const std::string codes = format == "int12" ? "uint16" : "uint8";
          EXPECT_EQ(description("e.npy"), std::pair(codes, shape));
          EXPECT_EQ(description("s.npy"),
                    std::pair(std::string("uint8"),
                              blocks_along(shape, axis, format == "nvfp4" ? 16 : 32)));
          EXPECT_EQ(description("d.npy"), std::pair(std::string("float32"), shape));
          succeed({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"), "--format",
                   format, "--axis", std::to_string(axis), "--output", path("d2.npy"),
                   "--tensor-scale", format == "nvfp4" ? "0.5" : "1"});
          EXPECT_TRUE(same_bytes("d.npy", "d2.npy"));
        }
      }
    }
  }
}

TEST_F(EmptyArrays, SafetensorsKeepTheirTypes) {
  write_empty("x.npy", "<f4", "(0, 64)");
  const std::string file = path("q.safetensors");
  for (const auto& [format, elements, scales] :
       {std::tuple("mxfp4_e2m1", "F4", "F8_E8M0"), std::tuple("mxfp8_e4m3", "F8_E4M3", "F8_E8M0"),
        std::tuple("nvfp4", "F4", "F8_E4M3"), std::tuple("mxint8", "I8", "F8_E8M0")}) {
    SCOPED_TRACE(format);
    succeed({"quantize", path("x.npy"), "--format", format, "--elements", file, "--scales", file});
    const std::vector<uint8_t> bytes = numerics::read_file(file);
    const auto type = [&bytes](const std::string& name) {
      return numerics::parse_safetensors(bytes.data(), bytes.size(), "q", name).at(0).dtype;
    };
    EXPECT_EQ(type("elements"), elements);
    EXPECT_EQ(type("scales"), scales);
    succeed({"dequantize", "--elements", file, "--scales", file, "--format", format, "--output",
             path("d.npy")});
    read_floats("d.npy", {0, 64});
  }
}

TEST_F(EmptyArrays, PackAndSwizzle) {
  const auto packed = [this](const std::string& shape, const std::string& format) {
    write_empty("x.npy", "<f4", shape);
    succeed({"quantize", path("x.npy"), "--format", format, "--pack", "low", "--swizzle", "32x4x4",
             "--elements", path("e.npy"), "--scales", path("s.npy")});
    EXPECT_EQ(description("s.npy"), std::pair(std::string("uint8"), Shape{0}));
    return description("e.npy").second;
  };
  EXPECT_EQ(packed("(0, 64)", "mxfp4_e2m1"), (Shape{0, 32}));
  EXPECT_EQ(packed("(3, 0, 5)", "mxfp4_e2m1"), (Shape{3, 0, 3}));
  EXPECT_EQ(packed("(0, 64)", "mxfp6_e2m3"), (Shape{0, 48}));
  EXPECT_EQ(packed("(7, 0)", "mxfp4_e2m1"), (Shape{7, 0}));
  EXPECT_EQ(packed("(1099511627776, 0)", "mxfp4_e2m1"), (Shape{1099511627776, 0}));
  write_empty("x.npy", "<f4", "(0, 70)");
  succeed({"quantize", path("x.npy"), "--format", "mxfp4_e2m1", "--pack", "high", "--swizzle",
           "32x4x4", "--elements", path("e.npy"), "--scales", path("s.npy")});
  succeed({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"), "--format",
           "mxfp4_e2m1", "--pack", "high", "--swizzle", "32x4x4", "--output", path("d.npy")});
  read_floats("d.npy", {0, 70});
}

TEST_F(EmptyArrays, HugeAxesEndAtOnce) {
  for (const std::string shape : {"(1099511627776, 0)", "(0, 1099511627776)", "(68719476736, 0, 3)",
                                  "(2, 0, 274877906944)"}) {
    write_empty("x.npy", "<f4", shape);
    for (const char* format : {"mxint8", "mxfp4_e2m1", "nvfp4", "e3m1", "int12"}) {
      for (const char* axis : {"0", "1", "-1"}) {
        SCOPED_TRACE(shape + " " + format + " " + axis);
        succeed({"quantize", path("x.npy"), "--format", format, "--axis", axis, "--elements",
                 path("e.npy"), "--scales", path("s.npy"), "--stats"});
        succeed({"dequantize", "--elements", path("e.npy"), "--scales", path("s.npy"), "--format",
                 format, "--axis", axis, "--tensor-scale",
                 std::string(format) == "nvfp4" ? "0.5" : "1", "--output", path("d.npy")});
      }
    }
    succeed({"compare", path("x.npy")});
    succeed({"diff", path("x.npy"), "--format", "mxint8", "--presets", "ocp,microxcaling-even"});
    expect_error({"explain", "--from", path("x.npy"), "--at", "0", "--format", "mxint8"},
                 "no element 0");
  }
  // As in NumPy, the bytes must fit in 63 bits even without the axes that are 0: 2^66 and 2^64.
  for (const std::string shape : {"(4294967296, 4294967296, 0)", "(0, 4611686018427387904)"}) {
    write_empty("x.npy", "<f4", shape);
    expect_error({"quantize", path("x.npy"), "--format", "mxint8"}, "too many");
  }
  // The amaxes of 2^40 rows would not fit in memory.
  write_empty("x.npy", "<f4", "(1099511627776, 0)");
  expect_error({"quantize", path("x.npy"), "--format", "nvfp4", "--preset", "nvfp4-te-row"},
               "not enough memory");
}

TEST_F(EmptyArrays, HugeAxesOfSafetensors) {
  const auto file = [this](const std::string& shape) {
    const std::string header =
        R"({"x":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,0]}})";
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size());
    write_text("x.safetensors", length + header);
  };
  file("[1099511627776,0]");
  succeed({"quantize", path("x.safetensors"), "--format", "mxint8", "--axis", "0"});
  file("[0,1099511627776]");
  succeed({"quantize", path("x.safetensors"), "--format", "mxint8", "--axis", "0"});
  file("[4294967296,4294967296,0]");
  expect_error({"quantize", path("x.safetensors"), "--format", "mxint8"}, "too large");
}

TEST_F(EmptyArrays, ProductsOnEveryTarget) {
  struct Case {
    const char* a;
    const char* b;
    Shape result;
  };
  const Case cases[] = {{"(0, 64)", "(64, 8)", {0, 8}},
                        {"(3, 64)", "(64, 0)", {3, 0}},
                        {"(0, 3, 64)", "(64, 8)", {0, 3, 8}},
                        {"(0, 3, 64)", "(1, 64, 8)", {0, 3, 8}},
                        {"(3, 64)", "(0, 64, 8)", {0, 3, 8}},
                        {"(2, 0, 3, 64)", "(2, 1, 64, 8)", {2, 0, 3, 8}},
                        {"(0, 0)", "(0, 0)", {0, 0}},
                        {"(1099511627776, 0, 64)", "(64, 8)", {1099511627776, 0, 8}}};
  Words targets{"golden", "model"};
#ifdef MXE_WITH_RTL
  targets.emplace_back("rtl");
#endif
  const auto write = [this](const char* name, const std::string& shape) {
    if (shape == "(3, 64)") return write_random(name, {3, 64}, 1);
    if (shape == "(64, 8)") return write_random(name, {64, 8}, 2);
    if (shape == "(1, 64, 8)") return write_random(name, {1, 64, 8}, 2);
    if (shape == "(2, 1, 64, 8)") return write_random(name, {2, 1, 64, 8}, 2);
    write_empty(name, "<f4", shape);
  };
  for (const Case& one : cases) {
    write("a.npy", one.a);
    write("b.npy", one.b);
    for (const std::string& target : targets) {
      SCOPED_TRACE(target + " " + one.a + " " + one.b);
      const Words matmul{"matmul",     path("a.npy"), path("b.npy"), "--format-a", "mxfp8_e4m3",
                         "--format-b", "mxfp4_e2m1",  "--on",        target,       "--config",
                         "small",      "--output",    path("d.npy")};
      succeed(matmul);
      EXPECT_EQ(description("d.npy"), std::pair(std::string("float32"), one.result));
      const nlohmann::json json = mxe_json(matmul);
      EXPECT_EQ(json.at("n"), one.result.back());
      if (target != "golden") {
        EXPECT_EQ(json.at("cycles"), 0);
        EXPECT_EQ(json.at("utilization"), 0);
        EXPECT_EQ(json.at("counters").at("mac_active"), 0);
      }
      Words mx = matmul;
      mx.insert(mx.end(), {"--out-format", "mxfp8_e5m2", "--elements", path("e.npy"), "--scales",
                           path("s.npy")});
      succeed(mx);
      EXPECT_EQ(description("e.npy"), std::pair(std::string("uint8"), one.result));
      EXPECT_EQ(
          description("s.npy"),
          std::pair(std::string("uint8"), blocks_along(one.result, one.result.size() - 1, 32)));
    }
  }
}

TEST_F(EmptyArrays, BiasOfAnEmptyResult) {
  write_empty("a.npy", "<f4", "(0, 64)");
  write_random("b.npy", {64, 8}, 2);
  write_floats("row.npy", {1, 2, 3, 4, 5, 6, 7, 8}, {8});
  write_empty("all.npy", "<f4", "(0, 8)");
  const Words matmul{"matmul",     path("a.npy"), path("b.npy"), "--format-a", "mxint8",
                     "--format-b", "mxint8",      "--on",        "model",      "--config",
                     "small",      "--output",    path("d.npy"), "--bias"};
  for (const char* bias : {"row.npy", "all.npy"}) {
    Words command = matmul;
    command.push_back(path(bias));
    succeed(command);
    read_floats("d.npy", {0, 8});
  }
  Words command = matmul;
  command.push_back(path("b.npy"));
  expect_error(command, "the bias must be");
}

TEST_F(EmptyArrays, DepthZeroGivesTheBias) {
  write_empty("a.npy", "<f4", "(2, 0)");
  write_empty("b.npy", "<f4", "(0, 3)");
  write_floats("c.npy", {1, -2, 3}, {3});
  for (const char* accumulate : {"block", "exact", "sequential", "nvidia-blackwell"}) {
    SCOPED_TRACE(accumulate);
    const Words matmul{"matmul",      path("a.npy"),  path("b.npy"), "--format-a", "mxfp4_e2m1",
                       "--format-b",  "mxfp4_e2m1",   "--on",        "golden",     "--output",
                       path("d.npy"), "--accumulate", accumulate};
    succeed(matmul);
    EXPECT_EQ(read_floats("d.npy", {2, 3}), std::vector<float>(6, 0.0f));
    Words biased = matmul;
    biased.insert(biased.end(), {"--bias", path("c.npy")});
    succeed(biased);
    EXPECT_EQ(read_floats("d.npy", {2, 3}), (std::vector<float>{1, -2, 3, 1, -2, 3}));
  }
  expect_error({"matmul", path("a.npy"), path("b.npy"), "--format-a", "mxint8", "--format-b",
                "mxint8", "--on", "model"},
               "an engine needs a K of at least 1");
}

TEST_F(EmptyArrays, ShapesMustStillFit) {
  write_empty("a.npy", "<f4", "(0, 64)");
  write_empty("b.npy", "<f4", "(32, 0)");
  const Words tail{"--format-a", "mxint8", "--format-b", "mxint8", "--on", "golden"};
  const auto matmul = [&](const char* a, const char* b) {
    Words command{"matmul", path(a), path(b)};
    command.insert(command.end(), tail.begin(), tail.end());
    return command;
  };
  expect_error(matmul("a.npy", "b.npy"),
               "the number of columns of A must equal the number of rows of B");
  write_empty("c.npy", "<f4", "(0, 3, 64)");
  write_random("d.npy", {2, 64, 8}, 1);
  expect_error(matmul("c.npy", "d.npy"), "must be the same, or 1 or missing");
}

}  // namespace
}  // namespace mxe::test
