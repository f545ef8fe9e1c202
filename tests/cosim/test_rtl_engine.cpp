// SPDX-License-Identifier: Apache-2.0
// The RTL wrapper: refusals, the end of a simulation, outputs, and when the clock runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "model/engine/timing/control/core.h"
#include "model/numerics/base/error.h"
#include "model/numerics/base/random.h"
#include "model/numerics/files/files.h"
#include "model/platform/clock.h"
#include "model/platform/platform.h"
#include "model/platform/rtl/plugin_loader.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"
#include "tb/cosim/cosim.h"
#include "tb/cosim/job_spec.h"

namespace mxe::test {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RtlEngine, RefusesParametersThatWereNotBuilt) {
  Params params = Params::named("large");
  EXPECT_EQ(error_of([&] { rtl::make_rtl_top(params, "waves.fst"); }),
            "the RTL of configuration large has no waves, only small and base have");
  params.set("NUM_PE=16");
  EXPECT_EQ(error_of([&] { rtl::make_rtl_top(params); }),
            "the RTL was built for the configurations small, base and large, not for custom: " +
                params.to_string());
}

TEST(RtlEngine, ALoadedDesignIsNotCheckedAgain) {
  namespace fs = std::filesystem;
  const fs::path folder = testing::TempDir() + "mxe_loaded_design";
  const fs::path library = folder / "mxe_rtl_small.so", sources = library.string() + ".sources";
  const fs::path source = folder / "edited.sv";
  fs::remove_all(folder);
  fs::create_directories(sources);
  fs::copy_file(fs::path(numerics::program_directory()) / "rtl" / library.filename(), library);
  std::ofstream(sources / "list") << source.string() << "\n";
  std::ofstream(sources / "0") << "as it was\n";
  std::ofstream(source) << "as it was\n";
  setenv("MXE_RTL_PATH", folder.c_str(), 1);
  const rtl::EnginePlugin& loaded = rtl::load_design("mxe_rtl_small");
  std::ofstream(source) << "edited\n";
  EXPECT_EQ(&rtl::load_design("mxe_rtl_small"), &loaded)
      << "the cases of a regression run on one design";
  fs::remove_all(folder);
}

/// A design that answers register accesses and otherwise behaves as the test selects.
class StubTop : public rtl::RtlTop {
 public:
  enum class Behaviour { busy, unaligned, asserts };
  explicit StubTop(Behaviour behaviour) : behaviour_(behaviour) {}

