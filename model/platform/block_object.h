// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "model/blocks/block_visitor.h"

namespace mxe {

/// A block of a structural arithmetic in the hierarchy of SystemC, `engine.array.pe_3.scale_even`,
/// with the blocks inside it as its children.
class BlockObject : public sc_core::sc_module {
 public:
  /// Shows the outermost blocks, those under the array or the drain, to a visitor.
  using Source = std::function<void(blocks::BlockVisitor&)>;
  /// What a block is made of.
  struct Shape {
    std::string name;
    std::vector<std::string> values;
    std::vector<Shape> blocks;
  };

  BlockObject(const sc_core::sc_module_name& name, const Shape& shape, const Source& source,
              const std::string& path = {});

  /// Names of its values, those of the RTL's signals.
  const std::vector<std::string>& values() const { return values_; }
  /// What the value is after the last row that the array or the drain computed; nothing if there is
  /// none of that name.
  std::optional<blocks::Bits> value(const std::string& name) const;

 private:
  Source source_;
  std::string path_;  // below what the source shows, with a dot at the end
  std::vector<std::string> values_;
  std::vector<std::unique_ptr<BlockObject>> blocks_;
};

/// Makes objects of all blocks that `source` shows, under `name`; null if there are none. To be
/// called while a module is under construction.
std::unique_ptr<BlockObject> make_block_objects(const char* name,
                                                const BlockObject::Source& source);

}  // namespace mxe
