// SPDX-License-Identifier: Apache-2.0
// Functions that compilers call implicitly, even in freestanding code.
#include <stddef.h>

void* memcpy(void* restrict target, const void* restrict source, size_t bytes);
void* memmove(void* target, const void* source, size_t bytes);
void* memset(void* target, int value, size_t bytes);

void* memcpy(void* restrict target, const void* restrict source, size_t bytes) {
  char* to = target;
  const char* from = source;
  while (bytes-- > 0) *to++ = *from++;
  return target;
}

void* memmove(void* target, const void* source, size_t bytes) {
  char* to = target;
  const char* from = source;
  if (to <= from) {
    for (size_t i = 0; i < bytes; i++) to[i] = from[i];
  } else {
    while (bytes-- > 0) to[bytes] = from[bytes];
  }
  return target;
}

void* memset(void* target, int value, size_t bytes) {
  char* to = target;
  while (bytes-- > 0) *to++ = (char)value;
  return target;
}
