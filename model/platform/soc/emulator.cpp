// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/emulator.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <list>
#include <map>
#include <set>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::soc {
namespace {

constexpr uint64_t kExternalInterrupt = 1u << 9;  // bit of mip and mie: SEIP, SEIE
// Exception numbers of mcause.
constexpr int kNoException = -1, kMisalignedLoad = 4, kMisalignedStore = 6, kEcall = 8,
              kLastEcall = 11;
// Unicorn's pc after an exception, relative to the instruction, regardless of its length.
constexpr uint64_t kPastException = 4;
// Blocks with an illegal instruction at the end have a larger, invalid size.
constexpr uint32_t kLargestBlock = 4096;
constexpr auto kDataPage = static_cast<uc_prot>(UC_PROT_READ | UC_PROT_WRITE);

template <typename F>
void* callback(F* function) {
  return reinterpret_cast<void*>(function);
}

void require(uc_err error, const char* what) {
  if (error != UC_ERR_OK) {
    throw Error(fmt::format("the RISC-V emulator cannot {}: {}", what, uc_strerror(error)));
  }
}

}  // namespace

struct Emulator::Watch {
  Emulator* emulator;
  std::size_t number;
  uint64_t address, bytes;
  uc_hook hook = 0;
};

struct Emulator::Hooks {
  std::map<uint64_t, uc_hook> breakpoints;
  std::list<Watch> watches;
  uc_hook each_instruction = 0;
  std::set<uint64_t> code_pages;

  static Emulator& self(void* user) { return *static_cast<Emulator*>(user); }

  static void block(uc_engine*, uint64_t address, uint32_t bytes, void* user) {
    Emulator& emulator = self(user);
    if (bytes > kLargestBlock) bytes = 4;
    emulator.block_ = {address, address + bytes};
    emulator.bytes_run_ += bytes;
    if (emulator.bytes_run_ >= emulator.call_at_) emulator.listener_.on_block();
  }
  /// Unicorn makes stores to executable pages slow, because they may change translated code. So a
  /// page becomes executable at its first instruction fetch.
  static bool fill_tlb(uc_engine*, uint64_t page, uc_mem_type access, uc_tlb_entry* entry,
                       void* user) {
    std::set<uint64_t>& code_pages = self(user).hooks_->code_pages;
    if (access == UC_MEM_FETCH) code_pages.insert(page);
    entry->paddr = page;
    entry->perms = code_pages.count(page) != 0 ? UC_PROT_ALL : kDataPage;
    return true;
  }
  static uint64_t read(uc_engine*, uint64_t offset, unsigned bytes, void* user) {
    return self(user).listener_.on_read(self(user).devices_ + offset, bytes);
  }
  static void write(uc_engine*, uint64_t offset, unsigned bytes, uint64_t value, void* user) {
    self(user).listener_.on_write(self(user).devices_ + offset, bytes,
                                  static_cast<uint32_t>(value));
  }
  static bool unmapped(uc_engine*, uc_mem_type type, uint64_t address, int bytes, int64_t,
                       void* user) {
    const bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
    const bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    self(user).listener_.on_unmapped(fetch, write, address, static_cast<unsigned>(bytes));
    return false;
  }
  static void exception(uc_engine* unicorn, uint32_t number, void* user) {
    self(user).exception_ = static_cast<int>(number);
    uc_emu_stop(unicorn);
  }
  /// The hook's range also includes accesses that start before the watched bytes.
  static void accessed(uc_engine*, uc_mem_type, uint64_t address, int bytes, int64_t, void* user) {
    const Watch& watch = *static_cast<const Watch*>(user);
    const bool before = address + static_cast<uint64_t>(bytes) <= watch.address;
    if (before || address >= watch.address + watch.bytes) return;
    if (!watch.emulator->watch_hit_) watch.emulator->watch_hit_ = watch.number;
  }
  /// The previous access is complete when the next instruction starts.
  static void instruction(uc_engine*, uint64_t, uint32_t, void* user) {
    if (self(user).watch_hit_) self(user).stop();
  }
  static void breakpoint(uc_engine*, uint64_t address, uint32_t, void* user) {
    Emulator& emulator = self(user);
    const bool pass = emulator.passing_breakpoint_ && address == emulator.pass_;
    emulator.passing_breakpoint_ = false;
    if (!pass) emulator.listener_.on_breakpoint();
  }
};

Emulator::Emulator(Xlen xlen, Listener& listener)
    : xlen_(xlen), listener_(listener), hooks_(std::make_unique<Hooks>()) {
  require(uc_open(UC_ARCH_RISCV, xlen == Xlen::rv64 ? UC_MODE_RISCV64 : UC_MODE_RISCV32, &unicorn_),
          "start");
  watch(UC_HOOK_BLOCK, callback(Hooks::block));
  watch(UC_HOOK_INTR, callback(Hooks::exception));
  watch(UC_HOOK_TLB_FILL, callback(Hooks::fill_tlb));
  require(uc_ctl_tlb_mode(unicorn_, UC_TLB_VIRTUAL), "be asked for pages");
}

Emulator::~Emulator() { uc_close(unicorn_); }

/// Calls `function` for addresses in [first, last], by default all. Cannot be removed.
void Emulator::watch(int type, void* function, uint64_t first, uint64_t last) {
  uc_hook hook = 0;
  require(uc_hook_add(unicorn_, &hook, type, function, this, first, last), "be watched");
}

