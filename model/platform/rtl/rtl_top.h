// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/params/params.h"
#include "model/platform/rtl/rtl_signal.h"
#include "model/platform/rtl/rtl_value.h"

namespace mxe::rtl {

struct AxiAttributes {
  uint8_t id = 0, lock = 0, cache = 0, prot = 0, qos = 0, region = 0;

  bool operator==(const AxiAttributes& other) const {
    return id == other.id && lock == other.lock && cache == other.cache && prot == other.prot &&
           qos == other.qos && region == other.region;
  }
  bool operator!=(const AxiAttributes& other) const { return !(*this == other); }
};

/// Input pins of mxe_top for one cycle; RtlTop drives clock and reset.
struct RtlInputs {
  bool s_awvalid = false, s_wvalid = false, s_bready = false, s_arvalid = false, s_rready = false;
  uint32_t s_awaddr = 0, s_wdata = 0, s_araddr = 0;
  uint8_t s_wstrb = 0, s_awprot = 0, s_arprot = 0;
  bool m_arready = false, m_rvalid = false, m_rlast = false, m_awready = false, m_wready = false;
  bool m_bvalid = false;
  uint8_t m_rresp = 0, m_bresp = 0, m_rid = 0, m_bid = 0;
  const uint8_t* m_rdata = nullptr;  ///< MEM_W / 8 bytes; null leaves the pins unchanged
};

/// Output pins of mxe_top in the same cycle, before the clock edge.
struct RtlOutputs {
  bool s_awready = false, s_wready = false, s_bvalid = false, s_arready = false, s_rvalid = false;
  uint8_t s_bresp = 0, s_rresp = 0;
  uint32_t s_rdata = 0;
  bool m_arvalid = false, m_rready = false, m_awvalid = false, m_wvalid = false, m_wlast = false;
  bool m_bready = false;
  uint64_t m_araddr = 0, m_awaddr = 0;
  uint8_t m_arlen = 0, m_arsize = 0, m_arburst = 0, m_awlen = 0, m_awsize = 0, m_awburst = 0;
  AxiAttributes m_ar, m_aw;
  uint64_t m_wstrb = 0;
  const uint8_t* m_wdata = nullptr;  ///< MEM_W / 8 bytes, valid until the next cycle

  bool irq = false;
};

/// True for SLVERR and DECERR.
inline bool is_axi_error(uint8_t response) { return (response & 2) != 0; }

/// A simulated mxe_top at pin level: plain C++, no SystemC.
class RtlTop {
 public:
  virtual ~RtlTop() = default;

  virtual const Params& params() const = 0;
  virtual void reset(unsigned cycles) = 0;
  /// Runs one cycle: applies `in`, reads `out`, clocks. Throws Error if an assertion fails.
  virtual void cycle(const RtlInputs& in, RtlOutputs& out) = 0;
  /// Sets the number of the next cycle() in the waves after a stopped clock; never backwards.
  virtual void go_on_at(uint64_t /*cycle*/) {}
  /// Stops the clock of all blocks except registers and counters from the next cycle() on, or
  /// restarts it. Returns true if it is stopped; not every design supports it.
  virtual bool hold(bool /*held*/) { return false; }
  /// Writes the execution count of each line in Verilator's format, if compiled with line coverage.
  virtual void write_line_coverage(const std::string& /*path*/) {}
  /// Visible registers of the design, with names; may be empty.
  virtual std::vector<RtlSignal> signals() const { return {}; }
  /// Visible values of any width, read-only.
  virtual std::vector<RtlValue> values() const { return {}; }
  /// Registers `action` to be called in every cycle after settling, before the rising edge. A
  /// design without visible values may ignore it.
  virtual void before_edge(std::function<void()> /*action*/) {}

  /// Simulated time in the unit of the recordings (1 ps, 1000 per cycle); 0 without recordings.
  virtual uint64_t time() const { return 0; }
};

/// Throws Error unless make_rtl_top() can make this design, with waves if `waves`.
void require_rtl(const Params& params, bool waves);

/// Loads the design. Throws Error if it is missing or its sources were edited since the build;
/// with waves also if it and the design without waves have different sources.
void require_current_rtl(const Params& params, bool waves);

/// `waves`: an FST file, or empty. Throws Error with the available sets for other parameters.
std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves = {});

/// The same design with values() and before_edge(), which is slow. Throws Error for other
/// configurations than small, for waves, and if its sources differ from those of make_rtl_top().
std::unique_ptr<RtlTop> make_watched_rtl_top(const Params& params, const std::string& waves = {});

}  // namespace mxe::rtl
