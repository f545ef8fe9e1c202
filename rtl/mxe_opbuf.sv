// SPDX-License-Identifier: Apache-2.0
// Operand buffer: BANKS banks of LINES rows (A) or columns (B), each of WORDS operand words, with
// the scales beside them. Words arrive from the unpacker, 4-bit ones that do not run at the dual
// rate two at a time; a bank is full when the last word of its last row fetch has been written, and
// empty again when it is released. READ_LINES neighbouring lines are read at a time, 1 or 2.
//
// So that two words of a line can be written in one clock, and one word of each of two lines read,
// words lie in two memories: those of even lines and words and of odd lines and words in the first,
// the others in the second.
`include "mxe_assert.svh"
`default_nettype none
module mxe_opbuf #(
  parameter int unsigned BANKS      = 2,
  parameter int unsigned LINES      = 32,
  parameter int unsigned WORDS      = 32,
  parameter int unsigned READ_LINES = 1,
  parameter int unsigned BANK_AW    = $clog2(BANKS),
  parameter int unsigned LINE_AW    = (LINES > 1) ? $clog2(LINES) : 1,
  parameter int unsigned WORD_AW    = (WORDS > 1) ? $clog2(WORDS) : 1
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  clear_i,
  input  mxe_pkg::fmt_info_t                    fmt_i,
  input  logic                                  dual_i,
  // words from the unpacker
  input  logic                                  elem_valid_i,
  input  logic                                  scale_valid_i,
  input  logic [BANK_AW-1:0]                    bank_i,
  input  logic [LINE_AW-1:0]                    line_i,
  input  logic [WORD_AW-1:0]                    index_i,
  input  logic [mxe_pkg::WORD_W-1:0]            data_i,
  input  logic                                  last_i,      // last word of the bank's last fetch
  // read, of rline_i and the lines behind it: data one clock later
  input  logic                                  re_i,
  input  logic [BANK_AW-1:0]                    rbank_i,
  input  logic [LINE_AW-1:0]                    rline_i,     // even if READ_LINES is 2
  input  logic [WORD_AW-1:0]                    rword_i,
  output logic [READ_LINES*mxe_pkg::WORD_W-1:0] rword_o,
  output logic [READ_LINES*16-1:0]              rscale_o,    // {odd block, even block} of each
  // banks
  input  logic                                  release_i,
  input  logic [BANK_AW-1:0]                    release_bank_i,
  output logic [BANKS-1:0]                      full_o
);
  // ---------------------------------------------------------------- words
  logic                       pair;         // data_i has two words
  logic [mxe_pkg::WORD_W-1:0] lanes;        // of data_i if it were one
  logic [mxe_pkg::WORD_W-1:0] first, second;
  assign pair = fmt_i.is4 & ~dual_i;
  mxe_expand u_expand (.packed_i(data_i), .fmt_i(fmt_i), .lanes_o(lanes));
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
    assign first[8*i +: 8]  = {pair ? 4'd0 : lanes[8*i+4 +: 4], lanes[8*i +: 4]};
    assign second[8*i +: 8] = {4'd0, lanes[8*i+4 +: 4]};
  end

  logic [WORD_AW-1:0] word;                 // the first one's place in the line
  logic               odd, rodd, rodd_q;    // the memory of the first word; of the first read
  assign word = pair ? (index_i << 1) : index_i;
  assign odd  = line_i[0] ^ word[0];
  assign rodd = rline_i[0] ^ rword_i[0];
  always_ff @(posedge clk_i) if (re_i) rodd_q <= rodd;

  localparam int unsigned HalfAw = BANK_AW + LINE_AW + WORD_AW - 1;
  logic [2*mxe_pkg::WORD_W-1:0] halves;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic               mine;               // the first word belongs here
    logic               behind;             // so does the word of the line behind rline_i
    logic [LINE_AW-1:0] rline;
    assign mine   = (odd == 1'(h));
    assign behind = (READ_LINES == 2) && (rodd != 1'(h));
    assign rline  = rline_i | LINE_AW'(behind);
    mxe_ram #(.WIDTH(mxe_pkg::WORD_W), .DEPTH(1 << HalfAw)) u_words (
      .clk_i   (clk_i),
      .we_i    (elem_valid_i & (mine | pair)),
      .waddr_i (HalfAw'({bank_i, line_i, word} >> 1)),
      .wdata_i (mine ? first : second),
      .re_i    (re_i & ((READ_LINES == 2) | (rodd == 1'(h)))),
      .raddr_i (HalfAw'({rbank_i, rline, rword_i} >> 1)),
      .rdata_o (halves[mxe_pkg::WORD_W*h +: mxe_pkg::WORD_W])
    );
  end

  // ---------------------------------------------------------------- scales
  // At the dual rate each word has two. A memory word has as many of them as arrive at a time.
  localparam int unsigned Most = 2 * WORDS;
  localparam int unsigned ScaleBytes = (Most > 16) ? 32 : (Most > 8) ? 16 : 8;
  localparam int unsigned SelW = $clog2(ScaleBytes);
  localparam int unsigned IndexW = $clog2((Most + ScaleBytes - 1) / ScaleBytes);
  localparam int unsigned ScaleAw = BANK_AW + LINE_AW - (READ_LINES - 1) + IndexW;

  // The byte position of the word's scale: word, or 2 * word at the dual rate.
  localparam int unsigned PosW = WORD_AW + 1 + SelW;
  logic [PosW-1:0]    scale_pos;
  logic [SelW-1:0]    scale_sel_q;
  logic [ScaleAw-1:0] scale_waddr, scale_raddr;
  logic [BANK_AW+LINE_AW-1:0] line_addr, rline_addr;
  assign line_addr  = {bank_i, line_i};
  assign rline_addr = {rbank_i, rline_i};
  assign scale_pos  = dual_i ? (PosW'(rword_i) << 1) : PosW'(rword_i);
  if (IndexW > 0) begin : gen_scale_words
    assign scale_waddr = {line_addr[BANK_AW+LINE_AW-1:READ_LINES-1], index_i[IndexW-1:0]};
    assign scale_raddr = {rline_addr[BANK_AW+LINE_AW-1:READ_LINES-1], scale_pos[SelW +: IndexW]};
  end else begin : gen_scale_word
    assign scale_waddr = line_addr[BANK_AW+LINE_AW-1:READ_LINES-1];
    assign scale_raddr = rline_addr[BANK_AW+LINE_AW-1:READ_LINES-1];
  end
  always_ff @(posedge clk_i) if (re_i) scale_sel_q <= scale_pos[SelW-1:0];

  for (genvar r = 0; r < READ_LINES; r++) begin : gen_read
    logic [8*ScaleBytes-1:0] scale_word;
    mxe_ram #(.WIDTH(8 * ScaleBytes), .DEPTH(1 << ScaleAw)) u_scales (
      .clk_i   (clk_i),
      .we_i    (scale_valid_i & ((READ_LINES == 1) | (line_i[0] == 1'(r)))),
      .waddr_i (scale_waddr),
      .wdata_i (data_i[8*ScaleBytes-1:0]),
      .re_i    (re_i),
      .raddr_i (scale_raddr),
      .rdata_o (scale_word)
    );
    assign rscale_o[16*r +: 16] = {scale_word[{scale_sel_q[SelW-1:1], 4'b1000} +: 8],
                                   scale_word[{scale_sel_q, 3'b000} +: 8]};
    assign rword_o[mxe_pkg::WORD_W*r +: mxe_pkg::WORD_W] =
        (rodd_q ^ 1'(r)) ? halves[mxe_pkg::WORD_W +: mxe_pkg::WORD_W]
                         : halves[0 +: mxe_pkg::WORD_W];
  end

  logic unused_bits;
  assign unused_bits = &{1'b0, scale_pos, line_addr, rline_addr};

  // ---------------------------------------------------------------- banks
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
  `MXE_REQUIRE(opbuf_reads_lines_from_an_even_one, !re_i || (READ_LINES == 1) || !rline_i[0])
  `MXE_REQUIRE(opbuf_scales_of_a_line, !scale_valid_i || (32'(index_i) < (1 << IndexW)))
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
endmodule
`default_nettype wire
