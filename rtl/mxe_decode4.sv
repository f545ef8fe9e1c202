// SPDX-License-Identifier: Apache-2.0
// Magnitude of a 4-bit element as an integer: E2M1 in units of 1/2 (6.0 -> 12), E1M2
// in units of 1/4 (1.75 -> 7).
`default_nettype none
module mxe_decode4 (
  input  logic [2:0] code_i,  // without the sign
  input  logic       man2_i,  // E1M2
  output logic [3:0] mag_o
);
  always_comb begin
    if (man2_i) begin
      mag_o = {1'b0, code_i};
    end else begin
      case (code_i[2:1])
        2'd0:    mag_o = {3'd0, code_i[0]};
        2'd1:    mag_o = {2'd0, 1'b1, code_i[0]};
        2'd2:    mag_o = {1'b0, 1'b1, code_i[0], 1'b0};
        default: mag_o = {1'b1, code_i[0], 2'b00};
      endcase
    end
  end
endmodule
`default_nettype wire
