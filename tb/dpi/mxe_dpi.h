// SPDX-License-Identifier: Apache-2.0
/// @file
/// The reference of MXE for test benches in any simulator: libmxe_dpi. Plain C functions for C,
/// Python's ctypes and others; mxe_dpi_pkg.sv imports them into SystemVerilog, mxe_dpi.py into
/// Python.
///
/// Every function returns "" on success, else one line: the function, the problem, the allowed
/// values. It never ends the program. After an error the outputs have their old values. The text is
/// valid until the next call in the same thread.
///
///     uint8_t d[4];
///     const char* error =
///         mxe_dpi_gemm("k=2", a, 2, a_scales, 1, b, 2, b_scales, 1, NULL, 0, d, 4, NULL, 0);
///     if (*error) puts(error);
///
/// A text of words NAME=VALUE describes numbers and names, for example "m=4 k=64 format_a=nvfp4".
/// Its words are in any order, and absent ones have defaults. The words of a job:
///
///     m, n, k, batch      shape of a product and number of products; default 1
///     format_a, format_b  mxfp4_e2m1, mxfp4_e1m2, mxfp6_e2m3, mxfp6_e3m2, mxfp8_e4m3 (default),
///                         mxfp8_e5m2, mxint8, nvfp4
///     block_a, block_b    elements that share a scale: 16, 32 (default), 64, 128, or none for
///                         elements without scales
///     results             fp32 (default), bf16, fp16 or an MX format
///     rule, overflow      of MX results: floor (default), ceil, even, rceil; saturate (default),
///                         special
///     bias, bias_format   none (default), row, full; fp32 (default), bf16
///     alpha               factor of all sums: a decimal number, or FP32 bits such as 0x3f800000
///     dual                1 (default): the engine has FP4_DUAL; 0: it does not
///     accumulate          block (default, the engine's rule), exact, sequential, nvidia-blackwell
///     address             first address of an image; default 0x80000000
///     P_addr, P_stride    place of a part P of an image: a, b, c, d, a_scale, b_scale, d_scale
///
/// Elements are codes, one per byte, right aligned, row after row: A[batch * m][k], B[batch *
/// n][k]. Scales are one byte per block, [rows][ceil(k / block)]. FP32 numbers are their bits. C is
/// [n] with bias=row and [batch * m][n] with bias=full. D is [batch * m] rows of bytes as in
/// memory. Each array is followed by its number of elements, which must be that of mxe_dpi_count().
/// An array without elements may be null.
#ifndef MXE_DPI_H_
#define MXE_DPI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Elements of an array of mxe_dpi_gemm() (`part`: a, a_scales, b, b_scales, c, d, d_scales), or
/// bytes of the image.
const char* mxe_dpi_count(const char* job, const char* part, uint64_t* count);

/// Quantizes x[rows][k] along k. `text`: rows (default 1), k (32), format (as format_a, or another
/// of docs/numerics.md), preset (default ocp) and switches of the preset, for example "k=64
/// format=mxfp8_e4m3 scale_rule=ceil block_size=16". `tensor_scale`: FP32 bits, 1 unless the preset
/// has one.
const char* mxe_dpi_quantize(const char* text, const uint32_t* x, size_t x_count, uint8_t* codes,
                             size_t code_count, uint8_t* scales, size_t scale_count,
                             uint32_t* tensor_scale);

/// Element times scale as FP32 bits, every NaN 0x7fc00000. `text`: rows, k, format and block, as
/// format_a and block_a.
const char* mxe_dpi_decode(const char* text, const uint8_t* codes, size_t code_count,
                           const uint8_t* scales, size_t scale_count, uint32_t* values,
                           size_t value_count);

/// Packs codes into rows of bytes as in memory, and back. `text`: rows, k and format. Example: 5
/// elements of 6 bits take 4 bytes.
const char* mxe_dpi_pack(const char* text, const uint8_t* codes, size_t code_count, uint8_t* packed,
                         size_t packed_count);
const char* mxe_dpi_unpack(const char* text, const uint8_t* packed, size_t packed_count,
                           uint8_t* codes, size_t code_count);

