#include "packing.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "numerics/tensor.h"

namespace mxe::cli {
namespace {

std::vector<uint8_t> swap_nibbles(std::vector<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((byte << 4) | (byte >> 4));
  return bytes;
}

/// Rows and length of the rows along the last axis.
AxisView last_axis(const std::vector<std::size_t>& shape) {
  return split_at(shape, resolve_axis(-1, shape.size()));
}

}  // namespace

void add_packing_option(CLI::App& command, Packing& packing) {
  static const std::map<std::string, Packing> kNames{
      {"none", Packing::none}, {"low", Packing::low}, {"high", Packing::high}};
  command
      .add_option_function<std::string>(
          "--pack", [&packing](const std::string& name) { packing = kNames.at(name); },
          "Codes in the file: one a byte, or packed along the last axis with the first element in "
          "the low or the high nibble")
      ->check(CLI::IsMember({"none", "low", "high"}))
      ->type_name("none|low|high");
}

void check_packing(mx::FormatId format, Packing packing) {
  const int bits = mx::element_format(format).bits;
  if (packing == Packing::high && bits != 4) {
    throw mx::Error(
        fmt::format("--pack high is for 4-bit formats, {} has {} bits (allowed: none, low)",
                    mx::element_format(format).name, bits));
  }
}

Array<uint8_t> pack(mx::FormatId format, Packing packing, const Array<uint8_t>& codes) {
  check_packing(format, packing);
  if (packing == Packing::none) return codes;
  const AxisView view = last_axis(codes.shape);
  mx::MxTensor tensor;
  tensor.format = format;
  tensor.rows = view.outer;
  tensor.k = view.length;
  tensor.codes = codes.values;
  tensor.scales.resize(tensor.rows * tensor.scale_columns());
  Array<uint8_t> packed{codes.shape, mx::pack_rows(tensor)};
  packed.shape.back() = mx::packed_row_bytes(format, view.length);
  if (packing == Packing::high) packed.values = swap_nibbles(std::move(packed.values));
  return packed;
}

Array<uint8_t> unpack(mx::FormatId format, Packing packing, const Array<uint8_t>& packed,
                      std::size_t last) {
  check_packing(format, packing);
  if (packing == Packing::none) return packed;
  const AxisView view = last_axis(packed.shape);
  const std::size_t bits = static_cast<std::size_t>(mx::element_format(format).bits);
  const std::size_t length = last == 0 ? view.length * 8 / bits : last;
  if (mx::packed_row_bytes(format, length) != view.length) {
    throw mx::Error(
        fmt::format("{} elements of {} bits do not pack into {} bytes", length, bits, view.length));
  }
  const std::vector<uint8_t> bytes =
      packing == Packing::high ? swap_nibbles(packed.values) : packed.values;
  Array<uint8_t> codes{packed.shape,
                       mx::unpack_rows(format, bytes.data(), view.outer, length, view.length)};
  codes.shape.back() = length;
  return codes;
}

}  // namespace mxe::cli
