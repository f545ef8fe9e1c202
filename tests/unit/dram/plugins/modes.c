/* SPDX-License-Identifier: Apache-2.0 */
/* A DRAM of 100 ns whose options name the rule that it breaks: see create(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/dram/plugin.h"

#ifndef MODES_WITHOUT_ENTRY

enum { kMost = 4096, kLatencyPs = 100000 };

struct memory {
  char mode[16];
  struct mxe_dram_completion open[kMost]; /* in the order of their times */
  size_t count;
  uint64_t now_ps;
};

static int is(const struct memory* memory, const char* mode) {
  return strcmp(memory->mode, mode) == 0;
}

/* "late": 100 ns. "single": one access at a time. The others are errors. */
static void* create(const char* options, double clock_ps, uint32_t* access_bytes, char* error,
                    size_t error_size) {
  if (strcmp(options, "refuse") == 0) {
    snprintf(error, error_size, "no DRAM for a clock of %g ps", clock_ps);
    return NULL;
  }
  if (strcmp(options, "silent") == 0) return NULL;
  struct memory* memory = calloc(1, sizeof *memory);
  snprintf(memory->mode, sizeof memory->mode, "%s", options);
  *access_bytes = is(memory, "odd") ? 48 : 64;
  return memory;
}

static void destroy(void* pointer) { free(pointer); }

static int submit(void* pointer, uint64_t address, int is_write, uint64_t time_ps,
                  uint64_t ticket) {
  struct memory* memory = pointer;
  (void)address;
  (void)is_write;
  if (is(memory, "result")) return 7;
  if (is(memory, "deaf") || memory->count == kMost) return MXE_DRAM_FULL;
  if (is(memory, "single") && memory->count != 0 && memory->open[0].time_ps > time_ps)
    return MXE_DRAM_FULL;
  struct mxe_dram_completion* access = &memory->open[memory->count++];
  access->ticket = is(memory, "unknown") ? ticket + 1 : ticket;
  access->time_ps = time_ps + kLatencyPs;
  if (is(memory, "early")) access->time_ps = time_ps - 1;
  return MXE_DRAM_ACCEPTED;
}

static void advance(void* pointer, uint64_t time_ps) {
  struct memory* memory = pointer;
  memory->now_ps = time_ps;
}

size_t take(void* pointer, struct mxe_dram_completion* completions, size_t capacity) {
  struct memory* memory = pointer;
  size_t count = 0;
  if (is(memory, "never")) return 0;
  if (is(memory, "many")) return capacity + 1;
  const int is_early = is(memory, "early") || is(memory, "unknown");
  while (count < capacity && count < memory->count &&
         (is_early || memory->open[count].time_ps <= memory->now_ps)) {
    completions[count] = memory->open[count];
    if (is(memory, "past")) completions[count].time_ps -= kLatencyPs / 2;
    count++;
  }
  if (is(memory, "twice") && count != 0 && count < capacity) {
    completions[1] = completions[0];
    count = 2;
  }
  const size_t taken = count < memory->count ? count : memory->count;
  memory->count -= taken;
  memmove(memory->open, memory->open + taken, memory->count * sizeof memory->open[0]);
  return count;
}

#ifndef MODES_VERSION
#define MODES_VERSION MXE_DRAM_PLUGIN_VERSION
#endif
#ifndef MODES_TAKE
#define MODES_TAKE take
#endif

const struct mxe_dram_plugin mxe_dram_plugin_entry = {
    .version = MODES_VERSION,
    .create = create,
    .destroy = destroy,
    .submit = submit,
    .advance = advance,
    .take = MODES_TAKE,
};

#endif
