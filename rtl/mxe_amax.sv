// SPDX-License-Identifier: Apache-2.0
// Largest magnitude of LANES binary32 numbers, reduced to the bits that decide a scale
// (mxe_pkg::AMAX_W). One level of comparisons per cycle: $clog2(LANES) cycles, at least one.
`default_nettype none
module mxe_amax #(
  parameter int unsigned LANES = 8   // a power of two
) (
  input  logic                       clk_i,
  input  logic [LANES*32-1:0]        x_i,
  output logic [mxe_pkg::AMAX_W-1:0] amax_o
);
  localparam int unsigned Levels = $clog2(LANES);
  localparam int unsigned W = mxe_pkg::AMAX_W;

  // Level l starts at number 2 * LANES - (2 * LANES >> l) and has LANES >> l numbers.
  logic [W*(2*LANES-1)-1:0] level;
  for (genvar i = 0; i < LANES; i++) begin : gen_in
    logic unused_sign;
    assign level[W*i +: W] = {x_i[32*i+15 +: 16], |x_i[32*i +: 15]};
    assign unused_sign     = x_i[32*i + 31];
  end
  for (genvar l = 1; l <= Levels; l++) begin : gen_level
    localparam int unsigned From = 2 * LANES - (2 * LANES >> (l - 1));
    localparam int unsigned To = 2 * LANES - (2 * LANES >> l);
    for (genvar i = 0; i < (LANES >> l); i++) begin : gen_pair
      logic [W-1:0] a, b, max_q;
      assign a = level[W*(From + 2*i) +: W];
      assign b = level[W*(From + 2*i + 1) +: W];
      always_ff @(posedge clk_i) max_q <= (a > b) ? a : b;
      assign level[W*(To + i) +: W] = max_q;
    end
  end

  if (Levels == 0) begin : gen_one
    logic [W-1:0] one_q;
    always_ff @(posedge clk_i) one_q <= level[W-1:0];
    assign amax_o = one_q;
  end else begin : gen_tree
    assign amax_o = level[W*(2*LANES-2) +: W];
  end
endmodule
`default_nettype wire
