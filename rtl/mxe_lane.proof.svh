// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_lane, inside its module.
  // The output plus the missing one equals the product at its position. The products themselves are
  // checked in simulation.
  logic [WIDTH-1:0] f_one, f_odd, f_even, f_two;
  assign f_one  = {{(WIDTH-16){1'b0}}, mag_q} << {grp_q, 2'b00};
  assign f_odd  = {{(WIDTH-8){1'b0}}, mag_q[15:8]};
  assign f_even = {{(WIDTH-8){1'b0}}, mag_q[7:0]};
  assign f_two  = ((neg_q[1] ? -f_odd : f_odd) << mxe_pkg::PACK_POS) + (neg_q[0] ? -f_even : f_even);
  always_comb begin
    lane_one : assert (dual_i || (product_o + WIDTH'(neg_q[0]) == (neg_q[0] ? -f_one : f_one)));
    lane_two : assert (!dual_i || (grp_q != '0) ||
                       (product_o + WIDTH'(neg_q[0]) + (WIDTH'(neg_q[1]) << mxe_pkg::PACK_POS) -
                        (WIDTH'(neg_q[0]) << mxe_pkg::PACK_POS) == f_two));
  end
