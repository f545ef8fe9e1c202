// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Calls of the core, under mxa_device.lock. The core calls mxa_done() once for each task that
 * leaves the ring. If `keep` is set, an aborted task moves to `again` and enters the ring once
 * more. Running a job twice is safe, because results never overlap operands.
 */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>

#include "mxa.h"

/* Number of resets with the same oldest task at which that task ends. */
#define MXA_MAX_RESETS 3
#define MXA_RESET_TIMEOUT_US 1000000
/* Period of the watchdog while tasks are in the ring. */
#define MXA_LOOK_US (100 * USEC_PER_MSEC)
#define MXA_BUDGET 64

static unsigned int hang_ms = 2000;
module_param(hang_ms, uint, 0600);
MODULE_PARM_DESC(hang_ms, "the engine hangs if its work counters do not change for this many "
			  "milliseconds [default 2000]");

#define MXA_INJECT_LOST_DOORBELL 8
static unsigned int inject;
module_param(inject, uint, 0600);
MODULE_PARM_DESC(inject,
		 "for tests, a fault of the next job: 1 (A) to 7 (scales of D): the operand's "
		 "address has no memory; 8: the doorbell is lost");

#define MXA_NOWHERE BIT_ULL(62)

static u64 mxa_now_us(void)
{
	return ktime_to_us(ktime_get());
}

static int mxa_verdict(struct mxa_device *mxa, struct mxa_task *task)
{
	if (task->verdict != MXE_OK)
		return task->verdict;
	return mxa->state == MXA_DEAD ? mxa->fate : MXE_ERR_ABORTED;
}

static void mxa_end(struct mxa_device *mxa, struct mxa_task *task, int code,
		    const struct mxe_completion *completion)
{
	list_del_init(&task->node);
	mxa_bo_sync_for_cpu(task);
	mxa_result_set(task, code, completion);
	mxa_fence_signal(task, mxa_errno(code));
}

/* Callback of the core when a task leaves the ring. */
static void mxa_done(void *user, const struct mxe_completion *completion)
{
	struct mxa_task *task = user;
	struct mxa_device *mxa = task->file->mxa;
	int code = completion->code;

	mxa->work_seen_us = mxa_now_us();
	if (code == MXE_ERR_ABORTED && mxa->keep && task->verdict == MXE_OK) {
		list_move_tail(&task->node, &mxa->again);
		return;
	}
	if (code == MXE_ERR_ABORTED)
		code = mxa_verdict(mxa, task);
	mxa_end(mxa, task, code, completion);
}

static void mxa_misplace(struct mxe_job *job, unsigned int operand)
{
	u64 *const addr[MXA_OPERANDS] = {
		[MXA_A] = &job->a_addr,
		[MXA_A_SCALES] = &job->a_scale_addr,
		[MXA_B] = &job->b_addr,
		[MXA_B_SCALES] = &job->b_scale_addr,
		[MXA_C] = &job->c_addr,
		[MXA_D] = &job->d_addr,
		[MXA_D_SCALES] = &job->d_scale_addr,
	};

	if (operand >= 1 && operand <= MXA_OPERANDS)
		*addr[operand - 1] = MXA_NOWHERE;
}

/* Starts the watchdog at time `us` or earlier. */
static void mxa_look_at(struct mxa_device *mxa, u64 us)
{
	if (hrtimer_active(&mxa->timer) && us >= mxa->look_us)
		return;
	mxa->look_us = us;
	hrtimer_start(&mxa->timer, ns_to_ktime(us * NSEC_PER_USEC), HRTIMER_MODE_ABS);
}

static void mxa_watch(struct mxa_device *mxa)
{
	u64 now = mxa_now_us();
	struct mxa_task *task;

	if (list_empty(&mxa->running))
		return;
	mxa_look_at(mxa, now + min_t(u64, MXA_LOOK_US, (u64)hang_ms * USEC_PER_MSEC / 2 + 1));
	/* The core has already cancelled tasks whose deadline has passed. */
	list_for_each_entry(task, &mxa->running, node)
		if (task->deadline_us > now)
			mxa_look_at(mxa, task->deadline_us);
}

