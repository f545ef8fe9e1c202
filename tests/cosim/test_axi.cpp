// SPDX-License-Identifier: Apache-2.0
// The bus bridges of the RTL wrapper on driven pins, and each breach that the checker must report.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/rtl/axi_checker.h"
#include "model/platform/rtl/axi_lite_checker.h"
#include "model/platform/rtl/axi_lite_master.h"
#include "model/platform/rtl/axi_memory.h"

namespace mxe::test {
namespace {

constexpr unsigned kBeatBytes = 16;

/// Records the requests. Answers each at once, with beats from `latency` cycles later on; if
/// `waits`, at the next call of answer_all().
struct FakeMemory : engine::MemoryPort {
  unsigned latency = 10;
  engine::BusResponse response = engine::BusResponse::okay;
  bool waits = false;
  std::vector<engine::MemoryRequest> requests;
  std::vector<engine::Ticket*> unanswered;
  std::vector<uint8_t> written, enables;

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override {
    requests.push_back(request);
    unanswered.push_back(&ticket);
    if (!waits) answer_all(request.cycle);
    for (std::size_t i = 0; i < request.bytes; i++) {
      if (request.write) {
        written.push_back(request.data[i]);
        enables.push_back(request.enables[i]);
      } else {
        request.data[i] = static_cast<uint8_t>(i / kBeatBytes + 1);
      }
    }
  }

  void answer_all(uint64_t cycle) {
    const engine::BeatTimes times((cycle + latency) << engine::BeatTimes::kFraction,
                                  uint64_t{1} << engine::BeatTimes::kFraction);
    for (engine::Ticket* ticket : unanswered) ticket->complete(times, response);
    unanswered.clear();
  }
};

struct AxiBench {
  FakeMemory memory;
  rtl::AxiMemory axi;
  rtl::RtlInputs in;
  rtl::RtlOutputs out;
  uint64_t cycle = 0;
  std::array<uint8_t, kBeatBytes> beat{};

