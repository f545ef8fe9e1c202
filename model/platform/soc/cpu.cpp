// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/platform/clock.h"
#include "model/platform/soc/fault_address.h"
#include "soc_map.h"

namespace mxe::soc {
namespace {

constexpr unsigned kArgument0 = 10, kArgument1 = 11;  // a0 and a1
constexpr uint64_t kBytesPerCycle = 2;
constexpr uint64_t kDevicesEnd = SOC_EXIT_BASE + SOC_EXIT_SIZE;

}  // namespace

Cpu::Cpu(const sc_core::sc_module_name& name, const Program& program, platform::Memory& memory,
         Bus& bus, LocalTime& time)
    : sc_module(name),
      program_(program),
      memory_(memory),
      bus_(bus),
      time_(time),
      emulator_(program.xlen, *this) {
  emulator_.map_memory(memory.base(), memory.data(memory.base(), memory.size()), memory.size());
  emulator_.map_devices(SOC_UART_BASE, kDevicesEnd - SOC_UART_BASE);
  emulator_.set_pc(program.entry);
  SC_HAS_PROCESS(Cpu);
  SC_THREAD(thread);
  set_stack_size(platform::kThreadStackBytes);
}

void Cpu::set_arguments(uint64_t argc, uint64_t argv) {
  emulator_.set_reg(kArgument0, argc);
  emulator_.set_reg(kArgument1, argv);
}

void Cpu::exit(int code) {
  exited_ = true;
  exit_code_ = code;
  emulator_.stop();
}

void Cpu::fail(const std::string& what) {
  constexpr uint64_t kWfiBytes = 4;
  record(what, emulator_.pc() - (sleeping_ ? kWfiBytes : 0));
}

void Cpu::thread() {
  if (debugger_) stop_reason_ = Debugger::Reason::start;
  consult_debugger();
  while (!ended()) {
    plan_check();
    act_on(command_ == Debugger::Command::step ? step() : emulator_.run());
    consult_debugger();
  }
  time_.synchronise();
  finished_ = true;
  sc_core::sc_pause();
}

Emulator::Stop Cpu::step() {
  constexpr uint32_t kWfi = 0x10500073;
  const uint64_t pc = emulator_.pc();
  const bool wfi = code(pc, sizeof kWfi) == kWfi;
  const Emulator::Stop stop = emulator_.step();
  stop_reason_ = Debugger::Reason::step;
  return wfi && emulator_.pc() == pc + sizeof kWfi ? Emulator::Stop::sleeping : stop;
}

/// With a debugger, an ebreak of the program is a breakpoint.
void Cpu::meet_ebreak(uint64_t pc) {
  if (!debugger_) return record("ebreak without a debugger", pc);
  const bool full = (code(pc, 2).value_or(0) & 3) == 3;
  emulator_.set_pc(pc + (full ? 4 : 2));
  stop_reason_ = Debugger::Reason::breakpoint;
}

void Cpu::consult_debugger() {
  if (!debugger_ || exited_) return;
  if (fault_ && !stop_reason_) stop_reason_ = Debugger::Reason::bad_address;
  if (!stop_reason_) return;
  command_ = debugger_->stopped(*this, *stop_reason_);
  look_at_watched();
  stop_reason_.reset();
  if (fault_) return;  // only the debugger was to see the state; the run ends
  if (command_ == Debugger::Command::kill) record("killed by the debugger", emulator_.pc());
  emulator_.pass_breakpoint();
}

void Cpu::act_on(Emulator::Stop stop) {
  count_time();
  const uint64_t pc = emulator_.pc();
  const Emulator::Block& block = emulator_.block();
  paid_ = pc >= block.begin && pc < block.end ? (block.end - pc) / kBytesPerCycle : 0;
  if (ended()) return;
  if (const auto hit = emulator_.take_watch_hit()) {
    watch_hit_ = watched_[*hit].point;
    stop_reason_ = Debugger::Reason::watchpoint;
  }
  switch (stop) {
    case Emulator::Stop::sleeping:
      return sleep();
    case Emulator::Stop::misaligned:
      return record("a misaligned atomic access", pc);
    case Emulator::Stop::ebreak:
      return meet_ebreak(pc);
    case Emulator::Stop::ecall:
      return record("ecall, which this platform does not support", pc);
    case Emulator::Stop::illegal: {
      const uint32_t low = code(pc, 2).value_or(0);
      const unsigned bytes = (low & 3) == 3 ? 4 : 2;
      stop_reason_ = Debugger::Reason::illegal;
      return record(fmt::format("illegal instruction {:#x}", code(pc, bytes).value_or(low)), pc);
    }
    case Emulator::Stop::asked:
    case Emulator::Stop::unmapped:
      return;  // stop() has its own reason; on_unmapped() has been called
  }
}

/// The emulator samples interrupts at its start.
void Cpu::set_interrupt(bool level) {
  line_ = interrupted_ = level;
  emulator_.set_external_interrupt(level);
  if (level) risen_.notify();
}

/// An interrupt enabled in mie wakes the processor, even if mstatus disables interrupts.
void Cpu::sleep() {
  sleeping_ = true;
  time_.synchronise();
  while (!line_ || !emulator_.external_interrupt_enabled()) time_.sleep_until(risen_);
  sleeping_ = false;
}

void Cpu::count_time() {
  if (counted_ == emulator_.bytes_run()) return;
  time_.pass((emulator_.bytes_run() - counted_) / kBytesPerCycle);
  counted_ = emulator_.bytes_run();
  block_begin_ = time_.now();
}

/// Selects the next block for on_block(): the first one at which an interrupt must be checked and
/// any event may have occurred. Only a device access can change this earlier.
void Cpu::plan_check() {
  next_check_ = (block_begin_ / kCheckCycles + 1) * kCheckCycles;
  if (!debugger_) {
    next_check_ = std::max(next_check_, time_.quiet_until() / kCheckCycles * kCheckCycles);
  }
  const bool now = interrupted_ || paid_ != 0 || next_check_ <= time_.now();
  emulator_.call_at(now ? 0 : counted_ + (next_check_ - time_.now()) * kBytesPerCycle);
}

void Cpu::on_block() {
  const Emulator::Block& block = emulator_.block();
  counted_ += std::min(block.end - block.begin, paid_ * kBytesPerCycle);
  paid_ = 0;
  count_time();
  block_begin_ = time_.now();
  if (time_.now() >= next_check_) {
    time_.catch_up();
    if (debugger_ && debugger_->wants_stop()) {
      stop_reason_ = Debugger::Reason::interrupt;
      emulator_.stop();
    } else if (notice_engine_writes()) {
      emulator_.stop();
    }
  }
  if (interrupted_) emulator_.stop();
  interrupted_ = false;
  plan_check();
}

uint32_t Cpu::on_read(uint64_t address, unsigned bytes) {
  BusAccess read{false, address, bytes, 0};
  access(read);
  return read.data;
}

void Cpu::on_write(uint64_t address, unsigned bytes, uint32_t value) {
  BusAccess write{true, address, bytes, value};
  access(write);
}

void Cpu::access(BusAccess& access) {
  if (ended()) return;
  count_time();
  const bool answered = bus_.access(access);
  plan_check();
  if (answered) return;
  record(fmt::format("bus error: a {} of {} bytes at {:#x} ({})", access.write ? "write" : "read",
                     access.bytes, access.address, bus_.describe(access.address)),
         pc_of_access(access.write, access.address));
  emulator_.stop();
}

void Cpu::on_unmapped(bool fetch, bool write, uint64_t address, unsigned bytes) {
  if (fetch) return record(fmt::format("a jump to {:#x}, an unmapped address", address), address);
  record(fmt::format("a {} of {} bytes at {:#x}, an unmapped address", write ? "write" : "read",
                     bytes, address),
         pc_of_access(write, address));
}

uint64_t Cpu::pc_of_access(bool write, uint64_t address) const {
  return find_access(
      {emulator_.block().begin, write, address, program_.xlen},
      [this](unsigned reg) { return emulator_.reg(reg); },
      [this](uint64_t at) -> std::optional<uint16_t> {
        const auto half = code(at, 2);
        if (!half) return std::nullopt;
        return static_cast<uint16_t>(*half);
      });
}

std::optional<uint32_t> Cpu::code(uint64_t address, unsigned bytes) const {
  if (!memory_.contains(address, bytes)) return std::nullopt;
  uint32_t value = 0;
  std::memcpy(&value, memory_.data(address, bytes), bytes);
  return value;
}

void Cpu::on_breakpoint() {
  stop_reason_ = Debugger::Reason::breakpoint;
  emulator_.stop();
}

uint64_t Cpu::debug_register(unsigned index) const {
  if (index < kPc) return emulator_.reg(index);
  return fault_ ? fault_->pc : emulator_.pc();
}

void Cpu::set_debug_register(unsigned index, uint64_t value) {
  if (index < kPc) {
    emulator_.set_reg(index, value);
  } else {
    emulator_.set_pc(value);
  }
}

std::optional<std::vector<uint8_t>> Cpu::debug_read(uint64_t address, uint64_t bytes) const {
  if (!memory_.contains(address, bytes)) return std::nullopt;
  const uint8_t* begin = memory_.data(address, bytes);
  return std::vector<uint8_t>(begin, begin + bytes);
}

bool Cpu::debug_write(uint64_t address, const std::vector<uint8_t>& bytes) {
  if (!memory_.contains(address, bytes.size())) return false;
  std::memcpy(memory_.data(address, bytes.size()), bytes.data(), bytes.size());
  emulator_.forget_code();
  return true;
}

bool Cpu::set_watchpoint(const Watchpoint& point) {
  if (point.bytes == 0 || !memory_.contains(point.address, point.bytes)) return false;
  const auto same = [&](const Watched& watched) { return watched.point == point; };
  if (std::any_of(watched_.begin(), watched_.end(), same)) return true;
  watched_.push_back({point, {}});
  watch_again();
  return true;
}

void Cpu::clear_watchpoint(const Watchpoint& point) {
  const auto same = [&](const Watched& watched) { return watched.point == point; };
  watched_.erase(std::remove_if(watched_.begin(), watched_.end(), same), watched_.end());
  watch_again();
}

void Cpu::watch_again() {
  emulator_.remove_watchpoints();
  for (const Watched& watched : watched_) {
    const Watchpoint& point = watched.point;
    emulator_.add_watchpoint(point.access != Access::write, point.access != Access::read,
                             point.address, point.bytes);
  }
}

void Cpu::look_at_watched() {
  for (Watched& watched : watched_) {
    const uint8_t* begin = memory_.data(watched.point.address, watched.point.bytes);
    watched.seen.assign(begin, begin + watched.point.bytes);
  }
}

/// Detects the engine's writes: watched bytes changed, but the processor did not stop for a write.
bool Cpu::notice_engine_writes() {
  for (const Watched& watched : watched_) {
    const Watchpoint& point = watched.point;
    const uint8_t* bytes = memory_.data(point.address, point.bytes);
    if (point.access == Access::read ||
        std::equal(watched.seen.begin(), watched.seen.end(), bytes)) {
      continue;
    }
    watch_hit_ = point;
    stop_reason_ = Debugger::Reason::watchpoint;
    return true;
  }
  return false;
}

void Cpu::record(const std::string& what, uint64_t pc) {
  Fault fault{what, pc, program_.describe(pc), program_.xlen, {}};
  for (unsigned i = 0; i < Emulator::kRegisters; i++) fault.registers[i] = emulator_.reg(i);
  fault_ = std::move(fault);
}

}  // namespace mxe::soc
