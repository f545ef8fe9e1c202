// SPDX-License-Identifier: Apache-2.0
// mxe_probe(): discovery, the ring, and every way it can refuse.
#include "tests/driver/driver_fixture.h"

namespace mxe::test {
namespace {

class Probe : public testing::Test {
 protected:
  int probe(uint32_t entries = 4, uint64_t bus_offset = 0, size_t host_offset = 0) {
    const mxe_port port = device.port(true);
    return mxe_probe(&driver, &port, static_cast<char*>(device.ring_memory()) + host_offset,
                     device.ring_bus_addr() + bus_offset, entries);
  }
  ~Probe() override { EXPECT_TRUE(device.bus_errors.empty()); }

  MockDevice device{64};
  mxe_device driver = {};
};

TEST_F(Probe, ReadsTheVersion) {
  ASSERT_EQ(probe(), MXE_OK);
  EXPECT_EQ(driver.caps.version_major, 0);
  EXPECT_EQ(driver.caps.version_minor, 4);
  EXPECT_EQ(driver.caps.version_patch, 0);
}

TEST_F(Probe, ReadsEveryCapability) {
  // Every register shows a number of its own.
#define SET_REGISTER(member, REGISTER) device.set_reg(MXE_REG_##REGISTER, MXE_REG_##REGISTER + 4u);
  MXE_CAPABILITY_WORDS(SET_REGISTER)
#undef SET_REGISTER
  ASSERT_EQ(probe(), MXE_OK);
#define EXPECT_WORD(member, REGISTER) \
  EXPECT_EQ(driver.caps.member, MXE_REG_##REGISTER + 4u) << #REGISTER;
  MXE_CAPABILITY_WORDS(EXPECT_WORD)
#undef EXPECT_WORD
#define EXPECT_FLAG(member, FIELD) EXPECT_TRUE(driver.caps.member) << #FIELD;
  MXE_CAPABILITY_FLAGS(EXPECT_FLAG)
#undef EXPECT_FLAG
}

TEST_F(Probe, SeesWhichFeatureIsMissing) {
  for (uint32_t missing = 1; missing < 32; missing <<= 1) {
    device.set_reg(MXE_REG_FEATURES, ~missing);
    ASSERT_EQ(probe(), MXE_OK);
#define EXPECT_FLAG(member, FIELD) \
  EXPECT_EQ(driver.caps.member, missing != MXE_FEATURES_##FIELD##_MASK) << #FIELD;
    MXE_CAPABILITY_FLAGS(EXPECT_FLAG)
#undef EXPECT_FLAG
  }
}

TEST_F(Probe, HandsOverTheRingAndEnables) {
  device.set_reg(MXE_REG_IRQ_STATUS, 15);
  ASSERT_EQ(probe(16), MXE_OK);
  EXPECT_EQ(device.reg(MXE_REG_RING_BASE_LO), 0x23456780u);
  EXPECT_EQ(device.reg(MXE_REG_RING_BASE_HI), 1u);
  EXPECT_EQ(device.reg(MXE_REG_RING_SIZE_LOG2), 4u);
  EXPECT_EQ(device.reg(MXE_REG_CTRL), MXE_CTRL_ENABLE_MASK);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_STATUS), 0u);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_MASK),
            MXE_IRQ_MASK_DONE_MASK | MXE_IRQ_MASK_ERROR_MASK | MXE_IRQ_MASK_RING_OVERFLOW_MASK);
  EXPECT_EQ(device.events.back(), "clear");
}

TEST_F(Probe, ZeroesItsRingAndNothingElse) {
  ASSERT_EQ(probe(4), MXE_OK);
  for (uint32_t entry = 0; entry < 5; entry++) {
    for (uint32_t offset = 0; offset < MXE_DESC_SIZE; offset += 4) {
      EXPECT_EQ(device.ring_word(entry, offset), entry < 4 ? 0u : ~0u) << entry << " " << offset;
    }
  }
}

TEST_F(Probe, MasksInterruptsThatNobodyWaitsFor) {
  const mxe_port port = device.port(false);
  device.set_reg(MXE_REG_IRQ_MASK, 15);
  ASSERT_EQ(mxe_probe(&driver, &port, device.ring_memory(), device.ring_bus_addr(), 4), MXE_OK);
  EXPECT_EQ(device.reg(MXE_REG_IRQ_MASK), 0u);
}

TEST_F(Probe, StopsThePreviousUsersJob) {
  device.write(MXE_REG_RING_SIZE_LOG2, 2);
  device.write(MXE_REG_RING_TAIL, 3);
  ASSERT_TRUE(device.has_work());
  ASSERT_EQ(probe(), MXE_OK);
  EXPECT_FALSE(device.has_work());
}

TEST_F(Probe, BeginsWhereTheHeadStands) {
  device.head = 0xfffe;
  device.reset_head = MockDevice::ResetHead::stays;
  ASSERT_EQ(probe(), MXE_OK);
  const mxe_job job = {};
  for (int i = 0; i < 10; i++) {
    uint32_t id = 0;
    ASSERT_EQ(mxe_submit(&driver, &job, &id), MXE_OK);
    EXPECT_NE(id, 0u);
    EXPECT_EQ(mxe_wait(&driver, id, 100, nullptr), MXE_OK);
  }
  EXPECT_EQ(device.head, 8);
}

