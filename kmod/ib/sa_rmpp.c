// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the subnet administration, sent by RMPP (vol 1, 13.6).
 *
 * The records of a table lie one behind the other and are cut into segments of 200
 * bytes, each sent as a MAD of its own. The receiver acknowledges, and says up to
 * which segment the sender may go on; at first that is one. What is not acknowledged
 * in time is sent again.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include "sa.h"

#define SEGMENT		IB_MGMT_SA_DATA
#define CHUNK		(20 * SEGMENT)	/* a segment never lies in two of them */
#define CHUNKS_MIN	16
/* Beside its data a segment's payload has the SA's own header. */
#define SA_HEADER	(IB_MGMT_SA_HDR - IB_MGMT_RMPP_HDR)
/* Sent at once, though the receiver may have opened its window further. */
#define BURST		64

#define TIMEOUT_MS	500
#define TRIES		5

static_assert(SEGMENT == 200 && SA_HEADER == 20);

/**
 * struct transfer - a table on its way
 * @list: in the SA
 * @request: what it answers
 * @from: who asked
 * @table: the records
 * @segments: how many
 * @acked: the receiver has up to this one
 * @next: to be sent next
 * @window: may be sent up to this one
 * @deadline: when to send again, jiffies
 * @tries: how often it waited in vain
 */
struct transfer {
	struct list_head list;
	struct ib_sa_mad request;
	struct fab_ib_mad_addr from;
	struct fab_sa_table table;
	u32 segments;
	u32 acked;
	u32 next;
	u32 window;
	unsigned long deadline;
	u8 tries;
};

/**
 * fab_sa_table_init() - a table without records
 * @table: table
 * @size: of a record
 */
void fab_sa_table_init(struct fab_sa_table *table, unsigned int size)
{
	memset(table, 0, sizeof(*table));
	table->size = size;
	table->stride = ALIGN(size, 8);
}

static bool more_chunks(struct fab_sa_table *table, u32 wanted)
{
	u32 n = max_t(u32, table->n_chunks, CHUNKS_MIN);
	u8 **chunks;

	if (wanted <= table->n_chunks)
		return true;
	while (n < wanted)
		n *= 2;
	chunks = krealloc(table->chunks, n * sizeof(*chunks),
			  GFP_NOWAIT | __GFP_NOWARN);
	if (!chunks)
		return false;
	memset(chunks + table->n_chunks, 0, (n - table->n_chunks) * sizeof(*chunks));
	table->chunks = chunks;
	table->n_chunks = n;
	return true;
}

static u8 *chunk_at(struct fab_sa_table *table, u32 at)
{
	u32 i = at / CHUNK;

	if (!more_chunks(table, i + 1))
		return NULL;
	if (!table->chunks[i])
		table->chunks[i] = kzalloc(CHUNK, GFP_NOWAIT | __GFP_NOWARN);
	return table->chunks[i];
}

/**
 * fab_sa_table_add() - add a record
 * @table: table
 * @record: record
 *
 * Return: false if no more can be added; @table says why.
 */
bool fab_sa_table_add(struct fab_sa_table *table, const void *record)
{
	u32 at = table->n * table->stride, done = 0, part, rest;
	u8 *chunk;

	table->too_many = table->n >= FAB_SA_RECORDS_MAX;
	if (table->too_many)
		return false;
	for (; done < table->stride; done += part, at += part) {
		part = min_t(u32, table->stride - done, CHUNK - at % CHUNK);
		chunk = chunk_at(table, at);
		table->no_memory = !chunk;
		if (!chunk)
			return false;
		rest = done < table->size ? table->size - done : 0;
		memcpy(chunk + at % CHUNK, record + done, min(part, rest));
	}
	table->n++;
	return true;
}

/**
 * fab_sa_table_read() - bytes of a table
 * @table: table
 * @at: where they begin
 * @data: copied here
 * @len: how many; @at + @len lies within the table
 */
