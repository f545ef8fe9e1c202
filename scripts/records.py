# SPDX-License-Identifier: Apache-2.0
"""Records of long runs on the RTL, and which of them are of the present RTL.

docs/data/evidence/records.toml lists the records. Each is docs/data/PART.json, which `scripts/figures PART` writes, or
docs/data/evidence/NAME.json, which `scripts/evidence` writes. `rtl` in a record is the digest of the measured RTL.
"""
import hashlib
import json
import os
import pathlib

import area_table
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "docs/data"
LIST = "docs/data/evidence/records.toml"
KEYS = {"name", "shows", "stale"}


class Wrong(Exception):
    """A file that is not as it must be."""


def rtl_digest(rtl=ROOT / "rtl"):
    """Digest of the sources as synthesis reads them. Comments, assertions and white space do not change it."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(rtl)):
        if name.endswith(".sv") or name.startswith("mxe_parameter"):
            digest.update(f"{name}\n{area_table.text_of_source(os.path.join(rtl, name))}\n".encode())
    return digest.hexdigest()[:16]


def listed(text):
    """The entries of records.toml."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Wrong(f"{LIST}: {error}") from error
    entries = data.pop("record", [])
    if data or not isinstance(entries, list):
        raise Wrong(f"{LIST}: unknown key '{next(iter(data), 'record')}'; allowed: tables [[record]]")
    names = [entry.get("name") for entry in entries]
    for entry in entries:
        name = entry.get("name")
        if unknown := sorted(set(entry) - KEYS):
            raise Wrong(f"{LIST}: record '{name}': unknown key '{unknown[0]}'; allowed: {', '.join(sorted(KEYS))}")
        if not all(isinstance(entry.get(key), str) and entry[key] for key in {"name", "shows", *entry}):
            raise Wrong(f"{LIST}: record '{name}': allowed: texts for 'name', 'shows' and, of an older RTL, 'stale'")
        if names.count(name) > 1:
            raise Wrong(f"{LIST}: record '{name}' occurs twice; allowed: once")
    return entries


def entries(data=DATA):
    return listed((data / "evidence/records.toml").read_text(encoding="utf-8"))


def files_of(name, data=DATA):
    return [path for path in (data / f"{name}.json", data / f"evidence/{name}.json") if path.exists()]


def record_of(name, data=DATA):
    found = files_of(name, data)
    if len(found) != 1:
        raise Wrong(f"record '{name}': {len(found)} files; allowed: one of docs/data/{name}.json and "
                    f"docs/data/evidence/{name}.json")
    try:
        record = json.loads(found[0].read_text(encoding="utf-8"))
        return {**record, "commit": record["commit"], "command": record["command"]}
    except (ValueError, KeyError, TypeError) as error:
        raise Wrong(f"{found[0].name}: not a record: {error!r}") from error


def findings(digest, data=DATA):
    """Yields a line for each record of an older RTL without a reason, reason without need, and record not listed."""
    every = entries(data)
    for entry in every:
        name = entry["name"]
        record = record_of(name, data)
        fresh = record.get("rtl") == digest
        if not fresh and "stale" not in entry:
            again = "scripts/figures" if (data / f"{name}.json").exists() else "scripts/evidence --again"
            yield (f"{name} is of another RTL (commit {record['commit']}): repeat it with `{again} {name}`, or give "
                   f"the reason as 'stale' in {LIST}")
        if fresh and "stale" in entry:
            yield f"{name} is of the present RTL, but {LIST} calls it stale: remove 'stale'"
    for path in sorted((data / "evidence").glob("*.json")):
        if path.stem not in {entry["name"] for entry in every}:
            yield f"docs/data/evidence/{path.name} is not in {LIST}"


def rows(data=DATA):
    """The table of the records on a page."""
    for entry in entries(data):
        record = record_of(entry["name"], data)
        counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in record.get("counts", {}).items())
        yield [f"`{entry['name']}`", entry["shows"] + (f": {counts}" if counts else ""),
               record["commit"] + (f", {record['date']}" if "date" in record else ""),
               f"older: {entry['stale']}" if "stale" in entry else "this one"]