  explicit AxiBench(engine::PortLimits limits = {}, uint64_t seed = 0)
      : axi(kBeatBytes, limits, seed, memory) {
    out.m_rready = out.m_bready = true;
    out.m_wdata = beat.data();
  }
  /// One cycle, in which `act` may read the inputs and set the outputs.
  void step(const std::function<void()>& act = [] {}) {
    axi.drive(cycle, in);
    act();
    axi.sample(cycle, in, out);
    out.m_arvalid = out.m_awvalid = out.m_wvalid = false;
    cycle++;
  }
};

TEST(AxiMemory, PlaysReadBeatsAtTheirTimes) {
  AxiBench bench;
  bench.step([&] {
    EXPECT_TRUE(bench.in.m_arready);
    bench.out.m_arvalid = true;
    bench.out.m_araddr = 0x40;
    bench.out.m_arlen = 2;
    bench.out.m_ar.id = 5;
  });
  bench.out.m_ar.id = 0;
  ASSERT_EQ(bench.memory.requests.size(), 1u);
  EXPECT_EQ(bench.memory.requests[0].address, 0x40u);
  EXPECT_EQ(bench.memory.requests[0].bytes, 48u);
  while (bench.cycle < 10) bench.step([&] { EXPECT_FALSE(bench.in.m_rvalid); });
  for (unsigned beat = 0; beat < 3; beat++) {
    if (beat == 1) {
      bench.out.m_rready = false;
      bench.step([&] { EXPECT_EQ(bench.in.m_rdata[0], 2); });
      bench.out.m_rready = true;
    }
    bench.step([&] {
      EXPECT_TRUE(bench.in.m_rvalid);
      EXPECT_EQ(bench.in.m_rdata[15], beat + 1);
      EXPECT_EQ(bench.in.m_rid, 5);
      EXPECT_EQ(bench.in.m_rlast, beat == 2);
    });
  }
  bench.step([&] { EXPECT_FALSE(bench.in.m_rvalid); });
  EXPECT_FALSE(bench.axi.busy());
}

TEST(AxiMemory, WaitsForAnAnswer) {
  AxiBench bench;
  bench.memory.waits = true;
  bench.step([&] {
    bench.out.m_arvalid = bench.out.m_awvalid = bench.out.m_wvalid = bench.out.m_wlast = true;
    bench.beat.fill(7);
  });
  while (bench.cycle < 500) {
    bench.step([&] { EXPECT_FALSE(bench.in.m_rvalid || bench.in.m_bvalid); });
  }
  EXPECT_EQ(bench.axi.reads_outstanding(), 1u);
  EXPECT_EQ(bench.axi.writes_outstanding(), 1u);
  bench.memory.answer_all(490);
  bench.step([&] { EXPECT_TRUE(bench.in.m_rvalid && bench.in.m_bvalid); });
  bench.step([&] { EXPECT_FALSE(bench.in.m_rvalid || bench.in.m_bvalid); });
  EXPECT_FALSE(bench.axi.busy());
  EXPECT_EQ(bench.memory.written, std::vector<uint8_t>(kBeatBytes, 7));
}

// The memory answers in reverse order; the port receives the data in the order of its reads.
TEST(AxiMemory, KeepsTheOrderOfLateAnswers) {
  constexpr uint64_t kReads = 5;
  AxiBench bench;
  bench.memory.waits = true;
  for (uint64_t read = 0; read < kReads; read++) {
    bench.step([&] {
      bench.out.m_arvalid = true;
      bench.out.m_araddr = 0x100 * read;
      bench.out.m_arlen = 1;
    });
  }
  bench.out.m_arlen = 0;
  ASSERT_EQ(bench.memory.unanswered.size(), kReads);
  for (uint64_t read = kReads; read-- > 0;) {
    uint8_t* data = bench.memory.requests[read].data;
    std::fill_n(data, 2 * kBeatBytes, static_cast<uint8_t>(read));
    const uint64_t begin = bench.cycle + 3;
    bench.memory.unanswered[read]->complete(
        {begin << engine::BeatTimes::kFraction, uint64_t{1} << engine::BeatTimes::kFraction});
    for (int i = 0; read > 0 && i < 20; i++) {
      bench.step([&] { EXPECT_FALSE(bench.in.m_rvalid); });
    }
  }
  std::vector<unsigned> order;
  while (bench.axi.busy() && bench.cycle < 500) {
    bench.step([&] {
      if (bench.in.m_rvalid) order.push_back(bench.in.m_rdata[0]);
    });
  }
  EXPECT_EQ(order, (std::vector<unsigned>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(AxiMemory, TakesAsManyReadsAsItsLimit) {
  AxiBench bench({2, 2});
  for (int i = 0; i < 2; i++) {
    bench.step([&] {
      EXPECT_TRUE(bench.in.m_arready);
      bench.out.m_arvalid = true;
    });
  }
  unsigned refused = 0;
  while (true) {
    bool ready = false;
    bench.step([&] { ready = bench.in.m_arready; });
    if (ready) break;
    refused++;
  }
  EXPECT_EQ(refused, 9u);  // the first burst, of one beat, ends in cycle 10
}

TEST(AxiMemory, GathersAWriteWhicheverChannelComesFirst) {
  for (const bool address_first : {true, false}) {
    AxiBench bench;
    const auto address = [&] {
      bench.out.m_awvalid = true;
      bench.out.m_awaddr = 0x80;
      bench.out.m_awlen = 1;
      bench.out.m_aw.id = 9;
    };
    if (address_first) bench.step(address);
    for (uint8_t beat = 0; beat < 2; beat++) {
      EXPECT_TRUE(bench.memory.requests.empty());
      bench.step([&] {
        EXPECT_TRUE(bench.in.m_wready);
        bench.out.m_wvalid = true;
        bench.out.m_wlast = beat == 1;
        bench.out.m_wstrb = beat == 0 ? 0x8001 : 0xFFFF;
        bench.beat.fill(static_cast<uint8_t>(beat + 5));
      });
    }
    if (!address_first) bench.step(address);
    ASSERT_EQ(bench.memory.requests.size(), 1u);
    EXPECT_TRUE(bench.memory.requests[0].write);
    EXPECT_EQ(bench.memory.requests[0].cycle, 2u);
    EXPECT_EQ(bench.memory.requests[0].address, 0x80u);
    EXPECT_EQ(bench.memory.written[0], 5);
    EXPECT_EQ(bench.memory.written[31], 6);
    EXPECT_EQ(bench.memory.enables[0], 0xFF);
    EXPECT_EQ(bench.memory.enables[1], 0);
    EXPECT_EQ(bench.memory.enables[15], 0xFF);
    EXPECT_EQ(bench.memory.enables[16], 0xFF);
    while (bench.cycle < 13) bench.step([&] { EXPECT_FALSE(bench.in.m_bvalid); });
    bench.step([&] {
      EXPECT_TRUE(bench.in.m_bvalid);
      EXPECT_EQ(bench.in.m_bid, 9);
    });
    bench.step([&] { EXPECT_FALSE(bench.in.m_bvalid); });
    EXPECT_FALSE(bench.axi.busy());
  }
}

TEST(AxiMemory, PassesErrorsOn) {
  AxiBench bench;
  bench.memory.response = engine::BusResponse::decode_error;
  bench.step([&] { bench.out.m_arvalid = true; });
  while (bench.cycle < 10) bench.step();
  bench.step([&] { EXPECT_EQ(bench.in.m_rresp, 3); });
}

TEST(AxiMemory, BackPressureKeepsWhatWasOffered) {
  AxiBench bench({}, 5);
  int refused = 0, accepted = 0, delayed = 0;
  bench.out.m_rready = false;
  for (int i = 0; i < 400; i++) {
    bool waits = bench.in.m_rvalid;
    bench.step([&] {
      EXPECT_TRUE(!waits || bench.in.m_rvalid) << "R was withdrawn";
      if (!bench.in.m_rvalid && bench.axi.reads_outstanding() > 0) delayed++;
      bench.out.m_arvalid = i % 8 == 0;
      bench.out.m_rready = i % 3 == 0;
      if (bench.out.m_arvalid) (bench.in.m_arready ? accepted : refused)++;
    });
    if (bench.out.m_rready) bench.in.m_rvalid = false;
  }
  EXPECT_GT(refused, 3);
  EXPECT_GT(accepted, 20);
  EXPECT_GT(delayed, 20);
}

TEST(AxiLiteMaster, WritesAndReads) {
  rtl::AxiLiteMaster master;
  rtl::RtlInputs in;
  rtl::RtlOutputs out;
  harness::RegisterTransfer write{true, 0x5C, 0x1234, 0xF};
  master.start(write);
  master.drive(in);
  EXPECT_TRUE(in.s_awvalid && in.s_wvalid && in.s_bready && !in.s_arvalid);
  EXPECT_EQ(in.s_wdata, 0x1234u);
  out.s_wready = true;
  EXPECT_FALSE(master.sample(in, out));
  master.drive(in);
  EXPECT_TRUE(in.s_awvalid && !in.s_wvalid);
  out.s_awready = true;
  EXPECT_FALSE(master.sample(in, out));
  master.drive(in);
  EXPECT_FALSE(in.s_awvalid || in.s_wvalid);
  out.s_bvalid = true;
  out.s_bresp = 2;
  EXPECT_TRUE(master.sample(in, out));
  EXPECT_FALSE(master.ok());
  EXPECT_FALSE(master.busy());

  out = {};
  harness::RegisterTransfer read;
  read.address = 0x44;
  master.start(read);
  master.drive(in);
  EXPECT_TRUE(in.s_arvalid && in.s_rready && !in.s_awvalid && !in.s_bready);
  EXPECT_EQ(in.s_araddr, 0x44u);
  out.s_arready = true;
  EXPECT_FALSE(master.sample(in, out));
  master.drive(in);
  EXPECT_FALSE(in.s_arvalid);
  out.s_rvalid = true;
  out.s_rdata = 77;
  EXPECT_TRUE(master.sample(in, out));
  EXPECT_TRUE(master.ok());
  EXPECT_EQ(read.data, 77u);
}

/// Pins of a correct master, which tests then change.
struct CheckerBench {
  rtl::AxiChecker checker{kBeatBytes, 16, true};
  rtl::RtlInputs in;
  rtl::RtlOutputs out;
  std::array<uint8_t, kBeatBytes> beat{};
  uint64_t cycle = 0;

  CheckerBench() {
    out.m_arsize = out.m_awsize = 4;
    out.m_arburst = out.m_awburst = 1;
    out.m_wdata = beat.data();
    in.m_arready = in.m_awready = in.m_wready = true;
  }
  void step() { checker.check(cycle++, in, out); }
  void idle() {
    out.m_arvalid = out.m_awvalid = out.m_wvalid = false;
    step();
  }
};

std::string breach_of(const std::function<void(CheckerBench&)>& act) {
  CheckerBench bench;
  try {
    act(bench);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(AxiChecker, AcceptsACorrectMaster) {
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_arvalid = b.out.m_awvalid = true;
              b.out.m_araddr = b.out.m_awaddr = 0xFF0;
              b.in.m_arready = b.in.m_awready = false;
              b.step();
              b.step();
              b.in.m_arready = b.in.m_awready = true;
              b.step();
              b.out.m_arvalid = b.out.m_awvalid = false;
              b.out.m_wvalid = b.out.m_wlast = true;
              b.step();
              b.idle();
            }),
            "none");
}

TEST(AxiChecker, AddressRules) {
  EXPECT_EQ(
      breach_of([](CheckerBench& b) {
        b.out.m_arvalid = true;
        b.out.m_araddr = 0xFF0;
        b.out.m_arlen = 1;
        b.step();
      }),
      "AXI protocol breach in cycle 0: AR burst of 2 beats at 0xff0 crosses a 4 KiB boundary");
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_awvalid = true;
              b.out.m_awaddr = 0x8;
              b.step();
            }),
            "AXI protocol breach in cycle 0: AWADDR 0x8 is not beat aligned");
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_awvalid = true;
              b.out.m_awsize = 3;
              b.step();
            }),
            "AXI protocol breach in cycle 0: AWSIZE is 8 bytes on a port of 16");
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_arvalid = true;
              b.out.m_arburst = 0;
              b.step();
            }),
            "AXI protocol breach in cycle 0: ARBURST is 0, not INCR");
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_awvalid = true;
              b.out.m_aw.lock = 1;
              b.step();
            }),
            "AXI protocol breach in cycle 0: AWLOCK requests exclusive access");
  const auto read_of = [](unsigned cache) {
    return breach_of([cache](CheckerBench& b) {
      b.out.m_arvalid = true;
      b.out.m_ar.cache = static_cast<uint8_t>(cache);
      b.step();
    });
  };
  for (const unsigned cache : {0u, 1u, 2u, 3u, 6u, 10u, 15u}) EXPECT_EQ(read_of(cache), "none");
  EXPECT_EQ(read_of(5), "AXI protocol breach in cycle 0: ARCACHE 0x5 is reserved");
  EXPECT_EQ(read_of(8), "AXI protocol breach in cycle 0: ARCACHE 0x8 is reserved");
}

