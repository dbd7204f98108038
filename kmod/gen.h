/* SPDX-License-Identifier: GPL-2.0 */
/* The generator: frames at given fabric times, from a list (gen.c). */
#ifndef FAB_GEN_H
#define FAB_GEN_H

#include <linux/etherdevice.h>
#include <linux/types.h>

struct fab_gen_run;
struct fab_node;
struct fab_packet;
struct fab_port;
struct netlink_ext_ack;

/* Fabric thread. Every generated packet is made once and gone once, whatever else becomes of it. */
void fab_gen_packet_made(void);		/* fab_host_inject() and fab_packet_clone() */
void fab_gen_packet_gone(void);		/* fab_packet_free() */
/* Fabric thread: a generated packet reached a host's port, or was dropped (not: filtered). */
void fab_gen_received(const struct fab_port *port, const struct fab_packet *packet);
void fab_gen_dropped(const struct fab_packet *packet);
/* Fabric thread: no more frames; counters to zero. */
void fab_gen_reset(void);

/* Caller's side, control mutex: @node goes away; the generator stops if it uses it. */
void fab_gen_forget_node(struct fab_node *node);

/**
 * struct fab_stream - one stream of the generator; FABSIM_A_STREAM_*
 * @port: the host port that sends
 * @dst: destination address
 * @start: ns after the generator's start
 * @interval: ns from frame to frame
 * @jitter: up to this many ns more, each time
 * @count: frames
 * @size: payload, bytes
 * @prio: 802.1p priority; not 0: the frame is tagged
 */
struct fab_stream {
	struct fab_port *port;
	u8 dst[ETH_ALEN];
	u64 start;
	u64 interval;
	u64 jitter;
	u32 count;
	u32 size;
	u8 prio;
};

/**
 * struct fab_gen_state - what the generator has done; FABSIM_A_GEN_*
 * @sent: frames
 * @received: frames that reached a host
 * @dropped: frames dropped on the way
 * @first: fabric time the first frame was sent
 * @last: fabric time the last frame arrived
 * @running: there are frames to send, or some on their way
 */
struct fab_gen_state {
	u64 sent;
	u64 received;
	u64 dropped;
	u64 first;
	u64 last;
	bool running;
};

/* Control mutex: a run of @n streams, to be filled in; then started or freed. */
struct fab_gen_run *fab_gen_alloc(unsigned int n);
struct fab_stream *fab_gen_stream(struct fab_gen_run *run, unsigned int i);
void fab_gen_free(struct fab_gen_run *run);
int fab_gen_start(struct fab_gen_run *run, const u64 *at, u64 seed, struct netlink_ext_ack *extack);
int fab_gen_stop(struct netlink_ext_ack *extack);
void fab_gen_read(struct fab_gen_state *state);

#endif /* FAB_GEN_H */
