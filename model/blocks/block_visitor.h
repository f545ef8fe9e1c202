// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/bits.h"

namespace mxe::blocks {

/// A visitor of blocks (visitor.h) behind an interface, for those who do not know which blocks
/// there are. Names of instances and values are those of the RTL.
class BlockVisitor {
 public:
  virtual ~BlockVisitor() = default;

  virtual void enter(const char* instance) = 0;
  virtual void enter(const char* instance, unsigned index) = 0;
  virtual void leave() = 0;
  virtual void operator()(const char* name, unsigned width, Bits value) = 0;
};

}  // namespace mxe::blocks
