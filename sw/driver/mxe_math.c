// SPDX-License-Identifier: Apache-2.0
#include "mxe_math.h"

// No 64-bit multiplication or division, no structure copy: some processors would call a library.

// The caller's numbers may be of type float, so these types may alias any type.
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

// An element format. The last bit of a code weighs 2^(min_log2 - mantissa) for subnormals and in
// the first normal binade; its weight doubles with each further binade. Example: E2M1 codes 0 to 7
// are 0, 0.5, 1, 1.5, 2, 3, 4, 6. An integer format has a single normal binade.
struct format {
  uint8_t stored_bits;       // in a packed row
  uint8_t mantissa;          // bits
  int8_t min_log2;           // log2 of the smallest normal number
  int8_t max_log2;           // floor(log2 of the largest finite number)
  uint8_t max_code;          // the largest finite number
  uint8_t infinity;          // its code; 0: the format has none
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
  uint32_t held = 0;  // bits not yet written
  uint32_t bits = 0;  // their count
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

// FP32 magnitudes and their bits have the same order. So an addition can carry a magnitude into the
// next binade, and a subtraction and a shift convert a normal magnitude to a code.
struct quantizer {
  const struct format* format;
  uint32_t round_up;  // added to the largest magnitude; then its exponent gives the scale
  uint32_t span;      // bits of the format's largest number minus those of its smallest normal one
  uint32_t drop;      // bits of a magnitude beyond the format's mantissa
  uint32_t sign;      // sign bit of a code; 0: two's complement
};

static void set_up(const struct format* f, uint32_t rule, struct quantizer* q) {
  q->format = f;
  q->drop = 23u - f->mantissa;
  q->span = ((uint32_t)(f->max_log2 - f->min_log2) << 23) + f->max_significand - HIDDEN;
  q->sign = f->integer ? 0 : sign_bit(f);
  q->round_up = 0;
  if (rule == MXE_RULE_CEIL) q->round_up = HIDDEN - 1;
  if (rule == MXE_RULE_EVEN) q->round_up = UINT32_C(1) << (q->drop - 1);
  if (rule == MXE_RULE_RCEIL) q->round_up = 2 * HIDDEN - 1 - f->max_significand;
}

// Returns x * 2^LIFT, which is normal also for a subnormal x.
enum { LIFT = 64 };
static uint32_t lift(uint32_t x) {
  uint32_t magnitude = x & MAGNITUDE;
  if (magnitude == 0) return x;
  uint32_t exponent = LIFT;
  for (; magnitude < HIDDEN; exponent--) magnitude <<= 1;
  return (x & ~MAGNITUDE) | (magnitude + (exponent << 23));
}

// Returns the scale code of a block with the largest magnitude `amax`.
static uint32_t choose_scale(const struct quantizer* q, uint32_t amax) {
  int32_t exponent = 0;
  if (amax >= HIDDEN) {
    exponent = (int32_t)((amax + q->round_up) >> 23);
  } else {
    exponent = (int32_t)((lift(amax) + q->round_up) >> 23) - LIFT;
  }
  exponent -= q->format->max_log2;
  if (exponent < 0) return 0;
  return (uint32_t)exponent < NAN_SCALE ? (uint32_t)exponent : NAN_SCALE - 1;
}

// Encodes a magnitude below `first`, the format's smallest normal number.
static uint32_t encode_subnormal(uint32_t drop, uint32_t first, uint32_t magnitude) {
  const bool normal = magnitude >= HIDDEN;  // in FP32
  const uint32_t significand = normal ? (magnitude & (HIDDEN - 1)) | HIDDEN : magnitude;
  drop += (first >> 23) - (normal ? magnitude >> 23 : 1);
  return (significand + (UINT32_C(1) << (drop - 1)) - 1 + ((significand >> drop) & 1)) >> drop;
}

// Encodes x[count]. `first` is the format's smallest normal number as FP32 bits, itself normal in
// FP32. Zeros and normal numbers, the common cases, take the shortest path.
static void encode(const struct quantizer* q, uint32_t first, const number32* x, uint32_t count,
                   uint8_t* codes) {
  // Local copies: `codes` may alias *q, so the compiler would reload the members.
  const uint32_t span = q->span, drop = q->drop, sign = q->sign;
  const uint32_t max_code = q->format->max_code, to_sign = 32u - q->format->stored_bits;
  // HIDDEN, shifted by `drop`, is the code of `first`.
  const uint32_t rounding = HIDDEN + (UINT32_C(1) << (drop - 1)) - 1;
  // A smaller magnitude rounds to 0: it is below half of the last subnormal bit.
  const uint32_t tiny = first >> 23 > 24 - drop ? first - ((24 - drop) << 23) : 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t magnitude = x[i] & MAGNITUDE;
    const uint32_t above = magnitude - first;
    uint32_t code = 0;
    if (magnitude < tiny) {
      code = 0;
    } else if (above <= span) {
      code = (above + rounding + ((above >> drop) & 1)) >> drop;
    } else if (magnitude > first) {
      code = max_code;
    } else {
      code = encode_subnormal(drop, first, magnitude);
    }
    codes[i] = (uint8_t)(code | ((x[i] >> to_sign) & sign));
  }
  if (sign != 0) return;
  for (uint32_t i = 0; i < count; i++) {
    if (x[i] >> 31 != 0) codes[i] = (uint8_t)(0u - codes[i]);
  }
}