TEST(AxiChecker, PayloadStaysUntilReady) {
  using Change = std::function<void(CheckerBench&)>;
  const auto after_wait = [](const Change& change) {
    return breach_of([&](CheckerBench& b) {
      b.in.m_arready = b.in.m_awready = b.in.m_wready = false;
      b.out.m_arvalid = b.out.m_awvalid = b.out.m_wvalid = true;
      b.step();
      change(b);
      b.step();
    });
  };
  const std::string ar = "AXI protocol breach in cycle 1: AR changed before ARREADY";
  const std::string aw = "AXI protocol breach in cycle 1: AW changed before AWREADY";
  const std::string w = "AXI protocol breach in cycle 1: W changed before WREADY";
  EXPECT_EQ(after_wait([](CheckerBench&) {}), "none");
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_arvalid = false; }), ar);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_araddr = 16; }), ar);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_arlen = 1; }), ar);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_ar.id = 1; }), ar);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_ar.qos = 1; }), ar);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_awvalid = false; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_awaddr = 16; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_awlen = 1; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_aw.cache = 2; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_aw.prot = 1; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_aw.region = 1; }), aw);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_wvalid = false; }), w);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_wlast = true; }), w);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.out.m_wstrb = 1; }), w);
  EXPECT_EQ(after_wait([](CheckerBench& b) { b.beat[3] = 9; }), w);
}

