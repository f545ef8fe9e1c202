// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The PCI device: BAR 0 holds the registers, one MSI is the interrupt. */
#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>

#include "mxa.h"

#define MXA_VENDOR 0x4d58 /* "MX"; not assigned by the PCI-SIG */
#define MXA_DEVICE 0x0001
#define MXA_DMA_BITS 64

static int mxa_pci_enable(struct mxa_device *mxa)
{
	struct pci_dev *pdev = mxa->pdev;
	int ret = pcim_enable_device(pdev);

	if (ret)
		return ret;
	ret = pcim_iomap_regions(pdev, BIT(0), "mxe");
	if (ret)
		return ret;
	mxa->regs = pcim_iomap_table(pdev)[0];
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(MXA_DMA_BITS));
	if (ret)
		return ret;
	pci_set_master(pdev);
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		return ret;
	mxa->irq = pci_irq_vector(pdev, 0);
	return 0;
}

static void mxa_destroy_locks(struct drm_device *drm, void *unused)
{
	mutex_destroy(&to_mxa(drm)->bo_lock);
	mutex_destroy(&to_mxa(drm)->lock);
}

static int mxa_init(struct mxa_device *mxa)
{
	int ret;

	mutex_init(&mxa->lock);
	mutex_init(&mxa->bo_lock);
	INIT_LIST_HEAD(&mxa->bos);
	ret = drmm_add_action_or_reset(&mxa->drm, mxa_destroy_locks, NULL);
	if (!ret)
		ret = mxa_engine_init(mxa);
	return ret ? ret : mxa_sched_init(mxa);
}

static int mxa_start(struct mxa_device *mxa)
{
	struct device *dev = mxa->drm.dev;
	int ret, code = mxa_engine_open(mxa);

	if (code != MXE_OK)
		return dev_err_probe(dev, mxa_errno(code), "%s\n", mxe_strerror(code));
	ret = request_threaded_irq(mxa->irq, mxa_engine_irq, mxa_engine_thread, 0, "mxe", mxa);
	if (ret) {
		mxa_engine_kill(mxa, MXE_ERR_GONE);
		return ret;
	}
	ret = drm_dev_register(&mxa->drm, 0);
	if (ret) {
		free_irq(mxa->irq, mxa);
		mxa_engine_kill(mxa, MXE_ERR_GONE);
	}
	return ret;
}

static int mxa_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct mxa_device *mxa;
	int ret;

	mxa = devm_drm_dev_alloc(&pdev->dev, &mxa_drm_driver, struct mxa_device, drm);
	if (IS_ERR(mxa))
		return PTR_ERR(mxa);
	mxa->pdev = pdev;
	pci_set_drvdata(pdev, mxa);
	ret = mxa_pci_enable(mxa);
	if (!ret)
		ret = mxa_init(mxa);
	if (!ret)
		ret = mxa_start(mxa);
	return ret;
}

/* Also called after a hot unplug. Files may stay open afterwards. */
static void mxa_remove(struct pci_dev *pdev)
{
	struct mxa_device *mxa = pci_get_drvdata(pdev);

	drm_dev_unplug(&mxa->drm);
	mxa_engine_kill(mxa, MXE_ERR_GONE);
	free_irq(mxa->irq, mxa);
	mxa_bo_unmap_all(mxa);
	pci_clear_master(pdev);
}

/* The device must not write to memory after another kernel has started. */
static void mxa_shutdown(struct pci_dev *pdev)
{
	mxa_engine_kill(pci_get_drvdata(pdev), MXE_ERR_GONE);
	pci_clear_master(pdev);
}

/* Jobs in the ring run again after the resume; queued jobs wait. */
static int mxa_suspend(struct device *dev)
{
	struct mxa_device *mxa = dev_get_drvdata(dev);
	int ret;

	drm_sched_wqueue_stop(&mxa->sched);
	ret = mxa_engine_suspend(mxa);
	if (ret) {
		drm_sched_wqueue_start(&mxa->sched);
		return ret;
	}
	disable_irq(mxa->irq);
	return 0;
}

static int mxa_resume(struct device *dev)
{
	struct mxa_device *mxa = dev_get_drvdata(dev);

	pci_set_master(mxa->pdev);
	enable_irq(mxa->irq);
	mxa_engine_resume(mxa);
	drm_sched_wqueue_start(&mxa->sched);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(mxa_pm_ops, mxa_suspend, mxa_resume);

static const struct pci_device_id mxa_pci_ids[] = { { PCI_DEVICE(MXA_VENDOR, MXA_DEVICE) }, {} };
MODULE_DEVICE_TABLE(pci, mxa_pci_ids);

static struct pci_driver mxa_pci_driver = {
	.name = "mxe",
	.id_table = mxa_pci_ids,
	.probe = mxa_probe,
	.remove = mxa_remove,
	.shutdown = mxa_shutdown,
	.driver.pm = pm_sleep_ptr(&mxa_pm_ops),
};

static int __init mxa_module_init(void)
{
	int ret;

	mxa_memory_init();
	ret = pci_register_driver(&mxa_pci_driver);
	if (ret)
		mxa_memory_exit();
	return ret;
}
module_init(mxa_module_init);

static void __exit mxa_module_exit(void)
{
	pci_unregister_driver(&mxa_pci_driver);
	mxa_memory_exit();
}
module_exit(mxa_module_exit);

MODULE_DESCRIPTION("MXE matrix engine");
/* For these files. The core is under Apache 2.0: docs/linux-driver.md, "Licences". */
MODULE_LICENSE("GPL");
