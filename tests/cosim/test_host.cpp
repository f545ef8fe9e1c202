// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/platform.h"

namespace mxe::test {
namespace {

/// Sixteen words of registers, three cycles per access. Writing N to 0x40 raises the interrupt N
/// cycles later; addresses from 0x80 give an error response.
class EngineStub : public platform::EngineModule {
 public:
  EngineStub() : platform::EngineModule("engine", Params::named("small")) {
    SC_HAS_PROCESS(EngineStub);
    SC_METHOD(raise);
    dont_initialize();
    sensitive << raise_event_;
  }

 private:
  bool transfer_register(harness::RegisterTransfer& transfer) override {
    wait(platform::cycles_to_time(3));
    if (transfer.address >= 0x80) {
      transfer.data = 0;
      return false;
    }
    if (transfer.address == 0x40) raise_event_.notify(platform::cycles_to_time(transfer.data));
    uint32_t& word = words_[transfer.address / 4 % words_.size()];
    if (transfer.write) {
      word = transfer.data;
    } else {
      transfer.data = word;
    }
    return true;
  }
  void raise() { irq.write(true); }

  std::array<uint32_t, 16> words_{};
  sc_core::sc_event raise_event_;
};

std::unique_ptr<platform::Platform> make_platform(const char* name) {
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  return std::make_unique<platform::Platform>(name, memory,
                                              [] { return std::make_unique<EngineStub>(); });
}

TEST(Host, RunsProgramsOneAfterTheOther) {
  const auto platform = make_platform("p");
  uint64_t before = 0, after = 0;
  platform->run([&](platform::Host& host) {
    before = platform::current_cycle();
    host.write32(0x8, 1234);
    after = platform::current_cycle();
  });
  EXPECT_EQ(after - before, 3u);
  uint32_t value = 0;
  platform->run([&](platform::Host& host) { value = host.read32(0x8); });
  EXPECT_EQ(value, 1234u);
}

TEST(Host, WaitsForTheInterrupt) {
  const auto platform = make_platform("p");
  platform->run([&](platform::Host& host) {
    host.write32(0x40, 500);
    EXPECT_FALSE(host.wait_irq(platform::cycles_to_time(100)));
    EXPECT_TRUE(host.wait_irq(platform::cycles_to_time(1000)));
    EXPECT_EQ(platform::current_cycle(), 503u);
    EXPECT_TRUE(host.wait_irq(platform::cycles_to_time(1000)));
    EXPECT_EQ(platform::current_cycle(), 503u);
  });
}

TEST(Host, BusErrorsReachTheProgram) {
  const auto platform = make_platform("p");
  platform->run([&](platform::Host& host) {
    uint32_t value = 1;
    EXPECT_FALSE(host.try_read(0x80, value));
    EXPECT_EQ(value, 0u);
    EXPECT_FALSE(host.try_read(0x1000, value));
    EXPECT_FALSE(host.try_write(0x90, 1));
    EXPECT_THROW(host.read32(0x80), Error);
  });
}

TEST(Host, ExceptionsComeOutOfTheSimulation) {
  const auto platform = make_platform("p");
  EXPECT_THROW(platform->run([](platform::Host&) { throw std::out_of_range("mine"); }),
               std::out_of_range);
  bool ran = false;
  platform->run([&](platform::Host&) { ran = true; });
  EXPECT_TRUE(ran);
}

TEST(Host, AStandstillIsAnError) {
  const auto platform = make_platform("p");
  try {
    platform->run([](platform::Host& host) { sc_core::wait(host.irq.posedge_event()); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the simulation came to a standstill while the program on 'p.host' was waiting");
  }
}

TEST(Host, TwoPlatformsRunSideBySide) {
  const auto a = make_platform("a"), b = make_platform("b");
  uint64_t a_end = 0, b_end = 0;
  a->host().start([&](platform::Host& host) {
    host.wait_cycles(100);
    a_end = platform::current_cycle();
  });
  b->host().start([&](platform::Host& host) {
    for (int i = 0; i < 50; i++) host.write32(0, 1);
    b_end = platform::current_cycle();
  });
  platform::run_hosts({&a->host(), &b->host()});
  EXPECT_EQ(a_end, 100u);
  EXPECT_EQ(b_end, 150u);
}

TEST(Host, AllocatorAligns) {
  const auto platform = make_platform("p");
  platform::Host& host = platform->host();
  const uint64_t a = host.allocate(3, 1), b = host.allocate(5, 1), c = host.allocate(1, 24);
  EXPECT_EQ(b, a + 3);
  EXPECT_EQ(c % 24, 0u);
  const uint64_t mark = host.allocation_mark();
  EXPECT_THROW(host.allocate(1 << 20), Error);
  const uint64_t d = host.allocate(1 << 19, 128);
  EXPECT_EQ(d % 128, 0u);
  host.release(mark);
  EXPECT_EQ(host.allocate(64, 128), d);
}

}  // namespace
}  // namespace mxe::test
