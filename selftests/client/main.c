// SPDX-License-Identifier: GPL-2.0
/*
 * A verbs user inside the kernel, for the tests (selftests/tests/verbs-kernel.sh).
 *
 * What no program can reach through its provider is tried from here: UC, datagrams
 * on InfiniBand, fast registration, SEND with invalidate, draining. Whoever writes
 *
 *	CASE DEVICE DEVICE
 *
 * to /sys/kernel/debug/fabsim_client has the case run on a pair of devices, and then
 * reads there how it went, a line a check: "ok TEXT" or "not ok TEXT". Two devices
 * of one host, or one twice, are fine too. `hold` leaves connections behind that are
 * in full use when their device is taken away.
 *
 * A case runs in the writer's context; one at a time. It reaches the fabric by verbs
 * alone, and where time is to stand still by calling fabctl as an administrator would.
 */
#include <linux/debugfs.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "client.h"

#define LOG_SIZE	(256 * 1024)

static char *fabctl_path = "/usr/local/bin/fabctl";
module_param_named(fabctl, fabctl_path, charp, 0444);
MODULE_PARM_DESC(fabctl, "the file of fabctl");

static DEFINE_MUTEX(running);		/* one case at a time; the log */
static char *said;
static size_t said_length;
static struct dentry *file;

__printf(1, 0)
static void say(const char *format, va_list args)
{
	said_length += vscnprintf(said + said_length, LOG_SIZE - said_length, format, args);
	said_length += scnprintf(said + said_length, LOG_SIZE - said_length, "\n");
}

/* One check: how it went, and what it was. */
bool report(bool ok, const char *format, ...)
{
	va_list args;

	said_length += scnprintf(said + said_length, LOG_SIZE - said_length, "%s",
				 ok ? "ok " : "not ok ");
	va_start(args, format);
	say(format, args);
	va_end(args);
	return ok;
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

/* Run fabctl; whether it succeeded. */
bool run_fabctl(const char *arguments)
{
	char *command = kasprintf(GFP_KERNEL, "exec %s %s >/dev/null 2>&1", fabctl_path, arguments);
	char *envp[3] = { "HOME=/", "PATH=/usr/sbin:/usr/bin:/sbin:/bin" };
	char *argv[4] = { "/bin/sh", "-c", command };
	int status;

	if (!command)
		return false;
	status = call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);
	if (status)
		note("fabctl %s: status %d", arguments, status);
	kfree(command);
	return !status;
}

static const struct {
	const char *name;
	void (*run)(struct ib_device *a, struct ib_device *b);
} cases[] = {
	{ "messages", case_messages },
	{ "datagrams", case_datagrams },
	{ "early-free", case_early_free },
	{ "fast-registration", case_fast_registration },
	{ "keys", case_keys },
	{ "dereg", case_dereg },
	{ "states", case_states },
	{ "queues", case_queues },
	{ "not-ready", case_not_ready },
	{ "drain", case_drain },
	{ "events", case_events },
};

static int run_on(const char *name, struct ib_device *a, struct ib_device *b)
{
	unsigned int i;

	if (!strcmp(name, "hold"))
		return hold(a, b);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(name, cases[i].name))
			continue;
		cases[i].run(a, b);
		return 0;
	}
	return -EINVAL;
}

static int run(const char *name, const char *first, const char *second)
{
	struct ib_device *a = ib_device_get_by_name(first, RDMA_DRIVER_UNKNOWN);
	struct ib_device *b = ib_device_get_by_name(second, RDMA_DRIVER_UNKNOWN);
	int err = a && b ? run_on(name, a, b) : -ENODEV;

	if (a)
		ib_device_put(a);
	if (b)
		ib_device_put(b);
	return err;
}

static ssize_t write_command(struct file *unused, const char __user *from, size_t length,
			     loff_t *at)
{
	char *text = memdup_user_nul(from, min_t(size_t, length, 256));
	char *rest, *name, *first, *second;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = strim(text);
	name = strsep(&rest, " ");
	first = strsep(&rest, " ");
	second = strsep(&rest, " ");
	err = -EINVAL;
	if (second) {
		mutex_lock(&running);
		said_length = 0;
		err = run(name, first, second);
		mutex_unlock(&running);
	}
	kfree(text);
	return err ?: length;
}

static ssize_t read_log(struct file *unused, char __user *to, size_t length, loff_t *at)
{
	ssize_t n;

	mutex_lock(&running);
	n = simple_read_from_buffer(to, length, at, said, said_length);
	mutex_unlock(&running);
	return n;
}

static const struct file_operations file_ops = {
	.owner	= THIS_MODULE,
	.write	= write_command,
	.read	= read_log,
	.llseek	= default_llseek,
};

static int add_device(struct ib_device *dev)
{
	return 0;
}

static void remove_device(struct ib_device *dev, void *data)
{
	mutex_lock(&running);
	let_go(dev);
	mutex_unlock(&running);
}

static struct ib_client client = {
	.name	= "fabsim_client",
	.add	= add_device,
	.remove	= remove_device,
};

static int __init client_init(void)
{
	int err;

	said = kvmalloc(LOG_SIZE, GFP_KERNEL);
	if (!said)
		return -ENOMEM;
	err = ib_register_client(&client);
	if (err) {
		kvfree(said);
		return err;
	}
	file = debugfs_create_file("fabsim_client", 0600, NULL, NULL, &file_ops);
	return 0;
}

static void __exit client_exit(void)
{
	debugfs_remove(file);
	ib_unregister_client(&client);
	kvfree(said);
}

module_init(client_init);
module_exit(client_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Verbs from inside the kernel, for the tests of fabsim");
