// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_counters, inside its module.
  // For proofs the same property in steps of one addition each: partial sum i counts the cycles of
  // causes First to i. The last partial sum equals total.
  `MXE_FORMAL_START
  logic [Idle:First] f_add_up;
  for (genvar i = First; i <= Idle; i++) begin : gen_partial
    logic [63:0] sum_q;
    logic        counted;
    if (i == First) begin : gen_first
      assign counted = grows[i];
      assign f_add_up[i] = (sum_q == live[64*i +: 64]);
    end else begin : gen_further
      assign counted = gen_partial[i-1].counted | grows[i];
      assign f_add_up[i] = (sum_q == gen_partial[i-1].sum_q + live[64*i +: 64]);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sum_q <= '0;
      else if (clear_i) sum_q <= '0;
      else if (enable_i) sum_q <= sum_q + 64'(counted);
    end
  end
  `MXE_ASSERT(counters_add_up, (&f_add_up) && (live[64*Total +: 64] == gen_partial[Idle].sum_q))
