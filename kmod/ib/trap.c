// SPDX-License-Identifier: GPL-2.0
/*
 * Traps: how a node tells the subnet manager what it did not ask for (vol 1, 13.4.9).
 *
 * A switch reports that a link came or went (trap 128); any node that its capability
 * mask has changed, as when an SM starts or stops there (144). A trap is a MAD that
 * may be lost like any other: it is sent again until the SM represses it, a few times
 * at most. Without an SM LID there is nobody to tell.
 */
#include "internal.h"

/* In fabric time; real switches wait seconds. */
#define TRAP_PERIOD	(500 * NSEC_PER_MSEC)
#define TRAP_TIMES	5

/* Notice attribute (13.4.8.2, 14.2.5.1), as trap 128 and trap 144 fill it. */
struct notice {
	u8 generic_type;		/* bit 7: generic */
	u8 producer[3];
	__be16 trap;
	__be16 issuer_lid;
	__be16 toggle_count;
	union {
		struct {
			__be16 lid;
			u8 pad[52];
		} link;			/* 128 */
		struct {
			__be16 reserved;
			__be16 lid;
			u8 reserved2;
			u8 local_changes;
			__be32 cap_mask;
			__be16 change_flags;
			u8 pad[42];
		} __packed cap;		/* 144 */
	};
} __packed;

static_assert(sizeof(struct notice) == 64);

#define TRAP_LINK_STATE		128
#define TRAP_CAP_MASK		144
#define NOTICE_URGENT		0x81
#define NOTICE_INFO		0x84

static void fill_notice(struct fab_ib_port *ibp, struct notice *notice, bool link)
{
	u16 lid = fab_ib_lid(ibp);

	notice->generic_type = link ? NOTICE_URGENT : NOTICE_INFO;
	notice->producer[2] = ibp->ibn->type == FAB_IB_SWITCH ? 2 : 1;
	notice->trap = cpu_to_be16(link ? TRAP_LINK_STATE : TRAP_CAP_MASK);
	notice->issuer_lid = cpu_to_be16(lid);
	if (link) {
		notice->link.lid = cpu_to_be16(lid);
		return;
	}
	notice->cap.lid = cpu_to_be16(lid);
	notice->cap.cap_mask = cpu_to_be32(READ_ONCE(ibp->attr.cap_mask));
}

static void send_trap(struct fab_ib_port *ibp, bool link)
{
	struct fab_ib_mad_addr to = { .lid = READ_ONCE(ibp->attr.sm_lid) };
	struct ib_smp smp = {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED,
		.class_version = 1,
		.method = IB_MGMT_METHOD_TRAP,
		.attr_id = IB_SMP_ATTR_NOTICE,
	};
	struct fab_packet *packet;

	if (!to.lid || !fab_ib_lid(ibp))
		return;
	smp.tid = cpu_to_be64(ibp->trap_tid);
	fill_notice(ibp, (struct notice *)smp.data, link);
	if (ibp->ibn->sw) {
		fab_ib_send_smp(ibp->ibn->sw, &smp, &to);
		return;
	}
	packet = fab_ib_mad_packet((const struct ib_mad *)&smp, &to, fab_ib_lid(ibp), 0);
	if (!packet)
		return;
	fab_lrh_set_vl(fab_ib_lrh(packet), FAB_IB_VL15);
	/* The SM may run on this very host. */
	if (to.lid == fab_ib_lid(ibp))
		fab_ib_loop_add(ibp, packet);
	else
		fab_ib_egress_add(ibp, packet, FAB_IB_VL15);
}

static void send_traps(struct fab_ib_port *ibp)
{
	if (test_bit(FAB_IB_TRAP_LINK, &ibp->trap))
		send_trap(ibp, true);
	if (test_bit(FAB_IB_TRAP_CAP, &ibp->trap))
		send_trap(ibp, false);
}

static void fire_trap(struct fab_event *event)
{
	struct fab_ib_port *ibp = container_of(event, struct fab_ib_port, trap_repeat);

	if (!ibp->trap)
		return;
	send_traps(ibp);
	if (ibp->trap_left && --ibp->trap_left)
		fab_event_at(event, fab_now() + TRAP_PERIOD);
	else
		xchg(&ibp->trap, 0);
}

/**
 * fab_ib_traps_start() - send what is to be reported
 * @ibp: a host's port, or port 0 of a switch
 *
 * Context: fabric thread.
 */
void fab_ib_traps_start(struct fab_ib_port *ibp)
{
	if (!ibp->trap || ibp->quiet)
		return;
	/* An SM that comes later looks at everything anyway. */
	if (!READ_ONCE(ibp->attr.sm_lid) || !fab_ib_lid(ibp)) {
		xchg(&ibp->trap, 0);
		return;
	}
	ibp->trap_left = TRAP_TIMES;
	ibp->trap_tid++;
	/* Not at once: many ports change at the same moment, and one trap is enough. */
	fab_event_at(&ibp->trap_repeat, fab_now());
}

/**
 * fab_ib_port_trap() - report something to the subnet manager, until it has heard it
 * @ibp: a host's port, or port 0 of a switch
 * @which: FAB_IB_TRAP_*
 *
 * Context: any.
 */
void fab_ib_port_trap(struct fab_ib_port *ibp, unsigned int which)
{
	set_bit(which, &ibp->trap);
	fab_inbox_post(&ibp->inbox);
}

/**
 * fab_ib_port_repress() - the subnet manager has heard it
 * @ibp: a host's port, or port 0 of a switch
 * @smp: its TrapRepress, which repeats the notice
 *
 * Context: any.
 */
void fab_ib_port_repress(struct fab_ib_port *ibp, const struct ib_smp *smp)
{
	const struct notice *notice = (const struct notice *)smp->data;

	if (notice->trap == cpu_to_be16(TRAP_LINK_STATE))
		clear_bit(FAB_IB_TRAP_LINK, &ibp->trap);
	else if (notice->trap == cpu_to_be16(TRAP_CAP_MASK))
		clear_bit(FAB_IB_TRAP_CAP, &ibp->trap);
}

/**
 * fab_ib_traps_setup() - make a port ready to report
 * @ibp: port, zeroed
 */
void fab_ib_traps_setup(struct fab_ib_port *ibp)
{
	fab_event_init(&ibp->trap_repeat, fire_trap);
}