static int mxa_put_into_ring(struct mxa_device *mxa, struct mxa_task *task)
{
	const struct mxe_options options = {
		.deadline_us = task->deadline_us,
		.done = mxa_done,
		.user = task,
	};
	int code;

	if (list_empty(&mxa->running))
		mxa->work_seen_us = mxa_now_us();
	code = mxe_submit(&mxa->core, &task->core_job, &options, &task->core_id);
	if (code == MXE_OK)
		list_move_tail(&task->node, &mxa->running);
	return code;
}

/* 0, or the errno if the device is dead. Without the lock: it may change at any time. */
int mxa_engine_fate(struct mxa_device *mxa)
{
	return READ_ONCE(mxa->state) == MXA_DEAD ? mxa_errno(mxa->fate) : 0;
}

/* Returns a code of the core. If it is not MXE_OK, the task has not entered the ring. */
int mxa_engine_submit(struct mxa_device *mxa, struct mxa_task *task)
{
	unsigned int fault;
	int code;

	lockdep_assert_held(&mxa->lock);
	if (mxa->state == MXA_DEAD)
		return mxa->fate;
	if (task->file->closed || mxa_is_cancelled(task))
		return MXE_ERR_ABORTED;
	if (task->deadline_us && task->deadline_us <= mxa_now_us())
		return MXE_ERR_DEADLINE;
	fault = xchg(&inject, 0);
	mxa_misplace(&task->core_job, fault);
	mxa_bo_sync_for_device(task);
	mxa->lose_writes = fault == MXA_INJECT_LOST_DOORBELL;
	code = mxa_put_into_ring(mxa, task);
	mxa->lose_writes = false;
	mxa_watch(mxa);
	return code;
}

static void mxa_end_again(struct mxa_device *mxa)
{
	struct mxa_task *task, *next;

	list_for_each_entry_safe(task, next, &mxa->again, node)
		mxa_end(mxa, task, mxa_verdict(mxa, task), NULL);
}

/*
 * Closes the core permanently. If the device does not end its transfers, revokes its bus mastering
 * and stops register access first. In both cases the core ends all tasks.
 */
static void mxa_die(struct mxa_device *mxa, int fate)
{
	if (mxa->state == MXA_DEAD)
		return;
	mxa->fate = fate;
	mxa->keep = false;
	if (mxa->state == MXA_RUNNING) {
		WRITE_ONCE(mxa->state, MXA_DEAD);
		if (mxe_close(&mxa->core, MXA_RESET_TIMEOUT_US) == MXE_ERR_TIMEOUT) {
			pci_clear_master(mxa->pdev);
			WRITE_ONCE(mxa->cut_off, true);
			mxe_close(&mxa->core, 0);
		}
	}
	WRITE_ONCE(mxa->state, MXA_DEAD);
	WRITE_ONCE(mxa->cut_off, true);
	mxa_end_again(mxa);
}

static void mxa_run_again(struct mxa_device *mxa)
{
	struct mxa_task *task, *next;

	list_for_each_entry_safe(task, next, &mxa->again, node) {
		int code = mxa_put_into_ring(mxa, task);

		if (code != MXE_OK)
			mxa_end(mxa, task, code, NULL);
	}
}

/*
 * Resets a device after error `why`. A task that is the oldest at MXA_MAX_RESETS resets ends with
 * `why`.
 */
