// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

struct uc_struct;

namespace mxe::soc {

/// The width of the processor's registers.
enum class Xlen { rv32, rv64 };

/// The instruction set: RV32IMAC or RV64IMAC on libunicorn, machine mode only. It knows no time and
/// no devices; whoever drives it is told of everything that is not computing in memory.
class Emulator {
 public:
  static constexpr unsigned kRegisters = 32;

  /// What the emulator calls. Called in the middle of run().
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The instructions of block() run next, and bytes_run() has come to where it was asked for.
    virtual void on_block() = 0;
    virtual uint32_t on_read(uint64_t address, unsigned bytes) = 0;
    virtual void on_write(uint64_t address, unsigned bytes, uint32_t value) = 0;
    /// Nothing is mapped there. run() ends.
    virtual void on_unmapped(bool fetch, bool write, uint64_t address, unsigned bytes) = 0;
    /// The breakpoint at pc() was reached.
    virtual void on_breakpoint() = 0;
  };

  /// Instructions that run one after the other.
  struct Block {
    uint64_t begin = 0, end = 0;
  };

  /// Why run() ended.
  enum class Stop { asked, sleeping, unmapped, misaligned, illegal, ebreak, ecall };

  /// `listener` must live as long as the emulator. Throws mx::Error if there is no emulator.
  Emulator(Xlen xlen, Listener& listener);
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  Xlen xlen() const { return xlen_; }

  /// `bytes` bytes of memory at `data`, which must live as long as the emulator. Neither the first
  /// nor the last addresses there are.
  void map_memory(uint64_t address, uint8_t* data, std::size_t bytes);
  /// Accesses to this range go to the listener.
  void map_devices(uint64_t address, std::size_t bytes);

  /// Runs until something ends it; after `asked`, pc() is where to go on.
  Stop run();
  /// Runs one instruction; after `wfi` it does not say `sleeping`.
  Stop step();
  /// The next run() passes a breakpoint at pc() before it heeds it again.
  void pass_breakpoint();
  /// The memory holds other instructions than before.
  void forget_code() { code_changed_ = true; }
  /// Ends run(): before the block that on_block() tells of, or before the breakpoint. In on_read()
  /// and on_write() only if the emulator is not to run again.
  void stop();

  /// The block that has begun last, and the bytes of all blocks that have begun so far.
  const Block& block() const { return block_; }
  uint64_t bytes_run() const { return bytes_run_; }
  /// The listener hears of each block with which bytes_run() is `bytes` or more: blocks are short,
  /// and what happens at each of them takes a good part of the time.
  void call_at(uint64_t bytes) { call_at_ = bytes; }

  uint64_t pc() const;
  void set_pc(uint64_t value);
  /// x0 to x31.
  uint64_t reg(unsigned index) const;
  void set_reg(unsigned index, uint64_t value);

  /// The level of the external interrupt (SEIP).
  void set_external_interrupt(bool level);
  /// Whether the program has it enabled in mie.
  bool external_interrupt_enabled() const;

  void add_breakpoint(uint64_t address);
  void remove_breakpoint(uint64_t address);

  /// run() ends after the first instruction that reads, writes or does either with any of these
  /// `bytes` bytes; every instruction is slow while there are such. The accesses of devices do not
  /// count.
  void add_watchpoint(bool reads, bool writes, uint64_t address, uint64_t bytes);
  void remove_watchpoints();
  /// Number of the watchpoint that ended run(), in the order in which they were added.
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
  bool code_changed_ = false;  // what was translated is out of date
  std::optional<std::size_t> watch_hit_;
  int exception_ = -1;
  Block block_;
  uint64_t bytes_run_ = 0, call_at_ = 0;
  uint64_t devices_ = 0, pass_ = 0;
  uint64_t memory_ = 0, memory_end_ = 0;
  std::unique_ptr<Hooks> hooks_;
};

}  // namespace mxe::soc
