// SPDX-License-Identifier: Apache-2.0
#include "mischief.h"

static const uint32_t all_ones = UINT32_C(0xffffffff);

static bool take(uint32_t* times) {
  if (*times == 0) return false;
  if (*times != MISCHIEF_FOR_EVER) --*times;
  return true;
}

static uint32_t real_read(struct mischief* m, uint32_t offset) {
  return m->real.read32(m->real.ctx, offset);
}

static void real_write(struct mischief* m, uint32_t offset, uint32_t value) {
  m->real.write32(m->real.ctx, offset, value);
}

static bool line_is_high(struct mischief* m) {
  return (real_read(m, MXE_REG_IRQ_STATUS) & real_read(m, MXE_REG_IRQ_MASK)) != 0;
}

static uint32_t mischief_read(void* ctx, uint32_t offset) {
  struct mischief* m = ctx;
  if (m->before_read) m->before_read(m, offset);
  if (!take(&m->lives)) return all_ones;
  uint32_t value = real_read(m, offset);
  if (offset == MXE_REG_STATUS && take(&m->resetting)) value |= MXE_STATUS_RESETTING_MASK;
  if (offset == MXE_REG_RING_HEAD) value = (uint16_t)(value + m->index_offset);
  if (offset == MXE_REG_FAULT_INFO) value += m->index_offset << MXE_FAULT_INFO_INDEX_SHIFT;
  if (offset == m->lied_register && m->lies > 0 && !take(&m->truths)) {
    (void)take(&m->lies);
    value = m->lie;
  }
  return value;
}

static void ring_doorbell(struct mischief* m, uint32_t value) {
  m->doorbells++;
  if (take(&m->lost_doorbells)) return;
  const uint32_t tail = (uint16_t)(value - m->index_offset);
  real_write(m, MXE_REG_RING_TAIL, take(&m->refused) ? tail ^ 0x8000u : tail);
}

static void mischief_write(void* ctx, uint32_t offset, uint32_t value) {
  struct mischief* m = ctx;
  if (m->before_write) m->before_write(m, offset, value);
  if (!take(&m->lives)) return;
  if (offset == MXE_REG_IRQ_STATUS) m->writes_of_causes++;
  if (offset == MXE_REG_RING_TAIL) {
    ring_doorbell(m, value);
  } else {
    real_write(m, offset, value);
  }
  if (m->messages && !line_is_high(m)) m->line_was_low = true;
}

static uint64_t mischief_now(void* ctx) {
  struct mischief* m = ctx;
  return m->real.now_us(m->real.ctx) + m->skew_us;
}

/// Waits until the line rises. A line that stays high sends no second MSI.
static int wait_for_message(struct mischief* m, uint32_t timeout_us) {
  const uint64_t begin = m->real.now_us(m->real.ctx);
  while (m->real.now_us(m->real.ctx) - begin < timeout_us) {
    if (!line_is_high(m)) {
      m->line_was_low = true;
    } else if (m->line_was_low) {
      m->line_was_low = false;
      m->messages_sent++;
      return 0;
    }
  }
  return MXE_ERR_TIMEOUT;
}

static int mischief_wait(void* ctx, uint32_t timeout_us) {
  struct mischief* m = ctx;
  m->waits++;
  if (m->wait_result != 0) return m->wait_result;
  if (m->loses_interrupts) {
    const uint64_t begin = m->real.now_us(m->real.ctx);
    while (m->real.now_us(m->real.ctx) - begin < timeout_us) (void)real_read(m, MXE_REG_STATUS);
    return MXE_ERR_TIMEOUT;
  }
  if (take(&m->others)) return 0;
  const int code =
      m->messages ? wait_for_message(m, timeout_us) : m->real.wait_irq(m->real.ctx, timeout_us);
  if (code == 0 && m->owner) (void)mxe_irq(m->owner);
  return code;
}

struct mxe_port mischief_port(struct mischief* m, const struct mxe_port* real) {
  struct mxe_port port = *real;
  *m = (struct mischief){.real = *real, .lives = MISCHIEF_FOR_EVER, .line_was_low = true};
  port.ctx = m;
  port.read32 = mischief_read;
  port.write32 = mischief_write;
  port.now_us = mischief_now;
  port.wait_irq = mischief_wait;
  port.relax = NULL;
  return port;
}
