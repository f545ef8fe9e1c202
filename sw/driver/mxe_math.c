// SPDX-License-Identifier: Apache-2.0
#include "mxe_math.h"

// Multiplications and divisions of 64 bits, and copies of structures, would be calls of a library
// on some processors: there are none below.

// Numbers may be floats or integers to their owner; here they are bits.
#if defined(__GNUC__)
typedef uint32_t __attribute__((may_alias)) number32;
typedef uint16_t __attribute__((may_alias)) number16;
#else
typedef uint32_t number32;
typedef uint16_t number16;
#endif

#define MAGNITUDE UINT32_C(0x7FFFFFFF)
#define INFINITE UINT32_C(0x7F800000)
#define QUIET_NAN UINT32_C(0x7FC00000)
#define HIDDEN UINT32_C(0x00800000)  // the leading one of an FP32 significand
#define BIAS 127
#define NAN_SCALE 0xFFu

// An element format. Codes count up from zero in steps of the last bit, which weighs 2^(min_log2 -
// mantissa) up to the first normal binade and doubles with each further one. Integers are the
// subnormals of a format that has one binade.
struct format {
  uint8_t stored_bits;       // in a packed row
  uint8_t mantissa;          // bits
  int8_t min_log2;           // log2 of the smallest normal number
  int8_t max_log2;           // floor(log2 of the largest finite number)
  uint8_t max_code;          // the largest finite number
  uint8_t infinity;          // code; 0: there is none
  bool integer;              // two's complement
  uint32_t max_significand;  // of the largest finite number, as an FP32 significand
};

static const struct format formats[] = {
    {4, 1, 0, 2, 0x07, 0, false, 0xC00000},        // mxfp4_e2m1
    {4, 2, 0, 0, 0x07, 0, false, 0xE00000},        // mxfp4_e1m2
    {6, 3, 0, 2, 0x1F, 0, false, 0xF00000},        // mxfp6_e2m3
    {6, 2, -2, 4, 0x1F, 0, false, 0xE00000},       // mxfp6_e3m2
    {8, 3, -6, 8, 0x7E, 0, false, 0xE00000},       // mxfp8_e4m3
    {8, 2, -14, 15, 0x7B, 0x7C, false, 0xE00000},  // mxfp8_e5m2
    {8, 6, 0, 0, 0x7F, 0, true, 0xFE0000},         // mxint8
};

static const struct format* find_format(uint32_t code) {
  return code < sizeof formats / sizeof formats[0] ? &formats[code] : NULL;
}

// The sign's bit of a code.
static uint32_t sign_bit(const struct format* f) { return UINT32_C(1) << (f->stored_bits - 1); }

static uint32_t packed_bytes(const struct format* f, uint32_t count) {
  if (f->stored_bits == 4) return count / 2 + (count & 1);
  if (f->stored_bits == 6) return count / 4 * 3 + ((count & 3) * 6 + 7) / 8;
  return count;
}

uint32_t mxe_row_bytes(uint32_t format, uint32_t k) {
  const struct format* f = find_format(format);
  return f == NULL ? 0 : packed_bytes(f, k);
}

uint32_t mxe_row_scales(uint32_t k) { return k / MXE_BLOCK + (k % MXE_BLOCK != 0 ? 1 : 0); }

// ---- Rows of codes ----------------------------------------------------------------------------

static void pack(const struct format* f, const uint8_t* codes, uint32_t count, uint8_t* row) {
  const uint32_t mask = (sign_bit(f) << 1) - 1;
  uint32_t held = 0;  // bits that do not fill a byte yet
  uint32_t bits = 0;  // how many
  for (uint32_t i = 0; i < count; i++) {
    held |= (codes[i] & mask) << bits;
    bits += f->stored_bits;
    if (bits >= 8) {
      *row++ = (uint8_t)(held & 0xFF);
      held >>= 8;
      bits -= 8;
    }
  }
  if (bits > 0) *row = (uint8_t)held;
}

static void unpack(const struct format* f, const uint8_t* row, uint32_t count, uint8_t* codes) {
  const uint32_t mask = (sign_bit(f) << 1) - 1;
  uint32_t held = 0;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (bits < f->stored_bits) {
      held |= (uint32_t)*row++ << bits;
      bits += 8;
    }
    codes[i] = (uint8_t)(held & mask);
    held >>= f->stored_bits;
    bits -= f->stored_bits;
  }
}

