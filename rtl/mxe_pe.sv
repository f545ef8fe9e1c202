// SPDX-License-Identifier: Apache-2.0
// Processing element: one column of D. It holds a B word for the rows of a pass, multiplies every
// broadcast A word by it and accumulates into ROWS x ACC_TILES FP32 accumulators. With FP4_DUAL a
// second, narrow chain accumulates the odd blocks of 4-bit pairs. With NVFP4, the sum of a step of
// scaled blocks arrives two cycles later, in the first chain. mxe_array delays every control input to
// the stage that uses it.
`default_nettype none
module mxe_pe #(
  parameter int unsigned TREE_W    = 70,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter bit          NVFP4     = (TREE_W >= mxe_pkg::SCALED_SUM_W),
  parameter int unsigned ACC_DEPTH = 128,
  parameter int unsigned ACC_AW    = $clog2(ACC_DEPTH),
  parameter int unsigned SCALE_W   = mxe_pkg::b_scale_w(NVFP4)
) (
  input  logic                                     clk_i,
  input  logic                                     dual_i,
  input  logic                                     nvfp4_i,
  // B word: loaded into the shadow registers, taken over at the start of a pass. NVFP4: its scales
  // follow two cycles later.
  input  logic                                     b_load_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] b_dec_i,
  input  logic [mxe_pkg::FLAG_W-1:0]               b_flags_i,
  input  logic                                     b_swap_i,
  // {odd block, even block}; NVFP4: {one is NaN, decoded scales of four blocks}
  input  logic                                     b_scale_load_i,
  input  logic [SCALE_W-1:0]                       b_scale_i,
  input  logic                                     b_scale_swap_i,
  input  logic [mxe_pkg::LANES*mxe_pkg::DEC_W-1:0] a_dec_i,
  input  logic [mxe_pkg::FLAG_W-1:0]               a_flags_i,
  input  logic [31:0]                              a_scale_i,   // NVFP4: decoded, with B's; else zero
  input  logic signed [9:0]                        exp_even_i,  // XA - 254 + lsbA + lsbB + EXP_BIAS
  input  logic signed [9:0]                        exp_odd_i,
  input  logic [1:0]                               a_nan_i,     // A's scale is NaN: {odd, even}
  input  logic                                     acc_re_i,
  input  logic [ACC_AW-1:0]                        acc_raddr_i,
  input  logic                                     acc_first_i, // start from init_i (odd chain: 0)
  input  logic [31:0]                              init_i,
  input  logic                                     acc_we_i,
  input  logic [ACC_AW-1:0]                        acc_waddr_i,
  output logic [31:0]                              even_o,      // round stage
  output logic [31:0]                              odd_o
);
  localparam int unsigned VecW = mxe_pkg::LANES * mxe_pkg::DEC_W;

  logic [VecW-1:0]            b_dec_q, b_dec_shadow_q;
  logic [mxe_pkg::FLAG_W-1:0] b_flags_q, b_flags_shadow_q;
  logic [SCALE_W-1:0]         b_scale_q, b_scale_shadow_q;
  always_ff @(posedge clk_i) begin
    if (b_load_i) begin
      b_dec_shadow_q   <= b_dec_i;
      b_flags_shadow_q <= b_flags_i;
    end
    if (b_swap_i) begin
      b_dec_q   <= b_dec_shadow_q;
      b_flags_q <= b_flags_shadow_q;
    end
    if (b_scale_load_i) b_scale_shadow_q <= b_scale_i;
    if (b_scale_swap_i) b_scale_q <= b_scale_shadow_q;
  end

  // Scales of the blocks of 32, and of NVFP4.
  logic [15:0] b_scale;
  logic [31:0] b_nv_scale;
  logic        b_nv_nan;
  if (NVFP4) begin : gen_nvfp4
    assign b_scale    = {b_scale_q[15:8], b_scale_q[7:0] & {8{~nvfp4_i}}};
    assign b_nv_scale = b_scale_q[31:0];
    assign b_nv_nan   = b_scale_q[32] & nvfp4_i;
  end else begin : gen_no_nvfp4
    assign b_scale    = b_scale_q;
    assign b_nv_scale = '0;
    assign b_nv_nan   = 1'b0;
  end

  logic [TREE_W-1:0] sum;
  mxe_dot #(.TREE_W(TREE_W), .FP4_DUAL(FP4_DUAL), .NVFP4(NVFP4)) u_dot (
    .clk_i     (clk_i),
    .dual_i    (dual_i),
    .nvfp4_i   (nvfp4_i),
    .a_i       (a_dec_i),
    .b_i       (b_dec_q),
    .a_scale_i (a_scale_i),
    .b_scale_i (b_nv_scale),
    .sum_o     (sum)
  );

  logic [mxe_pkg::LANES-1:0] a_neg, b_neg;
  for (genvar i = 0; i < mxe_pkg::LANES; i++) begin : gen_sign
    assign a_neg[i] = a_dec_i[mxe_pkg::DEC_W*i];
    assign b_neg[i] = b_dec_q[mxe_pkg::DEC_W*i];
  end

  logic signed [9:0] exp_even;
  logic              nan_even, pinf, ninf;
  mxe_scale u_scale_even (
    .exp_base_i (exp_even_i),
    .a_nan_i    (a_nan_i[0] | b_nv_nan),
    .b_scale_i  (b_scale[7:0]),
    .a_neg_i    (a_neg),
    .a_flags_i  (a_flags_i),
    .b_neg_i    (b_neg),
    .b_flags_i  (b_flags_q),
    .exp_o      (exp_even),
    .nan_o      (nan_even),
    .pinf_o     (pinf),
    .ninf_o     (ninf)
  );

  // 4-bit elements have no specials, so the odd block needs only its scales. If K ends with an even
  // block, both odd scales read as zero, like everything beyond the end of a row.
  logic signed [9:0] exp_odd;
  logic              nan_odd;
  assign exp_odd = exp_odd_i + $signed({2'b00, b_scale[15:8]});
  assign nan_odd = a_nan_i[1] | (b_scale[15:8] == 8'hFF);

  // Delayed in parallel with the tree: multiply, tree 1, tree 2, combine.
  typedef struct packed {
    logic [9:0] exp_odd;
    logic       nan_odd;
    logic [9:0] exp_even;
    logic       nan_even;
    logic       pinf;
    logic       ninf;
  } spec_t;
  spec_t spec_q1, spec_q2, spec_q3, spec_q4;
  always_ff @(posedge clk_i) begin
    spec_q1 <= {exp_odd, nan_odd, exp_even, nan_even, pinf, ninf};
    spec_q2 <= spec_q1;
    spec_q3 <= spec_q2;
    spec_q4 <= spec_q3;
  end

  logic        first_q;
  always_ff @(posedge clk_i) first_q <= acc_first_i;

  logic                     pair;  // two chains
  logic signed [TREE_W-1:0] sum_even;
  logic [31:0]              acc_even;
  if (NVFP4) begin : gen_sum_even
    localparam int unsigned SumW = mxe_pkg::SCALED_SUM_W;
    logic sign;
    assign pair = dual_i & ~nvfp4_i;
    assign sign = nvfp4_i ? sum[SumW-1] : sum[mxe_pkg::PACK_POS-1];
    assign sum_even = {(dual_i | nvfp4_i) ? {(TREE_W-SumW){sign}} : sum[TREE_W-1:SumW],
                       pair ? {(SumW-mxe_pkg::PACK_POS){sign}} : sum[SumW-1:mxe_pkg::PACK_POS],
                       sum[mxe_pkg::PACK_POS-1:0]};
  end else begin : gen_sum_even
    assign pair = dual_i;
    assign sum_even = dual_i ? {{(TREE_W-mxe_pkg::PACK_POS){sum[mxe_pkg::PACK_POS-1]}},
                                sum[mxe_pkg::PACK_POS-1:0]} : sum;
    logic unused_nvfp4;
    assign unused_nvfp4 = &{1'b0, nvfp4_i};
  end
  mxe_ram #(.WIDTH(32), .DEPTH(ACC_DEPTH)) u_acc_even (
    .clk_i   (clk_i),
    .we_i    (acc_we_i),
    .waddr_i (acc_waddr_i),
    .wdata_i (even_o),
    .re_i    (acc_re_i),
    .raddr_i (acc_raddr_i),
    .rdata_o (acc_even)
  );
  mxe_facc #(.WIDTH(TREE_W), .BIAS(mxe_pkg::EXP_BIAS)) u_facc_even (
    .clk_i  (clk_i),
    .sum_i  (sum_even),
    .exp_i  (spec_q4.exp_even),
    .nan_i  (spec_q4.nan_even),
    .pinf_i (spec_q4.pinf),
    .ninf_i (spec_q4.ninf),
    .acc_i  (first_q ? init_i : acc_even),
    .acc_o  (even_o)
  );

  if (FP4_DUAL) begin : gen_odd
    localparam int unsigned OddW = mxe_pkg::DUAL_SUM_W;
    logic signed [OddW-1:0] sum_odd;
    logic [31:0]            acc_odd;
    assign sum_odd = sum[mxe_pkg::PACK_POS +: OddW];
    mxe_ram #(.WIDTH(32), .DEPTH(ACC_DEPTH)) u_acc_odd (
      .clk_i   (clk_i),
      .we_i    (acc_we_i & pair),
      .waddr_i (acc_waddr_i),
      .wdata_i (odd_o),
      .re_i    (acc_re_i & pair),
      .raddr_i (acc_raddr_i),
      .rdata_o (acc_odd)
    );
    mxe_facc #(.WIDTH(OddW), .BIAS(mxe_pkg::EXP_BIAS)) u_facc_odd (
      .clk_i  (clk_i),
      .sum_i  (sum_odd),
      .exp_i  (spec_q4.exp_odd),
      .nan_i  (spec_q4.nan_odd),
      .pinf_i (1'b0),
      .ninf_i (1'b0),
      .acc_i  (first_q ? 32'd0 : acc_odd),
      .acc_o  (odd_o)
    );
  end else begin : gen_no_odd
    logic unused_odd;
    assign unused_odd = &{1'b0, spec_q4.exp_odd, spec_q4.nan_odd, pair};
    assign odd_o = 32'd0;
  end
endmodule
`default_nettype wire
