// SPDX-License-Identifier: Apache-2.0
// The statements of docs/registers.md about software, on the model and on the RTL.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "model/platform/clock.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_regs.h"

namespace mxe::test {
namespace {

constexpr uint32_t kEnable = MXE_CTRL_ENABLE_MASK;
constexpr uint32_t kPending = 0xA5A5A500;  // initial status word, written by software
constexpr unsigned kSlots = 4;

class Device {
 public:
  explicit Device(platform::Host& h) : host(h), ring(h.allocate(kSlots * MXE_DESC_SIZE)) {
    write(MXE_REG_RING_BASE_HI, static_cast<uint32_t>(ring >> 32));
    write(MXE_REG_RING_BASE_LO, static_cast<uint32_t>(ring));
    write(MXE_REG_RING_SIZE_LOG2, 2);
  }

  uint32_t read(uint32_t offset) { return host.read32(offset); }
  void write(uint32_t offset, uint32_t value) { host.write32(offset, value); }
  void poke(uint64_t address, const std::vector<uint8_t>& bytes) {
    std::memcpy(host.memory().data(address, bytes.size()), bytes.data(), bytes.size());
  }
  template <typename T>
  T peek(uint64_t address) {
    T value;
    std::memcpy(&value, host.memory().data(address, sizeof value), sizeof value);
    return value;
  }
  uint32_t status_word(unsigned slot) {
    return peek<uint32_t>(ring + slot * MXE_DESC_SIZE + MXE_DESC_STATUS);
  }
  void until_empty() {
    while (read(MXE_REG_STATUS) != MXE_STATUS_EMPTY_MASK) host.wait_cycles(10);
  }

  /// Writes the word at byte `at` of the descriptor in `slot`.
  void put(unsigned slot, uint32_t at, uint32_t value) {
    std::vector<uint8_t> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    poke(ring + slot * MXE_DESC_SIZE + at, bytes);
  }
  /// A job [m][k] times [1][k]; B is MXINT8, and so is A by default.
  void put_job(unsigned slot, uint32_t m, uint32_t k, uint64_t a, uint64_t b, uint32_t fmt_a = 6) {
    poke(ring + slot * MXE_DESC_SIZE, std::vector<uint8_t>(MXE_DESC_SIZE, 0));
    put(slot, MXE_DESC_JOB_ID, 100 + slot);
    put(slot, MXE_DESC_CONTROL, fmt_a | 6u << MXE_DESC_CONTROL_FMT_B_SHIFT);
    put(slot, MXE_DESC_M, m);
    put(slot, MXE_DESC_N, 1);
    put(slot, MXE_DESC_K, k);
    put(slot, MXE_DESC_A_ADDR, static_cast<uint32_t>(a));
    put(slot, MXE_DESC_B_ADDR, static_cast<uint32_t>(b));
    put(slot, MXE_DESC_A_SCALE_ADDR, static_cast<uint32_t>(scales));
    put(slot, MXE_DESC_B_SCALE_ADDR, static_cast<uint32_t>(scales));
    put(slot, MXE_DESC_D_ADDR, static_cast<uint32_t>(results));
    put(slot, MXE_DESC_D_STRIDE, 4);
    put(slot, MXE_DESC_STATUS, kPending);
  }

