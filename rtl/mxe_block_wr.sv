// SPDX-License-Identifier: Apache-2.0
// Writes encoded rows: the elements of one block of a row, then its scale. Order: down the rows of
// the stripe, then blocks along N, then stripes along M, then products. Requests run ahead of their
// data.
`include "mxe_assert.svh"
`default_nettype none
module mxe_block_wr #(
  parameter int unsigned SEG_W = 256
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  input  logic                     halt_i,       // issue no further requests
  input  logic                     start_i,
  input  mxe_pkg::result_t         result_i,
  // attributes of encoded rows, for the requests
  input  logic                     place_valid_i,
  output logic                     place_pop_o,
  input  logic                     row_last_i,
  input  logic                     cols_end_i,    // the row's block is the last one along N
  input  logic [5:0]               place_bytes_i, // bytes of the row's elements
  // data of the encoded rows
  input  logic                     row_valid_i,
  output logic                     row_pop_o,
  input  logic [5:0]               bytes_i,
  input  logic [7:0]               scale_i,
  input  logic [255:0]             elements_i,
  output mxe_pkg::write_t          write_o,
  input  logic                     row_ready_i,
  input  logic                     data_ready_i
`ifdef FORMAL
  ,
  output logic                     f_data_scale_o  // the data is a scale, not elements
`endif
);
  localparam int unsigned SegB = SEG_W / 8;
  localparam int unsigned SegQW = (SegB < 16) ? $clog2(32 / SegB) : 1;

  // Requests and data each alternate between elements and scale, independently of each other.
  logic             req_scale_q, data_scale_q, last_seg;
  logic [SegQW-1:0] seg_q;
  logic             requests;
  assign requests            = place_valid_i & ~halt_i;
  assign write_o.row.valid   = requests;
  assign write_o.row.bytes   = req_scale_q ? mxe_pkg::BYTES_W'(1)
                                           : mxe_pkg::BYTES_W'(place_bytes_i);
  assign write_o.row.half    = 1'b0;
  assign write_o.row.scale   = req_scale_q;
  assign write_o.row.record  = 1'b0;
  assign write_o.row.joins   = 1'b0;
  assign write_o.row.follows = 1'b0;
  assign write_o.data_valid  = row_valid_i;
  assign place_pop_o = requests & row_ready_i & req_scale_q;
  assign last_seg    = ((32'(seg_q) + 32'd1) * SegB >= 32'(bytes_i));
  assign row_pop_o   = row_valid_i & data_ready_i & data_scale_q;

  logic [SEG_W-1:0] elements;
  if (SEG_W >= 256) begin : gen_whole
    assign elements = SEG_W'(elements_i);
  end else begin : gen_parts
    assign elements = SEG_W'(elements_i >> (32'(seg_q) * SEG_W));
  end
  assign write_o.data = data_scale_q ? mxe_pkg::AXI_W'(scale_i) : mxe_pkg::AXI_W'(elements);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_scale_q  <= 1'b0;
      data_scale_q <= 1'b0;
      seg_q        <= '0;
    end else if (clear_i) begin
      req_scale_q  <= 1'b0;
      data_scale_q <= 1'b0;
      seg_q        <= '0;
    end else begin
      if (requests & row_ready_i) req_scale_q <= ~req_scale_q;
      if (row_valid_i & data_ready_i) begin
        if (data_scale_q) begin
          data_scale_q <= 1'b0;
        end else begin
          data_scale_q <= last_seg;
          seg_q        <= last_seg ? '0 : (seg_q + SegQW'(1));
        end
      end
    end
  end

  // Addresses of the stripe's first row and of the current row at column 0; offset of the block.
  logic [63:0] elem_stripe_q, elem_row_q, elem_next, scale_stripe_q, scale_row_q, scale_next;
  logic [31:0] elem_col_q, scale_col_q;
  logic [5:0]  word_bytes;
  assign word_bytes = mxe_pkg::word_bytes(result_i.fmt.is4, result_i.fmt.is6, 1'b0);
  assign elem_next  = elem_row_q + {32'd0, result_i.stride};
  assign scale_next = scale_row_q + {32'd0, result_i.scale_stride};
  assign write_o.row.addr = req_scale_q ? (scale_row_q + {32'd0, scale_col_q})
                                        : (elem_row_q + {32'd0, elem_col_q});
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      elem_stripe_q  <= result_i.addr;
      elem_row_q     <= result_i.addr;
      elem_col_q     <= '0;
      scale_stripe_q <= result_i.scale_addr;
      scale_row_q    <= result_i.scale_addr;
      scale_col_q    <= '0;
    end else if (place_pop_o) begin
      if (row_last_i & ~cols_end_i) begin
        elem_row_q  <= elem_stripe_q;
        elem_col_q  <= elem_col_q + {26'd0, word_bytes};
        scale_row_q <= scale_stripe_q;
        scale_col_q <= scale_col_q + 32'd1;
      end else begin
        elem_row_q  <= elem_next;
        scale_row_q <= scale_next;
      end
      if (row_last_i & cols_end_i) begin
        elem_stripe_q  <= elem_next;
        elem_col_q     <= '0;
        scale_stripe_q <= scale_next;
        scale_col_q    <= '0;
      end
    end
  end

`ifdef FORMAL
  assign f_data_scale_o = data_scale_q;
`endif
  `MXE_REQUIRE(block_row_size, !row_valid_i || ((bytes_i != '0) && (bytes_i <= 6'd32)))
  `MXE_REQUIRE(block_zero_beyond, !row_valid_i || ((elements_i >> {bytes_i, 3'b000}) == '0))
endmodule
`default_nettype wire
