// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"

namespace mxe::regression {

using Json = nlohmann::ordered_json;

/// Missing members of the object keep their defaults. Throws Error starting with `where`.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("must be an object");
  }

  template <typename T>
  void member(const char* name, T& value) {
    if (!find(name)) return;
    const Json& found = json_.at(name);
    if constexpr (std::is_same_v<T, bool>) {
      if (!found.is_boolean()) fail(fmt::format("'{}' must be true or false", name));
    } else if constexpr (std::is_integral_v<T>) {
      if (!found.is_number_unsigned() || found.get<uint64_t>() > std::numeric_limits<T>::max()) {
        fail(fmt::format("'{}' must be an integer from 0 to {}", name,
                         std::numeric_limits<T>::max()));
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!found.is_number()) fail(fmt::format("'{}' must be a number", name));
    } else if (!found.is_string()) {
      fail(fmt::format("'{}' must be a string", name));
    }
    value = found.get<T>();
  }
  /// A 64-bit number as a hexadecimal string.
  void address(const char* name, uint64_t& value) {
    const Json* found = find(name);
    if (!found) return;
    const std::string text = found->is_string() ? found->get<std::string>() : "";
    const char* end = text.data() + text.size();
    const bool hexadecimal = text.rfind("0x", 0) == 0;
    const auto [stop, error] = std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, value, 16);
    if (!hexadecimal || stop != end || error != std::errc{}) {
      fail(fmt::format("'{}' must be a string like \"0x80000000\"", name));
    }
  }
  template <typename E, typename ToName>
  void choice(const char* name, E& value, const std::vector<E>& all, const ToName& to_name) {
    if (!find(name)) return;
    std::string allowed;
    for (const E& candidate : all) {
      if (json_.at(name) == to_name(candidate)) {
        value = candidate;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(to_name(candidate));
    }
    fail(fmt::format("'{}' must be one of: {}", name, allowed));
  }
  const Json* find(const char* name) {
    known_.insert(name);
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  /// Throws Error for members that were never looked up.
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (known_.count(name) == 0) fail(fmt::format("has no '{}'", name));
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} {}", where_, what));
  }
  const std::string& where() const { return where_; }

 private:
  const Json& json_;
  std::string where_;
  std::set<std::string> known_;
};

}  // namespace mxe::regression
