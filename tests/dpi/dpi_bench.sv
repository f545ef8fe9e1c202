// SPDX-License-Identifier: Apache-2.0
// Blocks of the RTL against the reference through mxe_dpi_pkg: steps of a processing element for every pair of formats
// and for NVFP4, the merge of two chains, and the requantiser. Ends at the first difference.
module dpi_bench;
  import mxe_dpi_pkg::*;

  localparam int unsigned Rounds = 4;    // of all pairs of formats
  localparam int unsigned Settled = 16;  // cycles after which constant inputs have reached all outputs

  logic         clk = 1'b0;
  logic [2:0]   fmt_a, fmt_b, fmt_d;
  logic         dual, nvfp4, special;
  logic [255:0] a_word, b_word, x;
  logic [6:0]   b_count;
  logic [31:0]  a_scale, b_scale, init, even, odd, even70, odd70, even42, odd42, merged;
  logic [1:0]   rule;
  logic [7:0]   scale, code;
  logic         over;
  always #5 clk = ~clk;

  block_top dut (
    .clk_i(clk), .fmt_a_i(fmt_a), .fmt_b_i(fmt_b), .dual_i(dual), .nvfp4_i(nvfp4), .a_word_i(a_word),
    .b_word_i(b_word), .b_count_i(b_count), .a_scale_i(a_scale), .b_scale_i(b_scale), .init_i(init),
    .even70_o(even70), .odd70_o(odd70), .even42_o(even42), .odd42_o(odd42), .even_i(even), .odd_i(odd),
    .merged_o(merged), .fmt_d_i(fmt_d), .rule_i(rule), .special_i(special), .x_i(x), .scale_o(scale),
    .code_o(code), .over_o(over)
  );

  string error;
  int    checks = 0;

  function automatic string format_name(input int unsigned index);
    case (index)
      0:       return "mxfp4_e2m1";
      1:       return "mxfp4_e1m2";
      2:       return "mxfp6_e2m3";
      3:       return "mxfp6_e3m2";
      4:       return "mxfp8_e4m3";
      5:       return "mxfp8_e5m2";
      default: return "mxint8";
    endcase
  endfunction
  function automatic int unsigned format_bits(input int unsigned index);
    return (index < 2) ? 4 : (index < 4) ? 6 : 8;
  endfunction
  function automatic byte unsigned random_code(input int unsigned bits);
    return 8'($urandom() & ((32'd1 << bits) - 1));
  endfunction

  task automatic must_succeed();
    if (error != "") $fatal(1, "%s", error);
  endtask
  task automatic must_equal(input string what, input logic [31:0] got, input logic [31:0] want);
    checks++;
    if (got !== want) $fatal(1, "%s: 0x%08x from the RTL, 0x%08x from the reference", what, got, want);
  endtask

  // Elements of up to two steps of 32, as mxe_decode_word reads them: two per lane at the dual rate.
  byte unsigned a_codes[64], b_codes[64];
  byte unsigned a_first[32], b_first[32], a_second[32], b_second[32];
  byte unsigned a_byte[1], b_byte[1], a_four[4], b_four[4];
  task automatic draw_codes(input int unsigned a, input int unsigned b);
    for (int i = 0; i < 64; i++) begin
      a_codes[i] = (dual || nvfp4 || i < 32) ? random_code(format_bits(a)) : 8'd0;
      b_codes[i] = (dual || nvfp4 || i < 32) ? random_code(format_bits(b)) : 8'd0;
    end
    for (int i = 0; i < 32; i++) begin
      a_first[i]          = a_codes[i];
      b_first[i]          = b_codes[i];
      a_second[i]         = a_codes[32 + i];
      b_second[i]         = b_codes[32 + i];
      a_word[8*i +: 8] = a_codes[i] | ((dual || nvfp4) ? a_codes[32 + i] << 4 : 8'd0);
      b_word[8*i +: 8] = b_codes[i] | ((dual || nvfp4) ? b_codes[32 + i] << 4 : 8'd0);
    end
    fmt_a   = 3'(a);
    fmt_b   = 3'(b);
    b_count = (dual || nvfp4) ? 7'd64 : 7'd32;
  endtask

  int unsigned acc;
  bit [127:0]  sum;
  int          exponent, special_sum;
  task automatic check_pair(input int unsigned a, input int unsigned b);
    string job;
    nvfp4 = 1'b0;
    dual  = (a < 2) && (b < 2) && ($urandom() & 1) != 0;
    draw_codes(a, b);
    a_scale = {16'd0, 8'($urandom_range(100, 150)), 8'($urandom_range(100, 150))};
    b_scale = {16'd0, 8'($urandom_range(100, 150)), 8'($urandom_range(100, 150))};
    init    = {1'($urandom()), 8'($urandom_range(100, 150)), 23'($urandom())};
    repeat (Settled) @(posedge clk);
    job       = {"k=32 format_a=", format_name(a), " format_b=", format_name(b)};
    acc       = init;
    a_byte[0] = a_scale[7:0];
    b_byte[0] = b_scale[7:0];
    error     = mxe_dpi_step(job, a_first, a_byte, b_first, b_byte, acc, sum, exponent, special_sum);
    must_succeed();
    must_equal({job, ", accumulator"}, even70, acc);
    if (dual) begin
      acc       = 0;
      a_byte[0] = a_scale[15:8];
      b_byte[0] = b_scale[15:8];
      error     = mxe_dpi_step(job, a_second, a_byte, b_second, b_byte, acc, sum, exponent, special_sum);
      must_succeed();
      must_equal({job, ", odd accumulator"}, odd70, acc);
    end
  endtask

  task automatic check_nvfp4();
    nvfp4 = 1'b1;
    dual  = 1'b1;  // as on every engine with FP4_DUAL
    draw_codes(0, 0);
    for (int i = 0; i < 4; i++) begin
      a_four[i]            = 8'($urandom_range(0, 126));
      b_four[i]            = 8'($urandom_range(0, 126));
      a_scale[8*i +: 8] = a_four[i];
      b_scale[8*i +: 8] = b_four[i];
    end
    init = {1'($urandom()), 8'($urandom_range(100, 150)), 23'($urandom())};
    repeat (Settled) @(posedge clk);
    acc   = init;
    error = mxe_dpi_step("k=64 format_a=nvfp4 format_b=nvfp4", a_codes, a_four, b_codes, b_four, acc, sum,
                     exponent, special_sum);
    must_succeed();
    must_equal("nvfp4, accumulator", even70, acc);
    if (exponent != -20) $fatal(1, "nvfp4: the unit of a sum is 2^%0d, not 2^-20", exponent);
  endtask

  task automatic check_merge();
    even = $urandom();
    odd  = (even & 32'h7F00_0000) | ($urandom() & 32'h80FF_FFFF);
    repeat (Settled) @(posedge clk);
    must_equal("merged chains", merged, mxe_dpi_merge(even, odd));
  endtask

  function automatic string rule_name(input logic [1:0] index);
    case (index)
      2'd0:    return "floor";
      2'd1:    return "ceil";
      2'd2:    return "even";
      default: return "rceil";
    endcase
  endfunction
  task automatic check_requantizer();
    int unsigned     numbers[8];
    byte unsigned    codes[8], scales[1];
    longint unsigned overflows;
    string           text;
    for (int i = 0; i < 8; i++) begin
      numbers[i]    = {1'($urandom()), 8'($urandom_range(110, 120)), 23'($urandom())};
      x[32*i +: 32] = numbers[i];
    end
    fmt_d   = 3'($urandom_range(0, 6));
    rule    = 2'($urandom());
    special = 1'($urandom());
    repeat (Settled) @(posedge clk);
    text  = {"k=8 format=", format_name(32'(fmt_d)), " rule=", rule_name(rule),
             " overflow=", special ? "special" : "saturate"};
    error = mxe_dpi_requantize(text, numbers, codes, scales, overflows);
    must_succeed();
    must_equal({text, ", scale"}, 32'(scale), 32'(scales[0]));
    must_equal({text, ", first element"}, 32'(code), 32'(codes[0]));
  endtask

  // A job of two steps, in the processing element one after the other, against mxe_dpi_gemm.
  task automatic check_job(input int unsigned a, input int unsigned b);
    byte unsigned a_scales[2], b_scales[2], no_scales[1], got[4], want[4];
    int unsigned  c[1];
    string        job, difference;
    nvfp4 = 1'b0;
    dual  = 1'b1;
    draw_codes(0, 0);  // fills both halves; 4 bits are codes of all formats
    dual    = 1'b0;
    fmt_a   = 3'(a);
    fmt_b   = 3'(b);
    b_count = 7'd32;
    c[0]    = {1'b0, 8'd127, 23'($urandom())};
    init    = c[0];
    for (int step = 0; step < 2; step++) begin
      a_scales[step] = 8'($urandom_range(120, 134));
      b_scales[step] = 8'($urandom_range(120, 134));
      a_scale        = 32'(a_scales[step]);
      b_scale        = 32'(b_scales[step]);
      for (int i = 0; i < 32; i++) begin
        a_word[8*i +: 8] = a_codes[32*step + i];
        b_word[8*i +: 8] = b_codes[32*step + i];
      end
      repeat (Settled) @(posedge clk);
      init = even70;
    end
    {got[3], got[2], got[1], got[0]} = init;
    job   = {"k=64 bias=full dual=0 format_a=", format_name(a), " format_b=", format_name(b)};
    error = mxe_dpi_gemm(job, a_codes, a_scales, b_codes, b_scales, c, want, no_scales);
    must_succeed();
    difference = mxe_dpi_compare(job, got, no_scales, want, no_scales);
    if (difference != "") $fatal(1, "%s: %s", job, difference);
    got[3] = got[3] ^ 8'h80;
    if (mxe_dpi_compare(job, got, no_scales, want, no_scales) == "") $fatal(1, "a wrong sign is no difference");
    checks++;
  endtask

  // The functions that no block of the RTL computes, against each other.
  localparam string Small = "k=32 format_a=mxfp6_e2m3 format_b=mxfp6_e2m3 address=0x1000";
  task automatic check_conversions();
    int unsigned     numbers[32], values[32], sums[1], no_c[1], tensor_scale, stride;
    byte unsigned    codes[32], scales[1], again[32], scale_again[1], rows[24], one[2], image[644], head[128];
    longint unsigned overflows, count, address, row_count, row_bytes;
    string           status, broken;
    foreach (numbers[i]) numbers[i] = {1'($urandom()), 8'($urandom_range(120, 127)), 23'($urandom())};
    error = mxe_dpi_quantize("format=mxfp6_e2m3", numbers, codes, scales, tensor_scale);
    must_succeed();
    error = mxe_dpi_requantize("format=mxfp6_e2m3", numbers, again, scale_again, overflows);
    must_succeed();
    if (codes != again || scales != scale_again) $fatal(1, "quantize and requantize differ");
    error = mxe_dpi_decode("format=mxfp6_e2m3", codes, scales, values);
    must_succeed();
    error = mxe_dpi_requantize("format=mxfp6_e2m3", values, again, scale_again, overflows);
    must_succeed();
    if (codes != again) $fatal(1, "decoded numbers have other codes");
    error = mxe_dpi_pack("format=mxfp6_e2m3", codes, rows);
    must_succeed();
    error = mxe_dpi_unpack("format=mxfp6_e2m3", rows, again);
    must_succeed();
    if (codes != again) $fatal(1, "unpacked codes differ");
    sums[0] = 32'h3F81_8000;  // a tie between two numbers of BF16
    error   = mxe_dpi_epilogue("results=bf16", sums, no_c, one, scale_again);
    must_succeed();
    must_equal("BF16", {16'd0, one[1], one[0]}, 32'h3F82);
    error = mxe_dpi_count(Small, "image", count);
    must_succeed();
    must_equal("bytes of an image", 32'(count), $bits(image) / 8);
    error = mxe_dpi_image(Small, 5, codes, scales, codes, scales, no_c, image);
    must_succeed();
    error = mxe_dpi_descriptor(Small, 5, head);
    must_succeed();
    foreach (head[i]) if (head[i] != image[i]) $fatal(1, "the image begins with another descriptor");
    error = mxe_dpi_place(Small, "b", address, stride, row_count, row_bytes);
    must_succeed();
    foreach (rows[i]) if (rows[i] != image[address - 'h1000 + i]) $fatal(1, "the image has another B");
    error = mxe_dpi_check("small", "k=32 d_addr=0x1001", status, broken);
    must_succeed();
    if (status != "MXE_ERR_ALIGN") $fatal(1, "%s: %s", status, broken);
  endtask

  initial begin
    {even, odd, x, fmt_d, rule, special} = '0;
    for (int round = 0; round < Rounds; round++) begin
      for (int a = 0; a < 7; a++) begin
        for (int b = 0; b < 7; b++) check_pair(a, b);
      end
      for (int i = 0; i < 50; i++) begin
        check_nvfp4();
        check_merge();
        check_requantizer();
        check_job(i % 7, i % 5);
      end
    end
    check_conversions();
    error = mxe_dpi_step("k=32 format_a=mxfp5", a_first, a_byte, b_first, b_byte, acc, sum, exponent, special_sum);
    if (error == "") $fatal(1, "an unknown format is no error");
    $display("%0d values are equal; an error: %s", checks, error);
    $finish;
  end
endmodule
