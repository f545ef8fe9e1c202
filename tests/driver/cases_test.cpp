// SPDX-License-Identifier: Apache-2.0
// Runs the cases of tests/selftest natively in one process:
// driver_cases_test model|rtl [options of Google Test]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "model/platform/driver_port.h"
#include "model/platform/engine.h"
#include "model/platform/platform.h"
#ifdef MXE_WITH_RTL
#include "model/platform/rtl/rtl_engine.h"
#endif

extern "C" {
#include "tests/selftest/cases.h"
}

namespace mxe::test {
namespace {

/// One for all cases, because SystemC elaborates once per process.
platform::Platform* platform = nullptr;

void fail(void* /*ctx*/, unsigned line, const char* what, uint64_t left, uint64_t right) {
  ADD_FAILURE() << fmt::format("line {}: {}: {:#x}, {:#x}", line, what, left, right);
}

std::vector<uint8_t> rest_of(platform::Memory& memory, uint64_t bench) {
  const uint8_t* all = memory.data(memory.base(), memory.size());
  std::vector<uint8_t> rest(all, all + memory.size());
  std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(bench - memory.base()), +BENCH_BYTES, 0);
  return rest;
}

class Case : public testing::Test {
 public:
  explicit Case(const driver_case& which) : which_(which) {}

 private:
  void TestBody() override {
    platform->run([this](platform::Host& host) {
      const uint64_t mark = host.allocation_mark();
      std::vector<uint8_t> shadow(BENCH_BYTES);
      const auto bench = std::make_unique<struct bench>();
      bench->real = harness::make_driver_port(host);
      bench->bus_addr = host.allocate(BENCH_BYTES, MXE_DESC_SIZE);
      bench->memory = host.memory().data(bench->bus_addr, BENCH_BYTES);
      bench->shadow = shadow.data();
      bench->long_rows = 8;  // the host computes in zero simulated time
      bench->no_memory = uint64_t{1} << 32;
      bench->fail = fail;
      bench->line_is_high = [](void* ctx) { return static_cast<platform::Host*>(ctx)->irq.read(); };
      bench->ctx = &host;
      const std::vector<uint8_t> before = rest_of(host.memory(), bench->bus_addr);
      driver_case_run(bench.get(), &which_);
      EXPECT_TRUE(rest_of(host.memory(), bench->bus_addr) == before) << "memory has changed";
      host.release(mark);
    });
  }

  const driver_case& which_;
};

std::unique_ptr<platform::EngineModule> make_engine(const std::string& kind) {
  const Params params = Params::named("small");
#ifdef MXE_WITH_RTL
  if (kind == "rtl") return std::make_unique<rtl::RtlEngine>("engine", params);
#endif
  if (kind == "model") return std::make_unique<platform::Engine>("engine", params);
  return nullptr;
}

int run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string kind = argc == 2 ? argv[1] : "";
  if (kind != "model" && kind != "rtl") {
    fmt::print(stderr, "usage: driver_cases_test model|rtl [options of Google Test]\n");
    return 2;
  }
  for (uint32_t i = 0; i < driver_case_count; i++) {
    const driver_case& which = driver_cases[i];
    testing::RegisterTest(kind.c_str(), which.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&which]() -> testing::Test* { return new Case(which); });
  }
  platform::Memory::Config memory;
  memory.size = 1 << 18;
  platform::Platform all("platform", memory, [&kind] { return make_engine(kind); });
  platform = &all;
  uint8_t* bytes = all.memory().data(memory.base, memory.size);
  for (size_t i = 0; i < memory.size; i++) bytes[i] = static_cast<uint8_t>(i * 13 + (i >> 8));
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace mxe::test

extern "C" int sc_main(int argc, char** argv);
extern "C" int sc_main(int argc, char** argv) { return mxe::test::run(argc, argv); }