// Maximum of two numbers below 2^31, without a branch.
static uint32_t larger(uint32_t x, uint32_t y) { return y + ((x - y) & (((x - y) >> 31) - 1)); }

static uint32_t largest_magnitude(const number32* x, uint32_t count) {
  uint32_t amax = 0;
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    amax = larger(amax, x[i] & MAGNITUDE);
    amax = larger(amax, x[i + 1] & MAGNITUDE);
    amax = larger(amax, x[i + 2] & MAGNITUDE);
    amax = larger(amax, x[i + 3] & MAGNITUDE);
  }
  for (; i < count; i++) amax = larger(amax, x[i] & MAGNITUDE);
  return amax;
}

static void quantize_block(const struct quantizer* q, const number32* x, uint32_t count,
                           uint8_t* codes, uint8_t* scale) {
  const uint32_t amax = largest_magnitude(x, count);
  if (amax >= INFINITE) {
    *scale = NAN_SCALE;
    for (uint32_t i = 0; i < count; i++) codes[i] = 0;
    return;
  }
  *scale = (uint8_t)choose_scale(q, amax);
  const int32_t first = *scale + q->format->min_log2;
  if (first > 0) {
    encode(q, (uint32_t)first << 23, x, count, codes);
  } else {
    number32 lifted[MXE_BLOCK];
    for (uint32_t i = 0; i < count; i++) lifted[i] = lift(x[i]);
    encode(q, (uint32_t)(first + LIFT) << 23, lifted, count, codes);
  }
}

// Numbers at, at + step, ... of x as FP32: x itself if contiguous FP32, else a copy in `room`.
static const number32* gather(const struct mxe_numbers* x, size_t at, uint32_t count,
                              number32* room) {
  const number16* bf16 = (const number16*)x->data;
  const number32* fp32 = (const number32*)x->data;
  if (!x->bf16 && x->step == 1) return fp32 + at;
  for (uint32_t i = 0; i < count; i++, at += x->step) {
    room[i] = x->bf16 ? (uint32_t)bf16[at] << 16 : fp32[at];
  }
  return room;
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
  struct quantizer q;
  set_up(f, rule, &q);
  const uint32_t block_bytes = packed_bytes(f, MXE_BLOCK);
  for (uint32_t row = 0; row < rows; row++) {
    size_t at = row * x->row_step;
    uint8_t* elements = out->elements + row * out->stride;
    uint8_t* scale = out->scales + row * out->scale_stride;
    for (uint32_t left = k; left > 0; left -= block_length(left)) {
      const uint32_t count = block_length(left);
      number32 room[MXE_BLOCK];
      const number32* numbers = gather(x, at, count, room);
      if (f->stored_bits == 8) {
        quantize_block(&q, numbers, count, elements, scale++);
      } else {
        uint8_t codes[MXE_BLOCK];
        quantize_block(&q, numbers, count, codes, scale++);
        pack(f, codes, count, elements);
      }
      elements += block_bytes;
      at += count * x->step;
    }
  }
  return MXE_OK;
}

// ---- Dequantizing -----------------------------------------------------------------------------

// significand * 2^exponent as FP32; significand <= 128, exponent >= -149.
static uint32_t to_fp32(uint32_t significand, int32_t exponent) {
  if (significand == 0) return 0;
  int32_t log2 = exponent + 23;
  uint32_t shifted = significand;
  if (log2 > 16 - BIAS) {  // 16 of up to 23 steps at once
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

struct place {
  uint64_t addr, scale_addr;
  uint32_t used;  // number of jobs
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

// Fills all members except the addresses, which differ between the jobs of a list.
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
  job->batch = 1;
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
