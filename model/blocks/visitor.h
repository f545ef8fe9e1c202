// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// Passes the full path of each signal, such as `dot.quad_3.sum_q`, to an action (slow).
template <class Action>
class PathVisitor {
 public:
  explicit PathVisitor(Action action) : action_(std::move(action)) {}

  void enter(const char* instance) {
    ends_.push_back(path_.size());
    path_ += instance;
    path_ += '.';
  }
  void enter(const char* instance, unsigned index) {
    enter((std::string(instance) + '_' + std::to_string(index)).c_str());
  }
  void leave() {
    path_.resize(ends_.back());
    ends_.pop_back();
  }
  void operator()(const char* name, unsigned width, Bits value) {
    action_(path_ + name, width, value);
  }

 private:
  Action action_;
  std::string path_;
  std::vector<std::size_t> ends_;
};

struct Value {
  std::string path;
  unsigned width = 0;
  Bits bits = 0;
};

template <class Block>
std::vector<Value> values_of(const Block& block) {
  std::vector<Value> values;
  PathVisitor visitor([&values](const std::string& path, unsigned width, Bits bits) {
    values.push_back({path, width, bits});
  });
  block.visit(visitor);
  return values;
}

/// The first signal that differs between two blocks of one type, with both values.
struct Difference {
  std::string path;
  unsigned width = 0;
  Bits first = 0, second = 0;
};
template <class Block>
std::optional<Difference> first_difference(const Block& first, const Block& second) {
  const std::vector<Value> a = values_of(first), b = values_of(second);
  for (std::size_t i = 0; i < a.size() && i < b.size(); i++) {
    if (a[i].bits != b[i].bits) return Difference{a[i].path, a[i].width, a[i].bits, b[i].bits};
  }
  return std::nullopt;
}

}  // namespace mxe::blocks
