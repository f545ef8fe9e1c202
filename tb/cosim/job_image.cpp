// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/job_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/numerics/base/random.h"

namespace mxe::cosim {
namespace {

constexpr std::size_t kGuardBytes = 64;

/// Bits of a packed row's last byte that hold elements.
uint8_t last_byte_mask(numerics::FormatId format, std::size_t k) {
  const auto bits = static_cast<std::size_t>(numerics::element_shape(format).stored_bits()) * k;
  return bits % 8 == 0 ? 0xFF : static_cast<uint8_t>((1u << (bits % 8)) - 1);
}

}  // namespace

JobImage::JobImage(const job::Job& job, uint64_t address, uint64_t noise_seed)
    : address_(address), output_(job.output) {
  const job::JobShape shape = job.shape();
  job::JobParts parts(shape, job.layout);
  for (job::JobPart* part : {&parts.a, &parts.a_scales, &parts.b, &parts.b_scales, &parts.c,
                             &parts.d, &parts.d_scales}) {
    if (part->exists()) place(*part);
  }
  descriptor_ = parts.descriptor(shape);
  make_ranges();

  Random random(noise_seed);
  // A quarter of the bytes are 0xFF: a NaN scale and, except in MXINT8, NaN or the largest element.
  for (uint8_t& byte : before_) {
    const uint64_t draw = random.next();
    byte = (draw & 0x300) == 0 ? uint8_t{0xFF} : static_cast<uint8_t>(draw);
  }
  write_rows(parts.a, numerics::pack_rows(job.a), last_byte_mask(job.a.format, shape.k));
  write_rows(parts.b, numerics::pack_rows(job.b), last_byte_mask(job.b.format, shape.k));
  write_rows(parts.a_scales, job.a.scales, 0xFF);
  write_rows(parts.b_scales, job.b.scales, 0xFF);
  if (parts.c.exists()) write_rows(parts.c, job::store_bias(job.bias, job.bias_bf16), 0xFF);
}

void JobImage::place(job::JobPart& part) {
  const uint64_t end = parts_.empty() ? address_ : parts_.back().end();
  part.address = (end + kGuardBytes + 63) / 64 * 64 + part.offset;
  parts_.push_back(part);
}

/// Covers every row with guard bytes around it.
void JobImage::make_ranges() {
  cover(address_, address_ + kGuardBytes);
  for (const job::JobPart& part : parts_) {
    const std::size_t rows = part.stride == 0 ? 1 : part.rows;
    for (std::size_t row = 0; row < rows; row++) {
      const uint64_t begin = part.address + row * part.stride;
      cover(begin - kGuardBytes, begin + part.row_bytes + kGuardBytes);
    }
  }
  before_.resize(ranges_.back().index + ranges_.back().size);
}

/// Adds bytes after those of the image so far, and a short gap between them.
void JobImage::cover(uint64_t begin, uint64_t end) {
  constexpr uint64_t kLongGap = 4096;
  if (!ranges_.empty() && begin <= this->end() + kLongGap) {
    ranges_.back().size = std::max<std::size_t>(ranges_.back().size, end - ranges_.back().begin);
    return;
  }
  const std::size_t index = ranges_.empty() ? 0 : ranges_.back().index + ranges_.back().size;
  ranges_.push_back({begin, end - begin, index});
}

std::size_t JobImage::index_of(uint64_t address) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](uint64_t wanted, const Range& range) { return wanted < range.begin; });
  const Range& range = *std::prev(after);
  return range.index + (address - range.begin);
}

uint64_t JobImage::address_of(std::size_t index) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), index,
                       [](std::size_t wanted, const Range& range) { return wanted < range.index; });
  const Range& range = *std::prev(after);
  return range.begin + (index - range.index);
}

void JobImage::write_to(platform::Memory& memory) const {
  for (const Range& range : ranges_) {
    std::memcpy(memory.data(range.begin, range.size), before_.data() + range.index, range.size);
  }
}

std::vector<uint8_t> JobImage::read_from(platform::Memory& memory) const {
  std::vector<uint8_t> bytes(before_.size());
  for (const Range& range : ranges_) {
    std::memcpy(bytes.data() + range.index, memory.data(range.begin, range.size), range.size);
  }
  return bytes;
}

void JobImage::write_rows(const job::JobPart& part, const std::vector<uint8_t>& packed,
                          uint8_t last_byte_mask) {
  const std::size_t row_bytes = part.row_bytes;
  for (std::size_t row = 0; row * row_bytes < packed.size(); row++) {
    uint8_t* target = before_.data() + index_of(part.address + row * part.stride);
    const uint8_t noise = static_cast<uint8_t>(target[row_bytes - 1] & ~last_byte_mask);
    std::memcpy(target, packed.data() + row * row_bytes, row_bytes);
    target[row_bytes - 1] = static_cast<uint8_t>((target[row_bytes - 1] & last_byte_mask) | noise);
  }
}

std::vector<uint8_t> JobImage::after(const job::StoredOutput& results) const {
  std::vector<uint8_t> image = before_;
  const auto write = [&](uint64_t address, uint64_t stride, const std::vector<uint8_t>& bytes) {
    const std::size_t rows = std::size_t{descriptor_.batch} * descriptor_.m;
    const std::size_t row_bytes = bytes.size() / rows;
    for (std::size_t row = 0; row < rows && row_bytes > 0; row++) {
      std::memcpy(image.data() + index_of(address + row * stride), bytes.data() + row * row_bytes,
                  row_bytes);
    }
  };
  write(descriptor_.d_addr, descriptor_.d_stride, results.bytes);
  write(descriptor_.d_scale_addr, descriptor_.d_scale_stride, results.scales);
  return image;
}

unsigned JobImage::bits_of_result() const {
  if (output_.kind != job::OutputFormat::Kind::mx) return output_.alignment() * 8;
  return static_cast<unsigned>(numerics::element_shape(output_.requant.format).stored_bits());
}

Place JobImage::locate(uint64_t address) const {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [address](const job::JobPart& p) {
    return address >= p.address && address < p.end();
  });
  if (part == parts_.end()) return {fmt::format("a guard byte at {:#x}", address), address, 1};
  const bool results = std::strcmp(part->name, "D") == 0;
  if (!results && std::strcmp(part->name, "scales of D") != 0) {
    return {fmt::format("{} at {:#x}", part->name, address), address, 1};
  }
  const uint64_t offset = address - part->address;
  const uint64_t row = offset / part->stride, byte = offset % part->stride;
  if (byte >= part->row_bytes) {
    return {fmt::format("the gap after row {} of {}", row, part->name), address, 1};
  }
  const unsigned bits = results ? bits_of_result() : 8;
  if (bits >= 8) {
    const unsigned bytes = bits / 8;
    return {fmt::format("{}[{}][{}]", part->name, row, byte / bytes), address - byte % bytes,
            bytes};
  }
  const uint64_t first = byte * 8 / bits;
  const uint64_t last = std::min<uint64_t>((byte * 8 + 7) / bits, descriptor_.n - 1);
  return {fmt::format("{}[{}][{} to {}]", part->name, row, first, last), address, 1};
}

std::optional<uint64_t> JobImage::byte_of(const std::string& part, uint64_t row,
                                          uint64_t byte) const {
  for (const job::JobPart& p : parts_) {
    if (part == p.name) return p.address + row % p.rows * p.stride + byte % p.row_bytes;
  }
  return {};
}

}  // namespace mxe::cosim
