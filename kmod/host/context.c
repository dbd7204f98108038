// SPDX-License-Identifier: GPL-2.0
/*
 * A program that opens the HCA, and its protection domains.
 *
 * Opening gives a program a page of doorbells. It maps the page, and from then
 * on it posts work by storing a word there: no system call (the point of RDMA,
 * InfiniBand volume 1, 10.1). The page is ordinary kernel memory. The mapping
 * holds a reference to it and has no handler of ours, so that it may outlive the
 * HCA, and even the module: then nobody looks at it any more.
 *
 * A protection domain says which QPs may use which memory; to us it is a number.
 */
#include <linux/idr.h>
#include <linux/mm.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/vmw_pvrdma-abi.h>
#include "ring.h"
#include "verbs.h"

/* The provider keeps a table of so many QPs; one more would be 0 to it. */
#define QP_TABLE_SIZE	0xffff
static DEFINE_IDA(pdns);

static struct fab_ucontext *to_context(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct fab_ucontext, ibuc);
}

/**
 * fab_udata_read() - what the provider sent along with a verb
 * @udata: of the verb
 * @request: filled in
 * @size: of @request
 *
 * Return: 0, -EINVAL if that is too short, -EFAULT.
 */
int fab_udata_read(struct ib_udata *udata, void *request, size_t size)
{
	if (udata->inlen < size)
		return -EINVAL;
	return ib_copy_from_udata(request, udata, size);
}

/**
 * fab_udata_answer() - what the provider gets back
 * @udata: of the verb
 * @answer: answer
 * @size: of @answer; less is copied if the provider has less room
 *
 * Return: 0 or -EFAULT.
 */
int fab_udata_answer(struct ib_udata *udata, const void *answer, size_t size)
{
	return ib_copy_to_udata(udata, (void *)answer, min(size, udata->outlen));
}

/**
 * fab_ucontext_alloc() - verb: a program opens the HCA
 * @ibuc: its context
 * @udata: for the size of the provider's table
 *
 * Return: 0, -ENOMEM, -EFAULT, -EINTR.
 */
int fab_ucontext_alloc(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct pvrdma_alloc_ucontext_resp answer = { .qp_tab_size = QP_TABLE_SIZE };
	struct fab_ucontext *context = to_context(ibuc);
	int err;

	err = fab_udata_answer(udata, &answer, sizeof(answer));
	if (err)
		return err;
	context->hca = to_fab_hca(ibuc->device);
	context->doorbell = (void *)get_zeroed_page(GFP_KERNEL);
	if (!context->doorbell)
		return -ENOMEM;
	err = fab_ring_context_start(context);
	if (err)
		free_page((unsigned long)context->doorbell);
	return err;
}

/**
 * fab_ucontext_dealloc() - verb: it has closed it; all of its objects are gone
 * @ibuc: its context
 */
void fab_ucontext_dealloc(struct ib_ucontext *ibuc)
{
	struct fab_ucontext *context = to_context(ibuc);

	fab_ring_context_stop(context);
	/* A mapping that is still there has its own reference. */
	free_page((unsigned long)context->doorbell);
}

/**
 * fab_ucontext_disassociate() - verb: the HCA goes away under the program
 * @ibuc: its context
 *
 * Nothing is left to do: its objects are destroyed already, and a store to the
 * doorbell page harms nobody. That this verb exists tells ib_core not to wait
 * until the program closes the HCA.
 */
void fab_ucontext_disassociate(struct ib_ucontext *ibuc)
{
}

/**
 * fab_ucontext_mmap() - verb: the program maps its doorbells
 * @ibuc: its context
 * @vma: where
 *
 * Return: 0, -EINVAL for anything but the one page at offset 0, -ENOMEM.
 */
int fab_ucontext_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct fab_ucontext *context = to_context(ibuc);

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	fab_vma_set_flags(vma, VM_DONTCOPY | VM_DONTEXPAND);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(context->doorbell));
}

/**
 * fab_pd_alloc() - verb: a protection domain
 * @ibpd: domain
 * @udata: program's, or NULL
 *
 * Return: 0, -ENOMEM, -ENOSPC, -EFAULT.
 */
int fab_pd_alloc(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct pvrdma_alloc_pd_resp answer = {};
	int pdn = ida_alloc_range(&pdns, 1, FAB_MAX_PD, GFP_KERNEL);
	int err = 0;

	if (pdn < 0)
		return pdn;
	to_fab_pd(ibpd)->pdn = pdn;
	answer.pdn = pdn;
	if (udata)
		err = fab_udata_answer(udata, &answer, sizeof(answer));
	if (err)
		ida_free(&pdns, pdn);
	return err;
}

/**
 * fab_pd_dealloc() - verb: the end of it; nothing uses it
 * @ibpd: domain
 * @udata: not used
 *
 * Return: 0.
 */
int fab_pd_dealloc(struct ib_pd *ibpd, struct ib_udata *udata)
{
	ida_free(&pdns, to_fab_pd(ibpd)->pdn);
	return 0;
}