  const Params& params() const override { return params_; }
  void reset(unsigned) override {}
  void cycle(const rtl::RtlInputs& in, rtl::RtlOutputs& out) override {
    out = {};
    out.s_awready = out.s_wready = out.s_arready = true;
    out.s_bvalid = write_;
    out.s_rvalid = read_;
    out.s_rdata = MXE_STATUS_BUSY_MASK;
    write_ = in.s_awvalid;
    read_ = in.s_arvalid;
    cycles_++;
    if (cycles_ < 50) return;
    if (behaviour_ == Behaviour::asserts) throw Error("an assertion of the stub failed");
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
  rtl::RtlOptions options;
  options.hang_cycles = 3000;
  options.make_top = [behaviour](const Params&, const std::string&) {
    return std::make_unique<StubTop>(behaviour);
  };
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  platform::Platform platform("p", memory, [&] {
    return std::make_unique<rtl::RtlEngine>("engine", Params::named("small"), options);
  });
  return error_of([&] {
    platform.run([](platform::Host& host) {
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
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  rtl::RtlEngine* engine = nullptr;
  platform::Platform platform("p", memory, [&] {
    auto made = std::make_unique<rtl::RtlEngine>("engine", Params::named("small"));
    engine = made.get();
    return made;
  });
  platform.run([&](platform::Host& host) {
    EXPECT_EQ(host.read32(MXE_REG_ID), MXE_ID_RESET);
    host.wait_cycles(1'000'000);
    EXPECT_LT(engine->cycles(), 1000u);
    EXPECT_GE(engine->cycles(), rtl::RtlEngine::kIdleCycles);
    EXPECT_EQ(host.read32(MXE_REG_NUM_PE), 4u);
  });
  EXPECT_EQ(platform::current_cycle(), 1'000'006u);  // three cycles per access
}

std::unique_ptr<platform::Platform> make_rtl(const char* name, bool stop_clock) {
  platform::Memory::Config memory;
  memory.size = 1 << 20;
  return std::make_unique<platform::Platform>(name, memory, [&] {
    rtl::RtlOptions options;
    options.stop_clock = stop_clock;
    return std::make_unique<rtl::RtlEngine>("engine", Params::named("small"), options);
  });
}

uint32_t few(Random& random) { return static_cast<uint32_t>(random.uniform(0, 2)); }

/// Random register accesses and short jobs. Returns everything that software sees, with times.
std::string random_accesses(platform::Host& host, uint64_t seed) {
  Random random(seed);
  std::string log;
  const auto note = [&](uint64_t value) {
    log += fmt::format("{} {:x}\n", sc_core::sc_time_stamp().value(), value);
  };
  const uint64_t ring = host.memory().base(), operand = ring + 0x1000;
  const auto put = [&](uint32_t at, uint64_t value) {
    std::memcpy(host.memory().data(ring + at, 4), &value, 4);
  };
  for (const uint32_t at : {MXE_DESC_M, MXE_DESC_N, MXE_DESC_K}) put(at, 9);
  for (const uint32_t at : {MXE_DESC_A_ADDR, MXE_DESC_B_ADDR, MXE_DESC_A_SCALE_ADDR,
                            MXE_DESC_B_SCALE_ADDR, MXE_DESC_C_ADDR, MXE_DESC_D_ADDR}) {
    put(at, operand);
  }
  host.write32(MXE_REG_RING_BASE_LO, static_cast<uint32_t>(ring));
  host.write32(MXE_REG_RING_SIZE_LOG2, 1);
  for (int i = 0; i < 700; i++) {
    if (random.one_in(4)) host.wait_cycles(random.uniform(1, random.one_in(4) ? 1500 : 12));
    const RegisterInfo& info = register_table[random.uniform(0, register_table.size() - 1)];
    switch (random.uniform(0, 15)) {
      case 0:
        host.write32(MXE_REG_CTRL, static_cast<uint32_t>(random.next()) &
                                       (random.one_in(4) ? 0xF : ~MXE_CTRL_SOFT_RESET_MASK & 0xF));
        break;
      case 1:
        host.write32(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK | MXE_CTRL_COUNTER_SNAPSHOT_MASK);
        break;
      case 2:
        host.write32(MXE_REG_RING_TAIL, host.read32(MXE_REG_RING_TAIL) + few(random));
        break;
      case 3:
        host.write32(MXE_REG_IRQ_STATUS, static_cast<uint32_t>(random.next()));
        break;
      case 4:
        host.write32(MXE_REG_IRQ_MASK, static_cast<uint32_t>(random.next()));
        break;
      case 5:
        note(host.wait_irq(platform::cycles_to_time(random.uniform(1, 600))));
        break;
      case 6: {
        const bool taken = host.try_write(info.offset + 1 + few(random), 0);
        note(taken);
        break;
      }
      default: {
        uint32_t value = 0;
        note(host.try_read(info.offset, value));
        note(value);
      }
    }
  }
  return log;
}

TEST(RtlEngine, AClockThatStopsChangesNothing) {
  const auto stops = make_rtl("stops", true), runs = make_rtl("runs", false);
  std::string seen[2];
  for (uint64_t seed = 1; seed <= 3; seed++) {
    SCOPED_TRACE(seed);
    stops->host().start([&](platform::Host& host) { seen[0] = random_accesses(host, seed); });
    runs->host().start([&](platform::Host& host) { seen[1] = random_accesses(host, seed); });
    platform::run_hosts({&stops->host(), &runs->host()});
    ASSERT_EQ(seen[0], seen[1]);
  }
  const auto cycles = [](platform::Platform& platform) {
    return static_cast<rtl::RtlEngine&>(platform.engine()).cycles();
  };
  EXPECT_LT(2 * cycles(*stops), cycles(*runs));
}

TEST(RtlEngine, AnIdleReadCostsItsClocksAlone) {
  const auto platform = make_rtl("p", true);
  auto& engine = static_cast<rtl::RtlEngine&>(platform->engine());
  platform->run([&](platform::Host& host) {
    host.write32(MXE_REG_CTRL, MXE_CTRL_ENABLE_MASK);
    host.wait_cycles(10'000);
    for (int i = 0; i < 10; i++) {
      const uint64_t before = engine.cycles(), held = engine.held_cycles();
      EXPECT_EQ(host.read32(MXE_REG_STATUS), MXE_STATUS_EMPTY_MASK);
      EXPECT_EQ(engine.cycles() - before, 3u);
      EXPECT_EQ(engine.held_cycles() - held, 3u);
      host.wait_cycles(100);
      EXPECT_EQ(engine.cycles() - before, 3u);
    }
    const uint64_t before = engine.cycles();
    host.write32(MXE_REG_IRQ_MASK, 1);
    host.wait_cycles(100);
    EXPECT_EQ(engine.cycles() - before, 3 + rtl::RtlEngine::kSettlingCycles);
  });
}

TEST(RtlEngine, WritesWaves) {
  const std::string path = testing::TempDir() + "mxe_rtl_test.fst";
  std::remove(path.c_str());
  {
    cosim::CoSimOptions options;
    options.run_model = false;
    options.rtl.waves = path;
    cosim::CoSim cosim(options);
    cosim::JobSpec spec;
    spec.m = 3;
    spec.n = 5;
    spec.k = 40;
    cosim.run({cosim::make_job(spec)});
    EXPECT_TRUE(cosim.mismatches().empty());
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  ASSERT_TRUE(file);
  EXPECT_GT(file.tellg(), 10'000);
  std::remove(path.c_str());
}

TEST(RtlEngine, WavesInAnImpossiblePlaceAreRefused) {
  EXPECT_EQ(error_of([] { rtl::make_rtl_top(Params::named("small"), "/nowhere/at/all.fst"); }),
            "cannot write the waveform file '/nowhere/at/all.fst'");
}

}  // namespace
}  // namespace mxe::test
