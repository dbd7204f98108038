// SPDX-License-Identifier: GPL-2.0
/* Numbers as people write them: rates, times, sizes, fractions. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define RING	8

struct unit {
	const char *name;
	double scale;
};

static const struct unit rates[] = {
	{ "T", 1e12 }, { "G", 1e9 }, { "M", 1e6 }, { "k", 1e3 }, { "", 1 }, { }
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "\u00b5s", 1e3 }, { "ms", 1e6 },
	{ "s", 1e9 }, { "", 1 }, { }
};

static const struct unit sizes[] = {
	{ "G", 1 << 30 }, { "M", 1 << 20 }, { "K", 1 << 10 }, { "", 1 }, { }
};

static char *ring_next(void)
{
	static char ring[RING][48];
	static unsigned int at;

	return ring[at++ % RING];
}

/* The number in front of @s; what follows it goes to *rest. */
static int get_number(const char *s, double *v, const char **rest)
{
	char *end;

	/* strtod() would also take "nan", "inf" and hexadecimal. */
	if (!isdigit((unsigned char)*s) && *s != '.')
		return *s == '-' && isdigit((unsigned char)s[1]) ? -ERANGE :
								    -EINVAL;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return -EINVAL;
	errno = 0;
	*v = strtod(s, &end);
	if (end == s)
		return -EINVAL;
	if (errno || !isfinite(*v))
		return -ERANGE;
	while (*end == ' ')
		end++;
	*rest = end;
	return 0;
}

static int to_u64(double v, uint64_t *out)
{
	if (v >= 18446744073709549568.0)
		return -ERANGE;
	*out = (uint64_t)(v + 0.5);
	return 0;
}

static int scaled(const char *s, const struct unit *u, const char *suffix,
		  uint64_t *out)
{
	const char *rest;
	size_t len;
	double v;
	int err;

	/* Whole numbers stay exact beyond 2^53. */
	if (*s && strspn(s, "0123456789") == strlen(s))
		return units_get_u64(s, out);
	err = get_number(s, &v, &rest);
	if (err)
		return err;
	for (; u->name; u++) {
		len = strlen(u->name);
		if (!len || !strncasecmp(rest, u->name, len))
			break;
	}
	if (!u->name)
		return -EINVAL;
	rest += len;
	/* "G", "Gb/s", "Gbit", "GiB": the unit's name behind the prefix. */
	if (*rest && *suffix) {
		char word[16];

		if (strlen(rest) > 12)
			return -EINVAL;
		snprintf(word, sizeof(word), "|%s|", rest);
		if (!strstr(suffix, word))
			return -EINVAL;
	} else if (*rest) {
		return -EINVAL;
	}
	return to_u64(v * u->scale, out);
}

int units_get_rate(const char *s, uint64_t *bps)
{
	if (!strcmp(s, "max")) {
		*bps = 0;
		return 0;
	}
	return scaled(s, rates, "|b/s|bit|bit/s|bps|", bps);
}

int units_get_time(const char *s, uint64_t *ns)
{
	return scaled(s, times, "", ns);
}

int units_get_size(const char *s, uint64_t *bytes)
{
	return scaled(s, sizes, "|B|iB|", bytes);
}

int units_get_fraction(const char *s, uint64_t one, uint64_t *v)
{
	const char *rest;
	double f;
	int err;

	err = get_number(s, &f, &rest);
	if (err)
		return err;
	if (!strcmp(rest, "%"))
		f /= 100;
	else if (*rest)
		return -EINVAL;
	if (f > 1)
		return -ERANGE;
	return to_u64(f * (double)one, v);
}

int units_get_thousandths(const char *s, uint64_t *v)
{
	const char *rest;
	double f;
	int err;

	err = get_number(s, &f, &rest);
	if (err)
		return err;
	return *rest ? -EINVAL : to_u64(f * 1000, v);
}

int units_get_u64(const char *s, uint64_t *v)
{
	char *end;

	if (*s == '-')
		return isdigit((unsigned char)s[1]) ? -ERANGE : -EINVAL;
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, s[0] == '0' && (s[1] | 32) == 'x' ? 16 : 10);
	if (*end)
		return -EINVAL;
	return errno ? -ERANGE : 0;
}

int units_get_mac(const char *s, unsigned char mac[6])
{
	int i, n = 0;

	if (sscanf(s, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1],
		   &mac[2], &mac[3], &mac[4], &mac[5], &n) != 6 || s[n])
		return -EINVAL;
	for (i = 0; s[i]; i++)
		if (s[i] != ':' && !isxdigit((unsigned char)s[i]))
			return -EINVAL;
	return 0;
}

/* Three significant figures, no trailing zeroes. */
static const char *with_unit(double v, const char *prefix, const char *unit)
{
	char *b = ring_next();
	int digits = v < 10 ? 2 : v < 100 ? 1 : 0;
	char *p;

	snprintf(b, 32, "%.*f", digits, v);
	if (digits) {
		for (p = b + strlen(b); p[-1] == '0'; p--)
			;
		if (p[-1] == '.')
			p--;
		*p = '\0';
	}
	strcat(b, " ");
	strcat(b, prefix);
	strcat(b, unit);
	return b;
}

const char *units_rate(uint64_t bps)
{
	if (!bps)
		return "max";
	if (bps >= 1000000000000ULL)
		return with_unit(bps / 1e12, "T", "b/s");
	if (bps >= 1000000000)
		return with_unit(bps / 1e9, "G", "b/s");
	if (bps >= 1000000)
		return with_unit(bps / 1e6, "M", "b/s");
	if (bps >= 1000)
		return with_unit(bps / 1e3, "k", "b/s");
	return with_unit(bps, "", "b/s");
}

const char *units_time(uint64_t ns)
{
	if (ns >= 1000000000)
		return with_unit(ns / 1e9, "", "s");
	if (ns >= 1000000)
		return with_unit(ns / 1e6, "m", "s");
	/* 1234 ns stays exact, 1500 ns is 1.5 us. */
	if (ns >= 10000 || (ns >= 1000 && ns % 10 == 0))
		return with_unit(ns / 1e3, "\u00b5", "s");
	return with_unit(ns, "n", "s");
}

const char *units_size(uint64_t bytes)
{
	if (bytes >= 1ULL << 30)
		return with_unit(bytes / (double)(1 << 30), "Gi", "B");
	if (bytes >= 1 << 20)
		return with_unit(bytes / (double)(1 << 20), "Mi", "B");
	if (bytes >= 10 << 10)
		return with_unit(bytes / 1024.0, "Ki", "B");
	return with_unit(bytes, "", "B");
}

const char *units_count(uint64_t n)
{
	char raw[24], *b = ring_next(), *p = b;
	int len = snprintf(raw, sizeof(raw), "%llu", (unsigned long long)n);
	int i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = raw[i];
	}
	*p = '\0';
	return b;
}

const char *units_fraction(uint64_t v, uint64_t one)
{
	double f = (double)v / (double)one;
	char *b = ring_next();

	if (!v)
		return "0";
	if (v >= one / 10000)
		snprintf(b, 32, "%.4g %%", f * 100);
	else
		snprintf(b, 32, "%.3g", f);
	return b;
}

const char *units_mac(const unsigned char mac[6])
{
	char *b = ring_next();

	snprintf(b, 32, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	return b;
}
