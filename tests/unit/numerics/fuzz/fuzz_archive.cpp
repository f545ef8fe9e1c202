// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: archives with correct checksums, which mutation rarely yields. NpzFile must
// agree with parse_npy about each member; with a byte of the archive changed, it may throw Error.
#include <zip.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "sw/arrays/npz.h"

namespace {

using Bytes = std::vector<uint8_t>;

struct Input {
  bool deflated = false;
  std::vector<Bytes> members;
  std::optional<std::pair<std::size_t, uint8_t>> change;  // byte offset, and the value XORed to it
};

Input parse(const uint8_t* data, std::size_t size) {
  Input input;
  const uint8_t flags = data[0];
  input.deflated = (flags & 1) != 0;
  const std::size_t count = 1 + (flags >> 1 & 3);
  if ((flags & 8) != 0) input.change = {data[1] * 256u + data[2], data[3]};
  data += 4;
  size -= 4;
  for (std::size_t i = 0; i < count; i++) {
    input.members.emplace_back(data + size * i / count, data + size * (i + 1) / count);
  }
  return input;
}

Bytes pack(const Input& input) {
  zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(buffer);
  zip_t* archive = zip_open_from_source(buffer, ZIP_TRUNCATE, nullptr);
  if (!archive) std::abort();
  for (std::size_t i = 0; i < input.members.size(); i++) {
    const Bytes& member = input.members[i];
    zip_source_t* content = zip_source_buffer(archive, member.data(), member.size(), 0);
    const std::string name = "a" + std::to_string(i) + ".npy";
    const zip_int64_t index = zip_file_add(archive, name.c_str(), content, 0);
    if (index < 0) std::abort();
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             input.deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 1);
  }
  if (zip_close(archive) != 0 || zip_source_open(buffer) != 0) std::abort();
  zip_stat_t about;
  zip_source_stat(buffer, &about);
  Bytes bytes(about.size);
  if (zip_source_read(buffer, bytes.data(), bytes.size()) != static_cast<zip_int64_t>(about.size)) {
    std::abort();
  }
  zip_source_close(buffer);
  zip_source_free(buffer);
  return bytes;
}

template <typename Read>
std::optional<mxe::numerics::NpyArray> try_to(const Read& read) {
  try {
    return read();
  } catch (const mxe::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    return std::nullopt;
  }
}

void check(const Input& input, const Bytes& archive) {
  const mxe::arrays::NpzFile file(archive.data(), archive.size(), "fuzz");
  if (!input.change && file.names().size() != input.members.size()) std::abort();
  for (std::size_t i = 0; i < file.names().size(); i++) {
    const auto found = try_to([&] { return file.read(i); });
    if (found && found->data.size() != found->size() * mxe::numerics::dtype_size(found->dtype))
      std::abort();
    if (input.change) continue;
    const Bytes& member = input.members[i];
    const auto wanted =
        try_to([&] { return mxe::numerics::parse_npy(member.data(), member.size(), "fuzz"); });
    if (found.has_value() != wanted.has_value()) std::abort();
    if (found && (found->shape != wanted->shape || found->data != wanted->data)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  const Input input = parse(data, size);
  Bytes archive = pack(input);
  if (input.change) archive[input.change->first % archive.size()] ^= input.change->second;
  try {
    check(input, archive);
  } catch (const mxe::Error& error) {
    // An unchanged archive is sound as a whole.
    if (!input.change || std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
