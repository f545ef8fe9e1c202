// SPDX-License-Identifier: Apache-2.0
// Model and RTL on boards without code of MXE: the same bytes in the same cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/engine.h"
#include "model/platform/rtl/rtl_engine.h"
#include "model/platform/width_adapter.h"
#include "tests/cosim/foreign_board.h"
#include "tests/cosim/odd_designs.h"

namespace mxe::test {

void PrintTo(const ForeignMemory& memory, std::ostream* out) { *out << memory.name; }

namespace {

using Delay = ForeignMemory::Delay;
using Direct = ForeignMemory::Direct;

sc_core::sc_time ns(double time) { return sc_core::sc_time(time, sc_core::SC_NS); }

/// The model has one burst at a time in a memory that waits, and so has this RTL.
rtl::RtlOptions like_the_model(const ForeignMemory& memory) {
  rtl::RtlOptions options;
  if (memory.delay != Delay::annotates) options.memory_calls = platform::MemoryCalls::one_blocking;
  return options;
}

rtl::RtlOptions rtl_with_clock(const ForeignMemory& memory, const platform::Clock& clock) {
  rtl::RtlOptions options = like_the_model(memory);
  options.clock = clock;
  return options;
}

rtl::RtlOptions rtl_of(const ForeignMemory& memory, const OddDesign& design) {
  rtl::RtlOptions options = like_the_model(memory);
  options.make_top = design.make_top;
  return options;
}

struct Boards {
  using Program = std::function<void(ForeignBoard&)>;

  explicit Boards(const ForeignMemory& memory, const platform::Clock& clock = {},
                  const Program& program = {})
      : Boards(memory, clock, program, Params::named("small"), rtl_with_clock(memory, clock)) {}
  /// With the RTL of one of odd_designs().
  Boards(const ForeignMemory& memory, const OddDesign& design)
      : Boards(memory, {}, {}, design.params, rtl_of(memory, design)) {}
  Boards(const ForeignMemory& memory, const platform::Clock& clock, const Program& program,
         const Params& params, const rtl::RtlOptions& options)
      : model(sc_core::sc_gen_unique_name("model"), engine::EngineConfig(params), clock),
        rtl(sc_core::sc_gen_unique_name("rtl"), params, options),
        with_model(sc_core::sc_gen_unique_name("with_model"), model, memory, program),
        with_rtl(sc_core::sc_gen_unique_name("with_rtl"), rtl, memory, program) {}

  void run() { sc_core::sc_start(10, sc_core::SC_MS); }

