#include "tb/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mxe_regs.h"
#include "numerics/accumulate.h"
#include "numerics/gemm.h"
#include "platform/random.h"

namespace mxe {
namespace {

constexpr std::size_t kGuardBytes = 64;

/// Bits of a packed row's last byte that hold elements.
uint8_t last_byte_mask(mx::FormatId format, std::size_t k) {
  const auto bits = static_cast<std::size_t>(mx::element_format(format).bits) * k;
  return bits % 8 == 0 ? 0xFF : static_cast<uint8_t>((1u << (bits % 8)) - 1);
}

}  // namespace

JobCounts& JobCounts::operator+=(const JobCounts& other) {
  blocks += other.blocks;
  nan_results += other.nan_results;
  saturations += other.saturations;
  bytes_written += other.bytes_written;
  return *this;
}

std::string Job::describe() const {
  const JobLayout& l = layout;
  const auto format = [](mx::FormatId id) { return mx::element_format(id).name; };
  std::string text =
      fmt::format("{}x{}x{} {} x {}", m(), n(), k(), format(a.format), format(b.format));
  if (!bias.empty()) {
    text += fmt::format(" + {}bias{}", bias_bf16 ? "bf16 " : "", bias_one_row ? " row" : "");
  }
  text += fmt::format(" -> {}", output.name());
  if (output.kind == OutputFormat::Kind::mx) {
    static constexpr const char* kRules[] = {"floor", "ceil", "even", "rceil"};
    text += fmt::format(" ({}{})", kRules[static_cast<unsigned>(output.requant.rule)],
                        output.requant.overflow == mx::Overflow::special ? ", special" : "");
  }
  for (const Spoil& spoil : spoils) text += fmt::format(", {} spoilt {}", spoil.field, spoil.value);
  return text + fmt::format(
                    ", {} values, offsets a{} b{} as{} bs{} c{} d{} ds{}, gaps a{} b{} as{} bs{} "
                    "c{} d{} ds{}{}{}",
                    values, l.a_offset, l.b_offset, l.a_scale_offset, l.b_scale_offset, l.c_offset,
                    l.d_offset, l.d_scale_offset, l.a_gap, l.b_gap, l.a_scale_gap, l.b_scale_gap,
                    l.c_gap, l.d_gap, l.d_scale_gap, l.a_one_row ? ", one row of A" : "",
                    l.b_one_row ? ", one row of B" : "");
}

uint32_t Job::refused_with(const EngineFeatures& engine) const {
  uint32_t first = MXE_STATUS_OK;
  const auto add = [&](uint32_t status) {
    if (status != MXE_STATUS_OK && (first == MXE_STATUS_OK || status < first)) first = status;
  };
  for (const Spoil& spoil : spoils) add(broken_rule(spoil, bias_bf16 ? 2 : 4, output.alignment()));
  if (!engine.has_bias(!bias.empty(), bias_bf16)) add(MXE_STATUS_ERR_DESCRIPTOR);
  if (!engine.has_pair(a.format, b.format)) add(MXE_STATUS_ERR_PAIR);
  if (!engine.has_result(output)) add(MXE_STATUS_ERR_OUT_FORMAT);
  return first;
}

std::vector<float> Job::sums(bool fp4_dual) const {
  if (bias.empty()) return mx::gemm_block(a, b, nullptr, fp4_dual);
  if (!bias_one_row) return mx::gemm_block(a, b, bias.data(), fp4_dual);
  std::vector<float> full;
  for (std::size_t row = 0; row < m(); row++) full.insert(full.end(), bias.begin(), bias.end());
  return mx::gemm_block(a, b, full.data(), fp4_dual);
}

JobResult Job::golden(bool fp4_dual) const {
  const std::vector<float> results = sums(fp4_dual);
  JobResult golden;
  golden.stored = store_output(results, m(), n(), output);
  golden.counts.blocks = m() * n() * a.scale_columns();
  golden.counts.nan_results = static_cast<uint64_t>(
      std::count_if(results.begin(), results.end(), [](float x) { return std::isnan(x); }));
  golden.counts.saturations = golden.stored.saturations;
  golden.counts.bytes_written =
      golden.stored.bytes.size() + golden.stored.scales.size() + kRecordBytes;
  return golden;
}

JobImage::JobImage(const Job& job, uint64_t address, uint64_t noise_seed)
    : address_(address), output_(job.output) {
  const std::size_t m = job.m(), n = job.n(), k = job.k();
  const JobLayout& l = job.layout;
  const std::size_t a_row = mx::packed_row_bytes(job.a.format, k);
  const std::size_t b_row = mx::packed_row_bytes(job.b.format, k);
  const std::size_t scales = job.a.scale_columns();
  const std::size_t c_row = n * (job.bias_bf16 ? sizeof(uint16_t) : sizeof(float));
  const std::size_t d_row = output_.row_bytes(n), d_scales = output_.scale_bytes(n);

  const auto stride = [](std::size_t row_bytes, unsigned gap, bool one_row) {
    return one_row ? 0u : static_cast<uint32_t>(row_bytes + gap);
  };
  mxe_job& d = descriptor_;
  d.format_a = static_cast<uint32_t>(job.a.format);
  d.format_b = static_cast<uint32_t>(job.b.format);
  d.out_format = output_.code();
  d.out_rule = static_cast<uint32_t>(output_.requant.rule);
  d.out_overflow = output_.requant.overflow == mx::Overflow::special;
  d.bias = !job.bias.empty();
  d.bias_bf16 = job.bias_bf16;
  d.m = static_cast<uint32_t>(m);
  d.n = static_cast<uint32_t>(n);
  d.k = static_cast<uint32_t>(k);
  d.a_stride = stride(a_row, l.a_gap, l.a_one_row);
  d.b_stride = stride(b_row, l.b_gap, l.b_one_row);
  d.a_scale_stride = stride(scales, l.a_scale_gap, l.a_one_row);
  d.b_scale_stride = stride(scales, l.b_scale_gap, l.b_one_row);
  d.d_stride = stride(d_row, l.d_gap, false);
  d.a_addr = place("A", l.a_offset, m, d.a_stride, a_row);
  d.a_scale_addr = place("scales of A", l.a_scale_offset, m, d.a_scale_stride, scales);
  d.b_addr = place("B", l.b_offset, n, d.b_stride, b_row);
  d.b_scale_addr = place("scales of B", l.b_scale_offset, n, d.b_scale_stride, scales);
  if (d.bias) {
    d.c_stride = stride(c_row, l.c_gap, job.bias_one_row);
    d.c_addr = place("C", l.c_offset, m, d.c_stride, c_row);
  }
  d.d_addr = place("D", l.d_offset, m, d.d_stride, d_row);
  if (d_scales > 0) {
    d.d_scale_stride = stride(d_scales, l.d_scale_gap, false);
    d.d_scale_addr = place("scales of D", l.d_scale_offset, m, d.d_scale_stride, d_scales);
  }
  make_ranges();

  Random random(noise_seed);
  // Many 0xFF: as a scale or an element that should not be there they show most.
  for (uint8_t& byte : before_) {
    const uint64_t draw = random.next();
    byte = (draw & 0x300) == 0 ? uint8_t{0xFF} : static_cast<uint8_t>(draw);
  }
  write_rows(d.a_addr, d.a_stride, mx::pack_rows(job.a), a_row, last_byte_mask(job.a.format, k));
  write_rows(d.b_addr, d.b_stride, mx::pack_rows(job.b), b_row, last_byte_mask(job.b.format, k));
  write_rows(d.a_scale_addr, d.a_scale_stride, job.a.scales, scales, 0xFF);
  write_rows(d.b_scale_addr, d.b_scale_stride, job.b.scales, scales, 0xFF);
  if (d.bias) {
    write_rows(d.c_addr, d.c_stride, store_bias(job.bias, job.bias_bf16), c_row, 0xFF);
  }
}

/// Reserves room for a part, after a guard. Returns its address.
uint64_t JobImage::place(const char* name, unsigned offset, std::size_t rows, std::size_t stride,
                         std::size_t row_bytes) {
  const uint64_t end = parts_.empty() ? address_ : parts_.back().end();
  const Part part{name, (end + kGuardBytes + 63) / 64 * 64 + offset, stride, rows, row_bytes};
  parts_.push_back(part);
  return part.begin;
}

/// Every row and the bytes around it.
void JobImage::make_ranges() {
  cover(address_, address_ + kGuardBytes);
  for (const Part& part : parts_) {
    const std::size_t rows = part.stride == 0 ? 1 : part.rows;
    for (std::size_t row = 0; row < rows; row++) {
      const uint64_t begin = part.begin + row * part.stride;
      cover(begin - kGuardBytes, begin + part.row_bytes + kGuardBytes);
    }
  }
  before_.resize(ranges_.back().index + ranges_.back().size);
}

/// Adds bytes at or after all that there are so far, and what lies between if it is little.
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

void JobImage::write_to(Memory& memory) const {
  for (const Range& range : ranges_) {
    std::memcpy(memory.data(range.begin, range.size), before_.data() + range.index, range.size);
  }
}

std::vector<uint8_t> JobImage::read_from(Memory& memory) const {
  std::vector<uint8_t> bytes(before_.size());
  for (const Range& range : ranges_) {
    std::memcpy(bytes.data() + range.index, memory.data(range.begin, range.size), range.size);
  }
  return bytes;
}

void JobImage::write_rows(uint64_t address, uint64_t stride, const std::vector<uint8_t>& packed,
                          std::size_t row_bytes, uint8_t last_byte_mask) {
  for (std::size_t row = 0; row * row_bytes < packed.size(); row++) {
    uint8_t* target = before_.data() + index_of(address + row * stride);
    const uint8_t noise = static_cast<uint8_t>(target[row_bytes - 1] & ~last_byte_mask);
    std::memcpy(target, packed.data() + row * row_bytes, row_bytes);
    target[row_bytes - 1] = static_cast<uint8_t>((target[row_bytes - 1] & last_byte_mask) | noise);
  }
}

std::vector<uint8_t> JobImage::after(const StoredOutput& results) const {
  std::vector<uint8_t> image = before_;
  const auto write = [&](uint64_t address, uint64_t stride, const std::vector<uint8_t>& bytes) {
    const std::size_t row_bytes = bytes.size() / descriptor_.m;
    for (std::size_t row = 0; row < descriptor_.m && row_bytes > 0; row++) {
      std::memcpy(image.data() + index_of(address + row * stride), bytes.data() + row * row_bytes,
                  row_bytes);
    }
  };
  write(descriptor_.d_addr, descriptor_.d_stride, results.bytes);
  write(descriptor_.d_scale_addr, descriptor_.d_scale_stride, results.scales);
  return image;
}

unsigned JobImage::bits_of_result() const {
  if (output_.kind != OutputFormat::Kind::mx) return output_.alignment() * 8;
  return static_cast<unsigned>(mx::element_format(output_.requant.format).bits);
}

Place JobImage::locate(uint64_t address) const {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [address](const Part& p) {
    return address >= p.begin && address < p.end();
  });
  if (part == parts_.end()) return {fmt::format("a guard byte at {:#x}", address), address, 1};
  const bool results = std::strcmp(part->name, "D") == 0;
  if (!results && std::strcmp(part->name, "scales of D") != 0) {
    return {fmt::format("{} at {:#x}", part->name, address), address, 1};
  }
  const uint64_t offset = address - part->begin;
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
  for (const Part& p : parts_) {
    if (part == p.name) return p.begin + row % p.rows * p.stride + byte % p.row_bytes;
  }
  return {};
}

}  // namespace mxe
