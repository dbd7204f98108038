/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FABCTL_MISTAKE_H
#define FABCTL_MISTAKE_H

/* What a scenario leaves out or gets wrong on purpose; traffic.mistake. */
enum mistake {
	MISTAKE_NONE,
	MISTAKE_NO_MR,		/* the sender's memory is not registered */
	MISTAKE_NO_MR_FAR,	/* the receiver's is not */
	MISTAKE_NO_RECV,	/* SEND before the receiver has posted a RECV */
	MISTAKE_QP_NOT_RTS,	/* the queue pair was left in INIT */
	MISTAKE_WRONG_RKEY,
	MISTAKE_WRONG_GID_INDEX,
	MISTAKE_MTU,		/* the two ends disagree about the path MTU */
	MISTAKE_WRONG_PKEY_INDEX,

	MISTAKE_MAX = MISTAKE_WRONG_PKEY_INDEX
};

#endif /* FABCTL_MISTAKE_H */
