// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/run_mxe.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "model/numerics/files/npy.h"

extern char** environ;

namespace mxe::test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string join(const std::vector<std::string>& words) {
  std::string line = "mxe";
  for (const std::string& word : words) line += " " + word;
  return line;
}

}  // namespace

std::string built_program() {
  const char* other = std::getenv("MXE_TESTED_PROGRAM");
  return other ? other : MXE_PROGRAM;
}

CliTest::CliTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "mxe_cli_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("cannot make a scratch directory");
  directory_ = pattern;
}

CliTest::~CliTest() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

ProgramRun CliTest::mxe(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, standard_input_.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, path("stdout").c_str(), flags, 0600);
  if (standard_output_ == -1) posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO);
  if (standard_output_.value_or(-1) >= 0) {
    posix_spawn_file_actions_adddup2(&actions, *standard_output_, STDOUT_FILENO);
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path("stderr").c_str(), flags, 0600);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words[0]);

  int status = 0;
  waitpid(pid, &status, 0);
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = read_file(path("stdout"));
  run.err = read_file(path("stderr"));
  return run;
}

nlohmann::json CliTest::mxe_json(std::vector<std::string> arguments, int exit_code) {
  arguments.push_back("--json");
  SCOPED_TRACE(join(arguments));
  const ProgramRun run = mxe(arguments);
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << run.out;
  return json;
}

void CliTest::expect_error(const std::vector<std::string>& arguments, const std::string& message) {
  SCOPED_TRACE(join(arguments));
  const ProgramRun run = mxe(arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  EXPECT_EQ(run.err.rfind("mxe", 0), 0u) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1);
}

void CliTest::write_text(const std::string& name, const std::string& text) {
  std::ofstream(path(name), std::ios::binary) << text;
}

void CliTest::write_floats(const std::string& name, const std::vector<float>& values,
                           const std::vector<std::size_t>& shape) {
  numerics::write_npy(path(name), values.data(), shape);
}

void CliTest::write_random(const std::string& name, const std::vector<std::size_t>& shape,
                           unsigned seed) {
  std::mt19937 random(seed);
  std::size_t size = 1;
  for (const std::size_t dimension : shape) size *= dimension;
  std::vector<float> values;
  for (std::size_t i = 0; i < size; i++) {
    const float fraction = static_cast<float>(random() % 4096) / 2048.0f - 1.0f;
    values.push_back(std::ldexp(fraction, static_cast<int>(random() % 5) - 2));
  }
  write_floats(name, values, shape);
}

std::string CliTest::read_text(const std::string& name) { return read_file(path(name)); }

bool CliTest::same_bytes(const std::string& a, const std::string& b) {
  return read_text(a) == read_text(b);
}

std::vector<float> CliTest::read_floats(const std::string& name,
                                        const std::vector<std::size_t>& shape) {
  const numerics::NpyArray array = numerics::read_npy(path(name));
  EXPECT_EQ(array.shape, shape) << name;
  EXPECT_EQ(array.dtype, numerics::DType::float32) << name;
  return numerics::to_float32(array, name);
}

std::vector<uint8_t> CliTest::read_bytes(const std::string& name,
                                         const std::vector<std::size_t>& shape) {
  const numerics::NpyArray array = numerics::read_npy(path(name));
  EXPECT_EQ(array.shape, shape) << name;
  return numerics::to_uint8(array, name);
}

}  // namespace mxe::test
