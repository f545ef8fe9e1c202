// SPDX-License-Identifier: Apache-2.0
// mxe_identify(), mxe_open() and mxe_close(): discovery, the ring, and every reason to refuse it.
#include <string>

#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

constexpr uint32_t kMinor = (MXE_VERSION_RESET & MXE_VERSION_MINOR_MASK) >> MXE_VERSION_MINOR_SHIFT;

class Open : public testing::Test {
 protected:
  int open(uint32_t entries = 4, uint64_t bus_offset = 0, size_t host_offset = 0) {
    const mxe_port port = device.port(true);
    mxe_ring ring = device.ring(entries);
    ring.mem = static_cast<char*>(ring.mem) + host_offset;
    ring.bus_addr += bus_offset;
    return mxe_open(&driver, &port, &ring);
  }
  ~Open() override { EXPECT_TRUE(device.bus_errors.empty()); }

  MockDevice device{64};
  mxe_device driver = {};
};

TEST_F(Open, ReadsTheVersion) {
  ASSERT_EQ(open(), MXE_OK);
  EXPECT_EQ(driver.caps.version_major, 0);
  EXPECT_EQ(driver.caps.version_minor, kMinor);
  EXPECT_EQ(driver.caps.version_patch, 0);
}

TEST_F(Open, ReadsEveryCapability) {
#define SET_REGISTER(member, REGISTER) device.set_reg(MXE_REG_##REGISTER, MXE_REG_##REGISTER + 4u);
  MXE_CAPABILITY_WORDS(SET_REGISTER)
#undef SET_REGISTER
  ASSERT_EQ(open(), MXE_OK);
#define EXPECT_WORD(member, REGISTER) \
  EXPECT_EQ(driver.caps.member, MXE_REG_##REGISTER + 4u) << #REGISTER;
  MXE_CAPABILITY_WORDS(EXPECT_WORD)
#undef EXPECT_WORD
#define EXPECT_FLAG(member, FIELD) EXPECT_TRUE(driver.caps.member) << #FIELD;
  MXE_CAPABILITY_FLAGS(EXPECT_FLAG)
#undef EXPECT_FLAG
}

TEST_F(Open, SeesWhichFeatureIsMissing) {
  for (uint32_t missing = 1; missing < 32; missing <<= 1) {
    device.set_reg(MXE_REG_FEATURES, ~missing);
    ASSERT_EQ(open(), MXE_OK);
#define EXPECT_FLAG(member, FIELD) \
  EXPECT_EQ(driver.caps.member, missing != MXE_FEATURES_##FIELD##_MASK) << #FIELD;
    MXE_CAPABILITY_FLAGS(EXPECT_FLAG)
#undef EXPECT_FLAG
  }
}

TEST_F(Open, HandsOverTheRingAndEnables) {
  device.set_reg(MXE_REG_IRQ_STATUS, 15);
  ASSERT_EQ(open(16), MXE_OK);
  EXPECT_EQ(device.reg(MXE_REG_RING_BASE_LO), 0x23456780u);
  EXPECT_EQ(device.reg(MXE_REG_RING_BASE_HI), 1u);
  EXPECT_EQ(device.reg(MXE_REG_RING_SIZE_LOG2), 4u);
  EXPECT_EQ(device.reg(MXE_REG_CTRL), MXE_CTRL_ENABLE_MASK);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_STATUS), 0u);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_MASK),
            MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_ERROR_MASK | MXE_IRQ_MASK_RING_OVERFLOW_MASK);
  EXPECT_EQ(device.events.back(), "clear");
}

TEST_F(Open, ZeroesItsRingAndNothingElse) {
  ASSERT_EQ(open(4), MXE_OK);
  for (uint32_t entry = 0; entry < 5; entry++) {
    for (uint32_t offset = 0; offset < MXE_DESC_SIZE; offset += 4) {
      EXPECT_EQ(device.ring_word(entry, offset), entry < 4 ? 0u : ~0u) << entry << " " << offset;
    }
  }
}