/// Only addresses outside the memory are hooked, because hooks slow stores down.
void Emulator::map_memory(uint64_t address, uint8_t* data, std::size_t bytes) {
  memory_ = address;
  memory_end_ = address + bytes;
  require(uc_mem_map_ptr(unicorn_, address, bytes, UC_PROT_ALL, data), "map the memory");
  watch(UC_HOOK_MEM_INVALID, callback(Hooks::unmapped), 0, memory_ - 1);
  watch(UC_HOOK_MEM_INVALID, callback(Hooks::unmapped), memory_end_, ~uint64_t{0});
}

void Emulator::map_devices(uint64_t address, std::size_t bytes) {
  devices_ = address;
  require(uc_mmio_map(unicorn_, address, bytes, Hooks::read, this, Hooks::write, this),
          "map the devices");
}

Emulator::Stop Emulator::run() { return start(0); }

/// Unicorn counts instructions only in code translated while counting.
Emulator::Stop Emulator::step() {
  code_changed_ = true;
  const Stop stop = start(1);
  code_changed_ = true;
  return stop == Stop::sleeping ? Stop::asked : stop;
}

void Emulator::pass_breakpoint() {
  pass_ = pc();
  passing_breakpoint_ = hooks_->breakpoints.count(pass_) != 0;
}

Emulator::Stop Emulator::start(std::size_t count) {
  stop_asked_ = false;
  exception_ = kNoException;
  if (code_changed_) uc_ctl_remove_cache(unicorn_, memory_, memory_end_);
  code_changed_ = false;
  // An odd address is never reached, so the run has no end address.
  const uint64_t end = xlen_ == Xlen::rv64 ? ~uint64_t{0} : uint64_t{0xFFFFFFFF};
  return why(uc_emu_start(unicorn_, pc(), end, 0, count));
}

Emulator::Stop Emulator::why(int error) {
  if (exception_ != kNoException) {
    set_pc(pc() - kPastException);
    if (exception_ >= kMisalignedLoad && exception_ <= kMisalignedStore) return Stop::misaligned;
    return exception_ >= kEcall && exception_ <= kLastEcall ? Stop::ecall : Stop::illegal;
  }
  switch (error) {
    case UC_ERR_OK:
      return stop_asked_ ? Stop::asked : Stop::sleeping;
    case UC_ERR_INSN_INVALID:
      return Stop::ebreak;
    default:
      return Stop::unmapped;
  }
}

void Emulator::stop() {
  stop_asked_ = true;
  uc_emu_stop(unicorn_);
}

uint64_t Emulator::get(int id) const {
  uint64_t value = 0;
  uc_reg_read(unicorn_, id, &value);
  return value;
}

void Emulator::put(int id, uint64_t value) { uc_reg_write(unicorn_, id, &value); }

uint64_t Emulator::pc() const { return get(UC_RISCV_REG_PC); }

void Emulator::set_pc(uint64_t value) { put(UC_RISCV_REG_PC, value); }

uint64_t Emulator::reg(unsigned index) const {
  return get(UC_RISCV_REG_X0 + static_cast<int>(index));
}

void Emulator::set_reg(unsigned index, uint64_t value) {
  if (index != 0) put(UC_RISCV_REG_X0 + static_cast<int>(index), value);
}

void Emulator::set_external_interrupt(bool level) {
  put(UC_RISCV_REG_MIP, level ? kExternalInterrupt : 0);
}

bool Emulator::external_interrupt_enabled() const {
  return (get(UC_RISCV_REG_MIE) & kExternalInterrupt) != 0;
}

void Emulator::add_breakpoint(uint64_t address) {
  if (hooks_->breakpoints.count(address) != 0) return;
  uc_hook hook = 0;
  require(uc_hook_add(unicorn_, &hook, UC_HOOK_CODE, callback(Hooks::breakpoint), this, address,
                      address),
          "set a breakpoint");
  hooks_->breakpoints[address] = hook;
  forget_code();
}

void Emulator::remove_breakpoint(uint64_t address) {
  const auto found = hooks_->breakpoints.find(address);
  if (found == hooks_->breakpoints.end()) return;
  uc_hook_del(unicorn_, found->second);
  hooks_->breakpoints.erase(found);
  forget_code();
}

void Emulator::add_watchpoint(bool reads, bool writes, uint64_t address, uint64_t bytes) {
  constexpr uint64_t kLongestAccess = 8;
  std::list<Watch>& watches = hooks_->watches;
  if (watches.empty()) {
    require(uc_hook_add(unicorn_, &hooks_->each_instruction, UC_HOOK_CODE,
                        callback(Hooks::instruction), this, uint64_t{0}, ~uint64_t{0}),
            "watch instructions");
  }
  Watch& watch = watches.emplace_back(Watch{this, watches.size(), address, bytes});
  const int type = (reads ? UC_HOOK_MEM_READ : 0) | (writes ? UC_HOOK_MEM_WRITE : 0);
  require(uc_hook_add(unicorn_, &watch.hook, type, callback(Hooks::accessed), &watch,
                      address - (kLongestAccess - 1), address + bytes - 1),
          "set a watchpoint");
  forget_code();
}

void Emulator::remove_watchpoints() {
  if (hooks_->watches.empty()) return;
  for (const Watch& watch : hooks_->watches) uc_hook_del(unicorn_, watch.hook);
  uc_hook_del(unicorn_, hooks_->each_instruction);
  hooks_->watches.clear();
  forget_code();
}

std::optional<std::size_t> Emulator::take_watch_hit() {
  return std::exchange(watch_hit_, std::nullopt);
}

}  // namespace mxe::soc
