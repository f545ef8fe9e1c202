// SPDX-License-Identifier: Apache-2.0
// Model and RTL on a memory with non-blocking transport and without code of MXE.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/engine.h"
#include "model/platform/rtl/rtl_engine.h"
#include "tests/cosim/foreign_board.h"

namespace mxe::test {
namespace {

using Memory = ForeignMemory;

sc_core::sc_time ns(double time) { return sc_core::sc_time(time, sc_core::SC_NS); }

/// How a controller uses the phases of the base protocol.
struct Phases {
  unsigned latency_ns = 40, spread_ns = 0;  ///< from BEGIN_REQ to BEGIN_RESP
  unsigned accept_ns = 0;                   ///< delay of END_REQ; 0: it is returned
  unsigned annotated_ns = 0;                ///< delay of the returned END_REQ
  bool skips_end_request = false;           ///< BEGIN_RESP implies END_REQ
  bool responds_at_once = false;            ///< BEGIN_REQ returns BEGIN_RESP or TLM_COMPLETED
  bool responds_twice = false;              ///< a second BEGIN_RESP follows the first one
};

/// A controller with all four phases in front of the memory of a ForeignBoard. Checks the rules
/// that an initiator must keep: one request at a time, no change of the payload, a memory manager.
class Controller : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> in{"in"};
  tlm_utils::simple_initiator_socket<Controller> out{"out"};

  Controller(const sc_core::sc_module_name& name, const Phases& phases)
      : sc_module(name), phases_(phases) {
    in.bind(*this);
    SC_HAS_PROCESS(Controller);
    SC_METHOD(accept);
    sensitive << accept_event_;
    dont_initialize();
    SC_METHOD(respond);
    sensitive << respond_event_;
    dont_initialize();
  }

  unsigned requests() const { return requests_; }
  unsigned overtakers() const { return overtakers_; }
  std::size_t most_outstanding() const { return most_outstanding_; }
  unsigned longest() const { return longest_; }  ///< bytes of a payload

 private:
  struct Request {
    tlm::tlm_generic_payload* payload;
    unsigned number;
    uint64_t address;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      EXPECT_TRUE(phases_.responds_at_once) << "the response has ended with TLM_COMPLETED";
      return tlm::TLM_COMPLETED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    EXPECT_FALSE(accepting_) << "BEGIN_REQ before END_REQ";
    EXPECT_GE(sc_core::sc_time_stamp() + delay, free_) << "BEGIN_REQ before END_REQ";
    EXPECT_TRUE(p.has_mm());
    requests_++;
    longest_ = std::max(longest_, p.get_data_length());
    if (phases_.responds_at_once) {
      transfer(p);
      delay += ns(phases_.latency_ns);
      free_ = sc_core::sc_time_stamp() + delay;
      phase = tlm::BEGIN_RESP;
      return requests_ % 2 ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
    }
    p.acquire();
    const unsigned more = requests_ * 2654435761u / 65536 % (phases_.spread_ns + 1);
    const sc_core::sc_time begin = sc_core::sc_time_stamp() + delay + ns(phases_.latency_ns + more);
    responses_.emplace(begin, Request{&p, requests_, p.get_address()});
    most_outstanding_ = std::max(most_outstanding_, responses_.size());
    respond_event_.notify(responses_.begin()->first - sc_core::sc_time_stamp());
    if (phases_.skips_end_request || phases_.accept_ns != 0) {
      accepting_ = &p;
      if (!phases_.skips_end_request) accept_event_.notify(ns(phases_.accept_ns));
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    delay += ns(phases_.annotated_ns);
    free_ = sc_core::sc_time_stamp() + delay;
    return tlm::TLM_UPDATED;
  }

  void accept() {
    if (!accepting_) return;
    tlm::tlm_generic_payload& p = *accepting_;
    accepting_ = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    EXPECT_EQ(in->nb_transport_bw(p, phase, delay), tlm::TLM_ACCEPTED);
  }