/// One step of a sum along K: the products of k elements of a row of A and a row of B. Adds their
/// exact sum to *acc (FP32 bits) with one rounding. The sum is sum * 2^exponent; `sum` has 128 bits
/// in two's complement, lowest word first. `special`: 0, or 1 NaN, 2 infinity, 3 minus infinity
/// instead of the sum. k is at most the step of the formats: 16, 32 or 64 (docs/numerics.md). The
/// shape is m=1 n=1; the caller keeps the accumulators of two chains.
const char* mxe_dpi_step(const char* job, const uint8_t* a, size_t a_count, const uint8_t* a_scales,
                         size_t a_scale_count, const uint8_t* b, size_t b_count,
                         const uint8_t* b_scales, size_t b_scale_count, uint32_t* acc,
                         uint32_t sum[4], int* exponent, int* special);

/// Adds the accumulators of two chains, FP32 bits, with one rounding.
uint32_t mxe_dpi_merge(uint32_t even, uint32_t odd);

/// D and its scales as the engine writes them, without gaps between rows.
const char* mxe_dpi_gemm(const char* job, const uint8_t* a, size_t a_count, const uint8_t* a_scales,
                         size_t a_scale_count, const uint8_t* b, size_t b_count,
                         const uint8_t* b_scales, size_t b_scale_count, const uint32_t* c,
                         size_t c_count, uint8_t* d, size_t d_count, uint8_t* d_scales,
                         size_t d_scale_count);

/// From the accumulators sums[batch * m][n] to D: with alpha, the product and C; then the format of
/// the results. Without alpha the sums contain C, and there is no c.
const char* mxe_dpi_epilogue(const char* job, const uint32_t* sums, size_t sum_count,
                             const uint32_t* c, size_t c_count, uint8_t* d, size_t d_count,
                             uint8_t* d_scales, size_t d_scale_count);

/// Requantizes FP32 numbers x[rows][k] in blocks of 32 along k. `text`: rows, k, format, rule and
/// overflow. `overflows`: elements that round beyond the largest of the format.
const char* mxe_dpi_requantize(const char* text, const uint32_t* x, size_t x_count, uint8_t* codes,
                               size_t code_count, uint8_t* scales, size_t scale_count,
                               uint64_t* overflows);

/// Place of a part in memory (a, b, c, d, a_scale, b_scale, d_scale). A part that the job lacks has
/// no rows.
const char* mxe_dpi_place(const char* job, const char* part, uint64_t* address, uint32_t* stride,
                          uint64_t* rows, uint64_t* row_bytes);

/// The 128 bytes of the job's descriptor.
const char* mxe_dpi_descriptor(const char* job, uint32_t id, uint8_t* bytes, size_t count);

/// Checks a job by the rules of an engine, such as "base" or "small NVFP4=0" (a configuration, then
/// parameters). *status: MXE_OK, or MXE_ERR_ALIGN and others of mxe_driver.h; *rule: the first
/// broken rule, or "". Both are valid until the next call in the same thread.
const char* mxe_dpi_check(const char* engine, const char* job, const char** status,
                          const char** rule);

/// The memory of a job from its address on: descriptor, operands, zeros for results and gaps.
const char* mxe_dpi_image(const char* job, uint32_t id, const uint8_t* a, size_t a_count,
                          const uint8_t* a_scales, size_t a_scale_count, const uint8_t* b,
                          size_t b_count, const uint8_t* b_scales, size_t b_scale_count,
                          const uint32_t* c, size_t c_count, uint8_t* bytes, size_t count);

/// Compares results of mxe_dpi_gemm(). Returns "" if they are equal, else one line with the first
/// different element: its row and column, both bits and both numbers. All NaN of FP32, BF16 and
/// FP16 are equal; MX results are compared by bytes.
const char* mxe_dpi_compare(const char* job, const uint8_t* got, size_t got_count,
                            const uint8_t* got_scales, size_t got_scale_count, const uint8_t* want,
                            size_t want_count, const uint8_t* want_scales, size_t want_scale_count);

#ifdef __cplusplus
}
#endif

#endif
