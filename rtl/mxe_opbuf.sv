// SPDX-License-Identifier: Apache-2.0
// Operand buffer: BANKS banks of LINES rows (A) or columns (B), each with WORDS words and their
// scales. A buffer word is one operand word or, with 4-bit elements at the single rate, two. A bank
// is full when the last word of its last row fetch has been written, and empty after its release.
// With split_i each bank serves as two banks of half the words, 2 * BANKS in total.
// With CAN_LEND, lines are 2 ** chunk_shift_i times as long and their number is divided by that
// factor. READ_LINES (1 or 2) neighbouring lines are read at a time, each from its own memory. With
// TWO_WORDS, two element words are written at a time into one wide memory word; the first has an
// even index.
`include "mxe_assert.svh"
`default_nettype none
module mxe_opbuf #(
  parameter int unsigned BANKS      = 2,
  parameter int unsigned LINES      = 32,
  parameter int unsigned WORDS      = 32,
  parameter int unsigned READ_LINES = 1,
  parameter bit          CAN_SPLIT  = 1'b0,
  parameter bit          CAN_LEND = 1'b0,
  parameter bit          TWO_WORDS  = 1'b0,
  parameter bit          NVFP4      = 1'b1,
  parameter int unsigned DATA_W     = TWO_WORDS ? 2 * mxe_pkg::WORD_W : mxe_pkg::WORD_W,
  parameter int unsigned BANK_AW    = $clog2(CAN_SPLIT ? 2 * BANKS : BANKS),
  parameter int unsigned LINE_AW    = (LINES > 1) ? $clog2(LINES) : 1,
  parameter int unsigned WORD_AW    = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int unsigned INDEX_W    = CAN_LEND ? WORD_AW + mxe_pkg::CHUNK_SHIFT_MAX : WORD_AW,
  parameter int unsigned SCALES_W   = NVFP4 ? 32 : 16
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic                                  clear_i,
  input  mxe_pkg::fmt_info_t                    fmt_i,
  input  logic                                  dual_i,
  input  logic [1:0]                            scale_shift_i,  // log2 of a word's blocks
  input  logic [1:0]                            coarse_i,       // log2 of the blocks that share a scale
  // a bank will be filled: blocks by which it begins behind its first scale
  input  logic                                  claim_i,
  input  logic [BANK_AW-1:0]                    claim_bank_i,
  input  logic [1:0]                            claim_behind_i,
  input  logic                                  split_i,     // requires CAN_SPLIT
  input  logic [mxe_pkg::CHUNK_SHIFT_W-1:0]     chunk_shift_i,  // 0 without CAN_LEND
  input  logic                                  elem_valid_i,
  input  logic                                  scale_valid_i,
  input  logic [BANK_AW-1:0]                    bank_i,
  input  logic [LINE_AW-1:0]                    line_i,
  input  logic [INDEX_W-1:0]                    index_i,     // elements with TWO_WORDS: of the pair
  input  logic [DATA_W-1:0]                     data_i,
  input  logic                                  last_i,      // last word of the bank's last fetch
  // read READ_LINES lines from rline_i on: data one cycle later
  input  logic                                  re_i,
  input  logic [BANK_AW-1:0]                    rbank_i,
  input  logic [LINE_AW-1:0]                    rline_i,     // even if READ_LINES is 2
  input  logic [INDEX_W:0]                      rword_i,
  output logic [READ_LINES*mxe_pkg::WORD_W-1:0] rword_o,
  // of each line: {odd block, even block}; NVFP4: the blocks of 16 in the order of K
  output logic [READ_LINES*SCALES_W-1:0]        rscale_o,
  input  logic                                  release_i,
  input  logic [BANK_AW-1:0]                    release_bank_i,
  output logic [(1<<BANK_AW)-1:0]               full_o
);
  // Bank, half of a split line (lowest bit of the bank number), and line index in its memory.
  localparam int unsigned WholeAw = $clog2(BANKS);
  logic [WholeAw-1:0] bank, rbank;
  logic               half, rhalf;
  if (CAN_SPLIT) begin : gen_split
    assign bank  = split_i ? bank_i[BANK_AW-1:1] : bank_i[WholeAw-1:0];
    assign rbank = split_i ? rbank_i[BANK_AW-1:1] : rbank_i[WholeAw-1:0];
    assign half  = split_i & bank_i[0];
    assign rhalf = split_i & rbank_i[0];
  end else begin : gen_whole
    assign bank  = bank_i;
    assign rbank = rbank_i;
    assign half  = 1'b0;
    assign rhalf = 1'b0;
  end
  localparam int unsigned BankLinesAw = LINE_AW - (READ_LINES - 1);
  logic [LINE_AW-1:0] line, rline;
  assign line  = line_i >> (READ_LINES - 1);
  assign rline = rline_i >> (READ_LINES - 1);

  logic               pair;
  logic               second_q;
  localparam int unsigned PlaceW = BankLinesAw + WORD_AW;  // address bits within a bank
  localparam int unsigned PlaceAw = PlaceW - (TWO_WORDS ? 1 : 0);  // in memory words
  logic [INDEX_W-1:0] rword;
  logic [PlaceW-1:0]  place, rplace;
  assign pair   = fmt_i.is4 & ~dual_i;
  assign rword  = pair ? rword_i[INDEX_W:1] : rword_i[INDEX_W-1:0];
  assign place  = (PlaceW'(line) << WORD_AW << chunk_shift_i) | (PlaceW'(index_i) << TWO_WORDS) |
                  (PlaceW'(half) << (WORD_AW - 1));
  assign rplace = (PlaceW'(rline) << WORD_AW << chunk_shift_i) | PlaceW'(rword) |
                  (PlaceW'(rhalf) << (WORD_AW - 1));
  always_ff @(posedge clk_i) if (re_i) second_q <= pair & rword_i[0];

  // Scales: two per operand word at the dual rate, with NVFP4 four, else half of that. A memory word
  // holds those of a line, at most 32.
  // With CAN_SPLIT it has two parts: of a whole line, one for each half of a split line.
  localparam int unsigned Most = (NVFP4 ? 4 : 2) * WORDS;
  localparam int unsigned ScaleBytes = (Most > 32) ? 32 : Most;
  localparam int unsigned SelW = $clog2(ScaleBytes);
  localparam int unsigned IndexW = $clog2(Most / ScaleBytes);
  localparam int unsigned MostW = $clog2(Most);
  localparam int unsigned ScaleAw = BankLinesAw + IndexW;
  localparam int unsigned Parts = CAN_SPLIT ? 2 : 1;
  localparam int unsigned PartW = 8 * ScaleBytes / Parts;

  // Byte position of the word's first scale. Example: 4 blocks share a scale, the bank begins behind
  // 2 of them: words 0 and 1 have scale 0, words 2 to 5 scale 1.
  localparam int unsigned PosW = INDEX_W + 1 + (NVFP4 ? 1 : 0);
  logic [2*(1<<BANK_AW)-1:0]    behind_q;
  logic [PosW-1:0]              scale_pos;
  logic [SelW-1:0]              scale_sel_q;
  logic [ScaleAw+SelW-1:0]      scale_byte, rscale_byte;
  logic [WholeAw+ScaleAw-1:0]   scale_waddr, scale_raddr;
  always_ff @(posedge clk_i) if (claim_i) behind_q[2*claim_bank_i +: 2] <= claim_behind_i;
  assign scale_pos   = ((PosW'(rword_i) << scale_shift_i) + PosW'(behind_q[2*rbank_i +: 2])) >> coarse_i;
  assign scale_byte  = ((ScaleAw+SelW)'(line) << MostW << chunk_shift_i) |
                       ((ScaleAw+SelW)'(index_i) << SelW) | ((ScaleAw+SelW)'(half) << (MostW - 1));
  assign rscale_byte = ((ScaleAw+SelW)'(rline) << MostW << chunk_shift_i) |
                       (ScaleAw+SelW)'(scale_pos) | ((ScaleAw+SelW)'(rhalf) << (MostW - 1));
  assign scale_waddr = (WholeAw+ScaleAw)'({bank, scale_byte} >> SelW);
  assign scale_raddr = (WholeAw+ScaleAw)'({rbank, rscale_byte} >> SelW);
  always_ff @(posedge clk_i) if (re_i) scale_sel_q <= rscale_byte[SelW-1:0];

  for (genvar r = 0; r < READ_LINES; r++) begin : gen_read
    logic                       mine;
    logic [DATA_W-1:0]          read;
    logic [mxe_pkg::WORD_W-1:0] word, lanes;
    logic [8*ScaleBytes-1:0]    scale_word;
    assign mine = (READ_LINES == 1) || (line_i[0] == 1'(r));
    mxe_ram #(.WIDTH(DATA_W), .DEPTH(1 << (WholeAw + PlaceAw))) u_words (
      .clk_i   (clk_i),
      .we_i    (elem_valid_i & mine),
      .waddr_i ({bank, place[PlaceW-1 -: PlaceAw]}),
      .wdata_i (data_i),
      .re_i    (re_i),
      .raddr_i ({rbank, rplace[PlaceW-1 -: PlaceAw]}),
      .rdata_o (read)
    );
    if (TWO_WORDS) begin : gen_two
      logic odd_q;
      always_ff @(posedge clk_i) if (re_i) odd_q <= rplace[0];
      assign word = odd_q ? read[mxe_pkg::WORD_W +: mxe_pkg::WORD_W] : read[0 +: mxe_pkg::WORD_W];
    end else begin : gen_one
      assign word = read;
    end
    mxe_expand u_expand (.packed_i(word), .fmt_i(fmt_i), .lanes_o(lanes));
    for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_lane
      assign rword_o[mxe_pkg::WORD_W*r + 8*i +: 8] =
          pair ? {4'd0, second_q ? lanes[8*i+4 +: 4] : lanes[8*i +: 4]} : lanes[8*i +: 8];
    end

    for (genvar p = 0; p < Parts; p++) begin : gen_part
      logic to_half;  // write only one part, with the first scales that arrive
      assign to_half = (IndexW == 0) & split_i;
      mxe_ram #(.WIDTH(PartW), .DEPTH(1 << (WholeAw + ScaleAw))) u_scales (
        .clk_i   (clk_i),
        .we_i    (scale_valid_i & mine & (~to_half | (half == 1'(p)))),
        .waddr_i (scale_waddr),
        .wdata_i (to_half ? data_i[PartW-1:0] : data_i[PartW*p +: PartW]),
        .re_i    (re_i),
        .raddr_i (scale_raddr),
        .rdata_o (scale_word[PartW*p +: PartW])
      );
    end
    for (genvar i = 0; i < SCALES_W / 8; i++) begin : gen_scale
      // A scale that several blocks share is that of all blocks of the word.
      logic [SelW-1:0] sel;
      assign sel = scale_sel_q | (SelW'(i) & {SelW{coarse_i == 2'd0}});
      assign rscale_o[SCALES_W*r + 8*i +: 8] = scale_word[{sel, 3'b000} +: 8];
    end
  end

  logic unused_bits;
  assign unused_bits = &{1'b0, scale_byte, place[0]};

  localparam int unsigned MostBanks = 1 << BANK_AW;
  logic [MostBanks-1:0] full_q, set, unset;
  assign set   = {MostBanks{(elem_valid_i | scale_valid_i) & last_i}} & (MostBanks'(1) << bank_i);
  assign unset = {MostBanks{release_i}} & (MostBanks'(1) << release_bank_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= '0;
    else if (clear_i) full_q <= '0;
    else full_q <= (full_q | set) & ~unset;
  end
  assign full_o = full_q;

  `MXE_REQUIRE(opbuf_no_write_to_full, !(elem_valid_i || scale_valid_i) || !full_q[bank_i])
  `MXE_REQUIRE(opbuf_reads_lines_from_an_even_one, !re_i || (READ_LINES == 1) || !rline_i[0])
  `MXE_REQUIRE(opbuf_scales_of_a_line,
               !scale_valid_i || (32'(index_i) < (32'd1 << IndexW << chunk_shift_i)))
  `MXE_REQUIRE(opbuf_split_if_possible, !split_i || CAN_SPLIT)
  `MXE_REQUIRE(opbuf_format, !re_i || !(fmt_i.is4 && fmt_i.is6))
  `MXE_REQUIRE(opbuf_release_only_full, (unset & ~full_q) == '0)
`ifdef FORMAL
`include "mxe_opbuf.proof.svh"
`endif
endmodule
`default_nettype wire
