// SPDX-License-Identifier: Apache-2.0
// RTL bit vectors as integers, and the visitor protocol that shows a block's signals. Members of
// blocks have the names of RTL signals; visit() lists their widths.
#pragma once

#include <cstdint>

#include "model/numerics/base/bits.h"

namespace mxe::blocks {

/// A value of up to 128 bits; the bits above its width are zero.
using Bits = UInt128;
/// A signed value of up to 128 bits, sign-extended.
using SignedBits = Int128;

template <unsigned Width>
constexpr Bits mask(Bits value) {
  static_assert(Width >= 1 && Width <= 128);
  return value << (128 - Width) >> (128 - Width);
}
template <unsigned Width>
constexpr uint32_t mask32(uint32_t value) {
  static_assert(Width >= 1 && Width <= 32);
  return value << (32 - Width) >> (32 - Width);
}
template <unsigned Width>
constexpr uint64_t mask64(uint64_t value) {
  static_assert(Width >= 1 && Width <= 64);
  return value << (64 - Width) >> (64 - Width);
}

/// Number of zeros above the highest set bit; 128 for zero.
constexpr uint32_t leading_zeros(Bits value) {
  const auto high = static_cast<uint64_t>(value >> 64), low = static_cast<uint64_t>(value);
  if (high != 0) return static_cast<uint32_t>(__builtin_clzll(high));
  return low != 0 ? 64 + static_cast<uint32_t>(__builtin_clzll(low)) : 128;
}

/// The lowest `Width` bits as a two's complement number: sign_extend<4>(0xF) is -1.
template <unsigned Width>
constexpr SignedBits sign_extend(Bits value) {
  static_assert(Width >= 1 && Width <= 128);
  return static_cast<SignedBits>(value << (128 - Width)) >> (128 - Width);
}
template <unsigned Width>
constexpr int32_t sign_extend32(uint32_t value) {
  static_assert(Width >= 1 && Width <= 32);
  return static_cast<int32_t>(value << (32 - Width)) >> (32 - Width);
}
template <unsigned Width>
constexpr int64_t sign_extend64(uint64_t value) {
  static_assert(Width >= 1 && Width <= 64);
  return static_cast<int64_t>(value << (64 - Width)) >> (64 - Width);
}

/// Bits [low + width - 1 : low] of a value.
constexpr uint32_t slice(uint32_t value, unsigned low, unsigned width) {
  return value >> low & ((uint32_t{1} << width) - 1);
}

/// Passes the lowest `width` bits of a value to a visitor; signed values as two's complement.
template <class Visitor, class Value>
void show(Visitor& v, const char* name, unsigned width, Value value) {
  const Bits bits = static_cast<Bits>(static_cast<SignedBits>(value));
  v(name, width, width >= 128 ? bits : bits & ((Bits{1} << width) - 1));
}
template <class Visitor>
void show(Visitor& v, const char* name, unsigned width, Bits value) {
  v(name, width, width >= 128 ? value : value & ((Bits{1} << width) - 1));
}

/// Passes the signals of a sub-block to a visitor, always in the same order.
template <class Visitor, class Block>
void show_block(Visitor& v, const char* instance, const Block& block) {
  v.enter(instance);
  block.visit(v);
  v.leave();
}
template <class Visitor, class Block>
void show_block(Visitor& v, const char* instance, unsigned index, const Block& block) {
  v.enter(instance, index);
  block.visit(v);
  v.leave();
}

}  // namespace mxe::blocks
