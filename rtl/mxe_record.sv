// SPDX-License-Identifier: Apache-2.0
// Completion records. Computed jobs wait here in order until memory has acknowledged their results.
// Then the record of each is written to its ring slot, and the job is complete when that write has
// been acknowledged. Other jobs are computed meanwhile.
`include "mxe_assert.svh"
`default_nettype none
module mxe_record #(
  parameter int unsigned SEG_W = 256
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             end_i,
  input  logic [3:0]       end_status_i,
  input  logic [31:0]      end_job_id_i,
  output logic             room_o,
  output logic [$clog2(mxe_pkg::RECORDS+1)-1:0] jobs_o,  // jobs in this block
  // results of the oldest such job have been acknowledged
  output logic             ends_o,
  output logic [$clog2(mxe_pkg::RECORDS+1)-1:0] place_o, // number of incomplete jobs before it
  input  logic [63:0]      addr_i,
  input  logic [63:0]      cycles_i,
  output mxe_pkg::write_t  write_o,
  input  logic             row_ready_i,
  input  logic             data_ready_i,
  input  mxe_pkg::status_t status_i,
  // the acknowledgement belongs to a job in this block, else to the running job
  output logic             answered_o,
  output logic             fault_watch_o,   // an error in this cycle would be the first of its job
  // number of incomplete jobs before that job
  output logic [$clog2(mxe_pkg::RECORDS+1)-1:0] fault_place_o,
  // state
  output logic             busy_o,
  output logic             waiting_o,       // jobs are waiting for their results
  output logic             answered_all_o,
  output logic             complete_o,
  output logic [3:0]       status_o,
  output logic [31:0]      job_id_o         // 0 if its descriptor could not be read
);
  typedef enum logic [1:0] {
    StIdle,
    StRecord,
    StRecData
  } state_e;
  localparam int unsigned RecSegs = (SEG_W >= 128) ? 1 : (128 / SEG_W);
  localparam int unsigned Depth = mxe_pkg::RECORDS;
  localparam int unsigned PlaceW = $clog2(Depth);
  // Bits of a count of result bursts, modulo 2 * WR_OUTSTANDING = 512. At most 256 bursts are
  // outstanding, so two counts are equal only if no burst lies between them.
  localparam int unsigned CountW = $clog2(mxe_pkg::WR_OUTSTANDING) + 1;

  // Pointers into the queue of jobs: in_q is the next free entry, answered_q the first job with
  // outstanding results, recorded_q the first without a written record, out_q the oldest job.
  logic [PlaceW:0]         in_q, answered_q, recorded_q, out_q, jobs;
  logic [4*Depth-1:0]      status_q;
  logic [32*Depth-1:0]     job_id_q;
  logic [CountW*Depth-1:0] mark_q;     // value of count_q at the last acknowledgement of the job
  logic [CountW-1:0]       begun_q, count_q, count;  // bursts started, acknowledged
  logic                    complete_q;
  logic [PlaceW-1:0]       in, answered, recorded, out;
  assign in       = in_q[PlaceW-1:0];
  assign answered = answered_q[PlaceW-1:0];
  assign recorded = recorded_q[PlaceW-1:0];
  assign out      = out_q[PlaceW-1:0];

  state_e state_q;
  logic pending, results_done, all_done, recorded_now;
  assign pending      = (answered_q != in_q);
  assign count        = count_q + CountW'(status_i.result_answered);
  assign results_done = pending & (count == mark_q[CountW*32'(answered) +: CountW]);
  assign all_done     = (count == begun_q);
  assign jobs         = in_q - out_q;
  assign jobs_o       = jobs;
  assign room_o       = (jobs != (PlaceW+1)'(Depth));
  assign busy_o       = (jobs != '0) | complete_q;
  assign waiting_o    = (in_q - recorded_q != (PlaceW+1)'(state_q != StIdle));
  assign answered_all_o = (count_q == begun_q);

  logic [PlaceW:0] oldest;        // first job with an unacknowledged record
  logic [PlaceW:0] fault_of, fault_before, recorded_before;
  logic [3:0]      fault_status;
  assign oldest        = out_q + (PlaceW+1)'(complete_q);
  assign answered_o    = status_i.record_answered | (status_i.result_answered & pending);
  assign fault_of      = status_i.record_answered ? oldest : answered_q;
  assign fault_before  = fault_of - out_q;
  assign fault_place_o = fault_before;
  assign fault_status  = status_q[4*32'(fault_of[PlaceW-1:0]) +: 4];
  assign fault_watch_o = answered_o & (fault_status != mxe_reg_pkg::STATUS_ERR_READ[3:0]) &
                         (fault_status != mxe_reg_pkg::STATUS_ERR_WRITE[3:0]);

  logic no_record;  // the descriptor could not be read: no id, and the slot is not written
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q       <= '0;
      answered_q <= '0;
      recorded_q <= '0;
      out_q      <= '0;
      status_q   <= '0;
      job_id_q   <= '0;
      mark_q     <= '0;
      begun_q    <= '0;
      count_q    <= '0;
      complete_q <= 1'b0;
    end else begin
      begun_q <= begun_q + CountW'(status_i.result_begins);
      count_q <= count;
      if (end_i) begin
        in_q                        <= in_q + (PlaceW+1)'(1);
        status_q[4*32'(in) +: 4]    <= end_status_i;
        job_id_q[32*32'(in) +: 32]  <= (end_status_i == mxe_reg_pkg::STATUS_ERR_FETCH[3:0])
                                       ? 32'd0 : end_job_id_i;
        mark_q[CountW*32'(in) +: CountW] <= begun_q;
      end
      if (results_done | (end_i & ~pending & all_done)) answered_q <= answered_q + (PlaceW+1)'(1);
      if (recorded_now) recorded_q <= recorded_q + (PlaceW+1)'(1);
      if (status_i.wr_error & answered_o)
        status_q[4*32'(fault_of[PlaceW-1:0]) +: 4] <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
      complete_q <= (status_i.record_answered & status_i.record_last) | (ends_o & no_record);
      if (complete_q) out_q <= out_q + (PlaceW+1)'(1);
    end
  end
  assign complete_o = complete_q;
  assign status_o   = status_q[4*32'(out) +: 4];
  assign job_id_o   = job_id_q[32*32'(out) +: 32];

  logic [63:0] cycles_q;
  logic [1:0]  seg_q;
  logic [3:0]  record_status;
  logic [31:0] record_job_id;
  assign record_status = status_q[4*32'(recorded) +: 4];
  assign record_job_id = job_id_q[32*32'(recorded) +: 32];
  assign no_record     = (record_status == mxe_reg_pkg::STATUS_ERR_FETCH[3:0]);
  assign ends_o        = (state_q == StIdle) & (recorded_q != answered_q);
  assign recorded_before = recorded_q - out_q;
  assign place_o       = recorded_before;
  assign recorded_now  = (ends_o & no_record) |
                         ((state_q == StRecData) & data_ready_i & (seg_q == 2'(RecSegs - 1)));

  logic [127:0] record;
  assign record = {cycles_q, record_job_id, 28'd0, record_status};
  assign write_o.row.valid   = (state_q == StRecord);
  assign write_o.row.addr    = addr_i + 64'(mxe_reg_pkg::DESC_STATUS_LSB) / 64'd8;
  assign write_o.row.bytes   = mxe_pkg::BYTES_W'($bits(record) / 8);
  assign write_o.row.half    = 1'b0;
  assign write_o.row.scale   = 1'b0;
  assign write_o.row.record  = 1'b1;
  assign write_o.row.joins   = 1'b0;
  assign write_o.row.follows = 1'b0;
  assign write_o.data_valid  = (state_q == StRecData);
  if (RecSegs == 1) begin : gen_rec_one
    assign write_o.data = mxe_pkg::AXI_W'(SEG_W'(record));
  end else begin : gen_rec_parts
    assign write_o.data = mxe_pkg::AXI_W'(record[32'(seg_q[$clog2(RecSegs)-1:0]) * SEG_W +: SEG_W]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      cycles_q <= '0;
      seg_q    <= '0;
    end else begin
      case (state_q)
        StIdle: begin
          cycles_q <= cycles_i;
          if (ends_o & ~no_record) state_q <= StRecord;
        end
        StRecord: begin
          seg_q <= '0;
          if (row_ready_i) state_q <= StRecData;
        end
        default: begin
          if (data_ready_i) seg_q <= seg_q + 2'd1;
          if (recorded_now) state_q <= StIdle;
        end
      endcase
    end
  end

  `MXE_STATE_NAMES(state_e)
  `MXE_ASSERT(record_state_known, state_q <= StRecData)
  `MXE_ASSERT(record_jobs_in_range, jobs <= (PlaceW+1)'(Depth))
  `MXE_ASSERT(record_jobs_in_order, (answered_q - out_q <= jobs) &&
              (recorded_q - out_q <= answered_q - out_q))
  `MXE_ASSERT(record_waits_for_answers, !pending || !answered_all_o)
  `MXE_REQUIRE(record_has_room, !end_i || room_o)
  `MXE_REQUIRE(record_all_begun, !end_i || !status_i.result_begins)
  `MXE_REQUIRE(record_answer_expected, !status_i.record_answered || (oldest != recorded_q) ||
               ((state_q == StRecData) && !status_i.record_last))
`ifdef FORMAL
`include "mxe_record.proof.svh"
`endif
endmodule
`default_nettype wire
