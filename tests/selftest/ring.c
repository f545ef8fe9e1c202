// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

void case_open_refuses_bad_arguments(struct bench* b) {
  struct mxe_capabilities caps;
  const struct mxe_port port = b->port;
  const struct mxe_ring ring = b->ring;
  CHECK_EQ(mxe_identify(&port, &caps), MXE_OK);
  CHECK_EQ(caps.queue_depth, bench_read(b, MXE_REG_QUEUE_DEPTH));
  CHECK_EQ(mxe_identify(NULL, &caps), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_identify(&port, NULL), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_open(NULL, &port, &ring), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_open(&b->dev, NULL, &ring), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_open(&b->dev, &port, NULL), MXE_ERR_ARGUMENT);
  for (int which = 0; which < 3; which++) {
    struct mxe_port incomplete = port;
    if (which == 0) incomplete.read32 = NULL;
    if (which == 1) incomplete.write32 = NULL;
    if (which == 2) incomplete.now_us = NULL;
    CHECK_EQ(mxe_open(&b->dev, &incomplete, &ring), MXE_ERR_ARGUMENT);
    if (which == 0) CHECK_EQ(mxe_identify(&incomplete, &caps), MXE_ERR_ARGUMENT);
  }
  for (int which = 0; which < 2; which++) {
    struct mxe_ring incomplete = ring;
    if (which == 0) incomplete.mem = NULL;
    if (which == 1) incomplete.slots = NULL;
    CHECK_EQ(mxe_open(&b->dev, &port, &incomplete), MXE_ERR_ARGUMENT);
  }
  const struct mxe_job job = bench_job(b, 0);
  struct mxe_counters counters;
  uint32_t id = 0;
  CHECK_EQ(mxe_submit(&b->dev, &job, NULL, &id), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_complete(&b->dev, 1), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_wait(&b->dev, 1, 0, NULL), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_cancel(&b->dev, 1), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_recover(&b->dev, 0), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_read_counters(&b->dev, &counters), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_clear_counters(&b->dev), MXE_ERR_ARGUMENT);
  CHECK_EQ(mxe_close(&b->dev, 0), MXE_ERR_ARGUMENT);
}

void case_open_refuses_bad_rings(struct bench* b) {
  const struct mxe_ring ring = b->ring;
  for (int which = 0; which < 7; which++) {
    b->ring = ring;
    if (which == 0) b->ring.entries = 0;
    if (which == 1) b->ring.entries = 3;
    if (which == 2) b->ring.entries = 2 * bench_read(b, MXE_REG_QUEUE_DEPTH);
    if (which == 3) b->ring.bus_addr += 64;
    if (which == 4) b->ring.mem = b->memory + 4;
    if (which == 5) b->ring.bus_addr = UINT64_MAX - 127;
    if (which == 6) b->ring.entries = 1u << 16;
    CHECK_EQ(mxe_open(&b->dev, &b->port, &b->ring), MXE_ERR_RING);
    CHECK(b->dev.caps.queue_depth >= 2);  // reports the limit
  }
  CHECK_EQ(bench_read(b, MXE_REG_CTRL), 0);
  b->ring = ring;
  for (b->ring.entries = 1; b->ring.entries <= BENCH_ENTRIES; b->ring.entries *= 2) {
    if (!bench_open(b)) return;
    for (uint32_t i = 0; i < 3; i++) bench_run_well(b, i);
    CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
  }
}

/// Reads of a register return `value` after `truths` correct reads.
static void lie(struct bench* b, uint32_t offset, uint32_t value, uint32_t truths) {
  b->mischief.lied_register = offset;
  b->mischief.lie = value;
  b->mischief.truths = truths;
  b->mischief.lies = MISCHIEF_FOR_EVER;
}

static void expect_open(struct bench* b, int code) {
  CHECK_EQ(mxe_open(&b->dev, &b->port, &b->ring), code);
  CHECK(b->dev.ring == NULL);
}

