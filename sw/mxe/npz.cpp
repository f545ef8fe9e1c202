// SPDX-License-Identifier: Apache-2.0
#include "sw/mxe/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <memory>
#include <string_view>

#include "model/numerics/error.h"

namespace mxe::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct ZipDiscarder {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ZipDiscarder>;

struct MemberCloser {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Member = std::unique_ptr<zip_file_t, MemberCloser>;

/// An error of libzip that is freed at the end.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  const char* text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

Archive open_archive(const uint8_t* bytes, std::size_t size, const std::string& name) {
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes, size, 0, error.get());
  Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY, error.get()) : nullptr);
  if (archive) return archive;
  if (source) zip_source_free(source);
  throw mx::Error(fmt::format("{}: not an .npz file: {}", name, error.text()));
}

/// Fit for a message of one line.
std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

/// Grows with what is there, not with what the archive promises.
std::vector<uint8_t> read_member(zip_file_t* member, const std::string& name) {
  std::vector<uint8_t> bytes;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    const std::size_t used = bytes.size();
    bytes.resize(used + kChunk);
    const zip_int64_t got = zip_fread(member, bytes.data() + used, kChunk);
    if (got < 0) throw mx::Error(fmt::format("{}: {}", name, zip_file_strerror(member)));
    bytes.resize(used + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
  }
}

}  // namespace

std::vector<std::string> npz_names(const uint8_t* bytes, std::size_t size,
                                   const std::string& name) {
  const Archive archive = open_archive(bytes, size, name);
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; i++) {
    const char* entry = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
    const std::string_view text = entry ? entry : "";
    if (text.size() < kSuffix.size()) continue;
    const std::size_t length = text.size() - kSuffix.size();
    if (text.substr(length) == kSuffix) names.emplace_back(text.substr(0, length));
  }
  return names;
}

mx::NpyArray parse_npz(const uint8_t* bytes, std::size_t size, const std::string& name,
                       const std::string& member) {
  const Archive archive = open_archive(bytes, size, name);
  const std::string place = fmt::format("{}: array '{}'", name, printable(member));
  const std::string entry = member + std::string(kSuffix);
  const Member file(zip_fopen(archive.get(), entry.c_str(), 0));
  if (!file) throw mx::Error(fmt::format("{}: {}", place, zip_strerror(archive.get())));
  const std::vector<uint8_t> contents = read_member(file.get(), place);
  return mx::parse_npy(contents.data(), contents.size(), place);
}

}  // namespace mxe::cli
