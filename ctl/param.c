// SPDX-License-Identifier: GPL-2.0
/* The table of settings; see param.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "param.h"
#include "units.h"

enum param_type {
	P_NUMBER, P_RATE, P_TIME, P_MS, P_SIZE, P_ALPHA, P_BER, P_PPB,
	P_DIR, P_STALL, P_BOOL, P_ROUTING, P_REPEAT,
};

struct param {
	enum param_of of;
	const char *key;
	enum param_type type;
	unsigned short attr;
	unsigned char size;		/* of the attribute */
	uint64_t min, max;
	const char *range;		/* for people */
};

static const struct param params[] = {
	{ PARAM_LINK, "rate", P_RATE, FABSIM_A_LINK_RATE, 8, FABSIM_RATE_MIN,
	  FABSIM_RATE_MAX, "1M to 10T, or max" },
	{ PARAM_LINK, "delay", P_TIME, FABSIM_A_LINK_DELAY, 8, 0,
	  FABSIM_DELAY_MAX, "0 to 1s" },
	{ PARAM_LINK, "mtu", P_NUMBER, FABSIM_A_LINK_MTU, 4, FABSIM_MTU_MIN,
	  FABSIM_MTU_MAX, "68 to 9216" },
	{ PARAM_LINK, "ber", P_BER, FABSIM_A_LINK_BER, 8, 0, FABSIM_BER_ONE,
	  "0 to 1, for example 1e-9" },
	{ PARAM_LINK, "loss", P_PPB, FABSIM_A_LINK_LOSS, 4, 0, FABSIM_PPB,
	  "0 to 100%" },
	{ PARAM_LINK, "drop-nth", P_NUMBER, FABSIM_A_LINK_DROP_NTH, 8, 0,
	  UINT64_MAX, "0 = off, or the number of a packet" },
	{ PARAM_LINK, "corrupt-nth", P_NUMBER, FABSIM_A_LINK_CORRUPT_NTH, 8, 0,
	  UINT64_MAX, "0 = off, or the number of a packet" },
	{ PARAM_LINK, "stall", P_STALL, FABSIM_A_LINK_STALL, 1, 0, 3,
	  "none, rx-at-A, rx-at-B or both" },
	{ PARAM_LINK, "dir", P_DIR, FABSIM_A_LINK_FAULT_DIR, 1, 0, 2,
	  "both, a-b or b-a" },
	{ PARAM_LINK, "seed", P_NUMBER, FABSIM_A_LINK_SEED, 8, 0, UINT64_MAX,
	  "a number; 0 = from the fabric's" },
	{ PARAM_LINK, "up", P_BOOL, FABSIM_A_LINK_UP, 1, 0, 1, "yes or no" },
	{ PARAM_SWITCH, "buffer", P_SIZE, FABSIM_A_NODE_BUFFER, 4,
	  FABSIM_BUFFER_MIN, FABSIM_BUFFER_MAX, "16K to 1G" },
	{ PARAM_SWITCH, "alpha", P_ALPHA, FABSIM_A_NODE_ALPHA, 4, 1, 64000,
	  "0.001 to 64" },
	{ PARAM_SWITCH, "latency", P_TIME, FABSIM_A_NODE_LATENCY, 4, 0,
	  1000000000, "0 to 1s" },
	{ PARAM_SWITCH, "ageing", P_MS, FABSIM_A_NODE_AGEING, 4, 1, 86400000,
	  "1ms to 86400s" },
	{ PARAM_NEW_SWITCH, "ports", P_NUMBER, FABSIM_A_NODE_PORTS, 4, 1,
	  FABSIM_PORTS_MAX, "1 to 256" },
	{ PARAM_HOST, "cpu", P_NUMBER, FABSIM_A_NODE_CPU, 4, 0, 65535,
	  "the number of a CPU" },
	{ PARAM_HOST, "repeat", P_REPEAT, FABSIM_A_NODE_SELECTIVE, 1, 0, 1,
	  "go-back-n or selective" },
	{ PARAM_SM, "priority", P_NUMBER, FABSIM_A_SM_PRIORITY, 4, 0,
	  FABSIM_SM_PRIORITY_MAX, "0 to 15; the highest is master" },
	{ PARAM_SM, "sweep", P_MS, FABSIM_A_SM_SWEEP, 4, FABSIM_SM_MS_MIN,
	  FABSIM_SM_MS_MAX, "100ms to 86400s" },
	{ PARAM_SM, "poll", P_MS, FABSIM_A_SM_POLL, 4, FABSIM_SM_MS_MIN,
	  FABSIM_SM_MS_MAX, "100ms to 86400s" },
	{ PARAM_SM, "routing", P_ROUTING, FABSIM_A_SM_ROUTING, 4, 0,
	  FABSIM_ROUTING_MAX, "min-hop or updn" },
	{ PARAM_SM, "lmc", P_NUMBER, FABSIM_A_SM_LMC, 4, 0, FABSIM_SM_LMC_MAX,
	  "0 to 7: an end has 2^LMC addresses" },
	{ PARAM_FABRIC, "pace", P_NUMBER, FABSIM_A_FABRIC_PACE, 4, 1,
	  FABSIM_PACE_MAX, "1 to 1000000" },
	{ PARAM_FABRIC, "seed", P_NUMBER, FABSIM_A_FABRIC_SEED, 8, 0,
	  UINT64_MAX, "a number" },
};

