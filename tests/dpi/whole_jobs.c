/* SPDX-License-Identifier: Apache-2.0 */
/* Whole jobs by mxe_dpi.h against recorded results: tests/conformance/data/gemm_block.npy, whose
 * records make_gemm_data.py describes. Each job must be legal on the engine `base`, and its image
 * must have its descriptor and operands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mxe_dpi.h"

enum { NPY_HEADER = 128, BASE = 0x1000 };

static const char* const formats[] = {"mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                      "mxfp8_e4m3", "mxfp8_e5m2", "mxint8"};

/* The head of a record. */
struct record {
  uint32_t format_a, format_b, m, n, k, has_bias, has_single;
};

struct operands {
  const uint8_t *a, *a_scales, *b, *b_scales;
  size_t a_count, a_scale_count, b_count, b_scale_count;
  const uint32_t* c;
  size_t c_count;
};
#define OPERANDS(x)                                                                             \
  (x)->a, (x)->a_count, (x)->a_scales, (x)->a_scale_count, (x)->b, (x)->b_count, (x)->b_scales, \
      (x)->b_scale_count, (x)->c, (x)->c_count

static const uint8_t* take(const uint8_t** at, size_t bytes) {
  const uint8_t* start = *at;
  *at += bytes;
  return start;
}

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (!memory) exit(2);
  return memory;
}

static void must_succeed(const char* job, const char* error) {
  if (!*error) return;
  printf("%s: %s\n", job, error);
  exit(1);
}

static void check_image(const char* job, const struct operands* x) {
  const char *status, *rule;
  must_succeed(job, mxe_dpi_check("base", job, &status, &rule));
  if (strcmp(status, "MXE_OK") != 0) must_succeed(job, rule);

  uint64_t size, address, rows, row_bytes;
  uint32_t stride;
  uint8_t descriptor[128];
  must_succeed(job, mxe_dpi_count(job, "image", &size));
  uint8_t* image = allocate(size);
  must_succeed(job, mxe_dpi_image(job, 7, OPERANDS(x), image, size));
  must_succeed(job, mxe_dpi_descriptor(job, 7, descriptor, sizeof descriptor));
  if (memcmp(image, descriptor, sizeof descriptor) != 0) {
    must_succeed(job, "the image begins with another descriptor");
  }
  must_succeed(job, mxe_dpi_place(job, "b_scale", &address, &stride, &rows, &row_bytes));
  if (memcmp(image + (address - BASE), x->b_scales, x->b_scale_count) != 0) {
    must_succeed(job, "the image has other scales of B");
  }
  free(image);
}

int main(int argc, char** argv) {
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || fseek(file, 0, SEEK_END) != 0) return 2;
  const size_t size = (size_t)ftell(file);
  uint8_t* data = allocate(size);
  rewind(file);
  if (fread(data, 1, size, file) != size) return 2;
  fclose(file);

  unsigned jobs = 0;
  const uint8_t* at = data + NPY_HEADER;
  while (at < data + size) {
    struct record r;
    memcpy(&r, take(&at, sizeof r), sizeof r);
    struct operands x;
    x.a_count = (size_t)r.m * r.k;
    x.b_count = (size_t)r.n * r.k;
    x.a_scale_count = (size_t)r.m * ((r.k + 31) / 32);
    x.b_scale_count = (size_t)r.n * ((r.k + 31) / 32);
    x.a = take(&at, x.a_count);
    x.a_scales = take(&at, x.a_scale_count);
    x.b = take(&at, x.b_count);
    x.b_scales = take(&at, x.b_scale_count);
    x.c_count = r.has_bias ? (size_t)r.m * r.n : 0;
    uint32_t* c = allocate(4 * x.c_count + 1);
    memcpy(c, take(&at, 4 * x.c_count), 4 * x.c_count);
    x.c = c;

    const size_t d_count = 4 * (size_t)r.m * r.n;
    uint8_t* d = allocate(d_count);
    for (int dual = 1; dual >= (r.has_single ? 0 : 1); dual--) {
      char job[256];
      snprintf(job, sizeof job,
               "m=%u n=%u k=%u format_a=%s format_b=%s bias=%s dual=%d address=0x%x", r.m, r.n, r.k,
               formats[r.format_a], formats[r.format_b], r.has_bias ? "full" : "none", dual, BASE);
      must_succeed(job, mxe_dpi_gemm(job, OPERANDS(&x), d, d_count, NULL, 0));
      must_succeed(job,
                   mxe_dpi_compare(job, d, d_count, NULL, 0, take(&at, d_count), d_count, NULL, 0));
      check_image(job, &x);
      jobs++;
    }
    free(c);
    free(d);
  }
  free(data);
  printf("%u jobs agree\n", jobs);
  return jobs == 0;
}
