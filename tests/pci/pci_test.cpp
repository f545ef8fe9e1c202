// SPDX-License-Identifier: Apache-2.0
// The model as a PCI function: configuration space, BAR 0, messages, memory accesses, removal, and
// the C driver, to which only messages report completions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "model/platform/engine.h"
#include "model/platform/memory.h"
#include "model/platform/pci/config_space.h"
#include "model/platform/pci/pci_function.h"
#include "mxe_driver.h"
#include "mxe_regs.h"

namespace mxe::pci {
namespace {

constexpr Ids kIds{0x4d58, 0x0001, 3};
// Offsets and bits of the PCI Local Bus Specification 3.0.
constexpr uint64_t kCommand = 0x04, kBar0 = 0x10, kMsi = 0x40;
constexpr uint16_t kMemory = 2, kMaster = 4;
constexpr uint64_t kMessageAddress = 0x1'fee0'0000;
constexpr uint16_t kMessageData = 0x4021;

uint64_t get(const ConfigSpace& config, uint64_t offset, std::size_t bytes) {
  uint64_t value = 0;
  config.read(offset, bytes, reinterpret_cast<uint8_t*>(&value));
  return value;
}

void put(ConfigSpace& config, uint64_t offset, std::size_t bytes, uint64_t value) {
  config.write(offset, bytes, reinterpret_cast<const uint8_t*>(&value));
}

TEST(ConfigSpace, NamesAnAcceleratorWithOneBarAndMsi) {
  const ConfigSpace config(kIds);
  EXPECT_EQ(get(config, 0x00, 4), 0x0001'4d58u);
  EXPECT_EQ(get(config, 0x08, 4), 0x1200'0003u);  // processing accelerator, revision 3
  EXPECT_EQ(get(config, 0x0e, 1), 0u);            // a standard header, one function
  EXPECT_EQ(get(config, 0x2c, 4), 0x0001'4d58u);
  EXPECT_EQ(get(config, 0x3d, 1), 0u);  // no interrupt pin
  EXPECT_EQ(get(config, 0x06, 2) & 0x10, 0x10u);
  ASSERT_EQ(get(config, 0x34, 1), kMsi);
  EXPECT_EQ(get(config, kMsi, 4), 0x0080'0005u);  // MSI, last capability, 64 bits, disabled
}

TEST(ConfigSpace, TellsTheSizeOfItsBar) {
  ConfigSpace config(kIds);
  for (uint64_t bar = kBar0; bar < 0x28; bar += 4) put(config, bar, 4, 0xffff'ffff);
  EXPECT_EQ(get(config, kBar0, 4), 0xffff'f000u);  // 4 KiB, 32 bits, not prefetchable
  for (uint64_t bar = kBar0 + 4; bar < 0x28; bar += 4) EXPECT_EQ(get(config, bar, 4), 0u);
  put(config, kBar0, 4, 0xe000'1000);
  EXPECT_EQ(config.bar0(), 0xe000'1000u);
}

TEST(ConfigSpace, ChangesOnlyWhatAGuestMayWrite) {
  const ConfigSpace fresh(kIds);
  ConfigSpace config(kIds);
  for (uint64_t offset = 0; offset < 256; offset++) put(config, offset, 1, 0xff);
  std::array<uint8_t, 256> changed{};
  for (uint64_t i = 0; i < 256; i++) {
    changed[i] = static_cast<uint8_t>(get(config, i, 1) ^ get(fresh, i, 1));
  }
  std::array<uint8_t, 256> expected{};
  expected[0x04] = 0x06;  // memory space, bus master
  expected[0x05] = 0x04;  // INTx disable
  expected[0x0c] = 0xff;
  expected[0x11] = 0xf0;  // BAR 0
  expected[0x12] = expected[0x13] = 0xff;
  expected[0x3c] = 0xff;
  expected[0x42] = 0x01;  // MSI enable
  expected[0x44] = 0xfc;
  std::fill(expected.begin() + 0x45, expected.begin() + 0x4e, uint8_t{0xff});
  EXPECT_EQ(changed, expected);
}

TEST(ConfigSpace, AnswersOutsideWithAllOnes) {
  ConfigSpace config(kIds);
  EXPECT_EQ(get(config, 256, 4), 0xffff'ffffu);
  EXPECT_EQ(get(config, 255, 4), 0xffff'ff00u);
  EXPECT_EQ(get(config, ~uint64_t{0}, 8), ~uint64_t{0});
  EXPECT_EQ(get(config, ~uint64_t{0} - 3, 8),
            ~uint64_t{0});  // addresses do not wrap around at the end
  put(config, 256, 8, ~uint64_t{0});
  put(config, ~uint64_t{0} - 3, 8, 0);
  put(config, 255, 8, ~uint64_t{0});
  EXPECT_EQ(get(config, 0x00, 8), get(ConfigSpace(kIds), 0x00, 8));
}

TEST(ConfigSpace, SendsOnlyAsMasterAndWithMsi) {
  ConfigSpace config(kIds);
  put(config, kMsi + 4, 8, kMessageAddress);
  put(config, kMsi + 12, 2, kMessageData);
  EXPECT_EQ(config.message(), (Message{kMessageAddress, kMessageData}));
  for (const bool master : {false, true}) {
    for (const bool msi : {false, true}) {
      put(config, kCommand, 2, master ? kMaster : 0);
      put(config, kMsi + 2, 2, msi ? 1 : 0);
      EXPECT_EQ(config.bus_master(), master);
      EXPECT_EQ(config.message_enabled(), master && msi);
    }
  }
}

/// An engine in a slot, and the memory and the program of a guest.
class Machine : public sc_core::sc_module {
 public:
  using Guest = std::function<void(Machine&)>;
  static constexpr uint64_t kBase = 0x8000'0000;
  static constexpr std::size_t kMemoryBytes = 1 << 20;

  platform::Engine engine{"engine", Params::named("small")};
  platform::Memory memory{"memory", memory_config()};
  PciFunction function{"function", kIds, [this](const Message& message) { take(message); }};

  explicit Machine(Guest guest) : sc_module("machine"), guest_(std::move(guest)) {
    function.regs.bind(engine.regs);
    engine.mem.bind(function.dma);
    function.memory.bind(memory.socket);
    engine.irq(irq_);
    function.irq(irq_);
    SC_HAS_PROCESS(Machine);
    SC_THREAD(run);
    set_stack_size(platform::kThreadStackBytes);
  }

  void enable() {
    write_config(kBar0, 4, 0xe000'0000);
    write_config(kMsi + 4, 8, kMessageAddress);
    write_config(kMsi + 12, 2, kMessageData);
    write_config(kMsi + 2, 2, 1);
    write_config(kCommand, 2, kMemory | kMaster);
  }
  void write_config(uint64_t offset, std::size_t bytes, uint64_t value) {
    function.write_config(offset, bytes, reinterpret_cast<const uint8_t*>(&value));
  }
  uint64_t read_config(uint64_t offset, std::size_t bytes) {
    uint64_t value = 0;
    function.read_config(offset, bytes, reinterpret_cast<uint8_t*>(&value));
    return value;
  }
  uint32_t read(uint32_t offset) {
    uint32_t value = 0;
    function.read_bar0(offset, 4, reinterpret_cast<uint8_t*>(&value));
    return value;
  }
  void write(uint32_t offset, uint32_t value) {
    function.write_bar0(offset, 4, reinterpret_cast<const uint8_t*>(&value));
  }
  uint64_t messages_within(uint64_t clocks) {
    const uint64_t before = function.messages();
    sc_core::wait(platform::cycles_to_time(clocks));
    return function.messages() - before;
  }
  /// Returns false if no message arrives within 1,000,000 cycles.
  bool wait_message() {
    if (taken_ == function.messages()) wait(platform::cycles_to_time(1'000'000), message_event_);
    if (taken_ == function.messages()) return false;
    taken_ = function.messages();
    return true;
  }
  bool grants_direct_access() {
    tlm::tlm_generic_payload payload;
    payload.set_address(kBase);
    tlm::tlm_dmi dmi;
    return engine.mem->get_direct_mem_ptr(payload, dmi);
  }
  bool line() const { return irq_.read(); }

  /// A product of ones: every element of D is `k`.
  mxe_job make_job(uint32_t m, uint32_t n, uint32_t k, uint64_t d) {
    std::memset(memory.data(kBase + kOnes, 0x4000), 0x38, 0x4000);   // 1.0 in mxfp8_e4m3
    std::memset(memory.data(kBase + kScales, 0x1000), 127, 0x1000);  // 2^0
    mxe_job job{};
    job.format_a = job.format_b = MXE_FORMAT_MXFP8_E4M3;
    job.out_format = MXE_OUT_FP32;
    job.m = m, job.n = n, job.k = k;
    job.a_addr = job.b_addr = kBase + kOnes;
    job.a_scale_addr = job.b_scale_addr = kBase + kScales;
    job.d_addr = kBase + d;
    job.a_stride = job.b_stride = k;
    job.a_scale_stride = job.b_scale_stride = (k + 31) / 32;
    job.d_stride = 4 * n;
    return job;
  }
  std::size_t wrong(const mxe_job& job, float value) {
    std::vector<float> d(std::size_t{job.m} * job.n);
    std::memcpy(d.data(), memory.data(job.d_addr, 4 * d.size()), 4 * d.size());
    return d.size() - static_cast<std::size_t>(std::count(d.begin(), d.end(), value));
  }

  int open(mxe_device& device) {
    ring_.mem = memory.data(kBase, slots_.size() * MXE_DESC_SIZE);
    ring_.bus_addr = kBase;
    ring_.slots = slots_.data();
    ring_.entries = static_cast<uint32_t>(slots_.size());
    mxe_port port{};
    port.ctx = this;
    port.read32 = [](void* ctx, uint32_t offset) {
      return static_cast<Machine*>(ctx)->read(offset);
    };
    port.write32 = [](void* ctx, uint32_t offset, uint32_t value) {
      static_cast<Machine*>(ctx)->write(offset, value);
    };
    port.now_us = [](void*) { return platform::current_cycle() / 1000; };
    port.relax = [](void*) { sc_core::wait(platform::cycles_to_time(1000)); };
    port.interrupts = true;
    return mxe_open(&device, &port, &ring_);
  }

  void simulate() {
    sc_core::sc_start(100, sc_core::SC_MS);
    EXPECT_TRUE(ended_) << "the guest's program still waits";
  }

 private:
  static constexpr uint64_t kOnes = 0x1'0000, kScales = 0x2'0000;

  static platform::Memory::Config memory_config() {
    platform::Memory::Config config;
    config.base = kBase;
    config.size = kMemoryBytes;
    return config;
  }
  void run() {
    guest_(*this);
    ended_ = true;
  }
  void take(const Message& message) {
    EXPECT_EQ(message, (Message{kMessageAddress, kMessageData}));
    message_event_.notify(sc_core::SC_ZERO_TIME);
  }

  Guest guest_;
  bool ended_ = false;
  uint64_t taken_ = 0;
  std::vector<mxe_slot> slots_ = std::vector<mxe_slot>(4);
  mxe_ring ring_{};
  sc_core::sc_signal<bool> irq_{"irq_line"};
  sc_core::sc_event message_event_;
};

void simulate(const Machine::Guest& guest) { Machine(guest).simulate(); }

constexpr uint32_t kAllOnes = 0xffff'ffff;

TEST(PciFunction, AnswersWholeRegistersOfItsBar) {
  simulate([](Machine& m) {
    EXPECT_EQ(m.read(MXE_REG_ID), kAllOnes);  // the guest has not enabled memory space
    m.enable();
    EXPECT_EQ(m.read(MXE_REG_ID), MXE_ID_RESET);
    std::array<uint32_t, 2> pair{};
    m.function.read_bar0(MXE_REG_ID, 8, reinterpret_cast<uint8_t*>(pair.data()));
    EXPECT_EQ(pair[0], MXE_ID_RESET);
    EXPECT_EQ(pair[1], m.read(MXE_REG_VERSION));
    pair = {0x1234'5000, 0x42};
    m.function.write_bar0(MXE_REG_RING_BASE_LO, 8, reinterpret_cast<const uint8_t*>(pair.data()));
    EXPECT_EQ(m.read(MXE_REG_RING_BASE_LO), 0x1234'5000u);
    EXPECT_EQ(m.read(MXE_REG_RING_BASE_HI), 0x42u);
    m.write_config(kCommand, 2, kMaster);
    m.write(MXE_REG_RING_BASE_HI, 0x43);  // dropped
    EXPECT_EQ(m.read(MXE_REG_ID), kAllOnes);
    m.write_config(kCommand, 2, kMemory);
    EXPECT_EQ(m.read(MXE_REG_RING_BASE_HI), 0x42u);
  });
}

TEST(PciFunction, RefusesWhatIsNoRegister) {
  simulate([](Machine& m) {
    m.enable();
    struct Access {
      uint64_t offset;
      std::size_t bytes;
    };
    for (const Access& a : {Access{0, 1},
                            {0, 2},
                            {0, 3},
                            {1, 4},
                            {2, 4},
                            {0, 6},
                            {4092, 8},
                            {4096, 4},
                            {4094, 4},
                            {~uint64_t{3}, 4},
                            {~uint64_t{3}, 8},
                            {0, 4100}}) {
      SCOPED_TRACE(std::to_string(a.offset) + " " + std::to_string(a.bytes));
      std::vector<uint8_t> data(a.bytes, 0x55);
      const std::vector<uint8_t> ones(a.bytes, 0xff);
      m.function.read_bar0(a.offset, a.bytes, data.data());
      EXPECT_EQ(data, ones);
      m.function.write_bar0(a.offset, a.bytes, data.data());
    }
    m.function.read_bar0(0, 0, nullptr);
    EXPECT_EQ(m.read(0xffc), kAllOnes);  // no register here: the engine responds with an error
    EXPECT_EQ(m.read(MXE_REG_IRQ_MASK), MXE_IRQ_MASK_RESET);
  });
}

/// Simulates `ns`, or until no event is pending (0), then an access that an event from outside
/// starts. Returns the cycles of the access.
uint64_t access_from_outside(uint64_t ns, bool with_job) {
  sc_core::sc_event outside;
  uint64_t begin = 0, end = 0;
  bool asked = false;
  Machine m([&](Machine& machine) {
    machine.enable();
    mxe_device device{};
    uint32_t id = 0;
    const mxe_job job = machine.make_job(128, 128, 128, 0x4'0000);
    if (with_job) {
      ASSERT_EQ(machine.open(device), MXE_OK);
      machine.write(MXE_REG_IRQ_MASK, 0);  // the job's end causes no event
      ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    }
    sc_core::wait(outside);
    begin = platform::current_cycle();
    const uint32_t status = machine.read(MXE_REG_STATUS);
    EXPECT_EQ((status & MXE_STATUS_BUSY_MASK) != 0, with_job && ns != 0);
    end = platform::current_cycle();
    asked = true;
  });
  if (ns == 0) {
    sc_core::sc_start();
  } else {
    sc_core::sc_start(static_cast<double>(ns), sc_core::SC_NS);
  }
  outside.notify();
  sc_core::sc_start();
  EXPECT_TRUE(asked);
  EXPECT_GE(begin, ns);
  return end - begin;
}

TEST(PciFunction, AnIdleEngineDoesNotRunAheadOfTheWorldOutside) {
  EXPECT_LT(access_from_outside(0, false), 10u);
}

TEST(PciFunction, AnEngineThatHasEndedDoesNotRunAheadOfTheWorldOutside) {
  EXPECT_LT(access_from_outside(0, true), 10u);
}

TEST(PciFunction, AnEngineAtWorkDoesNotRunAheadOfTheWorldOutside) {
  EXPECT_LT(access_from_outside(5000, true), 10u);
}

void leave_two_causes(Machine& m, mxe_device& device) {
  ASSERT_EQ(m.open(device), MXE_OK);
  m.write(MXE_REG_IRQ_STATUS, kAllOnes);
  m.write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_QUEUE_EMPTY_MASK);
  const mxe_job job = m.make_job(4, 4, 32, 0x4'0000);
  uint32_t id = 0;
  ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
  sc_core::wait(platform::cycles_to_time(5000));
  ASSERT_EQ(m.read(MXE_REG_IRQ_STATUS), MXE_IRQ_STATUS_DONE_MASK | MXE_IRQ_STATUS_QUEUE_EMPTY_MASK);
  ASSERT_TRUE(m.line());
}

TEST(PciFunction, SendsAgainWhileACauseIsPending) {
  simulate([](Machine& m) {
    m.enable();
    mxe_device device{};
    leave_two_causes(m, device);
    EXPECT_EQ(m.function.messages(), 1u);  // one edge
    EXPECT_EQ(m.messages_within(1000), 0u);
    m.write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK);
    EXPECT_TRUE(m.line());  // the line stays high: no edge
    EXPECT_EQ(m.messages_within(1000), 1u);
    m.write(MXE_REG_IRQ_STATUS, 0);  // clears nothing, but the guest requests a message again
    EXPECT_EQ(m.messages_within(1000), 1u);
    m.write(MXE_REG_RING_BASE_HI, 0);  // a write to another register
    EXPECT_EQ(m.messages_within(1000), 0u);
    m.write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_QUEUE_EMPTY_MASK);
    EXPECT_EQ(m.messages_within(1000), 0u);
    EXPECT_FALSE(m.line());
  });
}

TEST(PciFunction, SendsOnceWhenTheMaskMakesAnEdge) {
  simulate([](Machine& m) {
    m.enable();
    mxe_device device{};
    leave_two_causes(m, device);
    m.write(MXE_REG_IRQ_MASK, 0);
    EXPECT_EQ(m.messages_within(1000), 0u);
    EXPECT_FALSE(m.line());
    m.write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK);
    EXPECT_EQ(m.messages_within(1000), 1u);  // the edge; no second message for the cause
    m.write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_QUEUE_EMPTY_MASK);
    EXPECT_EQ(m.messages_within(1000), 1u);  // still pending, but no edge
  });
}

TEST(PciFunction, SendsWhenMessagesAreEnabledLate) {
  simulate([](Machine& m) {
    m.enable();
    m.write_config(kMsi + 2, 2, 0);
    mxe_device device{};
    leave_two_causes(m, device);
    EXPECT_EQ(m.function.messages(), 0u);
    m.write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_DONE_MASK);
    EXPECT_EQ(m.messages_within(1000), 0u);
    m.write_config(kMsi + 2, 2, 1);
    EXPECT_EQ(m.function.messages(), 1u);
    m.write_config(kMsi + 2, 2, 1);  // MSI was enabled
    EXPECT_EQ(m.messages_within(1000), 0u);
  });
}

void count(void* user, const mxe_completion* completion) {
  EXPECT_EQ(completion->code, MXE_OK);
  ++*static_cast<unsigned*>(user);
}

TEST(PciFunction, RunsTheDriverByMessagesAlone) {
  simulate([](Machine& m) {
    m.enable();
    mxe_device device{};
    ASSERT_EQ(m.open(device), MXE_OK);
    constexpr unsigned kJobs = 40;
    unsigned submitted = 0, ended = 0;
    std::vector<mxe_job> jobs;
    for (unsigned i = 0; i < kJobs; i++) {
      jobs.push_back(m.make_job(1 + i % 9, 1 + i % 7, 32 * (1 + i % 3), 0x4'0000 + 0x1000 * i));
    }
    mxe_options options{};
    options.done = count;
    options.user = &ended;
    while (ended < kJobs) {
      uint32_t id = 0;
      while (submitted < kJobs && mxe_submit(&device, &jobs[submitted], &options, &id) == MXE_OK) {
        submitted++;
      }
      ASSERT_TRUE(m.wait_message()) << ended << " of " << submitted << " jobs have ended";
      EXPECT_TRUE(mxe_irq(&device));
      ASSERT_GE(mxe_complete(&device, kJobs), 0);
    }
    for (const mxe_job& job : jobs) EXPECT_EQ(m.wrong(job, static_cast<float>(job.k)), 0u);
    EXPECT_EQ(mxe_close(&device, 1000), MXE_OK);
    EXPECT_FALSE(m.line());
  });
}

TEST(PciFunction, ReachesMemoryOnlyAsMaster) {
  simulate([](Machine& m) {
    m.enable();
    mxe_device device{};
    ASSERT_EQ(m.open(device), MXE_OK);
    const mxe_job job = m.make_job(8, 8, 64, 0x4'0000);
    uint32_t id = 0;
    mxe_completion completion{};
    ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    ASSERT_EQ(mxe_wait(&device, id, 1000, &completion), MXE_OK);
    EXPECT_EQ(m.wrong(job, 64), 0u);
    // The engine's direct memory access must end, too.
    const std::vector<uint8_t> before(
        m.memory.data(Machine::kBase, Machine::kMemoryBytes),
        m.memory.data(Machine::kBase, Machine::kMemoryBytes) + Machine::kMemoryBytes);
    EXPECT_TRUE(m.grants_direct_access());
    m.write_config(kCommand, 2, kMemory);
    EXPECT_FALSE(m.grants_direct_access());
    m.write(MXE_REG_RING_TAIL, 2);
    sc_core::wait(platform::cycles_to_time(5000));
    EXPECT_EQ(m.read(MXE_REG_LAST_STATUS), uint32_t{MXE_STATUS_ERR_FETCH});
    EXPECT_EQ(std::memcmp(before.data(), m.memory.data(Machine::kBase, Machine::kMemoryBytes),
                          before.size()),
              0);
    m.write_config(kCommand, 2, kMemory | kMaster);
    EXPECT_EQ(mxe_recover(&device, 1000), MXE_OK);
    std::memset(m.memory.data(job.d_addr, 256), 0, 256);
    ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    ASSERT_EQ(mxe_wait(&device, id, 1000, &completion), MXE_OK);
    EXPECT_EQ(m.wrong(job, 64), 0u);
  });
}

TEST(PciFunction, AnswersWithAllOnesAfterRemoval) {
  simulate([](Machine& m) {
    m.enable();
    mxe_device device{};
    ASSERT_EQ(m.open(device), MXE_OK);
    const mxe_job job = m.make_job(32, 32, 256, 0x4'0000);
    uint32_t id = 0;
    ASSERT_EQ(mxe_submit(&device, &job, nullptr, &id), MXE_OK);
    sc_core::wait(platform::cycles_to_time(200));  // during the job
    std::memset(m.memory.data(Machine::kBase, Machine::kMemoryBytes), 0x5a, Machine::kMemoryBytes);
    m.function.remove();
    EXPECT_TRUE(m.function.removed());
    EXPECT_EQ(m.read(MXE_REG_ID), kAllOnes);
    EXPECT_EQ(m.read_config(0, 8), ~uint64_t{0});
    m.write_config(kCommand, 2, kMemory | kMaster);  // does not restore it
    EXPECT_EQ(m.read_config(kCommand, 2), 0xffffu);
    EXPECT_EQ(m.messages_within(20'000), 0u);
    const uint8_t* memory = m.memory.data(Machine::kBase, Machine::kMemoryBytes);
    EXPECT_EQ(std::count(memory, memory + Machine::kMemoryBytes, 0x5a),
              std::ptrdiff_t{Machine::kMemoryBytes});
    EXPECT_FALSE(mxe_irq(&device));
    EXPECT_EQ(mxe_complete(&device, 4), MXE_ERR_GONE);
    EXPECT_EQ(mxe_close(&device, 1000), MXE_ERR_GONE);
  });
}

}  // namespace
}  // namespace mxe::pci
