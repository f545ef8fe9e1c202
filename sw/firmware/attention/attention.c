// SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include "mxe_float.h"
#include "mxe_math.h"

enum { TIMEOUT_US = 1000000 };

// 1 / sqrt(ATTENTION_WIDTH)
static const uint32_t score_scale = UINT32_C(0x3E3504F3);

struct run {
  struct attention_memory* memory;
  uint64_t bus_address;
  struct mxe_device device;
  struct mxe_slot slots[ATTENTION_RING];
};

/// ELEMENTS: a matrix at host addresses. OPERAND: as a job's MX operand. NUMBERS: a matrix of FP32
/// numbers as a job's operand.
#define ELEMENTS(matrix)                                                                         \
  (struct mxe_elements) {                                                                        \
    MXE_FORMAT_MXFP8_E4M3, (matrix).elements[0], (matrix).scales[0], sizeof(matrix).elements[0], \
        sizeof(matrix).scales[0]                                                                 \
  }
#define OPERAND(run, matrix)                                                       \
  (struct mxe_operand) {                                                           \
    .format = MXE_FORMAT_MXFP8_E4M3, .addr = bus(run, (matrix).elements),          \
    .scale_addr = bus(run, (matrix).scales), .stride = sizeof(matrix).elements[0], \
    .scale_stride = sizeof(matrix).scales[0]                                       \
  }
#define NUMBERS(run, matrix)                                                      \
  (struct mxe_operand) {                                                          \
    .format = MXE_OUT_FP32, .addr = bus(run, matrix), .stride = sizeof(matrix)[0] \
  }

static uint64_t bus(const struct run* run, const void* place) {
  return run->bus_address + (uint64_t)((const char*)place - (const char*)run->memory);
}

// ---- Data: numbers of both signs within a factor of 16

static uint32_t number(uint32_t* state, uint32_t exponent) {
  *state = *state * 1664525 + 1013904223;
  const uint32_t random = *state;
  return (random & UINT32_C(0x80000000)) | (exponent + (random >> 28 & 3)) << 23 |
         (random >> 5 & 0x7FFFFF);
}

static int quantize(const uint32_t* values, size_t row_step, size_t step, uint32_t rows, uint32_t k,
                    struct mxe_elements elements) {
  const struct mxe_numbers numbers = {.data = values, .row_step = row_step, .step = step};
  return mxe_quantize(&numbers, rows, k, MXE_RULE_FLOOR, &elements);
}

static int make_weights(uint32_t* state, uint32_t rows, struct mxe_elements elements) {
  int code = MXE_OK;
  for (uint32_t row = 0; row < rows && code == MXE_OK; row++) {
    uint32_t values[ATTENTION_MODEL];
    for (uint32_t i = 0; i < ATTENTION_MODEL; i++) values[i] = number(state, 121);
    code = quantize(values, 0, 1, 1, ATTENTION_MODEL, elements);
    elements.elements += elements.stride;
    elements.scales += elements.scale_stride;
  }
  return code;
}

static int make_data(struct attention_memory* memory) {
  uint32_t state = 1;
  for (uint32_t token = 0; token < ATTENTION_TOKENS; token++) {
    for (uint32_t i = 0; i < ATTENTION_MODEL; i++) memory->x[token][i] = number(&state, 124);
  }
  int code = make_weights(&state, ATTENTION_MODEL, ELEMENTS(memory->wq));
  if (code == MXE_OK) code = make_weights(&state, ATTENTION_KV, ELEMENTS(memory->wk));
  if (code == MXE_OK) code = make_weights(&state, ATTENTION_KV, ELEMENTS(memory->wv));
  if (code == MXE_OK) code = make_weights(&state, ATTENTION_MODEL, ELEMENTS(memory->wo));
  if (code != MXE_OK) return code;
  return quantize(memory->x[0], ATTENTION_MODEL, 1, ATTENTION_TOKENS, ATTENTION_MODEL,
                  ELEMENTS(memory->mx_x));
}

/// Submits `count` jobs. Their ids are *first, *first + 1, ...
static int submit(struct run* run, const struct mxe_product* product, uint32_t count,
                  uint32_t* first) {
  struct mxe_job jobs[ATTENTION_HEADS];
  int code = mxe_batch(product, count, jobs);
  for (uint32_t i = 0; i < count && code == MXE_OK; i++) {
    uint32_t id = 0;
    code = mxe_submit(&run->device, &jobs[i], NULL, &id);
    if (i == 0) *first = id;
  }
  return code;
}

static int wait(struct run* run, uint32_t id) {
  return mxe_wait(&run->device, id, TIMEOUT_US, NULL);
}

/// D = A W^T + residual, which may be null.
static int submit_layer(struct run* run, struct mxe_operand a, struct mxe_operand weights,
                        uint32_t outputs, struct mxe_operand d, const struct mxe_operand* residual,
                        uint32_t* id) {
  const struct mxe_product product = {.m = ATTENTION_TOKENS,
                                      .n = outputs,
                                      .k = ATTENTION_MODEL,
                                      .a = &a,
                                      .b = &weights,
                                      .c = residual,
                                      .d = &d};
  return submit(run, &product, 1, id);
}

