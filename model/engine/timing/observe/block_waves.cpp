// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/observe/block_waves.h"

#include <limits>
#include <string_view>

#include "model/blocks/block_visitor.h"
#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/compute/array.h"

namespace mxe::engine {
namespace {

constexpr unsigned kSlotBits = 8;

/// VCD identifier of signal number `index`: digits of base 94, printable characters.
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

class BlockWaves::Header : public blocks::BlockVisitor {
 public:
  explicit Header(BlockWaves& waves) : waves_(waves) {}

  void enter(const char* instance) override {
    waves_.file_.print("$scope module {} $end\n", instance);
  }
  void enter(const char* instance, unsigned index) override {
    waves_.file_.print("$scope module {}_{} $end\n", instance, index);
  }
  void leave() override { waves_.file_.print("$upscope $end\n"); }
  void operator()(const char* name, unsigned width, blocks::Bits) override {
    waves_.file_.print("$var wire {} {} {} $end\n", width, identifier(waves_.signals_.size()),
                       name);
    waves_.signals_.push_back({width, 0});
  }

 private:
  BlockWaves& waves_;
};

class BlockWaves::Changes : public blocks::BlockVisitor {
 public:
  /// `all`: report every value, because none was written before.
  Changes(BlockWaves& waves, BlockPart part, bool all, std::vector<Change>& changes)
      : waves_(waves), part_(part), all_(all), changes_(changes) {}

  void enter(const char* instance) override {
    const std::string_view name = instance;
    BlockPart part = parts_.back();
    if (name == "array") part = BlockPart::array;
    if (name == "merge") part = BlockPart::merge;
    if (name == "requant") part = BlockPart::requant;
    if (name == "amax") part = BlockPart::amax;
    parts_.push_back(part);
  }
  void enter(const char* instance, unsigned) override { enter(instance); }
  void leave() override { parts_.pop_back(); }
  void operator()(const char*, unsigned, blocks::Bits value) override {
    const std::size_t index = next_++;
    if (parts_.back() != part_) return;
    Signal& signal = waves_.signals_[index];
    if (!all_ && signal.value == value) return;
    signal.value = value;
    changes_.push_back({index, value});
  }

 private:
  BlockWaves& waves_;
  BlockPart part_;
  bool all_;
  std::vector<Change>& changes_;
  std::vector<BlockPart> parts_{BlockPart::array};
  std::size_t next_ = kPipelineSlots;
};

namespace {

const std::string& checked(const std::string& path) {
  numerics::require_extension(path, ".vcd", "blocks of the model are recorded as VCD");
  return path;
}

void visit_all(const Arithmetic& arithmetic, blocks::BlockVisitor& visitor) {
  visitor.enter("array");
  arithmetic.visit_blocks(visitor);
  visitor.leave();
  visitor.enter("drain");
  arithmetic.visit_drain(visitor);
  visitor.leave();
}

}  // namespace

BlockWaves::BlockWaves(const std::string& path) : file_(checked(path)) {}

void BlockWaves::row(uint64_t cycle, const Arithmetic& arithmetic) {
  take(cycle, BlockPart::array, arithmetic);
}

void BlockWaves::segment(uint64_t cycle, BlockPart part, const Arithmetic& arithmetic) {
  take(cycle, part, arithmetic);
}

void BlockWaves::take(uint64_t cycle, BlockPart part, const Arithmetic& arithmetic) {
  if (signals_.empty()) declare(arithmetic);
  Changes changes(*this, part, known_.insert(part).second, changes_[cycle]);
  visit_all(arithmetic, changes);
}

void BlockWaves::declare(const Arithmetic& arithmetic) {
  file_.print("$timescale 1 ns $end\n");
  Header header(*this);
  header.enter("cmd");
  for (const char* slot : {"run_q", "wait_q", "ahead"}) header(slot, kSlotBits, 0);
  header.leave();
  visit_all(arithmetic, header);
  file_.print("$enddefinitions $end\n");
  std::vector<Change>& first = changes_[0];
  for (std::size_t slot = 0; slot < kPipelineSlots; slot++)
    first.insert(first.begin(), Change{slot, 0});
}

void BlockWaves::slot(uint64_t cycle, PipelineSlot slot, uint8_t value) {
  changes_[cycle].push_back({static_cast<std::size_t>(slot), value});
}

void BlockWaves::advance(uint64_t cycle) {
  if (signals_.empty()) return;  // not yet declared
  while (!changes_.empty() && changes_.begin()->first < cycle) {
    const auto& [time, changes] = *changes_.begin();
    file_.print("#{}\n", time);
    for (const Change& change : changes) {
      file_.print("b{} {}\n", binary(signals_[change.signal].width, change.value),
                  identifier(change.signal));
    }
    changes_.erase(changes_.begin());
  }
}

void BlockWaves::close() {
  advance(std::numeric_limits<uint64_t>::max());
  file_.close();
}

}  // namespace mxe::engine
