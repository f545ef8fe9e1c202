// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// A visitor of blocks is called with the name, the width in bits and the value of each of their
/// values. enter() and leave() enclose the values of a block inside another. This one passes on the
/// path of each value, `dot.quad_3.lo_q`, and suits everything that need not be fast.
template <class Action>
class PathVisitor {
 public:
  /// `action` is called with (const std::string& path, unsigned width, Bits value).
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

/// One value of a block.
struct Value {
  std::string path;
  unsigned width = 0;
  Bits bits = 0;
};

/// All values of a block, in the order of its visit().
template <class Block>
std::vector<Value> values_of(const Block& block) {
  std::vector<Value> values;
  PathVisitor visitor([&values](const std::string& path, unsigned width, Bits bits) {
    values.push_back({path, width, bits});
  });
  block.visit(visitor);
  return values;
}

/// The first value in which two blocks of one kind differ, if there is one, and its two contents.
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
