// SPDX-License-Identifier: Apache-2.0
// Collects the results of one stripe for one or two blocks of 32 columns (NUM_PE = 64: two) from
// one or more tiles, and finds the largest magnitude of each row of each block. Has two banks: one
// is filled while the other is encoded. Stores of each result only the bits that can change its
// element.
`default_nettype none
module mxe_collect #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned LANES_OUT = 8,
  parameter int unsigned ROW_AW    = $clog2(ROWS),
  parameter int unsigned COLS      = (NUM_PE > 32) ? NUM_PE : 32,
  parameter int unsigned SEG_AW    = $clog2(COLS / LANES_OUT)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   clear_i,
  // a segment of a tile's row; absent columns are zero
  input  logic                                   valid_i,
  input  logic [ROW_AW-1:0]                      row_i,
  input  logic [SEG_AW-1:0]                      seg_i,
  input  logic                                   last_i,    // last segment of the bank
  input  logic [LANES_OUT*32-1:0]                data_i,
  output logic                                   full_o,    // the bank's last magnitude is stored
  input  logic                                   re_i,
  input  logic                                   rbank_i,
  input  logic [ROW_AW-1:0]                      rrow_i,
  input  logic [SEG_AW-1:0]                      rseg_i,
  output logic [LANES_OUT*mxe_pkg::NARROW_W-1:0] rdata_o,   // narrow_t, one cycle after re_i
  output logic [mxe_pkg::AMAX_W-1:0]             ramax_o    // of the block, one cycle after re_i
`ifdef FORMAL
  ,
  output logic [2:0]                             f_lasts_o  // last segments up to full_o
`endif
);
  localparam int unsigned Blocks = COLS / 32;
  localparam int unsigned BlockAw = (Blocks > 1) ? $clog2(Blocks) : 0;
  localparam int unsigned SegsPerBlock = 32 / LANES_OUT;
  localparam int unsigned InBlockW = $clog2(SegsPerBlock);
  localparam int unsigned IdxW = 1 + ROW_AW + BlockAw;
  localparam int unsigned MaxLat = (LANES_OUT > 1) ? $clog2(LANES_OUT) : 1;

  logic bank_q;  // bank being filled
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bank_q <= 1'b0;
    else if (clear_i) bank_q <= 1'b0;
    else if (valid_i & last_i) bank_q <= ~bank_q;
  end

  localparam int unsigned NarrowW = mxe_pkg::NARROW_W;
  logic [LANES_OUT*NarrowW-1:0] narrow;
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_narrow
    mxe_narrow u_narrow (.x_i(data_i[32*i +: 32]), .narrow_o(narrow[NarrowW*i +: NarrowW]));
  end
  mxe_ram #(.WIDTH(LANES_OUT * NarrowW), .DEPTH(2 * ROWS * (COLS / LANES_OUT))) u_results (
    .clk_i   (clk_i),
    .we_i    (valid_i),
    .waddr_i ({bank_q, row_i, seg_i}),
    .wdata_i (narrow),
    .re_i    (re_i),
    .raddr_i ({rbank_i, rrow_i, rseg_i}),
    .rdata_o (rdata_o)
  );

  logic [mxe_pkg::AMAX_W-1:0] seg_amax;
  mxe_amax #(.LANES(LANES_OUT)) u_amax (.clk_i(clk_i), .x_i(data_i), .amax_o(seg_amax));

  // Delayed with the comparisons: where their result is stored.
  typedef struct packed {
    logic            last;
    logic            fresh;
    logic [IdxW-1:0] idx;
  } meta_t;
  meta_t                   meta_in, meta;
  localparam int unsigned MetaW = $bits(meta);
  logic [MaxLat-1:0]       valid_q;
  logic [MaxLat*MetaW-1:0] meta_q;
  logic [IdxW-1:0]         idx_in, ridx;
  if (Blocks > 1) begin : gen_blocks
    assign idx_in = {bank_q, row_i, seg_i[SEG_AW-1 -: BlockAw]};
    assign ridx   = {rbank_i, rrow_i, rseg_i[SEG_AW-1 -: BlockAw]};
  end else begin : gen_block
    assign idx_in = {bank_q, row_i};
    assign ridx   = {rbank_i, rrow_i};
  end
  assign meta_in = {last_i, seg_i[InBlockW-1:0] == '0, idx_in};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else valid_q <= MaxLat'({valid_q, valid_i});
  end
  always_ff @(posedge clk_i) meta_q <= (MaxLat*MetaW)'({meta_q, meta_in});

  logic store;
  assign store  = valid_q[MaxLat-1];
  assign meta   = meta_q[MetaW*(MaxLat-1) +: MetaW];
  assign full_o = store & meta.last;

  logic [mxe_pkg::AMAX_W-1:0] amax [0:(1<<IdxW)-1];
  logic [mxe_pkg::AMAX_W-1:0] old, ramax_q;
  assign old = amax[meta.idx];
  always_ff @(posedge clk_i) begin
    if (store) amax[meta.idx] <= (meta.fresh | (seg_amax > old)) ? seg_amax : old;
    if (re_i) ramax_q <= amax[ridx];
  end
  assign ramax_o = ramax_q;
`ifdef FORMAL
  always_comb begin
    f_lasts_o = '0;
    for (int i = 0; i < MaxLat; i++) begin
      f_lasts_o = f_lasts_o + {2'd0, valid_q[i] & meta_q[MetaW*i + MetaW - 1]};
    end
  end
`endif
endmodule
`default_nettype wire
