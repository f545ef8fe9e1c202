// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "mxe_driver.h"
#include "tests/driver/mock_device.h"

namespace mxe::test {

/// An open driver on a mock device. Accesses that real hardware would refuse fail the test.
class DriverFixture {
 public:
  DriverFixture(bool interrupts, uint32_t ring_entries) : device(ring_entries) {
    const mxe_port port = device.port(interrupts);
    const mxe_ring ring = device.ring(ring_entries);
    EXPECT_EQ(mxe_open(&driver, &port, &ring), MXE_OK);
    device.events.clear();
    device.polls = 0;
  }
  ~DriverFixture() { EXPECT_EQ(device.bus_errors, std::vector<std::string>{}); }

  uint32_t submit(const mxe_job& job = {}) {
    uint32_t id = 0;
    EXPECT_EQ(mxe_submit(&driver, &job, nullptr, &id), MXE_OK);
    return id;
  }
  int wait(uint32_t id, uint32_t timeout_us = 100, mxe_completion* completion = nullptr) {
    return mxe_wait(&driver, id, timeout_us, completion);
  }

  MockDevice device;
  mxe_device driver = {};
};

/// With interrupts (true) and with polling (false); instantiated in wait_test.cpp.
class BothPorts : public testing::TestWithParam<bool>, public DriverFixture {
 protected:
  BothPorts() : DriverFixture(GetParam(), 4) {}
};

class Polling : public testing::Test, public DriverFixture {
 protected:
  Polling() : DriverFixture(false, 4) {}
};

class Interrupts : public testing::Test, public DriverFixture {
 protected:
  Interrupts() : DriverFixture(true, 4) {}
};

inline std::string port_name(const testing::TestParamInfo<bool>& info) {
  return info.param ? "interrupts" : "polling";
}

}  // namespace mxe::test