static void mxa_reset(struct mxa_device *mxa, int why)
{
	struct mxa_task *oldest = list_first_entry_or_null(&mxa->running, struct mxa_task, node);
	int code;

	if (oldest && ++oldest->resets >= MXA_MAX_RESETS)
		oldest->verdict = why;
	mxa->keep = true;
	code = mxe_recover(&mxa->core, MXA_RESET_TIMEOUT_US);
	mxa->keep = false;
	if (code == MXE_OK)
		mxa_run_again(mxa);
	else
		mxa_die(mxa, code == MXE_ERR_GONE ? MXE_ERR_GONE : MXE_ERR_STOPPED);
}

static void mxa_repair(struct mxa_device *mxa, int code)
{
	if (code == MXE_ERR_GONE) {
		dev_err(mxa->drm.dev, "the device does not respond\n");
		mxa_die(mxa, MXE_ERR_GONE);
	} else {
		dev_warn(mxa->drm.dev, "reset: %s\n", mxe_strerror(code));
		mxa_reset(mxa, code);
	}
}

static void mxa_step(struct mxa_device *mxa)
{
	int code;

	if (mxa->state != MXA_RUNNING)
		return;
	do {
		code = mxe_complete(&mxa->core, MXA_BUDGET);
	} while (code > 0);
	if (code < 0)
		mxa_repair(mxa, code);
	mxa_watch(mxa);
}

/*
 * An MSI is not shared and needs no immediate acknowledgement, so the thread does the work. Reading
 * a register here could interrupt another register read, and user-mode Linux has a single buffer
 * for the responses of all reads.
 */
irqreturn_t mxa_engine_irq(int irq, void *data)
{
	return IRQ_WAKE_THREAD;
}

irqreturn_t mxa_engine_thread(int irq, void *data)
{
	struct mxa_device *mxa = data;
	bool mine;

	mutex_lock(&mxa->lock);
	mine = mxe_irq(&mxa->core);
	mxa_step(mxa);
	mutex_unlock(&mxa->lock);
	return mine ? IRQ_HANDLED : IRQ_NONE;
}

/* Cancels a task in the ring; it ends with `verdict`. False: mxa_repair() has changed the lists. */
static bool mxa_abandon(struct mxa_device *mxa, struct mxa_task *task, int verdict)
{
	int code;

	task->verdict = verdict;
	code = mxe_cancel(&mxa->core, task->core_id);
	if (code == MXE_OK || code == MXE_ERR_UNKNOWN_JOB)
		return true;
	mxa_repair(mxa, code);
	return false;
}

/* Ends jobs of a file that are in the ring: one, or all if job is 0. */
void mxa_engine_cancel(struct mxa_device *mxa, struct mxa_file *file, u32 job)
{
	struct mxa_task *task;

	lockdep_assert_held(&mxa->lock);
	list_for_each_entry(task, &mxa->again, node)
		if (task->file == file && (!job || task->job == job))
			task->verdict = MXE_ERR_ABORTED;
	/* The newest first: waiting tasks need no reset. */
repaired:
	list_for_each_entry_reverse(task, &mxa->running, node) {
		if (task->file != file || (job && task->job != job) || task->verdict != MXE_OK)
			continue;
		if (!mxa_abandon(mxa, task, MXE_ERR_ABORTED))
			goto repaired; /* the list has changed */
	}
	mxa_step(mxa);
}

/* True if the work counters have not changed for hang_ms. A long job changes them. */
static bool mxa_is_stuck(struct mxa_device *mxa)
{
	struct mxe_counters counters;
	u64 work, now = mxa_now_us();

	if (mxe_read_counters(&mxa->core, &counters) != MXE_OK)
		return false; /* mxe_complete() reports the error */
	work = counters.mac_active + counters.bytes_read + counters.bytes_written;
	if (work != mxa->work_seen) {
		mxa->work_seen = work;
		mxa->work_seen_us = now;
		return false;
	}
	return now - mxa->work_seen_us >= (u64)hang_ms * USEC_PER_MSEC;
}

