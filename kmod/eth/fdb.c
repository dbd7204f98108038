// SPDX-License-Identifier: GPL-2.0
/*
 * The forwarding database of an Ethernet switch.
 *
 * Nobody configures it. A switch looks at the source address of every frame
 * and remembers which port it came in by; a frame to a remembered address goes
 * out of that port alone, any other frame goes out of every port (IEEE 802.1Q
 * 8.7, 8.8). An address that has not been seen for a while is forgotten, since
 * its host may have been moved. Compare InfiniBand, where the subnet manager
 * computes the table of every switch.
 *
 * An entry too old to be used is removed when it is looked at, or when the
 * table is full or read. Times are real ones: the hosts' own tables age in real
 * time too.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include "fdb.h"

/**
 * fab_fdb_init() - an empty database
 * @fdb: database
 * @max_age: real ms after which an unseen address is forgotten
 */
void fab_fdb_init(struct fab_fdb *fdb, u32 max_age)
{
	hash_init(fdb->table);
	fdb->entries = 0;
	fdb->max_age = max_age;
}

static struct fab_fdb_entry *find(struct fab_fdb *fdb, u64 mac)
{
	struct fab_fdb_entry *entry;

	hash_for_each_possible(fdb->table, entry, hash, mac)
		if (entry->mac == mac)
			return entry;
	return NULL;
}

static bool is_old(const struct fab_fdb *fdb, const struct fab_fdb_entry *entry, u64 now)
{
	return now - entry->seen > fdb->max_age;
}

static void forget(struct fab_fdb *fdb, struct fab_fdb_entry *entry)
{
	hash_del(&entry->hash);
	kfree(entry);
	fdb->entries--;
}

static enum fab_fdb_learned add(struct fab_fdb *fdb, u64 mac, u16 port, u64 now)
{
	struct fab_fdb_entry *entry;

	if (fdb->entries >= FAB_FDB_MAX)
		fab_fdb_expire(fdb, now);
	if (fdb->entries >= FAB_FDB_MAX)
		return FAB_FDB_FULL;
	entry = kmalloc(sizeof(*entry), GFP_NOWAIT | __GFP_NOWARN);
	if (!entry)
		return FAB_FDB_FULL;
	entry->mac = mac;
	entry->port = port;
	entry->seen = now;
	hash_add(fdb->table, &entry->hash, mac);
	fdb->entries++;
	return FAB_FDB_NEW;
}

/**
 * fab_fdb_learn() - a frame from @mac came in by @port
 * @fdb: database
 * @mac: source address of the frame
 * @port: index of the port
 * @now: real time, ms
 *
 * Return: what was news about it.
 */
enum fab_fdb_learned fab_fdb_learn(struct fab_fdb *fdb, u64 mac, u16 port, u64 now)
{
	struct fab_fdb_entry *entry = find(fdb, mac);
	bool known;

	if (!entry)
		return add(fdb, mac, port, now);
	known = !is_old(fdb, entry, now);
	entry->seen = now;
	if (known && entry->port == port)
		return FAB_FDB_REFRESHED;
	entry->port = port;
	return known ? FAB_FDB_MOVED : FAB_FDB_NEW;
}

/**
 * fab_fdb_lookup() - where is @mac?
 * @fdb: database
 * @mac: destination address of a frame
 * @now: real time, ms
 *
 * Return: index of the port, or 0 if it is not known.
 */
u16 fab_fdb_lookup(struct fab_fdb *fdb, u64 mac, u64 now)
{
	struct fab_fdb_entry *entry = find(fdb, mac);

	if (!entry)
		return 0;
	if (is_old(fdb, entry, now)) {
		forget(fdb, entry);
		return 0;
	}
	return entry->port;
}

/**
 * fab_fdb_expire() - remove what is too old
 * @fdb: database
 * @now: real time, ms
 */
void fab_fdb_expire(struct fab_fdb *fdb, u64 now)
{
	struct fab_fdb_entry *entry;
	struct hlist_node *next;
	unsigned int bucket;

	hash_for_each_safe(fdb->table, bucket, next, entry, hash)
		if (is_old(fdb, entry, now))
			forget(fdb, entry);
}

/**
 * fab_fdb_flush() - forget everything
 * @fdb: database
 */
void fab_fdb_flush(struct fab_fdb *fdb)
{
	struct fab_fdb_entry *entry;
	struct hlist_node *next;
	unsigned int bucket;

	hash_for_each_safe(fdb->table, bucket, next, entry, hash)
		forget(fdb, entry);
}