void fab_sa_table_read(const struct fab_sa_table *table, u32 at, void *data, u32 len)
{
	u32 done, part;

	for (done = 0; done < len; done += part, at += part) {
		part = min_t(u32, len - done, CHUNK - at % CHUNK);
		memcpy(data + done, table->chunks[at / CHUNK] + at % CHUNK, part);
	}
}

/**
 * fab_sa_table_free() - the end of a table
 * @table: table
 */
void fab_sa_table_free(struct fab_sa_table *table)
{
	u32 i;

	for (i = 0; i < table->n_chunks; i++)
		kfree(table->chunks[i]);
	kfree(table->chunks);
	table->chunks = NULL;
	table->n_chunks = 0;
}

static u32 table_bytes(const struct fab_sa_table *table)
{
	return table->n * table->stride;
}

static void send_segment(struct fab_sm *sm, const struct transfer *transfer, u32 segment)
{
	u32 at = (segment - 1) * SEGMENT;
	u32 len = min_t(u32, table_bytes(&transfer->table) - at, SEGMENT);
	struct ib_sa_mad mad __aligned(8) = transfer->request;
	u8 flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	u32 payload = 0;

	/* The first says how long all is, the last how long it is itself (13.6.2.1). */
	if (segment == 1) {
		flags |= IB_MGMT_RMPP_FLAG_FIRST;
		payload = table_bytes(&transfer->table) + transfer->segments * SA_HEADER;
	}
	if (segment == transfer->segments) {
		flags |= IB_MGMT_RMPP_FLAG_LAST;
		payload = len + SA_HEADER;
	}
	mad.mad_hdr.method |= IB_MGMT_METHOD_RESP;
	mad.mad_hdr.status = 0;
	mad.rmpp_hdr.rmpp_version = IB_MGMT_RMPP_VERSION;
	mad.rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_DATA;
	mad.rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_NO_RESPTIME << 3 | flags;
	mad.rmpp_hdr.rmpp_status = IB_MGMT_RMPP_STATUS_SUCCESS;
	mad.rmpp_hdr.seg_num = cpu_to_be32(segment);
	mad.rmpp_hdr.paylen_newwin = cpu_to_be32(payload);
	mad.sa_hdr.attr_offset = cpu_to_be16(transfer->table.stride / 8);
	memset(mad.data, 0, sizeof(mad.data));
	fab_sa_table_read(&transfer->table, at, mad.data, len);
	fab_ib_reply_gmp(sm->sw, (struct ib_mad *)&mad, &transfer->from);
}

static void go_on(struct fab_sm *sm, struct transfer *transfer)
{
	u32 last = min3(transfer->window, transfer->segments, transfer->acked + BURST);

	while (transfer->next <= last)
		send_segment(sm, transfer, transfer->next++);
	transfer->deadline = jiffies + msecs_to_jiffies(TIMEOUT_MS);
}

static void end_transfer(struct fab_sa *sa, struct transfer *transfer)
{
	list_del(&transfer->list);
	sa->n_transfers--;
	fab_sa_table_free(&transfer->table);
	kfree(transfer);
}

/* The one who asked for @mad's table, if it is on its way. */
static struct transfer *find(struct fab_sa *sa, const struct ib_mad_hdr *mad,
			     const struct fab_ib_mad_addr *from)
{
	struct transfer *transfer;

	list_for_each_entry(transfer, &sa->transfers, list)
		if (transfer->request.mad_hdr.tid == mad->tid &&
		    transfer->request.mad_hdr.attr_id == mad->attr_id &&
		    transfer->from.lid == from->lid && transfer->from.qpn == from->qpn)
			return transfer;
	return NULL;
}

/**
 * fab_sa_send_table() - answer with a table
 * @sm: subnet manager
 * @request: as it came
 * @from: who asked
 * @table: the records; empty after this
 */
