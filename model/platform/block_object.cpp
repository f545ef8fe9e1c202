// SPDX-License-Identifier: Apache-2.0
#include "model/platform/block_object.h"

#include <fmt/format.h>

namespace mxe::platform {
namespace {

class ShapeOf : public blocks::BlockVisitor {
 public:
  explicit ShapeOf(BlockObject::Shape& top) : open_{&top} {}

  void enter(const char* instance) override {
    open_.back()->blocks.push_back({instance, {}, {}});
    open_.push_back(&open_.back()->blocks.back());
  }
  void enter(const char* instance, unsigned index) override {
    enter(fmt::format("{}_{}", instance, index).c_str());
  }
  void leave() override { open_.pop_back(); }
  void operator()(const char* name, unsigned, blocks::Bits) override {
    open_.back()->values.emplace_back(name);
  }

 private:
  std::vector<BlockObject::Shape*> open_;
};

class Find : public blocks::BlockVisitor {
 public:
  explicit Find(const std::string& path) : wanted_(path) {}

  const std::optional<blocks::Bits>& found() const { return found_; }

  void enter(const char* instance) override {
    ends_.push_back(path_.size());
    path_ += instance;
    path_ += '.';
  }
  void enter(const char* instance, unsigned index) override {
    enter(fmt::format("{}_{}", instance, index).c_str());
  }
  void leave() override {
    path_.resize(ends_.back());
    ends_.pop_back();
  }
  void operator()(const char* name, unsigned, blocks::Bits value) override {
    if (path_ + name == wanted_) found_ = value;
  }

 private:
  const std::string& wanted_;
  std::string path_;
  std::vector<std::size_t> ends_;
  std::optional<blocks::Bits> found_;
};

}  // namespace

BlockObject::BlockObject(const sc_core::sc_module_name& name, const Shape& shape,
                         const Source& source, const std::string& path)
    : sc_module(name), source_(source), path_(path), values_(shape.values) {
  for (const Shape& block : shape.blocks) {
    blocks_.push_back(
        std::make_unique<BlockObject>(block.name.c_str(), block, source, path + block.name + "."));
  }
}

std::optional<blocks::Bits> BlockObject::value(const std::string& name) const {
  const std::string path = path_ + name;
  Find find(path);
  source_(find);
  return find.found();
}

std::unique_ptr<BlockObject> make_block_objects(const char* name,
                                                const BlockObject::Source& source) {
  BlockObject::Shape shape;
  ShapeOf visitor(shape);
  source(visitor);
  if (shape.blocks.empty()) return nullptr;
  return std::make_unique<BlockObject>(name, shape, source);
}

}  // namespace mxe::platform
