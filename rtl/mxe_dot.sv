// SPDX-License-Identifier: Apache-2.0
// Exact dot product of one block, or of two with dual_i: lanes in groups of four and their adder
// tree. Latency four cycles: multiply, tree 1, tree 2, combine. Sums stay in carry-save form until
// the final addition. With dual_i, sum_o has the even block's sum below bit PACK_POS and the odd
// block's from there on.
//
// With nvfp4_i, the sums of 16 products in the halves of the tree are multiplied by their scales, and
// the top of the tree adds them two cycles later: sum_o is the exact sum of a step.
`default_nettype none
module mxe_dot #(
  parameter int unsigned TREE_W   = 70,
  parameter bit          FP4_DUAL = 1'b1,
  parameter bit          NVFP4    = (TREE_W >= mxe_pkg::SCALED_SUM_W)
) (
  input  logic                                     clk_i,
  input  logic                                     dual_i,
  input  logic                                     nvfp4_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] a_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] b_i,
  // scales of NVFP4 (mxe_scale_e4m3), two cycles after the elements: of lanes 0 to 15 and 16 to 31 of
  // the even block, then of the odd one. Zero without nvfp4_i.
  input  logic [31:0]                              a_scale_i,
  input  logic [31:0]                              b_scale_i,
  output logic [TREE_W-1:0]                        sum_o
);
  localparam int unsigned Quads = mxe_pkg::LANES / 4;
  localparam int unsigned Words = Quads;  // of a half: two of each of its quads
  localparam int unsigned Last = 2 * (Words - 2);  // ones with a place in the tree of a half

  logic [2*Words*TREE_W-1:0] quad_words;
  logic [4*Quads-1:0]        quad_ones;
  for (genvar i = 0; i < Quads; i++) begin : gen_quad
    mxe_quad #(.WIDTH(TREE_W)) u_quad (
      .clk_i   (clk_i),
      .dual_i  (dual_i),
      .a_i     (a_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .b_i     (b_i[4*mxe_pkg::DEC_W*i +: 4*mxe_pkg::DEC_W]),
      .sum_o   (quad_words[TREE_W*(2*i) +: TREE_W]),
      .carry_o (quad_words[TREE_W*(2*i+1) +: TREE_W]),
      .ones_o  (quad_ones[4*i +: 4])
    );
  end
  logic [2*TREE_W-1:0] half_sum, half_carry;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    mxe_tree #(.WIDTH(TREE_W), .WORDS(Words)) u_half (
      .cut_i   (dual_i),
      .ones_i  (quad_ones[2*Quads*h +: Last]),
      .x_i     (quad_words[Words*TREE_W*h +: Words*TREE_W]),
      .sum_o   (half_sum[TREE_W*h +: TREE_W]),
      .carry_o (half_carry[TREE_W*h +: TREE_W])
    );
  end

  // The four words of the halves and the missing ones that have no place in their half.
  logic [7:0]          ones;
  logic [TREE_W-1:0]   last, join_sum, join_carry;
  logic [4*TREE_W-1:0] words, top;
  logic [3:0]          top_ones;
  logic                cut;
  assign ones = {quad_ones[2*Quads + Last +: 4], quad_ones[Last +: 4]};
  assign last = {{(TREE_W-mxe_pkg::PACK_POS-1){1'b0}}, dual_i & ones[7],
                 {(mxe_pkg::PACK_POS-1){1'b0}}, ones[6]};
  mxe_csa #(.WIDTH(TREE_W)) u_join (
    .cut_i   (dual_i),
    .ones_i  (ones[1:0]),
    .a_i     (half_sum[0 +: TREE_W]),
    .b_i     (half_carry[0 +: TREE_W]),
    .c_i     (half_sum[TREE_W +: TREE_W]),
    .sum_o   (join_sum),
    .carry_o (join_carry)
  );
  assign words = {last, half_carry[TREE_W +: TREE_W], join_carry, join_sum};

  if (NVFP4) begin : gen_nvfp4
    localparam int unsigned Blocks = FP4_DUAL ? 4 : 2;
    localparam int unsigned SumW = mxe_pkg::SCALED_SUM_W;
    logic [13*Blocks-1:0]   sums, carries;
    logic [2*Blocks-1:0]    block_ones;
    logic [SumW*Blocks-1:0] terms;
    for (genvar i = 0; i < Blocks; i++) begin : gen_block
      localparam int unsigned Bit = (i % 2) * TREE_W + (i / 2) * mxe_pkg::PACK_POS;
      assign sums[13*i +: 13]     = half_sum[Bit +: 13];
      assign carries[13*i +: 13]  = half_carry[Bit +: 13];
      assign block_ones[2*i +: 2] = {ones[4*(i%2) + 2 + i/2], ones[4*(i%2) + i/2]};
    end
    mxe_scaled_sum #(.BLOCKS(Blocks)) u_scaled (
      .clk_i     (clk_i),
      .sum_i     (sums),
      .carry_i   (carries),
      .ones_i    (block_ones),
      .a_scale_i (a_scale_i[0 +: 8*Blocks]),
      .b_scale_i (b_scale_i[0 +: 8*Blocks]),
      .terms_o   (terms)
    );
    // Without NVFP4, the scales of A are zero, and so the terms.
    for (genvar i = 0; i < 4; i++) begin : gen_word
      logic [SumW-1:0] term;
      if (i < Blocks) begin : gen_term
        assign term = terms[SumW*i +: SumW];
      end else begin : gen_none
        assign term = '0;
      end
      assign top[TREE_W*i +: TREE_W] = {words[TREE_W*i + SumW +: TREE_W - SumW],
                                        (words[TREE_W*i +: SumW] & {SumW{~nvfp4_i}}) | term};
    end
    assign top_ones = ones[5:2] & {4{~nvfp4_i}};
    assign cut      = dual_i & ~nvfp4_i;
    logic unused_scales;
    assign unused_scales = &{1'b0, a_scale_i, b_scale_i};
  end else begin : gen_mx
    assign top      = words;
    assign top_ones = ones[5:2];
    assign cut      = dual_i;
    logic unused_nvfp4;
    assign unused_nvfp4 = &{1'b0, nvfp4_i, a_scale_i, b_scale_i};
  end

  logic [TREE_W-1:0] tree_sum, tree_carry, tree_sum_q, tree_carry_q, sum_q;
  mxe_tree #(.WIDTH(TREE_W), .WORDS(4)) u_tree (
    .cut_i   (cut),
    .ones_i  (top_ones),
    .x_i     (top),
    .sum_o   (tree_sum),
    .carry_o (tree_carry)
  );

  // One more position between the two blocks passes the carry on, or ends it (cut).
  localparam int unsigned Pos = mxe_pkg::PACK_POS;
  logic [TREE_W:0] total;
  assign total = {tree_sum_q[TREE_W-1:Pos], ~cut, tree_sum_q[Pos-1:0]} +
                 {tree_carry_q[TREE_W-1:Pos], 1'b0, tree_carry_q[Pos-1:0]};
  always_ff @(posedge clk_i) begin
    tree_sum_q   <= tree_sum;
    tree_carry_q <= tree_carry;
    sum_q        <= {total[TREE_W:Pos+1], total[Pos-1:0]};
  end
  assign sum_o = sum_q;
  logic unused_bits;
  assign unused_bits = &{1'b0, total[Pos]};
endmodule
`default_nettype wire
