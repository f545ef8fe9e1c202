// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "model/blocks/block_visitor.h"

namespace mxe::platform {

/// A block of the structural model as a SystemC object, `engine.array.pe_3`; inner blocks are
/// children.
class BlockObject : public sc_core::sc_module {
 public:
  /// Visits the blocks of the array or of the drain, with their inner blocks.
  using Source = std::function<void(blocks::BlockVisitor&)>;
  struct Shape {
    std::string name;
    std::vector<std::string> values;
    std::vector<Shape> blocks;
  };

  BlockObject(const sc_core::sc_module_name& name, const Shape& shape, const Source& source,
              const std::string& path = {});

  const std::vector<std::string>& values() const { return values_; }
  /// The value after the last row computed by the array or the drain; nullopt for an unknown name.
  std::optional<blocks::Bits> value(const std::string& name) const;

 private:
  Source source_;
  std::string path_;  // path of this block in the source, with a trailing dot
  std::vector<std::string> values_;
  std::vector<std::unique_ptr<BlockObject>> blocks_;
};

/// Creates objects for all blocks of `source` below `name`; null if there are none. Call it in a
/// constructor.
std::unique_ptr<BlockObject> make_block_objects(const char* name,
                                                const BlockObject::Source& source);

}  // namespace mxe::platform
