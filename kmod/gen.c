// SPDX-License-Identifier: GPL-2.0
/*
 * The generator: frames at given fabric times.
 *
 * A run is a list of streams; a stream is a number of equal frames from one
 * host's port. Each stream knows when its next frame is due, and stands in a
 * tree by that time; equal times keep the order of the list. One event stands
 * in the fabric's own heap, for the first of the tree: it sends one frame, puts
 * the stream back, and waits for the next first.
 *
 * There is no real-time party to a run: a time is fabric time, jitter comes
 * from the seed, and with no packet of a real stack about, time jumps from
 * event to event. So the same list and seed give the same run, byte for byte.
 *
 * A run ends when its last frame is gone, wherever that is. A switch that
 * floods makes more packets out of one, so the packets are counted when they
 * are made and when they are freed.
 *
 * Frames carry the EtherType for local experiments (0x88b5, IEEE 802), then the
 * number of the frame and that of its stream, then a pattern.
 */
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include "clock.h"
#include "eth/eth.h"
#include "extack.h"
#include "fabric.h"
#include "fault.h"
#include "gen.h"
#include "notify.h"
#include "trace.h"

/* A port that has this much waiting takes no more from the generator, as a full transmit ring. */
#define QUEUE_MAX	(16 << 20)
/* Times end here, so that sums of them do not overflow. */
#define TIME_MAX	S64_MAX

/**
 * struct stream - a stream, and how far it is
 * @set: what it shall do
 * @node: place in the tree of streams that have frames to send
 * @next: fabric time of the next frame
 * @rng: state of the sequence that jitter is drawn from
 * @sent: frames so far
 */
struct stream {
	struct fab_stream set;
	struct rb_node node;
	u64 next;
	u64 rng;
	u32 sent;
};

/**
 * struct fab_gen_run - what the generator shall do
 * @n: length of @streams
 * @streams: in the order of the request
 */
struct fab_gen_run {
	unsigned int n;
	struct stream streams[];
};

/* The header in front of the pattern. */
struct payload {
	__be32 frame;
	__be32 stream;
} __packed;

static struct {
	/* Control mutex; the thread uses it while @due is not empty. Gone with the last node. */
	struct fab_gen_run *run;

	/* Fabric thread. Others read @state with READ_ONCE. */
	struct fab_event event;
	struct rb_root_cached due;
	u64 packets;			/* generated ones in the fabric */
	bool sending;			/* inside send_frame() */
	struct fab_gen_state state;
} gen;

static bool is_earlier(struct rb_node *a, const struct rb_node *b)
{
	const struct stream *x = rb_entry(a, struct stream, node);
	const struct stream *y = rb_entry(b, struct stream, node);

	return x->next != y->next ? x->next < y->next : x < y;
}

static struct stream *first_stream(void)
{
	struct rb_node *node = rb_first_cached(&gen.due);

	return node ? rb_entry(node, struct stream, node) : NULL;
}

static void tell_done(void)
{
	const struct fab_notice notice = { .type = FABSIM_EVENT_GEN_DONE };

	fab_notify(&notice);
}

/* Over, if nothing is left to send and nothing is on its way. */
static void check_end(void)
{
	if (!gen.state.running || gen.sending || gen.packets || first_stream())
		return;
	WRITE_ONCE(gen.state.running, false);
	fab_clock_may_jump(false);
	tell_done();
}

static void schedule_first(void)
{
	struct stream *stream = first_stream();

	if (stream)
		fab_event_at(&gen.event, stream->next);
}

static void count(u64 *counter)
{
	WRITE_ONCE(*counter, *counter + 1);
}

static u8 *put_header(struct sk_buff *skb, const struct stream *stream)
{
	const struct fab_stream *set = &stream->set;
	struct vlan_ethhdr *tagged;
	struct ethhdr *plain;

	if (!set->prio) {
		plain = skb_put(skb, ETH_HLEN);
		ether_addr_copy(plain->h_dest, set->dst);
		ether_addr_copy(plain->h_source, fab_host_mac(set->port->node));
		plain->h_proto = htons(ETH_P_802_EX1);
	} else {
		tagged = skb_put(skb, VLAN_ETH_HLEN);
		ether_addr_copy(tagged->h_dest, set->dst);
		ether_addr_copy(tagged->h_source, fab_host_mac(set->port->node));
		tagged->h_vlan_proto = htons(ETH_P_8021Q);
		tagged->h_vlan_TCI = htons(set->prio << VLAN_PRIO_SHIFT);
		tagged->h_vlan_encapsulated_proto = htons(ETH_P_802_EX1);
	}
	return skb_put(skb, set->size);
}

