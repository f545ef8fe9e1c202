/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The structures of the kernel driver. Its names begin with mxa_. "The core" is the portable driver
 * (sw/driver), whose names begin with mxe_.
 *
 *   mxa_memory.c  memory of objects: free pages, or the area reserved at boot
 *   mxa_bo.c      objects: memory shared by programs and the device
 *   mxa_port.c    the core's port: register access, barriers
 *   mxa_wait.c    results: stores them, and waits for them
 *   mxa_task.c    life of a task and of its fence
 *   mxa_engine.c  calls of the core: interrupt, watchdog, reset, removal
 *   mxa_sched.c   the scheduler's callbacks: turns
 *   mxa_submit.c  the ioctls that submit and cancel: checks a job and queues it in the scheduler
 *   mxa_drm.c     files and the table of ioctls
 *   mxa_pci.c     probe, remove, suspend: the PCI device
 *
 * Each file calls only files above it in this list.
 *
 * Life of a task: SUBMIT allocates it and pushes it to its file's entity. When its fences have
 * signalled and its file may submit, the scheduler calls mxa_sched_run(), which puts it into the
 * core's ring and on mxa_device.running. When the job ends, the core calls mxa_done(), which stores
 * the result in the file's slot and signals the fence; the scheduler then frees the task.
 *
 * Lock order: mxa_file.submit_lock, mxa_device.lock, mxa_file.slot_lock.
 */
#ifndef MXA_H
#define MXA_H

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_mm.h>
#include <drm/gpu_scheduler.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "mxe_driver.h"
#include "uapi/drm/mxe_accel.h"

/* Maximum number of jobs of a file in flight or with a stored result; a power of two. */
#define MXA_FILE_JOBS 256
/* Maximum number of jobs of one file in the ring, so that files take turns. */
#define MXA_FILE_TURN 4
#define MXA_RING_ENTRIES 16
#define MXA_MAX_IN_SYNCS 64

/* Operands of a job, in the order of MXE_FAULT_A to MXE_FAULT_D_SCALES. */
enum mxa_operand {
	MXA_A,
	MXA_A_SCALES,
	MXA_B,
	MXA_B_SCALES,
	MXA_C,
	MXA_D,
	MXA_D_SCALES,
	MXA_OPERANDS
};

enum mxa_state {
	MXA_RUNNING,
	MXA_SUSPENDED, /* the core is closed; tasks wait in mxa_device.again */
	MXA_DEAD, /* permanent: every task ends with mxa_device.fate */
};

struct mxa_device {
	struct drm_device drm;
	struct pci_dev *pdev;
	void __iomem *regs;
	int irq;

	/* lock: the members down to work_seen_us, and every call of the core */
	struct mutex lock;
	struct mxe_device core;
	struct mxe_ring ring;
	struct mxe_slot slots[MXA_RING_ENTRIES];
	enum mxa_state state;
	int fate; /* MXE_ERR_GONE, or MXE_ERR_STOPPED if a reset failed */
	bool cut_off; /* no register access: reads return all ones */
	bool lose_writes; /* fault injection: register writes are dropped */
	bool keep; /* aborted tasks go to `again` instead of ending */
	struct list_head running; /* tasks in the ring, oldest first */
	struct list_head again; /* tasks to be put into the ring again after a reset or a resume */

	struct hrtimer timer; /* starts the watchdog while tasks are in the ring */
	u64 look_us; /* time of the next start */
	struct work_struct watchdog;
	u64 work_seen; /* sum of the work counters at the last check */
	u64 work_seen_us; /* time of their last change, or of a later start or end of a job */

	struct drm_gpu_scheduler sched;
	u64 fence_context;
	u64 fence_seqno; /* used by the scheduler's work only */

	struct mutex bo_lock;
	struct list_head bos;
	bool bos_unmapped; /* the device has been removed: create no mapping */
};

struct mxa_bo {
	struct drm_gem_object base;
	void *memory;
	struct drm_mm_node area; /* allocated if the memory is in the reserved area */
	dma_addr_t dma;
	struct list_head node; /* in mxa_device.bos; empty if not mapped for the device */
};

struct mxa_slot {
	u32 job;
	bool cancelled;
	struct dma_fence *finished;
	struct drm_mxe_wait result;
};

