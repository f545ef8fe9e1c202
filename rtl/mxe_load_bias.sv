// SPDX-License-Identifier: Apache-2.0
// Bias loader: requests the rows of C's tiles while banks of the bias buffer are free. A bias with
// stride 0 has one row, which is fetched once per tile.
`include "mxe_assert.svh"
`default_nettype none
module mxe_load_bias #(
  parameter int unsigned ROWS      = 32,
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ACC_TILES = 4
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  input  logic                     start_i,
  input  logic [mxe_pkg::TURN_W-1:0] turn_i,
  input  mxe_pkg::job_t            job_i,
  output mxe_pkg::fetch_t          req_o,
  input  logic                     req_ready_i,
  input  logic                     release_i,
  output logic                     busy_o
);
  logic               valid, fire, claim;
  mxe_pkg::matrix_t   matrix;
  mxe_pkg::tile_row_t row;
  logic [1:0]         free_q;
  logic               bank_q, taken_q;
  assign matrix.batch     = job_i.batch;
  assign matrix.m         = job_i.m;
  assign matrix.n         = job_i.n;
  assign matrix.addr      = job_i.c.addr;
  assign matrix.stride    = job_i.c.stride;
  assign matrix.two_bytes = job_i.c.bf16;
  assign matrix.one_row   = job_i.c.one_row;
  mxe_rows #(.ROWS(ROWS), .NUM_PE(NUM_PE), .ACC_TILES(ACC_TILES)) u_rows (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (clear_i),
    .start_i  (start_i & job_i.c.en),
    .matrix_i (matrix),
    .valid_o  (valid),
    .take_i   (fire),
    .row_o    (row)
  );
  logic [$clog2(NUM_PE+1)-1:0] cols;
  assign cols        = row.cols[$clog2(NUM_PE+1)-1:0];
  assign claim       = valid & ~taken_q & (free_q != 2'd0);
  assign busy_o      = valid;
  assign fire        = valid & taken_q & req_ready_i;
  assign req_o.valid = valid & taken_q;
  assign req_o.addr  = row.addr;
  assign req_o.bytes = job_i.c.bf16 ? mxe_pkg::BYTES_W'({cols, 1'b0})
                                    : mxe_pkg::BYTES_W'({cols, 2'b00});
  assign req_o.tag   = {row.row, turn_i, mxe_pkg::TagBias, mxe_pkg::BANK_W'(bank_q), row.last_row};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q  <= 2'd2;
      bank_q  <= 1'b0;
      taken_q <= 1'b0;
    end else if (clear_i) begin
      free_q  <= 2'd2;
      bank_q  <= 1'b0;
      taken_q <= 1'b0;
    end else begin
      free_q <= free_q + {1'b0, release_i} - {1'b0, claim};
      if (claim) taken_q <= 1'b1;
      if (fire & row.last_row) begin
        taken_q <= 1'b0;
        bank_q  <= ~bank_q;
      end
    end
  end

  `MXE_ASSERT(bias_banks_in_range, free_q <= 2'd2)
  // mxe_check rejects misaligned descriptors.
  `MXE_REQUIRE(bias_c_aligned, !valid || (!job_i.c.addr[0] && !job_i.c.stride[0] &&
               (job_i.c.bf16 || (!job_i.c.addr[1] && !job_i.c.stride[1]))))
endmodule
`default_nettype wire
