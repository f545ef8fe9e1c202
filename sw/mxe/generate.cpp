// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/numerics/base/random.h"
#include "model/numerics/files/files.h"
#include "model/numerics/quantize/ascend.h"
#include "sw/arrays/arrays.h"
#include "sw/mxe/command.h"
#include "sw/mxe/option_values.h"

namespace mxe::cli {
namespace {

struct GenerateOptions {
  numerics::AscendProblem problem;
  std::string root = ".", format = "mxfp4_e2m1", a, b;
  uint64_t seed = 1;
  bool json = false;
};

/// Approximately normal: sums of twelve uniform values. Equal on every machine.
std::vector<float> random_matrix(Random& random, std::size_t size) {
  std::vector<float> values(size);
  for (float& value : values) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random.real();
    value = static_cast<float>(sum);
  }
  return values;
}

std::vector<float> matrix(const std::string& path, Random& random, std::size_t rows,
                          std::size_t columns) {
  if (path.empty()) return random_matrix(random, rows * columns);
  arrays::Array<float> array = arrays::read_floats(path);
  arrays::require_same_shape(array.shape, {rows, columns}, path + ": the matrix");
  return std::move(array.values);
}

int run(const GenerateOptions& options) {
  const numerics::AscendProblem& problem = options.problem;
  Random random(options.seed);
  const std::vector<float> a = matrix(options.a, random, problem.m, problem.k);
  const std::vector<float> b = matrix(options.b, random, problem.k, problem.n);
  const numerics::AscendFiles files =
      numerics::ascend_files(a.data(), b.data(), problem, options.format);

  const std::filesystem::path data = std::filesystem::path(options.root) / "data";
  const std::pair<const char*, const std::vector<uint8_t>*> outputs[] = {
      {"input/a_8.bin", &files.a_8},
      {"input/b_8.bin", &files.b_8},
      {"input/a_scale.bin", &files.a_scale},
      {"input/b_scale.bin", &files.b_scale},
      {"golden/expected_data.bin", &files.expected_data}};
  Json written = Json::object();
  for (const auto& [name, content] : outputs) {
    const std::filesystem::path path = data / name;
    std::filesystem::create_directories(path.parent_path());
    numerics::write_file(path.string(), content->data(), content->size());
    written[path.string()] = content->size();
  }
  if (options.json) {
    print_json({{"m", problem.m},
                {"n", problem.n},
                {"k", problem.k},
                {"trans_a", problem.trans_a},
                {"trans_b", problem.trans_b},
                {"format", options.format},
                {"files", written}});
  } else {
    for (const auto& [path, size] : written.items()) {
      fmt::print("{:>10} bytes  {}\n", size.get<std::size_t>(), path);
    }
  }
  return kAgreed;
}

}  // namespace

Command add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "generate", "Write the operand files of the Ascend (CANN) MX matmul samples");
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("M", options->problem.m, "Rows of A")->required()->check(above_zero());
  command->add_option("N", options->problem.n, "Columns of B")->required()->check(above_zero());
  command->add_option("K", options->problem.k, "Columns of A and rows of B")
      ->required()
      ->check(above_zero());
  command->add_option("TRANS_A", options->problem.trans_a, "1: A is stored as [K, M]")
      ->required()
      ->check(CLI::IsMember({"0", "1"}));
  command->add_option("TRANS_B", options->problem.trans_b, "1: B is stored as [N, K]")
      ->required()
      ->check(CLI::IsMember({"0", "1"}));
  command->add_option("--data-root", options->root, "Folder of data/input and data/golden")
      ->capture_default_str();
  command
      ->add_option("--format", options->format, "mxfp4_e2m1, mxfp4_e1m2, mxfp8_e4m3 or mxfp8_e5m2")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random matrices")
      ->capture_default_str();
  command->add_option("--a", options->a, "A instead of a random matrix: float32 [M, K]");
  command->add_option("--b", options->b, "B instead of a random matrix: float32 [K, N]");
  command->add_flag("--json", options->json, "Print one JSON object");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