struct mxa_file {
	struct kref refs; /* held by the file and by each of its tasks */
	struct completion unused; /* completed when the file is closed and its last task freed */
	struct mxa_device *mxa;
	struct drm_sched_entity entity;
	/* submit_lock: job numbers follow the order of execution */
	struct mutex submit_lock;
	u32 last_job;
	bool closed;

	spinlock_t slot_lock;
	struct mxa_slot slots[MXA_FILE_JOBS];

	struct dma_fence *turn[MXA_FILE_TURN]; /* fences of the last jobs put into the ring */
	u32 sent;
};

struct mxa_fence {
	struct dma_fence base;
	/* lock: passed to dma_fence_init() */
	spinlock_t lock;
};

struct mxa_task {
	struct drm_sched_job base;
	struct mxa_file *file;
	u32 job;
	struct mxa_bo *bos[MXA_OPERANDS];
	struct mxe_job core_job;
	struct mxe_extents extents;
	u64 deadline_us;

	struct mxa_fence *fence; /* signals when the job ends; initialised by mxa_sched_run() */
	bool fence_is_live;

	struct list_head node; /* in mxa_device.running or again */
	u32 core_id;
	u32 resets; /* resets of mxa_reset() while it was the oldest task */
	int verdict; /* MXE_ERR_... if the driver ends it */
};

static inline struct mxa_device *to_mxa(struct drm_device *drm)
{
	return container_of(drm, struct mxa_device, drm);
}

static inline struct mxa_bo *to_mxa_bo(struct drm_gem_object *gem)
{
	return container_of(gem, struct mxa_bo, base);
}

/* The operands' ranges, in the order of enum mxa_operand. */
static inline const struct mxe_range *mxa_ranges(const struct mxe_extents *extents)
{
	static_assert(sizeof(*extents) == MXA_OPERANDS * sizeof(struct mxe_range));
	return (const struct mxe_range *)extents;
}

/* mxa_memory.c */
#define MXA_AREA_NAME "mxe"
void mxa_memory_init(void);
void mxa_memory_exit(void);
u64 mxa_memory_max(void);
int mxa_memory_alloc(struct mxa_bo *bo);
void mxa_memory_free(struct mxa_bo *bo);

/* mxa_bo.c */
int mxa_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
void mxa_bo_unmap_all(struct mxa_device *mxa);
void mxa_bo_sync_for_device(struct mxa_task *task);
void mxa_bo_sync_for_cpu(struct mxa_task *task);

/* mxa_port.c */
void mxa_port_init(struct mxa_device *mxa, struct mxe_port *port);

/* mxa_wait.c */
int mxa_errno(int code);
void mxa_result_set(struct mxa_task *task, int code, const struct mxe_completion *completion);
void mxa_results_forget(struct mxa_file *file);
bool mxa_mark_cancelled(struct mxa_file *file, u32 job);
bool mxa_is_cancelled(struct mxa_task *task);
int mxa_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

/* mxa_task.c */
void mxa_file_put(struct mxa_file *file);
struct mxa_task *mxa_task_alloc(struct mxa_file *file);
void mxa_task_free(struct mxa_task *task);
void mxa_fence_start(struct mxa_device *mxa, struct mxa_task *task);
void mxa_fence_signal(struct mxa_task *task, int error);

/* mxa_engine.c */
int mxa_engine_init(struct mxa_device *mxa);
int mxa_engine_open(struct mxa_device *mxa);
int mxa_engine_fate(struct mxa_device *mxa);
int mxa_engine_submit(struct mxa_device *mxa, struct mxa_task *task);
void mxa_engine_cancel(struct mxa_device *mxa, struct mxa_file *file, u32 job);
int mxa_engine_suspend(struct mxa_device *mxa);
void mxa_engine_resume(struct mxa_device *mxa);
void mxa_engine_kill(struct mxa_device *mxa, int fate);
irqreturn_t mxa_engine_irq(int irq, void *data);
irqreturn_t mxa_engine_thread(int irq, void *data);

/* mxa_sched.c */
int mxa_sched_init(struct mxa_device *mxa);

/* mxa_submit.c */
int mxa_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
int mxa_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

/* mxa_drm.c */
extern const struct drm_driver mxa_drm_driver;

#endif