static void put_payload(u8 *to, const struct stream *stream)
{
	const struct payload head = {
		.frame = cpu_to_be32(stream->sent),
		.stream = cpu_to_be32(stream - gen.run->streams),
	};
	u32 i;

	memcpy(to, &head, sizeof(head));
	for (i = sizeof(head); i < stream->set.size; i++)
		to[i] = i + stream->sent;
}

static struct sk_buff *build_frame(const struct stream *stream)
{
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + VLAN_ETH_HLEN + stream->set.size,
			GFP_NOWAIT | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	put_payload(put_header(skb, stream), stream);
	skb_reset_mac_header(skb);
	skb->protocol = eth_hdr(skb)->h_proto;
	skb->priority = stream->set.prio;
	return skb;
}

static void refuse_frame(struct fab_port *port, u32 reason)
{
	count(&port->stats.drops[reason]);
	count(&gen.state.dropped);
}

static void send_frame(struct stream *stream)
{
	struct fab_port *port = stream->set.port;
	struct sk_buff *skb;

	if (!gen.state.sent)
		WRITE_ONCE(gen.state.first, fab_now());
	count(&gen.state.sent);
	trace_fabsim_gen(port, stream - gen.run->streams, stream->sent);
	if (port->queue_bytes >= QUEUE_MAX) {
		refuse_frame(port, FABSIM_DROP_NO_BUFFER);
		return;
	}
	skb = build_frame(stream);
	if (!skb) {
		refuse_frame(port, FABSIM_DROP_NO_MEMORY);
		return;
	}
	gen.sending = true;
	fab_host_inject(port, skb, stream->set.prio);
	gen.sending = false;
}

static u64 draw_gap(struct stream *stream)
{
	const struct fab_stream *set = &stream->set;

	if (!set->jitter)
		return set->interval;
	return set->interval + mul_u64_u64_shr(fab_random(&stream->rng), set->jitter + 1, 64);
}

static void fire(struct fab_event *event)
{
	struct stream *stream = first_stream();

	rb_erase_cached(&stream->node, &gen.due);
	send_frame(stream);
	if (++stream->sent < stream->set.count) {
		stream->next += draw_gap(stream);
		rb_add_cached(&stream->node, &gen.due, is_earlier);
	}
	schedule_first();
	check_end();
}

/**
 * fab_gen_packet_made() - there is one more generated packet
 *
 * Context: fabric thread.
 */
void fab_gen_packet_made(void)
{
	gen.packets++;
}

/**
 * fab_gen_packet_gone() - there is one less
 *
 * Context: fabric thread.
 */
void fab_gen_packet_gone(void)
{
	gen.packets--;
	check_end();
}

/**
 * fab_gen_received() - a generated packet has reached a host
 * @port: port of the host
 * @packet: packet
 *
 * It counts where it was sent to, not where a switch has flooded it to besides.
 *
 * Context: fabric thread.
 */
void fab_gen_received(const struct fab_port *port, const struct fab_packet *packet)
{
	const u8 *dst = packet->skb->data;

	if (!is_multicast_ether_addr(dst) && !ether_addr_equal(dst, fab_host_mac(port->node)))
		return;
	count(&gen.state.received);
	WRITE_ONCE(gen.state.last, fab_now());
}

/**
 * fab_gen_dropped() - a generated packet was lost on its way
 * @packet: packet
 *
 * Context: fabric thread.
 */
void fab_gen_dropped(const struct fab_packet *packet)
{
	count(&gen.state.dropped);
}

/* No more frames; those on their way may arrive. */
static void stop(void)
{
	if (first_stream())
		fab_event_cancel(&gen.event);
	gen.due = RB_ROOT_CACHED;
	check_end();
}

/**
 * fab_gen_reset() - stop the generator and zero what it counted
 *
 * Context: fabric thread.
 */
void fab_gen_reset(void)
{
	bool running;

	stop();
	running = gen.state.running;
	memset(&gen.state, 0, sizeof(gen.state));
	gen.state.running = running;
}

/**
 * fab_gen_alloc() - memory for a run
 * @n: how many streams
 *
 * Return: the run or NULL.
 */
struct fab_gen_run *fab_gen_alloc(unsigned int n)
{
	struct fab_gen_run *run;

	run = kvzalloc(struct_size(run, streams, n), GFP_KERNEL);
	if (run)
		run->n = n;
	return run;
}

/**
 * fab_gen_stream() - a stream of a run that has not been started
 * @run: run
 * @i: which
 *
 * Return: the stream, to be filled in.
 */
struct fab_stream *fab_gen_stream(struct fab_gen_run *run, unsigned int i)
{
	return &run->streams[i].set;
}

/**
 * fab_gen_free() - give up a run that has not been started
 * @run: run or NULL
 */
void fab_gen_free(struct fab_gen_run *run)
{
	kvfree(run);
}

