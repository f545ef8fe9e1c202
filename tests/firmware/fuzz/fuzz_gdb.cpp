// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: bytes from gdb. Replies have at most 100,000 characters and survive framing.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/platform/soc/gdb_packets.h"
#include "model/platform/soc/gdb_protocol.h"

namespace {

using namespace mxe::soc;

constexpr uint64_t kBase = 0x8000'0000, kBytes = 4096;

void require(bool held) {
  if (!held) std::abort();
}

class Processor : public DebugTarget {
 public:
  explicit Processor(Xlen xlen) : xlen_(xlen) {}
  Xlen xlen() const override { return xlen_; }
  uint64_t debug_register(unsigned index) const override { return registers_.at(index); }
  void set_debug_register(unsigned index, uint64_t value) override { registers_.at(index) = value; }
  std::optional<std::vector<uint8_t>> debug_read(uint64_t address, uint64_t bytes) const override {
    if (!contains(address, bytes)) return std::nullopt;
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(address - kBase);
    return std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  bool debug_write(uint64_t address, const std::vector<uint8_t>& bytes) override {
    if (!contains(address, bytes.size())) return false;
    std::copy(bytes.begin(), bytes.end(),
              memory_.begin() + static_cast<std::ptrdiff_t>(address - kBase));
    return true;
  }
  void set_breakpoint(uint64_t address) override { breakpoints_.insert(address); }
  void clear_breakpoint(uint64_t address) override { breakpoints_.erase(address); }
  bool set_watchpoint(const Watchpoint& point) override {
    if (point.bytes == 0 || !contains(point.address, point.bytes)) return false;
    hit_ = point;
    return true;
  }
  void clear_watchpoint(const Watchpoint& point) override {
    if (hit_ && *hit_ == point) hit_.reset();
  }
  std::optional<Watchpoint> watch_hit() const override { return hit_; }

 private:
  static bool contains(uint64_t address, uint64_t bytes) {
    return address >= kBase && bytes <= kBytes && address - kBase <= kBytes - bytes;
  }
  Xlen xlen_;
  std::array<uint64_t, kPc + 1> registers_{};
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(kBytes);
  std::set<uint64_t> breakpoints_;
  std::optional<Watchpoint> hit_;
};

/// A packet must arrive as it was sent.
void check_packet(const std::string& text) {
  require(text.size() <= 100'000);
  GdbPackets packets;
  const std::string framed = frame_packet(text);
  for (std::size_t i = 0; i < framed.size(); i++) {
    const auto item = packets.add(framed[i]);
    require(item.has_value() == (i + 1 == framed.size()));
    if (item) require(item->kind == GdbPackets::Kind::packet && item->text == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Processor processor(data[0] % 2 == 0 ? Xlen::rv32 : Xlen::rv64);
  GdbPackets packets;
  std::string last_stop = gdb_stop(processor, Debugger::Reason::start);
  for (std::size_t i = 1; i < size; i++) {
    const auto item = packets.add(static_cast<char>(data[i]));
    if (!item || item->kind != GdbPackets::Kind::packet) continue;
    check_packet(gdb_answer(item->text, last_stop, processor));
    last_stop = gdb_stop(processor, Debugger::Reason::watchpoint);
    check_packet(last_stop);
  }
  // Random bytes rarely have a valid checksum, so they also serve as the text of a packet.
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_packet(gdb_answer(text, last_stop, processor));
  return 0;
}
