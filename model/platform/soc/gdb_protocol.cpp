// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/gdb_protocol.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

namespace mxe::soc {
namespace {

constexpr const char* kOk = "OK";
constexpr const char* kError = "E01";
constexpr uint64_t kMostMemory = 0x4000;  // bytes in a packet

class Fields {
 public:
  explicit Fields(const std::string& text) : text_(text) {}

  /// Parses a hexadecimal number of at most 64 bits and the character after it.
  uint64_t number() {
    const std::size_t begin = at_;
    uint64_t value = 0;
    while (at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_]))) {
      if (value >> 60 != 0) ok_ = false;
      const char digit[] = {text_[at_++], 0};
      value = value << 4 | std::strtoul(digit, nullptr, 16);
    }
    if (at_ == begin) ok_ = false;
    if (at_ < text_.size()) at_++;
    return value;
  }
  std::string rest() const { return text_.substr(at_); }
  bool ok() const { return ok_; }

 private:
  std::string text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

std::string to_hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<std::vector<uint8_t>> from_hex(const std::string& text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    if (!std::isxdigit(static_cast<unsigned char>(text[i])) ||
        !std::isxdigit(static_cast<unsigned char>(text[i + 1]))) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

unsigned register_bytes(const DebugTarget& target) { return target.xlen() == Xlen::rv64 ? 8 : 4; }

std::string register_text(const DebugTarget& target, unsigned index) {
  const uint64_t value = target.debug_register(index);
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < register_bytes(target); i++) {
    bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
  }
  return to_hex(bytes);
}

uint64_t little_endian(const std::vector<uint8_t>& bytes, std::size_t begin, std::size_t count) {
  uint64_t value = 0;
  for (std::size_t i = 0; i < count; i++) value |= uint64_t{bytes[begin + i]} << 8 * i;
  return value;
}

std::string read_registers(const DebugTarget& target) {
  std::string text;
  for (unsigned i = 0; i <= DebugTarget::kPc; i++) text += register_text(target, i);
  return text;
}

std::string write_registers(DebugTarget& target, uint64_t first, const std::string& text) {
  const auto bytes = from_hex(text);
  const std::size_t width = register_bytes(target);
  if (!bytes || bytes->size() % width != 0) return kError;
  for (std::size_t i = 0; i < bytes->size() / width; i++) {
    if (first + i > DebugTarget::kPc) return kError;
    target.set_debug_register(static_cast<unsigned>(first + i),
                              little_endian(*bytes, i * width, width));
  }
  return kOk;
}

std::string read_register(const DebugTarget& target, uint64_t index) {
  if (index > DebugTarget::kPc) return kError;
  return register_text(target, static_cast<unsigned>(index));
}

std::string read_memory(const DebugTarget& target, uint64_t address, uint64_t count) {
  const auto bytes = target.debug_read(address, count < kMostMemory ? count : kMostMemory);
  return bytes ? to_hex(*bytes) : kError;
}

std::string write_memory(DebugTarget& target, uint64_t address, uint64_t count,
                         const std::string& text) {
  const auto bytes = from_hex(text);
  const bool written = bytes && bytes->size() == count && target.debug_write(address, *bytes);
  return written ? kOk : kError;
}

/// Z and z: set or clear a breakpoint (hardware or software: equivalent here) or watchpoint.
std::string change_point(DebugTarget& target, bool set, const std::string& text) {
  Fields fields(text);
  const uint64_t type = fields.number(), address = fields.number(), bytes = fields.number();
  if (!fields.ok()) return kError;
  if (type <= 1) {
    set ? target.set_breakpoint(address) : target.clear_breakpoint(address);
    return kOk;
  }
  constexpr uint64_t kFirstWatchpoint = 2;
  constexpr std::array<Access, 3> kKinds = {Access::write, Access::read, Access::any};
  if (type - kFirstWatchpoint >= kKinds.size()) return "";
  const Watchpoint point{kKinds[type - kFirstWatchpoint], address, bytes};
  if (!set) target.clear_watchpoint(point);
  return !set || target.set_watchpoint(point) ? kOk : kError;
}

std::string description(const DebugTarget& target) {
  const unsigned bits = 8 * register_bytes(target);
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>riscv:rv{}</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">",
      bits);
  for (unsigned i = 0; i < DebugTarget::kPc; i++) {
    text += fmt::format("<reg name=\"x{}\" bitsize=\"{}\"/>", i, bits);
  }
  return text + fmt::format(
                    "<reg name=\"pc\" bitsize=\"{}\" type=\"code_ptr\"/></feature></target>", bits);
}

/// The requested part (OFFSET,LENGTH) of the description; prefix m: more follows, l: last part.
std::string part_of(const std::string& text, const std::string& range) {
  Fields fields(range);
  const uint64_t offset = fields.number(), length = fields.number();
  if (!fields.ok()) return kError;
  if (offset >= text.size()) return "l";
  return (length < text.size() - offset ? "m" : "l") + text.substr(offset, length);
}

std::string answer_query(const std::string& packet, const DebugTarget& target) {
  const std::string features = "qXfer:features:read:target.xml:";
  if (packet.rfind(features, 0) == 0) {
    return part_of(description(target), packet.substr(features.size()));
  }
  if (packet.rfind("qSupported", 0) == 0) {
    return fmt::format("PacketSize={:x};qXfer:features:read+", 2 * kMostMemory + 32);
  }
  return packet.rfind("qAttached", 0) == 0 ? "1" : "";
}

int gdb_signal(Debugger::Reason reason) {
  switch (reason) {
    case Debugger::Reason::interrupt:
      return 2;
    case Debugger::Reason::illegal:
      return 4;
    case Debugger::Reason::bad_address:
      return 11;
    default:
      return 5;
  }
}

}  // namespace

std::string gdb_stop(const DebugTarget& target, Debugger::Reason reason) {
  const int signal = gdb_signal(reason);
  const auto hit = target.watch_hit();
  if (reason != Debugger::Reason::watchpoint || !hit) return fmt::format("S{:02x}", signal);
  const char* names[] = {"watch", "rwatch", "awatch"};
  return fmt::format("T{:02x}{}:{:x};", signal, names[static_cast<std::size_t>(hit->access)],
                     hit->address);
}

std::string gdb_answer(const std::string& packet, const std::string& last_stop,
                       DebugTarget& target) {
  const char kind = packet.empty() ? '\0' : packet[0];
  const std::string text = packet.empty() ? "" : packet.substr(1);
  Fields fields(text);
  switch (kind) {
    case '?':
      return last_stop;
    case 'H':
      return kOk;
    case 'g':
      return read_registers(target);
    case 'G':
      return write_registers(target, 0, text);
    case 'p': {
      const uint64_t index = fields.number();
      return fields.ok() ? read_register(target, index) : kError;
    }
    case 'P': {
      const uint64_t index = fields.number();
      return fields.ok() ? write_registers(target, index, fields.rest()) : kError;
    }
    case 'm': {
      const uint64_t address = fields.number(), count = fields.number();
      return fields.ok() ? read_memory(target, address, count) : kError;
    }
    case 'M': {
      const uint64_t address = fields.number(), count = fields.number();
      return fields.ok() ? write_memory(target, address, count, fields.rest()) : kError;
    }
    case 'Z':
    case 'z':
      return change_point(target, kind == 'Z', text);
    case 'q':
      return answer_query(packet, target);
    default:
      return "";
  }
}

}  // namespace mxe::soc
