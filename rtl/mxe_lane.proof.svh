// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_lane, inside its module.
  // The output plus its missing ones equals the product at its position, or the two products as
  // separate numbers. The products themselves are checked in simulation.
  localparam int unsigned Pos = mxe_pkg::PACK_POS;
  logic [WIDTH-1:0]     f_one;
  logic [Pos-1:0]       f_even;
  logic [WIDTH-Pos-1:0] f_odd;
  assign f_one  = {{(WIDTH-16){1'b0}}, mag_q} << {grp_q, 2'b00};
  assign f_even = {{(Pos-8){1'b0}}, mag_q[7:0]};
  assign f_odd  = {{(WIDTH-Pos-8){1'b0}}, mag_q[15:8]};
  always_comb begin
    lane_one  : assert (dual_i || (product_o + WIDTH'(ones_o[0]) == (neg_q[0] ? -f_one : f_one)));
    lane_even : assert (!dual_i || (grp_q != '0) ||
                        (product_o[Pos-1:0] + Pos'(ones_o[0]) == (neg_q[0] ? -f_even : f_even)));
    lane_odd  : assert (!dual_i || (grp_q != '0) ||
                        (product_o[WIDTH-1:Pos] + (WIDTH-Pos)'(ones_o[1]) ==
                         (neg_q[1] ? -f_odd : f_odd)));
  end
