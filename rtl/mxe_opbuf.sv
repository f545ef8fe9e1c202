// SPDX-License-Identifier: Apache-2.0
// Operand buffer: BANKS banks of LINES rows (A) or columns (B), each of WORDS operand words, with
// the scales beside them, 8 to a memory word. Words arrive from the unpacker; a bank is full when
// the last word of its last row fetch has been written, and empty again when it is released.
`include "mxe_assert.svh"
`default_nettype none
module mxe_opbuf #(
  parameter int unsigned BANKS   = 2,
  parameter int unsigned LINES   = 32,
  parameter int unsigned WORDS   = 32,
  parameter int unsigned BANK_AW = $clog2(BANKS),
  parameter int unsigned LINE_AW = (LINES > 1) ? $clog2(LINES) : 1,
  parameter int unsigned WORD_AW = (WORDS > 1) ? $clog2(WORDS) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,
  input  mxe_pkg::fmt_info_t         fmt_i,
  input  logic                       dual_i,
  // words from the unpacker
  input  logic                       elem_valid_i,
  input  logic                       scale_valid_i,
  input  logic [BANK_AW-1:0]         bank_i,
  input  logic [LINE_AW-1:0]         line_i,
  input  logic [WORD_AW-1:0]         index_i,
  input  logic [mxe_pkg::WORD_W-1:0] data_i,
  input  logic                       last_i,      // last word of the bank's last fetch
  // read: data one clock later
  input  logic                       re_i,
  input  logic [BANK_AW-1:0]         rbank_i,
  input  logic [LINE_AW-1:0]         rline_i,
  input  logic [WORD_AW-1:0]         rword_i,
  output logic [mxe_pkg::WORD_W-1:0] rword_o,
  output logic [15:0]                rscale_o,    // {odd block, even block}
  // banks
  input  logic                       release_i,
  input  logic [BANK_AW-1:0]         release_bank_i,
  output logic [BANKS-1:0]           full_o
);
  // At the dual rate each word has two scales.
  localparam int unsigned ScaleWords = (2 * WORDS + 7) / 8;
  localparam int unsigned ScaleAw = (ScaleWords > 1) ? $clog2(ScaleWords) : 1;
  localparam int unsigned ScaleDepth = BANKS << (LINE_AW + ScaleAw);

  logic [mxe_pkg::WORD_W-1:0] lanes;
  mxe_expand u_expand (.packed_i(data_i), .fmt_i(fmt_i), .lanes_o(lanes));

  mxe_ram #(.WIDTH(mxe_pkg::WORD_W), .DEPTH(BANKS << (LINE_AW + WORD_AW))) u_words (
    .clk_i   (clk_i),
    .we_i    (elem_valid_i),
    .waddr_i ({bank_i, line_i, index_i}),
    .wdata_i (lanes),
    .re_i    (re_i),
    .raddr_i ({rbank_i, rline_i, rword_i}),
    .rdata_o (rword_o)
  );

  // The byte position of the word's scale: word, or 2 * word at the dual rate.
  logic [WORD_AW+3:0] scale_pos;
  logic [2:0]         scale_sel_q;
  logic [63:0]        scale_word;
  assign scale_pos = dual_i ? {3'b000, rword_i, 1'b0} : {4'b0000, rword_i};
  mxe_ram #(.WIDTH(64), .DEPTH(ScaleDepth)) u_scales (
    .clk_i   (clk_i),
    .we_i    (scale_valid_i),
    .waddr_i ({bank_i, line_i, index_i[ScaleAw-1:0]}),
    .wdata_i (data_i[63:0]),
    .re_i    (re_i),
    .raddr_i ({rbank_i, rline_i, scale_pos[3 +: ScaleAw]}),
    .rdata_o (scale_word)
  );
  always_ff @(posedge clk_i) if (re_i) scale_sel_q <= scale_pos[2:0];
  assign rscale_o = {scale_word[{scale_sel_q[2:1], 4'b1000} +: 8],
                     scale_word[{scale_sel_q, 3'b000} +: 8]};

  logic [BANKS-1:0] full_q, set, unset;
  assign set   = {BANKS{(elem_valid_i | scale_valid_i) & last_i}} & (BANKS'(1) << bank_i);
  assign unset = {BANKS{release_i}} & (BANKS'(1) << release_bank_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= '0;
    else if (clear_i) full_q <= '0;
    else full_q <= (full_q | set) & ~unset;
  end
  assign full_o = full_q;

  `MXE_REQUIRE(opbuf_no_write_to_full, !(elem_valid_i || scale_valid_i) || !full_q[bank_i])
  `MXE_REQUIRE(opbuf_format, !elem_valid_i || !(fmt_i.is4 && fmt_i.is6))
  `MXE_REQUIRE(opbuf_release_only_full, (unset & ~full_q) == '0)
`ifdef FORMAL
  `MXE_FORMAL_START
  // A bank is full from the last word of its last fetch until it is released.
  logic [BANKS-1:0] f_last_written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_last_written_q <= '0;
    else if (clear_i) f_last_written_q <= '0;
    else begin
      if ((elem_valid_i | scale_valid_i) & last_i) f_last_written_q[bank_i] <= 1'b1;
      if (release_i) f_last_written_q[release_bank_i] <= 1'b0;
    end
  end
  `MXE_ASSERT(opbuf_full_exact, full_q == f_last_written_q)
`endif

  logic unused_bits;
  assign unused_bits = &{1'b0, scale_pos};
endmodule
`default_nettype wire
