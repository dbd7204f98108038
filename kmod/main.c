// SPDX-License-Identifier: GPL-2.0
/*
 * fabsim: an RDMA fabric inside one kernel. This file is only the way in and,
 * in exactly the reverse order, the way out.
 */
#include <linux/module.h>
#include "capture.h"
#include "clock.h"
#include "cost/cost.h"
#include "eth/eth.h"
#include "fabric.h"
#include "gen.h"
#include "netlink.h"
#include "packet.h"
#include "sysfs.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static int __init fabsim_init(void)
{
	int err;

	err = fab_packet_init();
	if (err)
		return err;
	err = fab_clock_init();
	if (err)
		goto err_packet;
	err = fab_sysfs_init();
	if (err)
		goto err_clock;
	err = fab_cost_init();
	if (err)
		goto err_sysfs;
	err = fab_hosts_init();
	if (err)
		goto err_cost;
	err = fab_netlink_init();
	if (err)
		goto err_hosts;
	pr_info("fabsim: loaded, the fabric is empty\n");
	return 0;

err_hosts:
	fab_hosts_exit();
err_cost:
	fab_cost_exit();
err_sysfs:
	fab_sysfs_exit();
err_clock:
	fab_clock_exit();
err_packet:
	fab_packet_exit();
	return err;
}

static void __exit fabsim_exit(void)
{
	/* No controller can come in any more; then the fabric goes. */
	fab_netlink_exit();
	fab_control_lock();
	fab_fabric_down();
	fab_control_unlock();
	fab_hosts_exit();
	fab_cost_exit();
	fab_sysfs_exit();
	fab_clock_exit();
	fab_packet_exit();
}

module_init(fabsim_init);
module_exit(fabsim_exit);

MODULE_DESCRIPTION("An RDMA fabric inside one kernel: hosts, ports, links, switches");
MODULE_AUTHOR("the fabsim founders");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
/* InfiniBand's tools talk through it, and nothing loads it where no udev does. */
MODULE_SOFTDEP("post: ib_umad");
