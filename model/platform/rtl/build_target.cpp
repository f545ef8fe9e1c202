// SPDX-License-Identifier: Apache-2.0
#include "model/platform/rtl/build_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "model/numerics/base/error.h"
#include "model/numerics/base/process.h"
#include "model/numerics/files/files.h"

namespace mxe::rtl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMayBuild = "MXE_BUILD";

}  // namespace

bool may_build() {
  const char* value = std::getenv(kMayBuild);
  return value && std::strcmp(value, "1") == 0;
}

void allow_building() { setenv(kMayBuild, "1", 1); }

fs::path build_folder() {
  const fs::path folder = numerics::program_directory();
  return exists(folder / "CMakeCache.txt") && exists(folder / MXE_RTL_LIST) ? folder : fs::path();
}

std::string build_command(const std::string& target) {
  return fmt::format("cmake --build {} --target {}", build_folder().string(), target);
}

void build_target(const std::string& target) {
  const fs::path folder = build_folder();
  if (folder.empty()) throw Error(fmt::format("{} is not installed", target));
  const FileLock lock(folder / "build.lock");
  fmt::print(stderr, "building {}\n", target);
  if (!run_program({"cmake", "--build", folder.string(), "--target", target})) {
    throw Error(fmt::format("{} could not be built", target));
  }
}

bool run_program(const std::vector<std::string>& words, const fs::path& log) {
  std::optional<OpenFile> file;
  if (!log.empty()) {
    file.emplace(log, O_WRONLY | O_CREAT | O_APPEND);
    if (file->descriptor() < 0) {
      throw Error(fmt::format("{}: cannot create: {}", log.string(), std::strerror(errno)));
    }
  }
  const int output = file ? file->descriptor() : STDERR_FILENO;
  const ProcessEnd end = run_process(words, output, output);
  if (end.start_error != 0) {
    throw Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(end.start_error)));
  }
  return end.succeeded();
}

OpenFile::OpenFile(const fs::path& file, int flags)
    : file_(open(file.c_str(), flags | O_CLOEXEC, 0644)) {}

OpenFile::~OpenFile() {
  if (file_ >= 0) close(file_);
}

FileLock::FileLock(const fs::path& file) : file_(file, O_RDWR | O_CREAT) {
  int result = -1;
  while (file_.descriptor() >= 0 && (result = flock(file_.descriptor(), LOCK_EX)) != 0 &&
         errno == EINTR) {
  }
  if (result != 0) {
    throw Error(fmt::format("cannot lock {}: {}", file.string(), std::strerror(errno)));
  }
}

}  // namespace mxe::rtl
