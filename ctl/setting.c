// SPDX-License-Identifier: GPL-2.0
/* Reads and applies the settings of a scenario; see setting.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "host_ip.h"
#include "param.h"
#include "setting.h"
#include "subnet.h"
#include "units.h"
#include "worker_tcp.h"

enum target { TRAFFIC, FABRIC, LINKS, LINK, SWITCHES, SWITCH, LAB };

struct setting {
	enum target target;
	char name[FABSIM_LINK_NAME_MAX + 1];	/* LINK, SWITCH */
	char key[24];
	const char *value;
	const struct param *param;		/* not of TRAFFIC */
	uint64_t v;
};

static const struct {
	const char *prefix;
	enum param_of of;
	bool named;
} targets[] = {
	[TRAFFIC] = { "", 0, false },
	[FABRIC] = { "", PARAM_FABRIC, false },
	[LINKS] = { "links.", PARAM_LINK, false },
	[LINK] = { "link.", PARAM_LINK, true },
	[SWITCHES] = { "switches.", PARAM_SWITCH, false },
	[SWITCH] = { "switch.", PARAM_SWITCH, true },
};

static bool is_traffic_key(const char *key)
{
	static const char *const keys[] = {
		"messages", "size", "from", "to", "order", "op", "mistake"
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* @path: what stands before "=", @len characters; "link.NAME.KEY" and so on. */
static bool parse_as(enum target t, const char *path, size_t len, struct setting *s)
{
	size_t skip = strlen(targets[t].prefix);
	const char *dot;

	if (len <= skip || strncmp(path, targets[t].prefix, skip))
		return false;
	path += skip;
	len -= skip;
	if (targets[t].named) {
		dot = memrchr(path, '.', len);
		if (!dot || dot == path || (size_t)(dot - path) >= sizeof(s->name))
			return false;
		snprintf(s->name, sizeof(s->name), "%.*s", (int)(dot - path), path);
		len -= dot + 1 - path;
		path = dot + 1;
	}
	if (len >= sizeof(s->key))
		return false;
	snprintf(s->key, sizeof(s->key), "%.*s", (int)len, path);
	s->target = t;
	if (t == TRAFFIC)
		return is_traffic_key(s->key);
	s->param = param_find(targets[t].of, s->key);
	return s->param;
}

/* What is neither a number nor of one object: the subnet manager, IP addresses. */
static bool parse_lab(const char *text, struct setting *s)
{
	size_t len = strcspn(text, "=");

	if (len >= sizeof(s->key))
		return false;
	snprintf(s->key, sizeof(s->key), "%.*s", (int)len, text);
	s->target = LAB;
	return !strcmp(s->key, "sm") || !strcmp(s->key, "ip");
}

static int read_lab(const struct setting *s, char *why, size_t size)
{
	bool sm = !strcmp(s->key, "sm");

	if (sm ? subnet_value_known(s->value) :
		 !strcmp(s->value, "on") || !strcmp(s->value, "off"))
		return 0;
	snprintf(why, size, "%s: \"%s\" is none of %s", s->key, s->value,
		 sm ? "on, off, stop" : "on, off");
	return -1;
}

static int parse(const char *text, struct setting *s, char *why, size_t size)
{
	const char *eq = strchr(text, '=');

	memset(s, 0, sizeof(*s));
	if (!eq || eq == text || !eq[1]) {
		snprintf(why, size, "\"%s\" is not KEY=VALUE", text);
		return -1;
	}
	s->value = eq + 1;
	if (parse_lab(text, s))
		return read_lab(s, why, size);
	for (int t = TRAFFIC; t <= SWITCH; t++) {
		if (!parse_as(t, text, eq - text, s))
			continue;
		if (t == TRAFFIC)
			return 0;
		return param_read(s->param, s->value, &s->v, why, size);
	}
	snprintf(why, size, "no setting \"%.*s\" (messages size from to order op mistake, "
		 "pace seed sm ip, link.NAME.K, links.K, switch.NAME.K, switches.K)",
		 (int)(eq - text), text);
	return -1;
}

int setting_check(const char *text, char *why, size_t len)
{
	struct setting s;

	return parse(text, &s, why, len);
}

bool setting_is_traffic(const char *text)
{
	struct setting s;
	char why[160];

	return !parse(text, &s, why, sizeof(why)) && s.target == TRAFFIC;
}

static void replace(char **word, const char *by)
{
	free(*word);
	*word = strdup(by);
}

static bool plan_number(struct scenario_traffic *t, const char *key, const char *value)
{
	bool size = !strcmp(key, "size");
	uint64_t v;
	int err = size ? units_get_size(value, &v) : units_get_u64(value, &v);

	if (err || !v || v > (size ? WORKER_BYTES_MAX : UINT32_MAX))
		return false;
	*(size ? &t->size_bytes : &t->messages) = v;
	return true;
}

static bool plan_order(struct scenario_traffic *t, const char *value)
{
	t->one_at_a_time = !strcmp(value, "one at a time");
	return t->one_at_a_time || !strcmp(value, "back to back");
}

static bool plan_mistake(struct scenario_traffic *t, const char *value)
{
	int wrong = scenario_mistake(value);

	if (wrong >= 0)
		t->wrong = wrong;
	return wrong >= 0;
}

/* One key of the traffic. False: the value will not do. */
static bool plan_key(struct scenario_traffic *t, const char *key, const char *value)
{
	if (!strcmp(key, "messages") || !strcmp(key, "size"))
		return plan_number(t, key, value);
	if (!strcmp(key, "order"))
		return plan_order(t, value);
	if (!strcmp(key, "mistake"))
		return plan_mistake(t, value);
	if (!strcmp(key, "from"))
		replace(&t->from, value);
	else if (!strcmp(key, "to"))
		replace(&t->to, value);
	else
		replace(&t->op, value);
	return strcmp(key, "op") || scenario_op_known(value);
}

int setting_plan(const char *text, struct scenario *sc, char *why, size_t len)
{
	struct scenario_traffic *t = sc->traffic;
	struct setting s;

	if (parse(text, &s, why, len))
		return -1;
	if (!t) {
		snprintf(why, len, "%s: this scenario has no traffic to change", text);
		return -1;
	}
	if (!plan_key(t, s.key, s.value)) {
		snprintf(why, len, "%s: \"%s\" will not do", s.key, s.value);
		return -1;
	}
	if ((uint64_t)t->messages * t->size_bytes > WORKER_BYTES_MAX) {
		snprintf(why, len, "%s: 256 MiB in all at most", text);
		return -1;
	}
	return 0;
}

/* @name: of a link or a switch; NULL: the fabric. */
static int set_one(struct fab_nl *nl, enum fabsim_cmd cmd, int name_attr,
		   const char *name, const struct setting *s)
{
	struct nl_msg *msg = fab_nl_msg(nl, cmd);

	if (name)
		nla_put_string(msg, name_attr, name);
	param_put(msg, s->param, s->v);
	return fab_nl_change(nl, msg, "%s%s%s=%s", name ? name : "",
			     name ? ": " : "", s->key, s->value);
}

static int set_link(struct fab_nl *nl, const char *name, const struct setting *s)
{
	return set_one(nl, FABSIM_CMD_LINK_SET, FABSIM_A_LINK_NAME, name, s);
}

static int set_switch(struct fab_nl *nl, const char *name, const struct setting *s)
{
	return set_one(nl, FABSIM_CMD_NODE_SET, FABSIM_A_NODE_NAME, name, s);
}

static int set_links(struct fab_nl *nl, const struct setting *s)
{
	struct fab_link_info *list;
	size_t n;
	int ret = FAB_OK, err = fab_link_list(nl, &list, &n);

	if (err)
		return fab_nl_fail(nl, err, "links");
	for (size_t i = 0; !ret && i < n; i++)
		ret = set_link(nl, list[i].name, s);
	free(list);
	return ret;
}

static int set_switches(struct fab_nl *nl, const struct setting *s)
{
	struct fab_node_info *list;
	size_t n;
	int ret = FAB_OK, err = fab_node_list(nl, &list, &n);

	if (err)
		return fab_nl_fail(nl, err, "switches");
	for (size_t i = 0; !ret && i < n; i++)
		/* An InfiniBand switch has nothing else to set. */
		if (list[i].kind == FABSIM_NODE_ETH_SWITCH ||
		    (list[i].kind == FABSIM_NODE_IB_SWITCH && !strcmp(s->key, "latency")))
			ret = set_switch(nl, list[i].name, s);
	free(list);
	return ret;
}

int setting_apply(struct fab_nl *nl, const char *text)
{
	struct setting s;
	char why[160];

	if (parse(text, &s, why, sizeof(why))) {
		fab_err("%s", why);
		return FAB_USAGE;
	}
	switch (s.target) {
	case TRAFFIC:
		return FAB_OK;
	case FABRIC:
		return set_one(nl, FABSIM_CMD_FABRIC_SET, 0, NULL, &s);
	case LINKS:
		return set_links(nl, &s);
	case LINK:
		return set_link(nl, s.name, &s);
	case SWITCHES:
		return set_switches(nl, &s);
	case SWITCH:
		return set_switch(nl, s.name, &s);
	case LAB:
		return !strcmp(s.key, "sm") ? subnet_set(nl, s.value) :
					      host_ip_set(nl, !strcmp(s.value, "on"));
	}
	return FAB_OK;
}
