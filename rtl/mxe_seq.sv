// SPDX-License-Identifier: Apache-2.0
// Sequencer: runs the passes. A pass multiplies one A word per row by the PEs' B words, one row per
// cycle. It starts when its operands are present, its bias for a tile's first pass, and a free
// drain bank for the last pass. Passes of the same tile start at least MIN_PASS cycles apart, so
// that a row's accumulator has been written. Every cycle of a job without a row has exactly one
// cause (stall_*).
`include "mxe_assert.svh"
`default_nettype none
module mxe_seq #(
  parameter int unsigned ROWS        = 32,
  parameter int unsigned ACC_TILES   = 4,
  parameter int unsigned CHUNK_WORDS = 32,
  parameter int unsigned ROW_AW      = $clog2(ROWS),
  parameter int unsigned TILE_AW     = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1,
  parameter int unsigned CHUNK_AW    = $clog2(CHUNK_WORDS << mxe_pkg::CHUNK_SHIFT_MAX),
  parameter int unsigned ROWS_W      = $clog2(ROWS + 1)   // ROWS >= MIN_PASS
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                run_i,
  input  logic                bias_en_i,
  input  logic                pass_valid_i,
  output logic                pass_ready_o,
  input  logic [ROWS_W-1:0]   pass_rows_i,
  input  logic [TILE_AW-1:0]  pass_tile_i,
  input  logic [CHUNK_AW-1:0] pass_word_i,
  input  logic [6:0]          pass_count_i,
  input  logic                pass_first_i,
  input  logic                pass_last_i,
  input  logic                pass_a_done_i,
  input  logic                feed_wait_b_i,
  input  logic                feed_done_i,
  input  logic [1:0]          a_full_i,
  output logic                a_re_o,
  output logic                a_bank_o,
  output logic [ROW_AW-1:0]   a_row_o,
  output logic [CHUNK_AW-1:0] a_word_o,
  output logic                a_release_o,
  input  logic [1:0]          c_full_i,
  input  logic                c_skip_i,   // the drain has used a bank of C (ALPHA)
  input  logic                drain_release_i,
  output logic                row_valid_o,
  output logic [ROW_AW-1:0]   row_o,
  output logic [TILE_AW-1:0]  tile_o,
  output logic                pass_start_o,
  output logic                first_o,
  output logic                last_o,
  output logic                last_row_o,
  output logic                drain_bank_o,
  output logic [6:0]          count_o,
  // causes of a cycle without a row, at most one
  output logic                stall_a_o,
  output logic                stall_b_o,
  output logic                stall_c_o,
  output logic                stall_drain_o,
  output logic                stall_latency_o
);
  logic                busy_q;
  logic [ROWS_W-1:0]   cycle_q;      // cycles since the pass started
  logic [ROWS_W-1:0]   rows_q;
  logic [TILE_AW-1:0]  tile_q;
  logic [CHUNK_AW-1:0] word_q;
  logic [6:0]          count_q;
  logic                first_q, last_q, a_done_q;
  logic                a_bank_q, c_bank_q, d_bank_q;
  logic [1:0]          c_taken_q;    // bias banks of started passes, until they are released
  logic [1:0]          d_free_q;

  // Passes started in the last MIN_PASS - 1 cycles and their tiles; the newest is bit 0.
  localparam int unsigned Recent = mxe_pkg::MIN_PASS - 1;
  logic [Recent-1:0]         recent_q;
  logic [Recent*TILE_AW-1:0] recent_tile_q;
  logic                      acc_ready;
  always_comb begin
    acc_ready = 1'b1;
    for (int unsigned i = 0; i < Recent; i++) begin
      if (recent_q[i] & (recent_tile_q[TILE_AW*i +: TILE_AW] == pass_tile_i)) acc_ready = 1'b0;
    end
  end

  logic a_ready, c_ready, d_ready, start;
  assign a_ready = a_full_i[a_bank_q];
  assign c_ready = ~(pass_first_i & bias_en_i) | (c_full_i[c_bank_q] & ~c_taken_q[c_bank_q]);
  assign d_ready = ~pass_last_i | (d_free_q != 2'd0);
  assign start   = pass_valid_i & ~busy_q & acc_ready & a_ready & c_ready & d_ready;
  assign pass_ready_o = start;

  // Row issue: row 0 directly from the offered pass, the other rows from the registers.
  logic [ROWS_W-1:0] row, rows;
  assign row          = busy_q ? cycle_q : '0;
  assign rows         = busy_q ? rows_q : pass_rows_i;
  assign row_valid_o  = start | busy_q;
  assign row_o        = row[ROW_AW-1:0];
  assign last_row_o   = (row == rows - ROWS_W'(1));
  assign pass_start_o = start;
  assign tile_o       = busy_q ? tile_q : pass_tile_i;
  assign first_o      = busy_q ? first_q : pass_first_i;
  assign last_o       = busy_q ? last_q : pass_last_i;
  assign count_o      = busy_q ? count_q : pass_count_i;
  assign drain_bank_o = d_bank_q;

  assign a_re_o      = row_valid_o;
  assign a_bank_o    = a_bank_q;
  assign a_row_o     = row[ROW_AW-1:0];
  assign a_word_o    = busy_q ? word_q : pass_word_i;
  assign a_release_o = row_valid_o & last_row_o & (busy_q ? a_done_q : pass_a_done_i);


  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      cycle_q   <= '0;
      a_bank_q  <= 1'b0;
      c_bank_q  <= 1'b0;
      d_bank_q  <= 1'b0;
      d_free_q  <= 2'd2;
      recent_q  <= '0;
      c_taken_q <= 2'b00;
    end else if (clear_i) begin
      busy_q    <= 1'b0;
      cycle_q   <= '0;
      a_bank_q  <= 1'b0;
      c_bank_q  <= 1'b0;
      d_bank_q  <= 1'b0;
      d_free_q  <= 2'd2;
      recent_q  <= '0;
      c_taken_q <= 2'b00;
    end else begin
      c_taken_q <= (c_taken_q & c_full_i) |
                   ({2{start & pass_first_i & bias_en_i}} & {c_bank_q, ~c_bank_q});
      recent_q <= {recent_q[Recent-2:0], start};
      if (start | busy_q) begin
        busy_q  <= ~last_row_o;
        cycle_q <= row + ROWS_W'(1);
      end
      if (a_release_o) a_bank_q <= ~a_bank_q;
      if ((start & pass_first_i & bias_en_i) | c_skip_i) c_bank_q <= ~c_bank_q;
      if (row_valid_o & last_row_o & last_o) d_bank_q <= ~d_bank_q;
      d_free_q <= d_free_q + {1'b0, drain_release_i} - {1'b0, start & pass_last_i};
    end
  end
  always_ff @(posedge clk_i) begin
    recent_tile_q <= {recent_tile_q[(Recent-1)*TILE_AW-1:0], pass_tile_i};
    if (start) begin
      rows_q   <= pass_rows_i;
      tile_q   <= pass_tile_i;
      word_q   <= pass_word_i;
      count_q  <= pass_count_i;
      first_q  <= pass_first_i;
      last_q   <= pass_last_i;
      a_done_q <= pass_a_done_i;
    end
  end

  // Each cycle of a job without a row counts for the first cause that holds: all passes are fed and
  // only their results are outstanding (counted as drain), A chunk, B words, latency of the feeder
  // or of the accumulator, bias, drain bank.
  always_comb begin
    stall_a_o       = 1'b0;
    stall_b_o       = 1'b0;
    stall_c_o       = 1'b0;
    stall_drain_o   = 1'b0;
    stall_latency_o = 1'b0;
    if (run_i & ~row_valid_o) begin
      if (feed_done_i) stall_drain_o = 1'b1;
      else if (~a_ready) stall_a_o = 1'b1;
      else if (~pass_valid_i & feed_wait_b_i) stall_b_o = 1'b1;
      else if (~pass_valid_i | ~acc_ready) stall_latency_o = 1'b1;
      else if (~c_ready) stall_c_o = 1'b1;
      else stall_drain_o = 1'b1;
    end
  end

  `MXE_ASSERT(seq_drain_banks, d_free_q <= 2'd2)
  `MXE_ASSERT(seq_one_cause, $onehot0({row_valid_o, stall_a_o, stall_b_o, stall_c_o, stall_drain_o,
                                       stall_latency_o}))
  `MXE_ASSERT(seq_cause_named, !run_i || row_valid_o || stall_a_o || stall_b_o || stall_c_o ||
              stall_drain_o || stall_latency_o)
  `MXE_ASSERT(seq_row_from_full_bank, !row_valid_o || a_full_i[a_bank_q])
  `MXE_REQUIRE(seq_rows_in_range, !pass_valid_i ||
               ((pass_rows_i != '0) && (pass_rows_i <= ROWS_W'(ROWS))))
`ifndef SYNTHESIS
  logic              f_pass_wait_q;
  logic [ROWS_W-1:0] f_pass_rows_q;
  logic [1:0]        f_a_kept_q;    // A banks full and not released
  logic [1:0]        f_drain_q;     // drain banks assigned and not emptied
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_pass_wait_q <= 1'b0;
      f_a_kept_q    <= 2'b00;
      f_drain_q     <= 2'd0;
    end else if (clear_i) begin
      f_pass_wait_q <= 1'b0;
      f_a_kept_q    <= 2'b00;
      f_drain_q     <= 2'd0;
    end else begin
      f_pass_wait_q <= pass_valid_i & ~pass_ready_o;
      f_a_kept_q    <= a_full_i & ~({2{a_release_o}} & {a_bank_o, ~a_bank_o});
      f_drain_q     <= f_drain_q + {1'b0, start & pass_last_i} - {1'b0, drain_release_i};
    end
  end
  always_ff @(posedge clk_i) f_pass_rows_q <= pass_rows_i;
  `MXE_REQUIRE(seq_pass_stable, !f_pass_wait_q || (pass_valid_i && (pass_rows_i == f_pass_rows_q)))
  `MXE_REQUIRE(seq_a_bank_stays, (f_a_kept_q & ~a_full_i) == 2'b00)
  `MXE_REQUIRE(seq_drain_release_expected, !drain_release_i || (f_drain_q != 2'd0))

`endif
`ifdef FORMAL
`include "mxe_seq.proof.svh"
`endif
endmodule
`default_nettype wire
