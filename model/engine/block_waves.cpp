// SPDX-License-Identifier: Apache-2.0
#include "model/engine/block_waves.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cerrno>
#include <cstring>

#include "model/blocks/block_visitor.h"
#include "model/engine/arithmetic.h"
#include "model/engine/array.h"
#include "model/numerics/error.h"

namespace mxe {
namespace {

/// The short name that VCD has for signal number `index`: digits of base 94, printable.
std::string identifier(std::size_t index) {
  constexpr std::size_t kBase = 94;
  std::string text;
  do {
    text += static_cast<char>('!' + index % kBase);
    index /= kBase;
  } while (index != 0);
  return text;
}

std::string binary(unsigned width, blocks::Bits value) {
  std::string text(width, '0');
  for (unsigned i = 0; i < width; i++) {
    if ((value >> i & 1) != 0) text[width - 1 - i] = '1';
  }
  return text;
}

}  // namespace

/// Declares scopes and signals.
class BlockWaves::Header : public blocks::BlockVisitor {
 public:
  explicit Header(BlockWaves& waves) : waves_(waves) {}

  void enter(const char* instance) override {
    fmt::print(waves_.file_, "$scope module {} $end\n", instance);
  }
  void enter(const char* instance, unsigned index) override {
    fmt::print(waves_.file_, "$scope module {}_{} $end\n", instance, index);
  }
  void leave() override { fmt::print(waves_.file_, "$upscope $end\n"); }
  void operator()(const char* name, unsigned width, blocks::Bits) override {
    fmt::print(waves_.file_, "$var wire {} {} {} $end\n", width, identifier(waves_.values_.size()),
               name);
    waves_.values_.push_back(0);
  }

 private:
  BlockWaves& waves_;
};

/// Writes the values that have changed, or all.
class BlockWaves::Changes : public blocks::BlockVisitor {
 public:
  Changes(BlockWaves& waves, bool all) : waves_(waves), all_(all) {}

  void enter(const char*) override {}
  void enter(const char*, unsigned) override {}
  void leave() override {}
  void operator()(const char*, unsigned width, blocks::Bits value) override {
    const std::size_t index = next_++;
    if (!all_ && waves_.values_[index] == value) return;
    waves_.values_[index] = value;
    fmt::print(waves_.file_, "b{} {}\n", binary(width, value), identifier(index));
  }

 private:
  BlockWaves& waves_;
  bool all_;
  std::size_t next_ = 0;
};

BlockWaves::BlockWaves(const std::string& path) : path_(path), file_(path) {
  if (!file_) throw mx::Error(fmt::format("{}: cannot create: {}", path, std::strerror(errno)));
}

void BlockWaves::row(uint64_t cycle, const Arithmetic& arithmetic) {
  if (!begun_) {
    fmt::print(file_, "$timescale 1 ns $end\n$scope module array $end\n");
    Header header(*this);
    arithmetic.visit_blocks(header);
    fmt::print(file_, "$upscope $end\n$enddefinitions $end\n");
  }
  fmt::print(file_, "#{}\n", cycle + Array::kResultStage);
  Changes changes(*this, !begun_);
  arithmetic.visit_blocks(changes);
  begun_ = true;
}

void BlockWaves::close() {
  file_.close();
  if (!file_) throw mx::Error(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
}

}  // namespace mxe