/**
 * struct start - a call that starts a run
 * @run: run
 * @old: the run before it
 * @at: fabric time to start at, NULL: now
 * @seed: of the jitter
 * @now: fabric time of the call
 * @longest: most ns that any stream takes
 * @err: how it went
 */
struct start {
	struct fab_gen_run *run;
	struct fab_gen_run *old;
	const u64 *at;
	u64 seed;
	u64 now;
	u64 longest;
	int err;
};

static void start_stream(struct stream *stream, u64 at, u64 seed)
{
	stream->next = at + stream->set.start;
	stream->rng = seed;
	rb_add_cached(&stream->node, &gen.due, is_earlier);
}

static void call_start(void *arg)
{
	struct start *start = arg;
	u64 at, seed = start->seed;
	unsigned int i;

	start->now = fab_now();
	at = start->at ? *start->at : start->now;
	if (gen.state.running)
		start->err = -EBUSY;
	else if (at < start->now)
		start->err = -ETIME;
	else if (at > TIME_MAX - start->longest)
		start->err = -ERANGE;
	if (start->err)
		return;
	start->old = gen.run;
	gen.run = start->run;
	fab_event_init(&gen.event, fire);
	memset(&gen.state, 0, sizeof(gen.state));
	gen.state.running = true;
	/* Each stream draws from a sequence of its own. */
	for (i = 0; i < gen.run->n; i++)
		start_stream(&gen.run->streams[i], at, fab_random(&seed));
	fab_clock_may_jump(true);
	schedule_first();
}

/* How long a stream takes at most; TIME_MAX if that is too long to count. */
static u64 longest(const struct fab_stream *stream)
{
	u64 gap, sum;

	if (check_add_overflow(stream->interval, stream->jitter, &gap) ||
	    check_mul_overflow(gap, (u64)stream->count, &sum) ||
	    check_add_overflow(sum, stream->start, &sum) || sum > TIME_MAX)
		return TIME_MAX;
	return sum;
}

static void say_why(const struct start *start, struct netlink_ext_ack *extack)
{
	switch (start->err) {
	case -EBUSY:
		fab_err(extack, "the generator runs, or its last frames are still on their way");
		break;
	case -ETIME:
		fab_err(extack, "the start is %llu ns in the past: it is %llu ns now",
			start->now - *start->at, start->now);
		break;
	case -ERANGE:
		fab_err(extack, "the run would go on beyond the end of time (2^63 ns)");
		break;
	}
}

/**
 * fab_gen_start() - start a run
 * @run: run; the generator's if this succeeds
 * @at: fabric time to start at; NULL: now
 * @seed: of the jitter
 * @extack: says why not
 *
 * Context: process context, control mutex.
 * Return: 0, -EBUSY (one runs), -ERANGE (too long, or at a time that has passed).
 */
int fab_gen_start(struct fab_gen_run *run, const u64 *at, u64 seed, struct netlink_ext_ack *extack)
{
	struct start start = { .run = run, .at = at, .seed = seed };
	unsigned int i;

	for (i = 0; i < run->n; i++)
		start.longest = max(start.longest, longest(&run->streams[i].set));
	fab_call(call_start, &start);
	if (start.err) {
		say_why(&start, extack);
		return start.err == -EBUSY ? -EBUSY : -ERANGE;
	}
	fab_gen_free(start.old);
	return 0;
}

static void call_stop(void *unused)
{
	stop();
}

/**
 * fab_gen_stop() - no more frames
 * @extack: says why not
 *
 * Context: process context, control mutex.
 * Return: 0 or -ENOENT if nothing runs.
 */
int fab_gen_stop(struct netlink_ext_ack *extack)
{
	if (!READ_ONCE(gen.state.running)) {
		fab_err(extack, "the generator does not run");
		return -ENOENT;
	}
	fab_call(call_stop, NULL);
	return 0;
}

static void call_read(void *arg)
{
	memcpy(arg, &gen.state, sizeof(gen.state));
}

/**
 * fab_gen_read() - what the generator has done
 * @state: filled in
 *
 * Context: process context.
 */
void fab_gen_read(struct fab_gen_state *state)
{
	fab_call(call_read, state);
}

static bool uses(const struct fab_gen_run *run, const struct fab_node *node)
{
	unsigned int i;

	for (i = 0; i < run->n; i++)
		if (run->streams[i].set.port->node == node)
			return true;
	return false;
}

static void call_forget(void *arg)
{
	*(struct fab_gen_run **)arg = gen.run;
	gen.run = NULL;
	stop();
}

/**
 * fab_gen_forget_node() - a node goes away: a run that uses it stops
 * @node: node
 *
 * Context: process context, control mutex.
 */
void fab_gen_forget_node(struct fab_node *node)
{
	struct fab_gen_run *run;

	if (!gen.run || !uses(gen.run, node))
		return;
	fab_call(call_forget, &run);
	fab_gen_free(run);
}
