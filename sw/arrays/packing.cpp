// SPDX-License-Identifier: Apache-2.0
#include "sw/arrays/packing.h"

#include <fmt/format.h>

#include "model/numerics/formats/layout.h"

namespace mxe::arrays {
namespace {

numerics::NibbleOrder nibble_order(Packing packing) {
  return packing == Packing::high ? numerics::NibbleOrder::high : numerics::NibbleOrder::low;
}

AxisView last_axis(const std::vector<std::size_t>& shape) {
  if (shape.empty()) throw Error("the array must have at least one dimension");
  return split_at(shape, shape.size() - 1);
}

}  // namespace

void check_packing(const numerics::ElementFormat& format, Packing packing) {
  if (packing != Packing::none) numerics::require_packing(format.bits, nibble_order(packing));
}

Array<uint8_t> pack(const numerics::ElementFormat& format, Packing packing,
                    const Array<uint8_t>& codes) {
  if (packing == Packing::none) return codes;
  const AxisView view = last_axis(codes.shape);
  Array<uint8_t> packed{
      codes.shape, numerics::pack_codes(codes.values.data(), view.outer, view.length, format.bits,
                                        nibble_order(packing))};
  packed.shape.back() = numerics::packed_bytes(view.length, format.bits);
  return packed;
}

Array<uint8_t> unpack(const numerics::ElementFormat& format, Packing packing,
                      const Array<uint8_t>& packed, const std::optional<std::size_t>& last) {
  if (packing == Packing::none) return packed;
  const AxisView view = last_axis(packed.shape);
  const std::size_t length = numerics::unpacked_length(view.length, format.bits, last);
  Array<uint8_t> codes{packed.shape,
                       numerics::unpack_codes(packed.values.data(), view.outer, length, format.bits,
                                              nibble_order(packing), view.length)};
  codes.shape.back() = length;
  return codes;
}

Array<uint8_t> swizzle(const Array<uint8_t>& scales) {
  const AxisView view = last_axis(scales.shape);
  std::vector<uint8_t> bytes =
      numerics::swizzle_scales(scales.values.data(), view.outer, view.length);
  const std::size_t size = bytes.size();
  return {{size}, std::move(bytes)};
}

Array<uint8_t> unswizzle(const Array<uint8_t>& bytes, const std::vector<std::size_t>& shape,
                         const std::string& name) {
  const AxisView view = last_axis(shape);
  const std::size_t expected = numerics::swizzled_size(view.outer, view.length);
  if (bytes.values.size() != expected) {
    throw Error(fmt::format("{}: scales of shape {} are {} bytes with --swizzle, not {}", name,
                            shape_text(shape), expected, bytes.values.size()));
  }
  return {shape, numerics::unswizzle_scales(bytes.values.data(), view.outer, view.length)};
}

}  // namespace mxe::arrays
