// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace mxe::rtl {

/// Clocks in a Verilated design that the simulation can stop, to save time (rtl/mxe_clocks.vlt).
class HeldClocks {
 public:
  /// `design` is a Verilated class (include its NAME__Syms.h before); it must outlive this.
  template <class Design>
  explicit HeldClocks(Design& design) {
    find(*design.rootp->vlSymsp, 0);
  }

  /// Holds the clocks low, or releases them. True if held; false if the design has no such clocks.
  bool hold(bool held) {
    for (uint8_t* enable : enables_) *enable = held;
    return held && !enables_.empty();
  }

 private:
  // Verilator provides an enable and a value for each forceable signal, in C++ only.
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
  void find(Scopes&, long) {}

  void add(uint8_t& enable, uint8_t& value) {
    enable = value = 0;
    enables_.push_back(&enable);
  }

  std::vector<uint8_t*> enables_;
};

}  // namespace mxe::rtl
