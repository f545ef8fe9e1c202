// SPDX-License-Identifier: Apache-2.0
// Descriptor fetcher: reads the descriptor of the next slot, while the job before it runs if there
// is one, and keeps it, checked, until it is taken. What cannot be read ahead of its turn is
// forgotten and read again when its turn has come, so that the error is told then and of that job.
`include "mxe_assert.svh"
`default_nettype none
module mxe_desc #(
  parameter int unsigned TREE_W   = 70,
  parameter bit          FP4_DUAL = 1'b1,
  parameter int unsigned LEN_W    = 16,
  parameter int unsigned TAG_W    = 13
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // the slot
  input  logic             begin_i,      // it may be read
  input  logic             alone_i,      // no job before it is under way
  input  logic [63:0]      addr_i,       // stands still until the descriptor is taken
  input  logic             drop_i,       // beats are dropped: forget what has not arrived
  input  logic             take_i,       // it is taken, or forgotten
  output logic             begins_o,     // its fetch begins
  output logic             reading_o,
  output logic             ready_o,      // it is here
  output logic [mxe_reg_pkg::DESC_STATUS_LSB-1:0] desc_o,  // the part that the engine reads
  output logic [3:0]       status_o,     // of it: STATUS_OK, or what it ends with
  output mxe_pkg::job_t    job_o,        // of it, if it is legal
  output logic             settled_o,    // its sizes, a clock after it is here
  // fetch
  output logic             req_valid_o,
  input  logic             req_ready_i,
  output logic [63:0]      req_addr_o,
  output logic [LEN_W-1:0] req_bytes_o,
  output logic [TAG_W-1:0] req_tag_o,
  input  logic             word_valid_i, // 32 bytes of the descriptor
  input  logic [1:0]       word_index_i,
  input  logic [255:0]     word_data_i,
  input  logic             word_last_i,
  input  logic             error_i,      // a beat of it came with a bus error
  output logic             fault_watch_o // that counts
);
  typedef enum logic [1:0] {
    StIdle,
    StAsk,
    StRead,   // its words arrive
    StReady
  } state_e;

  localparam int unsigned DescW = mxe_reg_pkg::DESC_STATUS_LSB;

  state_e           state_q;
  logic [DescW-1:0] desc_q;
  logic             ahead_q;  // jobs before it were under way when its fetch began
  logic             again_q;  // it could not be read ahead
  logic             error_q, failed;
  assign failed = error_q | error_i;
  assign begins_o      = (state_q == StIdle) & begin_i & (alone_i | ~again_q);
  assign reading_o     = (state_q == StAsk) | (state_q == StRead);
  assign ready_o       = (state_q == StReady);
  assign fault_watch_o = (state_q == StRead) & ~ahead_q & ~error_q;

  assign req_valid_o = (state_q == StAsk);
  assign req_addr_o  = addr_i;
  assign req_bytes_o = LEN_W'(mxe_reg_pkg::DESC_W / 8);
  assign req_tag_o   = TAG_W'({1'b0, mxe_pkg::TagDesc, mxe_pkg::BANK_W'(0), 1'b1});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      ahead_q <= 1'b0;
      again_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      case (state_q)
        StIdle: begin
          error_q <= 1'b0;
          if (begins_o) begin
            state_q <= StAsk;
            ahead_q <= ~alone_i;
          end
        end
        StAsk: begin
          if (drop_i) state_q <= StIdle;
          else if (req_ready_i) state_q <= StRead;
        end
        StRead: begin
          if (error_i) error_q <= 1'b1;
          if (drop_i) begin
            state_q <= StIdle;
          end else if (word_valid_i & word_last_i) begin
            state_q <= (failed & ahead_q) ? StIdle : StReady;
            again_q <= failed & ahead_q;
          end
        end
        default: begin  // StReady
          if (take_i) state_q <= StIdle;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_valid_i & (state_q == StRead)) begin
      case (word_index_i)
        2'd0:    desc_q[255:0]   <= word_data_i;
        2'd1:    desc_q[511:256] <= word_data_i;
        2'd2:    desc_q[767:512] <= word_data_i;
        default: desc_q[DescW-1:768] <= word_data_i[DescW-769:0];
      endcase
    end
  end
  assign desc_o = desc_q;

  mxe_pkg::job_t job;
  logic [3:0]    check;
  logic          settled_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) settled_q <= 1'b0;
    else settled_q <= ready_o & ~take_i;
  end
  assign settled_o = settled_q;
  assign job_o     = job;
  mxe_job #(.FP4_DUAL(FP4_DUAL)) u_job (.clk_i(clk_i), .desc_i(desc_q), .job_o(job));
  mxe_check #(.TREE_W(TREE_W)) u_check (.desc_i(desc_q), .job_i(job), .status_o(check));
  assign status_o = error_q ? mxe_reg_pkg::STATUS_ERR_FETCH[3:0] : check;

  `MXE_STATE_NAMES(state_e)
  `MXE_ASSERT(desc_error_in_its_turn, !ready_o || !error_q || !ahead_q)
  `MXE_REQUIRE(desc_taken_when_ready, !take_i || ready_o)
endmodule
`default_nettype wire
