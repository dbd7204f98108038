// SPDX-License-Identifier: GPL-2.0
/*
 * What ethtool shows of a NIC: -i, -S, -g, -k (by the core), -a and the speed.
 *
 * The counters of -S are those of the emulated hardware, as a NIC keeps them;
 * the standard ones (ip -s link) are not repeated.
 */
#include <linux/ethtool.h>
#include <linux/math64.h>
#include "nic.h"

/**
 * struct counter - one line of ethtool -S
 * @name: as shown
 * @value: reads it
 */
struct counter {
	char name[ETH_GSTRING_LEN];
	u64 (*value)(const struct fab_nic *nic);
};

#define COUNTER(label, expression)						\
	static u64 read_##label(const struct fab_nic *nic)			\
	{									\
		return READ_ONCE(expression);					\
	}

COUNTER(interrupts, nic->stats.interrupts)
COUNTER(napi_polls, nic->stats.polls)
COUNTER(tx_ring_full, nic->stats.tx_stops)
COUNTER(tx_tso_cuts, nic->port->stats.tx_cuts)
COUNTER(rx_filtered, nic->port->stats.drops[FABSIM_DROP_FILTERED])
COUNTER(rx_no_buffer, nic->port->stats.drops[FABSIM_DROP_NO_BUFFER])
COUNTER(rx_fcs_errors, nic->port->stats.drops[FABSIM_DROP_BIT_ERROR])
COUNTER(rx_lost_on_link, nic->port->stats.drops[FABSIM_DROP_LOSS])
COUNTER(tx_link_down, nic->port->stats.drops[FABSIM_DROP_LINK_DOWN])
COUNTER(tx_too_long, nic->port->stats.drops[FABSIM_DROP_MTU])
COUNTER(no_memory, nic->port->stats.drops[FABSIM_DROP_NO_MEMORY])
COUNTER(reset, nic->port->stats.drops[FABSIM_DROP_RESET])
COUNTER(queue_peak_bytes, nic->port->stats.queue_peak)

#define LINE(label)	{ #label, read_##label }

static const struct counter counters[] = {
	LINE(interrupts),
	LINE(napi_polls),
	LINE(tx_ring_full),
	LINE(tx_tso_cuts),
	LINE(rx_filtered),
	LINE(rx_no_buffer),
	LINE(rx_fcs_errors),
	LINE(rx_lost_on_link),
	LINE(tx_link_down),
	LINE(tx_too_long),
	LINE(no_memory),
	LINE(reset),
	LINE(queue_peak_bytes),
};

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	const struct fab_nic *nic = netdev_priv(dev);

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	snprintf(info->bus_info, sizeof(info->bus_info), "fabsim:%s", nic->port->name);
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	const struct fab_nic *nic = netdev_priv(dev);
	const struct fab_wire *wire;

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	settings->base.port = PORT_OTHER;
	settings->base.autoneg = AUTONEG_DISABLE;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.speed = SPEED_UNKNOWN;
	/* A link goes away only after the carrier has, which takes rtnl as we do. */
	wire = READ_ONCE(nic->port->wire);
	if (netif_carrier_ok(dev) && wire && wire->link->set.rate)
		settings->base.speed = div_u64(wire->link->set.rate, 1000000);
	return 0;
}

static void get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel_ring,
			  struct netlink_ext_ack *extack)
{
	ring->tx_pending = FAB_NIC_TX_RING;
	ring->tx_max_pending = FAB_NIC_TX_RING;
	ring->rx_pending = FAB_NIC_RX_RING;
	ring->rx_max_pending = FAB_NIC_RX_RING;
}

static void get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	/* This NIC neither sends nor obeys pause frames. */
	pause->autoneg = 0;
	pause->rx_pause = 0;
	pause->tx_pause = 0;
}

static int get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(counters) : -EOPNOTSUPP;
}

static void get_strings(struct net_device *dev, u32 set, u8 *data)
{
	unsigned int i;

	for (i = 0; set == ETH_SS_STATS && i < ARRAY_SIZE(counters); i++)
		memcpy(data + i * ETH_GSTRING_LEN, counters[i].name, ETH_GSTRING_LEN);
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		data[i] = counters[i].value(netdev_priv(dev));
}

const struct ethtool_ops fab_nic_ethtool_ops = {
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= get_link_ksettings,
	.get_ringparam		= get_ringparam,
	.get_pauseparam		= get_pauseparam,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_ethtool_stats	= get_ethtool_stats,
	.get_ts_info		= ethtool_op_get_ts_info,
};