TEST(AxiChecker, DataBeatsAreAsMany) {
  const auto write = [](unsigned announced, unsigned beats) {
    return breach_of([&](CheckerBench& b) {
      b.out.m_awvalid = true;
      b.out.m_awlen = static_cast<uint8_t>(announced - 1);
      b.step();
      b.out.m_awvalid = false;
      for (unsigned i = 1; i <= beats; i++) {
        b.out.m_wvalid = true;
        b.out.m_wlast = i == beats;
        b.step();
      }
    });
  };
  EXPECT_EQ(write(3, 3), "none");
  EXPECT_EQ(write(3, 2),
            "AXI protocol breach in cycle 2: AWLEN announced 3 beats, but WLAST came with beat 2");
  EXPECT_EQ(write(2, 3), "AXI protocol breach in cycle 2: no WLAST with the last of 2 beats");
  // Data before the address: the count is compared when the address arrives.
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.out.m_wvalid = b.out.m_wlast = true;
              b.step();
              b.out.m_wvalid = false;
              b.out.m_awvalid = true;
              b.out.m_awlen = 1;
              b.step();
            }),
            "AXI protocol breach in cycle 1: AWLEN announced 2 beats, but WLAST came with beat 1");
}

TEST(AxiChecker, LanesWithoutAStrobeAreZero) {
  const auto write = [](uint64_t strobes, unsigned lane, bool ready = true) {
    return breach_of([&](CheckerBench& b) {
      b.out.m_wvalid = b.out.m_wlast = true;
      b.out.m_wstrb = strobes;
      b.beat[lane] = 0x41;
      b.in.m_wready = ready;
      b.step();
    });
  };
  EXPECT_EQ(write(0x0040, 6), "none");
  EXPECT_EQ(write(0xFFFF, 15), "none");
  const std::string carries = " carries 0x41 without a strobe, not 0";
  EXPECT_EQ(write(0x003C, 6), "AXI protocol breach in cycle 0: WDATA lane 6" + carries);
  EXPECT_EQ(write(0x003C, 1), "AXI protocol breach in cycle 0: WDATA lane 1" + carries);
  EXPECT_EQ(write(0x7FFF, 15), "AXI protocol breach in cycle 0: WDATA lane 15" + carries);
  // A waiting beat is checked, too; pins without valid may have any value.
  EXPECT_EQ(write(0xFFF0, 0, false), "AXI protocol breach in cycle 0: WDATA lane 0" + carries);
  EXPECT_EQ(breach_of([](CheckerBench& b) {
              b.beat.fill(0xFF);
              b.step();
            }),
            "none");
  // AXI4 allows any data in lanes without a strobe; MXE sends zeros.
  rtl::AxiChecker lenient(kBeatBytes, 16, false);
  CheckerBench bench;
  bench.out.m_wvalid = true;
  bench.beat.fill(0xFF);
  EXPECT_NO_THROW(lenient.check(0, bench.in, bench.out));
}

