// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

struct uc_struct;

namespace mxe::soc {

enum class Xlen { rv32, rv64 };

/// The instruction set: RV32IMAC or RV64IMAC on libunicorn, machine mode only. It has no notion of
/// time or devices; the listener handles device accesses and stops.
class Emulator {
 public:
  static constexpr unsigned kRegisters = 32;

  class Listener {
   public:
    virtual ~Listener() = default;
    /// The instructions of block() run next, and bytes_run() has reached the value of call_at().
    virtual void on_block() = 0;
    virtual uint32_t on_read(uint64_t address, unsigned bytes) = 0;
    virtual void on_write(uint64_t address, unsigned bytes, uint32_t value) = 0;
    /// No memory or device is mapped at the address. run() ends.
    virtual void on_unmapped(bool fetch, bool write, uint64_t address, unsigned bytes) = 0;
    virtual void on_breakpoint() = 0;
  };

  struct Block {
    uint64_t begin = 0, end = 0;
  };

  enum class Stop { asked, sleeping, unmapped, misaligned, illegal, ebreak, ecall };

  /// `listener` must outlive the emulator. Throws Error if libunicorn fails.
  Emulator(Xlen xlen, Listener& listener);
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  Xlen xlen() const { return xlen_; }

  /// `data` must outlive this. The range must not include address 0 or the last address.
  void map_memory(uint64_t address, uint8_t* data, std::size_t bytes);
  void map_devices(uint64_t address, std::size_t bytes);

  /// Runs until a stop; after `asked`, pc() is the next instruction.
  Stop run();
  /// Runs one instruction; `wfi` does not return `sleeping`.
  Stop step();
  /// The next run() ignores a breakpoint at pc() once.
  void pass_breakpoint();
  /// Call after the code in memory has changed.
  void forget_code() { code_changed_ = true; }
  /// Ends run() before the block of on_block() or before the breakpoint. Call it in on_read() or
  /// on_write() only if the emulator will not run again.
  void stop();

  /// The last block started; bytes_run() counts the bytes of all blocks started.
  const Block& block() const { return block_; }
  uint64_t bytes_run() const { return bytes_run_; }
  /// Calls on_block() for blocks with bytes_run() >= `bytes` only; a callback for each is slow.
  void call_at(uint64_t bytes) { call_at_ = bytes; }

  uint64_t pc() const;
  void set_pc(uint64_t value);
  uint64_t reg(unsigned index) const;
  void set_reg(unsigned index, uint64_t value);

  void set_external_interrupt(bool level);
  bool external_interrupt_enabled() const;

  void add_breakpoint(uint64_t address);
  void remove_breakpoint(uint64_t address);

  /// run() ends after the first instruction that reads or writes (as selected) any of these bytes.
  /// All instructions are slow while watchpoints exist. Device accesses do not count.
  void add_watchpoint(bool reads, bool writes, uint64_t address, uint64_t bytes);
  void remove_watchpoints();
  /// Index of the watchpoint that ended run(), in order of addition.
  std::optional<std::size_t> take_watch_hit();

 private:
  struct Hooks;
  struct Watch;
  void watch(int type, void* function, uint64_t first = 0, uint64_t last = ~uint64_t{0});
  Stop start(std::size_t count);
  Stop why(int error);
  uint64_t get(int id) const;
  void put(int id, uint64_t value);

  Xlen xlen_;
  Listener& listener_;
  uc_struct* unicorn_ = nullptr;
  bool stop_asked_ = false, passing_breakpoint_ = false;
  bool code_changed_ = false;  // translated code is out of date
  std::optional<std::size_t> watch_hit_;
  int exception_ = -1;
  Block block_;
  uint64_t bytes_run_ = 0, call_at_ = 0;
  uint64_t devices_ = 0, pass_ = 0;
  uint64_t memory_ = 0, memory_end_ = 0;
  std::unique_ptr<Hooks> hooks_;
};

}  // namespace mxe::soc
