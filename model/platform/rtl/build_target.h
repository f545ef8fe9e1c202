// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mxe::rtl {

/// True if programs may build missing or outdated designs: --build sets the variable MXE_BUILD to
/// 1, which child processes inherit. Otherwise error messages name the build command.
bool may_build();
void allow_building();

/// The build folder that contains this program; empty if it is installed.
std::filesystem::path build_folder();

std::string build_command(const std::string& target);

/// Builds `target` of this build folder with CMake, output on standard error. Concurrent builds in
/// one folder are serialised. Throws Error if there is no build folder or the build fails.
void build_target(const std::string& target);

/// Runs a program from PATH, without a shell. Its output goes to `log`, or to standard error if
/// that is empty. Returns true for exit status 0; throws Error if it cannot be started.
bool run_program(const std::vector<std::string>& words, const std::filesystem::path& log = {});

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return file_; }

 private:
  int file_;
};

/// Holds an exclusive lock on a file, which it creates. Throws Error on failure.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);

 private:
  OpenFile file_;
};

}  // namespace mxe::rtl