int mxe_pack(uint32_t format, const uint8_t* codes, uint32_t k, uint8_t* row) {
  const struct format* f = find_format(format);
  if (codes == NULL || row == NULL) return MXE_ERR_ARGUMENT;
  if (f == NULL) return MXE_ERR_FORMAT;
  pack(f, codes, k, row);
  return MXE_OK;
}

int mxe_unpack(uint32_t format, const uint8_t* row, uint32_t k, uint8_t* codes) {
  const struct format* f = find_format(format);
  if (codes == NULL || row == NULL) return MXE_ERR_ARGUMENT;
  if (f == NULL) return MXE_ERR_FORMAT;
  unpack(f, row, k, codes);
  return MXE_OK;
}

// ---- Quantizing -------------------------------------------------------------------------------

// A finite FP32 magnitude above 0 as significand * 2^(log2 - 23), with HIDDEN set.
struct parts {
  uint32_t significand;
  int32_t log2;
};

static void split(uint32_t magnitude, struct parts* out) {
  uint32_t significand = magnitude & (HIDDEN - 1);
  int32_t log2 = (int32_t)(magnitude >> 23) - BIAS;
  if (log2 == -BIAS) {  // a subnormal
    for (log2 = 1 - BIAS; significand < HIDDEN; log2--) significand <<= 1;
  }
  out->significand = significand | HIDDEN;
  out->log2 = log2;
}

// The exponent of the scale of a block whose largest magnitude is `amax`, a number above 0.
static int32_t scale_exponent(const struct format* f, uint32_t rule, uint32_t amax) {
  struct parts parts;
  split(amax, &parts);
  const uint32_t half = UINT32_C(1) << (22 - f->mantissa);
  bool up = false;
  if (rule == MXE_RULE_CEIL) {
    up = parts.significand > HIDDEN;
  } else if (rule == MXE_RULE_EVEN) {
    up = parts.significand + half >= 2 * HIDDEN;
  } else if (rule == MXE_RULE_RCEIL) {
    up = parts.significand > f->max_significand;
  }
  const int32_t exponent = parts.log2 - f->max_log2 + (up ? 1 : 0);
  if (exponent < -BIAS) return -BIAS;
  return exponent > BIAS ? BIAS : exponent;
}

// The code of an FP32 number of a block with the scale 2^exponent, which leaves nothing above the
// binade of the largest code.
static uint32_t encode(const struct format* f, int32_t exponent, uint32_t number) {
  const uint32_t magnitude = number & MAGNITUDE;
  uint32_t code = 0;
  if (magnitude != 0) {
    struct parts parts;
    split(magnitude, &parts);
    const int32_t binade = parts.log2 - exponent - f->min_log2;  // above the first normal one
    uint32_t drop = 23u - f->mantissa;
    if (binade < 0) drop = binade < -8 ? 25 : drop + (uint32_t)-binade;
    if (drop > 25) drop = 25;  // nothing is left of 24 bits, not even by rounding
    const uint32_t odd = (parts.significand >> drop) & 1;
    code = (parts.significand + (UINT32_C(1) << (drop - 1)) - 1 + odd) >> drop;
    // The leading one counts for the first binade.
    if (binade > 0) code += (uint32_t)binade << f->mantissa;
    if (code > f->max_code) code = f->max_code;
  }
  if (number == magnitude) return code;
  return f->integer ? (0u - code) & 0xFF : code | sign_bit(f);
}

// Quantizes x[count], count <= 32, to the codes and the scale of a block.
static void quantize_block(const struct format* f, uint32_t rule, const uint32_t* x, uint32_t count,
                           uint8_t* codes, uint8_t* scale) {
  uint32_t amax = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t magnitude = x[i] & MAGNITUDE;
    if (magnitude > amax) amax = magnitude;
  }
  const bool poisoned = amax >= INFINITE;
  int32_t exponent = -BIAS;
  if (amax > 0 && !poisoned) exponent = scale_exponent(f, rule, amax);
  *scale = (uint8_t)(poisoned ? NAN_SCALE : (uint32_t)(exponent + BIAS));
  for (uint32_t i = 0; i < count; i++) {
    codes[i] = (uint8_t)(poisoned ? 0 : encode(f, exponent, x[i]));
  }
}