void case_open_refuses_other_devices(struct bench* b) {
  struct mxe_capabilities caps;
  lie(b, MXE_REG_ID, 0, 0);
  expect_open(b, MXE_ERR_NODEV);
  CHECK_EQ(mxe_identify(&b->port, &caps), MXE_ERR_NODEV);
  lie(b, MXE_REG_ID, UINT32_C(0xffffffff), 0);
  expect_open(b, MXE_ERR_NODEV);
  lie(b, MXE_REG_VERSION, UINT32_C(0x01000000), 0);
  expect_open(b, MXE_ERR_VERSION);
  CHECK_EQ(mxe_identify(&b->port, &caps), MXE_ERR_VERSION);
  lie(b, MXE_REG_VERSION, UINT32_C(0x00ff1234), 0);  // a newer minor version is accepted
  CHECK_EQ(mxe_identify(&b->port, &caps), MXE_OK);
  CHECK_EQ(caps.version_minor, 0xff);
  CHECK_EQ(caps.version_patch, 0x1234);
  b->mischief.lies = 0;
  CHECK_EQ(bench_read(b, MXE_REG_CTRL), 0);
}

void case_open_of_a_device_that_fails(struct bench* b) {
  b->mischief.resetting = MISCHIEF_FOR_EVER;
  b->mischief.skew_us = 0;
  lie(b, MXE_REG_STATUS, UINT32_C(0xffffffff), 0);
  expect_open(b, MXE_ERR_GONE);
  lie(b, MXE_REG_RING_HEAD, UINT32_C(0xffffffff), 0);
  b->mischief.resetting = 5;
  expect_open(b, MXE_ERR_GONE);
  lie(b, MXE_REG_RING_HEAD, UINT32_C(0x10000), 0);
  expect_open(b, MXE_ERR_PROTOCOL);
  b->mischief.lies = 0;
  if (bench_open(b)) bench_run_well(b, 0);
}

void case_ring_full(struct bench* b) {
  uint32_t id = 0, ids[BENCH_ENTRIES];
  if (!bench_open(b)) return;
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
      const struct mxe_job job = i == 0 ? bench_long_job(b, 0) : bench_job(b, i);
      ids[i] = bench_submit(b, &job);
      bench_expect(b, &job);
    }
    const struct mxe_job more = bench_job(b, 20 + round);
    CHECK_EQ(mxe_submit(&b->dev, &more, NULL, &id), MXE_ERR_FULL);
    bench_settle(b);  // an ended job's entry is free only after its callback
    CHECK_EQ(mxe_submit(&b->dev, &more, NULL, &id), MXE_ERR_FULL);
    CHECK_EQ(id, 0);
    CHECK_EQ(mxe_complete(&b->dev, 1), 1);
    bench_submit(b, &more);
    CHECK_EQ(mxe_submit(&b->dev, &more, NULL, &id), MXE_ERR_FULL);
    bench_expect(b, &more);
    for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
      CHECK_EQ(mxe_wait(&b->dev, ids[i], BENCH_WAIT_US, NULL), MXE_OK);
    }
    bench_settle(b);
    CHECK_EQ(mxe_complete(&b->dev, 9), 1);
    CHECK_EQ(mxe_complete(&b->dev, 9), 0);
  }
}

static void run_around(struct bench* b, uint32_t jobs) {
  uint32_t ids[3];
  for (uint32_t i = 0; i < jobs; i += 3) {  // 3 and the number of entries have no common divisor
    for (uint32_t j = 0; j < 3; j++) {
      struct mxe_job job = bench_job(b, i + j);
      job.bias = j == 1;
      bench_expect(b, &job);
      ids[j] = bench_submit(b, &job);
    }
    for (uint32_t j = 0; j < 3; j++) {
      CHECK_EQ(mxe_wait(&b->dev, ids[j], BENCH_WAIT_US, NULL), MXE_OK);
    }
  }
}

void case_ring_wrapped(struct bench* b) {
  if (bench_open(b)) run_around(b, 3 * BENCH_ENTRIES);
}

