// SPDX-License-Identifier: Apache-2.0
// Assertions about sizes at the interfaces between the blocks of the datapath; the read port and
// the write port size their counters accordingly. Simulation and proofs only; synthesis has no
// instance of this module.
`include "mxe_assert.svh"
`default_nettype none
module mxe_datapath_checks #(
  parameter int unsigned NUM_PE      = 8,
  parameter int unsigned ROWS        = 32,
  parameter int unsigned CHUNK_WORDS = 32,
  parameter int unsigned SLAB_WORDS  = 8,
  parameter int unsigned WORD_SCALES = 2  // most scales of an operand word
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        run_i,
  input  mxe_pkg::job_t               job_i,
  // requests for row fetches
  input  mxe_pkg::fetch_t             desc_req_i,
  input  mxe_pkg::fetch_t             bias_req_i,
  input  mxe_pkg::fetch_t             b_req_i,
  input  mxe_pkg::fetch_t             a_req_i,
  // oldest outstanding row fetch
  input  logic                        fetch_used_i,
  input  mxe_pkg::pending_t           fetch_i,
  input  mxe_pkg::word_t              word_i,
  input  mxe_pkg::row_t               results_i,
  input  mxe_pkg::row_t               record_i,
  input  logic                        pass_valid_i,
  input  logic [$clog2(ROWS):0]       pass_rows_i,
  input  logic [$clog2(NUM_PE+1)-1:0] pass_cols_i
);
  localparam int unsigned DescB = mxe_reg_pkg::DESC_W / 8;
  `MXE_ASSERT(top_desc_bytes, !desc_req_i.valid || (32'(desc_req_i.bytes) == DescB))
  `MXE_ASSERT(top_bias_bytes, !bias_req_i.valid || (32'(bias_req_i.bytes) <= 4 * NUM_PE))
  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] f_chunk_shift;
  assign f_chunk_shift = mxe_pkg::chunk_shift(ROWS, job_i.m);
  `MXE_ASSERT(top_b_bytes, !b_req_i.valid || (32'(b_req_i.bytes) <=
              ((b_req_i.tag.kind == mxe_pkg::TagBScale) ? WORD_SCALES * SLAB_WORDS : 32 * SLAB_WORDS)))
  `MXE_ASSERT(top_a_bytes, !a_req_i.valid || (32'(a_req_i.bytes) <=
              ((a_req_i.tag.kind == mxe_pkg::TagAScale)
               ? 32'(WORD_SCALES * CHUNK_WORDS) << f_chunk_shift : 32'(32 * CHUNK_WORDS) << f_chunk_shift)))
  logic [31:0] f_most;
  always_comb begin
    case (fetch_i.tag.kind)
      mxe_pkg::TagDesc:   f_most = 32'(DescB);
      mxe_pkg::TagBias:   f_most = 32'(4 * NUM_PE);
      mxe_pkg::TagBElem:  f_most = 32'(32 * SLAB_WORDS);
      mxe_pkg::TagBScale: f_most = 32'(WORD_SCALES * SLAB_WORDS);
      mxe_pkg::TagAElem:  f_most = 32'(32 * CHUNK_WORDS) << f_chunk_shift;
      mxe_pkg::TagAScale: f_most = 32'(WORD_SCALES * CHUNK_WORDS) << f_chunk_shift;
      default:            f_most = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_fetch_bytes, !fetch_used_i || (32'(fetch_i.bytes) <= f_most))
  logic [31:0] f_words;
  always_comb begin
    case (word_i.tag.kind)
      mxe_pkg::TagDesc:   f_words = 32'(DescB / 32);
      mxe_pkg::TagBias:   f_words = 32'((4 * NUM_PE + 31) / 32);
      mxe_pkg::TagBElem:  f_words = 32'(SLAB_WORDS);
      mxe_pkg::TagBScale: f_words = 32'((WORD_SCALES * SLAB_WORDS + 31) / 32);
      mxe_pkg::TagAElem:  f_words = 32'(CHUNK_WORDS) << f_chunk_shift;
      mxe_pkg::TagAScale: f_words = 32'((WORD_SCALES * CHUNK_WORDS + 31) / 32) << f_chunk_shift;
      default:            f_words = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_words, !word_i.valid || (32'(word_i.index) < f_words))
  // A row of D of one tile, or a row's elements or scale of one MX block.
  `MXE_ASSERT(top_row_bytes, !results_i.valid || (32'(results_i.bytes) <=
              ((4 * NUM_PE > 32) ? 4 * NUM_PE : 32)))
  `MXE_ASSERT(top_half_row_bytes, !(results_i.valid && results_i.half) ||
              (32'(results_i.bytes) <= 2 * NUM_PE))
  `MXE_ASSERT(top_record_bytes, !record_i.valid || (32'(record_i.bytes) == 16))
  `MXE_ASSERT(top_pass_size, !pass_valid_i || ((pass_rows_i != '0) && (32'(pass_rows_i) <= ROWS) &&
              (pass_cols_i != '0) && (32'(pass_cols_i) <= NUM_PE)))
  `MXE_ASSERT(top_tail, !run_i || (job_i.tail_count != '0))
endmodule
`default_nettype wire