// Numbers at, at + step, ... of x as FP32.
static void gather(const struct mxe_numbers* x, size_t at, uint32_t count, uint32_t* out) {
  const number16* bf16 = (const number16*)x->data;
  const number32* fp32 = (const number32*)x->data;
  for (uint32_t i = 0; i < count; i++, at += x->step) {
    out[i] = x->bf16 ? (uint32_t)bf16[at] << 16 : fp32[at];
  }
}

static uint32_t block_length(uint32_t left) { return left < MXE_BLOCK ? left : MXE_BLOCK; }

static bool has_pointers(const struct mxe_elements* e) {
  return e != NULL && e->elements != NULL && e->scales != NULL;
}

int mxe_quantize(const struct mxe_numbers* x, uint32_t rows, uint32_t k, uint32_t rule,
                 const struct mxe_elements* out) {
  if (x == NULL || x->data == NULL || !has_pointers(out)) return MXE_ERR_ARGUMENT;
  if (rule > MXE_RULE_RCEIL) return MXE_ERR_ARGUMENT;
  const struct format* f = find_format(out->format);
  if (f == NULL) return MXE_ERR_FORMAT;
  const uint32_t block_bytes = packed_bytes(f, MXE_BLOCK);
  for (uint32_t row = 0; row < rows; row++) {
    size_t at = row * x->row_step;
    uint8_t* elements = out->elements + row * out->stride;
    uint8_t* scale = out->scales + row * out->scale_stride;
    for (uint32_t left = k; left > 0; left -= block_length(left)) {
      const uint32_t count = block_length(left);
      uint32_t numbers[MXE_BLOCK];
      uint8_t codes[MXE_BLOCK];
      gather(x, at, count, numbers);
      quantize_block(f, rule, numbers, count, codes, scale++);
      pack(f, codes, count, elements);
      elements += block_bytes;
      at += count * x->step;
    }
  }
  return MXE_OK;
}

// ---- And back ---------------------------------------------------------------------------------

// significand * 2^exponent as FP32; significand <= 128, exponent >= -149.
static uint32_t to_fp32(uint32_t significand, int32_t exponent) {
  if (significand == 0) return 0;
  int32_t log2 = exponent + 23;
  uint32_t shifted = significand;
  if (log2 > 16 - BIAS) {  // most of the way at once
    shifted <<= 16;
    log2 -= 16;
  }
  for (; shifted < HIDDEN && log2 > 1 - BIAS; log2--) shifted <<= 1;
  if (shifted < HIDDEN) return shifted;  // a subnormal
  if (log2 > BIAS) return INFINITE;
  return ((uint32_t)(log2 + BIAS) << 23) | (shifted & (HIDDEN - 1));
}

static uint32_t decode(const struct format* f, uint32_t code, uint32_t scale) {
  if (scale == NAN_SCALE) return QUIET_NAN;
  const uint32_t sign = (code & sign_bit(f)) != 0 ? ~MAGNITUDE : 0;
  const int32_t last_bit = f->min_log2 - f->mantissa + (int32_t)scale - BIAS;
  if (f->integer) {
    const uint32_t magnitude = sign != 0 ? 0x100u - code : code;
    return to_fp32(magnitude, last_bit) | sign;
  }
  const uint32_t magnitude = code & (sign_bit(f) - 1);
  if (magnitude > f->max_code) {
    return f->infinity != 0 && magnitude == f->infinity ? INFINITE | sign : QUIET_NAN;
  }
  const uint32_t hidden = UINT32_C(1) << f->mantissa;
  const uint32_t binade = magnitude >> f->mantissa;
  if (binade == 0) return to_fp32(magnitude, last_bit) | sign;
  const uint32_t significand = (magnitude & (hidden - 1)) | hidden;
  return to_fp32(significand, last_bit + (int32_t)binade - 1) | sign;
}

