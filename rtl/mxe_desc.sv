// SPDX-License-Identifier: Apache-2.0
// Descriptor fetcher: reads the descriptors of the next ring slots while earlier jobs run, keeps
// them in order and presents the oldest one, checked, until it is taken. If an early read returns
// an error, that descriptor and all later ones are discarded. They are read again when the job's
// turn has come, so that an error is reported for that job at that time.
`include "mxe_assert.svh"
`default_nettype none
module mxe_desc #(
  parameter int unsigned TREE_W   = 70,
  parameter bit          FP4_DUAL = 1'b1,
  parameter bit          NVFP4    = 1'b1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             begin_i,      // the next descriptor may be read
  input  logic             alone_i,      // no job is in progress
  output logic [15:0]      next_o,
  input  logic [63:0]      addr_i,
  input  logic             drop_i,       // read beats are being dropped: discard outstanding reads
  input  logic             clear_i,      // discard everything; the next slot is 0
  input  logic             take_i,       // take the oldest descriptor, which is stable for 2 cycles
  output logic             begins_o,
  output logic             empty_o,
  output logic             reading_o,    // a descriptor is requested or outstanding
  output logic             ready_o,
  output logic [mxe_pkg::TURN_W-1:0] turn_o,   // low bits of the oldest one's ring index
  output logic [mxe_reg_pkg::DESC_STATUS_LSB-1:0] desc_o,  // the part that the engine reads
  output logic [3:0]       status_o,     // STATUS_OK, or the rule that the oldest violates
  output mxe_pkg::job_t    job_o,        // the decoded job, if the descriptor is legal
  output logic             loadable_o,   // legal, and job_o is valid for the second cycle or longer
  output mxe_pkg::fetch_t  req_o,
  input  logic             req_ready_i,
  input  mxe_pkg::word_t   word_i,       // of any kind
  input  logic             error_i,
  input  logic [mxe_pkg::DESC_PLACE_W-1:0] error_place_i,
  // error_i was, one cycle before, the first error of the job at the ring's head. Operand errors
  // are reported one cycle late, too.
  output logic             fault_o
