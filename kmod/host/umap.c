// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of a program that the fabric thread reads and writes in place: its rings.
 *
 * They are pinned as memory regions are (and count against RLIMIT_MEMLOCK), and
 * mapped side by side at a kernel address, since a work request may lie across
 * two of them. The program keeps its own mapping and can scribble over them at
 * any time.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "ring.h"

static void *map_pages(struct ib_umem *umem)
{
	size_t n = ib_umem_num_pages(umem), i = 0;
	struct page **pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	struct sg_page_iter iter;
	void *addr = NULL;

	if (!pages)
		return NULL;
	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		if (i == n)
			break;
		pages[i++] = sg_page_iter_page(&iter);
	}
	if (i == n)
		addr = vmap(pages, n, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return addr;
}

/**
 * fab_umap_explain() - say why a program's memory could not be pinned
 * @ibdev: for whom
 * @size: bytes
 * @err: error; only -ENOMEM needs an explanation
 *
 * A program only gets a number, and the limit is what most programs trip on.
 *
 * Context: the program's own.
 */
void fab_umap_explain(const struct ib_device *ibdev, u64 size, int err)
{
	if (err != -ENOMEM)
		return;
	ibdev_notice_ratelimited(ibdev,
				 "%s[%d] pins %llu bytes: no memory, or the limit of locked memory reached (ulimit -l; %lu bytes, %llu in use)\n",
				 current->comm, current->pid, size, rlimit(RLIMIT_MEMLOCK),
				 (u64)atomic64_read(&current->mm->pinned_vm) << PAGE_SHIFT);
}

/**
 * fab_umap_pin() - pin and map a range of the caller's memory
 * @map: filled in
 * @ibdev: for whom
 * @addr: address in the program, at the beginning of a page
 * @size: bytes, more than 0
 *
 * Context: the program's own.
 * Return: 0; -EINVAL; -ENOMEM, also if the limit of locked memory is reached; or
 * another error of ib_umem_get().
 */
int fab_umap_pin(struct fab_umap *map, struct ib_device *ibdev, u64 addr, size_t size)
{
	struct ib_umem *umem;

	if (!size || addr != (unsigned long)addr || offset_in_page(addr))
		return -EINVAL;
	umem = ib_umem_get(ibdev, addr, size, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umem)) {
		fab_umap_explain(ibdev, size, PTR_ERR(umem));
		return PTR_ERR(umem);
	}
	map->addr = map_pages(umem);
	if (!map->addr) {
		ib_umem_release(umem);
		return -ENOMEM;
	}
	map->umem = umem;
	map->size = size;
	return 0;
}

/**
 * fab_umap_unpin() - the end of that
 * @map: pinned, or zero
 *
 * Context: process context; the fabric thread does not know it any more.
 */
void fab_umap_unpin(struct fab_umap *map)
{
	if (!map->umem)
		return;
	vunmap(map->addr);
	ib_umem_release(map->umem);
	map->umem = NULL;
}
