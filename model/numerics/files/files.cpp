// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/files/files.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "model/numerics/base/error.h"

namespace mxe::numerics {
namespace {

namespace fs = std::filesystem;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw Error(fmt::format("{}: {}: {}", path, what, std::strerror(error)));
}

struct Place {
  std::string path;               // not a symbolic link
  std::optional<int> descriptor;  // of this process; replaces the path
};

bool holds_descriptors(const fs::path& folder) {
  return folder.filename() == "fd" && folder.string().rfind("/proc/", 0) == 0;
}

/// Descriptor of a link in a folder of descriptors: /proc/123/fd/4 -> 4; empty for another process.
std::optional<int> descriptor_of(const fs::path& link) {
  if (link.string().rfind(fmt::format("/proc/{}/", getpid()), 0) != 0) return std::nullopt;
  const std::string name = link.filename();
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

/// Follows symbolic links; the file need not exist.
Place find_place(const std::string& path) {
  if (path == "-") return {path, STDOUT_FILENO};
  constexpr int kMostLinks = 40;
  fs::path at = path;
  for (int i = 0; i < kMostLinks; i++) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) return {at, {}};  // the later open() reports the reason
    const fs::path link = folder / at.filename();
    const fs::path target = fs::read_symlink(link, error);
    if (error) return {link, {}};
    if (holds_descriptors(folder)) return {link, descriptor_of(link)};
    at = folder / target;
  }
  fail(path, "cannot create", ELOOP);
}

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

File open_place(const Place& place, const std::string& path) {
  if (place.descriptor == STDOUT_FILENO) std::fflush(stdout);
  File file(place.descriptor ? fdopen(dup(*place.descriptor), "wb")
                             : std::fopen(place.path.c_str(), "wbe"));
  if (!file) fail(path, "cannot create", errno);
  return file;
}

/// A temporary file that replaces a regular file of the same folder.
class Part {
 public:
  /// nullopt if an existing file is written in place: not regular, or its folder forbids new files.
  static std::optional<Part> make(const std::string& place, const std::string& path) {
    struct stat old {};
    const bool exists = stat(place.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return std::nullopt;
    if (exists && access(place.c_str(), W_OK) != 0) fail(path, "cannot create", errno);
    const std::string folder = fs::path(place).parent_path();
    for (unsigned i = 0;; i++) {
      // Not derived from the file's name, which may have the maximum length.
      Part part(fmt::format("{}/.mxe-{}-{}.part", folder, getpid(), i));
      const int file = open(part.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file < 0 && errno == EEXIST) continue;
      if (file < 0 && exists && (errno == EACCES || errno == EPERM || errno == EROFS)) return {};
      if (file < 0) fail(path, "cannot create", errno);
      part.file_.reset(fdopen(file, "wb"));
      if (exists) {  // best effort: may lack the permission
        static_cast<void>(fchown(file, old.st_uid, old.st_gid) + fchmod(file, old.st_mode & 07777));
      }
      return part;
    }
  }

  Part(Part&& other) noexcept
      : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  Part& operator=(Part&&) = delete;
  ~Part() {
    if (file_) unlink(path_.c_str());
  }

  std::FILE* file() const { return file_.get(); }

  void replace(const std::string& place, const std::string& path) {
    const int closed = std::fclose(file_.release());
    if (closed == 0 && std::rename(path_.c_str(), place.c_str()) == 0) return;
    const int error = errno;
    unlink(path_.c_str());
    fail(path, "cannot write", error);
  }

 private:
  explicit Part(std::string path) : path_(std::move(path)) {}

  std::string path_;
  File file_;
};

void write_all(std::FILE* file, std::string_view text, Durable durable, const std::string& path) {
  const bool written =
      text.empty() || std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) fail(path, "cannot write", errno);
  // fsync() fails with EINVAL or EROFS for devices and pipes.
  if (durable == Durable::yes && fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS) {
    fail(path, "cannot write", errno);
  }
}

}  // namespace

std::vector<uint8_t> read_file(const std::string& path, std::size_t most) {
  const File file(path == "-" ? fdopen(dup(STDIN_FILENO), "rb") : std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, "cannot open", errno);
  std::vector<uint8_t> bytes;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  while (bytes.size() < most) {
    const std::size_t used = bytes.size(), wanted = std::min(kChunk, most - used);
    bytes.resize(used + wanted);
    const std::size_t got = std::fread(bytes.data() + used, 1, wanted, file.get());
    bytes.resize(used + got);
    if (got < wanted) break;
  }
  if (std::ferror(file.get()) != 0) fail(path, "cannot read", errno);
  return bytes;
}

std::string read_text(const std::string& path, std::size_t most) {
  const std::vector<uint8_t> bytes = read_file(path, most);
  return {bytes.begin(), bytes.end()};
}

OutputFile::OutputFile(const std::string& path)
    : path_(path), file_(open_place(find_place(path), path).release()) {}

void OutputFile::add(std::string_view text) {
  if (text.empty() || error_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) error_ = errno;
}

void OutputFile::flush() {
  if (std::fflush(file_.get()) != 0 && error_ == 0) error_ = errno;
}

void OutputFile::close() {
  if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) fail(path_, "cannot write", error_);
}

void write_file(const std::string& path, const void* data, std::size_t size, Durable durable) {
  const std::string_view text(static_cast<const char*>(data), size);
  const Place place = find_place(path);
  if (!place.descriptor) {
    if (std::optional<Part> part = Part::make(place.path, path)) {
      write_all(part->file(), text, durable, path);
      return part->replace(place.path, path);
    }
  }
  const File file = open_place(place, path);
  write_all(file.get(), text, durable, path);
}

void write_file(const std::string& path, std::string_view text, Durable durable) {
  write_file(path, text.data(), text.size(), durable);
}

void require_extension(const std::string& path, std::string_view extension, std::string_view why) {
  const Place place = find_place(path);
  if (place.descriptor || is_special(place.path)) return;
  if (fs::path(path).extension() == extension) return;
  throw Error(fmt::format("{}: {}; allowed: a name that ends in {}", path, why, extension));
}

std::string regular_place(const std::string& path) {
  const Place place = find_place(path);
  if (!place.descriptor && !is_special(place.path)) return place.path;
  throw Error(
      fmt::format("{}: cannot create: the format needs a regular file, no device or pipe", path));
}

void require_written(const std::string& path) {
  if (path.empty() || fs::exists(path)) return;
  throw Error(fmt::format("{}: cannot write: the disk is full or failed", path));
}

bool is_standard_output(const std::string& path) {
  return find_place(path).descriptor == STDOUT_FILENO;
}

std::string standard_output_error() {
  const bool failed = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed) return {};
  // The reason of an earlier failure is lost.
  return errno == 0 ? "standard output: cannot write"
                    : fmt::format("standard output: cannot write: {}", std::strerror(errno));
}

std::string program_directory() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {  // no /proc: use the path of the exec call
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = started ? fs::canonical(started, error) : fs::path();
  }
  return program.parent_path().string();
}

}  // namespace mxe::numerics
