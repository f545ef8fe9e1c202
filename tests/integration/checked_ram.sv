// SPDX-License-Identifier: Apache-2.0
// mxe_ram with an assertion: no word is read in the cycle in which it is written, so the data that a memory macro returns
// then do not matter. It replaces rtl/mxe_ram.sv, as a file with macros does.
`default_nettype none
module mxe_ram #(
  parameter int unsigned WIDTH = 32,
  parameter int unsigned DEPTH = 64,
  parameter int unsigned ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic              clk_i,
  input  logic              we_i,
  input  logic [ADDR_W-1:0] waddr_i,
  input  logic [WIDTH-1:0]  wdata_i,
  input  logic              re_i,
  input  logic [ADDR_W-1:0] raddr_i,
  output logic [WIDTH-1:0]  rdata_o
);
  logic [WIDTH-1:0] mem [0:DEPTH-1];
  logic [WIDTH-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_q <= mem[raddr_i];
    ram_no_collision : assert (!(we_i && re_i && (waddr_i == raddr_i)));
  end

  assign rdata_o = rdata_q;
endmodule
`default_nettype wire
