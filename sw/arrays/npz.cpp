// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/numerics/base/printable.h"

namespace mxe::arrays {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct MemberCloser {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Member = std::unique_ptr<zip_file_t, MemberCloser>;

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

class MemberReader {
 public:
  MemberReader(zip_file_t* member, const std::string& name) : member_(member), name_(name) {}

  /// Extends `bytes` in steps of 1 MiB: the size in the header may be wrong.
  void read_up_to(std::size_t end, std::vector<uint8_t>& bytes) {
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    while (bytes.size() < end) {
      const std::size_t used = bytes.size();
      bytes.resize(used + std::min(kChunk, end - used));
      const std::size_t got = read(bytes.data() + used, bytes.size() - used);
      bytes.resize(used + got);
      if (got == 0) throw Error(fmt::format("{}: truncated", name_));
    }
  }

  /// Throws Error if data follow. This read at the end makes libzip check the checksum.
  void finish() {
    uint8_t more = 0;
    if (read(&more, 1) != 0) throw Error(fmt::format("{}: larger than it says", name_));
  }

 private:
  std::size_t read(uint8_t* to, std::size_t bytes) {
    const zip_int64_t got = zip_fread(member_, to, bytes);
    if (got < 0) throw Error(fmt::format("{}: {}", name_, zip_file_strerror(member_)));
    return static_cast<std::size_t>(got);
  }

  zip_file_t* member_;
  const std::string& name_;
};

}  // namespace

void NpzFile::Discarder::operator()(zip* archive) const { zip_discard(archive); }

NpzFile::NpzFile(const uint8_t* bytes, std::size_t size, std::string name)
    : name_(std::move(name)) {
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes, size, 0, error.get());
  archive_.reset(source ? zip_open_from_source(source, ZIP_RDONLY, error.get()) : nullptr);
  if (!archive_) {
    if (source) zip_source_free(source);
    throw Error(fmt::format("{}: not an .npz file: {}", name_, error.text()));
  }
  std::set<std::string_view> known;
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (zip_uint64_t i = 0; i < count; i++) {
    const char* entry = zip_get_name(archive_.get(), i, ZIP_FL_ENC_GUESS);
    const std::string_view text = entry ? entry : "";
    if (text.size() < kSuffix.size()) continue;
    const std::size_t length = text.size() - kSuffix.size();
    if (text.substr(length) != kSuffix) continue;
    names_.emplace_back(text.substr(0, length));
    places_.push_back(i);
    if (known.insert(text).second) continue;
    throw Error(fmt::format("{}: two arrays '{}'", name_, one_line(names_.back())));
  }
}

numerics::NpyArray NpzFile::read(std::size_t i) const {
  const std::string place = fmt::format("{}: array '{}'", name_, one_line(names_[i]));
  zip_stat_t about;
  zip_stat_init(&about);
  const Member file(zip_stat_index(archive_.get(), places_[i], 0, &about) == 0
                        ? zip_fopen_index(archive_.get(), places_[i], 0)
                        : nullptr);
  if (!file) throw Error(fmt::format("{}: {}", place, zip_strerror(archive_.get())));
  if ((about.valid & ZIP_STAT_SIZE) == 0) throw Error(place + ": of unknown size");
  const std::size_t size = about.size;
  MemberReader reader(file.get(), place);
  std::vector<uint8_t> bytes;
  reader.read_up_to(std::min(size, numerics::kNpyPrefix), bytes);
  const std::size_t header = numerics::npy_header_size(bytes.data(), bytes.size(), place);
  if (header > size) throw Error(place + ": truncated header");
  reader.read_up_to(header, bytes);
  const std::size_t whole = numerics::npy_file_size(bytes.data(), bytes.size(), place);
  if (whole != size) {
    throw Error(fmt::format("{}: the header promises {} bytes of data, the file holds {}", place,
                            whole - header, size - header));
  }
  reader.read_up_to(whole, bytes);
  reader.finish();
  return numerics::parse_npy(bytes.data(), bytes.size(), place);
}

}  // namespace mxe::arrays
