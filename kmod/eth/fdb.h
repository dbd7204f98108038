/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forwarding database of an Ethernet switch: which address is behind which
 * port. fdb.c has the model. Pure logic, also built by the unit tests.
 */
#ifndef FAB_FDB_H
#define FAB_FDB_H

#include <linux/hashtable.h>
#include <linux/types.h>

#define FAB_FDB_BITS	8
/* As many as a small data-centre switch has room for. */
#define FAB_FDB_MAX	16384

/**
 * struct fab_fdb_entry - one address
 * @hash: place in the table
 * @mac: the address as a number
 * @seen: real time a frame from it was last seen, ms
 * @port: index of the port it is behind
 */
struct fab_fdb_entry {
	struct hlist_node hash;
	u64 mac;
	u64 seen;
	u16 port;
};

/**
 * struct fab_fdb - a forwarding database
 * @table: entries by address
 * @entries: how many, aged ones not yet removed included
 * @max_age: real ms after which an unseen address is forgotten
 */
struct fab_fdb {
	DECLARE_HASHTABLE(table, FAB_FDB_BITS);
	u32 entries;
	u32 max_age;
};

enum fab_fdb_learned {
	FAB_FDB_REFRESHED,	/* known, and where it was */
	FAB_FDB_NEW,
	FAB_FDB_MOVED,		/* known, but behind another port */
	FAB_FDB_FULL,		/* not learned: no room or no memory */
};

void fab_fdb_init(struct fab_fdb *fdb, u32 max_age);
enum fab_fdb_learned fab_fdb_learn(struct fab_fdb *fdb, u64 mac, u16 port, u64 now);
u16 fab_fdb_lookup(struct fab_fdb *fdb, u64 mac, u64 now);
void fab_fdb_expire(struct fab_fdb *fdb, u64 now);
void fab_fdb_flush(struct fab_fdb *fdb);

#endif /* FAB_FDB_H */