void case_many_with_one_doorbell(struct bench* b) {
  struct mxe_job jobs[BENCH_ENTRIES + 2];
  uint32_t ids[BENCH_ENTRIES + 2];
  const struct mxe_options options = {.done = bench_called_back, .user = b};
  if (!bench_open(b)) return;
  bench_run_well(b, 31);
  for (uint32_t i = 0; i < BENCH_ENTRIES + 2; i++) jobs[i] = bench_job(b, i);
  const uint32_t doorbells = b->mischief.doorbells;
  CHECK_EQ(mxe_submit_many(&b->dev, jobs, BENCH_ENTRIES + 2, &options, ids), BENCH_ENTRIES);
  CHECK_EQ(b->mischief.doorbells, doorbells + 1);
  CHECK_EQ(mxe_submit_many(&b->dev, jobs, 1, &options, NULL), MXE_ERR_FULL);
  bench_complete(b, BENCH_ENTRIES);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    CHECK_EQ(b->log.calls[i].job_id, ids[i]);
    CHECK_EQ(b->log.calls[i].code, MXE_OK);
    bench_expect(b, &jobs[i]);
  }
  CHECK_EQ(mxe_submit_many(&b->dev, &jobs[BENCH_ENTRIES], 2, &options, NULL), 2);
  bench_complete(b, BENCH_ENTRIES + 2);
  bench_expect(b, &jobs[BENCH_ENTRIES]);
  bench_expect(b, &jobs[BENCH_ENTRIES + 1]);
}

void case_many_up_to_an_impossible_one(struct bench* b) {
  struct mxe_job jobs[3];
  const struct mxe_options options = {.done = bench_called_back, .user = b};
  if (!bench_open(b)) return;
  for (uint32_t i = 0; i < 3; i++) jobs[i] = bench_job(b, i);
  jobs[2].out_format = 16;
  CHECK_EQ(mxe_submit_many(&b->dev, jobs, 3, &options, NULL), 2);
  CHECK_EQ(mxe_submit_many(&b->dev, &jobs[2], 1, &options, NULL), MXE_ERR_ARGUMENT);
  bench_complete(b, 2);
  bench_expect(b, &jobs[0]);
  bench_expect(b, &jobs[1]);
}

/// A device whose indices start just below 65536, also after resets.
void case_index_of_16_bits_wraps(struct bench* b) {
  b->mischief.index_offset = 0x10000 - BENCH_ENTRIES;
  if (!bench_open(b)) return;
  run_around(b, 2 * BENCH_ENTRIES);
  const struct mxe_job slow = bench_long_job(b, 0);
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {  // a full ring across the wrap
    const struct mxe_job job = i == 0 ? slow : bench_job(b, i);
    bench_submit_logged(b, &job);
    bench_expect(b, &job);
  }
  bench_complete(b, BENCH_ENTRIES);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) CHECK_EQ(b->log.calls[i].code, MXE_OK);
}

/// Jobs are counted modulo 2^32; the id 0 is skipped.
void case_number_of_32_bits_wraps(struct bench* b) {
  struct mxe_completion end;
  if (!bench_open(b)) return;
  const uint32_t number = 0u - 5u;
  b->dev.head = b->dev.finished = b->dev.tail = number;
  b->dev.origin = number;
  b->dev.next_id = 0u - 3u;
  uint32_t ids[12];
  for (uint32_t i = 0; i < 12; i++) {
    const struct mxe_job job = bench_job(b, i);
    ids[i] = bench_submit(b, &job);
    CHECK_EQ(ids[i], i < 3 ? i - 3u : i - 2u);
    if (i % 4 == 3) {
      for (uint32_t j = i - 3; j <= i; j++) {
        CHECK_EQ(mxe_wait(&b->dev, ids[j], BENCH_WAIT_US, &end), MXE_OK);
        CHECK_EQ(end.job_id, ids[j]);
      }
    }
    bench_expect(b, &job);
  }
  b->dev.head = b->dev.finished = b->dev.tail = 0u - 3u;
  b->dev.origin = 0u - 3u - bench_read(b, MXE_REG_RING_HEAD);
  b->log.count = 0;
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job = i == 1 ? bench_long_job(b, 0) : bench_job(b, i);
    ids[i] = bench_submit_logged(b, &job);
    if (i != 1) bench_expect(b, &job);
  }
  CHECK_EQ(mxe_wait(&b->dev, ids[0], BENCH_WAIT_US, NULL), MXE_OK);
  bench_wait_until_busy(b);
  CHECK_EQ(mxe_cancel(&b->dev, ids[1]), MXE_OK);
  bench_complete(b, BENCH_ENTRIES);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    CHECK_EQ(b->log.calls[i].code, i == 1 ? MXE_ERR_ABORTED : MXE_OK);
  }
  const struct mxe_job slow = bench_long_job(b, 0);
  bench_ignore(b, &slow);
}

