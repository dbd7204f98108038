// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: memory that the HCA may use, and the keys to it.
 *
 * A program registers a range of its memory: the pages are pinned, so that they
 * stay where they are, and the HCA remembers which they are (InfiniBand volume 1,
 * 10.6). From then on work requests and the far end name the memory by a key
 * and an address, and no system call is needed. The kernel has all of its memory
 * pinned already; it has one key for that, and regions whose pages it exchanges
 * quickly by a work request (fast registration, 10.6.3).
 *
 * A key has 32 bits: 24 bits of index, and 8 bits of variant that the owner of a
 * fast-registration region may change each time. Each region has two indices, so
 * that L_Key and R_Key always differ, whatever the variant. Indices are handed
 * out in turn, and the variant changes from turn to turn: a key that has just
 * been given up means nothing for a long time.
 *
 * The caller pins and allocates; the fabric thread puts the region into
 * hca->mrs, and takes it out; the caller frees. Packets that refer to pages of
 * the region hold them by references of their own, so that nobody has to wait
 * for packets here.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "ring.h"
#include "verbs.h"

#define USER_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_OPTIONAL)

#define KEY_SHIFT	8
#define KEY_LIMIT	XA_LIMIT(1, BIT(24) - 1)

static struct fab_hca *hca_of(const struct fab_mr *mr)
{
	return to_fab_hca(mr->pd->ibpd.device);
}

/* An index nobody has, with a variant that depends on when it is asked for. */
static int make_key(struct fab_hca *hca, u32 *key)
{
	u32 index;
	int err = xa_alloc_cyclic(&hca->mrs, &index, NULL, KEY_LIMIT, &hca->next_key, GFP_KERNEL);

	if (err < 0)
		return err;
	*key = index << KEY_SHIFT | get_random_u8();
	return 0;
}

static void free_key(struct fab_hca *hca, u32 key)
{
	xa_erase(&hca->mrs, key >> KEY_SHIFT);
}

static struct fab_mr *create(struct ib_pd *ibpd, int access)
{
	struct fab_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	struct fab_hca *hca = to_fab_hca(ibpd->device);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->pd = to_fab_pd(ibpd);
	mr->access = access;
	err = make_key(hca, &mr->lkey);
	if (err)
		goto err_free;
	err = make_key(hca, &mr->rkey);
	if (err)
		goto err_lkey;
	/* One variant for both: that is how users change them, and REG_MR names only one. */
	mr->lkey = (mr->lkey & ~0xffU) | (mr->rkey & 0xff);
	mr->ibmr.lkey = mr->lkey;
	mr->ibmr.rkey = mr->rkey;
	return mr;

err_lkey:
	free_key(hca, mr->lkey);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

static void destroy(struct fab_mr *mr)
{
	struct fab_hca *hca = hca_of(mr);

	free_key(hca, mr->rkey);
	free_key(hca, mr->lkey);
	ib_umem_release(mr->umem);
	kvfree(mr->pages);
	kvfree(mr->kpages);
	kfree(mr);
}

static void call_publish(void *arg)
{
	struct fab_mr *mr = arg;
	struct xarray *mrs = &hca_of(mr)->mrs;

	/* Into reserved entries: nothing is allocated. */
	xa_store(mrs, mr->lkey >> KEY_SHIFT, mr, GFP_NOWAIT);
	xa_store(mrs, mr->rkey >> KEY_SHIFT, mr, GFP_NOWAIT);
}

static void call_withdraw(void *arg)
{
	struct fab_mr *mr = arg;

	free_key(hca_of(mr), mr->lkey);
	free_key(hca_of(mr), mr->rkey);
	mr->state = FAB_MR_INVALID;
}

/* The last step: the region works from here on. */
static struct ib_mr *publish(struct fab_mr *mr)
{
	int err = fab_call_killable(call_publish, mr);