#define NR_PARAMS	(ARRAY_SIZE(params))

static const struct {
	enum param_type type;
	const char *word;
	uint64_t v;
} words[] = {
	{ P_DIR, "both", FABSIM_FAULT_BOTH },
	{ P_DIR, "a-b", FABSIM_FAULT_A_TO_B },
	{ P_DIR, "b-a", FABSIM_FAULT_B_TO_A },
	{ P_BOOL, "no", 0 },
	{ P_BOOL, "yes", 1 },
	{ P_ROUTING, "min-hop", FABSIM_ROUTING_MIN_HOP },
	{ P_ROUTING, "updn", FABSIM_ROUTING_UPDN },
	{ P_REPEAT, "go-back-n", 0 },
	{ P_REPEAT, "selective", 1 },
	{ P_STALL, "none", 0 },
	{ P_STALL, "off", 0 },
	{ P_STALL, "rx-at-A", FABSIM_STALL_A },
	{ P_STALL, "rx-at-B", FABSIM_STALL_B },
	{ P_STALL, "both", FABSIM_STALL_A | FABSIM_STALL_B },
};

const struct param *param_find(enum param_of of, const char *key)
{
	unsigned int i;

	for (i = 0; i < NR_PARAMS; i++)
		if (params[i].of == of && !strcmp(params[i].key, key))
			return &params[i];
	return NULL;
}

const char *param_key(const struct param *p)
{
	return p->key;
}

const char *param_keys(enum param_of of)
{
	static char text[160];
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < NR_PARAMS; i++) {
		if (params[i].of != of)
			continue;
		strcat(text, text[0] ? " " : "");
		strcat(text, params[i].key);
	}
	return text;
}

static int get_word(enum param_type type, const char *s, uint64_t *v)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i].type != type || strcasecmp(words[i].word, s))
			continue;
		*v = words[i].v;
		return 0;
	}
	return -EINVAL;
}

/* 0 means "max" inside, so nobody may ask for it as a number. */
static int get_rate(const char *s, uint64_t *v)
{
	int err = units_get_rate(s, v);

	if (!err && !*v && strcmp(s, "max"))
		err = -ERANGE;
	return err;
}

static int get_value(enum param_type type, const char *s, uint64_t *v)
{
	int err;

	switch (type) {
	case P_RATE:
		return get_rate(s, v);
	case P_TIME:
		return units_get_time(s, v);
	case P_MS:
		err = units_get_time(s, v);
		*v /= 1000000;
		return err;
	case P_SIZE:
		return units_get_size(s, v);
	case P_ALPHA:
		return units_get_thousandths(s, v);
	case P_BER:
		return units_get_fraction(s, FABSIM_BER_ONE, v);
	case P_PPB:
		return units_get_fraction(s, FABSIM_PPB, v);
	case P_DIR:
	case P_STALL:
	case P_BOOL:
	case P_ROUTING:
	case P_REPEAT:
		return get_word(type, s, v);
	case P_NUMBER:
		break;
	}
	return units_get_u64(s, v);
}

int param_read(const struct param *p, const char *value, uint64_t *v,
	       char *why, size_t size)
{
	bool max = p->type == P_RATE && !strcmp(value, "max");
	int err;

	*v = 0;
	err = get_value(p->type, value, v);
	if (!err && !max && (*v < p->min || *v > p->max))
		err = -ERANGE;
	if (!err)
		return 0;
	snprintf(why, size, err == -ERANGE ? "%s is out of range (%s)" :
		 "\"%s\" cannot be read (%s)", value, p->range);
	return -1;
}

void param_put(struct nl_msg *msg, const struct param *p, uint64_t v)
{
	switch (p->size) {
	case 1:
		nla_put_u8(msg, p->attr, v);
		break;
	case 4:
		nla_put_u32(msg, p->attr, v);
		break;
	default:
		nla_put_u64(msg, p->attr, v);
	}
}

static int unknown(enum param_of of, const char *key)
{
	char otherwise[192];
	const char *keys[NR_PARAMS + 1];
	unsigned int i, n = 0;

	for (i = 0; i < NR_PARAMS; i++)
		if (params[i].of == of)
			keys[n++] = params[i].key;
	keys[n] = NULL;
	snprintf(otherwise, sizeof(otherwise), "; there are: %s", param_keys(of));
	return fab_usage("no setting \"%s\"%s", key,
			 fab_hint(key, keys, otherwise));
}

static int put_one(struct nl_msg *msg, enum param_of of, char *arg)
{
	char *eq = strchr(arg, '=');
	const struct param *p;
	char why[160], key[32];
	uint64_t v;

	if (!eq || eq == arg || eq - arg >= (int)sizeof(key))
		return fab_usage("\"%s\" is not KEY=VALUE", arg);
	memcpy(key, arg, eq - arg);
	key[eq - arg] = '\0';
	p = param_find(of, key);
	if (!p)
		return unknown(of, key);
	if (param_read(p, eq + 1, &v, why, sizeof(why))) {
		fab_err("%s: %s", key, why);
		return FAB_USAGE;
	}
	param_put(msg, p, v);
	return FAB_OK;
}

int param_put_all(struct nl_msg *msg, enum param_of of, int argc, char **argv)
{
	int i, ret;

	for (i = 0; i < argc; i++) {
		ret = put_one(msg, of, argv[i]);
		if (ret)
			return ret;
	}
	return FAB_OK;
}
