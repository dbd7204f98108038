// SPDX-License-Identifier: GPL-2.0
/*
 * In a kernel without InfiniBand (CONFIG_INFINIBAND), instead of host/, ib/ and the
 * RoCE part of eth/: nothing. fabric.c refuses whatever would need them, so none of
 * these is called but those that take away or look, and they find nothing.
 */
#include "eth/eth.h"
#include "eth/roce.h"
#include "fabric.h"
#include "host/net.h"
#include "ib/ib.h"
#include "ib/sm.h"
#include "packet.h"

const struct fab_port_ops fab_ib_host_port_ops = { .kind = FABSIM_PORT_KIND_IB };
const struct fab_sm_settings fab_sm_defaults;

struct fab_node *fab_ib_switch_create(const struct fab_node_params *params,
				      struct netlink_ext_ack *extack)
{
	return ERR_PTR(-EOPNOTSUPP);
}

int fab_ib_host_attach(struct fab_port *port, u32 number, bool live)
{
	return -EOPNOTSUPP;
}

void fab_ib_host_unregister(struct fab_port *port)
{
}

void fab_ib_host_free(struct fab_port *port)
{
}

void fab_ib_host_reset(struct fab_port *port, bool to_defaults)
{
}

void fab_ib_port_report(const struct fab_port *port, struct fab_ib_report *report)
{
	*report = (struct fab_ib_report) { .state = FABSIM_IB_NOP };
}

void fab_ib_switch_report(const struct fab_node *node, struct fab_ib_switch_report *report)
{
	*report = (struct fab_ib_switch_report) {};
}

unsigned int fab_ib_switch_read_lft(const struct fab_node *node, u16 from,
				    struct fab_lft_line *lines, unsigned int max)
{
	return 0;
}

int fab_sm_start(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
		 struct netlink_ext_ack *extack)
{
	return -EOPNOTSUPP;
}

int fab_sm_set(struct fab_ib_switch *sw, const struct fab_sm_settings *set,
	       struct netlink_ext_ack *extack)
{
	return -EOPNOTSUPP;
}

void fab_sm_stop(struct fab_ib_switch *sw)
{
}

void fab_sm_cold(void)
{
}

void fab_sm_read(struct fab_ib_switch *sw, struct fab_sm_info *info)
{
	*info = (struct fab_sm_info) {};
}

unsigned int fab_hca_read_qps(struct fab_hca *hca, u32 from, struct fab_qp_line *lines,
			      unsigned int max)
{
	return 0;
}

const char *fab_hca_name(const struct fab_hca *hca)
{
	return "";
}

void fab_hca_set_selective(struct fab_hca *hca, bool on)
{
}

struct fab_hca *fab_roce_hca(const struct fab_roce *roce)
{
	return NULL;
}

int fab_roce_attach(struct fab_port *port, struct netlink_ext_ack *extack)
{
	return -EOPNOTSUPP;
}

void fab_roce_unregister(struct fab_port *port)
{
}

void fab_roce_free(struct fab_port *port)
{
}

void fab_roce_device_event(struct fab_port *port)
{
}

bool fab_roce_receive(struct fab_roce *roce, struct fab_packet *packet)
{
	return false;
}

void fab_roce_tx_done(struct fab_roce *roce, struct fab_packet *packet)
{
}

void fab_roce_purge(struct fab_roce *roce, u32 reason)
{
}

bool fab_roce_finish(struct fab_packet *packet)
{
	return true;
}
