// SPDX-License-Identifier: Apache-2.0
// Bias buffer: two banks, each one tile of C as FP32. Written in 32-byte words of 8 FP32 or 16 BF16
// values; read one row of NUM_PE values at a time.
`include "mxe_assert.svh"
`default_nettype none
module mxe_cbuf #(
  parameter int unsigned NUM_PE = 8,
  parameter int unsigned ROWS   = 32,
  parameter int unsigned ROW_AW = $clog2(ROWS),
  parameter int unsigned SEG_PE = mxe_pkg::FP32_PER_WORD,
  parameter int unsigned SEG_AW = (NUM_PE > SEG_PE) ? $clog2(NUM_PE / SEG_PE) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  input  logic                        bf16_i,
  input  logic                        valid_i,
  input  logic                        bank_i,
  input  logic [ROW_AW-1:0]           row_i,
  input  logic [SEG_AW-1:0]           index_i,
  input  logic [255:0]                data_i,
  input  logic                        last_i,
  input  logic                        re_i,
  input  logic                        rbank_i,
  input  logic [ROW_AW-1:0]           rrow_i,
  output logic [NUM_PE*32-1:0]        rdata_o,    // one cycle after re_i; zero in all other cycles
  input  logic                        release_i,
  output logic [1:0]                  full_o
);
  localparam int unsigned SegPe = (NUM_PE < SEG_PE) ? NUM_PE : SEG_PE;
  localparam int unsigned Segs = NUM_PE / SegPe;

  // A BF16 value becomes FP32 by appending 16 zeros, so the halves of a word fill two segments.
  logic [255:0] low, high;
  for (genvar i = 0; i < SEG_PE; i++) begin : gen_value
    assign low[32*i +: 32]  = bf16_i ? {data_i[16*i +: 16], 16'd0} : data_i[32*i +: 32];
    assign high[32*i +: 32] = bf16_i ? {data_i[128 + 16*i +: 16], 16'd0} : data_i[32*i +: 32];
  end

  logic read_q;
  always_ff @(posedge clk_i) read_q <= re_i;
  for (genvar s = 0; s < Segs; s++) begin : gen_seg
    logic [32*SegPe-1:0] word, rdata;
    assign word = (s % 2 == 1) ? high[32*SegPe-1:0] : low[32*SegPe-1:0];
    mxe_ram #(.WIDTH(32 * SegPe), .DEPTH(2 * ROWS)) u_seg (
      .clk_i   (clk_i),
      .we_i    (valid_i & (index_i == (bf16_i ? SEG_AW'(s / 2) : SEG_AW'(s)))),
      .waddr_i ({bank_i, row_i}),
      .wdata_i (word),
      .re_i    (re_i),
      .raddr_i ({rbank_i, rrow_i}),
      .rdata_o (rdata)
    );
    assign rdata_o[32*SegPe*s +: 32*SegPe] = read_q ? rdata : '0;
  end

  logic [1:0] full_q, set, unset;
  assign set   = {2{valid_i & last_i}} & {bank_i, ~bank_i};
  assign unset = {2{release_i}} & {rbank_i, ~rbank_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 2'b00;
    else if (clear_i) full_q <= 2'b00;
    else full_q <= (full_q | set) & ~unset;
  end
  assign full_o = full_q;

  `MXE_ASSERT(cbuf_no_write_to_full, !valid_i || !full_q[bank_i])
  `MXE_REQUIRE(cbuf_word_of_row, !valid_i || 32'(index_i) < (bf16_i ? (Segs + 1) / 2 : Segs))

  logic unused_bits;
  assign unused_bits = &{1'b0, data_i, low, high};
endmodule
`default_nettype wire