static void mxa_watchdog(struct work_struct *work)
{
	struct mxa_device *mxa = container_of(work, struct mxa_device, watchdog);
	struct mxa_task *oldest;

	mutex_lock(&mxa->lock);
	mxa_step(mxa);
	oldest = list_first_entry_or_null(&mxa->running, struct mxa_task, node);
	if (mxa->state == MXA_RUNNING && oldest && mxa_is_stuck(mxa)) {
		dev_warn(mxa->drm.dev, "the engine hangs: its oldest job is cancelled\n");
		mxa_abandon(mxa, oldest, MXE_ERR_TIMEOUT);
		mxa->work_seen_us = mxa_now_us();
		mxa_step(mxa);
	}
	mutex_unlock(&mxa->lock);
}

static enum hrtimer_restart mxa_timer(struct hrtimer *timer)
{
	queue_work(system_highpri_wq, &container_of(timer, struct mxa_device, timer)->watchdog);
	return HRTIMER_NORESTART;
}

/* Called once, before the first mxa_engine_open(). */
int mxa_engine_init(struct mxa_device *mxa)
{
	void *memory = dmam_alloc_coherent(mxa->drm.dev, MXA_RING_ENTRIES * MXE_DESC_SIZE,
					   &mxa->ring.bus_addr, GFP_KERNEL);

	if (!memory)
		return -ENOMEM;
	mxa->ring.mem = memory;
	mxa->ring.slots = mxa->slots;
	mxa->ring.entries = MXA_RING_ENTRIES;
	INIT_LIST_HEAD(&mxa->running);
	INIT_LIST_HEAD(&mxa->again);
	hrtimer_init(&mxa->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	mxa->timer.function = mxa_timer;
	INIT_WORK(&mxa->watchdog, mxa_watchdog);
	return 0;
}

/* Returns a code of the core. */
int mxa_engine_open(struct mxa_device *mxa)
{
	struct mxe_port port;
	int code;

	mxa_port_init(mxa, &port);
	mutex_lock(&mxa->lock);
	code = mxe_open(&mxa->core, &port, &mxa->ring);
	mxa->state = code == MXE_OK ? MXA_RUNNING : MXA_SUSPENDED;
	mutex_unlock(&mxa->lock);
	return code;
}

/* Moves the tasks from the ring to `again` for the resume. The scheduler must be stopped. */
int mxa_engine_suspend(struct mxa_device *mxa)
{
	int code = MXE_OK;

	mutex_lock(&mxa->lock);
	if (mxa->state == MXA_RUNNING) {
		mxa->keep = true;
		code = mxe_close(&mxa->core, MXA_RESET_TIMEOUT_US);
		mxa->keep = false;
		if (code == MXE_ERR_GONE)
			mxa_die(mxa, MXE_ERR_GONE);
		else if (code == MXE_OK)
			mxa->state = MXA_SUSPENDED;
	}
	mutex_unlock(&mxa->lock);
	return code == MXE_ERR_TIMEOUT ? -EBUSY : 0;
}

void mxa_engine_resume(struct mxa_device *mxa)
{
	int code;

	if (mxa->state != MXA_SUSPENDED)
		return;
	code = mxa_engine_open(mxa);
	mutex_lock(&mxa->lock);
	if (code == MXE_OK) {
		mxa_run_again(mxa);
		mxa_watch(mxa);
	} else {
		dev_err(mxa->drm.dev, "resume: %s\n", mxe_strerror(code));
		mxa_die(mxa, code == MXE_ERR_GONE ? MXE_ERR_GONE : MXE_ERR_STOPPED);
	}
	mutex_unlock(&mxa->lock);
}

/* Ends every present and future task with code `fate` of the core. */
void mxa_engine_kill(struct mxa_device *mxa, int fate)
{
	mutex_lock(&mxa->lock);
	mxa_die(mxa, fate);
	mutex_unlock(&mxa->lock);
	hrtimer_cancel(&mxa->timer);
	cancel_work_sync(&mxa->watchdog);
}
