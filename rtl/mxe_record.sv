// SPDX-License-Identifier: Apache-2.0
// Completion record: of a job that has ended it writes how into the job's slot, waits for the
// acknowledgement, and then says that the job is complete. Meanwhile the next job may begin, but
// not write: a write error is that of the record.
`include "mxe_assert.svh"
`default_nettype none
module mxe_record #(
  parameter int unsigned SEG_W = 256,
  parameter int unsigned LEN_W = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // a job ends
  input  logic             end_i,
  input  logic [3:0]       end_status_i,
  input  logic [31:0]      end_job_id_i,
  input  logic [63:0]      end_cycles_i,
  input  logic [63:0]      addr_i,          // its slot
  // record
  output logic             rec_valid_o,
  input  logic             rec_ready_i,
  output logic [63:0]      rec_addr_o,
  output logic [LEN_W-1:0] rec_bytes_o,
  output logic             rec_data_valid_o,
  input  logic             rec_data_ready_i,
  output logic [SEG_W-1:0] rec_data_o,
  // write port
  input  logic             wr_error_i,
  input  logic             wr_idle_i,
  output logic             fault_watch_o,   // an error of the record decides how the job ends
  // state
  output logic             busy_o,
  output logic             complete_o,
  output logic [3:0]       status_o,
  output logic [31:0]      job_id_o         // 0 if its descriptor could not be read
);
  typedef enum logic [2:0] {
    StIdle,
    StRecord,    // ask for the write
    StRecData,
    StRecWait,   // until it is acknowledged
    StComplete
  } state_e;
  localparam int unsigned RecSegs = (SEG_W >= 128) ? 1 : (128 / SEG_W);

  state_e      state_q;
  logic [3:0]  status_q;
  logic [31:0] job_id_q;
  logic [63:0] cycles_q;
  logic [1:0]  seg_q;
  assign busy_o     = (state_q != StIdle);
  assign complete_o = (state_q == StComplete);
  assign status_o   = status_q;
  assign job_id_o   = job_id_q;

  logic [127:0] record;
  assign record = {cycles_q, job_id_q, 28'd0, status_q};
  assign rec_valid_o      = (state_q == StRecord);
  assign rec_addr_o       = addr_i + 64'(mxe_reg_pkg::DESC_STATUS_LSB) / 64'd8;
  assign rec_bytes_o      = LEN_W'(16);
  assign rec_data_valid_o = (state_q == StRecData);
  if (RecSegs == 1) begin : gen_rec_one
    assign rec_data_o = SEG_W'(record);
  end else begin : gen_rec_parts
    // The count goes on to the number of segments, where nothing is left of the record.
    assign rec_data_o = record[32'(seg_q[$clog2(RecSegs)-1:0]) * SEG_W +: SEG_W];
  end
  assign fault_watch_o = ((state_q == StRecData) | (state_q == StRecWait)) &
                         (status_q != mxe_reg_pkg::STATUS_ERR_READ[3:0]) &
                         (status_q != mxe_reg_pkg::STATUS_ERR_WRITE[3:0]);

  // A descriptor that could not be read has no id, and its slot is not written.
  logic no_record;
  assign no_record = (end_status_i == mxe_reg_pkg::STATUS_ERR_FETCH[3:0]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      status_q <= '0;
      job_id_q <= '0;
      cycles_q <= '0;
      seg_q    <= '0;
    end else begin
      case (state_q)
        StIdle: begin
          if (end_i) begin
            status_q <= end_status_i;
            job_id_q <= no_record ? 32'd0 : end_job_id_i;
            cycles_q <= end_cycles_i;
            state_q  <= no_record ? StComplete : StRecord;
          end
        end
        StRecord: begin
          seg_q <= '0;
          if (rec_ready_i) state_q <= StRecData;
        end
        StRecData: begin
          // A record of several bursts can fail before the last of them is sent.
          if (wr_error_i) status_q <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
          if (rec_data_ready_i) begin
            seg_q <= seg_q + 2'd1;
            if (seg_q == 2'(RecSegs - 1)) state_q <= StRecWait;
          end
        end
        StRecWait: begin
          if (wr_error_i) status_q <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
          if (wr_idle_i) state_q <= StComplete;
        end
        default: state_q <= StIdle;  // StComplete
      endcase
    end
  end

  `MXE_STATE_NAMES(state_e)
  `MXE_ASSERT(record_state_known, state_q <= StComplete)
  // One job at a time, and its results have been acknowledged.
  `MXE_REQUIRE(record_one_job, !end_i || !busy_o)
  `MXE_REQUIRE(record_after_results, !rec_valid_o || wr_idle_i)
endmodule
`default_nettype wire