TEST_F(Open, MasksInterruptsThatNobodyWaitsFor) {
  const mxe_port port = device.port(false);
  device.set_reg(MXE_REG_IRQ_MASK, 15);
  const mxe_ring ring = device.ring(4);
  ASSERT_EQ(mxe_open(&driver, &port, &ring), MXE_OK);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_MASK), 0u);
}

TEST_F(Open, StopsThePreviousUsersJob) {
  device.write(MXE_REG_RING_SIZE_LOG2, 2);
  device.write(MXE_REG_RING_TAIL, 3);
  ASSERT_TRUE(device.has_work());
  ASSERT_EQ(open(), MXE_OK);
  EXPECT_FALSE(device.has_work());
}

TEST_F(Open, BeginsWhereTheHeadStands) {
  device.head = 0xfffe;
  device.reset_head = MockDevice::ResetHead::stays;
  ASSERT_EQ(open(), MXE_OK);
  const mxe_job job = {};
  for (int i = 0; i < 10; i++) {
    uint32_t id = 0;
    ASSERT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
    EXPECT_NE(id, 0u);
    EXPECT_EQ(mxe_wait(&driver, id, 100, nullptr), MXE_OK);
  }
  EXPECT_EQ(device.head, 8);
}

TEST_F(Open, RefusesNullPointers) {
  const mxe_port port = device.port(true);
  const mxe_ring ring = device.ring(4);
  EXPECT_EQ(mxe_open(nullptr, &port, &ring), MXE_ERR_ARGUMENT);
  const auto explain = [&] { return std::string(mxe_explain(&driver, MXE_ERR_ARGUMENT)); };
  EXPECT_EQ(mxe_open(&driver, nullptr, &ring), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(), "port is null");
  EXPECT_EQ(mxe_open(&driver, &port, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(explain(), "ring is null");
  const auto without = [&](const std::string& member, void (*remove)(mxe_port&, mxe_ring&)) {
    mxe_port less_port = port;
    mxe_ring less_ring = ring;
    remove(less_port, less_ring);
    EXPECT_EQ(mxe_open(&driver, &less_port, &less_ring), MXE_ERR_ARGUMENT);
    EXPECT_EQ(explain(), member + " is null");
  };
  without("port->read32", [](mxe_port& p, mxe_ring&) { p.read32 = nullptr; });
  without("port->write32", [](mxe_port& p, mxe_ring&) { p.write32 = nullptr; });
  without("port->now_us", [](mxe_port& p, mxe_ring&) { p.now_us = nullptr; });
  without("ring->mem", [](mxe_port&, mxe_ring& r) { r.mem = nullptr; });
  without("ring->slots", [](mxe_port&, mxe_ring& r) { r.slots = nullptr; });
  mxe_capabilities caps = {};
  EXPECT_EQ(mxe_identify(nullptr, &caps), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_identify(&port, nullptr), MXE_ERR_ARGUMENT);
}

TEST_F(Open, WorksWithoutTheOptionalFunctions) {
  mxe_port port = device.port(false);
  port.relax = nullptr;
  port.wmb = port.rmb = nullptr;
  device.reset_ticks = 0;
  const mxe_ring ring = device.ring(4);
  ASSERT_EQ(mxe_open(&driver, &port, &ring), MXE_OK);
  uint32_t id = 0;
  const mxe_job job = {};
  ASSERT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
  device.complete_next();
  EXPECT_EQ(mxe_wait(&driver, id, 10, nullptr), MXE_OK);
}

TEST_F(Open, IdentifyNeedsReadsOnlyAndChangesNothing) {
  mxe_port port = {};
  port.ctx = &device;
  port.read32 = device.port(false).read32;
  bool written = false;
  device.before_write = [&](uint32_t) { written = true; };
  mxe_capabilities caps = {};
  ASSERT_EQ(mxe_identify(&port, &caps), MXE_OK);
  EXPECT_EQ(caps.queue_depth, 16u);
  EXPECT_FALSE(written);
  device.gone = true;
  EXPECT_EQ(mxe_identify(&port, &caps), MXE_ERR_NODEV);
}

TEST_F(Open, FindsNoDevice) {
  device.set_reg(MXE_REG_ID, 0x12345678);
  EXPECT_EQ(open(), MXE_ERR_NODEV);
  device.gone = true;
  EXPECT_EQ(open(), MXE_ERR_NODEV);
}

TEST_F(Open, RefusesAnotherMajorVersionOnly) {
  device.set_reg(MXE_REG_VERSION, MXE_VERSION_RESET + (1u << MXE_VERSION_MAJOR_SHIFT));
  EXPECT_EQ(open(), MXE_ERR_VERSION);
  device.set_reg(MXE_REG_VERSION, MXE_VERSION_RESET + (2u << MXE_VERSION_MINOR_SHIFT) + 5);
  EXPECT_EQ(open(), MXE_OK);
  EXPECT_EQ(driver.caps.version_minor, kMinor + 2);
  EXPECT_EQ(driver.caps.version_patch, 5);
}

TEST_F(Open, RefusesBadRings) {
  EXPECT_EQ(open(0), MXE_ERR_RING);
  EXPECT_EQ(open(3), MXE_ERR_RING);
  EXPECT_EQ(open(32), MXE_ERR_RING);
  EXPECT_EQ(open(4, 64), MXE_ERR_RING);
  EXPECT_EQ(open(4, 0, 4), MXE_ERR_RING);
  EXPECT_EQ(driver.caps.queue_depth, 16u) << "capabilities tell the caller what to ask for";
  EXPECT_EQ(open(16), MXE_OK);
}

TEST_F(Open, RefusesRingsThatIndicesCannotTellApart) {
  device.set_reg(MXE_REG_QUEUE_DEPTH, 1u << 20);
  EXPECT_EQ(open(1u << 16), MXE_ERR_RING);
}

TEST_F(Open, GivesUpOnADeviceStuckInReset) {
  device.reset_ticks = 100'000'000;
  EXPECT_EQ(open(), MXE_ERR_TIMEOUT);
}

TEST_F(Open, SeesTheDeviceVanishDuringTheReset) {
  device.before_read = [this](uint32_t offset) { device.gone |= offset == MXE_REG_STATUS; };
  EXPECT_EQ(open(), MXE_ERR_GONE);
}

TEST_F(Open, SeesTheDeviceVanishAfterTheReset) {
  device.before_read = [this](uint32_t offset) { device.gone |= offset == MXE_REG_RING_HEAD; };
  EXPECT_EQ(open(), MXE_ERR_GONE);
}

TEST_F(Open, RefusesAnImpossibleHead) {
  device.set_reg(MXE_REG_RING_HEAD, 0x10000);
  EXPECT_EQ(open(), MXE_ERR_PROTOCOL);
}

TEST_F(Open, LeavesTheDriverUnusableAfterAFailure) {
  device.gone = true;
  ASSERT_EQ(open(), MXE_ERR_NODEV);
  const mxe_job job = {};
  uint32_t id = 0;
  struct mxe_counters counters;
  EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_ERR_ARGUMENT);
  EXPECT_STREQ(mxe_explain(&driver, MXE_ERR_ARGUMENT), "dev is not open");
  EXPECT_EQ(mxe_wait(&driver, 1, 0, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_read_counters(&driver, &counters), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_clear_counters(&driver), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_recover(&driver, 0), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_close(&driver, 0), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_complete(&driver, 1), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_cancel(&driver, 1), MXE_ERR_ARGUMENT);
  EXPECT_FALSE(mxe_irq(&driver));
}

}  // namespace
}  // namespace mxe::test
