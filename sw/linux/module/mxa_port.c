// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>

#include "mxa.h"

/* With cut_off, the device behaves as unplugged, and the core ends all jobs. */
static u32 mxa_read32(void *ctx, u32 offset)
{
	struct mxa_device *mxa = ctx;

	return READ_ONCE(mxa->cut_off) ? U32_MAX : readl(mxa->regs + offset);
}

static void mxa_write32(void *ctx, u32 offset, u32 value)
{
	struct mxa_device *mxa = ctx;

	if (!READ_ONCE(mxa->cut_off) && !mxa->lose_writes)
		writel(value, mxa->regs + offset);
}

static u64 mxa_now_us(void *ctx)
{
	return ktime_to_us(ktime_get());
}

/* Called between polls of a reset. The lock is a mutex, so sleeping is allowed. */
static void mxa_relax(void *ctx)
{
	usleep_range(1, 10);
}

static void mxa_wmb(void *ctx)
{
	wmb(); /* descriptors before the doorbell */
}

static void mxa_rmb(void *ctx)
{
	rmb(); /* the head before the records */
}

/* Without cache maintenance: the ring is in coherent memory. */
void mxa_port_init(struct mxa_device *mxa, struct mxe_port *port)
{
	*port = (struct mxe_port){
		.ctx = mxa,
		.read32 = mxa_read32,
		.write32 = mxa_write32,
		.now_us = mxa_now_us,
		.interrupts = true,
		.relax = mxa_relax,
		.wmb = mxa_wmb,
		.rmb = mxa_rmb,
	};
}
