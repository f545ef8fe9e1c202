// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue, valid/ready on both sides, output straight from storage (no
// fall-through: a word can leave the clock after it entered).
`include "mxe_assert.svh"
`default_nettype none
module mxe_fifo #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 4  // a power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [WIDTH-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [WIDTH-1:0] data_o
);
  localparam int unsigned PtrW = $clog2(DEPTH);

  logic [WIDTH-1:0] mem [0:DEPTH-1];
  logic [PtrW-1:0]  wptr_q, rptr_q;
  logic [PtrW:0]    count_q;
  logic             push, pop;

  assign ready_o = (count_q != (PtrW+1)'(DEPTH));
  assign valid_o = (count_q != '0);
  assign data_o  = mem[rptr_q];
  assign push    = valid_i & ready_o;
  assign pop     = valid_o & ready_i;

  always_ff @(posedge clk_i) begin
    if (push) mem[wptr_q] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else if (clear_i) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) wptr_q <= wptr_q + PtrW'(1);
      if (pop) rptr_q <= rptr_q + PtrW'(1);
      count_q <= count_q + {{PtrW{1'b0}}, push} - {{PtrW{1'b0}}, pop};
    end
  end

  `MXE_ASSERT(fifo_count_in_range, count_q <= (PtrW+1)'(DEPTH))
endmodule
`default_nettype wire