// Non-coherent memory: the driver uses b->cache; the ring has its data after the next barrier.

static struct { uint32_t at, words; } on_its_way[8];
static uint32_t on_its_way_count;

static void copy_words(volatile uint32_t* to, const volatile uint32_t* from, uint32_t words) {
  for (uint32_t i = 0; i < words; i++) to[i] = from[i];
}

static volatile uint32_t* ring_of_device(const struct bench* b) {
  return (volatile uint32_t*)(void*)(b->memory + (b->ring.bus_addr - b->bus_addr));
}

static uint32_t place_in_cache(struct bench* b, const void* addr, size_t len) {
  const uint32_t at = (uint32_t)((const uint32_t*)addr - (const uint32_t*)(void*)b->cache);
  CHECK(at + len / 4 <= sizeof b->cache / 4);
  CHECK_EQ(len % 4, 0);
  return at;
}

static void sync_for_device(void* ctx, const void* addr, size_t len) {
  struct bench* b = ((struct mischief*)ctx)->user;
  if (!CHECK(on_its_way_count < 8)) return;
  on_its_way[on_its_way_count].at = place_in_cache(b, addr, len);
  on_its_way[on_its_way_count++].words = (uint32_t)len / 4;
}

static void sync_for_host(void* ctx, void* addr, size_t len) {
  struct bench* b = ((struct mischief*)ctx)->user;
  const uint32_t at = place_in_cache(b, addr, len);
  copy_words((uint32_t*)(void*)b->cache + at, ring_of_device(b) + at, (uint32_t)len / 4);
}

static void write_fence(void* ctx) {
  struct bench* b = ((struct mischief*)ctx)->user;
  for (uint32_t i = 0; i < on_its_way_count; i++) {
    const uint32_t at = on_its_way[i].at;
    copy_words(ring_of_device(b) + at, (uint32_t*)(void*)b->cache + at, on_its_way[i].words);
  }
  on_its_way_count = 0;
}

static void read_fence(void* ctx) { ((struct mischief*)ctx)->messages_sent++; }

void case_memory_that_is_not_coherent(struct bench* b) {
  uint32_t ids[BENCH_ENTRIES];
  on_its_way_count = 0;
  b->ring.mem = b->cache;
  b->port.sync_for_device = sync_for_device;
  b->port.sync_for_host = sync_for_host;
  b->port.wmb = write_fence;
  b->port.rmb = read_fence;
  if (!bench_open(b)) return;
  CHECK(b->mischief.messages_sent > 0);
  run_around(b, 2 * BENCH_ENTRIES);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    const struct mxe_job job = i == 0 ? bench_long_job(b, 0) : bench_job(b, i);
    ids[i] = bench_submit_logged(b, &job);
    if (i != 0 && i != 3) bench_expect(b, &job);
  }
  bench_wait_until_busy(b);
  CHECK_EQ(mxe_cancel(&b->dev, ids[3]), MXE_OK);
  CHECK_EQ(mxe_cancel(&b->dev, ids[0]), MXE_OK);
  bench_complete(b, BENCH_ENTRIES);
  for (uint32_t i = 0; i < BENCH_ENTRIES; i++) {
    CHECK_EQ(b->log.calls[i].code, i == 0 || i == 3 ? MXE_ERR_ABORTED : MXE_OK);
  }
  const struct mxe_job slow = bench_long_job(b, 0), cancelled = bench_job(b, 3);
  bench_ignore(b, &slow);
  bench_ignore(b, &cancelled);
  CHECK_EQ(mxe_clear_counters(&b->dev), MXE_OK);
  bench_submit_logged(b, &slow);
  bench_wait_until_multiplied(b);
  CHECK_EQ(mxe_recover(&b->dev, BENCH_WAIT_US), MXE_OK);
  CHECK_EQ(b->log.calls[BENCH_ENTRIES].code, MXE_ERR_ABORTED);
  CHECK(b->log.calls[BENCH_ENTRIES].cycles > 0);  // from the device's record
  bench_ignore(b, &slow);
  CHECK_EQ(mxe_close(&b->dev, BENCH_WAIT_US), MXE_OK);
}
