// SPDX-License-Identifier: GPL-2.0
/*
 * Directed routes: how management reaches nodes that have no LID yet (vol 1, 14.2.2).
 *
 * A directed-route SMP carries its way in itself: the list of the ports it leaves
 * each node by (initial path). Each node on the way notes the port that the SMP
 * came in by (return path) and moves the hop pointer on; the answer finds its way
 * back by these notes, with the pointer going down. No forwarding table is needed.
 *
 *	pointer  0            1 ... count-1     count        count + 1
 *	         at the SM    at switches       at the end   handed to the agent there
 *
 * Either end of the route may be extended over a LID-routed part (DrSLID, DrDLID
 * not permissive). The kernel's ib_mad does all of this for hosts with an HCA; here
 * it is for switches (C14-9, C14-13) and for ghost hosts.
 */
#include "smi.h"

static enum fab_smi_verdict to_port(u8 port, u8 n_ports, u16 *out)
{
	if (!port || port > n_ports)
		return FAB_SMI_DISCARD;
	*out = port;
	return FAB_SMI_PORT;
}

static enum fab_smi_verdict to_lid_or(enum fab_smi_verdict here, __be16 lid, u16 *out)
{
	if (lid == cpu_to_be16(FAB_IB_PERMISSIVE))
		return here;
	*out = be16_to_cpu(lid);
	return FAB_SMI_LID;
}

/* On the way out (C14-9). */
static enum fab_smi_verdict outgoing(struct ib_smp *smp, bool is_switch, u8 in, u8 n_ports,
				     u16 *out)
{
	if (smp->hop_ptr < smp->hop_cnt) {
		/* Pointer 0: the directed part begins here. */
		if (!is_switch && smp->hop_ptr)
			return FAB_SMI_DISCARD;
		if (smp->hop_ptr)
			smp->return_path[smp->hop_ptr] = in;
		smp->hop_ptr++;
		return to_port(smp->initial_path[smp->hop_ptr], n_ports, out);
	}
	if (smp->hop_ptr == smp->hop_cnt) {
		if (smp->hop_cnt)
			smp->return_path[smp->hop_ptr] = in;
		smp->hop_ptr++;
		if (is_switch)
			return to_lid_or(FAB_SMI_LOCAL, smp->dr_dlid, out);
		return smp->dr_dlid == cpu_to_be16(FAB_IB_PERMISSIVE) ? FAB_SMI_LOCAL :
									 FAB_SMI_DISCARD;
	}
	/* It came here over the LID-routed part behind the directed one. */
	return smp->hop_ptr == smp->hop_cnt + 1 ? FAB_SMI_LOCAL : FAB_SMI_DISCARD;
}

/* On the way back (C14-13). */
static enum fab_smi_verdict returning(struct ib_smp *smp, bool is_switch, u8 n_ports, u16 *out)
{
	if (smp->hop_ptr > smp->hop_cnt + 1)
		return FAB_SMI_DISCARD;
	if (smp->hop_ptr > 1) {
		if (!is_switch && smp->hop_ptr <= smp->hop_cnt)
			return FAB_SMI_DISCARD;
		smp->hop_ptr--;
		return to_port(smp->return_path[smp->hop_ptr], n_ports, out);
	}
	if (smp->hop_ptr == 1) {
		smp->hop_ptr = 0;
		if (is_switch)
			return to_lid_or(FAB_SMI_LOCAL, smp->dr_slid, out);
	}
	/* Pointer 0: it came over the LID-routed part in front of the directed one. */
	return FAB_SMI_LOCAL;
}

/**
 * fab_smi_route() - what to do with a directed-route SMP
 * @smp: SMP; its hop pointer and return path are brought up to date
 * @is_switch: it is at a switch; else at a host
 * @in: the port that it came in by; 0: it starts at this node
 * @n_ports: ports of the node
 * @out: FAB_SMI_PORT: the port that it leaves by, with permissive LIDs; FAB_SMI_LID:
 *	the LID that it is sent to
 *
 * Return: the verdict.
 */
enum fab_smi_verdict fab_smi_route(struct ib_smp *smp, bool is_switch, u8 in, u8 n_ports, u16 *out)
{
	if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS)
		return FAB_SMI_DISCARD;
	if (ib_get_smp_direction(smp))
		return returning(smp, is_switch, n_ports, out);
	return outgoing(smp, is_switch, in, n_ports, out);
}
