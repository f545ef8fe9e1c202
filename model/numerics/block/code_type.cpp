// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/block/code_type.h"

#include <array>
#include <string>

namespace mxe::numerics {
namespace {

// .npy files use one name for all one-byte types of ml_dtypes except float8_e5m2.
constexpr std::string_view kMlDtype = "<V1";
constexpr std::string_view kFloat8E5M2 = "<f1";

struct NamedType {
  std::string_view format;
  CodeType type;
};

constexpr std::array<NamedType, 7> kElementTypes = {{{"mxfp8_e4m3", {"F8_E4M3", kMlDtype}},
                                                     {"mxfp8_e5m2", {"F8_E5M2", kFloat8E5M2}},
                                                     {"mxfp6_e2m3", {"", kMlDtype}},
                                                     {"mxfp6_e3m2", {"", kMlDtype}},
                                                     {"mxfp4_e2m1", {"F4", kMlDtype}},
                                                     {"nvfp4", {"F4", kMlDtype}},
                                                     {"mxint8", {"I8", "|i1"}}}};
constexpr std::array<NamedType, 2> kScaleTypes = {
    {{"e8m0", {"F8_E8M0", kMlDtype}}, {"e4m3", {"F8_E4M3", kMlDtype}}}};

template <std::size_t kCount>
CodeType find_type(const std::array<NamedType, kCount>& types, const std::string& name) {
  for (const NamedType& type : types) {
    if (type.format == name) return type.type;
  }
  return {};
}

}  // namespace

CodeType code_type(const ElementFormat& format) { return find_type(kElementTypes, format.name); }
CodeType code_type(const ScaleFormat& format) { return find_type(kScaleTypes, format.name()); }

}  // namespace mxe::numerics