	if (!err)
		return &mr->ibmr;
	destroy(mr);
	return ERR_PTR(err);
}

/**
 * fab_mr_get_dma() - verb: all of the kernel's memory
 * @ibpd: protection domain, of the kernel
 * @access: IB_ACCESS_*
 *
 * Return: region or error.
 */
struct ib_mr *fab_mr_get_dma(struct ib_pd *ibpd, int access)
{
	struct fab_mr *mr = create(ibpd, access);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->dma = true;
	mr->length = U64_MAX;
	mr->state = FAB_MR_VALID;
	return publish(mr);
}

static int take_pages(struct fab_mr *mr)
{
	struct sg_page_iter iter;
	u32 i = 0;

	mr->n_pages = ib_umem_num_pages(mr->umem);
	mr->max_pages = mr->n_pages;
	mr->page_shift = PAGE_SHIFT;
	mr->offset = ib_umem_offset(mr->umem);
	mr->pages = kvmalloc_array(mr->n_pages, sizeof(*mr->pages), GFP_KERNEL_ACCOUNT);
	if (!mr->pages)
		return -ENOMEM;
	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &iter, 0) {
		if (i == mr->n_pages)
			break;
		mr->pages[i++] = sg_page_iter_page(&iter);
	}
	return i == mr->n_pages ? 0 : -EFAULT;
}

/**
 * fab_mr_reg_user() - verb: memory of a program
 * @ibpd: protection domain
 * @start: where it begins
 * @length: bytes
 * @iova: by which address work requests name its first byte
 * @access: IB_ACCESS_*
 * @udata: not used
 *
 * Context: the program's own.
 * Return: region; -EINVAL for a range that cannot be; -ENOMEM, also if the limit of
 * locked memory is reached; -EOPNOTSUPP for access that there is not; -EFAULT; -EINTR.
 */
struct ib_mr *fab_mr_reg_user(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access,
			      struct ib_udata *udata)
{
	struct fab_hca *hca = to_fab_hca(ibpd->device);
	struct fab_mr *mr;
	int err;

	if (access & ~USER_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || iova + length < iova || start + length < start ||
	    start != (unsigned long)start || length != (size_t)length)
		return ERR_PTR(-EINVAL);
	mr = create(ibpd, access & ~IB_ACCESS_OPTIONAL);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->umem = ib_umem_get(&hca->ibdev, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		mr->umem = NULL;
		fab_umap_explain(&hca->ibdev, length, err);
		goto err_destroy;
	}
	err = take_pages(mr);
	if (err)
		goto err_destroy;
	mr->iova = iova;
	mr->length = length;
	mr->state = FAB_MR_VALID;
	return publish(mr);

err_destroy:
	destroy(mr);
	return ERR_PTR(err);
}

/**
 * fab_mr_alloc() - verb: a region of the kernel whose pages come later
 * @ibpd: protection domain
 * @type: only IB_MR_TYPE_MEM_REG
 * @max_sg: pages, at most
 *
 * Return: region or error.
 */
struct ib_mr *fab_mr_alloc(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg)
{
	struct fab_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > FAB_MAX_REG_PAGES)
		return ERR_PTR(-EINVAL);
	mr = create(ibpd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->max_pages = max_sg;
	mr->kpages = kvcalloc(max_sg, sizeof(*mr->kpages), GFP_KERNEL);
	if (!mr->kpages) {
		destroy(mr);
		return ERR_PTR(-ENOMEM);
	}
	return publish(mr);
}

static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct fab_mr *mr = to_fab_mr(ibmr);

	if (mr->n_pages == mr->max_pages)
		return -ENOMEM;
	mr->kpages[mr->n_pages++] = addr;
	return 0;
}

/**
 * fab_mr_map_sg() - verb: the pages that the next REG_MR makes valid
 * @ibmr: region of fab_mr_alloc(), not valid now
 * @sg: memory
 * @nents: entries of @sg
 * @offset: in the first, or NULL
 *
 * Context: any.
 * Return: how many entries were taken, or -EINVAL.
 */
int fab_mr_map_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct fab_mr *mr = to_fab_mr(ibmr);

	if (!mr->kpages || !is_power_of_2(ibmr->page_size))
		return -EINVAL;
	mr->n_pages = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, set_page);
}

/**
 * fab_mr_dereg() - verb: the end of a region
 * @ibmr: region
 * @udata: not used
 *
 * Packets under way keep the pages that they refer to.
 *
 * Return: 0.
 */
int fab_mr_dereg(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct fab_mr *mr = to_fab_mr(ibmr);

	fab_call(call_withdraw, mr);
	ib_umem_release(mr->umem);
	kvfree(mr->pages);
	kvfree(mr->kpages);
	kfree(mr);
	return 0;
}