int mxe_dequantize(const struct mxe_elements* q, uint32_t rows, uint32_t k, void* out,
                   size_t row_step) {
  if (!has_pointers(q) || out == NULL) return MXE_ERR_ARGUMENT;
  const struct format* f = find_format(q->format);
  if (f == NULL) return MXE_ERR_FORMAT;
  const uint32_t block_bytes = packed_bytes(f, MXE_BLOCK);
  for (uint32_t row = 0; row < rows; row++) {
    const uint8_t* elements = q->elements + row * q->stride;
    const uint8_t* scale = q->scales + row * q->scale_stride;
    number32* to = (number32*)out + row * row_step;
    for (uint32_t left = k; left > 0; left -= block_length(left)) {
      const uint32_t count = block_length(left);
      uint8_t codes[MXE_BLOCK];
      unpack(f, elements, count, codes);
      for (uint32_t i = 0; i < count; i++) *to++ = decode(f, codes[i], *scale);
      elements += block_bytes;
      scale++;
    }
  }
  return MXE_OK;
}

// ---- Lists of jobs ----------------------------------------------------------------------------

// Where an operand's matrix of the next job lies.
struct place {
  uint64_t addr, scale_addr;
  uint32_t used;  // jobs that have had it
};

static void start(struct place* place, const struct mxe_operand* operand) {
  place->addr = operand->addr;
  place->scale_addr = operand->scale_addr;
  place->used = 0;
}

static void advance(struct place* place, const struct mxe_operand* operand) {
  place->used++;
  if (place->used < operand->share) return;
  place->addr += operand->step;
  place->scale_addr += operand->scale_step;
  place->used = 0;
}

// What all jobs of a list have in common; without C.
static void fill_job(const struct mxe_product* p, struct mxe_job* job) {
  job->format_a = p->a->format;
  job->format_b = p->b->format;
  job->out_format = p->d->format;
  job->out_rule = p->out_rule;
  job->out_overflow = p->out_overflow;
  job->bias = p->c != NULL;
  job->bias_bf16 = p->c != NULL && p->c->format == MXE_OUT_BF16;
  job->m = p->m;
  job->n = p->n;
  job->k = p->k;
  job->a_stride = p->a->stride;
  job->a_scale_stride = p->a->scale_stride;
  job->b_stride = p->b->stride;
  job->b_scale_stride = p->b->scale_stride;
  job->c_stride = p->c != NULL ? p->c->stride : 0;
  job->d_stride = p->d->stride;
  job->d_scale_stride = p->d->scale_stride;
}

static int check(const struct mxe_product* p) {
  if (p->a == NULL || p->b == NULL || p->d == NULL) return MXE_ERR_ARGUMENT;
  if (p->c != NULL && p->c->format != MXE_OUT_FP32 && p->c->format != MXE_OUT_BF16) {
    return MXE_ERR_ARGUMENT;
  }
  if (p->out_rule > MXE_RULE_RCEIL || p->d->format > MXE_OUT_MXINT8) return MXE_ERR_ARGUMENT;
  if (find_format(p->a->format) == NULL || find_format(p->b->format) == NULL) return MXE_ERR_FORMAT;
  if (p->m == 0 || p->n == 0 || p->k == 0) return MXE_ERR_SHAPE;
  return MXE_OK;
}

int mxe_batch(const struct mxe_product* product, uint32_t count, struct mxe_job* jobs) {
  if (product == NULL || jobs == NULL) return MXE_ERR_ARGUMENT;
  const int code = check(product);
  if (code != MXE_OK) return code;
  struct place a, b, c, d;
  start(&a, product->a);
  start(&b, product->b);
  start(&d, product->d);
  c.addr = 0;
  if (product->c != NULL) start(&c, product->c);
  for (uint32_t i = 0; i < count; i++) {
    struct mxe_job* job = &jobs[i];
    fill_job(product, job);
    job->a_addr = a.addr;
    job->a_scale_addr = a.scale_addr;
    job->b_addr = b.addr;
    job->b_scale_addr = b.scale_addr;
    job->c_addr = c.addr;
    job->d_addr = d.addr;
    job->d_scale_addr = d.scale_addr;
    advance(&a, product->a);
    advance(&b, product->b);
    advance(&d, product->d);
    if (product->c != NULL) advance(&c, product->c);
  }
  return MXE_OK;
}
