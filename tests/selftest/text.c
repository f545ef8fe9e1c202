// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

static bool equal(const char* left, const char* right) {
  for (; *left && *left == *right; left++) right++;
  return *left == *right;
}

#define CODE(code, number) code,
static const int codes[] = {MXE_OK, MXE_ERRNO_TABLE(CODE)};
#undef CODE

void case_text_of_every_code(struct bench* b) {
  const uint32_t count = sizeof codes / sizeof codes[0];
  const char* unknown = mxe_strerror(-99);
  for (uint32_t i = 0; i < count; i++) {
    const char* text = mxe_strerror(codes[i]);
    CHECK(*text != '\0');
    CHECK(!equal(text, unknown));
    for (uint32_t j = 0; j < i; j++) CHECK(!equal(text, mxe_strerror(codes[j])));
  }
  CHECK(equal(mxe_strerror(1), unknown));
}
