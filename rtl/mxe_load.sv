// SPDX-License-Identifier: Apache-2.0
// Operand loader: requests the rows of A chunks (OPERAND_A) or the columns of B slabs from the read
// port, for each first the element bytes, then the scale bytes. It fills the banks of a buffer in
// turn, and runs ahead of the array while banks are free. The slabs of a wide tile use two
// half-size banks, so the number of banks doubles.
`include "mxe_assert.svh"
`default_nettype none
module mxe_load #(
  parameter bit          OPERAND_A   = 1'b0,
  parameter int unsigned BANKS       = 2,     // banks without splitting
  parameter bit          CAN_SPLIT   = 1'b0,  // a bank can serve as two
  parameter int unsigned ROWS        = 32,
  parameter int unsigned NUM_PE      = 8,
  parameter int unsigned ACC_TILES   = 4,
  parameter int unsigned CHUNK_WORDS = 32,
  parameter int unsigned SLAB_WORDS  = 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,
  input  logic                       start_i,
  input  logic                       chain_i,      // continue after the previous job's bank
  input  logic [mxe_pkg::TURN_W-1:0] turn_i,
  input  mxe_pkg::job_t              job_i,
  input  logic                       wide_i,       // B only: see mxe_walk
  input  logic                       long_i,
  input  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] chunk_shift_i,
  output mxe_pkg::fetch_t            req_o,
  input  logic                       req_ready_i,
  // a bank was consumed
  input  logic                       release_i,
  output logic                       chunk_o,      // last fetch of an A chunk or its first B slab
  // A bank is claimed: blocks of 32 by which it begins behind a scale that several of them share.
  output logic                       claim_o,
  output logic [mxe_pkg::BANK_W-1:0] claim_bank_o,
  output logic [1:0]                 claim_behind_o,
  output logic                       busy_o
);
  localparam int unsigned IndexW = $clog2(ROWS);
  localparam int unsigned MostBanks = CAN_SPLIT ? 2 * BANKS : BANKS;
  localparam int unsigned BankAw = $clog2(MostBanks);
  mxe_pkg::operand_t operand;
  assign operand = OPERAND_A ? job_i.a : job_i.b;

  logic            valid, step;
  mxe_pkg::shape_t shape;
  mxe_pkg::step_t  at;
  assign shape.batch       = job_i.batch;
  assign shape.m           = job_i.m;
  assign shape.n           = job_i.n;
  assign shape.k_words     = job_i.k_words;
  assign shape.skip_group  = OPERAND_A & (job_i.k_words <=
                                          (mxe_pkg::BLOCKS_W'(CHUNK_WORDS) << chunk_shift_i));
  assign shape.wide        = wide_i;
  assign shape.long_slabs  = long_i;
  assign shape.chunk_shift = chunk_shift_i;
  mxe_walk #(
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (CHUNK_WORDS),
    .SLAB_WORDS  (SLAB_WORDS),
    .WALK_CHUNK  (1'b1),
    .WALK_TILE   (!OPERAND_A),
    .WALK_SLAB   (!OPERAND_A)
  ) u_walk (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (start_i),
    .shape_i (shape),
    .valid_o (valid),
    .take_i  (step),
    .step_o  (at)
  );

  localparam int unsigned ColsW = $clog2(2 * NUM_PE + 1);
  localparam int unsigned WordsW = $clog2((CHUNK_WORDS << mxe_pkg::CHUNK_SHIFT_MAX) + 1);
  logic [ColsW-1:0]  cols, cols_here;
  logic [IndexW:0]   count;  // rows (A) or columns (B) of the bank; ROWS >= NUM_PE
  logic [WordsW-1:0] words, chunk_words;
  assign cols        = at.cols[ColsW-1:0];
  assign words       = at.words[WordsW-1:0];
  assign chunk_words = at.chunk_words[WordsW-1:0];

  // The columns beyond NUM_PE of a wide tile use the next bank.
  logic half_q, two_halves;
  assign two_halves = (cols > ColsW'(NUM_PE)) & !OPERAND_A;
  assign cols_here  = half_q ? (cols - ColsW'(NUM_PE)) : two_halves ? ColsW'(NUM_PE) : cols;
  assign count      = OPERAND_A ? at.rows[IndexW:0] : (IndexW+1)'(cols_here);

  logic [BankAw:0]   free_q;
  logic [BankAw-1:0] bank_q;
  logic              taken_q;
  logic              claim;
  logic [BankAw:0]   banks, banks_q;  // banks of the job that starts, of the current job
  assign banks = (CAN_SPLIT & wide_i) ? (BankAw+1)'(MostBanks) : (BankAw+1)'(BANKS);
  function automatic logic [BankAw-1:0] bank_after(input logic [BankAw-1:0] bank,
                                                   input logic [BankAw:0]   number);
    bank_after = ({1'b0, bank} + (BankAw+1)'(1) == number) ? '0 : (bank + BankAw'(1));
  endfunction
  assign claim = valid & ~taken_q & (free_q != '0);

  // Byte offsets within a row, of the chunk and of the slab, for elements and scales.
  logic [31:0]                  chunk_off_q, off_q;
  logic [mxe_pkg::BLOCKS_W-1:0] chunk_soff_q, soff_q;
  // Addresses: next row to request; first row of this step, the group, the product's matrix.
  logic [63:0]                  ptr_q, base_q, group_q, matrix_q;
  logic [63:0]                  sptr_q, sbase_q, sgroup_q, smatrix_q;
  logic [IndexW-1:0]            index_q;
  logic                         scale_q;        // request the row's scale bytes next

  localparam int unsigned BytesW = WordsW + 5;
  function automatic logic [BytesW-1:0] bytes_of(input logic [WordsW-1:0] number,
                                                 input logic of32, input logic of24);
    bytes_of = (of32 ? {number, 5'd0} : {1'b0, number, 4'd0}) +
               (of24 ? {2'b00, number, 3'd0} : '0);
  endfunction
  logic is32, is24;
  assign is32 = operand.word_bytes[5];
  assign is24 = operand.word_bytes[3];
  logic [BytesW-1:0]            step_bytes, step_bytes_q, chunk_bytes_q;
  logic [31:0]                  left;
  logic [mxe_pkg::BLOCKS_W-1:0] step_scales, chunk_scales, sleft;
  assign step_bytes   = bytes_of(words, is32, is24);
  assign step_scales  = mxe_pkg::BLOCKS_W'(words) << job_i.scale_shift;
  assign chunk_scales = mxe_pkg::BLOCKS_W'(chunk_words) << job_i.scale_shift;
  // Remaining bytes and blocks of the row; a fetch takes those of one step at most.
  assign left  = operand.row_bytes - off_q;
  assign sleft = job_i.k_blocks - soff_q;

  // 2^coarse blocks share a scale. A step that begins behind the first of them reads it again.
  // Example: coarse 2 and a step of 6 blocks from block 2 on: scales 0 (blocks 2, 3) and 1 (4 to 7).
  logic [1:0]                   shared, passed;  // blocks after the first that share its scale
  logic [mxe_pkg::BLOCKS_W-1:0] step_blocks, step_ends;
  assign shared         = (operand.coarse == 2'd2) ? 2'd3 : {1'b0, operand.coarse[0]};
  assign passed         = soff_q[1:0] & shared;
  assign step_blocks    = (sleft > step_scales) ? step_scales : sleft;
  assign step_ends      = step_blocks + {{(mxe_pkg::BLOCKS_W-2){1'b0}}, passed} +
                          {{(mxe_pkg::BLOCKS_W-2){1'b0}}, shared};
  assign claim_o        = claim;
  assign claim_bank_o   = mxe_pkg::BANK_W'(bank_q);
  assign claim_behind_o = passed;

  // Values common to all fetches of a bank are computed when the bank is claimed.
  logic [BytesW-1:0] bytes_q, scale_bytes_q;
  logic [IndexW-1:0] last_index_q;
  logic              half_follows_q;  // the second half of a wide tile follows
  always_ff @(posedge clk_i) begin
    if (claim) begin
      bytes_q        <= (left > 32'(step_bytes)) ? step_bytes : left[BytesW-1:0];
      scale_bytes_q  <= BytesW'(step_ends >> operand.coarse);
      step_bytes_q   <= step_bytes;
      chunk_bytes_q  <= bytes_of(chunk_words, is32, is24);
      last_index_q   <= IndexW'(count - (IndexW+1)'(1));
      half_follows_q <= two_halves & ~half_q;
    end
  end

  logic fire, last_fetch;
  logic first_q;  // first bank that uses its A chunk
  assign chunk_o     = fire & last_fetch & first_q;
  assign busy_o      = valid;
  assign fire        = valid & taken_q & req_ready_i;
  assign last_fetch  = scale_q & (index_q == last_index_q);
  assign step        = fire & last_fetch & ~half_follows_q;
  assign req_o.valid = valid & taken_q;
  assign req_o.bytes = scale_q ? mxe_pkg::BYTES_W'(scale_bytes_q)
                               : mxe_pkg::BYTES_W'(bytes_q);
  assign req_o.tag   = {mxe_pkg::ROW_W'(index_q), turn_i,
                        OPERAND_A ? (scale_q ? mxe_pkg::TagAScale : mxe_pkg::TagAElem)
                                  : (scale_q ? mxe_pkg::TagBScale : mxe_pkg::TagBElem),
                        mxe_pkg::BANK_W'(bank_q), last_fetch};

  // The address is registered before its request: elements and scales of a row alternate.
  logic                         scale_next;
  logic [mxe_pkg::BLOCKS_W-1:0] scale_off;
  logic [63:0]                  addr_q;
  assign scale_next = taken_q & ~scale_q;
  assign scale_off  = soff_q >> operand.coarse;
  always_ff @(posedge clk_i) begin
    if (claim | fire) addr_q <= scale_next ? (sptr_q + 64'(scale_off)) : (ptr_q + {32'd0, off_q});
  end
  assign req_o.addr = addr_q;

  logic [63:0] sptr_next;
  assign sptr_next = sptr_q + {32'd0, operand.scale_stride};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q  <= (BankAw+1)'(BANKS);
      banks_q <= (BankAw+1)'(BANKS);
      bank_q  <= '0;
      taken_q <= 1'b0;
      index_q <= '0;
      scale_q <= 1'b0;
      half_q  <= 1'b0;
    end else if (clear_i) begin
      free_q  <= (BankAw+1)'(BANKS);
      banks_q <= (BankAw+1)'(BANKS);
      bank_q  <= '0;
      taken_q <= 1'b0;
      index_q <= '0;
      scale_q <= 1'b0;
      half_q  <= 1'b0;
    end else if (start_i & ~chain_i) begin
      free_q  <= banks;
      banks_q <= banks;
      if (!OPERAND_A) bank_q <= '0;  // the feeder also restarts at bank 0
    end else begin
      free_q <= free_q + (BankAw+1)'(release_i) - (BankAw+1)'(claim);
      if (claim) taken_q <= 1'b1;
      if (fire) begin
        scale_q <= ~scale_q;
        if (scale_q) index_q <= last_fetch ? '0 : (index_q + IndexW'(1));
        if (last_fetch) begin
          taken_q <= 1'b0;
          bank_q  <= bank_after(bank_q, banks_q);
          half_q  <= two_halves & ~half_q;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b0;
    else if (clear_i) first_q <= 1'b0;
    else if (start_i) first_q <= 1'b1;
    else if (fire & last_fetch) first_q <= step & at.last_use;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      ptr_q        <= operand.addr;
      base_q       <= operand.addr;
      group_q      <= operand.addr;
      sptr_q       <= operand.scale_addr;
      sbase_q      <= operand.scale_addr;
      sgroup_q     <= operand.scale_addr;
      matrix_q     <= operand.addr;
      smatrix_q    <= operand.scale_addr;
      chunk_off_q  <= '0;
      off_q        <= '0;
      chunk_soff_q <= '0;
      soff_q       <= '0;
    end else if (step) begin
      if (OPERAND_A ? at.next_chunk : at.next_slab) begin
        // same rows or columns, further along K
        ptr_q  <= base_q;
        sptr_q <= sbase_q;
        off_q  <= off_q + 32'(step_bytes_q);
        soff_q <= soff_q + step_scales;
      end else if (!OPERAND_A & at.next_tile) begin
        // next columns, back to the start of the chunk
        base_q  <= ptr_q;
        sptr_q  <= sptr_next;
        sbase_q <= sptr_next;
        off_q   <= chunk_off_q;
        soff_q  <= chunk_soff_q;
      end else if (!OPERAND_A & at.next_chunk) begin
        // back to the group's columns, next chunk
        ptr_q        <= group_q;
        base_q       <= group_q;
        sptr_q       <= sgroup_q;
        sbase_q      <= sgroup_q;
        chunk_off_q  <= chunk_off_q + 32'(chunk_bytes_q);
        off_q        <= chunk_off_q + 32'(chunk_bytes_q);
        chunk_soff_q <= chunk_soff_q + chunk_scales;
        soff_q       <= chunk_soff_q + chunk_scales;
      end else begin
        chunk_off_q  <= '0;
        off_q        <= '0;
        chunk_soff_q <= '0;
        soff_q       <= '0;
        if (OPERAND_A & at.next_group) begin
          // the same rows again from k = 0
          ptr_q  <= base_q;
          sptr_q <= sbase_q;
        end else if (OPERAND_A | at.next_group | at.next_batch) begin
          // next group of columns (B), next stripe of rows (A), or the next matrix
          base_q   <= ptr_q;
          group_q  <= ptr_q;
          sptr_q   <= sptr_next;
          sbase_q  <= sptr_next;
          sgroup_q <= sptr_next;
          if (at.next_batch) begin
            matrix_q  <= ptr_q;
            smatrix_q <= sptr_next;
          end
        end else begin
          // next stripe: all columns again
          ptr_q    <= matrix_q;
          base_q   <= matrix_q;
          group_q  <= matrix_q;
          sptr_q   <= smatrix_q;
          sbase_q  <= smatrix_q;
          sgroup_q <= smatrix_q;
        end
      end
    end else if (fire) begin
      if (scale_q) sptr_q <= sptr_next;
      else ptr_q <= ptr_q + {32'd0, operand.stride};
    end
  end

  `MXE_ASSERT(load_banks_in_range, free_q <= banks_q)
`ifndef SYNTHESIS
  // Banks requested but not yet consumed, and the one that is consumed next.
  logic [MostBanks-1:0] f_held_q;
  logic [BankAw-1:0]    f_next_release_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_held_q         <= '0;
      f_next_release_q <= '0;
    end else if (clear_i) begin
      f_held_q         <= '0;
      f_next_release_q <= '0;
    end else if (start_i & ~chain_i) begin
      if (!OPERAND_A) f_next_release_q <= '0;
    end else begin
      if (fire & last_fetch) f_held_q[bank_q] <= 1'b1;
      if (release_i) begin
        f_held_q[f_next_release_q] <= 1'b0;
        f_next_release_q           <= bank_after(f_next_release_q, banks_q);
      end
    end
  end
  `MXE_REQUIRE(load_all_used_at_start, !start_i || chain_i || (f_held_q == '0))
  `MXE_REQUIRE(load_chain_alike, !start_i || !chain_i || (banks == banks_q))
  `MXE_REQUIRE(load_release_expected, !release_i || f_held_q[f_next_release_q])
  `MXE_REQUIRE(load_no_start_while_walking, !start_i || !valid)
  `MXE_REQUIRE(load_job_starts_clean, !start_i || ((index_q == '0) && !scale_q && !taken_q &&
               !half_q))
  // A bank is not overwritten before it has been consumed.
  `MXE_ASSERT(load_bank_not_in_use, !req_o.valid || !f_held_q[bank_q])
`endif
`ifdef FORMAL
`include "mxe_load.proof.svh"
`endif
  `MXE_ASSERT(load_fetch_not_empty, !req_o.valid || (req_o.bytes != '0))
endmodule
`default_nettype wire
