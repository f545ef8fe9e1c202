// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/params/params.h"
#include "tb/rtl/rtl_signal.h"
#include "tb/rtl/rtl_value.h"

namespace mxe {

/// What an AXI4 address channel carries beside the burst itself.
struct AxiAttributes {
  uint8_t id = 0, lock = 0, cache = 0, prot = 0, qos = 0, region = 0;

  bool operator==(const AxiAttributes& other) const {
    return id == other.id && lock == other.lock && cache == other.cache && prot == other.prot &&
           qos == other.qos && region == other.region;
  }
  bool operator!=(const AxiAttributes& other) const { return !(*this == other); }
};

/// Input pins of mxe_top for one clock cycle. RtlTop itself drives clock and reset.
struct RtlInputs {
  // registers
  bool s_awvalid = false, s_wvalid = false, s_bready = false, s_arvalid = false, s_rready = false;
  uint32_t s_awaddr = 0, s_wdata = 0, s_araddr = 0;
  uint8_t s_wstrb = 0, s_awprot = 0, s_arprot = 0;
  // memory
  bool m_arready = false, m_rvalid = false, m_rlast = false, m_awready = false, m_wready = false;
  bool m_bvalid = false;
  uint8_t m_rresp = 0, m_bresp = 0, m_rid = 0, m_bid = 0;
  const uint8_t* m_rdata = nullptr;  ///< MEM_W / 8 bytes; null leaves the pins as they are
};

/// Output pins of mxe_top in the same cycle, before its clock edge.
struct RtlOutputs {
  // registers
  bool s_awready = false, s_wready = false, s_bvalid = false, s_arready = false, s_rvalid = false;
  uint8_t s_bresp = 0, s_rresp = 0;
  uint32_t s_rdata = 0;
  // memory
  bool m_arvalid = false, m_rready = false, m_awvalid = false, m_wvalid = false, m_wlast = false;
  bool m_bready = false;
  uint64_t m_araddr = 0, m_awaddr = 0;
  uint8_t m_arlen = 0, m_arsize = 0, m_arburst = 0, m_awlen = 0, m_awsize = 0, m_awburst = 0;
  AxiAttributes m_ar, m_aw;
  uint64_t m_wstrb = 0;
  const uint8_t* m_wdata = nullptr;  ///< MEM_W / 8 bytes, valid until the next cycle

  bool irq = false;
};

/// Whether an AXI response, of either port, is SLVERR or DECERR.
inline bool is_axi_error(uint8_t response) { return (response & 2) != 0; }

/// A simulated mxe_top at pin level: plain C++, no SystemC.
class RtlTop {
 public:
  virtual ~RtlTop() = default;

  virtual const Params& params() const = 0;
  /// Puts the design into reset for `cycles` clocks.
  virtual void reset(unsigned cycles) = 0;
  /// One clock cycle: applies `in`, lets it settle, reads `out`, then gives the rising edge. Throws
  /// mx::Error if an assertion of the design fails.
  virtual void cycle(const RtlInputs& in, RtlOutputs& out) = 0;
  /// The next cycle() is number `cycle` on the time axis of the waves, unless they are there
  /// already: the clock stood still until then.
  virtual void go_on_at(uint64_t /*cycle*/) {}
  /// Holds the clock of all but the registers and the counters still from the next cycle() on, or
  /// lets it run again. Returns whether it is held: not every design can.
  virtual bool hold(bool /*held*/) { return false; }
  /// Writes how often each line of the design ran, in Verilator's format; nothing unless it was
  /// built for that.
  virtual void write_line_coverage(const std::string& /*path*/) {}
  /// The registers inside the design that its build shows, by name; empty if it shows none.
  virtual std::vector<RtlSignal> signals() const { return {}; }
  /// The same, of any width, to be read only.
  virtual std::vector<RtlValue> values() const { return {}; }
  /// `action` is called in every clock cycle once everything has settled, right before the rising
  /// edge. A design that does not show its inside may ignore it.
  virtual void before_edge(std::function<void()> /*action*/) {}

  /// The simulated time in the unit of the design's recordings, 1 ps: 1000 a clock. 0 if it has
  /// none.
  virtual uint64_t time() const { return 0; }
};

/// Throws mx::Error unless make_rtl_top() can make this design, able to write waves if `waves`.
void require_rtl(const Params& params, bool waves);

/// Throws mx::Error unless that design is there and was built from the RTL as it is now
/// (load_design()), and, with waves, from the same RTL as the design without. Loads them.
void require_current_rtl(const Params& params, bool waves);

/// Makes the simulated design for `params`; `waves` is the path of an FST file, or empty for none.
/// Throws mx::Error naming the parameter sets that were built if this is not one of them.
std::unique_ptr<RtlTop> make_rtl_top(const Params& params, const std::string& waves = {});

/// The same design with RtlTop::values() and before_edge(), in the configuration small. It is
/// slow. Throws mx::Error for other parameters, for waves, and if it was built from other RTL than
/// the design that make_rtl_top() makes.
std::unique_ptr<RtlTop> make_watched_rtl_top(const Params& params, const std::string& waves = {});

}  // namespace mxe
