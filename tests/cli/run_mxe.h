// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mxe::test {

struct ProgramRun {
  int exit_code = -1;  ///< 128 + signal number if it was killed
  std::string out, err;
};

/// The path of the built program, or of MXE_TESTED_PROGRAM, for example one with faults.
std::string built_program();

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class CliTest : public testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  /// Runs this program from now on instead of the built one.
  void run_program(const std::string& program) { program_ = program; }
  /// Uses this file as standard input from now on.
  void feed(const std::string& file) { standard_input_ = file; }
  /// Uses this descriptor as standard output from now on; -1 closes it.
  void print_to(int descriptor) { standard_output_ = descriptor; }
  ProgramRun mxe(const std::vector<std::string>& arguments);
  /// Adds --json; expects `exit_code` and exactly one JSON object on stdout.
  nlohmann::json mxe_json(std::vector<std::string> arguments, int exit_code = 0);
  /// Expects bad input: exit 2, nothing on stdout, one line with `message` on stderr.
  void expect_error(const std::vector<std::string>& arguments, const std::string& message);

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void write_text(const std::string& name, const std::string& text);
  void write_floats(const std::string& name, const std::vector<float>& values,
                    const std::vector<std::size_t>& shape);
  /// Random numbers of a seed: -1 to 1 times a power of two from 1/4 to 4.
  void write_random(const std::string& name, const std::vector<std::size_t>& shape, unsigned seed);
  std::string read_text(const std::string& name);
  bool same_bytes(const std::string& a, const std::string& b);
  std::vector<float> read_floats(const std::string& name, const std::vector<std::size_t>& shape);
  std::vector<uint8_t> read_bytes(const std::string& name, const std::vector<std::size_t>& shape);

 private:
  std::string directory_, program_ = built_program(), standard_input_ = "/dev/null";
  std::optional<int> standard_output_;  // default: a file that mxe() reads
};

}  // namespace mxe::test