TEST(AxiChecker, BurstsAreNotTooLong) {
  const auto read = [](unsigned beats) {
    return breach_of([&](CheckerBench& b) {
      b.out.m_arvalid = true;
      b.out.m_arlen = static_cast<uint8_t>(beats - 1);
      b.step();
    });
  };
  EXPECT_EQ(read(16), "none");
  EXPECT_EQ(read(17),
            "AXI protocol breach in cycle 0: AR burst of 17 beats, the longest allowed has 16");
}

TEST(AxiChecker, BurstsUnderWayAreLimited) {
  const auto read = [](unsigned bursts, unsigned answers) {
    return breach_of([&](CheckerBench& b) {
      b.in.m_rvalid = b.in.m_rlast = true;
      for (unsigned i = 0; i < bursts; i++) {
        b.out.m_arvalid = true;
        b.out.m_rready = i < answers;
        b.step();
      }
    });
  };
  EXPECT_EQ(read(4095, 0), "none");
  EXPECT_EQ(read(4096, 0), "AXI protocol breach in cycle 4095: more than 4095 bursts under way");
  EXPECT_EQ(read(5000, 5000), "none");
}

struct LiteBench {
  rtl::AxiLiteChecker checker;
  rtl::RtlInputs in;
  rtl::RtlOutputs out;
  uint64_t cycle = 0;

