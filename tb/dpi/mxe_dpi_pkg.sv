// SPDX-License-Identifier: Apache-2.0
// The reference of MXE in SystemVerilog (IEEE 1800-2012): the functions of mxe_dpi.h, which documents them. Each returns
// "" or one line that names the problem and the allowed values.
//
// Arrays have one dimension and exactly as many elements as the job (mxe_dpi_count); where it has none, pass an array of one
// element. FP32 numbers are their bits.
package mxe_dpi_pkg;
  // Number of elements of an array of a job: a, a_scales, b, b_scales, c, d, d_scales, or bytes of its image.
  import "DPI-C" function string mxe_dpi_count(
    input string job, input string part, output longint unsigned count);

  // Numbers to codes and scales, and back. "rows=2 k=64 format=mxfp8_e4m3 scale_rule=ceil"
  import "DPI-C" mxe_dpi_sv_quantize = function string mxe_dpi_quantize(
    input string text, input int unsigned x[], inout byte unsigned codes[], inout byte unsigned scales[],
    output int unsigned tensor_scale);
  import "DPI-C" mxe_dpi_sv_decode = function string mxe_dpi_decode(
    input string text, input byte unsigned codes[], input byte unsigned scales[], inout int unsigned values[]);

  // Codes to rows of bytes as in memory, and back. "rows=2 k=64 format=mxfp6_e2m3"
  import "DPI-C" mxe_dpi_sv_pack = function string mxe_dpi_pack(
    input string text, input byte unsigned codes[], inout byte unsigned packed_rows[]);
  import "DPI-C" mxe_dpi_sv_unpack = function string mxe_dpi_unpack(
    input string text, input byte unsigned packed_rows[], inout byte unsigned codes[]);

  // Adds the exact sum of a step of up to 16, 32 or 64 products to acc. The sum is sum * 2^exponent. special: 0, or 1 NaN,
  // 2 infinity, 3 minus infinity. "k=32 format_a=mxfp4_e2m1"
  import "DPI-C" mxe_dpi_sv_step = function string mxe_dpi_step(
    input string job, input byte unsigned a[], input byte unsigned a_scales[], input byte unsigned b[],
    input byte unsigned b_scales[], inout int unsigned acc, output bit [127:0] sum, output int exponent,
    output int special);
  // Adds the accumulators of two chains.
  import "DPI-C" function int unsigned mxe_dpi_merge(input int unsigned even, input int unsigned odd);

  // A whole job: D and its scales as in memory. "m=4 n=8 k=64 results=bf16 bias=row"
  import "DPI-C" mxe_dpi_sv_gemm = function string mxe_dpi_gemm(
    input string job, input byte unsigned a[], input byte unsigned a_scales[], input byte unsigned b[],
    input byte unsigned b_scales[], input int unsigned c[], inout byte unsigned d[], inout byte unsigned d_scales[]);
  // From sums to D: ALPHA with C, and the format of the results.
  import "DPI-C" mxe_dpi_sv_epilogue = function string mxe_dpi_epilogue(
    input string job, input int unsigned sums[], input int unsigned c[], inout byte unsigned d[],
    inout byte unsigned d_scales[]);
  // Numbers to codes and scales of a result. "rows=1 k=64 format=mxfp4_e2m1 rule=even overflow=special"
  import "DPI-C" mxe_dpi_sv_requantize = function string mxe_dpi_requantize(
    input string text, input int unsigned x[], inout byte unsigned codes[], inout byte unsigned scales[],
    output longint unsigned overflows);

  // Place of a part: a, b, c, d, a_scale, b_scale, d_scale.
  import "DPI-C" function string mxe_dpi_place(
    input string job, input string part, output longint unsigned address, output int unsigned stride,
    output longint unsigned rows, output longint unsigned row_bytes);
  // The 128 bytes of the descriptor.
  import "DPI-C" mxe_dpi_sv_descriptor = function string mxe_dpi_descriptor(
    input string job, input int unsigned id, inout byte unsigned bytes[]);
  // Checks a job by the rules of an engine, "small NVFP4=0": status MXE_OK or an error, and the broken rule or "".
  import "DPI-C" function string mxe_dpi_check(
    input string engine, input string job, output string status, output string rule);
  // The memory of a job from its address on: descriptor, operands, zeros.
  import "DPI-C" mxe_dpi_sv_image = function string mxe_dpi_image(
    input string job, input int unsigned id, input byte unsigned a[], input byte unsigned a_scales[],
    input byte unsigned b[], input byte unsigned b_scales[], input int unsigned c[], inout byte unsigned bytes[]);

  // "" if the results are equal, else the first difference: row, column, bits and numbers.
  import "DPI-C" mxe_dpi_sv_compare = function string mxe_dpi_compare(
    input string job, input byte unsigned got[], input byte unsigned got_scales[], input byte unsigned want[],
    input byte unsigned want_scales[]);
endpackage
