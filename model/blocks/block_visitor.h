// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// Virtual interface of a block visitor (visitor.h), for code that does not depend on block types.
class BlockVisitor {
 public:
  virtual ~BlockVisitor() = default;

  virtual void enter(const char* instance) = 0;
  virtual void enter(const char* instance, unsigned index) = 0;
  virtual void leave() = 0;
  virtual void operator()(const char* name, unsigned width, Bits value) = 0;
};

}  // namespace mxe::blocks