  void respond() {
    while (!responses_.empty() && responses_.begin()->first <= sc_core::sc_time_stamp()) {
      const Request request = responses_.begin()->second;
      responses_.erase(responses_.begin());
      EXPECT_EQ(request.payload->get_address(), request.address);
      transfer(*request.payload);
      overtakers_ += request.number < last_;
      last_ = std::max(last_, request.number);
      if (accepting_ == request.payload) accepting_ = nullptr;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      EXPECT_EQ(in->nb_transport_bw(*request.payload, phase, delay), tlm::TLM_COMPLETED);
      EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
      if (phases_.responds_twice) in->nb_transport_bw(*request.payload, phase, delay);
      request.payload->release();
    }
    if (!responses_.empty()) {
      respond_event_.notify(responses_.begin()->first - sc_core::sc_time_stamp());
    }
  }

  void transfer(tlm::tlm_generic_payload& p) {
    sc_core::sc_time ignored;
    out->b_transport(p, ignored);
  }

  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {
    ADD_FAILURE() << "the engine uses the blocking interface";
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

  Phases phases_;
  std::multimap<sc_core::sc_time, Request> responses_;
  tlm::tlm_generic_payload* accepting_ = nullptr;
  sc_core::sc_time free_;
  sc_core::sc_event accept_event_, respond_event_;
  unsigned requests_ = 0, overtakers_ = 0, last_ = 0, longest_ = 0;
  std::size_t most_outstanding_ = 0;
};

using platform::MemoryCalls;

std::unique_ptr<platform::Engine> make_model(unsigned payload_bytes = 0) {
  return std::make_unique<platform::Engine>(
      sc_core::sc_gen_unique_name("model"), engine::EngineConfig(Params::named("small")),
      platform::Clock(), MemoryCalls::non_blocking, payload_bytes);
}

std::unique_ptr<rtl::RtlEngine> make_rtl(unsigned payload_bytes = 0) {
  rtl::RtlOptions options;
  options.memory_calls = MemoryCalls::non_blocking;
  options.payload_bytes = payload_bytes;
  return std::make_unique<rtl::RtlEngine>(sc_core::sc_gen_unique_name("rtl"),
                                          Params::named("small"), options);
}

/// A memory that responds at once; the controller has the times.
Memory immediate() {
  Memory memory;
  memory.latency = sc_core::SC_ZERO_TIME;
  return memory;
}

using Program = std::function<void(ForeignBoard&)>;

/// An engine behind a controller.
struct OneBoard {
  OneBoard(std::unique_ptr<platform::EngineModule> kind, const Phases& phases, const Memory& memory,
           const Program& program)
      : engine(std::move(kind)),
        board(sc_core::sc_gen_unique_name("board"), *engine, memory, program, true),
        controller(sc_core::sc_gen_unique_name("controller"), phases) {
    engine->mem.bind(controller.in);
    controller.out.bind(board.memory);
  }

  std::unique_ptr<platform::EngineModule> engine;
  ForeignBoard board;
  Controller controller;
};

/// Model and RTL, each behind a controller.
struct Boards {
  explicit Boards(const Phases& phases, const Memory& memory = immediate(),
                  unsigned payload_bytes = 0, const Program& program = {})
      : model(make_model(payload_bytes), phases, memory, program),
        rtl(make_rtl(payload_bytes), phases, memory, program) {}

  uint32_t clocks() const { return rtl.board.clocks(); }
  const Controller& controller() const { return rtl.controller; }
  void expect_results() const {
    model.board.expect_results();
    rtl.board.expect_results();
    expect_equal();
  }
  void expect_status(uint32_t status) const {
    EXPECT_EQ(model.board.status(), status);
    EXPECT_EQ(rtl.board.status(), status);
  }
  void expect_equal() const {
    EXPECT_EQ(model.board.clocks(), rtl.board.clocks());
    EXPECT_EQ(model.board.reads(), rtl.board.reads());
    EXPECT_EQ(model.controller.requests(), rtl.controller.requests());
    EXPECT_EQ(model.controller.overtakers(), rtl.controller.overtakers());
  }