  platform::Host& host;
  uint64_t ring;
  uint64_t scales = host.allocate(4096), results = host.allocate(4096);
  uint64_t operand = host.allocate(4096);
};

/// Runs `script` on model and RTL, which must take the same number of cycles.
void on_both(const std::function<void(Device&)>& script) {
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  const Params params = Params::named("small");
  platform::Platform model("model", memory,
                           [&] { return std::make_unique<platform::Engine>("engine", params); });
  platform::Platform rtl("rtl", memory,
                         [&] { return std::make_unique<rtl::RtlEngine>("engine", params); });
  std::vector<uint64_t> took;
  for (platform::Platform* platform : {&model, &rtl}) {
    SCOPED_TRACE(platform->name());
    platform->run([&](platform::Host& host) {
      const uint64_t begin = platform::current_cycle();
      Device device(host);
      script(device);
      took.push_back(platform::current_cycle() - begin);
    });
  }
  EXPECT_EQ(took.at(0), took.at(1));
}

TEST(Registers, BadAccessesAreBusErrors) {
  on_both([](Device& device) {
    for (const uint32_t offset : {0xFFCu, 0x041u, 0x042u, 0x078u}) {
      uint32_t value = 1;
      EXPECT_FALSE(device.host.try_read(offset, value)) << offset;
      EXPECT_EQ(value, 0u);
      EXPECT_FALSE(device.host.try_write(offset, 1)) << offset;
    }
    EXPECT_FALSE(device.host.try_write(MXE_REG_STATUS, 1));
    device.write(MXE_REG_RING_BASE_LO, 0xFFFFFFFF);
    EXPECT_EQ(device.read(MXE_REG_RING_BASE_LO), 0xFFFFFF80);
  });
}

TEST(Registers, DoorbellsWhileDisabled) {
  on_both([](Device& device) {
    EXPECT_EQ(device.read(MXE_REG_RING_TAIL), 0u);
    device.put_job(0, 8, 1024, device.operand, device.operand);
    device.put_job(1, 1, 32, device.operand, device.operand);
    device.write(MXE_REG_RING_TAIL, 2);
    device.host.wait_cycles(1000);
    EXPECT_EQ(device.read(MXE_REG_STATUS), 0u);
    EXPECT_EQ(device.read(MXE_REG_RING_TAIL), 2u);
    device.write(MXE_REG_RING_TAIL, kSlots + 1);
    EXPECT_EQ(device.read(MXE_REG_RING_TAIL), 2u);
    EXPECT_EQ(device.read(MXE_REG_IRQ_STATUS), MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
    EXPECT_EQ(device.read(MXE_REG_RING_HEAD), 0u);
    device.write(MXE_REG_CTRL, kEnable);
    device.host.wait_cycles(100);
    EXPECT_EQ(device.read(MXE_REG_STATUS), MXE_STATUS_BUSY_MASK);
    device.write(MXE_REG_CTRL, 0);  // the first job ends, the second waits
    device.host.wait_cycles(10000);
    EXPECT_EQ(device.read(MXE_REG_STATUS), 0u);
    EXPECT_EQ(device.read(MXE_REG_RING_HEAD), 1u);
    EXPECT_EQ(device.status_word(0), MXE_STATUS_OK);
    EXPECT_EQ(device.status_word(1), kPending);
    device.write(MXE_REG_CTRL, MXE_CTRL_SOFT_RESET_MASK);
    device.until_empty();
    EXPECT_EQ(device.read(MXE_REG_RING_TAIL), 0u);
  });
}

TEST(Registers, TheLineIsALevel) {
  on_both([](Device& device) {
    const auto line = [&] { return device.host.irq.read(); };
    device.write(MXE_REG_CTRL, kEnable);
    device.put(0, MXE_DESC_STATUS, kPending);
    device.write(MXE_REG_RING_TAIL, 1);  // a descriptor of zeros: error and queue_empty
    device.until_empty();
    const uint32_t both = MXE_IRQ_STATUS_ERROR_MASK | MXE_IRQ_STATUS_QUEUE_EMPTY_MASK;
    EXPECT_EQ(device.read(MXE_REG_IRQ_STATUS), both);
    EXPECT_FALSE(line());
    device.write(MXE_REG_IRQ_MASK, 0xF);
    (void)device.read(MXE_REG_ID);
    EXPECT_TRUE(line());
    device.write(MXE_REG_IRQ_STATUS, MXE_IRQ_STATUS_ERROR_MASK);
    (void)device.read(MXE_REG_ID);
    EXPECT_TRUE(line());
    // The steps of an interrupt handler that receives messages.
    device.write(MXE_REG_IRQ_MASK, 0);
    (void)device.read(MXE_REG_ID);
    EXPECT_FALSE(line());
    device.write(MXE_REG_IRQ_MASK, 0xF);
    EXPECT_TRUE(device.host.wait_irq(platform::cycles_to_time(10)));
    // The interrupt pin falls one cycle after the response.
    device.write(MXE_REG_IRQ_STATUS, 0xF);
    EXPECT_TRUE(line());
    (void)device.read(MXE_REG_ID);
    EXPECT_FALSE(line());
  });
}

TEST(Registers, SoftResetOfABusyEngine) {
  on_both([](Device& device) {
    device.write(MXE_REG_IRQ_MASK, MXE_IRQ_MASK_DONE_MASK);
    device.write(MXE_REG_CTRL, kEnable);
    device.put_job(0, 64, 4096, device.operand, device.operand);
    device.put_job(1, 64, 4096, device.operand, device.operand);
    device.write(MXE_REG_RING_TAIL, 2);
    device.host.wait_cycles(500);
    EXPECT_EQ(device.read(MXE_REG_STATUS), MXE_STATUS_BUSY_MASK);
    device.write(MXE_REG_CTRL, kEnable | MXE_CTRL_SOFT_RESET_MASK);
    EXPECT_NE(device.read(MXE_REG_STATUS) & MXE_STATUS_RESETTING_MASK, 0u);
    device.write(MXE_REG_RING_TAIL, 3);
    device.host.wait_cycles(1000);
    EXPECT_EQ(device.read(MXE_REG_STATUS), MXE_STATUS_EMPTY_MASK);
    EXPECT_EQ(device.read(MXE_REG_RING_HEAD), 0u);
    EXPECT_EQ(device.read(MXE_REG_RING_TAIL), 0u);
    EXPECT_EQ(device.read(MXE_REG_LAST_JOB), 100u);
    EXPECT_EQ(device.read(MXE_REG_LAST_STATUS), MXE_STATUS_ERR_ABORTED);
    EXPECT_EQ(device.status_word(0), MXE_STATUS_ERR_ABORTED);
    EXPECT_EQ(device.status_word(1), kPending);
    EXPECT_EQ(device.read(MXE_REG_IRQ_STATUS),
              MXE_IRQ_STATUS_ERROR_MASK | MXE_IRQ_STATUS_RING_OVERFLOW_MASK);
    EXPECT_EQ(device.read(MXE_REG_CTRL), kEnable);
    EXPECT_EQ(device.read(MXE_REG_IRQ_MASK), MXE_IRQ_MASK_DONE_MASK);
    EXPECT_EQ(device.read(MXE_REG_RING_BASE_LO), static_cast<uint32_t>(device.ring));
    EXPECT_EQ(device.read(MXE_REG_RING_SIZE_LOG2), 2u);
  });
}

TEST(Registers, CountersAreASnapshot) {
  on_both([](Device& device) {
    const auto total = [&](uint32_t control) {
      if (control != 0) device.write(MXE_REG_CTRL, control);
      return device.read(MXE_REG_TOTAL_LO);
    };
    device.write(MXE_REG_CTRL, kEnable);
    device.host.wait_cycles(500);
    EXPECT_EQ(total(0), 0u);
    const uint32_t first = total(kEnable | MXE_CTRL_COUNTER_SNAPSHOT_MASK);
    EXPECT_GE(first, 500u);
    device.host.wait_cycles(100);
    EXPECT_EQ(total(kEnable | MXE_CTRL_COUNTER_CLEAR_MASK), first);
    EXPECT_LT(total(kEnable | MXE_CTRL_COUNTER_SNAPSHOT_MASK), 10u);
    device.host.wait_cycles(300);
    EXPECT_GE(total(MXE_CTRL_COUNTER_CLEAR_MASK | MXE_CTRL_COUNTER_SNAPSHOT_MASK), 300u);
    device.host.wait_cycles(300);  // disabled
    EXPECT_LT(total(MXE_CTRL_COUNTER_SNAPSHOT_MASK), 5u);
  });
}

TEST(Registers, FaultsStay) {
  on_both([](Device& device) {
    const auto fault = [&] {
      return std::vector<uint32_t>{device.read(MXE_REG_FAULT_ADDR_LO),
                                   device.read(MXE_REG_FAULT_ADDR_HI),
                                   device.read(MXE_REG_FAULT_INFO)};
    };
    EXPECT_EQ(fault(), (std::vector<uint32_t>{0, 0, 0}));
    device.write(MXE_REG_CTRL, kEnable);
    device.put_job(0, 1, 32, device.operand, device.operand);
    device.host.memory().add_fault(device.ring, 1);
    device.write(MXE_REG_RING_TAIL, 1);
    device.until_empty();
    const std::vector<uint32_t> first{static_cast<uint32_t>(device.ring),
                                      static_cast<uint32_t>(device.ring >> 32),
                                      MXE_FAULT_DESCRIPTOR};
    EXPECT_EQ(fault(), first);
    device.host.memory().clear_faults();
    device.write(MXE_REG_IRQ_STATUS, 0xF);
    device.put_job(1, 1, 32, device.operand, device.operand);
    device.write(MXE_REG_RING_TAIL, 2);
    device.until_empty();
    EXPECT_EQ(device.status_word(1), MXE_STATUS_OK);
    EXPECT_EQ(fault(), first);
    device.write(MXE_REG_CTRL, kEnable | MXE_CTRL_SOFT_RESET_MASK);
    device.host.wait_cycles(100);
    EXPECT_EQ(fault(), first);
  });
}

/// One element of A is 1, element i of B is i / 64: the result names the element.
TEST(Registers, ElementsArePackedFromTheLowestBit) {
  struct Packing {
    uint32_t format;
    unsigned bits;
    uint8_t one;
  };
  on_both([](Device& device) {
    device.write(MXE_REG_CTRL, kEnable);
    const uint64_t b = device.host.allocate(64);
    std::vector<uint8_t> numbers(40);
    for (unsigned i = 0; i < numbers.size(); i++) numbers[i] = static_cast<uint8_t>(i);
    device.poke(b, numbers);
    uint32_t tail = 0;
    for (const Packing& packing :
         {Packing{MXE_FORMAT_MXFP4_E2M1, 4, 0x02}, Packing{MXE_FORMAT_MXFP6_E2M3, 6, 0x08},
          Packing{MXE_FORMAT_MXFP6_E3M2, 6, 0x0C}, Packing{MXE_FORMAT_MXINT8, 8, 0x40}}) {
      for (const unsigned element : {0u, 1u, 5u, 6u, 31u, 33u}) {
        std::vector<uint8_t> row(40, 0);
        for (unsigned bit = 0; bit < packing.bits; bit++) {
          const unsigned at = element * packing.bits + bit;
          row[at / 8] = static_cast<uint8_t>(row[at / 8] | (packing.one >> bit & 1) << at % 8);
        }
        device.poke(device.operand, row);
        // The second block, of eight elements, has the scale 2^3 in A and B.
        device.poke(device.scales, {127, 130});
        device.put_job(tail % kSlots, 1, 40, device.operand, b, packing.format);
        device.write(MXE_REG_RING_TAIL, ++tail);
        device.until_empty();
        EXPECT_EQ(device.status_word((tail - 1) % kSlots), MXE_STATUS_OK);
        const auto value = static_cast<float>(element) / 64 * (element < 32 ? 1.0F : 64.0F);
        EXPECT_EQ(device.peek<float>(device.results), value) << packing.format << " " << element;
      }
    }
    device.poke(device.scales, {255, 127});
    device.put_job(tail % kSlots, 1, 40, device.operand, b);
    device.write(MXE_REG_RING_TAIL, ++tail);
    device.until_empty();
    EXPECT_TRUE(std::isnan(device.peek<float>(device.results)));
  });
}

}  // namespace
}  // namespace mxe::test
