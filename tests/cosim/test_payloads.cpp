// SPDX-License-Identifier: Apache-2.0
// The payload attributes of IEEE 1666 at every target, and time resolutions: refused and accepted.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/engine.h"
#include "model/platform/interconnect.h"
#include "model/platform/memory.h"
#include "model/platform/rtl/rtl_engine.h"
#include "mxe_regs.h"
#include "tests/cosim/foreign_board.h"

namespace mxe::test {
namespace {

using Payload = tlm::tlm_generic_payload;
using Change = std::function<void(Payload&)>;

struct Client : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Client> socket{"socket"};
  std::function<void(Client&)> program;
  platform::BurstExtension burst;

  Client(const sc_core::sc_module_name& name, std::function<void(Client&)> run)
      : sc_module(name), program(std::move(run)) {
    SC_HAS_PROCESS(Client);
    SC_THREAD(run_program);
    set_stack_size(platform::kThreadStackBytes);
  }
  void run_program() { program(*this); }

  /// Writes or reads four bytes; `change` edits the payload before.
  tlm::tlm_response_status send(tlm::tlm_command command, uint64_t address, uint32_t& value,
                                const Change& change = {}) {
    Payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
    p.set_data_length(4);
    p.set_streaming_width(4);
    p.set_extension(&burst);
    burst.issued = platform::current_cycle();
    if (change) change(p);
    sc_core::sc_time delay;
    socket->b_transport(p, delay);
    p.clear_extension(&burst);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    return p.get_response_status();
  }
};

struct Case {
  std::string name;
  Change change;
  tlm::tlm_response_status response;
};

std::vector<Case> cases() {
  static std::array<uint8_t, 4> enables{0xFF, 0xFF, 0xFF, 0xFF};
  std::vector<Case> cases;
  for (const unsigned width : {0u, 1u, 2u, 3u}) {
    cases.push_back({"width " + std::to_string(width),
                     [width](Payload& p) { p.set_streaming_width(width); },
                     tlm::TLM_BURST_ERROR_RESPONSE});
  }
  cases.push_back(
      {"no bytes", [](Payload& p) { p.set_data_length(0); }, tlm::TLM_BURST_ERROR_RESPONSE});
  cases.push_back({"no command", [](Payload& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); },
                   tlm::TLM_COMMAND_ERROR_RESPONSE});
  cases.push_back(
      {"no data", [](Payload& p) { p.set_data_ptr(nullptr); }, tlm::TLM_GENERIC_ERROR_RESPONSE});
  cases.push_back({"no enables",
                   [](Payload& p) {
                     p.set_byte_enable_ptr(enables.data());
                     p.set_byte_enable_length(0);
                   },
                   tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE});
  for (const unsigned width : {4u, 5u, 100u}) {
    cases.push_back({"width " + std::to_string(width),
                     [width](Payload& p) { p.set_streaming_width(width); }, tlm::TLM_OK_RESPONSE});
  }
  cases.push_back({"one enable",
                   [](Payload& p) {
                     p.set_byte_enable_ptr(enables.data());
                     p.set_byte_enable_length(1);
                   },
                   tlm::TLM_OK_RESPONSE});
  return cases;
}

/// Writes and reads the four bytes at `address`, whose upper 28 bits may be read-only.
void try_cases(Client& client, uint64_t address) {
  uint32_t expected = 0xA;
  ASSERT_EQ(client.send(tlm::TLM_WRITE_COMMAND, address, expected), tlm::TLM_OK_RESPONSE);
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(client.name()) + ", " + c.name);
    uint32_t written = expected ^ 0xF, found = 0x5A5A5A5A;
    EXPECT_EQ(client.send(tlm::TLM_WRITE_COMMAND, address, written, c.change), c.response);
    if (c.response == tlm::TLM_OK_RESPONSE) expected = written;
    EXPECT_EQ(client.send(tlm::TLM_READ_COMMAND, address, found, c.change), c.response);
    EXPECT_EQ(found, c.response == tlm::TLM_OK_RESPONSE ? expected : 0x5A5A5A5Au);
    EXPECT_EQ(client.send(tlm::TLM_READ_COMMAND, address, found), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(found, expected);
  }
  // A read does not change bytes whose enable is 0; the two enables repeat.
  std::array<uint8_t, 2> enables{0, 0xFF};
  uint32_t found = 0x5A5A5A5A;
  EXPECT_EQ(client.send(tlm::TLM_READ_COMMAND, address, found,
                        [&](Payload& p) {
                          p.set_byte_enable_ptr(enables.data());
                          p.set_byte_enable_length(2);
                        }),
            tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(found, 0x005A005Au);
}

TEST(Attributes, AtEveryTarget) {
  platform::Memory::Config config;
  config.size = 1 << 20;
  const auto on_memory = [&](Client& client) { try_cases(client, config.base + 0x100); };
  const auto on_registers = [](Client& client) { try_cases(client, MXE_REG_IRQ_MASK); };
  platform::Memory memory("memory", config), shared("shared", config), of_model("of_model", config),
      of_rtl("of_rtl", config);
  platform::Interconnect interconnect("interconnect", config.timing, 1, 32);
  interconnect.out.bind(shared.socket);
  platform::Engine model("model", Params::named("small"));
  rtl::RtlEngine rtl("rtl", Params::named("small"), {});
  sc_core::sc_signal<bool> model_irq("model_irq"), rtl_irq("rtl_irq");
  model.mem.bind(of_model.socket), model.irq(model_irq);
  rtl.mem.bind(of_rtl.socket), rtl.irq(rtl_irq);
  Client to_memory("to_memory", on_memory), to_shared("to_shared", on_memory);
  Client to_model("to_model", on_registers), to_rtl("to_rtl", on_registers);
  to_memory.socket.bind(memory.socket);
  to_shared.socket.bind(interconnect.in[0]);
  to_model.socket.bind(model.regs);
  to_rtl.socket.bind(rtl.regs);
  sc_core::sc_start(1, sc_core::SC_MS);
}

