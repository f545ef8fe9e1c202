// SPDX-License-Identifier: Apache-2.0
// Test top: the rows of C or D in the widest tiles that are allowed, with a pin for each field.
`default_nettype none
module rows_top (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [15:0] batch_i,
  input  logic [31:0] m_i,
  input  logic [31:0] n_i,
  input  logic [63:0] addr_i,
  input  logic [31:0] stride_i,
  input  logic        two_bytes_i,
  output logic        valid_o,
  input  logic        step_i,
  output logic [63:0] addr_o,
  output logic [7:0]  cols_o,
  output logic [7:0]  row_o
);
  mxe_pkg::matrix_t   matrix;
  mxe_pkg::tile_row_t row;
  assign matrix = {batch_i, m_i, n_i, addr_i, stride_i, two_bytes_i, 1'b0};
  assign addr_o = row.addr;
  assign cols_o = row.cols;
  assign row_o  = row.row;
  mxe_rows #(.ROWS(64), .NUM_PE(64), .ACC_TILES(16)) u_rows (
    .clk_i, .rst_ni, .clear_i(1'b0), .start_i, .matrix_i(matrix), .valid_o, .take_i(step_i),
    .row_o(row)
  );
endmodule
`default_nettype wire
