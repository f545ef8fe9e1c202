// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mxe {

/// The clocks inside a Verilated design that a simulation may hold still (rtl/mxe_clocks.vlt).
/// Nothing in the scheduler of Verilator runs for a clock that does not change.
class HeldClocks {
 public:
  /// `design` is of a class that Verilator made; its header NAME__Syms.h must have been included.
  /// Refers to the design, which must outlive it.
  template <class Design>
  explicit HeldClocks(Design& design) {
    find(*design.rootp->vlSymsp, 0);
  }

  /// Holds them low from now on, or lets them follow the design's clock again. Returns whether they
  /// are held: not every design has any.
  bool hold(bool held) {
    for (uint8_t* enable : enables_) *enable = held;
    return held && !enables_.empty();
  }

 private:
  // Verilator gives what may be forced an enable and a value, and shows them to nobody but C++.
  template <class Scopes>
  auto find(Scopes& scopes, int)
      -> decltype(scopes.TOP__mxe_top__DOT__u_cmd.clk_i__VforceEn,
                  scopes.TOP__mxe_top__DOT__u_datapath.clk_i__VforceEn, void()) {
    add(scopes.TOP__mxe_top__DOT__u_cmd.clk_i__VforceEn,
        scopes.TOP__mxe_top__DOT__u_cmd.clk_i__VforceVal);
    add(scopes.TOP__mxe_top__DOT__u_datapath.clk_i__VforceEn,
        scopes.TOP__mxe_top__DOT__u_datapath.clk_i__VforceVal);
  }
  template <class Scopes>
  void find(Scopes&, long) {}  // another design

  void add(uint8_t& enable, uint8_t& value) {
    enable = value = 0;
    enables_.push_back(&enable);
  }

  std::vector<uint8_t*> enables_;
};

}  // namespace mxe