void fab_sa_send_table(struct fab_sm *sm, const struct ib_sa_mad *request,
		       const struct fab_ib_mad_addr *from, struct fab_sa_table *table)
{
	struct fab_sa *sa = sm->sa;
	struct transfer *transfer = find(sa, &request->mad_hdr, from);

	if (transfer)
		return;	/* asked again: the answer is on its way */
	if (sa->n_transfers < FAB_SA_TRANSFERS_MAX)
		transfer = kzalloc(sizeof(*transfer), GFP_NOWAIT | __GFP_NOWARN);
	if (!transfer) {
		fab_sa_refuse(sm, request, from, FAB_SA_NO_RESOURCES);
		return;
	}
	transfer->request = *request;
	transfer->from = *from;
	transfer->table = *table;
	memset(table, 0, sizeof(*table));
	transfer->segments = max_t(u32, 1, DIV_ROUND_UP(table_bytes(&transfer->table), SEGMENT));
	transfer->next = 1;
	transfer->window = 1;
	list_add_tail(&transfer->list, &sa->transfers);
	sa->n_transfers++;
	go_on(sm, transfer);
}

static void acknowledged(struct fab_sm *sm, struct transfer *transfer, u32 segment, u32 window)
{
	if (segment >= transfer->next || segment < transfer->acked)
		return;	/* not sent yet, or old news */
	if (segment > transfer->acked)
		transfer->tries = 0;
	transfer->acked = segment;
	transfer->window = max(transfer->window, window);
	if (segment == transfer->segments)
		end_transfer(sm->sa, transfer);
	else
		go_on(sm, transfer);
}

/**
 * fab_sa_rmpp() - the receiver of a table says something about it
 * @sm: subnet manager
 * @mad: ACK, STOP or ABORT
 * @from: who
 */
void fab_sa_rmpp(struct fab_sm *sm, const struct ib_rmpp_mad *mad,
		 const struct fab_ib_mad_addr *from)
{
	struct transfer *transfer = find(sm->sa, &mad->mad_hdr, from);

	if (!transfer)
		return;
	if (mad->rmpp_hdr.rmpp_type == IB_MGMT_RMPP_TYPE_ACK)
		acknowledged(sm, transfer, be32_to_cpu(mad->rmpp_hdr.seg_num),
			     be32_to_cpu(mad->rmpp_hdr.paylen_newwin));
	else
		end_transfer(sm->sa, transfer);
}

/**
 * fab_sa_tick() - real time has passed: send again what was not acknowledged
 * @sm: subnet manager
 */
void fab_sa_tick(struct fab_sm *sm)
{
	struct transfer *transfer, *next;

	list_for_each_entry_safe(transfer, next, &sm->sa->transfers, list) {
		if (time_before(jiffies, transfer->deadline))
			continue;
		if (++transfer->tries > TRIES) {
			end_transfer(sm->sa, transfer);
			continue;
		}
		transfer->next = transfer->acked + 1;
		transfer->window = max(transfer->window, transfer->next);
		go_on(sm, transfer);
	}
}

/**
 * fab_sa_deadline() - when will fab_sa_tick() have something to do?
 * @sm: subnet manager
 * @at: jiffies; made earlier
 * @any: whether @at is set; set
 */
void fab_sa_deadline(struct fab_sm *sm, unsigned long *at, bool *any)
{
	struct transfer *transfer;

	list_for_each_entry(transfer, &sm->sa->transfers, list) {
		if (!*any || time_before(transfer->deadline, *at))
			*at = transfer->deadline;
		*any = true;
	}
}

/**
 * fab_sa_free_transfers() - nobody gets a table any more
 * @sa: subnet administration
 */
void fab_sa_free_transfers(struct fab_sa *sa)
{
	struct transfer *transfer, *next;

	list_for_each_entry_safe(transfer, next, &sa->transfers, list)
		end_transfer(sa, transfer);
}
