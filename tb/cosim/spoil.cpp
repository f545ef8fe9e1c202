// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/spoil.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "mxe_reg_table.h"
#include "mxe_regs.h"

namespace mxe::cosim {
namespace {

enum class Kind : uint8_t { reserved, size, format, out_format, c_number, d_number };

struct DescriptorField {
  const char* name;
  Kind kind;
  std::size_t offset;  // of the word in the descriptor
  uint32_t mask = ~0u;
  unsigned shift = 0;
};

constexpr std::array<DescriptorField, 11> kFields = {{
    {"reserved", Kind::reserved, 0},
    {"m", Kind::size, MXE_DESC_M},
    {"n", Kind::size, MXE_DESC_N},
    {"k", Kind::size, MXE_DESC_K},
    {"format_a", Kind::format, MXE_DESC_CONTROL, MXE_DESC_CONTROL_FMT_A_MASK,
     MXE_DESC_CONTROL_FMT_A_SHIFT},
    {"format_b", Kind::format, MXE_DESC_CONTROL, MXE_DESC_CONTROL_FMT_B_MASK,
     MXE_DESC_CONTROL_FMT_B_SHIFT},
    {"out_format", Kind::out_format, MXE_DESC_CONTROL, MXE_DESC_CONTROL_OUT_FMT_MASK,
     MXE_DESC_CONTROL_OUT_FMT_SHIFT},
    {"c_addr", Kind::c_number, MXE_DESC_C_ADDR, 3},
    {"c_stride", Kind::c_number, MXE_DESC_C_STRIDE, 3},
    {"d_addr", Kind::d_number, MXE_DESC_D_ADDR, 3},
    {"d_stride", Kind::d_number, MXE_DESC_D_STRIDE, 3},
}};

const DescriptorField* find_field(const std::string& name) {
  const auto found = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const DescriptorField& field) { return name == field.name; });
  return found == kFields.end() ? nullptr : found;
}

bool is_legal_output(uint32_t code) {
  return job::find_number_format(code) || code - MXE_OUT_MXFP4_E2M1 < MXE_FORMAT_COUNT;
}

/// Calls use(offset, bit) for every reserved bit of a descriptor.
template <typename Use>
void for_each_reserved_bit(const Use& use) {
  for (const DescriptorWordInfo& info : descriptor_table) {
    for (unsigned bit = 0; bit < info.bits; bit++) {
      if (info.reserved_mask >> bit & 1) use(info.offset, bit);
    }
  }
}

}  // namespace

const std::vector<std::string>& spoil_fields() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const DescriptorField& field : kFields) names.emplace_back(field.name);
    return names;
  }();
  return kNames;
}

uint32_t reserved_bits() {
  uint32_t count = 0;
  for_each_reserved_bit([&](std::size_t, unsigned) { count++; });
  return count;
}

uint32_t broken_rule(const Spoil& spoil, unsigned c_size, unsigned d_size) {
  const DescriptorField* field = find_field(spoil.field);
  if (!field) return MXE_STATUS_OK;
  const auto unless = [](bool legal, uint32_t status) { return legal ? MXE_STATUS_OK : status; };
  switch (field->kind) {
    case Kind::reserved:
      return unless(spoil.value >= reserved_bits(), MXE_STATUS_ERR_DESCRIPTOR);
    case Kind::size:
      return unless(spoil.value != 0, MXE_STATUS_ERR_SHAPE);
    case Kind::format:
      return unless(spoil.value < MXE_FORMAT_COUNT || spoil.value > 15, MXE_STATUS_ERR_FORMAT);
    case Kind::out_format:
      return unless(is_legal_output(spoil.value) || spoil.value > 15, MXE_STATUS_ERR_OUT_FORMAT);
    case Kind::c_number:
      return unless(spoil.value % c_size == 0 || spoil.value > 3, MXE_STATUS_ERR_ALIGN);
    case Kind::d_number:
      return unless(spoil.value % d_size == 0 || spoil.value > 3, MXE_STATUS_ERR_ALIGN);
  }
  return MXE_STATUS_OK;
}

void read_in_turn(engine::DescriptorBytes& descriptor) {
  uint32_t control = 0;
  std::memcpy(&control, descriptor.data() + MXE_DESC_CONTROL, sizeof control);
  control &= ~uint32_t{MXE_DESC_CONTROL_EARLY_MASK};
  std::memcpy(descriptor.data() + MXE_DESC_CONTROL, &control, sizeof control);
}

void apply(const Spoil& spoil, engine::DescriptorBytes& descriptor) {
  const DescriptorField* field = find_field(spoil.field);
  if (!field) return;
  if (field->kind == Kind::reserved) {
    uint32_t number = 0;
    for_each_reserved_bit([&](std::size_t offset, unsigned bit) {
      if (number++ != spoil.value) return;
      uint8_t& byte = descriptor[offset + bit / 8];
      byte = static_cast<uint8_t>(byte | 1u << bit % 8);
    });
    return;
  }
  uint32_t word;
  std::memcpy(&word, &descriptor[field->offset], sizeof word);
  word = (word & ~field->mask) | (spoil.value << field->shift & field->mask);
  std::memcpy(&descriptor[field->offset], &word, sizeof word);
}

void apply(const Claims& claims, engine::DescriptorBytes& descriptor) {
  const std::pair<uint32_t, std::size_t> sizes[] = {
      {claims.m, MXE_DESC_M}, {claims.n, MXE_DESC_N}, {claims.k, MXE_DESC_K}};
  for (const auto& [size, offset] : sizes) {
    if (size != 0) std::memcpy(&descriptor[offset], &size, sizeof size);
  }
}

}  // namespace mxe::cosim
