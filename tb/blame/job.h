// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"
#include "tb/blame/wide.h"

namespace mxe::blame {

/// Decodes the fmt_info_t whose lowest bit is bit `low`.
blocks::FmtInfo format_of(const Wide& bits, unsigned low);

struct Job {
  struct Operand {
    blocks::FmtInfo fmt;
    uint64_t addr = 0, scale_addr = 0;
    uint32_t stride = 0, scale_stride = 0, word_bytes = 0, row_bytes = 0, coarse = 0;
  };
  Operand a, b;
  struct {
    bool en = false, last = false, bf16 = false, one_row = false;
    uint64_t addr = 0;
    uint32_t stride = 0;
  } c;
  struct {
    bool mx = false, two_bytes = false, fp16 = false, special = false;
    blocks::FmtInfo fmt;
    uint32_t rule = 0, stride = 0, scale_stride = 0;
    uint64_t addr = 0, scale_addr = 0;
  } d;
  uint32_t batch = 0, m = 0, n = 0, k_blocks = 0, k_words = 0, tail_count = 0;
  bool dual = false, nvfp4 = false, alpha_en = false;
  uint32_t alpha = 0, scale_shift = 0;

  Job() = default;
  /// Throws Error if job_t has an unexpected width.
  explicit Job(const Wide& job);
};

}  // namespace mxe::blame
