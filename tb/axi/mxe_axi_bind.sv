// SPDX-License-Identifier: Apache-2.0
// Checks the rules of mxe_axi_properties.sv at the pins of every mxe_top of a design.
bind mxe_top mxe_axi_properties #(
  .MEM_W        (MEM_W),
  .MAX_BURST    (MAX_BURST),
  .READ_BURSTS  (mxe_pkg::RD_BURSTS),
  .WRITE_BURSTS (mxe_pkg::WR_OUTSTANDING)
) u_axi_properties (.*);
