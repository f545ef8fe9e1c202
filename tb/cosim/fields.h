// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

namespace mxe::cosim {

/// A struct's member, or a member of a member, and its name in a case file.
template <typename... Members>
struct Field {
  const char* name;
  std::tuple<Members...> path;

  template <typename Object>
  auto& of(Object& object) const {
    return std::apply(
        [&](auto... members) -> auto& { return (object.*....*members); }, path);
  }
};
template <typename... Members>
constexpr Field<Members...> field(const char* name, Members... path) {
  return {name, {path...}};
}

/// List of the fields of a struct: T::fields(), or a specialization.
template <typename T>
struct FieldsOf {
  static constexpr auto list() { return T::fields(); }
};

template <typename T, typename Visit>
void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, FieldsOf<T>::list());
}

}  // namespace mxe::cosim
