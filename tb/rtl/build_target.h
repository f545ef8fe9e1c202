// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mxe {

/// Whether programs may build what they miss: the option --build sets the variable MXE_BUILD to 1,
/// which the processes that they start inherit. Without it they name the command instead.
bool may_build();
void allow_building();

/// The build folder in which this program lies, or an empty path if it is installed.
std::filesystem::path build_folder();

/// The command for people that builds `target` of this build folder.
std::string build_command(const std::string& target);

/// Has CMake build `target` of this build folder, with its output on standard error. Processes that
/// build in one folder wait for each other. Throws mx::Error if there is no build folder or the
/// build fails.
void build_target(const std::string& target);

/// Runs a program, found on PATH, with these arguments, standard output and error in `log`, or both
/// on standard error if `log` is empty. Needs no shell. Throws mx::Error if it cannot be started;
/// returns whether it ended with status 0.
bool run_program(const std::vector<std::string>& words, const std::filesystem::path& log = {});

/// The descriptor of an open file, which is closed in the end; negative if open() failed.
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

/// While it lives, no other process has this file locked; creates the file. Throws mx::Error if
/// that is impossible.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);

 private:
  OpenFile file_;
};

}  // namespace mxe
