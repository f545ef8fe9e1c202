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
  parameter int unsigned LEN_W       = 11,
  parameter int unsigned TAG_W       = 10,
  parameter int unsigned IDX_W       = 5
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        run_i,
  input  mxe_pkg::job_t               job_i,
  // requests for row fetches: descriptor, bias, B, A
  input  logic [3:0]                  req_valid_i,
  input  logic [4*LEN_W-1:0]          req_bytes_i,
  input  logic [4*TAG_W-1:0]          req_tag_i,
  // oldest outstanding row fetch
  input  logic                        fetch_used_i,
  input  logic [LEN_W-1:0]            fetch_bytes_i,
  input  logic [TAG_W-1:0]            fetch_tag_i,
  input  logic                        word_valid_i,
  input  logic [TAG_W-1:0]            word_tag_i,
  input  logic [IDX_W-1:0]            word_index_i,
  // rows of results, and the completion record
  input  logic                        row_valid_i,
  input  logic                        row_half_i,
  input  logic [LEN_W-1:0]            row_bytes_i,
  input  logic                        rec_valid_i,
  input  logic [LEN_W-1:0]            rec_bytes_i,
  input  logic                        pass_valid_i,
  input  logic [$clog2(ROWS):0]       pass_rows_i,
  input  logic [$clog2(NUM_PE+1)-1:0] pass_cols_i
);
  localparam int unsigned DescB = mxe_reg_pkg::DESC_W / 8;
  `MXE_ASSERT(top_desc_bytes, !req_valid_i[0] || (req_bytes_i[LEN_W-1:0] == LEN_W'(DescB)))
  `MXE_ASSERT(top_bias_bytes, !req_valid_i[1] || (32'(req_bytes_i[LEN_W*1 +: LEN_W]) <= 4 * NUM_PE))
  mxe_pkg::tag_t f_b_tag, f_a_tag;
  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] f_chunk_shift;
  assign f_chunk_shift = mxe_pkg::chunk_shift(ROWS, job_i.m);
  assign f_b_tag = req_tag_i[TAG_W*2 +: mxe_pkg::TAG_T_W];
  assign f_a_tag = req_tag_i[TAG_W*3 +: mxe_pkg::TAG_T_W];
  `MXE_ASSERT(top_b_bytes, !req_valid_i[2] || (32'(req_bytes_i[LEN_W*2 +: LEN_W]) <=
              ((f_b_tag.kind == mxe_pkg::TagBScale)
               ? 2 * SLAB_WORDS : 32 * SLAB_WORDS)))
  `MXE_ASSERT(top_a_bytes, !req_valid_i[3] || (32'(req_bytes_i[LEN_W*3 +: LEN_W]) <=
              ((f_a_tag.kind == mxe_pkg::TagAScale)
               ? 32'(2 * CHUNK_WORDS) << f_chunk_shift : 32'(32 * CHUNK_WORDS) << f_chunk_shift)))
  mxe_pkg::tag_t f_fetch_tag;
  logic [31:0]   f_most;
  assign f_fetch_tag = fetch_tag_i[mxe_pkg::TAG_T_W-1:0];
  always_comb begin
    case (f_fetch_tag.kind)
      mxe_pkg::TagDesc:   f_most = 32'(DescB);
      mxe_pkg::TagBias:   f_most = 32'(4 * NUM_PE);
      mxe_pkg::TagBElem:  f_most = 32'(32 * SLAB_WORDS);
      mxe_pkg::TagBScale: f_most = 32'(2 * SLAB_WORDS);
      mxe_pkg::TagAElem:  f_most = 32'(32 * CHUNK_WORDS) << f_chunk_shift;
      mxe_pkg::TagAScale: f_most = 32'(2 * CHUNK_WORDS) << f_chunk_shift;
      default:            f_most = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_fetch_bytes, !fetch_used_i || (32'(fetch_bytes_i) <= f_most))
  mxe_pkg::tag_t f_word_tag;
  logic [31:0]   f_words;
  assign f_word_tag = word_tag_i[mxe_pkg::TAG_T_W-1:0];
  always_comb begin
    case (f_word_tag.kind)
      mxe_pkg::TagDesc:   f_words = 32'(DescB / 32);
      mxe_pkg::TagBias:   f_words = 32'((4 * NUM_PE + 31) / 32);
      mxe_pkg::TagBElem:  f_words = 32'(SLAB_WORDS);
      mxe_pkg::TagBScale: f_words = 32'((2 * SLAB_WORDS + 31) / 32);
      mxe_pkg::TagAElem:  f_words = 32'(CHUNK_WORDS) << f_chunk_shift;
      mxe_pkg::TagAScale: f_words = 32'((2 * CHUNK_WORDS + 31) / 32) << f_chunk_shift;
      default:            f_words = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_words, !word_valid_i || (32'(word_index_i) < f_words))
  // A row of D of one tile, or a row's elements or scale of one MX block.
  `MXE_ASSERT(top_row_bytes, !row_valid_i || (32'(row_bytes_i) <=
              ((4 * NUM_PE > 32) ? 4 * NUM_PE : 32)))
  `MXE_ASSERT(top_half_row_bytes, !(row_valid_i && row_half_i) || (32'(row_bytes_i) <= 2 * NUM_PE))
  `MXE_ASSERT(top_record_bytes, !rec_valid_i || (rec_bytes_i == LEN_W'(16)))
  `MXE_ASSERT(top_pass_size, !pass_valid_i || ((pass_rows_i != '0) && (32'(pass_rows_i) <= ROWS) &&
              (pass_cols_i != '0) && (32'(pass_cols_i) <= NUM_PE)))
  `MXE_ASSERT(top_tail, !run_i || (job_i.tail_count != '0))

  logic unused_bits;
  assign unused_bits = &{1'b0, req_tag_i, fetch_tag_i, word_tag_i};
endmodule
`default_nettype wire
