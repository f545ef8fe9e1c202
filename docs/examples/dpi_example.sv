// SPDX-License-Identifier: Apache-2.0
module dpi_example;
  import mxe_dpi_pkg::*;
  logic clk = 1'b0;
  logic [31:0] even, odd, sum;
  mxe_merge dut (.clk_i(clk), .even_i(even), .odd_i(odd), .sum_o(sum));
  always #5 clk = ~clk;
  initial begin
    repeat (1000) begin
      even = $urandom();
      odd  = $urandom();
      repeat (8) @(posedge clk);
      if (sum != mxe_dpi_merge(even, odd)) $fatal(1, "%h + %h is %h", even, odd, sum);
    end
    $display("1000 sums of the RTL equal the reference");
    $finish;
  end
endmodule