  void step() { checker.check(cycle++, in, out); }
  void request(bool aw, bool w, bool ar) {
    in.s_awvalid = out.s_awready = aw;
    in.s_wvalid = out.s_wready = w;
    in.s_arvalid = out.s_arready = ar;
    step();
    in.s_awvalid = in.s_wvalid = in.s_arvalid = false;
  }
};

std::string lite_breach_of(const std::function<void(LiteBench&)>& act) {
  LiteBench bench;
  try {
    act(bench);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(AxiLiteChecker, ResponsesFollowRequests) {
  const auto write = [](bool aw, bool w, unsigned answers) {
    return lite_breach_of([&](LiteBench& b) {
      b.request(aw, w, false);
      b.in.s_bready = true;
      for (unsigned i = 0; i < answers; i++) {
        b.out.s_bvalid = true;
        b.step();
      }
    });
  };
  const std::string early = "BVALID without the address and the data of a write";
  EXPECT_EQ(write(true, true, 1), "none");
  EXPECT_EQ(write(true, false, 1), "AXI4-Lite protocol breach in cycle 1: " + early);
  EXPECT_EQ(write(false, true, 1), "AXI4-Lite protocol breach in cycle 1: " + early);
  EXPECT_EQ(write(true, true, 2), "AXI4-Lite protocol breach in cycle 2: " + early);
  EXPECT_EQ(lite_breach_of([](LiteBench& b) {
              b.request(false, false, true);
              b.out.s_rvalid = b.in.s_rready = true;
              b.step();
              b.step();
            }),
            "AXI4-Lite protocol breach in cycle 2: RVALID without a read");
}

TEST(AxiLiteChecker, ResponsesStayUntilReady) {
  const auto after_wait = [](const std::function<void(LiteBench&)>& change) {
    return lite_breach_of([&](LiteBench& b) {
      b.request(true, true, true);
      b.out.s_bvalid = b.out.s_rvalid = true;
      b.step();
      change(b);
      b.step();
    });
  };
  const std::string b = "AXI4-Lite protocol breach in cycle 2: B changed before BREADY";
  const std::string r = "AXI4-Lite protocol breach in cycle 2: R changed before RREADY";
  EXPECT_EQ(after_wait([](LiteBench&) {}), "none");
  EXPECT_EQ(after_wait([](LiteBench& bench) { bench.out.s_bvalid = false; }), b);
  EXPECT_EQ(after_wait([](LiteBench& bench) { bench.out.s_bresp = 2; }), b);
  EXPECT_EQ(after_wait([](LiteBench& bench) { bench.out.s_rvalid = false; }), r);
  EXPECT_EQ(after_wait([](LiteBench& bench) { bench.out.s_rdata = 1; }), r);
  EXPECT_EQ(after_wait([](LiteBench& bench) { bench.out.s_rresp = 2; }), r);
}

}  // namespace
}  // namespace mxe::test