`ifdef FORMAL
  ,
  output logic [15:0]      f_out_o       // slot after the oldest, for proofs of enclosing modules
`endif
);
  localparam int unsigned Depth = mxe_pkg::DESC_AHEAD;
  localparam int unsigned PlaceW = mxe_pkg::DESC_PLACE_W;
  localparam int unsigned DescW = mxe_reg_pkg::DESC_STATUS_LSB;

  logic              ask_q;
  logic [15:0]       next_q;       // slot of the requested fetch, or of the next one
  logic [PlaceW:0]   flying_q;     // descriptors outstanding
  logic [PlaceW:0]   held_q;       // descriptors received, not counting the oldest
  logic [15:0]       out_q;        // slot of the first of those received
  logic              ready_q, taken_q;
  logic              failed_q;     // the oldest was read with an error
  logic [Depth-1:0]  error_q;
  logic              alone_q;      // the outstanding fetch belongs to the job whose turn it is
  logic              again_q;      // the early read of the next descriptor failed
  logic              forget_q;     // discard the outstanding descriptors

  assign next_o    = next_q;
  assign empty_o   = ~ask_q & (flying_q == '0) & (held_q == '0) & ~ready_q;
  assign reading_o = ask_q | (flying_q != '0) | ((held_q != '0) & ~ready_q);
  assign ready_o   = ready_q;
  assign turn_o    = mxe_pkg::TURN_W'(out_q - 16'd1);

  logic alone, room, voids;
  assign alone    = alone_i & empty_o;
  assign room     = (flying_q + held_q != (PlaceW+1)'(Depth));
  assign begins_o = ~ask_q & begin_i & room & ~forget_q & ~voids & (alone | ~again_q);

  assign req_o.valid = ask_q;
  assign req_o.addr  = addr_i;
  assign req_o.bytes = mxe_pkg::BYTES_W'(mxe_reg_pkg::DESC_W / 8);
  assign req_o.tag   = {mxe_pkg::ROW_W'(0), mxe_pkg::TURN_W'(0), mxe_pkg::TagDesc,
                        mxe_pkg::BANK_W'(next_q[PlaceW-1:0]), 1'b1};
  logic asked;
  assign asked = ask_q & req_ready_i & ~drop_i;

  logic              word_valid;
  logic [PlaceW-1:0] word_place;
  assign word_valid = word_i.valid & (word_i.tag.kind == mxe_pkg::TagDesc);
  assign word_place = word_i.tag.bank[PlaceW-1:0];
  logic              arrives, fails, keeps, last_to_forget, fault;
  // Slot of the first outstanding fetch; places are used in order.
  logic [15:0]       next_out;
  assign next_out      = out_q + 16'(held_q);
  assign arrives       = word_valid & word_i.last & (flying_q != '0) & ~drop_i;
  assign fails         = error_q[word_place] | (error_i & (error_place_i == word_place));
  assign voids         = arrives & ~forget_q & fails & ~alone_q;
  assign keeps         = arrives & ~forget_q & ~voids;
  assign last_to_forget = (forget_q | voids) & (flying_q - (PlaceW+1)'(arrives) == '0) & ~ask_q;
  assign fault         = error_i & alone_q & (flying_q != '0) & ~error_q[error_place_i] &
                         (error_place_i == next_out[PlaceW-1:0]);
  logic read;
  assign read = (held_q != '0) & ~ready_q & ~taken_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ask_q     <= 1'b0;
      next_q    <= '0;
      flying_q  <= '0;
      held_q    <= '0;
      out_q     <= '0;
      ready_q   <= 1'b0;
      taken_q   <= 1'b0;
      failed_q  <= 1'b0;
      error_q   <= '0;
      alone_q   <= 1'b0;
      again_q   <= 1'b0;
      forget_q  <= 1'b0;
    end else if (clear_i) begin
      next_q    <= '0;
      held_q    <= '0;
      out_q     <= '0;
      ready_q   <= 1'b0;
      taken_q   <= 1'b0;
      failed_q  <= 1'b0;
      again_q   <= 1'b0;
    end else begin
      if (begins_o) begin
        ask_q <= 1'b1;
        if (alone) alone_q <= 1'b1;
      end else if (asked | drop_i) begin
        ask_q <= 1'b0;
      end
      if (drop_i) begin
        next_q   <= next_out;
        flying_q <= '0;
        forget_q <= 1'b0;
        alone_q  <= 1'b0;
      end else begin
        if (last_to_forget) next_q <= next_out;
        else if (asked) next_q <= next_q + 16'd1;
        flying_q <= flying_q + (PlaceW+1)'(asked) - (PlaceW+1)'(arrives);
        forget_q <= (forget_q | voids) & ~last_to_forget;
        if (arrives) alone_q <= 1'b0;
      end
      held_q <= held_q + (PlaceW+1)'(keeps) - (PlaceW+1)'(read);
      if (read) out_q <= out_q + 16'd1;
      if (keeps & fails) failed_q <= 1'b1;
      else if (take_i) failed_q <= 1'b0;
      if (voids) again_q <= 1'b1;
      else if (keeps) again_q <= 1'b0;
      if (asked) error_q[next_q[PlaceW-1:0]] <= 1'b0;
      if (error_i) error_q[error_place_i] <= 1'b1;
      ready_q   <= (ready_q | read) & ~take_i;
      taken_q   <= take_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loadable_o <= 1'b0;
      fault_o    <= 1'b0;
    end else begin
      loadable_o <= ready_q & ~take_i & ~clear_i & (status_o == mxe_reg_pkg::STATUS_OK[3:0]);
      fault_o    <= fault;
    end
  end

  // The word that was read last stays at the RAM's output: it is the oldest descriptor.
  for (genvar i = 0; i < 4; i++) begin : gen_word
    localparam int unsigned Width = (i == 3) ? (DescW - 768) : 256;
    mxe_ram #(.WIDTH(Width), .DEPTH(Depth)) u_words (
      .clk_i   (clk_i),
      .we_i    (word_valid & (flying_q != '0) & (word_i.index[1:0] == 2'(i))),
      .waddr_i (word_place),
      .wdata_i (word_i.data[Width-1:0]),
      .re_i    (read),
      .raddr_i (out_q[PlaceW-1:0]),
      .rdata_o (desc_o[256*i +: Width])
    );
  end

  mxe_pkg::job_t job;
  logic [3:0]    check;
  assign job_o = job;
  mxe_job #(.FP4_DUAL(FP4_DUAL), .NVFP4(NVFP4)) u_job (
    .clk_i  (clk_i),
    .desc_i (desc_o),
    .job_o  (job)
  );
  mxe_check #(.TREE_W(TREE_W)) u_check (.desc_i(desc_o), .job_i(job), .status_o(check));
  assign status_o = failed_q ? mxe_reg_pkg::STATUS_ERR_FETCH[3:0] : check;

  `MXE_ASSERT(desc_places, flying_q + held_q <= (PlaceW+1)'(Depth))
  `MXE_ASSERT(desc_in_order, next_q - out_q == 16'(held_q) + 16'(flying_q) || forget_q)
  `MXE_ASSERT(desc_error_in_its_turn, !(keeps && fails) || ((held_q == '0) && !ready_q))
  `MXE_REQUIRE(desc_taken_when_ready, !take_i || ready_o)
`ifdef FORMAL
`include "mxe_desc.proof.svh"
`endif
  `MXE_REQUIRE(desc_cleared_at_rest, !clear_i || (!ask_q && (flying_q == '0)))
endmodule
`default_nettype wire
