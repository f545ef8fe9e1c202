// SPDX-License-Identifier: Apache-2.0
// FIFO with valid/ready handshakes on both sides. No fall-through: a word can leave one cycle after
// it entered. The output is read directly from storage or, with HEAD, from a register.
`include "mxe_assert.svh"
`default_nettype none
module mxe_fifo #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 4,  // a power of two
  parameter bit          HEAD  = 1'b0
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
`ifdef FORMAL
  ,
  output logic [$clog2(DEPTH):0] f_count_o  // words stored, for proofs of enclosing modules
`endif
);
  localparam int unsigned PtrW = $clog2(DEPTH);

  logic [WIDTH-1:0] mem [0:DEPTH-1];
  logic [PtrW-1:0]  wptr_q, rptr_q;
  logic [PtrW:0]    count_q;
  logic             push, pop;

  assign ready_o = (count_q != (PtrW+1)'(DEPTH));
  assign valid_o = (count_q != '0);
  assign push    = valid_i & ready_o;
  assign pop     = valid_o & ready_i;

  always_ff @(posedge clk_i) begin
    if (push) mem[wptr_q] <= data_i;
  end

  if (HEAD) begin : gen_head
    logic [WIDTH-1:0] head_q;
    logic [PtrW-1:0]  rptr_next;
    logic             last;
    assign rptr_next = rptr_q + PtrW'(1);
    assign last      = (count_q <= (PtrW+1)'(1));
    always_ff @(posedge clk_i) begin
      if (pop | ~valid_o) head_q <= last ? data_i : mem[rptr_next];
    end
    assign data_o = head_q;
    `MXE_ASSERT(fifo_head_is_oldest, !valid_o || (head_q == mem[rptr_q]))
  end else begin : gen_no_head
    assign data_o = mem[rptr_q];
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
`ifdef FORMAL
`include "mxe_fifo.proof.svh"
`endif
endmodule
`default_nettype wire