TEST(Attributes, DebugTransportIgnoresThem) {
  platform::Memory::Config config;
  config.size = 1 << 12;
  platform::Memory memory("memory", config);
  Client client("client", [](Client&) {});
  client.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::array<uint8_t, 4> enables{};
  uint32_t value = 0x12345678, found = 0;
  Payload p;
  p.set_address(config.base);
  p.set_data_length(4);
  p.set_streaming_width(1);
  p.set_byte_enable_ptr(enables.data());
  p.set_byte_enable_length(0);
  for (uint32_t* data : {&value, &found}) {
    p.set_command(data == &value ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_data_ptr(reinterpret_cast<uint8_t*>(data));
    EXPECT_EQ(client.socket->transport_dbg(p), 4u);
  }
  EXPECT_EQ(found, value);
  p.set_command(tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(client.socket->transport_dbg(p), 0u);
}

// Time resolutions: each test is a separate process and sets the resolution once.

template <class Make>
void expect_refused(const Make& make, const std::string& message) {
  try {
    make();
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

/// Whatever uses the default clock of 1 ns must report an error.
void expect_no_nanosecond(const std::string& resolution) {
  const std::string message = "time resolution " + resolution + ": ";
  const Params params = Params::named("small");
  expect_refused([&] { platform::Engine engine("model", params); }, message);
  expect_refused([&] { rtl::RtlEngine engine("rtl", params, {}); }, message);
  expect_refused([&] { platform::Memory memory("memory", platform::Memory::Config{}); }, message);
  expect_refused(
      [&] { platform::Interconnect interconnect("interconnect", engine::MemoryTiming{}, 2, 32); },
      message);
  expect_refused([] { platform::Clock().to_time(1); }, message);
  expect_refused([] { platform::current_cycle(); }, message);
}

TEST(Resolution, OfTenNanoseconds) {
  sc_core::sc_set_time_resolution(10, sc_core::SC_NS);
  expect_no_nanosecond("10 ns");
}
TEST(Resolution, OfAMicrosecond) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_US);
  expect_no_nanosecond("1 us");
}
TEST(Resolution, OfAMillisecond) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_MS);
  expect_no_nanosecond("1 ms");
}

void expect_job(double resolution, sc_core::sc_time_unit unit, double period) {
  sc_core::sc_set_time_resolution(resolution, unit);
  const platform::Clock clock(period, sc_core::SC_NS);
  ForeignMemory kind;
  kind.latency = clock.to_time(40);
  rtl::RtlOptions rtl_options;
  rtl_options.clock = clock;
  platform::Engine model("model", engine::EngineConfig(Params::named("small")), clock);
  rtl::RtlEngine rtl("rtl", Params::named("small"), rtl_options);
  ForeignBoard with_model("with_model", model, kind), with_rtl("with_rtl", rtl, kind);
  sc_core::sc_start(10, sc_core::SC_MS);
  with_model.expect_results();
  with_rtl.expect_results();
  EXPECT_EQ(with_model.clocks(), with_rtl.clocks());
}

TEST(Resolution, OfTenNanosecondsWithAClockOfTwenty) { expect_job(10, sc_core::SC_NS, 20); }
TEST(Resolution, OfTenNanosecondsWithAClockOfTen) { expect_job(10, sc_core::SC_NS, 10); }
TEST(Resolution, OfANanosecond) { expect_job(1, sc_core::SC_NS, 1); }
TEST(Resolution, OfTenFemtoseconds) { expect_job(10, sc_core::SC_FS, 3.33333); }

TEST(Resolution, PeriodsThatAreNoMultiple) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  const std::string message = "is no multiple of the time resolution; allowed: multiples of 1 ns";
  expect_refused([] { platform::Clock(1.5, sc_core::SC_NS); }, "1.5e-09 s " + message);
  expect_refused([] { platform::Clock(3.333, sc_core::SC_NS); }, message);
  expect_refused([] { platform::Clock(400, sc_core::SC_PS); }, message);
  expect_refused([] { platform::Clock(0, sc_core::SC_NS); }, message);
  expect_refused([] { platform::Clock(sc_core::sc_time(400, sc_core::SC_PS)); },
                 "the clock period is zero");
  EXPECT_EQ(platform::Clock(7, sc_core::SC_NS).period(), sc_core::sc_time(7, sc_core::SC_NS));
  EXPECT_EQ(platform::Clock(1, sc_core::SC_US).period(), sc_core::sc_time(1, sc_core::SC_US));
}

TEST(Resolution, AnInterconnectNeedsHalfAClock) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  expect_refused(
      [&] { platform::Interconnect interconnect("interconnect", engine::MemoryTiming{}, 2, 32); },
      "time resolution 1 ns: an interconnect");
}

TEST(Interconnects, ShareNoHalfDuplexMemory) {
  engine::MemoryTiming timing;
  timing.half_duplex = true;
  expect_refused([&] { platform::Interconnect interconnect("interconnect", timing, 2, 32); },
                 "an interconnect cannot share a half-duplex memory");
}

}  // namespace
}  // namespace mxe::test
