// SPDX-License-Identifier: Apache-2.0
// The RTL wrapper itself: what it refuses, what ends it, what it writes, when its clock runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "model/engine/core.h"
#include "model/numerics/error.h"
#include "model/platform/clock.h"
#include "model/platform/platform.h"
#include "mxe_regs.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/job_spec.h"
#include "tb/rtl/rtl_engine.h"

namespace mxe {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const mx::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RtlEngine, RefusesParametersThatWereNotBuilt) {
  Params params = Params::named("large");
  EXPECT_EQ(error_of([&] { make_rtl_top(params, "waves.fst"); }),
            "the RTL of configuration large has no waves, only small and base have");
  params.set("NUM_PE=16");
  EXPECT_EQ(error_of([&] { make_rtl_top(params); }),
            "the RTL was built for the configurations small, base and large, not for custom: " +
                params.to_string());
}

/// A design that answers registers and otherwise does as it is told.
class StubTop : public RtlTop {
 public:
  enum class Behaviour { busy, unaligned, asserts };
  explicit StubTop(Behaviour behaviour) : behaviour_(behaviour) {}

  const Params& params() const override { return params_; }
  void reset(unsigned) override {}
  void cycle(const RtlInputs& in, RtlOutputs& out) override {
    out = {};
    out.s_awready = out.s_wready = out.s_arready = true;
    out.s_bvalid = write_;
    out.s_rvalid = read_;
    out.s_rdata = MXE_STATUS_BUSY_MASK;
    write_ = in.s_awvalid;
    read_ = in.s_arvalid;
    cycles_++;
    if (cycles_ < 50) return;
    if (behaviour_ == Behaviour::asserts) throw mx::Error("an assertion of the stub failed");
    if (behaviour_ == Behaviour::unaligned) {
      out.m_arvalid = true;
      out.m_araddr = 3;
      out.m_arsize = 4;
      out.m_arburst = 1;
    }
  }

 private:
  Behaviour behaviour_;
  Params params_ = Params::named("small");
  bool write_ = false, read_ = false;
  uint64_t cycles_ = 0;
};

std::string failure_with(StubTop::Behaviour behaviour) {
  RtlOptions options;
  options.hang_cycles = 3000;
  options.make_top = [behaviour](const Params&, const std::string&) {
    return std::make_unique<StubTop>(behaviour);
  };
  Memory::Config memory;
  memory.size = 1 << 20;
  Platform platform("p", memory, [&] {
    return std::make_unique<RtlEngine>("engine", Params::named("small"), options);
  });
  return error_of([&] {
    platform.run([](Host& host) {
      host.write32(MXE_REG_RING_TAIL, 1);
      host.wait_irq(sc_core::sc_time(1, sc_core::SC_SEC));
    });
  });
}

TEST(RtlEngine, AHangIsAnError) {
  const std::string error = failure_with(StubTop::Behaviour::busy);
  EXPECT_EQ(error.substr(0, 75),
            "the RTL 'p.engine' hangs: busy for 3000 cycles without a bus transfer (cycl");
  EXPECT_NE(error.find("STATUS 0x1"), std::string::npos) << error;
}

TEST(RtlEngine, AProtocolBreachIsAnError) {
  EXPECT_EQ(failure_with(StubTop::Behaviour::unaligned),
            "AXI protocol breach in cycle 49: ARADDR 0x3 is not beat aligned");
}

TEST(RtlEngine, AFailingAssertionIsAnError) {
  EXPECT_EQ(failure_with(StubTop::Behaviour::asserts), "an assertion of the stub failed");
}

TEST(RtlEngine, TheClockStopsWithoutWork) {
  Memory::Config memory;
  memory.size = 1 << 20;
  RtlEngine* engine = nullptr;
  Platform platform("p", memory, [&] {
    auto made = std::make_unique<RtlEngine>("engine", Params::named("small"));
    engine = made.get();
    return made;
  });
  platform.run([&](Host& host) {
    EXPECT_EQ(host.read32(MXE_REG_ID), MXE_ID_RESET);
    host.wait_cycles(1'000'000);
    EXPECT_LT(engine->cycles(), 1000u);
    EXPECT_GE(engine->cycles(), RtlEngine::kQuietCycles);
    EXPECT_EQ(host.read32(MXE_REG_NUM_PE), 4u);
  });
  EXPECT_EQ(current_cycle(), 1'000'006u);  // three cycles an access
}

TEST(RtlEngine, WritesWaves) {
  const std::string path = testing::TempDir() + "mxe_rtl_test.fst";
  std::remove(path.c_str());
  {
    CoSimOptions options;
    options.run_model = false;
    options.rtl.waves = path;
    CoSim cosim(options);
    JobSpec spec;
    spec.m = 3;
    spec.n = 5;
    spec.k = 40;
    cosim.run({make_job(spec)});
    EXPECT_TRUE(cosim.mismatches().empty());
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  ASSERT_TRUE(file);
  EXPECT_GT(file.tellg(), 10'000);
  std::remove(path.c_str());
}

TEST(RtlEngine, WavesInAnImpossiblePlaceAreRefused) {
  EXPECT_EQ(error_of([] { make_rtl_top(Params::named("small"), "/nowhere/at/all.fst"); }),
            "cannot write the waveform file '/nowhere/at/all.fst'");
}

}  // namespace
}  // namespace mxe
