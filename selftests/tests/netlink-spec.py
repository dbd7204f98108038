#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare docs/netlink/fabsim.yaml with kmod/uapi/fabsim.h, both ways.

usage: netlink-spec.py SPEC HEADER

Says what differs, a line each; status 1 if anything does.
"""
import os
import re
import sys

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fabnl

# What the spec says in other words than by a constant of the same name.
NO_CONSTANTS = {"FABSIM_GENL_NAME", "FABSIM_GENL_VERSION", "FABSIM_MCGRP_EVENTS"}
# Types of the spec, by how a comment of the header begins.
TYPES = {"u8": "u8", "u32": "u32", "u64": "u64", "string": "string", "6 bytes": "binary",
         "binary": "binary", "nest": "nest", "flag": "flag"}

different = []


def differ(*words):
    different.append(" ".join(str(word) for word in words))


def c_name(prefix, name):
    return (prefix + name).upper().replace("-", "_")


def compare_numbers(spec, header, what):
    for name in sorted(set(spec) | set(header)):
        if name not in header:
            differ(what, name, "is in the spec only")
        elif name not in spec:
            differ(what, name, "is in the header only")
        elif spec[name] != header[name]:
            differ(what, name, "is", spec[name], "in the spec and", header[name], "in the header")


def header_enums(text, numbers):
    """{enum: {name: number}}, without the marks of the end."""
    enums = {}
    for enum, body in re.findall(r"^enum\s+(\w+)\s*\{(.*?)\n\};", text, flags=re.M | re.S):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        names = re.findall(r"^\s*(FABSIM_\w+)", body, flags=re.M)
        enums[enum] = {n: numbers[n] for n in names if not n.endswith("_MAX")}
    return enums


def header_types(text):
    """{attribute: type}, from the comment behind it; counters are u64, all of them."""
    types = {}
    for name, comment in re.findall(r"^\s*(FABSIM_A_\w+),(?:\s*/\*\s*(.*?)\s*\*/)?", text,
                                    flags=re.M):
        found = re.match(r"(?:START: )?(u8|u32|u64|string|6 bytes|binary|nest|flag)\b", comment)
        if name.endswith("_PAD"):
            types[name] = "pad"
        elif name.startswith("FABSIM_A_COUNTER_"):
            types[name] = "u64"
        elif found:
            types[name] = TYPES[found.group(1)]
    return types


def spec_entries(entries, prefix, start=0):
    numbers = {}
    for entry in entries:
        entry = entry if isinstance(entry, dict) else {"name": entry}
        start = entry.get("value", start)
        numbers[c_name(prefix, entry["name"])] = start
        start += 1
    return numbers


def compare_constants(spec, text, numbers):
    defined = set(re.findall(r"^#define\s+(FABSIM_\w+)[ \t]+\S", text, flags=re.M)) - NO_CONSTANTS
    constants = {c_name("fabsim-", d["name"]): d["value"]
                 for d in spec["definitions"] if d["type"] == "const"}
    compare_numbers(constants, {name: numbers[name] for name in defined}, "constant")


def compare_enums(spec, enums):
    named = {}
    for definition in spec["definitions"]:
        if definition["type"] != "enum":
            continue
        enum = "fabsim_" + definition["name"].replace("-", "_")
        named[enum] = spec_entries(definition["entries"], definition["name-prefix"])
        compare_numbers(named[enum], enums.get(enum, {}), enum)
    values = {e for e in enums if not e.endswith("_attr") and e != "fabsim_cmd"}
    for enum in values - set(named):
        differ("enum", enum, "is in the header only")
    return {d["name"] for d in spec["definitions"] if d["type"] == "enum"}


def compare_set(space, enums, types, known):
    enum = space["enum-name"].replace("-", "_")
    numbers = spec_entries(space["attributes"], space["name-prefix"], 1)
    header = {n: v for n, v in enums.get(enum, {}).items() if not n.endswith("_UNSPEC")}
    compare_numbers(numbers, header, enum)
    for attribute in space["attributes"]:
        name = c_name(space["name-prefix"], attribute["name"])
        if name in types and types[name] != attribute["type"]:
            differ(name, "is", attribute["type"], "in the spec and", types[name], "in the header")
        if name.startswith("FABSIM_A_") and name not in types:
            differ(name, "has no type in the header")
        if attribute.get("enum", next(iter(known))) not in known:
            differ(name, "is of an unknown enum", attribute["enum"])


def compare_sets(spec, enums, types, known):
    for space in spec["attribute-sets"]:
        compare_set(space, enums, types, known)
    spaces = {s["enum-name"].replace("-", "_") for s in spec["attribute-sets"]}
    for enum in {e for e in enums if e.endswith("_attr")} - spaces:
        differ("attributes", enum, "are in the header only")


def compare_operations(spec, text, enums):
    operations = spec["operations"]
    prefix = operations["name-prefix"]
    header = {n: v for n, v in enums["fabsim_cmd"].items() if not n.endswith("_UNSPEC")}
    compare_numbers(spec_entries(operations["list"], prefix, 1), header, "command")
    spaces = {s["name"]: {a["name"] for a in s["attributes"]} for s in spec["attribute-sets"]}
    for operation in operations["list"]:
        name = c_name(prefix, operation["name"])
        parts = [operation.get(kind, {}) for kind in ("do", "dump", "event")]
        for part in [p.get(way, p) for p in parts for way in ("request", "reply")]:
            for attribute in part.get("attributes", []):
                if attribute not in spaces[operation["attribute-set"]]:
                    differ(name, "has an unknown attribute", attribute)
        line = re.search(r"@%s:\s*(\S.*)" % name, text)
        if ("[admin]" in line.group(1)) != ("admin-perm" in operation.get("flags", [])):
            differ(name, "needs CAP_NET_ADMIN in one of the two only")


def main(spec_path, header_path):
    with open(spec_path, encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    with open(header_path, encoding="utf-8") as file:
        text = file.read()
    numbers = fabnl.read_header(header_path)
    enums = header_enums(text, numbers)
    compare_constants(spec, text, numbers)
    known = compare_enums(spec, enums)
    compare_sets(spec, enums, header_types(text), known)
    compare_operations(spec, text, enums)
    if (spec["name"], spec["version"]) != (numbers["FABSIM_GENL_NAME"],
                                           numbers["FABSIM_GENL_VERSION"]):
        differ("the family's name or version")
    print("\n".join(different))
    return bool(different)


sys.exit(main(*sys.argv[1:3]))