  platform::Engine model;
  rtl::RtlEngine rtl;
  ForeignBoard with_model, with_rtl;
};

class ForeignMemories : public testing::TestWithParam<ForeignMemory> {};

TEST_P(ForeignMemories, ServeModelAndRtl) {
  Boards boards(GetParam());
  boards.run();
  boards.with_model.expect_results();
  boards.with_rtl.expect_results();
  // With a blocking wait of 1 ns, reads and writes may be served in either order: one cycle.
  const unsigned allowed = GetParam().delay != Delay::annotates && GetParam().latency == ns(1);
  EXPECT_NEAR(boards.with_model.clocks(), boards.with_rtl.clocks(), allowed);
}

std::vector<ForeignMemory> memories() {
  std::vector<ForeignMemory> all;
  const auto name = [](Delay delay) {
    if (delay == Delay::annotates) return "annotates";
    return delay == Delay::waits ? "waits" : "both";
  };
  for (const Delay delay : {Delay::annotates, Delay::waits, Delay::both}) {
    for (const bool polls : {false, true}) {
      ForeignMemory memory;
      memory.delay = delay;
      memory.polls = polls;
      const std::string base = std::string(name(delay)) + (polls ? "_polling" : "_interrupt");
      memory.name = base;
      all.push_back(memory);
      memory.takes_enables = false;
      memory.name = base + "_without_byte_enables";
      all.push_back(memory);
      memory.takes_enables = true;
      memory.direct = Direct::granted;
      memory.name = base + "_direct";
      all.push_back(memory);
      memory.direct = Direct::invalidated;
      memory.name = base + "_direct_for_a_while";
      all.push_back(memory);
    }
  }
  for (const unsigned latency : {0u, 1u, 400u}) {
    ForeignMemory memory;
    memory.latency = ns(latency);
    memory.name = "annotates_" + std::to_string(latency) + "_ns";
    all.push_back(memory);
    memory.delay = Delay::waits;
    memory.name = "waits_" + std::to_string(latency) + "_ns";
    all.push_back(memory);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Boards, ForeignMemories, testing::ValuesIn(memories()),
                         [](const testing::TestParamInfo<ForeignMemory>& test) {
                           return test.param.name;
                         });

/// An RTL with all its bursts outstanding.
struct RtlBoard {
  explicit RtlBoard(const ForeignMemory& memory,
                    const std::function<void(ForeignBoard&)>& program = {})
      : rtl(sc_core::sc_gen_unique_name("rtl"), Params::named("small")),
        board(sc_core::sc_gen_unique_name("board"), rtl, memory, program) {}

  rtl::RtlEngine rtl;
  ForeignBoard board;
};

ForeignMemory overlapping(double latency, unsigned spread = 0) {
  ForeignMemory memory;
  memory.delay = Delay::waits;
  memory.latency = ns(latency);
  memory.spread = spread;
  memory.overlaps = true;
  return memory;
}

// The beats of a read follow the end of a b_transport that waits. A memory that annotates the same
// delay and these beats is equal, and never has two calls at once.
TEST(OverlappingBursts, TakeTheCyclesOfAnnotatedDelays) {
  constexpr std::array<double, 4> kLatencies = {2, 17, 40, 400};
  std::vector<std::unique_ptr<RtlBoard>> waiting, annotating;
  for (const double latency : kLatencies) {
    ForeignMemory memory = overlapping(latency);
    waiting.push_back(std::make_unique<RtlBoard>(memory));
    memory.delay = Delay::annotates;
    memory.adds_beats = true;
    memory.overlaps = false;
    annotating.push_back(std::make_unique<RtlBoard>(memory));
  }
  Boards serial(ForeignMemory{"waits", Delay::waits});
  sc_core::sc_start(1, sc_core::SC_MS);
  for (std::size_t i = 0; i < kLatencies.size(); i++) {
    SCOPED_TRACE(kLatencies[i]);
    waiting[i]->board.expect_results();
    annotating[i]->board.expect_results();
    EXPECT_EQ(waiting[i]->board.clocks(), annotating[i]->board.clocks());
    EXPECT_EQ(waiting[i]->board.reads(), annotating[i]->board.reads());
  }
  EXPECT_LT(2 * waiting[2]->board.clocks(), serial.with_rtl.clocks());
}

TEST(OverlappingBursts, EndInAnyOrder) {
  std::vector<std::unique_ptr<RtlBoard>> boards;
  for (const unsigned spread : {3u, 90u, 1000u}) {
    boards.push_back(std::make_unique<RtlBoard>(overlapping(10, spread)));
  }
  sc_core::sc_start(1, sc_core::SC_MS);
  for (const auto& rtl : boards) {
    rtl->board.expect_results();
    EXPECT_GT(rtl->board.overtakers(), 10u);
  }
  EXPECT_LT(boards[0]->board.clocks(), boards[2]->board.clocks());
}

TEST(OverlappingBursts, MayHaveErrors) {
  ForeignMemory memory = overlapping(10, 90);
  memory.faulty = ForeignBoard::kBScales + 20;
  RtlBoard rtl(memory);
  sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_EQ(rtl.board.status(), static_cast<uint32_t>(MXE_STATUS_ERR_READ));
  EXPECT_GT(rtl.board.overtakers(), 0u);
}

TEST(OverlappingBursts, MayBeSplitForTheirByteEnables) {
  ForeignMemory memory = overlapping(10, 90);
  memory.takes_enables = false;
  RtlBoard rtl(memory);
  sc_core::sc_start(1, sc_core::SC_MS);
  rtl.board.expect_results();
}

// Bursts of before the reset end after it, among those of the next job.
TEST(OverlappingBursts, LeaveNothingBehindAReset) {
  sc_core::sc_signal<bool> reset_n("reset_n", true);
  unsigned jobs = 0;
  RtlBoard rtl(overlapping(10, 300), [&](ForeignBoard& board) {
    for (unsigned after = 0; after < 1200; after += 41) {
      board.write_job();
      board.start_job();
      sc_core::wait(after, sc_core::SC_NS);
      reset_n.write(false);
      sc_core::wait(3, sc_core::SC_NS);
      reset_n.write(true);
      sc_core::wait(after % 2 ? 5 : 400, sc_core::SC_NS);
      board.run_job();
      board.expect_results();
      jobs++;
    }
  });
  rtl.rtl.reset_n(reset_n);
  sc_core::sc_start(1, sc_core::SC_MS);
  EXPECT_EQ(jobs, 30u);
}

/// Engines and directions share 8 bytes per ns. Transactions are copied, so extensions are lost.
struct SharedBus : sc_core::sc_module {
  tlm_utils::simple_target_socket_tagged<SharedBus> in0{"in0"}, in1{"in1"};
  tlm_utils::simple_initiator_socket<SharedBus> out0{"out0"}, out1{"out1"};

  explicit SharedBus(const sc_core::sc_module_name& name) : sc_module(name) {
    in0.register_b_transport(this, &SharedBus::forward, 0);
    in1.register_b_transport(this, &SharedBus::forward, 1);
  }

  void forward(int way, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const sc_core::sc_time now = sc_core::sc_time_stamp(), begin = std::max(now + delay, free_);
    waited_ += begin > now + delay;
    free_ = begin + ns(p.get_data_length() / 8.0);
    delay = free_ - now;
    tlm::tlm_generic_payload copy;
    copy.set_command(p.get_command());
    copy.set_address(p.get_address());
    copy.set_data_ptr(p.get_data_ptr());
    copy.set_data_length(p.get_data_length());
    copy.set_streaming_width(p.get_streaming_width());
    copy.set_byte_enable_ptr(p.get_byte_enable_ptr());
    copy.set_byte_enable_length(p.get_byte_enable_length());
    (way == 0 ? out0 : out1)->b_transport(copy, delay);
    p.set_response_status(copy.get_response_status());
  }

  sc_core::sc_time free_;
  unsigned waited_ = 0;
};

template <class Engine>
struct TwoEngines {
  explicit TwoEngines(const std::string& kind)
      : first((kind + "_1").c_str(), Params::named("small")),
        second((kind + "_2").c_str(), Params::named("small")),
        bus((kind + "_bus").c_str()),
        first_board((kind + "_board_1").c_str(), first, {}, {}, true),
        second_board((kind + "_board_2").c_str(), second, {}, {}, true) {
    first.mem.bind(bus.in0);
    second.mem.bind(bus.in1);
    bus.out0.bind(first_board.memory);
    bus.out1.bind(second_board.memory);
  }

  Engine first, second;
  SharedBus bus;
  ForeignBoard first_board, second_board;
};

TEST(Bus, IsSharedByTwoEngines) {
  TwoEngines<platform::Engine> models("model");
  TwoEngines<rtl::RtlEngine> rtls("rtl");
  Boards alone{ForeignMemory{}};
  sc_core::sc_start(1, sc_core::SC_MS);
  for (const ForeignBoard* board :
       {&models.first_board, &models.second_board, &rtls.first_board, &rtls.second_board}) {
    board->expect_results();
    EXPECT_GT(board->clocks(), alone.with_model.clocks());
  }
  EXPECT_GT(models.bus.waited_, 20u);
  EXPECT_EQ(models.bus.waited_, rtls.bus.waited_);
  // Both engines request at the same time; the simulator chooses the order.
  EXPECT_EQ(std::minmax({models.first_board.clocks(), models.second_board.clocks()}),
            std::minmax({rtls.first_board.clocks(), rtls.second_board.clocks()}));
}

/// The memory of `board` behind a socket of 64 bits without simple_target_socket.
struct WideMemory : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  tlm::tlm_target_socket<64> socket{"socket"};
  tlm_utils::simple_initiator_socket<WideMemory> board{"board"};

  explicit WideMemory(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }

  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    board->b_transport(p, delay);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    ADD_FAILURE() << "the engine uses the blocking interface";
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
};

TEST(Sockets, OfAnotherWidthAndLibrary) {
  platform::Engine engine("engine", Params::named("small"));
  ForeignBoard board("board", engine, {}, {}, true);
  WideMemory memory("memory");
  platform::WidthAdapter<32, 64> adapter("adapter");
  engine.mem.bind(adapter.in);
  adapter.out.bind(memory.socket);
  memory.board.bind(board.memory);
  Boards usual{ForeignMemory{}};
  sc_core::sc_start(1, sc_core::SC_MS);
  board.expect_results();
  EXPECT_EQ(board.clocks(), usual.with_model.clocks());
}

class Quantum : public testing::TestWithParam<double> {};

// With a quantum, software sees the end later, but the job's cycles do not change.
TEST_P(Quantum, LetsEnginesRunAhead) {
  tlm::tlm_global_quantum::instance().set(ns(GetParam()));
  ForeignMemory memory;
  memory.polls = true;
  sc_core::sc_time done;
  Boards boards(memory, {}, [&](ForeignBoard& board) {
    board.run_job();
    done = std::max(done, sc_core::sc_time_stamp());
  });
  boards.run();
  boards.with_model.expect_results();
  boards.with_rtl.expect_results();
  EXPECT_EQ(boards.with_model.clocks(), boards.with_rtl.clocks());
  const double latest = done / ns(1), clocks = boards.with_rtl.clocks();
  EXPECT_GT(latest, clocks);
  EXPECT_LT(latest, clocks + 100 + 16 * GetParam());  // at most 14 accesses, each a quantum late
  if (GetParam() == 0) return;
  EXPECT_LT(boards.with_model.polls(), 10u);
  EXPECT_LT(boards.with_rtl.polls(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Boards, Quantum, testing::Values(0, 500));

class Clocks : public testing::TestWithParam<double> {};

// With a latency in cycles, a job's cycles do not depend on the clock's period.
TEST_P(Clocks, AreThePlatforms) {
  const platform::Clock clock(ns(GetParam()));
  ForeignMemory memory;
  memory.latency = clock.to_time(40);
  Boards boards(memory, clock);
  Boards ordinary{ForeignMemory{}};
  boards.run();
  boards.with_model.expect_results();
  boards.with_rtl.expect_results();
  EXPECT_EQ(boards.with_model.clocks(), ordinary.with_rtl.clocks());
  EXPECT_EQ(boards.with_rtl.clocks(), ordinary.with_rtl.clocks());
}

TEST_P(Clocks, MeetOtherClocks) {
  ForeignMemory memory;
  memory.polls = true;
  memory.delay = Delay::both;
  memory.latency = ns(33.25);
  Boards boards(memory, platform::Clock(ns(GetParam())));
  boards.run();
  boards.with_model.expect_results();
  boards.with_rtl.expect_results();
  EXPECT_EQ(boards.with_model.clocks(), boards.with_rtl.clocks());
}

INSTANTIATE_TEST_SUITE_P(Boards, Clocks, testing::Values(0.75, 1.0, 2.5, 10.0));

TEST(Clock, OfNoPeriodIsRefused) { EXPECT_THROW(platform::Clock(sc_core::SC_ZERO_TIME), Error); }

class Responses : public testing::TestWithParam<tlm::tlm_response_status> {};

TEST_P(Responses, EndTheJob) {
  ForeignMemory memory;
  memory.fault = GetParam();
  memory.faulty = ForeignBoard::kBScales;
  Boards boards(memory);
  boards.run();
  EXPECT_EQ(boards.with_model.status(), static_cast<uint32_t>(MXE_STATUS_ERR_READ));
  EXPECT_EQ(boards.with_rtl.status(), static_cast<uint32_t>(MXE_STATUS_ERR_READ));
}

INSTANTIATE_TEST_SUITE_P(Boards, Responses,
                         testing::Values(tlm::TLM_GENERIC_ERROR_RESPONSE,
                                         tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                         tlm::TLM_COMMAND_ERROR_RESPONSE,
                                         tlm::TLM_BURST_ERROR_RESPONSE,
                                         tlm::TLM_INCOMPLETE_RESPONSE));

// Requests stop after a bus error: model and RTL issue the same reads, also within a row fetch of
// many bursts. In the design slim, a row of A takes 12 bursts of one beat.
TEST(BusError, StopsTheReads) {
  const OddDesign slim = *odd_design("slim");
  std::vector<std::unique_ptr<Boards>> all;
  const std::vector<uint64_t> faulty = {ForeignBoard::kA,
                                        ForeignBoard::kA + 50,
                                        ForeignBoard::kA + 5 * ForeignBoard::kK + 20,
                                        ForeignBoard::kAScales,
                                        ForeignBoard::kB,
                                        ForeignBoard::kB + 3 * ForeignBoard::kK + 90,
                                        ForeignBoard::kBScales,
                                        ForeignBoard::kBScales + 20};
  for (const unsigned latency : {1u, 3u, 40u}) {
    for (const uint64_t address : faulty) {
      ForeignMemory memory;
      memory.latency = ns(latency);
      memory.faulty = address;
      all.push_back(std::make_unique<Boards>(memory));
      all.push_back(std::make_unique<Boards>(memory, slim));
    }
  }
  Boards whole{ForeignMemory{}, slim};
  sc_core::sc_start(1, sc_core::SC_MS);
  whole.with_model.expect_results();
  EXPECT_EQ(whole.with_model.reads(), whole.with_rtl.reads());
  std::size_t fewest = whole.with_model.reads().size();
  for (const std::unique_ptr<Boards>& boards : all) {
    const ForeignBoard &model = boards->with_model, &rtl = boards->with_rtl;
    SCOPED_TRACE(model.name());
    EXPECT_EQ(model.status(), static_cast<uint32_t>(MXE_STATUS_ERR_READ));
    EXPECT_EQ(rtl.status(), static_cast<uint32_t>(MXE_STATUS_ERR_READ));
    EXPECT_EQ(model.reads(), rtl.reads());
    fewest = std::min(fewest, model.reads().size());
  }
  EXPECT_LT(fewest, whole.with_model.reads().size() / 4) << "no error stopped the reads early";
}

class Resets : public testing::TestWithParam<ForeignMemory> {};

TEST_P(Resets, LeaveNothingBehind) {
  sc_core::sc_signal<bool> model_reset_n("model_reset_n", true), rtl_reset_n("rtl_reset_n", true);
  std::vector<std::string> logs[2];
  const auto program = [&](ForeignBoard& board) {
    const bool model = std::string(board.name()).rfind("with_model", 0) == 0;
    sc_core::sc_signal<bool>& line = model ? model_reset_n : rtl_reset_n;
    std::vector<std::string>& log = logs[model ? 0 : 1];
    for (unsigned after = 0; after < 700; after += 41) {
      board.write_job();
      board.start_job();
      sc_core::wait(after, sc_core::SC_NS);
      line.write(false);
      sc_core::wait(3, sc_core::SC_NS);
      uint32_t value = 0;
      EXPECT_FALSE(board.access_register(MXE_REG_ID, value, false)) << "while it is in reset";
      sc_core::wait(500, sc_core::SC_NS);  // outstanding bursts complete
      EXPECT_FALSE(board.irq.read());
      line.write(true);
      sc_core::wait(5, sc_core::SC_NS);
      EXPECT_EQ(board.read(MXE_REG_CTRL), 0u);
      EXPECT_EQ(board.read(MXE_REG_RING_TAIL), 0u);
      EXPECT_EQ(board.read(MXE_REG_RING_HEAD), 0u);
      EXPECT_EQ(board.read(MXE_REG_STATUS), MXE_STATUS_EMPTY_MASK);
      board.run_job();
      board.expect_results();
      log.push_back(std::to_string(after) + " ns: " + std::to_string(board.clocks()));
    }
  };
  Boards boards(GetParam(), {}, program);
  boards.model.reset_n(model_reset_n);
  boards.rtl.reset_n(rtl_reset_n);
  boards.run();
  EXPECT_EQ(logs[0].size(), 18u);
  EXPECT_EQ(logs[0], logs[1]);
}

INSTANTIATE_TEST_SUITE_P(Boards, Resets,
                         testing::Values(ForeignMemory{"annotates"},
                                         ForeignMemory{"waits", Delay::waits}),
                         [](const testing::TestParamInfo<ForeignMemory>& test) {
                           return test.param.name;
                         });

}  // namespace
}  // namespace mxe::test