  OneBoard model, rtl;
};

/// A memory with blocking transport and the same latency.
struct CallsBoard {
  explicit CallsBoard(const Memory& memory)
      : rtl(sc_core::sc_gen_unique_name("rtl"), Params::named("small")),
        board(sc_core::sc_gen_unique_name("board"), rtl, memory) {}

  rtl::RtlEngine rtl;
  ForeignBoard board;
};

void run() { sc_core::sc_start(2, sc_core::SC_MS); }

// BEGIN_RESP is the first beat of a read, the others follow one per cycle.
TEST(Phases, TakeTheCyclesOfAnnotatedDelays) {
  std::vector<std::unique_ptr<Boards>> phases;
  std::vector<std::unique_ptr<CallsBoard>> calls;
  for (const unsigned latency : {1u, 17u, 40u, 400u}) {
    Phases kind;
    kind.latency_ns = latency;
    phases.push_back(std::make_unique<Boards>(kind));
    Memory memory;
    memory.latency = ns(latency);
    memory.adds_beats = true;
    calls.push_back(std::make_unique<CallsBoard>(memory));
  }
  run();
  for (std::size_t i = 0; i < phases.size(); i++) {
    SCOPED_TRACE(i);
    phases[i]->expect_results();
    calls[i]->board.expect_results();
    EXPECT_EQ(phases[i]->clocks(), calls[i]->board.clocks());
    EXPECT_GT(phases[i]->controller().requests(), 50u);
  }
}

TEST(Phases, EndInAnyOrder) {
  std::vector<std::unique_ptr<Boards>> all;
  for (const unsigned spread : {20u, 90u, 1000u}) {
    Phases phases;
    phases.spread_ns = spread;
    all.push_back(std::make_unique<Boards>(phases));
  }
  run();
  for (const auto& boards : all) {
    boards->expect_results();
    EXPECT_GT(boards->controller().overtakers(), 10u);
    EXPECT_GT(boards->controller().most_outstanding(), 4u);
  }
  EXPECT_LT(all[0]->clocks(), all[2]->clocks());
}

// END_REQ is returned or sent, and without it BEGIN_RESP is its place.
TEST(Phases, BackPressureOfEndRequest) {
  Phases returned, sent, slow, none;
  returned.annotated_ns = sent.accept_ns = 5;
  slow.accept_ns = 30;
  none.skips_end_request = true;
  Boards free({}), with_returned(returned), with_sent(sent), with_slow(slow), one_at_a_time(none);
  run();
  for (const Boards* boards : {&free, &with_returned, &with_sent, &with_slow, &one_at_a_time}) {
    boards->expect_results();
  }
  EXPECT_EQ(with_returned.clocks(), with_sent.clocks());
  EXPECT_LT(free.clocks(), with_sent.clocks());
  EXPECT_LT(with_sent.clocks(), with_slow.clocks());
  EXPECT_LT(with_slow.clocks(), one_at_a_time.clocks());
  EXPECT_EQ(one_at_a_time.controller().most_outstanding(), 1u);
}

TEST(Phases, MayBeFewer) {
  Phases phases;
  phases.responds_at_once = true;
  Boards at_once(phases);
  run();
  at_once.expect_results();
}

TEST(Phases, PayloadsOfOneAccess) {
  Phases random;
  random.spread_ns = 90;
  Boards whole({}), split({}, immediate(), 32), in_any_order(random, immediate(), 16);
  run();
  for (const Boards* boards : {&whole, &split, &in_any_order}) boards->expect_results();
  EXPECT_GT(whole.controller().longest(), 32u);
  EXPECT_EQ(split.controller().longest(), 32u);
  EXPECT_EQ(in_any_order.controller().longest(), 16u);
  EXPECT_GT(split.controller().requests(), whole.controller().requests());
}

TEST(Phases, WithoutByteEnables) {
  Memory memory = immediate();
  memory.takes_enables = false;
  Phases random;
  random.spread_ns = 90;
  Boards whole(random, memory), split(random, memory, 16);
  run();
  whole.expect_results();
  split.expect_results();
}

TEST(Phases, MayHaveErrors) {
  Memory memory = immediate();
  memory.faulty = ForeignBoard::kBScales + 20;
  Phases random;
  random.spread_ns = 90;
  Boards whole(random, memory), split(random, memory, 16);
  run();
  whole.expect_status(MXE_STATUS_ERR_READ);
  split.expect_status(MXE_STATUS_ERR_READ);
}

// Bursts of before the reset end after it, among those of the next job.
TEST(Phases, LeaveNothingBehindAReset) {
  sc_core::sc_signal<bool> model_reset_n("model_reset_n", true), rtl_reset_n("rtl_reset_n", true);
  unsigned jobs = 0;
  Phases phases;
  phases.spread_ns = 300;
  phases.accept_ns = 3;
  const auto program = [&jobs](sc_core::sc_signal<bool>& reset_n) {
    return [&](ForeignBoard& board) {
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
    };
  };
  OneBoard model(make_model(), phases, immediate(), program(model_reset_n));
  OneBoard rtl(make_rtl(), phases, immediate(), program(rtl_reset_n));
  model.engine->reset_n(model_reset_n);
  rtl.engine->reset_n(rtl_reset_n);
  run();
  EXPECT_EQ(jobs, 60u);
}

// tlm_utils::simple_target_socket changes the phases into calls of b_transport.
TEST(Phases, ReachABlockingMemory) {
  Memory annotating, waiting;
  waiting.delay = Memory::Delay::waits;
  struct Board {
    Board(std::unique_ptr<platform::EngineModule> kind, const Memory& memory)
        : engine(std::move(kind)), board(sc_core::sc_gen_unique_name("board"), *engine, memory) {}
    std::unique_ptr<platform::EngineModule> engine;
    ForeignBoard board;
  };
  std::vector<std::unique_ptr<Board>> boards;
  for (const Memory& memory : {annotating, waiting}) {
    boards.push_back(std::make_unique<Board>(make_model(), memory));
    boards.push_back(std::make_unique<Board>(make_rtl(), memory));
  }
  run();
  for (const auto& one : boards) {
    one->board.expect_results();
    EXPECT_EQ(one->board.clocks(), boards[0]->board.clocks());
  }
}

TEST(Phases, OptionsThatContradict) {
  rtl::RtlOptions options;
  options.payload_bytes = 64;
  EXPECT_THROW(rtl::RtlEngine("a", Params::named("small"), options), Error);
  EXPECT_THROW(make_rtl(24), Error);
  EXPECT_THROW(make_model(24), Error);
  EXPECT_THROW(platform::Engine("b", engine::EngineConfig(Params::named("small")), {},
                                MemoryCalls::one_blocking, 64),
               Error);
}

/// Sends responses without a request.
struct Intruder : sc_core::sc_module {
  Intruder(const sc_core::sc_module_name& name, Controller& controller, tlm::tlm_phase phase)
      : sc_module(name), controller_(controller), phase_(phase) {
    SC_HAS_PROCESS(Intruder);
    SC_THREAD(intrude);
  }
  void intrude() {
    wait(ns(50));
    sc_core::sc_time delay;
    controller_.in->nb_transport_bw(payload_, phase_, delay);
  }

  Controller& controller_;
  tlm::tlm_phase phase_;
  tlm::tlm_generic_payload payload_;
};

class Violations : public testing::TestWithParam<unsigned> {};

TEST_P(Violations, AreReported) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  OneBoard one(make_rtl(), {}, immediate(), {});
  Intruder intruder("intruder", one.controller, GetParam());
  try {
    run();
    FAIL() << "no report";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg(),
                 "the memory responds to a payload at 0x0 without outstanding request");
  }
}

TEST(Phases, MayNotRespondTwice) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  Phases twice;
  twice.responds_twice = true;
  OneBoard model(make_model(), twice, immediate(), {});
  try {
    run();
    FAIL() << "no report";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg(),
                 "the memory responds to a payload at 0x0 without outstanding request");
  }
}

INSTANTIATE_TEST_SUITE_P(Phases, Violations,
                         testing::Values(unsigned{tlm::END_REQ}, unsigned{tlm::BEGIN_RESP}));

}  // namespace
}  // namespace mxe::test
