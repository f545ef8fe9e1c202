// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#define ENTRY(name) {#name, case_##name},
const struct driver_case driver_cases[] = {DRIVER_CASES(ENTRY)};
#undef ENTRY

const uint32_t driver_case_count = sizeof driver_cases / sizeof driver_cases[0];

uint32_t driver_case_run(struct bench* b, const struct driver_case* which) {
  bench_begin(b);
  which->run(b);
  bench_end(b);
  return b->failures;
}