/// Computes Q, K and V. Q and K are quantized while the engine computes the next one.
static int project(struct run* run) {
  struct attention_memory* memory = run->memory;
  const struct mxe_operand x = OPERAND(run, memory->mx_x);
  uint32_t q = 0, k = 0, v = 0;
  int code = submit_layer(run, x, OPERAND(run, memory->wq), ATTENTION_MODEL,
                          NUMBERS(run, memory->q), NULL, &q);
  if (code == MXE_OK) {
    code = submit_layer(run, x, OPERAND(run, memory->wk), ATTENTION_KV, NUMBERS(run, memory->k),
                        NULL, &k);
  }
  if (code == MXE_OK) {
    code = submit_layer(run, x, OPERAND(run, memory->wv), ATTENTION_KV, NUMBERS(run, memory->v),
                        NULL, &v);
  }
  if (code == MXE_OK) code = wait(run, q);
  if (code == MXE_OK) {
    code = quantize(memory->q[0], ATTENTION_MODEL, 1, ATTENTION_TOKENS, ATTENTION_MODEL,
                    ELEMENTS(memory->mx_q));
  }
  if (code == MXE_OK) code = wait(run, k);
  if (code == MXE_OK) {
    code = quantize(memory->k[0], ATTENTION_KV, 1, ATTENTION_TOKENS, ATTENTION_KV,
                    ELEMENTS(memory->mx_k));
  }
  if (code == MXE_OK) code = wait(run, v);
  for (uint32_t head = 0; head < ATTENTION_KV_HEADS && code == MXE_OK; head++) {
    code = quantize(&memory->v[0][head * ATTENTION_WIDTH], 1, ATTENTION_KV, ATTENTION_WIDTH,
                    ATTENTION_TOKENS, ELEMENTS(memory->mx_v[head]));
  }
  return code;
}

static int submit_scores(struct run* run, uint32_t* first) {
  struct attention_memory* memory = run->memory;
  struct mxe_operand a = OPERAND(run, memory->mx_q), b = OPERAND(run, memory->mx_k);
  struct mxe_operand d = NUMBERS(run, memory->scores[0]);
  a.step = b.step = ATTENTION_WIDTH;
  a.scale_step = b.scale_step = ATTENTION_WIDTH / ATTENTION_BLOCK;
  b.share = ATTENTION_HEADS / ATTENTION_KV_HEADS;
  d.step = sizeof memory->scores[0];
  const struct mxe_product product = {.m = ATTENTION_TOKENS,
                                      .n = ATTENTION_TOKENS,
                                      .k = ATTENTION_WIDTH,
                                      .a = &a,
                                      .b = &b,
                                      .d = &d};
  return submit(run, &product, ATTENTION_HEADS, first);
}

static int submit_head(struct run* run, uint32_t head, uint32_t* id) {
  struct attention_memory* memory = run->memory;
  for (uint32_t token = 0; token < ATTENTION_TOKENS; token++) {
    uint32_t* row = memory->scores[head][token];
    mxe_softmax(row, ATTENTION_TOKENS, score_scale, row);
  }
  const int code = quantize(memory->scores[head][0], ATTENTION_TOKENS, 1, ATTENTION_TOKENS,
                            ATTENTION_TOKENS, ELEMENTS(memory->mx_weights[head]));
  if (code != MXE_OK) return code;
  const uint32_t shared = head * ATTENTION_KV_HEADS / ATTENTION_HEADS;
  const struct mxe_operand a = OPERAND(run, memory->mx_weights[head]);
  const struct mxe_operand b = OPERAND(run, memory->mx_v[shared]);
  struct mxe_operand d = NUMBERS(run, memory->heads);
  d.addr = bus(run, &memory->heads[0][head * ATTENTION_WIDTH]);
  const struct mxe_product product = {.m = ATTENTION_TOKENS,
                                      .n = ATTENTION_WIDTH,
                                      .k = ATTENTION_TOKENS,
                                      .a = &a,
                                      .b = &b,
                                      .d = &d};
  return submit(run, &product, 1, id);
}

static int attend(struct run* run) {
  uint32_t first = 0, last = 0;
  int code = submit_scores(run, &first);
  for (uint32_t head = 0; head < ATTENTION_HEADS && code == MXE_OK; head++) {
    code = wait(run, first + head);
    if (code == MXE_OK) code = submit_head(run, head, &last);
  }
  return code == MXE_OK ? wait(run, last) : code;
}

static int finish(struct run* run) {
  struct attention_memory* memory = run->memory;
  const struct mxe_operand residual = NUMBERS(run, memory->x);
  uint32_t id = 0;
  int code = quantize(memory->heads[0], ATTENTION_MODEL, 1, ATTENTION_TOKENS, ATTENTION_MODEL,
                      ELEMENTS(memory->mx_heads));
  if (code == MXE_OK) {
    code = submit_layer(run, OPERAND(run, memory->mx_heads), OPERAND(run, memory->wo),
                        ATTENTION_MODEL, NUMBERS(run, memory->y), &residual, &id);
  }
  return code == MXE_OK ? wait(run, id) : code;
}

int attention_run(const struct mxe_port* port, struct attention_memory* memory,
                  uint64_t bus_address) {
  struct run run = {.memory = memory, .bus_address = bus_address};
  const struct mxe_ring ring = {
      .mem = memory->ring, .bus_addr = bus_address, .slots = run.slots, .entries = ATTENTION_RING};
  int code = mxe_open(&run.device, port, &ring);
  if (code != MXE_OK) return code;
  code = make_data(memory);
  if (code == MXE_OK) code = project(&run);
  if (code == MXE_OK) code = attend(&run);
  if (code == MXE_OK) code = finish(&run);
  const int closed = mxe_close(&run.device, TIMEOUT_US);
  return code != MXE_OK ? code : closed;
}
