// SPDX-License-Identifier: GPL-2.0
/*
 * Formatted refusals.
 *
 * An extended ack carries a pointer to a text, and the kernel reads that text
 * after our handler has returned. A constant string lives long enough; a
 * formatted one needs a place of its own until then. 6.1 has none, and that of
 * newer kernels ends after 80 characters. So there are SLOTS places here. A
 * task that is refused gets its own old one, because it has read that answer,
 * or one that is so old that its reader must be done. Where a crowd is refused
 * within KEEP, the rest get the format itself: less said, but nothing wrong.
 *
 * netlink sends the ack before it lets go of the family, so the places outlive
 * every reader.
 */
#include <linux/ctype.h>
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include "extack.h"

#define SLOTS	64
#define KEEP	(60 * HZ)

static struct slot {
	const struct task_struct *owner;	/* compared only */
	unsigned long since;
	char text[128];
} slots[SLOTS];

static DEFINE_SPINLOCK(slots_lock);	/* protects who owns a slot */

static struct slot *find_slot(void)
{
	struct slot *found = NULL;
	int i;

	lockdep_assert_held(&slots_lock);
	for (i = 0; i < SLOTS; i++) {
		if (slots[i].owner == current)
			return &slots[i];
		if (!found && (!slots[i].owner || time_after(jiffies, slots[i].since + KEEP)))
			found = &slots[i];
	}
	return found;
}

static struct slot *take_slot(void)
{
	struct slot *slot;

	spin_lock(&slots_lock);
	slot = find_slot();
	if (slot) {
		slot->owner = current;
		slot->since = jiffies;
	}
	spin_unlock(&slots_lock);
	return slot;
}

/* A name from a request may have anything in it; the text goes to somebody's terminal. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (!isascii(*text) || !isprint(*text))
			*text = '?';
}

/**
 * fab_err() - say what is wrong with a request
 * @extack: of the request, or NULL
 * @fmt: format, a constant; "fabsim: " is put before it
 *
 * A later text replaces an earlier one of the same request.
 *
 * Context: process context, the one that handles the request.
 */
void fab_err(struct netlink_ext_ack *extack, const char *fmt, ...)
{
	struct slot *slot;
	va_list args;
	int len;

	if (!extack)
		return;
	slot = take_slot();
	if (!slot) {
		extack->_msg = fmt;
		return;
	}
	len = scnprintf(slot->text, sizeof(slot->text), "%s: ", KBUILD_MODNAME);
	va_start(args, fmt);
	vscnprintf(slot->text + len, sizeof(slot->text) - len, fmt, args);
	va_end(args);
	make_printable(slot->text);
	extack->_msg = slot->text;
}