TEST_F(Probe, RefusesNullPointers) {
  mxe_port port = device.port(true);
  void* ring = device.ring_memory();
  EXPECT_EQ(mxe_probe(nullptr, &port, ring, 0, 4), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_probe(&driver, nullptr, ring, 0, 4), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_probe(&driver, &port, nullptr, 0, 4), MXE_ERR_ARGUMENT);
  mxe_port no_read = port;
  no_read.read32 = nullptr;
  EXPECT_EQ(mxe_probe(&driver, &no_read, ring, 0, 4), MXE_ERR_ARGUMENT);
  mxe_port no_write = port;
  no_write.write32 = nullptr;
  EXPECT_EQ(mxe_probe(&driver, &no_write, ring, 0, 4), MXE_ERR_ARGUMENT);
}

TEST_F(Probe, WorksWithoutTheOptionalFunctions) {
  mxe_port port = device.port(false);
  port.relax = nullptr;
  port.barrier = nullptr;
  device.reset_ticks = 0;
  ASSERT_EQ(mxe_probe(&driver, &port, device.ring_memory(), 0, 4), MXE_OK);
  uint32_t id = 0;
  const mxe_job job = {};
  ASSERT_EQ(mxe_submit(&driver, &job, &id), MXE_OK);
  device.complete_next();
  EXPECT_EQ(mxe_wait(&driver, id, 10, nullptr), MXE_OK);
}

TEST_F(Probe, FindsNoDevice) {
  device.set_reg(MXE_REG_ID, 0x12345678);
  EXPECT_EQ(probe(), MXE_ERR_NODEV);
  device.gone = true;
  EXPECT_EQ(probe(), MXE_ERR_NODEV);
}

TEST_F(Probe, RefusesAnotherMajorVersionOnly) {
  device.set_reg(MXE_REG_VERSION, MXE_VERSION_RESET + (1u << MXE_VERSION_MAJOR_SHIFT));
  EXPECT_EQ(probe(), MXE_ERR_VERSION);
  device.set_reg(MXE_REG_VERSION, MXE_VERSION_RESET + (2u << MXE_VERSION_MINOR_SHIFT) + 5);
  EXPECT_EQ(probe(), MXE_OK);
  EXPECT_EQ(driver.caps.version_minor, 6);
  EXPECT_EQ(driver.caps.version_patch, 5);
}

TEST_F(Probe, RefusesBadRings) {
  EXPECT_EQ(probe(0), MXE_ERR_RING);
  EXPECT_EQ(probe(3), MXE_ERR_RING);
  EXPECT_EQ(probe(32), MXE_ERR_RING);
  EXPECT_EQ(probe(4, 64), MXE_ERR_RING);
  EXPECT_EQ(probe(4, 0, 4), MXE_ERR_RING);
  EXPECT_EQ(driver.caps.queue_depth, 16u) << "capabilities tell the caller what to ask for";
  EXPECT_EQ(probe(16), MXE_OK);
}

TEST_F(Probe, RefusesRingsThatIndicesCannotTellApart) {
  device.set_reg(MXE_REG_QUEUE_DEPTH, 1u << 20);
  EXPECT_EQ(probe(1u << 16), MXE_ERR_RING);
}

TEST_F(Probe, GivesUpOnADeviceStuckInReset) {
  device.reset_ticks = 100'000'000;
  EXPECT_EQ(probe(), MXE_ERR_TIMEOUT);
}

TEST_F(Probe, SeesTheDeviceVanishDuringTheReset) {
  device.before_read = [this](uint32_t offset) { device.gone |= offset == MXE_REG_STATUS; };
  EXPECT_EQ(probe(), MXE_ERR_GONE);
}

TEST_F(Probe, SeesTheDeviceVanishAfterTheReset) {
  device.before_read = [this](uint32_t offset) { device.gone |= offset == MXE_REG_RING_HEAD; };
  EXPECT_EQ(probe(), MXE_ERR_GONE);
}

TEST_F(Probe, RefusesAnImpossibleHead) {
  device.set_reg(MXE_REG_RING_HEAD, 0x10000);
  EXPECT_EQ(probe(), MXE_ERR_PROTOCOL);
}

TEST_F(Probe, LeavesTheDriverUnusableAfterAFailure) {
  device.gone = true;
  ASSERT_EQ(probe(), MXE_ERR_NODEV);
  const mxe_job job = {};
  uint32_t id = 0;
  struct mxe_counters counters;
  EXPECT_EQ(mxe_submit(&driver, &job, &id), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_wait(&driver, 1, 0, nullptr), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_counters(&driver, &counters), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_counters_clear(&driver), MXE_ERR_ARGUMENT);
  EXPECT_EQ(mxe_reset(&driver, 0), MXE_ERR_ARGUMENT);
}

}  // namespace
}  // namespace mxe::test
