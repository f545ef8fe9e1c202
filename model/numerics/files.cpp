// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "model/numerics/error.h"

namespace mx {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

}  // namespace

std::vector<uint8_t> read_file(const std::string& path) {
  const File file(path == "-" ? fdopen(dup(STDIN_FILENO), "rb") : std::fopen(path.c_str(), "rb"));
  if (!file) throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::vector<uint8_t> bytes;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    const std::size_t used = bytes.size();
    bytes.resize(used + kChunk);
    const std::size_t got = std::fread(bytes.data() + used, 1, kChunk, file.get());
    bytes.resize(used + got);
    if (got < kChunk) break;
  }
  if (std::ferror(file.get()) != 0) {
    throw Error(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  }
  return bytes;
}

void write_file(const std::string& path, const void* data, std::size_t size) {
  if (path == "-") std::fflush(stdout);
  File file(path == "-" ? fdopen(dup(STDOUT_FILENO), "wb") : std::fopen(path.c_str(), "wb"));
  if (!file) throw Error(fmt::format("{}: cannot create: {}", path, std::strerror(errno)));
  const bool written = size == 0 || std::fwrite(data, 1, size, file.get()) == size;
  if (!written || std::fclose(file.release()) != 0) {
    throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  }
}

std::string program_directory() {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {  // no /proc: the path that the program was started by
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = started ? fs::canonical(started, error) : fs::path();
  }
  return program.parent_path().string();
}

}  // namespace mx
