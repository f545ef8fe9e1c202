// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/blocks/visitor.h"
#include "model/numerics/base/error.h"
#include "model/platform/rtl/plain_path.h"
#include "tb/blame/design.h"

namespace mxe::blame {

struct Place {
  const char* block;  ///< null: the value is not compared
  const char* step;
  unsigned clocks = 0;  ///< latency from the block's inputs, in cycles
};

inline constexpr Place kNotCompared{nullptr, nullptr};

/// Compares all values of an instance with those of the model's block, by name and pipeline stage.
class Pipeline {
 public:
  /// Calls place(path) for the path of each value, in the order of Block::visit().
  template <class Block, class PlaceOf>
  Pipeline(Design& design, const std::string& instance, const Block& block, PlaceOf place)
      : design_(&design) {
    std::map<std::string, const rtl::RtlValue*> inside;
    const std::string prefix = instance + ".";
    for (auto it = design.values().lower_bound(prefix);
         it != design.values().end() && it->first.compare(0, prefix.size(), prefix) == 0; it++) {
      inside.emplace(rtl::plain_path(it->first.substr(prefix.size())), &it->second);
    }
    for (const blocks::Value& value : blocks::values_of(block)) {
      const Place at = place(value.path);
      if (at.block == nullptr) {
        values_.push_back({at, nullptr});
        continue;
      }
      const auto found = inside.find(value.path);
      if (found == inside.end()) {
        throw Error("the design shows no '" + prefix + value.path + "'");
      }
      values_.push_back({at, found->second});
      depth_ = std::max(depth_, values_.back().place.clocks + 1);
    }
    forget();
  }

  void forget() { expected_.assign(depth_, {}); }

  /// Adds the model's values for inputs that the instance received `age` cycles ago. Values with a
  /// latency below `age` are not compared. Call it or repeat() once per cycle.
  template <class Block>
  void clock(const Block& block, unsigned age = 0) {
    auto fresh = std::make_shared<std::vector<blocks::Bits>>();
    fresh->reserve(values_.size());
    Collector collect{*fresh};
    block.visit(collect);
    advance(std::move(fresh), age);
  }
  /// As clock(), if the inputs are those of the previous cycle.
  void repeat() { advance(expected_.front(), 0); }
  bool has_clock() const { return expected_.front() != nullptr; }

 private:
  using Expected = std::shared_ptr<const std::vector<blocks::Bits>>;

  void advance(Expected fresh, unsigned age) {
    std::rotate(expected_.begin(), expected_.end() - 1, expected_.end());
    expected_.front() = std::move(fresh);
    for (std::size_t i = 0; i < values_.size(); i++) {
      const Value& value = values_[i];
      if (value.signal == nullptr || value.place.clocks < age) continue;
      const Expected& then = expected_[value.place.clocks - age];
      if (then) design_->expect(value.place.block, value.place.step, *value.signal, (*then)[i]);
    }
  }

  struct Value {
    Place place;
    const rtl::RtlValue* signal;
  };
  struct Collector {
    std::vector<blocks::Bits>& values;
    void enter(const char*) {}
    void enter(const char*, unsigned) {}
    void leave() {}
    void operator()(const char*, unsigned, blocks::Bits value) { values.push_back(value); }
  };

  Design* design_;
  std::vector<Value> values_;
  unsigned depth_ = 1;
  std::vector<Expected> expected_;  // index: cycles since the inputs
};

}  // namespace mxe::blame
